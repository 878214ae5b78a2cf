"""What a shell offers after Tab."""

import pytest
from click.shell_completion import BashComplete

from assay.cli.commands import main
from assay.vocabulary import CHARTS


def offered(*typed: str) -> list[tuple[str, str]]:
    """What is offered behind some words, for the last of them: whether it is a word or a file, and which."""
    *words, begun = typed
    completion = BashComplete(main, {}, "assay", "_ASSAY_COMPLETE")
    return [(item.type, item.value) for item in completion.get_completions(words, begun)]


def words(*typed: str) -> list[str]:
    return [value for kind, value in offered(*typed) if kind == "plain"]


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        (("evaluate", "-m", "nd"), ["nDCG", "nDCGrel"]),
        (("evaluate", "q", "r", "--measure", "AP,rb"), ["AP,RBP", "AP,RBPresidual"]),
        (("measures", "inex"), ["inex2002", "inex2003"]),
        (("compare", "-m", "gmb"), ["GMbpref"]),
        (("evaluate", "--task", "fo"), ["focused"]),
        (("convert", "--to", "lab"), ["label_studio"]),
        (("evaluate", "--format", "doc"), ["doccano"]),
        (("corr",), ["correlate"]),
        (("chart", "di"), ["differences", "distribution"]),
        (("chart", ""), list(CHARTS)),
        (("chart", "means", "q", "r", "--theme", "d"), ["dark"]),
    ],
)
def test_measures_formats_tasks_and_commands_are_offered(typed, names):
    assert words(*typed) == names


@pytest.mark.parametrize(
    "typed",
    [
        ("evaluate", "ju"), ("evaluate", "judgments", "bm"), ("check", "b"), ("convert", "b"), ("trec_eval", "q"),
        ("chart", "q"), ("chart", "means", "q"), ("chart", "q.txt", "r"), ("evaluate", "--documents", "d"), ("locate", "t"), ("agreement", "g"), ("relevance", "g"), ("recall-base", "a"),
    ],
)  # fmt: skip
def test_files_are_offered_where_files_are_taken(typed):
    assert offered(*typed) == [("file", typed[-1])]

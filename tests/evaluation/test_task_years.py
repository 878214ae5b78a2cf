"""The measures of INEX's tasks, year by year."""

import pytest

import assay
from helpers.commands import invoke
from helpers.files import written
from helpers.places import DATA

GOLD = [{"topic": "q", "document": "d", "start": 10, "end": 20, "document_length": 90, "bep": 10}]
RUN = {"q": [("d", 10, 30)]}


def measures(**told) -> list[str]:
    return [str(measure) for measure in assay.evaluate(GOLD, RUN, **told).measures]


@pytest.mark.parametrize(
    ("task", "year", "scores"),
    [
        # Pehcevski et al., INEX 2007: eq. 7, eq. 8 with A = 0.1, eq. 9 with n = 1000
        ("RelevantInContext", 2007, [""]),
        ("best-in-context", 2007, ["(score=BEP)", "(score=Window)"]),
        ("relevant-in-context", 2008, ["(score=F(beta=0.25))"]),
        ("relevant-in-context", 2009, ["(score=F(beta=0.25))"]),
        ("best-in-context", 2009, ["(score=Window(n=500))"]),
        ("relevant-in-context", 2010, ["(score=T2I)"]),
        ("relevant-in-context", None, ["(score=F(beta=0.25))"]),
    ],
)
def test_the_tasks_in_context_have_the_scores_of_their_year(task, year, scores):
    expected = [f"gP{score}@{rank}" if rank else f"AgP{score}" for score in scores for rank in (5, 10, 25, 50, None)]
    assert measures(task=task, year=year) == expected


def test_the_defaults_of_the_scores_are_those_of_the_paper():
    assert (assay.F().beta, assay.BEP().A, assay.Window().n, assay.T2I().irr) == (1, 0.1, 1000, 300)


@pytest.mark.parametrize("year", [2007, 2008, 2009])
def test_the_focused_task_is_the_same_in_all_years(year):
    assert measures(task="focused", year=year) == ["iP@0", "iP@0.01", "iP@0.05", "iP@0.1", "AiP"]
    assert "INEX" not in " ".join(assay.evaluate(GOLD, RUN, task="focused").notes)


def test_without_a_year_a_note_says_which_it_is():
    said = "task {} has the measures of INEX 2008 and 2009; for the measures of {} pass year="
    notes = {task: assay.evaluate(GOLD, RUN, task=task).notes for task in ("relevant-in-context", "best-in-context")}
    assert said.format("relevant-in-context", "2007 or 2010") in notes["relevant-in-context"]
    assert said.format("best-in-context", "2007") in notes["best-in-context"]
    named = assay.evaluate(GOLD, RUN, "AiP", task="relevant-in-context").notes
    assert not [note for note in named if "INEX" in note]


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"task": "thorough", "year": 2007}, "INEX 2007 has no task thorough; choose from focused, relevant-in-context, best-in-context"),
        ({"task": "focused", "year": 2006}, "unknown year 2006; choose from 2007, 2008, 2009, 2010"),
        ({"year": 2007}, "year requires a task with highlighted text, for example relevant-in-context"),
        ({"task": "CO.Focussed", "year": 2007}, "year requires a task with highlighted text, for example relevant-in-context; CO.Focussed is a task of 2005"),
    ],
)  # fmt: skip
def test_a_year_that_a_task_does_not_have_is_refused(told, message):
    with pytest.raises(assay.UsageError) as refused:
        measures(**told)
    assert str(refused.value) == message


@pytest.mark.shared("inex")
@pytest.mark.parametrize(
    ("run", "task", "year", "measure", "value"),
    [
        ("bert.ric", "relevant-in-context", 2007, "AgP", 0.12170411516421728),
        ("bert.ric", "relevant-in-context", 2009, "AgP(score=F(beta=0.25))", 0.10966747120951972),
        ("bert.ric", "relevant-in-context", 2010, "AgP(score=T2I)", 0.09758674220809203),
        ("bert.bic", "best-in-context", 2007, "AgP(score=Window)", 0.08160509276012914),
        ("bert.bic", "best-in-context", 2008, "AgP(score=Window(n=500))", 0.07253786023122591),
    ],
)
def test_a_year_gives_what_its_official_program_printed(run, task, year, measure, value):
    inex = DATA / "inex"
    scores = assay.evaluate(
        inex / "inex2009-2010.technion.qrels.gz", inex / f"{run}.fol.run.gz", task=task, year=year
    )
    assert scores[measure] == pytest.approx(value, rel=1e-12)


SUBMISSION = """<inex-submission participant-id="1" run-id="r" task="CO.Focussed" query="automatic">
<topic topic-id="1">
<result><file>a</file><path>/article[1]/p[1]</path><rank>1</rank></result>
<result><file>b</file><path>/article[1]/p[1]</path><rank>2</rank></result>
<result><file>a</file><path>/article[1]</path><rank>3</rank></result>
</topic>
</inex-submission>
"""


@pytest.mark.parametrize(
    ("task", "faults"),
    [
        ("CO.Focussed", ["s.xml:5: result /article[1] of document a in topic 1 overlaps /article[1]/p[1] (line 3); text may be returned only once"]),
        ("cos.focussed", ["s.xml:5: result /article[1] of document a in topic 1 overlaps /article[1]/p[1] (line 3); text may be returned only once"]),
        ("CO.Thorough", []),
        ("SSCAS", []),
        ("CO.FetchBrowse", ["s.xml:5: document a is returned again in topic 1 after others (line 3); the results of a document must be consecutive"]),
    ],
)  # fmt: skip
def test_a_run_is_checked_against_the_tasks_of_2005(folder, task, faults):
    written(SUBMISSION, "s.xml")
    result = invoke("check", "s.xml", "--task", task)
    assert result.exit_code == bool(faults)
    assert [line for line in result.stdout.splitlines() if line.startswith("s.xml:5")] == faults

"""The words of the program stand in one list: what the command line offers is what the library understands."""

import click
import pytest

from assay import vocabulary
from assay.charts import drawing as chart_kinds
from assay.charts import style
from assay.cli.commands import main
from assay.comparing import comparison, paired
from assay.comparing import correlation as coefficients
from assay.comparing import tables as against_baseline
from assay.evaluation import notes, tasks
from assay.fusing import fuse
from assay.fusing import ranked_lists as normalisations
from assay.measures import notation as listing
from assay.ranking import element_trees
from assay.ranking import element_trees as quantisations
from assay.reading.recognition import every_format
from assay.reporting import report as decisions
from assay.showing import layout


@pytest.mark.parametrize(
    ("words", "understood"),
    [
        (vocabulary.FAMILIES, listing.TITLES),
        (vocabulary.TIES, notes.TIES),
        (vocabulary.OVERLAPS, {*notes.OVERLAP, "reject"}),
        (vocabulary.TOPICS, decisions.TOPICS),
        (vocabulary.FORMATS, [format.name for format in every_format()]),
        (vocabulary.FORMATS_OF_RUNS, [format.name for format in every_format() if format.writes_runs_of]),
        (
            vocabulary.FORMATS_TO_WRITE,
            [format.name for format in every_format() if format.writes_runs_of or format.writes_judgments],
        ),
        (vocabulary.FILE_KINDS, {kind for format in every_format() for kind in format.holds}),
        (vocabulary.TEXT_TASKS, tasks.TASKS),
        (vocabulary.ELEMENT_TASKS, tasks.GRADED),
        (vocabulary.QUANTISATIONS, quantisations.QUANTISATIONS),
        (vocabulary.QUANTISATIONS["2003"], quantisations.QUANTISATIONS["2003"]),
        (vocabulary.QUANTISATIONS["2005"], quantisations.QUANTISATIONS["2005"]),
        (vocabulary.RECALL_BASE_RULES, element_trees.RULES),
        (vocabulary.TESTS, comparison.TESTS),
        (vocabulary.TESTS, paired.METHODS),
        (vocabulary.CORRECTIONS, comparison.CORRECTIONS),
        (vocabulary.MARKS, against_baseline.MARKS),
        (vocabulary.COEFFICIENTS, coefficients.COEFFICIENTS),
        (vocabulary.FUSIONS, fuse.METHODS),
        (vocabulary.NORMALISATIONS, normalisations.NORMALISATIONS),
        (vocabulary.LAYOUTS, {*layout.NAMED, "json"}),
        (vocabulary.CHARTS, {*chart_kinds.KINDS, chart_kinds.HISTORY}),
        (vocabulary.THEMES, style.TONES),
    ],
)
def test_the_library_understands_the_words_of_the_vocabulary_and_no_others(words, understood):
    assert set(words) == set(understood)
    assert len(set(words)) == len(list(words))


WORDS = [tuple(words) for words in vars(vocabulary).values() if isinstance(words, tuple)]
LISTS = [*WORDS, vocabulary.TEXT_TASKS + vocabulary.ELEMENT_TASKS, vocabulary.LAYOUTS[:-1]]
CHOICES = [
    (name, option.name, option.type.choices)
    for name in main.list_commands(click.Context(main))
    for option in main.get_command(click.Context(main), name).params
    if isinstance(option.type, click.Choice)
]


def test_the_choices_of_an_option_are_a_list_of_the_vocabulary():
    assert len(CHOICES) > 100
    assert [(command, option) for command, option, choices in CHOICES if tuple(choices) not in LISTS] == []

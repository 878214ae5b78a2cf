"""The options of an evaluation, each declared once.

The signatures of `assay.evaluate` and its kin, the options of the commands, what saved scores remember, what a report
says of them, and what a cluster refuses all derive from here. Nothing heavy is imported, so that
`assay evaluate --help` needs no more.
"""

import functools
import inspect
import os
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Protocol, TypedDict, TypeVar, Union, cast, get_args, get_origin

from assay.errors import UsageError
from assay.vocabulary import (
    ANNOTATORS,
    ELEMENT_TASKS,
    FORMATS,
    QUANTISATIONS,
    TEXT_TASKS,
    Duplicates,
    Overlap,
    Texts,
    Ties,
    Topics,
    Whitespace,
)

# The groups of options, in the order of the help.
OptionGroup = Literal[
    "Measures", "Topics and ties", "Text and overlap", "Documents", "Reading files", "INEX", "Output", "Cluster"
]
GROUPS: tuple[OptionGroup, ...] = get_args(OptionGroup)


@dataclass(frozen=True, eq=False, kw_only=True)
class Option:
    """What is declared of an option; its name and its type are those of the line that declares it.

    meaning: what it does, for Python. help: the same for the command line.
    changes_values: whether values depend on it, beyond what the judgments, the documents and the measures tell. Then
    saved scores remember it, and are compared only where it is the same. always_saved: also where it is not given.
    not_on_spark: empty where a cluster does the same. Else why a cluster refuses it, or why it refuses some values.
    not_in_report: why a report refuses it. label: how a report names it, beside what was given.
    ceiling: whether `assay.ceiling` takes it too. formerly: its old name, which is still understood.

    On the command line the option has its own name, or that of the flag. Its values are the choices, or those of its
    type; any_case: in any case of letters, and with or without hyphens. at_least, at_most: bounds of a number.
    """

    name: str = ""
    type: Any = None
    default: Any = None
    meaning: str
    help: str
    group: OptionGroup
    changes_values: bool
    always_saved: bool = False
    not_on_spark: str | Mapping[Any, str]
    not_in_report: str = ""
    label: str = ""
    ceiling: bool = False
    formerly: str = ""
    flag: str = ""
    choices: Sequence[str] = ()
    any_case: bool = False
    metavar: str | None = None
    at_least: int | None = None
    at_most: int | None = None
    is_path: bool = False
    is_repeatable: bool = False

    @property
    def plain_type(self) -> Any:
        """The type without None."""
        parts = [part for part in get_args(self.type) if part is not NoneType]
        return parts[0] if get_origin(self.type) in (Union, UnionType) and len(parts) == 1 else self.type

    @property
    def words(self) -> Sequence[str]:
        """The words that may be given, where these are all."""
        return get_args(self.plain_type) if get_origin(self.plain_type) is Literal else self.choices

    @property
    def typed(self) -> str:
        """The option as it is typed on the command line."""
        return self.flag or f"--{self.name.replace('_', '-')}"

    @property
    def formerly_typed(self) -> str:
        """The old option on the command line."""
        return f"--{self.formerly.replace('_', '-')}"

    def is_set(self, value: object) -> bool:
        """Whether a value is another than that by default."""
        return value is not None and value != self.default


class HasVocabulary(Protocol):
    """A tokenizer of Hugging Face's tokenizers."""

    def to_str(self) -> str:
        """All that it is, as JSON."""


class HasFastTokenizer(Protocol):
    """A fast tokenizer of Hugging Face's transformers."""

    @property
    def backend_tokenizer(self) -> HasVocabulary:
        """The tokenizer inside."""


# The quantisations of each scale, as the help of --quant lists them.
SCALES = "; of ".join(f"{year}: {', '.join(names)}" for year, names in QUANTISATIONS.items()).replace(
    "gen,", "gen (default),", 1
)


class EvaluationOptions(TypedDict, total=False):
    """The options of an evaluation, in the order of the Python signature."""

    documents: Annotated[
        Any,
        Option(
            meaning="a folder, an archive or a JSONL file, a dict from ids to texts, or objects with an id and a text "
            "each, where element paths, lengths or the places of texts have to be looked up.",
            help="A folder, an archive or a JSONL file with the documents, where element paths or lengths must be "
            "looked up.",
            group="Documents",
            is_path=True,
            changes_values=False,
            not_on_spark="",
            ceiling=True,
        ),
    ]
    chunks: Annotated[
        Any,
        Option(
            meaning="for runs that return ids of chunks: the table of all chunks, with the id, document, start and end "
            "of each, or its id and its text, which is looked for in the documents. A file, a frame, a list of records "
            "or objects, a dict from ids to records or texts, or a dict with the table of each run by its name.",
            help="For runs that return ids of chunks, also in TREC's format: the table of all chunks, with the id, "
            "document, start and end of each, or its id and its text, which is looked for in the --documents. RUN=FILE "
            "is the table of one run; repeatable. A report tells what no chunk holds.",
            group="Documents",
            metavar="[RUN=]FILE",
            is_repeatable=True,
            changes_values=False,
            not_on_spark="chunk ids are looked up on one machine only; leave out chunks=, and write the document, "
            "start and end of each chunk into the run",
        ),
    ]
    ties: Annotated[
        Ties,
        Option(
            default="docno",
            meaning="docno (as trec_eval), input, rank, or expected (the mean over all orders of tied results).",
            help="Order of equal scores: by document id as trec_eval, by input order, by rank column, or the mean over "
            "all.",
            group="Topics and ties",
            changes_values=True,
            always_saved=True,
            not_on_spark={
                "input": "rows of a table on a cluster have no order, and ties cannot be left in it; "
                "break ties by docno or rank, or leave them open with expected"
            },
        ),
    ]
    overlap: Annotated[
        Overlap | None,
        Option(
            meaning="of parts of documents: paid (text seen at an earlier rank is read again, and gains nothing), new "
            "(it is passed over, as by someone who merges results before reading), drop, or reject.",
            help="Results that overlap an earlier one: read again, which gains nothing (default), only new text "
            "counts, left out, or refused (most tasks).",
            group="Text and overlap",
            changes_values=True,
            always_saved=True,
            not_on_spark="",
            ceiling=True,
        ),
    ]
    task: Annotated[
        str | None,
        Option(
            meaning="one of INEX: its measures, if none are given, and its rules, which runs must keep to.",
            help="A task of INEX: its measures, if none are given, and its rules for runs. Of highlighted text "
            f"{', '.join(TEXT_TASKS)}; of assessed elements {', '.join(ELEMENT_TASKS)}.",
            group="INEX",
            choices=(*TEXT_TASKS, *ELEMENT_TASKS),
            any_case=True,
            metavar="TASK",
            changes_values=True,
            always_saved=True,
            not_on_spark="",
            label="Task",
        ),
    ]
    year: Annotated[
        int | None,
        Option(
            meaning="of a task of highlighted text, the year of INEX whose measures are reported: 2007, 2008, 2009 or "
            "2010. Without it relevant-in-context and best-in-context are as in 2008 and 2009.",
            help="Of a task of highlighted text, the year of INEX whose measures are reported; relevant-in-context and "
            "best-in-context are as in 2008 and 2009 by default.",
            group="INEX",
            at_least=2007,
            at_most=2010,
            changes_values=False,
            not_on_spark="",
            label="Year",
        ),
    ]
    quant: Annotated[
        str | Sequence[str] | None,
        Option(
            meaning="of the tasks of 2005, the quantisations to report.",
            help=f"Quantisation of a task of {SCALES}; or a .csv or .tsv file of e, s and value; repeatable.",
            group="INEX",
            is_repeatable=True,
            changes_values=False,
            not_on_spark="",
            label="Quantisation",
        ),
    ]
    alpha: Annotated[
        float | None,
        Option(
            meaning="of the tasks of 2005, how little text is worth that was seen before.",
            help="Of a task of 2005: how little text is worth that was seen before; 1 by default.",
            group="INEX",
            at_least=0,
            at_most=1,
            changes_values=False,
            not_on_spark="",
            label="Alpha",
        ),
    ]
    pools: Annotated[
        Collection[str] | None,
        Option(
            meaning="of a folder of assessments, the pools that count.",
            help="Of a folder of assessments, the pools that count, as 275,297.",
            group="INEX",
            changes_values=False,
            not_on_spark="",
            label="Pools",
        ),
    ]
    topics: Annotated[
        Topics,
        Option(
            default="judged",
            meaning="which count: judged (all with judgments, missing from the run = 0), relevant (those with anything "
            "relevant), common (those that the run has too), or error (refuse a run whose topics differ).",
            help="Topics that count: all judged, those with anything relevant, those also in the run; or refuse "
            "differences.",
            group="Topics and ties",
            changes_values=True,
            always_saved=True,
            not_on_spark="",
            ceiling=True,
        ),
    ]
    depth: Annotated[
        int | None,
        Option(
            meaning="how many results of a topic count.",
            help="Use only the first N results of each topic.",
            group="Topics and ties",
            at_least=1,
            changes_values=True,
            always_saved=True,
            not_on_spark="",
        ),
    ]
    judged_only: Annotated[
        bool,
        Option(
            default=False,
            meaning="leave out unjudged results.",
            help="Leave out unjudged results before measuring (condensed lists).",
            group="Topics and ties",
            changes_values=True,
            always_saved=True,
            not_on_spark="",
        ),
    ]
    texts: Annotated[
        Texts,
        Option(
            default="check",
            meaning="where rows have a text and documents are given: check (those without offsets are found, and those "
            "with offsets compared: a text that is not at its offsets counts where it is, and if more than a tenth of "
            "them are nowhere, that is refused), locate (all are counted where they stand), drop (the same, and what "
            "is not found is left out), or ignore.",
            help="Texts of rows, where documents are given: compared with their offsets and counted where they are; "
            "counted where they are, whatever the offsets; the same without those that are not found; or not looked at."
            " Those without offsets are found.",
            group="Text and overlap",
            changes_values=True,
            always_saved=True,
            not_on_spark="",
            ceiling=True,
        ),
    ]
    whitespace: Annotated[
        Whitespace,
        Option(
            default="count",
            meaning="count, or ignore, which counts only characters that are not whitespace.",
            help="Count whitespace like other characters, or ignore it because splitters strip it.",
            formerly="blanks",
            group="Text and overlap",
            changes_values=True,
            always_saved=True,
            not_on_spark="",
            ceiling=True,
        ),
    ]
    duplicates: Annotated[
        Duplicates,
        Option(
            default="refuse",
            meaning="where a document stands in a topic of a run again, as do chunks that have the id of their "
            "document: refuse, first (its first row counts), or best (the one with the best score).",
            help="A document that stands in a topic again, as chunks with the id of their document do: refused, or its "
            "first row counts, or the one with the best score.",
            group="Topics and ties",
            changes_values=True,
            not_on_spark="",
        ),
    ]
    annotators: Annotated[
        str | None,
        Option(
            meaning="where judgments have such a column: mean (of the values against each annotator of a topic), best, "
            "union (all evidence as one), or the name of one. Where they have a column set, a value is that of the "
            "best set of a topic.",
            help="Where several annotators judged: the mean of the values against each (default), the best, all "
            "evidence as one, or one of them.",
            group="Topics and ties",
            metavar=f"[{'|'.join(ANNOTATORS)}|NAME]",
            changes_values=True,
            always_saved=True,
            not_on_spark="",
            ceiling=True,
        ),
    ]
    copies: Annotated[
        bool,
        Option(
            default=False,
            meaning="whether a verbatim copy of the evidence, wherever it stands in the documents, is as good as the "
            "evidence. A character of it is found when it is read at any of these places, and gains once.",
            help="Evidence counts wherever it stands in the --documents: a verbatim copy elsewhere is as good.",
            group="Text and overlap",
            changes_values=True,
            not_on_spark="copies are looked for on one machine only; leave out copies=",
            not_in_report="a report shows the evidence where it is said to stand; "
            "copies are for evaluate, compare, correlate, chart, gate and ceiling",
            ceiling=True,
        ),
    ]
    format: Annotated[
        str | None,
        Option(
            meaning="that of all files, where it should not be recognised from their content.",
            help="Format of all files, judgments and runs; recognised from their content by default.",
            group="Reading files",
            choices=FORMATS,
            changes_values=False,
            not_on_spark="",
            label="Format of the files",
            ceiling=True,
        ),
    ]
    columns: Annotated[
        Mapping[str, str] | None,
        Option(
            meaning='which column of a table holds what, as {"document": "chunk_id"}, where the usual names do not '
            'tell; a path leads into objects, as in {"text": "metadata.window"}.',
            help="The column of a table that holds a field, as document=chunk_id, where the usual names do not "
            "tell; a path leads into objects, as in text=metadata.window; repeatable.",
            group="Reading files",
            flag="--column",
            metavar="FIELD=NAME",
            is_repeatable=True,
            changes_values=False,
            not_on_spark="",
            ceiling=True,
        ),
    ]
    tokenizer: Annotated[
        str | Callable[[str], Sequence[tuple[int, int]]] | HasVocabulary | HasFastTokenizer | None,
        Option(
            meaning="for measures such as R(tokens=500) and P(unit=token)@5, which take documents too: words (split at "
            "whitespace, fewer than a language model counts), chars:4 (every 4 characters, the usual "
            "estimate, or any other number), a .json file of Hugging Face's tokenizers, tiktoken:NAME, a "
            "tokenizers.Tokenizer, a PreTrainedTokenizerFast, or a function of a text that gives the (start, end) of "
            "each token. A token belongs to the text in which it ends.",
            help="What makes tokens of the documents' texts, for R(tokens=500) or P(unit=token)@5: words (split at "
            "whitespace), chars:4 (every 4 characters, an estimate), a .json file of Hugging Face's tokenizers, or "
            "tiktoken:NAME.",
            group="Text and overlap",
            metavar="NAME",
            changes_values=True,
            always_saved=True,
            not_on_spark="",
            label="Tokenizer",
            ceiling=True,
        ),
    ]


class GroupedOptions(EvaluationOptions, total=False):
    """The options of an evaluation whose values are shown for groups of topics too."""

    by: Annotated[
        Mapping[Any, Any] | str | None,
        Option(
            meaning="groups of topics, for each of which there is a value beside that over all: a dict from topics to "
            "groups, or the name of a column of the topics_file, as corpus_id.",
            help="A row for each group of topics, by a column of the --topics-file.",
            group="Topics and ties",
            metavar="COLUMN",
            changes_values=False,
            not_on_spark="",
        ),
    ]
    topics_file: Annotated[
        str | os.PathLike[str] | None,
        Option(
            meaning="a file with a column of groups: JSONL, TSV or CSV with the names of columns, or XML.",
            help="A file with the topics' titles and what else is told of them: INEX or TREC topics, TSV, CSV or "
            "JSONL.",
            group="Topics and ties",
            is_path=True,
            changes_values=False,
            not_on_spark="",
        ),
    ]
    checked: Annotated[
        Any,
        Option(
            meaning="people's judgments of some topics, drawn at random, if the judgments are a model's; they correct "
            "the values over topics, each with a confidence interval. Judgments of a sample, with strata, are single "
            "pairs of a topic and a document that people checked.",
            help="People's judgments of a random sample of topics, or of single pairs in the format sampled, which "
            "correct the values by a model's JUDGMENTS.",
            group="Topics and ties",
            is_path=True,
            changes_values=True,
            not_on_spark="people's judgments correct values on one machine only; leave out checked=",
        ),
    ]


def declared(options: type) -> dict[str, Option]:
    """The options that a class declares, by their names."""
    lines = {name: get_args(line) for name, line in options.__annotations__.items()}
    return {name: replace(option, name=name, type=type) for name, (type, option) in lines.items()}


# All options by their names: those of an evaluation, and those for groups of topics too.
OF_EVALUATION = declared(EvaluationOptions)
OPTIONS = declared(GroupedOptions)

# The old names of options.
NEW_NAMES = {option.formerly: name for name, option in OPTIONS.items() if option.formerly}


def with_new_names(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options by their present names; an old name and the new one together are refused."""
    if both := next((old for old in NEW_NAMES if old in given and NEW_NAMES[old] in given), None):
        raise UsageError(f"{both} is the old name of {NEW_NAMES[both]}; leave out {both}=")
    return {NEW_NAMES.get(name, name): value for name, value in given.items()}


def in_order_of_help(options: Iterable[Option]) -> list[Option]:
    """Options as the command line lists them, group by group."""
    return sorted(options, key=lambda option: GROUPS.index(option.group))


def of_evaluation(given: Mapping[str, Any]) -> EvaluationOptions:
    """Of the options that are given, those of an evaluation; what is not declared is refused."""
    refuse_unknown(given, OPTIONS)
    return cast(EvaluationOptions, {name: value for name, value in given.items() if name in OF_EVALUATION})


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """All options of an evaluation: those that are given, and the others by default."""
    refuse_unknown(given, OF_EVALUATION)
    return {name: given.get(name, option.default) for name, option in OF_EVALUATION.items()}


def refuse_unknown(given: Iterable[str], options: Mapping[str, Option]) -> None:
    """Only what is declared can be asked for."""
    if unknown := next((name for name in given if name not in options), None):
        raise TypeError(f"evaluate() got an unexpected keyword argument {unknown!r}")


def refuse_on_spark(given: Mapping[str, Any]) -> None:
    """Refuses what a cluster does not do, as the options declare."""
    for name, value in given.items():
        why = OPTIONS[name].not_on_spark if name in OPTIONS else ""
        if isinstance(why, Mapping):
            why = next((reason for refused, reason in why.items() if refused == value), "")
        elif not why or not OPTIONS[name].is_set(value):
            continue
        if why:
            raise UsageError(why)


def refuse_in_report(given: Mapping[str, Any]) -> None:
    """Refuses what a report does not show, as the options declare."""
    for name, value in given.items():
        if name in OPTIONS and (why := OPTIONS[name].not_in_report) and OPTIONS[name].is_set(value):
            raise UsageError(why)


# How functions that take options show them.

Function = TypeVar("Function", bound=Callable[..., Any])


def accepts_old_names(function: Function) -> Function:
    """Make a function understand the old names of its options."""

    @functools.wraps(function)
    def renaming(*arguments: Any, **options: Any) -> Any:
        return function(*arguments, **with_new_names(options))

    return cast(Function, renaming)


# Where a docstring tells what the options mean.
HERE = "{options}"
COLUMNS = 120


def shows(options: type, last: Collection[str] = ()) -> Callable[[Function], Function]:
    """Make a function that takes `**options: Unpack[...]` show each of them, with its type and its default, in its
    signature, and its meaning in its docstring; it understands their old names too. last: its own parameters that
    follow them.
    """

    def shown(function: Function) -> Function:
        function = accepts_old_names(function)
        known, signature = declared(options), inspect.signature(function)
        only = inspect.Parameter.KEYWORD_ONLY
        named = [
            inspect.Parameter(name, only, default=option.default, annotation=option.type)
            for name, option in known.items()
        ]
        own = list(signature.parameters.values())
        # other names are left to what is called with them
        others = [each for each in own if each.kind is each.VAR_KEYWORD and "Unpack" not in str(each.annotation)]
        before = [each for each in own if each.kind is not each.VAR_KEYWORD and each.name not in last]
        after = [each for each in own if each.name in last]
        together = signature.replace(parameters=[*before, *named, *after, *others])
        function.__signature__ = together  # type: ignore[attr-defined]
        if function.__doc__:
            function.__doc__ = function.__doc__.replace(f"    {HERE}", meanings(known))
        return function

    return shown


def meanings(options: Mapping[str, Option]) -> str:
    """What options mean, as lines of a docstring."""
    indent = " " * 4
    return "\n".join(
        textwrap.fill(
            f"{name}: {option.meaning}",
            COLUMNS,
            initial_indent=indent,
            subsequent_indent=indent,
            break_on_hyphens=False,
        )
        for name, option in options.items()
    )

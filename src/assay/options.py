"""The options of an evaluation, each declared once.

The signatures of `assay.evaluate` and of the other functions that evaluate, the options of the commands, saved scores,
the report, and what a cluster refuses all derive from these declarations. This module imports nothing heavy, so that
`assay evaluate --help` starts fast.
"""

import functools
import inspect
import os
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Protocol, TypedDict, TypeVar, Union, cast, get_args, get_origin

from assay import vocabulary
from assay.errors import UsageError

# The groups of options, in the order of the help.
OptionGroup = Literal[
    "Measures", "Topics and ties", "Text and overlap", "Documents", "Reading files", "INEX", "Output", "Cluster"
]
GROUPS: tuple[OptionGroup, ...] = get_args(OptionGroup)


@dataclass(eq=False, repr=False, kw_only=True)
class Option:
    """The declaration of an option; its name and type come from the line that declares it.

    meaning: what it does, for Python. help: the same for the command line.
    changes_values: whether it changes values in a way that the judgments, the documents and the measures do not show.
    Saved scores remember such an option, and are compared only if it is the same. always_saved: save it even if it is
    not given.
    not_on_spark: why a cluster refuses it, or a dict from the values that it refuses to the reasons; empty if a cluster
    supports it.
    not_in_report: why a report refuses it. label: its name in the report, which lists it with its value.
    ceiling: whether `assay.ceiling` takes it too. formerly: its old name, which still works.

    On the command line it is called `flag`, or else its own name with hyphens. It takes one of the choices, or a value
    of its type; any_case: in any case of letters, and with or without hyphens. at_least, at_most: bounds of a number.
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
        """The words to choose from; empty if other values are allowed."""
        return get_args(self.plain_type) if get_origin(self.plain_type) is Literal else self.choices

    @property
    def typed(self) -> str:
        """The option as it is typed on the command line."""
        return self.flag or f"--{self.name.replace('_', '-')}"

    @property
    def formerly_typed(self) -> str:
        """The old name as it is typed on the command line."""
        return f"--{self.formerly.replace('_', '-')}"

    def is_set(self, value: object) -> bool:
        """Tell whether a value differs from the default."""
        return value is not None and value != self.default


class HasVocabulary(Protocol):
    """A tokenizer of Hugging Face's tokenizers."""

    def to_str(self) -> str:
        """Return the whole tokenizer as JSON."""


class HasFastTokenizer(Protocol):
    """A fast tokenizer of Hugging Face's transformers."""

    @property
    def backend_tokenizer(self) -> HasVocabulary:
        """The tokenizer inside."""


# The quantisations of each scale, as the help of --quant lists them.
SCALES = "; of ".join(f"{year}: {', '.join(names)}" for year, names in vocabulary.QUANTISATIONS.items()).replace(
    "gen,", "gen (default),", 1
)


class EvaluationOptions(TypedDict, total=False):
    """The options of an evaluation, in the order of the Python signature."""

    documents: Annotated[
        Any,
        Option(
            meaning="the texts: a folder, an archive or a JSONL file, a dict from ids to texts, or objects "
            "with an id and a text each. Needed to look up element paths, lengths or the offsets of "
            "texts.",
            help="The documents: a folder, an archive or a JSONL file. Needed to look up element paths, "
            "lengths or texts.",
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
            meaning="the table of all chunks, if runs return chunk ids: the id, document, start and end of "
            "each chunk, or its id and its text, which Assay finds in the documents. A file, a frame, "
            "a list of records or objects, a dict from ids to records or texts, or a dict from the "
            "names of runs to such tables.",
            help="The table of all chunks, if runs return chunk ids: the id, document, start and end of each "
            "chunk, or its id and its text. RUN=FILE is the table of one run; repeatable.",
            group="Documents",
            metavar="[RUN=]FILE",
            is_repeatable=True,
            changes_values=False,
            not_on_spark="a cluster cannot look up chunk ids; leave out chunks=, and write the document, start "
            "and end of each chunk into the run",
        ),
    ]
    ties: Annotated[
        vocabulary.Ties,
        Option(
            default="docno",
            meaning="the order of equal scores: docno (by document id, like trec_eval), input, rank, or "
            "expected (the mean over all orders of tied results).",
            help="Order equal scores by document id (like trec_eval), by input order or by the rank column, or "
            "take the mean over all orders.",
            group="Topics and ties",
            changes_values=True,
            always_saved=True,
            not_on_spark={
                "input": "rows on a cluster have no input order; choose from docno, rank and expected for ties"
            },
        ),
    ]
    overlap: Annotated[
        vocabulary.Overlap | None,
        Option(
            meaning="if results overlap: paid (repeated text uses up the budget but earns nothing), new (only "
            "new text counts, as if results were merged before reading), drop (leave out the later "
            "result), or reject (refuse the run).",
            help="If results overlap: repeated text uses up the budget but earns nothing (paid, the default), "
            "only new text counts, the later result is left out, or the run is refused (most tasks).",
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
            meaning="a task of INEX: its measures are used if none are given, and runs must follow its rules.",
            help="A task of INEX: its measures, if none are given, and its rules for runs. For highlighted text: "
            f"{', '.join(vocabulary.TEXT_TASKS)}; for assessed elements: {', '.join(vocabulary.ELEMENT_TASKS)}.",
            group="INEX",
            choices=(*vocabulary.TEXT_TASKS, *vocabulary.ELEMENT_TASKS),
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
            meaning="report the measures of this year of INEX, 2007 to 2010, for a task of highlighted text. "
            "By default relevant-in-context and best-in-context follow 2008 and 2009.",
            help="Report the measures of this year of INEX, for a task of highlighted text. By default "
            "relevant-in-context and best-in-context follow 2008 and 2009.",
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
            meaning="the quantisations to report, for a task of 2005.",
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
            meaning="the penalty for text that was seen before, for a task of 2005: from 1 (it is worth "
            "nothing) to 0 (it counts in full).",
            help="Penalty for text that was seen before, for a task of 2005: from 1 (it is worth nothing, the "
            "default) to 0 (it counts in full).",
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
            meaning="the pools that count, for a folder of assessments.",
            help="The pools that count, for a folder of assessments; for example 275,297.",
            group="INEX",
            changes_values=False,
            not_on_spark="",
            label="Pools",
        ),
    ]
    topics: Annotated[
        vocabulary.Topics,
        Option(
            default="judged",
            meaning="which topics count: judged (all with judgments; a topic missing from the run scores 0), "
            "relevant (with anything relevant), common (also in the run), or error (refuse a run whose "
            "topics differ).",
            help="Topics that count: all judged topics, topics with anything relevant, or topics also in the "
            "run; or refuse a run whose topics differ.",
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
            meaning="use only the first results of each topic, up to this number.",
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
            meaning="leave out unjudged results before measuring.",
            help="Leave out unjudged results before measuring (condensed lists).",
            group="Topics and ties",
            changes_values=True,
            always_saved=True,
            not_on_spark="",
        ),
    ]
    texts: Annotated[
        vocabulary.Texts,
        Option(
            default="check",
            meaning="what to do with texts of rows, if documents are given: check (find texts without offsets "
            "and compare the others; a text that is not at its offsets counts where it is, and if more "
            "than a tenth cannot be found the file is refused), locate (find all texts and ignore "
            "offsets), drop (the same, and leave out texts that are not found), or ignore.",
            help="What to do with texts of rows, if documents are given: compare them with their offsets, find "
            "them whatever the offsets say, find them and leave out those that are missing, or ignore "
            "them.",
            group="Text and overlap",
            changes_values=True,
            always_saved=True,
            not_on_spark="",
            ceiling=True,
        ),
    ]
    whitespace: Annotated[
        vocabulary.Whitespace,
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
        vocabulary.Duplicates,
        Option(
            default="refuse",
            meaning="if a document is retrieved twice for a topic, for example by chunks with the id of their "
            "document: refuse, first (count its first row), or best (count the row with the best "
            "score). In an evaluation, the last two apply to chunks with the same offsets, too.",
            help="If a document is retrieved twice for a topic, for example by its chunks: refuse the run, "
            "count its first row, or count the row with the best score. The last two apply to chunks with the same "
            "offsets, too.",
            group="Topics and ties",
            changes_values=True,
            not_on_spark="",
        ),
    ]
    annotators: Annotated[
        str | None,
        Option(
            meaning="if judgments have a column annotator: mean (of the values against each annotator of a "
            "topic), best, union (all evidence together), or the name of one annotator. If judgments "
            "have a column set, the best set of a topic counts.",
            help="If several annotators judged: take the mean of the values against each (default), the best "
            "value, all evidence together, or one annotator.",
            group="Topics and ties",
            metavar=f"[{'|'.join(vocabulary.ANNOTATORS)}|NAME]",
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
            meaning="count a verbatim copy of the evidence, anywhere in the documents, as the evidence. A "
            "character of it counts once, wherever it is read first.",
            help="Count verbatim copies of the evidence, anywhere in the --documents, as the evidence.",
            group="Text and overlap",
            changes_values=True,
            not_on_spark="a cluster cannot find copies of the evidence; leave out copies=",
            not_in_report="a report shows the evidence only at its own offsets; leave out copies=",
            ceiling=True,
        ),
    ]
    format: Annotated[
        str | None,
        Option(
            meaning="the format of all files, if Assay should not recognise it from their content.",
            help="Format of all files; recognised from their content by default.",
            group="Reading files",
            choices=vocabulary.FORMATS,
            changes_values=False,
            not_on_spark="",
            label="Format of the files",
            ceiling=True,
        ),
    ]
    columns: Annotated[
        Mapping[str, str] | None,
        Option(
            meaning='the column that holds a field, if its name is not a usual one, for example {"document": '
            '"chunk_id"}; a path leads into objects, for example {"text": "metadata.window"}.',
            help="The column that holds a field, if its name is not a usual one, for example document=chunk_id "
            "or text=metadata.window; repeatable.",
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
            meaning="for measures such as R(tokens=500) and P(unit=token)@5, which need documents too: words "
            "(split on whitespace; a language model counts more), chars:4 (every 4 characters, an "
            "estimate; or another number), a Hugging Face tokenizer.json, tiktoken:NAME, a "
            "tokenizers.Tokenizer, a PreTrainedTokenizerFast, or a function that returns the (start, "
            "end) of each token of a text. A token belongs to the text in which it ends.",
            help="Tokenizer for R(tokens=500) or P(unit=token)@5: words (split on whitespace), chars:4 (every "
            "4 characters, an estimate), a Hugging Face tokenizer.json, or tiktoken:NAME.",
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
            meaning="show a value for each group of topics too: a dict from topics to groups, or a column of "
            "the topics_file, for example corpus_id.",
            help="Show a row for each group of topics, by this column of the --topics-file.",
            group="Topics and ties",
            metavar="COLUMN",
            changes_values=False,
            not_on_spark="",
        ),
    ]
    topics_file: Annotated[
        str | os.PathLike[str] | None,
        Option(
            meaning="a file of topics with a column of groups: JSONL, TSV or CSV with column names, or XML.",
            help="A file with the titles of topics and other columns: INEX or TREC topics, TSV, CSV or JSONL.",
            group="Topics and ties",
            is_path=True,
            changes_values=False,
            not_on_spark="",
        ),
    ]
    checked: Annotated[
        Any,
        Option(
            meaning="people's judgments of randomly drawn topics, if a model made the judgments; they correct "
            "the means and give each a confidence interval. Judgments in the format sampled are single "
            "pairs of topic and document that people checked.",
            help="People's judgments of randomly drawn topics, or of single pairs in the format sampled; they "
            "correct values that are based on a model's JUDGMENTS.",
            group="Topics and ties",
            is_path=True,
            changes_values=True,
            not_on_spark="a cluster cannot correct values by people's judgments; leave out checked=",
        ),
    ]


@functools.cache
def declared_options(options: type) -> dict[str, Option]:
    """Return the options that a class declares, by name."""
    lines = {name: get_args(line) for name, line in options.__annotations__.items()}
    return {name: replace(option, name=name, type=type) for name, (type, option) in lines.items()}


# All options by name: first those of every evaluation, then also those for groups of topics.
OF_EVALUATION = declared_options(EvaluationOptions)
OPTIONS = declared_options(GroupedOptions)

# The new name of each option that was renamed, by its old name.
NEW_NAMES = {option.formerly: name for name, option in OPTIONS.items() if option.formerly}


def with_new_names(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options under their new names; refuse an old name together with its new one."""
    if both := next((old for old in NEW_NAMES if old in given and NEW_NAMES[old] in given), None):
        raise UsageError(f"{both} is the old name of {NEW_NAMES[both]}; leave out {both}=")
    return {NEW_NAMES.get(name, name): value for name, value in given.items()}


def in_order_of_help(options: Iterable[Option]) -> list[Option]:
    """Sort options as the help lists them, group by group."""
    return sorted(options, key=lambda option: GROUPS.index(option.group))


def of_evaluation(given: Mapping[str, Any]) -> EvaluationOptions:
    """Return the options that every evaluation takes, without those for groups; refuse undeclared options."""
    refuse_unknown(given, OPTIONS)
    return cast(EvaluationOptions, {name: value for name, value in given.items() if name in OF_EVALUATION})


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options of an evaluation, with the defaults of those that are not given."""
    refuse_unknown(given, OF_EVALUATION)
    return {name: given.get(name, option.default) for name, option in OF_EVALUATION.items()}


def refuse_unknown(given: Iterable[str], options: Mapping[str, Option]) -> None:
    """Refuse options that are not declared."""
    if unknown := next((name for name in given if name not in options), None):
        if unknown in OPTIONS:
            raise UsageError(f"{unknown}= does not apply here; pass it to assay.evaluate")
        raise TypeError(f"evaluate() got an unexpected keyword argument {unknown!r}")


def refuse_on_spark(given: Mapping[str, Any]) -> None:
    """Refuse options that a cluster does not support, with the reason that they declare."""
    for name, value in given.items():
        why = OPTIONS[name].not_on_spark if name in OPTIONS else ""
        if isinstance(why, Mapping):
            why = next((reason for refused, reason in why.items() if refused == value), "")
        elif not why or not OPTIONS[name].is_set(value):
            continue
        if why:
            raise UsageError(why)


def refuse_in_report(given: Mapping[str, Any]) -> None:
    """Refuse options that a report does not support, with the reason that they declare."""
    for name, value in given.items():
        if name in OPTIONS and (why := OPTIONS[name].not_in_report) and OPTIONS[name].is_set(value):
            raise UsageError(why)


# How functions show their options in their signatures and docstrings.

Function = TypeVar("Function", bound=Callable[..., Any])


def accepts_old_names(function: Function) -> Function:
    """Make a function understand the old names of its options, and name itself if an option is unknown."""

    @functools.wraps(function)
    def renaming(*arguments: Any, **options: Any) -> Any:
        given = with_new_names(options)
        if not given.keys() <= OPTIONS.keys():
            refuse_undeclared(renaming, [name for name in given if name not in OPTIONS])
        return function(*arguments, **given)

    return cast(Function, renaming)


def refuse_undeclared(function: Callable[..., Any], given: Iterable[str]) -> None:
    """Refuse keywords that are not in the signature of a function, unless it passes all keywords on to another."""
    parameters = inspect.signature(function).parameters
    unknown = next((name for name in given if name not in parameters), None)
    if unknown is None or any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return
    from difflib import get_close_matches

    meant = "".join(f"; did you mean {name}=?" for name in get_close_matches(unknown, parameters, 1))
    name = function.__qualname__.removesuffix(".__init__")
    raise TypeError(f"{name}() got an unexpected keyword argument {unknown!r}{meant}")


# A docstring has this where the meanings of the options belong.
HERE = "{options}"
COLUMNS = 120


def shows(options: type, last: Collection[str] = ()) -> Callable[[Function], Function]:
    """Make a function that takes `**options: Unpack[...]` show the options in its signature and docstring.

    The signature shows the type and the default of each option, and the docstring its meaning. The function also
    accepts old names of options. last: parameters of the function itself that follow the options.
    """

    def shown(function: Function) -> Function:
        function = accepts_old_names(function)
        signature = inspect.signature(function)
        own = list(signature.parameters.values())
        # `**options: Any` stays in the signature: the function passes these on to another, which checks them
        others = [each for each in own if each.kind is each.VAR_KEYWORD and "Unpack" not in str(each.annotation)]
        before = [each for each in own if each.kind is not each.VAR_KEYWORD and each.name not in last]
        after = [each for each in own if each.name in last]
        together = signature.replace(parameters=[*before, *parameters_of(options), *after, *others])
        function.__signature__ = together  # type: ignore[attr-defined]
        if function.__doc__:
            function.__doc__ = function.__doc__.replace(f"    {HERE}", meanings(options))
        return function

    return shown


@functools.cache
def parameters_of(options: type) -> list[inspect.Parameter]:
    """Return options as keyword parameters of a signature."""
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=option.type)
        for name, option in declared_options(options).items()
    ]


def meanings(options: type) -> str:
    """Return the meanings of options, as lines of a docstring."""
    return "\n".join(meaning_lines(name, option.meaning) for name, option in declared_options(options).items())


@functools.cache
def meaning_lines(name: str, meaning: str) -> str:
    """Return the meaning of one option, as lines of a docstring."""
    indent = " " * 4
    return textwrap.fill(
        f"{name}: {meaning}", COLUMNS, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )

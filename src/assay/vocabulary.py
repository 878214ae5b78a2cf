"""The words of the program, each list once: what the library understands and the command line offers.

Nothing of Assay is imported here, so that the words can be known before anything is loaded: `assay --help` needs no
more.
"""

from typing import Literal, get_args

# The measures by family: each family is a module of measures/, loaded when one of its measures is asked for.
FAMILIES = {
    "ranked": ("AP", "GMAP", "RR", "Rprec", "YAAP"),
    "levels": ("IPrec", "IPrec11"),
    "pooled": ("bpref", "GMbpref", "infAP"),
    "sampled_pools": ("xinfAP", "statAP", "infNDCG", "infP"),
    "graded": ("nDCG", "DCG", "nCG", "ERR", "RBP", "RBPresidual", "Compatibility", "nDCGrel", "RnDCG", "G", "binG"),
    "blended": ("Q",),
    "user_models": ("INST", "INSTresidual", "INSQ", "INSQresidual", "BPM", "BPMresidual", "SDCG", "SDCGresidual"),
    "diversity": (
        "alpha_nDCG",
        "alpha_DCG",
        "ERR_IA",
        "nERR_IA",
        "NRBP",
        "nNRBP",
        "AP_IA",
        "P_IA",
        "StRecall",
    ),
    "sets": ("P", "R", "F", "IoU", "Success", "SetP", "SetR", "SetF", "SetAP", "RelativeP", "Accuracy", "Utility"),
    "counts": ("Judged", "Unjudged", "NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonRelJudgedRet"),
    "focused": ("iP", "AiP", "gP", "gR", "AgP"),
    "facts": ("FactRecall",),
    "budgets": ("Redundancy", "Budget", "RecallArea"),
    "best_entry_point": ("BEP", "Window", "T2I"),
    "passages": ("PASSAGE", "PASSAGE2", "ASPECT"),
    "published": (
        "ChromaRecall",
        "ChromaPrecision",
        "ChromaIoU",
        "ChromaOmega",
        "LegalBenchPrecision",
        "LegalBenchRecall",
        "KILTRprec",
        "KILTRecall",
        "HotpotEM",
        "HotpotF1",
        "QASPERF1",
    ),
    "snippets": ("BioASQPrecision", "BioASQRecall", "BioASQF1", "BioASQAP"),
    "ragas_contexts": ("RagasPrecision", "RagasRecall", "RagasTextPrecision", "RagasTextRecall"),
    "xcg": ("nxCG", "MAnxCG", "CG", "ep", "gr", "Aep", "iAep", "Rmeasure"),
    "precall": ("inex2002", "inex2003"),
}

# The order of equal scores: by document id as trec_eval, as in the file, by the rank column, or left open.
Ties = Literal["docno", "input", "rank", "expected"]
TIES: tuple[Ties, ...] = get_args(Ties)
# Results that overlap an earlier one: read again and paid for, only new text counts, left out, refused.
Overlap = Literal["paid", "new", "drop", "reject"]
OVERLAPS: tuple[Overlap, ...] = get_args(Overlap)
# A result that does not fit into what is left of a budget: it is cut there, reading stops before it, or it is skipped.
Fit = Literal["cut", "stop", "skip"]
FITS: tuple[Fit, ...] = get_args(Fit)
# A document that stands in a topic again: refused, or the first row of it counts, or the one with the best score.
Duplicates = Literal["refuse", "first", "best"]
DUPLICATES: tuple[Duplicates, ...] = get_args(Duplicates)
# What measures: this machine, or a Spark cluster.
ENGINES = ("local", "spark")
# The topics that count: all judged, those with anything relevant, those also in the run; or differences are refused.
Topics = Literal["judged", "relevant", "common", "error"]
TOPICS: tuple[Topics, ...] = get_args(Topics)

# Where rows have a text: it is compared with the documents, counted where it stands there, or that and left out where
# it does not stand, or not looked at.
Texts = Literal["check", "locate", "drop", "ignore"]
TEXTS: tuple[Texts, ...] = get_args(Texts)
# Whitespace, which splitters strip, counts as other characters do, or not.
Whitespace = Literal["count", "ignore"]
WHITESPACE: tuple[Whitespace, ...] = get_args(Whitespace)

# Where several annotators judged: the mean over them, the best, or all of them as one; or the name of one.
ANNOTATORS = ("mean", "best", "union")

# What names a run: its file, or the tag in it.
RUN_NAMES = ("file", "tag")

# What a file holds, and how.
FileKind = Literal["run", "judgments"]
FILE_KINDS: tuple[FileKind, ...] = get_args(FileKind)
# The formats, a line each: a module of reading/formats/ has its name, and is loaded when the format is asked for. To
# recognise a file they are asked from the last to the first, which takes what no other knows.
FORMATS = (
    "trec",
    "sampled",
    "fol",
    "elements",
    "inex",
    "genomics",
    "spans",
    "csv",
    "tsv",
    "jsonl",
    "json",
    "doccano",
    "label_studio",
    "ragas",
    "clapnq",
    "legalbench",
    "squad",
    "chroma",
    "brat",
    "kilt",
    "hotpot",
    "qasper",
    "bioasq",
    "nuggets",
    "trec_rag",
    "web_annotation",
    "study",
    "parquet",
)

# The tasks of INEX: of highlighted text, 2007 to 2010, and of assessed elements, 2005.
TEXT_TASKS = (
    "focused",
    "thorough",
    "relevant-in-context",
    "best-in-context",
    "restricted-focused",
    "restricted-relevant-in-context",
)
ELEMENT_TASKS = (
    "CO.Focussed",
    "COS.Focussed",
    "CO.Thorough",
    "COS.Thorough",
    "CO.FetchBrowse",
    "COS.FetchBrowse",
    "SSCAS",
    "SVCAS",
    "VSCAS",
    "VVCAS",
)


def letters(name: str) -> str:
    """The letters and digits of a name, small: `RelevantInContext` and `relevant-in-context` have the same."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


# What the grades of assessed elements are worth, by the scale of the grades.
QUANTISATIONS = {"2005": ("strict", "gen", "genLifted"), "2003": ("strict", "gen", "sog")}
# How the ideal recall-base is chosen: by quantised score, or by specificity and then exhaustivity.
RECALL_BASE_RULES = ("2005", "2004")

TESTS = ("randomisation", "bootstrap", "t", "wilcoxon", "sign", "tukey", "random-tukey")
# The tests of a gate: those that compare means of a pair.
GATE_TESTS = ("randomisation", "bootstrap", "t")
CORRECTIONS = ("holm", "bonferroni", "bh", "none")
# The marks of differences from a baseline.
MARKS = ("arrows", "daggers")
# What a table beside a baseline shows of each measure.
PaperColumn = Literal["value", "mark", "percent", "wins", "p"]
PAPER_COLUMNS: tuple[PaperColumn, ...] = get_args(PaperColumn)
COEFFICIENTS = ("tau-b", "tau-ap", "rbo", "pearson", "spearman")

# How runs are fused, by ranks or by scores; and how scores are made comparable before.
Fusion = Literal["rrf", "combsum", "combmnz", "combanz", "combmed", "isr", "rbc", "borda", "condorcet"]
FUSIONS: tuple[Fusion, ...] = get_args(Fusion)
Normalisation = Literal["min-max", "z", "sum", "rank", "none"]
NORMALISATIONS: tuple[Normalisation, ...] = get_args(Normalisation)

# What a comparison shows: each pair, each run beside a baseline, a triangle of stars, a table with letters, topics
# needed, or who is the best.
VIEWS = ("pairs", "baseline", "stars", "letters", "needed", "best")

# How a pool is fused, in which order its documents are judged while people judge, and what these are asked for.
POOL_FUSIONS = ("rrf", "combmnz", "rbp")
LIVE_ORDERS = ("mtf", "mm-ns")
STUDY_MODES = ("highlight", "exhaustivity", "grades", "questions")

# Why a fact was not read, in the order in which it is asked; and the stages of a pipeline that can lose one.
CAUSES = ("no chunk", "document not returned", "not returned", "too low", "cut", "list ended")
STAGES = ("not in the corpus", "no chunk", "not a candidate", "reranked away", "beyond the budget")

# What a judgment says whose grade a model or a person could not tell: it is negative, as of all that is not judged.
UNSCORED = -999
# What stands for a grade that people still have to give; it is refused where grades are read.
TO_JUDGE = "?"
# Words for grades, as TREC's RAG track has them: whether a passage supports a sentence or a nugget, and how important a
# nugget is. The numbers are what the track adds up.
GRADE_WORDS: dict[str, float] = {
    "support": 1, "full_support": 1, "partial_support": 0.5, "not_support": 0, "no_support": 0,
    "vital": 1, "okay": 0.5,
    "unscored": UNSCORED, "failed": UNSCORED,
}  # fmt: skip

# How tables are printed, and how runs are drawn.
LAYOUTS = ("text", "tsv", "csv", "json", "md", "latex", "html")
CHARTS = (
    "curve",
    "budget",
    "means",
    "forest",
    "differences",
    "distribution",
    "topic-heatmap",
    "scatter",
    "heatmap",
    "history",
)
THEMES = ("light", "dark")
# Who people are in a study of documents that are judged.
ROLES = ("assessor", "organiser")

"""The words that users can type, each list once: the library understands them, and the command line offers them.

This module imports nothing of Assay, so that `assay --help` starts fast.
"""

from typing import Literal, get_args

# The measures by family. Each family is a module of measures/, which Assay loads when one of its measures is used.
FAMILIES = {
    "ranked": ("AP", "GMAP", "RR", "Rprec", "YAAP", "PairAccuracy"),
    "levels": ("IPrec", "IPrec11"),
    "pooled": ("bpref", "GMbpref", "infAP"),
    "sampled_pools": ("xinfAP", "statAP", "infNDCG", "infP"),
    "graded": ("nDCG", "DCG", "nCG", "ERR", "RBP", "RBPresidual", "Compatibility", "nDCGrel", "RnDCG", "G", "binG"),
    "blended": ("Q",),
    "user_models": (
        "INST",
        "INSTresidual",
        "INSQ",
        "INSQresidual",
        "BPM",
        "BPMresidual",
        "SDCG",
        "SDCGresidual",
        "NERR8",
        "NERR9",
        "NERR10",
        "NERR11",
    ),
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

# How to order equal scores: by document id (like trec_eval), by input order or by the rank column; or take the mean
# over all orders.
Ties = Literal["docno", "input", "rank", "expected"]
TIES: tuple[Ties, ...] = get_args(Ties)
# If results overlap: repeated text uses up the budget but earns nothing, only new text counts, the later result is left
# out, or the run is refused.
Overlap = Literal["paid", "new", "drop", "reject"]
OVERLAPS: tuple[Overlap, ...] = get_args(Overlap)
# If a result does not fit into the rest of a budget: cut it, stop reading before it, or skip it.
Fit = Literal["cut", "stop", "skip"]
FITS: tuple[Fit, ...] = get_args(Fit)
# If a document is retrieved twice for a topic: refuse the run, count its first row, or the row with the best score.
Duplicates = Literal["refuse", "first", "best"]
DUPLICATES: tuple[Duplicates, ...] = get_args(Duplicates)
# Where to measure: on this machine, or on a Spark cluster.
ENGINES = ("local", "spark")
# Which topics count: all judged topics, topics with anything relevant, or topics also in the run; or refuse a run whose
# topics differ.
Topics = Literal["judged", "relevant", "common", "error"]
TOPICS: tuple[Topics, ...] = get_args(Topics)

# What to do with texts of rows, if documents are given: compare them with their offsets, find them whatever the offsets
# say, find them and leave out those that are missing, or ignore them.
Texts = Literal["check", "locate", "drop", "ignore"]
TEXTS: tuple[Texts, ...] = get_args(Texts)
# Count whitespace like other characters, or ignore it because splitters strip it.
Whitespace = Literal["count", "ignore"]
WHITESPACE: tuple[Whitespace, ...] = get_args(Whitespace)

# If several annotators judged: the mean of the values against each, the best value, or all evidence together. The name
# of one annotator works too.
ANNOTATORS = ("mean", "best", "union")

# A run has the name of its file, or the tag in it.
RUN_NAMES = ("file", "tag")

# What a file contains.
FileKind = Literal["run", "judgments"]
FILE_KINDS: tuple[FileKind, ...] = get_args(FileKind)
# The formats of files. Each is a module of reading/formats/ with the same name, which Assay loads when it needs the
# format. To recognise a file, Assay tries the formats from the last to the first; trec takes files that no other format
# recognises.
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
# The formats that Assay can write.
FORMATS_OF_RUNS = ("trec", "fol", "elements", "inex", "genomics", "spans", "csv", "tsv", "jsonl", "parquet")
FORMATS_TO_WRITE = tuple(name for name in FORMATS if name in (*FORMATS_OF_RUNS, "sampled", "label_studio", "squad"))

# The tasks of INEX: for highlighted text (2007 to 2010) and for assessed elements (2005).
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
    """Return the lower-case letters and digits of a name: `RelevantInContext` and `relevant-in-context` agree."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


# The quantisations, which turn the grades of assessed elements into a value, by the year of the grade scale.
QUANTISATIONS = {"2005": ("strict", "gen", "genLifted"), "2003": ("strict", "gen", "sog")}
# How the ideal recall-base is chosen: by quantised score, or by specificity and then exhaustivity.
RECALL_BASE_RULES = ("2005", "2004")

TESTS = ("randomisation", "bootstrap", "t", "wilcoxon", "sign", "tukey", "random-tukey")
# The tests that a gate offers: those that compare the means of a pair.
GATE_TESTS = ("randomisation", "bootstrap", "t")
CORRECTIONS = ("holm", "bonferroni", "bh", "none")
# How to mark significant differences from a baseline.
MARKS = ("arrows", "daggers")
# The columns of each measure in a table that compares systems with a baseline.
PaperColumn = Literal["value", "mark", "percent", "wins", "p"]
PAPER_COLUMNS: tuple[PaperColumn, ...] = get_args(PaperColumn)
COEFFICIENTS = ("tau-b", "tau-ap", "rbo", "pearson", "spearman")

# The methods that fuse runs, by ranks or by scores, and how scores are normalised first.
Fusion = Literal["rrf", "combsum", "combmnz", "combanz", "combmed", "isr", "rbc", "borda", "condorcet"]
FUSIONS: tuple[Fusion, ...] = get_args(Fusion)
Normalisation = Literal["min-max", "z", "sum", "rank", "none"]
NORMALISATIONS: tuple[Normalisation, ...] = get_args(Normalisation)

# What `assay compare --show` prints: each pair, each run beside a baseline, a triangle of stars, a table with letters,
# how many topics each pair needs, or the chance of each run to be the best.
VIEWS = ("pairs", "baseline", "stars", "letters", "needed", "best")

# How runs are fused into a pool, how Assay chooses the next document while people judge, and what assessors do.
POOL_FUSIONS = ("rrf", "combmnz", "rbp")
LIVE_ORDERS = ("mtf", "mm-ns")
STUDY_MODES = ("highlight", "exhaustivity", "grades", "questions")

# Why a fact was not read, in the order in which Assay checks; and the stages of a pipeline that can lose a fact.
CAUSES = ("no chunk", "document not returned", "not returned", "too low", "cut", "list ended")
STAGES = ("not in the corpus", "no chunk", "not a candidate", "reranked away", "beyond the budget")

# The grade of a judgment if a model or a person could not decide. It is negative, so the document counts as unjudged.
UNSCORED = -999
# The placeholder for a grade that people still have to fill in; readers refuse it.
TO_JUDGE = "?"
# Words for grades in TREC's RAG track: whether a passage supports a sentence or a nugget, and how important a nugget
# is. The track adds up these numbers.
GRADE_WORDS: dict[str, float] = {
    "support": 1, "full_support": 1, "partial_support": 0.5, "not_support": 0, "no_support": 0,
    "vital": 1, "okay": 0.5,
    "unscored": UNSCORED, "failed": UNSCORED,
}  # fmt: skip

# The layouts of tables, and the kinds of charts.
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
# The roles of people in a study.
ROLES = ("assessor", "organiser")

"""Reading assessed elements: grades mean the same in every dialect of 2002 to 2007, and so do paths however they are
spelt."""

from __future__ import annotations

import bz2
import gzip

import polars as pl
import pytest

import assay
from assay.documents.lookup import Documents
from assay.evaluation.tasks import GRADED
from assay.reading.read import read_judgments
from assay.tables.judgments import ElementJudgments
from helpers.commands import invoke
from helpers.files import written

pytestmark = pytest.mark.usefixtures("folder")
TOO_SMALL, UNKNOWN = -1, -1


def elements(judgments) -> dict[tuple[str, str, str], tuple[int, float, int]]:
    """Exhaustivity, specificity and size of each element, by topic, document and path."""
    pairs = list(zip(judgments.topic.texts(), judgments.document.texts(), strict=True))
    found = judgments.elements
    grades = zip(found.exhaustivity.tolist(), found.specificity.tolist(), found.size.tolist(), strict=True)
    return {(*pairs[row], path): grade for row, path, grade in zip(found.row.tolist(), found.path, grades, strict=True)}


def read(content: str | bytes, **options):
    return elements(read_judgments(written(content, "assessments.xml"), **options))


def assessments(*files: str, topic: str = "1", more: str = "") -> str:
    return f'<assessments topic="{topic}"{more}>\n' + "\n".join(files) + "\n</assessments>\n"


def file(*parts: str, name: str = "d") -> str:
    return f'<file name="{name}">' + "".join(parts) + "</file>"


def element(path: str, e: str = "2", size: int = 10, rsize: int = 5) -> str:
    return f'<element path="{path}" exhaustivity="{e}" size="{size}" rsize="{rsize}"/>'


# 2002 to 2004

THREE = {
    ("7", "co/2000/r7108", "/article[1]"): (3, 1.0, UNKNOWN),
    ("7", "co/2000/r7108", "/article[1]/bdy[1]/sec[2]"): (2, 3.0, UNKNOWN),
    ("7", "co/2000/r7108", "/article[1]/bdy[1]/sec[3]"): (0, 0.0, UNKNOWN),
}
OF_2002 = """<?xml version="1.0"?>
<assessments topic="7">
<file file="co/2000/r7108">
<path path="/article[1]" relevance="3" coverage="S"/>
<path path="/article[1]/bdy[1]/sec[2]" relevance="2" coverage="E"/>
<path path="/article[1]/bdy[1]/sec[3]" relevance="0" coverage="N"/>
</file>
</assessments>
"""
OF_2003 = """<assessments topic="7" status="done">
<file file="co/2000/r7108">
<path path="/article[1]" exhaustiveness="3" specificity="1"/>
<path path="/article[1]/bdy[1]/sec[2]" exhaustiveness="2" specificity="3"/>
<path path="/article[1]/bdy[1]/sec[3]" exhaustiveness="0" specificity="0"/>
</file>
</assessments>
"""
DIALECTS = {
    "2002": OF_2002,
    "2002, small letters": OF_2002.replace('"S"', '"s"').replace('"E"', '"e"').replace('"N"', '"n"'),
    "2003": OF_2003,
    "2004": OF_2003.replace('"', "'"),
    "a name for a file": OF_2003.replace("<file file=", "<file collection='ieee' name="),
    "a name that ends in .xml": OF_2003.replace("r7108", "r7108.xml"),
    "elements instead of paths": OF_2003.replace("<path ", "<element "),
    "exhaustivity": OF_2003.replace("exhaustiveness", "exhaustivity"),
    "blanks": OF_2003.replace('"3"', '" 3 "').replace('topic="7"', 'topic=" 7 "'),
    "steps without numbers": OF_2003.replace("article[1]", "article").replace("bdy[1]", "bdy"),
    "a prefix": OF_2003.replace("/article[1]", "/ieee:article[1]"),
    "an element twice, alike": OF_2003.replace(
        "</file>", '<path path="/article" exhaustiveness="3" specificity="1"/></file>'
    ),
    "other things in a file": OF_2003.replace("</file>", "<comment>long</comment></file>"),
    "a type of document": '<!DOCTYPE assessments SYSTEM "http://localhost/assessments.dtd">\n' + OF_2003,
    "Latin letters": ('<?xml version="1.0" encoding="ISO-8859-1"?><!-- \xe9 -->' + OF_2003).encode("latin-1"),
    "gzip": gzip.compress(OF_2003.encode()),
    "bzip2": bz2.compress(OF_2003.encode()),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_dialect_of_2002_to_2004_is_read(dialect):
    judgments = read_judgments(written(DIALECTS[dialect], "assessments.xml"))
    assert elements(judgments) == THREE
    assert judgments.elements.scale == "2003"
    assert type(judgments) is ElementJudgments and judgments.grade.tolist() == [1]


@pytest.mark.parametrize(("coverage", "specificity"), [("E", 3), ("L", 2), ("S", 1)])
def test_the_coverage_of_2002_is_a_specificity(coverage, specificity):
    found = read(assessments(f'<file file="d"><path path="/a" relevance="1" coverage="{coverage}"/></file>'))
    assert found == {("1", "d", "/a[1]"): (1, float(specificity), UNKNOWN)}


def test_sizes_of_2003_may_stand_in_the_file():
    found = read(assessments('<file file="d"><path path="/a" exhaustiveness="1" specificity="2" size="70"/></file>'))
    assert found == {("1", "d", "/a[1]"): (1, 2.0, 70)}


# 2005 to 2007

OF_2005 = """<?xml version="1.0"?>
<!DOCTYPE assessments SYSTEM "../../assessments.dtd">
<assessments pool="275" topic="202" version="2">
<!-- Topic definition -->
<inex_topic topic_id="202" query_type="CO+S" ct_no="8"><title>ore</title></inex_topic>
<!-- Topic assessments (only completed files) -->
 <file collection="ieee" name="co/2000/r7108">
   {}<passage start="/article[1]/p[1]/text()[1].0" end="/article[1]/p[1]" size="5"/>
   <element path="/article[1]" exhaustivity="2" size="20" rsize="5"/>
   <element path="/article[1]/p[1]" exhaustivity="1" size="5" rsize="5"/>
   <element path="/article[1]/p[1]/it[1]" exhaustivity="?" size="2" rsize="1"/>
 </file>
 <file collection="ieee" name="co/2000/r7109">
 </file>
</assessments>
"""
ENTRY = '<best-entry-point path="/article[1]/p[1]/text()[1].0"/>\n   '
FOUR = {
    ("202", "co/2000/r7108", "/article[1]"): (2, 0.25, 20),
    ("202", "co/2000/r7108", "/article[1]/p[1]"): (1, 1.0, 5),
    ("202", "co/2000/r7108", "/article[1]/p[1]/it[1]"): (TOO_SMALL, 0.5, 2),
}


@pytest.mark.parametrize("entry", ["", ENTRY], ids=["2005", "2006 and 2007"])
def test_assessments_of_2005_to_2007_are_read(entry):
    judgments = read_judgments(written(OF_2005.format(entry), "assessments.xml"))
    assert elements(judgments) == FOUR
    assert judgments.elements.scale == "2005"
    assert judgments.document.texts() == ["co/2000/r7108", "co/2000/r7109"]
    # nobody can tell the characters of passages without the documents; elements have their sizes
    assert type(judgments) is ElementJudgments and judgments.grade.tolist() == [1, 0]


def test_with_the_documents_passages_are_read_beside_elements():
    written("<article><p>Gold.</p>A longer tail..</article>", "documents/co/2000/r7108.xml")
    written("<article/>", "documents/co/2000/r7109.xml")
    judgments = read_judgments(
        written(OF_2005.format(ENTRY), "assessments.xml"), documents=Documents("documents", cache=False)
    )
    assert elements(judgments) == FOUR
    found = judgments.highlights
    assert (found.start.tolist(), found.end.tolist(), found.entry.tolist()) == ([0], [5], [0, -1])
    assert judgments.grade.tolist() == [1, 0]


def test_specificity_is_the_highlighted_share():
    found = read(assessments(file(element("/a[1]", size=3, rsize=1), element("/a[1]/b[1]", size=0, rsize=0))))
    assert found == {("1", "d", "/a[1]"): (2, 1 / 3, 3), ("1", "d", "/a[1]/b[1]"): (2, 0.0, 0)}


@pytest.mark.parametrize(
    ("e", "rsize", "relevant"), [("2", 5, 1), ("1", 1, 1), ("?", 5, 1), ("0", 5, 0), ("2", 0, 0), ("?", 0, 0)]
)
def test_a_document_is_relevant_that_has_an_element_with_both_grades(e, rsize, relevant):
    judgments = read_judgments(written(assessments(file(element("/a[1]", e, rsize=rsize))), "assessments.xml"))
    assert judgments.grade.tolist() == [relevant]


# Folders of assessments

PARTS = {
    "CO+S/main/topic-202/pool-275.xml": ("202", ' pool="275"'),
    "CO+S/main/topic-203/pool-297.xml": ("203", ' pool="297"'),
    "CO+S/others/topic-203/pool-298.xml": ("203", ' pool="298"'),
    # a pool that only its name tells
    "CAS/main/topic-250/pool-310.xml": ("250", ""),
}


def tree() -> str:
    """A folder as INEX handed it out, with things in it that are no assessments."""
    for name, (topic, pool) in PARTS.items():
        written(assessments(file(element(f"/a[{topic}]")), topic=topic, more=pool), f"assessments/{name}")
    written("<!ELEMENT assessments ANY>", "assessments/CO+S/assessments.dtd")
    written("read me", "assessments/README.txt")
    return "assessments"


@pytest.mark.parametrize(
    ("pools", "topics"),
    [
        (["275"], ["202"]), (["275", "297"], ["202", "203"]), (["298"], ["203"]), (["310"], ["250"]),
        (["310", "298", "275"], ["202", "203", "250"]),
    ],
)  # fmt: skip
def test_pools_are_chosen_by_what_they_say_or_by_their_names(pools, topics):
    judgments = read_judgments(tree(), pools=pools)
    assert sorted(judgments.topic.texts()) == topics
    assert {path for _, _, path in elements(judgments)} == {f"/a[{topic}]" for topic in topics}


def test_a_folder_within_the_folder_may_be_given():
    tree()
    assert sorted(read_judgments("assessments/CO+S/main").topic.texts()) == ["202", "203"]


def test_files_of_a_folder_may_be_compressed():
    written(gzip.compress(assessments(file(element("/a[1]")), topic="1").encode()), "pools/pool-1.xml.gz")
    written(bz2.compress(assessments(file(element("/a[2]")), topic="2").encode()), "pools/pool-2.xml.bz2")
    assert set(elements(read_judgments("pools"))) == {("1", "d", "/a[1]"), ("2", "d", "/a[2]")}
    assert set(elements(read_judgments("pools", pools=["2"]))) == {("2", "d", "/a[2]")}


def test_a_topic_may_have_nothing_but_judged_documents():
    written(assessments(file(element("/a[1]"))), "pools/1.xml")
    written(assessments(file(), topic="2"), "pools/2.xml")
    judgments = read_judgments("pools")
    assert set(elements(judgments)) == {("1", "d", "/a[1]")} and sorted(judgments.topic.texts()) == ["1", "2"]
    run = written(submission("", [("d", "/a")]), "r")
    scores = assay.evaluate("pools", run, "nxCG@1")
    assert scores.values[0, 0].tolist() == [1, 0]
    assert scores.notes == [
        "pools: 1 of 2 topics has nothing relevant and scores 0: 2",
        "r: 1 of 2 judged topics is missing from the run and scores as if nothing was retrieved: 2",
    ]


# Runs

JUDGED = assessments(
    file(element("/article[1]", "2", 100, 50), element("/article[1]/bdy[1]", "1", 50, 50), name="co/2000/r7108"),
    file(element("/article[1]", "1", 10, 10), name="so/1999/w3012"),
)
RESULTS = [("so/1999/w3012", "/article[1]"), ("co/2000/r7108", "/article[1]/bdy[1]"), ("co/2000/r7108", "/article[1]")]


def submission(shape: str, results=RESULTS, first: int = 1) -> str:
    """A run whose results have a rank {rank}, a value {rsv}, both or none."""
    rows = [
        f"<result><file>{document}</file><path>{path}</path>{shape.format(rank=rank, rsv=-4.5 - rank)}</result>"
        for rank, (document, path) in enumerate(results, first)
    ]
    return (
        f'<inex-submission run-id="x" task="CO.Thorough"><topic topic-id="1">{"".join(rows)}</topic></inex-submission>'
    )


RUNS = {
    "ranks from 1": submission("<rank>{rank}</rank>"),
    "ranks from 0": submission("<rank>{rank}</rank>", first=0),
    "values": submission("<rsv>{rsv}</rsv>"),
    "both": submission("<rank>{rank}</rank><rsv>{rsv}</rsv>"),
    "neither": submission(""),
    "ranks, and all values alike": submission("<rank>{rank}</rank><rsv>0</rsv>"),
    "names that end in .xml": submission("", [(f"{document}.xml", path) for document, path in RESULTS]),
    "steps without numbers": submission("", [(document, path.replace("[1]", "")) for document, path in RESULTS]),
    "some steps without numbers": submission(
        "", [(document, path.replace("article[1]", "article")) for document, path in RESULTS]
    ),
    "a slash at the end": submission("", [(document, path + "/") for document, path in RESULTS]),
    "text": "".join(
        f"1 Q0 {document} {rank} {9 - rank} tag {path}\n" for rank, (document, path) in enumerate(RESULTS, 1)
    ),
}


@pytest.mark.parametrize("dialect", RUNS)
def test_a_dialect_of_runs_means_the_same(dialect):
    written(JUDGED, "assessments.xml")
    # gen: 1, 1 and 1; of the article after its half that was relevant nothing is new
    scores = assay.evaluate(
        "assessments.xml", written(RUNS[dialect], "run"), ["CG@1", "CG@2", "CG@3", "CG(overlap=off)@3"]
    )
    assert scores.values[0, :, 0].tolist() == [1, 2, 2, 3]


def test_documents_tell_the_sizes_that_assessments_do_not():
    written("<a><b>1234</b><c>123456</c></a>", "documents/d.xml")
    rows = ('path="/a" exhaustiveness="3" specificity="2"', 'path="/a/b" exhaustiveness="3" specificity="3"',
            'path="/a/c" exhaustiveness="3" specificity="3"')  # fmt: skip
    written(assessments('<file file="d">' + "".join(f"<path {row}/>" for row in rows) + "</file>"), "assessments.xml")
    run = written("1 Q0 d 1 2 t /a[1]/b[1]\n1 Q0 d 2 1 t /a[1]\n", "run")
    # after b, of the 10 characters of a the 6 of c are new: 1 · 6/10
    scores = assay.evaluate("assessments.xml", run, "CG@2", documents=Documents("documents", cache=False))
    assert scores["CG@2"] == pytest.approx(1.6)
    with pytest.raises(assay.InputError) as caught:
        assay.evaluate("assessments.xml", run, "CG@2")
    message = (
        "the size of /a[1]/b[1] of document d is unknown, and overlap needs it; pass documents="
    )
    assert str(caught.value) == f"assessments.xml: {message}"


def test_measures_of_documents_take_a_document_with_a_relevant_element_as_relevant():
    written(JUDGED.replace('exhaustivity="1" size="10"', 'exhaustivity="0" size="10"'), "assessments.xml")
    # so/1999/w3012 comes first and has none
    assert assay.evaluate("assessments.xml", written(RUNS["neither"], "run"), ["RR", "nxCG@1"]).values[
        0, :, 0
    ].tolist() == [0.5, 0]


# Tasks


@pytest.mark.parametrize("task", GRADED)
def test_a_task_has_its_measures_for_each_quantisation(task):
    written(JUDGED, "assessments.xml")
    words = ["evaluate", "assessments.xml", written(RUNS["neither"], "run.xml"), "--task", task.lower(), "--as", "csv"]
    header, values = invoke(*words, "--quant", "gen", "--quant", "strict").stdout.splitlines()
    per_quantisation = 8 if "FetchBrowse" in task else 10
    assert len(values.split(",")) == 1 + 2 * per_quantisation
    assert header.count("quant=strict") == per_quantisation
    overlap = {"Focussed": 0, "FetchBrowse": per_quantisation}.get(task.partition(".")[2], 2 * per_quantisation)
    assert header.count("overlap=off") == overlap


def test_alpha_is_that_of_the_task():
    written(JUDGED, "assessments.xml")
    words = ["evaluate", "assessments.xml", written(RUNS["neither"], "run.xml"), "--task", "CO.Focussed", "--as", "csv"]
    header = invoke(*words, "--alpha", "0.5").stdout.splitlines()[0]
    assert header.count("(alpha=0.5)") == 10


def test_pools_are_chosen_on_the_command_line():
    run = submission("").replace('topic-id="1"', 'topic-id="202"')
    words = ["evaluate", tree(), written(run, "run.xml"), "-m", "nxCG@1", "--as", "csv", "--quiet"]
    done = invoke(*words, "--pools", "275, 298", "-q")
    assert done.stdout.splitlines() == ["run,topic,nxCG@1", "run,202,0.0", "run,203,0.0", "run,all,0.0"]


ELEMENTS = [
    {"topic": "1", "document": "d", "path": "/article/sec[2]", "exhaustivity": 2, "specificity": 0.25, "size": 40},
    {"topic": "1", "document": "d", "path": "/article[1]", "exhaustivity": -1, "specificity": 1.0},
    {"topic": 2, "document": "e", "path": "/article[1]", "exhaustivity": 0, "specificity": 0.0, "size": 7},
]
AS_READ = {
    ("1", "d", "/article[1]"): (TOO_SMALL, 1.0, UNKNOWN),
    ("1", "d", "/article[1]/sec[2]"): (2, 0.25, 40),
    ("2", "e", "/article[1]"): (0, 0.0, 7),
}


def test_assessed_elements_may_stand_in_a_table_of_any_kind():
    frame = pl.DataFrame([row | {"topic": str(row["topic"]), "size": row.get("size")} for row in ELEMENTS])
    frame.write_csv("elements.csv")
    frame.write_parquet("elements.parquet")
    frame.write_ndjson("elements.jsonl")
    for given in (ELEMENTS, frame, frame.to_pandas(), "elements.csv", "elements.parquet", "elements.jsonl"):
        judgments = read_judgments(given)
        assert elements(judgments) == AS_READ
        assert (judgments.elements.scale, judgments.grade.tolist()) == ("2005", [1, 0])


@pytest.mark.parametrize(
    ("specificity", "scale"),
    [([3, 0], "2003"), ([1, 0], "2003"), ([1.0, 0.0], "2005"), ([3.0, 0.0], "2003"), (["1", "0"], "2003"), (["1.0", "0"], "2005")],
    ids=str,
)  # fmt: skip
def test_the_specificities_of_a_table_tell_their_scale(specificity, scale):
    rows = {"topic": ["1", "1"], "document": ["d", "d"], "path": ["/a[1]", "/a[2]"], "exhaustivity": [2, 0]}
    judgments = read_judgments(pl.DataFrame(rows | {"specificity": specificity}))
    assert judgments.elements.scale == scale


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"exhaustivity": 3}, "judgments: row 2: exhaustivity 3 is not a whole number from -1 to 2"),
        ({"specificity": -0.5}, "judgments: row 2: specificity -0.5 is not from 0 to 1"),
        ({"specificity": 2.0}, "judgments: row 1: specificity 0.25 is not a whole number from 0 to 3"),
        ({"specificity": None}, "judgments: row 2: specificity is missing"),
        ({"path": "sec 2"}, "judgments: row 2: 'sec 2' is not an element path; expected for example /article[1]/sec[2]"),
        ({"path": "/article/sec[2]"}, "judgments: row 2: element /article[1]/sec[2] is assessed twice"),
        ({"topic": None}, "judgments: row 2: topic is missing"),
    ],
)
def test_a_row_that_is_no_assessed_element_is_refused(change, message):
    rows = [{"topic": "1", **row, "size": row.get("size")} for row in ELEMENTS[:2]]
    rows[1] |= change
    with pytest.raises(assay.InputError) as refused:
        read_judgments(pl.DataFrame(rows))
    assert str(refused.value) == message


def test_a_table_of_assessed_elements_needs_topics_and_documents():
    with pytest.raises(assay.InputError) as refused:
        read_judgments(pl.DataFrame(ELEMENTS[:1]).drop("document"))
    assert str(refused.value) == (
        "judgments: no document column; the columns are topic, path, exhaustivity, specificity, size"
    )


def test_the_path_of_a_result_is_taken_where_elements_are_judged_and_else_is_none():
    run = pl.DataFrame({"topic": ["1"], "document": ["d"], "path": ["/article/sec[2]"], "score": [1.0]})
    assert assay.evaluate(ELEMENTS, {"run": run}, "nxCG(overlap=off, quant=gen)@1")["run", "nxCG(overlap=off, quant=gen)@1"] > 0
    assert assay.evaluate({"1": {"d": 1}}, {"run": run}, "AP")["run", "AP"] == 1

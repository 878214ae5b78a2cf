"""Bad assessments, and runs and measures that do not go with them: one line that says where and why, whole; never a
traceback."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import assay
from assay import Aep, nxCG
from assay.evaluation.tasks import GRADED, TASKS
from assay.measures.curves import POINTS
from helpers.cases import Case
from helpers.commands import invoke
from helpers.files import written
from helpers.fuzzing import in_time

pytestmark = pytest.mark.usefixtures("folder")
LIKE = "is not an element path; expected for example /article[1]/sec[2]"


def of_2005(*rows: str, topic: str = "1", attributes: str = "") -> str:
    """Assessments whose second element, on line 4, is another one."""
    first = '<element path="/a[1]" exhaustivity="2" size="10" rsize="5"/>'
    return "\n".join(
        [f'<assessments topic="{topic}"{attributes}>', '<file name="d">', first, *rows, "</file>", "</assessments>\n"]
    )


def of_2003(*rows: str) -> str:
    first = '<path path="/a[1]" exhaustiveness="3" specificity="1"/>'
    return "\n".join(['<assessments topic="1">', '<file file="d">', first, *rows, "</file>", "</assessments>\n"])


def element(attributes: str, path: str = "/a[1]/b[1]") -> str:
    return of_2005(f'<element path="{path}" {attributes}/>')


def path(attributes: str) -> str:
    return of_2003(f'<path path="/a[1]/b[1]" {attributes}/>')


GOOD = 'exhaustivity="1" size="5" rsize="5"'
SECOND = '<element path="/a[1]/b[1]" exhaustivity="1" size="5" rsize="5"/>'
ASSESSED, ASSESSED_2003 = of_2005(SECOND), path('exhaustiveness="3" specificity="3"')
RUN = """<inex-submission run-id="x"><topic topic-id="1">
<result><file>d</file><path>/a[1]</path></result>
<result><file>d</file><path>{}</path></result>
</topic></inex-submission>
"""


def evaluate(*words: str, assessed: str | bytes = ASSESSED, run: str | bytes = RUN.format("/a[1]/b[1]")):
    """What `assay evaluate` says."""
    return invoke("evaluate", written(assessed, "q.xml"), written(run, "r.xml"), *words)


# Assessments

ASSESSMENTS = [
    Case("q.xml:4: <element> has no path; expected for example /article[1]/sec[2]", of_2005(f"<element {GOOD}/>")),
    Case("q.xml:4: <element> has no path; expected for example /article[1]/sec[2]", element(GOOD, " ")),
    Case(f"q.xml:4: 'a[1]' {LIKE}", element(GOOD, "a[1]")),
    Case(f"q.xml:4: '/a[0]' {LIKE}", element(GOOD, "/a[0]")),
    Case(f"q.xml:4: '/a[1]//b[1]' {LIKE}", element(GOOD, "/a[1]//b[1]")),
    Case(f"q.xml:4: '/a[1]/text()[1]' {LIKE}", element(GOOD, "/a[1]/text()[1]")),
    Case(f"q.xml:4: '/a[1]/b[1].5' {LIKE}", element(GOOD, "/a[1]/b[1].5")),
    Case(f"q.xml:4: '/a[1]/@id' {LIKE}", element(GOOD, "/a[1]/@id")),
    Case("q.xml:4: <element> has no exhaustivity; expected a grade", element('size="5" rsize="5"')),
    Case("q.xml:4: <element> has no exhaustivity; expected a grade", element('exhaustivity="" size="5" rsize="5"')),
    Case("q.xml:4: exhaustivity '3' is out of range; expected 0 to 2 or ?", element('exhaustivity="3" size="5" rsize="5"')),
    Case("q.xml:4: exhaustivity '-1' is out of range; expected 0 to 2 or ?", element('exhaustivity="-1" size="5" rsize="5"')),
    Case("q.xml:4: exhaustivity '1.5' is out of range; expected 0 to 2 or ?", element('exhaustivity="1.5" size="5" rsize="5"')),
    Case("q.xml:4: rsize 6 is greater than size 5", element('exhaustivity="2" size="5" rsize="6"')),
    Case("q.xml:4: <element> has an rsize but no size; expected both", element('exhaustivity="2" rsize="6"')),
    Case("q.xml:4: <element> has no specificity; expected specificity, coverage (2002), or size and rsize (2005)",
         element('exhaustivity="2" size="5"')),
    Case("q.xml:4: size 'large' is not a whole number of characters", element('exhaustivity="2" size="large" rsize="5"')),
    Case("q.xml:4: size '' is not a whole number of characters", element('exhaustivity="2" size="" rsize="5"')),
    Case("q.xml:4: size '٣' is not a whole number of characters", element('exhaustivity="2" size="٣" rsize="1"')),
    Case("q.xml:4: rsize '-5' is not a whole number of characters", element('exhaustivity="2" size="5" rsize="-5"')),
    Case("q.xml:4: rsize '2.5' is not a whole number of characters", element('exhaustivity="2" size="5" rsize="2.5"')),
    Case("q.xml:4: size '1000000000000000' is too large; expected at most 15 digits",
         element('exhaustivity="2" size="1000000000000000" rsize="5"')),
    Case("q.xml:5: element /a[1]/b[1] is assessed twice with different grades (first on line 4)",
         of_2005(SECOND, '<element path="/a/b" exhaustivity="2" size="5" rsize="5"/>')),
    Case("q.xml:4: the grades of 2003 and of 2005 are mixed; expected the grades of one year",
         of_2005('<path path="/a[1]/b[1]" exhaustiveness="3" specificity="3"/>')),
    Case("q.xml:4: exhaustiveness '4' is out of range; expected 0 to 3", path('exhaustiveness="4" specificity="1"')),
    Case("q.xml:4: exhaustiveness '?' is out of range; expected 0 to 3", path('exhaustiveness="?" specificity="1"')),
    Case("q.xml:4: specificity '4' is out of range; expected 0 to 3", path('exhaustiveness="3" specificity="4"')),
    Case("q.xml:4: specificity '0.5' is out of range; expected 0 to 3", path('exhaustiveness="3" specificity="0.5"')),
    Case("q.xml:4: <path> has no specificity; expected a grade", path('exhaustiveness="3" specificity=""')),
    Case("q.xml:4: exhaustiveness 3 contradicts specificity 0; expected both to mean relevant, or neither",
         path('exhaustiveness="3" specificity="0"')),
    Case("q.xml:4: relevance 0 contradicts coverage E; expected both to mean relevant, or neither",
         path('relevance="0" coverage="E"')),
    Case("q.xml:4: unknown coverage 'X'; expected N, S, L or E", path('relevance="3" coverage="X"')),
    Case("q.xml:4: relevance '4' is out of range; expected 0 to 3", path('relevance="4" coverage="E"')),
    Case("q.xml:2: a <file> has no name; expected the document id as its attribute name", ASSESSED.replace(' name="d"', "")),
    Case("q.xml:6: document d is judged twice for topic 1 (first on line 2)",
         ASSESSED.replace("</assessments>", '<file name="d.xml"/></assessments>')),
    Case("q.xml: <assessments> has no topic; expected an attribute topic", ASSESSED.replace(' topic="1"', "")),
    Case("q.xml: no document is assessed; expected a <file> for each document", '<assessments topic="1"></assessments>'),
    Case("q.xml: unknown XML element <pool>; expected <assessments>", '<?xml version="1.0"?><pool topic="1"/>'),
    Case("q.xml: this is a run; expected judgments: pass judgments first, then the runs", RUN),
    Case("q.xml:5: not well-formed XML (column 8): Opening and ending tag mismatch: element line 4 and file",
         of_2005('<element path="/a[1]">')),
    Case("q.xml:4: not well-formed XML (column 41): AttValue: \" or ' expected", element("exhaustivity=2")),
    Case("q.xml: the gzip data is cut short", gzip.compress(ASSESSED.encode())[:-5]),
    Case("q.xml: the input is empty; expected judgments", ""),
]  # fmt: skip


@pytest.mark.parametrize("case", ASSESSMENTS, ids=repr)
def test_bad_assessments_are_refused(case):
    done = evaluate("-m", "nxCG(overlap=off)@2", assessed=case.content)
    assert (done.stdout, done.stderr, done.exit_code) == ("", case.message + "\n", 1)


# Folders


def two_pools() -> None:
    for name, number in (("pools/main/pool-1.xml", "1"), ("pools/others/pool-2.xml", "2")):
        written(of_2005(attributes=f' pool="{number}"'), name)


def mixed_years() -> None:
    written(of_2005(), "pools/1.xml")
    written(of_2003().replace('topic="1"', 'topic="2"'), "pools/2.xml")


FOLDERS = {
    "pools: no such file": lambda: None,
    "pools: this is a folder; expected a file": lambda: Path("pools").mkdir(),
    "pools: topic 1 is assessed in two files, pools/main/pool-1.xml and pools/others/pool-2.xml; choose one of their pools":
        two_pools,
    "pools/2.xml:3: the grades of 2003 and of 2005 are mixed; expected the grades of one year": mixed_years,
    "pools/topics.xml: unknown XML element <topics>; expected <assessments>": lambda: written("<topics/>", "pools/topics.xml"),
    "pools/1.xml:4: rsize 6 is greater than size 5": lambda: written(element('exhaustivity="2" size="5" rsize="6"'), "pools/1.xml"),
    "pools/1.xml: no document is assessed; expected a <file> for each document": lambda: written('<assessments topic="1"/>', "pools/1.xml"),
    "pools/1.xml:1: not well-formed XML (column 26): Premature end of data in tag assessments line 1":
        lambda: written('<assessments topic="123">', "pools/1.xml"),
}  # fmt: skip


@pytest.mark.parametrize("message", FOLDERS)
def test_a_bad_folder_is_refused(message):
    FOLDERS[message]()
    run = written(RUN.format("/a[1]/b[1]"), "r.xml")
    done = invoke("evaluate", "pools", run, "-m", "nxCG@1")
    assert (done.stderr, done.exit_code) == (message + "\n", 1)


def test_pools_must_be_there():
    two_pools()
    run = written(RUN.format("/a[1]/b[1]"), "r.xml")
    done = invoke("evaluate", "pools", run, "-m", "nxCG@1", "--pools", "3,4")
    assert (done.stderr, done.exit_code) == ("pools: none of the 2 files has pool 3, 4\n", 1)
    assert invoke("evaluate", "pools", run, "-m", "nxCG@1", "--pools", "2").exit_code == 0


# Runs

RUNS = [
    Case("r.xml:3: element /a[1] of document d is retrieved twice for topic 1 (line 2)", RUN.format("/a[1]")),
    Case("r.xml:3: element /a[1] of document d is retrieved twice for topic 1 (line 2)", RUN.format("/a/")),
    Case("r.xml:3: path 'b[1]' does not begin with /; expected for example /article[1]/sec[2]", RUN.format("b[1]")),
    Case(f"r.xml:3: '/a[1]//b[1]' {LIKE}", RUN.format("/a[1]//b[1]")),
    Case(f"r.xml:3: '/a[0]' {LIKE}", RUN.format("/a[0]")),
    Case(f"r.xml:3: '/a/@id' {LIKE}", RUN.format("/a/@id")),
    Case(f"r.xml:2: '/a[x]' {LIKE}", "1 Q0 d 1 2 t /a[1]\n1 Q0 d 2 1 t /a[x]\n"),
    Case("r.xml:2: element /a[1] of document d is retrieved twice for topic 1 (line 1)", "1 Q0 d 1 2 t /a[1]\n1 Q0 d 2 1 t /a\n"),
    Case("r.xml: the run returns whole documents or passages; expected elements, each with its path", "1 Q0 d 1 2 t\n"),
    Case("r.xml: the run returns whole documents or passages; expected elements, each with its path", "1 Q0 d 1 2 t 0 5\n"),
    Case("r.xml: these are judgments (INEX assessments); expected a run: pass judgments first, then the runs", ASSESSED),
    Case("r.xml and q.xml share no topic: 8, 9 vs 1", "8 Q0 d 1 2 t /a[1]\n9 Q0 d 1 2 t /a[1]\n"),
    Case("r.xml:4: not well-formed XML (column 19): Opening and ending tag mismatch: topic line 1 and inex-submission",
         RUN.replace("</topic>", "").format("/b")),
    Case("r.xml: the input is empty; expected a run", '<inex-submission><topic topic-id="1"/></inex-submission>'),
]  # fmt: skip


@pytest.mark.parametrize("case", RUNS, ids=repr)
def test_bad_runs_are_refused(case):
    done = evaluate("-m", "nxCG@2", run=case.content)
    assert (done.stdout, done.exit_code) == ("", 1)
    assert done.stderr == case.message + "\n"


def test_topics_without_assessments_are_left_out_with_a_note():
    two = "1 Q0 d 1 2 t /a[1]\n8 Q0 d 1 2 t /a[1]\n9 Q0 d 1 2 t /a[1]\n8 Q0 d 2 1 t /a[1]/b[0]\n"
    done = evaluate("-m", "nxCG@1", "--as", "tsv", run=two)
    assert (done.stdout, done.stderr) == (
        "run\tnxCG@1\nr\t1.0\n",
        "note: r: 2 topics of the run have no judgments and are left out: 8, 9\n",
    )


def test_topics_that_are_missing_in_a_run_count_with_a_note():
    for topic in "12":
        written(of_2005(topic=topic), f"pools/{topic}.xml")
    done = invoke("evaluate", "pools", written(RUN.format("/b"), "r.xml"), "-m", "nxCG@1", "--as", "tsv")
    note = "note: r: 1 of 2 judged topics is missing from the run and scores as if nothing was retrieved: 2\n"
    assert (done.stdout, done.stderr) == ("run\tnxCG@1\nr\t0.5\n", note)


# Sizes

NO_SIZE = "is unknown, and overlap needs it; pass --documents"


def test_overlap_needs_sizes():
    run = "1 Q0 d 1 2 t /a[1]/b[1]\n1 Q0 d 2 1 t /a[1]\n"
    done = evaluate("-m", "nxCG@2", assessed=ASSESSED_2003, run=run)
    assert (done.stderr, done.exit_code) == (f"q.xml: the size of /a[1]/b[1] of document d {NO_SIZE}\n", 1)
    assert evaluate("-m", "nxCG(overlap=off)@2", assessed=ASSESSED_2003, run=run).exit_code == 0


UNSIZED = [(ASSESSED_2003, ("/a[1]", 1)), (ASSESSED, ("/a[1]/c[1]", 2))]


@pytest.mark.parametrize(("assessed", "where"), UNSIZED, ids=["2003", "2005"])
def test_inex2003_needs_the_sizes_of_all_results(assessed, where):
    done = evaluate("-m", "inex2003", assessed=assessed, run=RUN.format("/a[1]/c[1]"))
    message = f"r.xml: the size of {where[0]}, at rank {where[1]}, is unknown; pass --documents\n"
    assert (done.stderr, done.exit_code) == (message, 1)


# Measures

OF_2005 = "for assessments on the scale of 2005; choose from strict, gen, genLifted"
OF_2003 = "for assessments on the scale of 2003; choose from strict, gen, sog"
PARAMETERS = "quant, overlap, alpha, rv, rule, level"
MEASURES = {
    "nxCG(quant=lenient)@1": f"unknown quantisation 'lenient' {OF_2005}",
    "nxCG(quant=sog)@1": f"unknown quantisation 'sog' {OF_2005}",
    "inex2002(quant=sog)": f"unknown quantisation 'sog' {OF_2005}",
    "inex2003(quant=sog)": "inex2003(quant=sog): exhaustivity and specificity are quantised separately; choose from strict, gen",
    "nxCG(alpha=1.5)@1": "alpha=1.5 is out of range; expected a number from 0 to 1",
    "Aep(alpha=-0.1)": "alpha=-0.1 is out of range; expected a number from 0 to 1",
    "Aep(alpha=nan)": "alpha=nan is out of range; expected a number from 0 to 1",
    "nxCG(alpha=much)@1": "'nxCG(alpha=much)@1': alpha=much; expected a number",
    "nxCG(overlap=maybe)@1": "unknown overlap 'maybe'; choose from on, off",
    "nxCG(rule=1999)@1": "unknown rule '1999'; choose from 2005, 2004",
    "nxCG(rv=foo)@1": "unknown rv 'foo'; choose from recursive, size, independent, discounted",
    "Aep(level=section)": "Aep(level=section): unknown level; choose from article, element",
    "Aep(as_printed=True)": f"'Aep(as_printed=True)': Aep has no parameter 'as_printed'; it takes {PARAMETERS}",
    "Aep@5": "Aep has no cut-off; write it without @5",
    "ep@1.5": "ep@1.5: expected a gain-recall level between 0 and 1",
    "nxCG@0": "nxCG@0: expected a rank, at least 1",
    "nxCG@2.5": "'nxCG@2.5': k=2.5; expected a whole number",
    "inex2002(collection=1)": "inex2002(collection=1): the collection has fewer elements than were retrieved or are relevant",
    "MAxCG@5": "unknown measure 'MAxCG'; did you mean MAnxCG? `assay measures` lists all\n"
    "did you mean: assay evaluate q.xml r.xml -m MAnxCG@5",
}


@pytest.mark.parametrize("measure", MEASURES)
def test_a_measure_that_makes_no_sense_is_refused(measure):
    done = evaluate("-m", measure)
    assert (done.stdout, done.stderr, done.exit_code) == ("", MEASURES[measure] + "\n", 2)


def test_precall_needs_shares():
    # e · s goes up to 2, and nothing is relevant twice
    done = evaluate("-m", "inex2002", assessed=element('exhaustivity="2" size="5" rsize="5"'))
    message = "inex2002: relevance must be a share from 0 to 1, but gen gives these assessments more\n"
    assert (done.stderr, done.exit_code) == (message, 2)


def test_genlifted_is_of_2005():
    done = evaluate("-m", "nxCG(quant=genLifted)@1", assessed=ASSESSED_2003)
    assert (done.stderr, done.exit_code) == (f"unknown quantisation 'genLifted' {OF_2003}\n", 2)


def test_a_task_has_the_quantisations_of_its_assessments():
    assert evaluate("--task", "CO.Focussed", "--quant", "sog").stderr == f"unknown quantisation 'sog' {OF_2005}\n"


def test_a_task_must_be_known():
    with pytest.raises(assay.UsageError) as caught:
        assay.evaluate("q.xml", "r.xml", task="CO.Blurred")
    assert str(caught.value) == f"unknown task 'CO.Blurred'; choose from {', '.join([*TASKS, *GRADED])}"


def test_ties_of_elements_are_broken():
    message = "expected values over ties are possible only for whole documents; pass --ties docno or --ties input or --ties rank\n"
    done = evaluate("-m", "nxCG@1", "--ties", "expected")
    assert (done.stderr, done.exit_code) == (message, 2)


@pytest.mark.parametrize("words", [["-m", "nxCG@10"], ["--task", "CO.Thorough"]], ids=["a measure", "a task"])
def test_judgments_of_documents_have_no_elements(words):
    measure = "nxCG@10" if words[0] == "-m" else "nxCG(overlap=off)@10"
    done = evaluate(*words, assessed="1 0 d 1\n")
    assert (done.stderr, done.exit_code) == (f"{measure} needs assessed elements, but q.xml has none\n", 2)


# Functions of one's own


def half(e, s):
    return -0.5


def no_number(e, s):
    return float("nan")


@pytest.mark.parametrize("quant", [half, no_number])
def test_a_quantisation_gives_a_number_of_at_least_0(quant):
    files = written(ASSESSED, "q.xml"), written(RUN.format("/a[1]/b[1]"), "r.xml")
    with pytest.raises(assay.UsageError) as caught:
        assay.evaluate(*files, [nxCG(quant=quant) @ 1])
    assert str(caught.value) == "a quantisation must return a number, at least 0, for each exhaustivity and specificity"


def test_what_a_function_raises_is_told():
    files = written(ASSESSED, "q.xml"), written(RUN.format("/a[1]/b[1]"), "r.xml")
    for measure in (Aep(quant=lambda e, s: e / 0), Aep(rv=lambda base, value, at, seen, rank: value[at] / 0)):
        with pytest.raises(assay.UsageError) as caught:
            assay.evaluate(*files, [measure])
        assert str(caught.value).endswith(
            ("cannot be computed: ZeroDivisionError: division by zero", "float division by zero")
        )


def test_a_measure_without_a_curve_is_told():
    with pytest.raises(assay.UsageError) as caught:
        assay.curve("Aep")
    assert str(caught.value) == f"Aep has no curve; choose from {', '.join(POINTS)}"


def test_a_curve_must_have_been_measured():
    files = written(ASSESSED, "q.xml"), written(RUN.format("/a[1]/b[1]"), "r.xml")
    with pytest.raises(assay.UsageError) as caught:
        assay.evaluate(*files, ["ep@0.01", "ep@0.02"]).curve("ep")
    assert str(caught.value) == "ep@0.03 was not measured; choose from ep@0.01, ep@0.02"


def test_a_path_deeper_than_any_document_is_refused_in_time(folder):
    deep = "/a[1]" * 12_000
    elements = '<element path="/a[1]" exhaustivity="2" size="9" rsize="9"/>'
    page = f'<assessments pool="1" topic="1" version="2"><file collection="c" name="d">{elements}</file></assessments>'
    written(page, "good.xml")
    written(page.replace('"/a[1]"', f'"{deep}"'), "deep.xml")
    written(f"1 Q0 d 1 1 t {deep}\n", "run")
    with in_time():
        for words in (["recall-base", "deep.xml"], ["evaluate", "good.xml", "run", "-m", "nxCG@5"]):
            done = invoke(*words)
            assert (done.exit_code, done.stdout) == (1, "")
            assert done.stderr.endswith("is not an element path; expected for example /article[1]/sec[2]\n"), done.stderr

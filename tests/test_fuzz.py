"""Every reader on mutations of valid files: each is read or refused in one line, soon, and nothing else is said.

Where an evaluation refuses a file, a check of it shows a fault. What is converted can be read again.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

import assay
from assay.checking.summary import across
from assay.compat.evalj import evalj
from assay.compat.inex_eval import inex_eval
from assay.compat.trec_eval import trec_eval
from assay.documents.lookup import Documents
from assay.errors import AssayError, InputError, UsageError
from assay.files.writing import read_or_make
from assay.reading.read import read_judgments, read_run
from assay.reading.recognition import every_format
from assay.reading.topics import read_titles
from assay.vocabulary import FORMATS
from helpers.corpus import (
    CHUNKS,
    FILES,
    FOL_QRELS,
    FOL_RUN,
    JSONL_DOCUMENTS,
    SPECIMENS,
    TEXTS,
    TITLES,
    TREC_QRELS,
    TREC_RUN,
    Specimen,
    tarred,
    zipped,
)
from helpers.files import written
from helpers.fuzzing import fuzz, is_one_line, refused

OTHERS = [specimen.content for specimen in SPECIMENS.values()]
OTHERS += [text.encode() for text in (*FILES.values(), *TITLES.values())]
WITHOUT_TEXTS = [name for name in SPECIMENS if not name.endswith("of texts")]


@pytest.fixture
def documents(folder):
    """The documents of the corpus, in a folder."""
    for name, content in FILES.items():
        written(content, f"docs/{name}")
    return Documents("docs", cache=False)


def partner_of(specimen: Specimen, documents: Documents | None):
    """The judgments or the run that go with a file, read."""
    other = SPECIMENS[specimen.partner]
    path = written(other.content, "partner")
    if other.kind == "run":
        return path
    return read_judgments(path, other.format if other.told else None, documents)


# What there is to fuzz


def test_every_format_has_a_valid_file_of_each_kind():
    there = {(specimen.format, specimen.kind) for specimen in SPECIMENS.values()}
    assert there == {(format.name, kind) for format in every_format() if format.name != "study" for kind in format.holds}


@pytest.mark.parametrize("name", SPECIMENS)
def test_the_files_that_are_mutated_are_valid(name, documents):
    specimen = SPECIMENS[name]
    path, format = written(specimen.content), specimen.format if specimen.told else None
    given = documents if specimen.documents else None
    partner = written(SPECIMENS[specimen.partner].content, "partner")
    pair = (partner, path) if specimen.kind == "run" else (path, partner)
    if format:
        pair = (read_judgments(path, format), partner)
    needed = documents if specimen.documents or SPECIMENS[specimen.partner].documents else None
    assert assay.evaluate(*pair, documents=needed).values.max() > 0
    if name in WITHOUT_TEXTS:
        report = assay.check(path, specimen.kind, format, documents=given)
        assert (report.faults, report.format, report.kind) == ([], specimen.format, specimen.kind)


# Runs and judgments


@pytest.mark.parametrize("name", WITHOUT_TEXTS)
def test_a_run_or_judgments(name, documents, capfd):
    specimen = SPECIMENS[name]
    format = specimen.format if specimen.told else None
    given = documents if specimen.documents or SPECIMENS[specimen.partner].documents else None
    partner = partner_of(specimen, given)

    def attempt(content: bytes) -> bool:
        path = written(content)
        if specimen.kind == "run":
            error = refused(assay.evaluate, partner, path, documents=given)
        else:
            error = refused(lambda: assay.evaluate(read_judgments(path, format, given), partner, documents=given))
        if isinstance(error, InputError) and "pass documents=" not in str(error):
            assert faults_shown(path, specimen, given), f"a check shows no fault, but: {error}"
        elif error is None:
            refused(assay.check, path, specimen.kind, format, documents=given)
        converts(path, specimen, format, given)
        return error is not None

    fuzz(name, specimen.content, OTHERS, attempt, capfd)


def faults_shown(path: str, specimen: Specimen, documents: Documents | None) -> bool:
    """Whether a check of a file beside its partner shows a fault, each in one line."""
    other = SPECIMENS[specimen.partner]
    try:
        checked = [
            (name, assay.check(name, each.kind, each.format if each.told else None, documents=documents))
            for name, each in ((path, specimen), ("partner", other))
        ]
    except InputError as error:
        assert is_one_line(str(error)), repr(str(error))
        return True
    faults = [fault for _, report in checked for fault in report.faults]
    faults += [fault for fault in across(checked, None, documents) if isinstance(fault, InputError)]
    assert all(is_one_line(str(fault)) for fault in faults), [str(fault) for fault in faults]
    return bool(faults)


def converts(path: str, specimen: Specimen, format: str | None, documents: Documents | None) -> None:
    """A file becomes one of each other format, or is refused; what is written can be read."""
    read = read_run if specimen.kind == "run" else read_judgments
    for to in FORMATS:
        try:
            content = assay.convert(path, to, documents=documents, kind=specimen.kind, format=format)
        except AssayError as error:
            assert is_one_line(str(error)), repr(str(error))
            if not isinstance(error, UsageError) and refused(read, path, format=format, documents=documents):
                return
        else:
            read(written(content, "converted"), format=to, documents=documents)


@pytest.mark.parametrize("name", CHUNKS)
def test_chunks_of_a_corpus(name, documents, capfd):
    gold = [{"query_id": "1", "doc_id": document, "start": 2, "end": 30} for document in ("rye", "oats")]

    def attempt(content: bytes) -> AssayError | None:
        options = {"documents": documents, "texts": "drop"}
        return refused(assay.ceiling, gold, written(content), None, ["R@1", "F(chars=7)"], **options)

    assert not attempt(CHUNKS[name])
    fuzz(f"{name} of chunks", CHUNKS[name], OTHERS, attempt, capfd)


@pytest.mark.parametrize("name", sorted(SPECIMENS.keys() - set(WITHOUT_TEXTS)))
def test_rows_of_texts(name, documents, capfd):
    specimen = SPECIMENS[name]
    partner = written(SPECIMENS[specimen.partner].content, "partner")

    def attempt(content: bytes) -> bool:
        pair = (partner, written(content)) if specimen.kind == "run" else (written(content), partner)
        errors = [refused(assay.evaluate, *pair, documents=documents, texts=texts) for texts in ("check", "drop")]
        return any(errors)

    fuzz(name, specimen.content, OTHERS, attempt, capfd)


@pytest.mark.parametrize("name", TEXTS)
def test_texts_to_locate(name, documents, capfd):
    assert assay.locate(written(TEXTS[name]), documents).counts["missing"] == 0
    fuzz(f"{name} of texts", TEXTS[name], OTHERS, lambda changed: refused(located, written(changed), documents), capfd)


def located(path: str, documents: Documents) -> None:
    b"".join(assay.locate(path, documents).lines())


@pytest.mark.parametrize("name", ["inex judgments", "inex judgments of 2003"])
def test_a_folder_of_assessments(name, documents, capfd):
    other = SPECIMENS[name].content.replace(b'topic="1"', b'topic="2"').replace(b'pool="11"', b'pool="12"')
    written(other, "assessments/topic-2/pool-12.xml")

    def attempt(content: bytes) -> bool:
        written(content, "assessments/topic-1/pool-11.xml")
        errors = [
            refused(assay.read_judgments, "assessments", documents=documents),
            refused(assay.check, "assessments", documents=documents),
            refused(assay.recall_base, "assessments"),
        ]
        return any(errors)

    fuzz(f"folder of {name}", SPECIMENS[name].content, OTHERS, attempt, capfd)


# Topics and documents


def test_saved_scores(folder, capfd):
    scores = assay.evaluate(written(TREC_QRELS, "qrels"), written(TREC_RUN, "run"), ["AP", "nDCG@10"])
    scores.save("scores.json")
    content = Path("scores.json").read_bytes()

    def attempt(changed):
        if error := refused(assay.read_scores, written(changed, "changed.json")):
            return error
        return refused(assay.gate, "qrels", "run", not_worse_than="changed.json", margin=0.1, samples=100)

    fuzz("saved scores", content, OTHERS, attempt, capfd)


SCORES = {
    "csv": "system,topic,measure,value\na,1,AP,0.5\na,2,AP,\nb,1,AP,1\nb,2,AP,0\n",
    "jsonl": '{"run_id": "a", "topic_id": 1, "measure": "x", "value": 0.5}\n{"run_id": "a", "topic_id": 2, "measure": "x", "value": null}\n',
    "json": '[{"run": "a", "topic": "1", "measure": "x", "value": 0.5}, {"run": "b", "topic": "1", "measure": "x", "value": 2}]',
    "trec_eval": "map \t1\t0.5\nmap \t2\t1.0\nrunid \tall\tbm25\nmap \tall\t0.75\n",
    "lines": "a 1 AP 0.5\na 2 AP 1.0\nb 1 AP 0.5\nb 2 AP 1.0\n",
}  # fmt: skip


@pytest.mark.parametrize("name", SCORES)
def test_given_scores(name, folder, capfd):
    assay.read_scores(written(SCORES[name], "scores"))
    fuzz(f"scores in {name}", SCORES[name].encode(), OTHERS, lambda changed: refused(assay.read_scores, written(changed)), capfd)


@pytest.mark.parametrize("name", TITLES)
def test_titles_of_topics(name, folder, capfd):
    assert len(read_titles(written(TITLES[name]))) == 2
    content = TITLES[name].encode()
    fuzz(f"{name} of titles", content, OTHERS, lambda changed: refused(read_titles, written(changed)), capfd)


COLLECTIONS = {
    "a document in XML": ("docs/oats.xml", FILES["oats.xml"].encode()),
    "a document of text": ("docs/rye.txt", FILES["rye.txt"].encode()),
    "zip": ("docs.zip", zipped()),
    "tar": ("docs.tar", tarred("w")),
    "tar.gz": ("docs.tar.gz", tarred("w:gz")),
    "JSONL of documents": ("docs.jsonl", JSONL_DOCUMENTS.encode()),
}


def looked_up(path: str, is_cached: bool = False) -> None:
    """All that can be asked of documents."""
    documents = Documents(path, cache=is_cached)
    for document, text in documents.texts():
        assert int(documents.lengths([document])[0]) == len(text)
        elements = documents.elements(document)
        assert len(elements.paths) == len(elements.start)
        documents.path(document, 0, min(5, len(text)))
    documents.spans(["oats", "rice"], ["/article[1]/sec[1]/p[1]", "/article[1]/p[2]"])


@pytest.mark.parametrize("name", COLLECTIONS)
def test_documents(name, documents, capfd):
    path, content = COLLECTIONS[name]
    judgments, run = written(FOL_QRELS, "q"), written(SPECIMENS["elements run"].content, "r")
    place = path.partition("/")[0]

    def attempt(changed: bytes) -> bool:
        written(changed, path)
        errors = [
            refused(looked_up, place),
            refused(assay.evaluate, judgments, run, documents=place),
        ]
        return any(errors)

    assert not attempt(content)
    fuzz(name, content, [*OTHERS, zipped(), tarred("w")], attempt, capfd)


def test_what_was_kept_about_documents(documents, capfd, monkeypatch, tmp_path):
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "kept"))
    looked_up("docs", is_cached=True)
    (kept,) = Path("kept").rglob("*[0-9a-f]")
    content = kept.read_bytes()

    def attempt(changed: bytes) -> bool:
        kept.write_bytes(changed)
        return refused(looked_up, "docs", is_cached=True) is not None

    fuzz("cache", content, OTHERS, attempt, capfd)


def test_scripts_that_were_kept(folder, capfd, monkeypatch, tmp_path):
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "kept"))
    script = "window.draw = (chart) => chart;\n" * 20
    checksum = sha256(script.encode()).hexdigest()
    path, target = tmp_path / "kept" / "vega.js", tmp_path / "target"
    target.write_text("mine")

    def attempt(changed: bytes) -> bool:
        assert read_or_make("vega.js", checksum, lambda: script) == script
        path.unlink()
        path.write_bytes(changed)
        if len(changed) % 3 == 0:
            path.unlink()
            path.symlink_to(target)
        path.parent.chmod(0o700 if len(changed) % 2 else 0o777)
        assert read_or_make("vega.js", checksum, lambda: script) == script
        path.parent.chmod(0o700)
        assert target.read_text() == "mine"
        return True

    fuzz("scripts", script.encode(), OTHERS, attempt, capfd)


# The programs that Assay stands in for: what they refuse is said as the original says it, in any number of lines

OF_TREC_EVAL = {
    "qrels": (TREC_QRELS, ["-R", "qrels", "-m", "all_trec"]),
    "prefs": ("1 0 0 oats 2\n1 0 0 rice 1\n1 0 1 rye 1\n2 0 0 rye 1\n", ["-R", "prefs", "-m", "all_prefs"]),
    "qrels_jg": ("1 g1 oats 2\n1 g2 oats 1\n1 g1 rye 0\n2 g1 rye 1\n", ["-R", "qrels_jg", "-m", "qrels_jg"]),
}


@pytest.mark.parametrize("which", ["judgments", "run"])
@pytest.mark.parametrize("form", OF_TREC_EVAL)
def test_trec_eval(form, which, folder, capfd):
    judgments, options = OF_TREC_EVAL[form]
    written(judgments, "judgments")
    written(TREC_RUN.partition("\n")[2], "run")

    def attempt(content: bytes) -> bool:
        written(content, which)
        return min(trec_eval(["--like", like, *options, "judgments", "run"]).status for like in ("9", "10")) > 0

    content = Path(which).read_bytes()
    assert not attempt(content)
    fuzz(f"trec_eval {form} {which}", content, OTHERS, attempt, capfd)


@pytest.mark.parametrize("which", ["judgments", "run"])
def test_inex_eval(which, folder, capfd):
    written(FOL_QRELS, "judgments")
    written(FOL_RUN, "run")

    def attempt(content: bytes) -> bool:
        written(content, which)
        # the run is one of the first task only, as its results overlap
        return min(inex_eval([task, "judgments", "run"]).status for task in ("-t", "-f", "-b")) > 0

    content = Path(which).read_bytes()
    assert not attempt(content)
    fuzz(f"inex_eval {which}", content, OTHERS, attempt, capfd)


CONFIGURATION = """# one run
TASK: CO.Focussed
METRICS: nxCG, ep/gr, q
OVERLAP: on
QUANT_FUNCTIONS: gen, strict
DCV: 2, 4
"""
# these are not mutated: any folder may be named, and all below it is searched
FOLDERS = b"\nASSESSMENTS_DIR: assessments/\nSUBMISSIONRUNS_DIR: runs/\n"


def test_the_configuration_of_evalj(folder, capfd):
    written(SPECIMENS["inex judgments"].content, "assessments/pool-11.xml")
    run = SPECIMENS["inex run of paths"].content.replace(b'task="Focused"', b'task="CO.Focussed"')
    written(run, "runs/slow.xml")

    def attempt(content: bytes) -> bool:
        return refused(lambda: list(evalj(written(content + FOLDERS, "config.prop")))) is not None

    assert not attempt(CONFIGURATION.encode())
    fuzz("evalj", CONFIGURATION.encode(), OTHERS, attempt, capfd)

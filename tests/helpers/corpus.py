"""A small valid file for every reader: what a fuzzer starts from. All of it was written for these tests.

Three documents, two topics. The offsets are those of the documents' texts.
"""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from dataclasses import dataclass

from assay.vocabulary import FileKind
from helpers.files import bytes_of, parquet

OATS = """<?xml version="1.0"?>
<!DOCTYPE article [<!ENTITY deg "&#176;">]>
<article><title>Oats</title>\
<sec><p>Oats need <it>slow</it> heat, 90&deg; &amp; time.</p><p>Stir them.</p></sec></article>
"""
RICE = """<article><title>Rice</title><!-- short --><p>Rinse it.</p>\
<p>Rest it <![CDATA[<covered>]]> for ten minutes.</p></article>
"""
RYE = "Rye flour takes up more water.\nIt is sour – and dark.\n"
FILES = {"oats.xml": OATS, "grain/rice.xml": RICE, "rye.txt": RYE}


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
    return out.getvalue()


def tarred(mode: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, content in FILES.items():
            member = tarfile.TarInfo(name)
            member.size = len(content.encode())
            archive.addfile(member, io.BytesIO(content.encode()))
    return out.getvalue()


def lines(*rows: dict[str, object]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


JSONL_DOCUMENTS = lines(
    {"id": "oats", "xml": OATS.partition("?>")[2].strip()}, {"id": "rice", "xml": RICE}, {"id": "rye", "text": RYE}
)


@dataclass(frozen=True)
class Specimen:
    """A run or judgments, and the name of the judgments or run beside it.

    `told`: its format is not recognised. `documents`: they are needed to read it.
    """

    kind: FileKind
    format: str
    content: bytes
    partner: str
    told: bool = False
    documents: bool = False


SPECIMENS: dict[str, Specimen] = {}


def specimen(name: str, content: str | bytes, partner: str, *, told: bool = False, documents: bool = False) -> None:
    format, kind = name.split(" ")[:2]
    what: FileKind = "run" if kind == "run" else "judgments"
    SPECIMENS[name] = Specimen(what, format, bytes_of(content), partner, told, documents)


# Whole documents.

TREC_RUN = """# two topics
1 Q0 oats 1 2.5 slow
1 Q0 rice 2 2.5 slow
1 Q0 rye 3 -1e-3 slow
2 Q0 rye 1 7 slow
2 Q0 barley 2 6 slow
"""
TREC_QRELS = "1 0 oats 2\n1 0 rye 0\n1 0 rice 1\n2 0 rye 1\n2 0 oats -1\n"
specimen("trec run", TREC_RUN, "trec judgments")
specimen("trec judgments", TREC_QRELS, "trec run")
specimen("trec judgments of subtopics", "1 1 oats 1\n1 2 oats 1\n1 2 rye 0\n1 3 rice 1\n2 1 rye 1\n", "trec run")

specimen("sampled judgments", "1 0 oats 1 2\n1 0 rye 1 0\n1 0 rice 2 -1\n2 0 rye 1 1\n", "trec run")

CSV_RUN = 'qid,docno,score\n1,oats,2.5\n1,"rice",1.5\n2,rye,7\n'
CSV_QRELS = 'query_id,doc_id,relevance\n1,oats,2\n1,rye,0\n"2",rye,1\n'
specimen("csv run", CSV_RUN, "csv judgments")
specimen("csv judgments", CSV_QRELS, "csv run")
specimen("csv judgments of subtopics", "topic,document,subtopic,grade\n1,oats,a,1\n1,oats,b,2\n1,rye,,0\n", "csv run")
specimen("tsv run", "topic\tdocument\trank\n1\toats\t1\n1\trice\t2\n2\trye\t1\n", "trec judgments")
specimen("tsv judgments", "query-id\tcorpus-id\tscore\n1\toats\t2\n1\trye\t0\n2\trye\t1\n", "trec run")
specimen(
    "jsonl run",
    lines(
        {"topic": "1", "document": "oats", "score": 2.5},
        {"topic": "1", "document": "rice", "score": 1},
        {"topic": "2", "document": "rye", "score": 7e-3},
    ),
    "trec judgments",
)
specimen(
    "jsonl run of an array",
    json.dumps([
        {"topic": "1", "document": "oats", "score": 2.5, "metadata": {"page": [1, 2]}},
        {"topic": "1", "document": "rice", "score": 1},
        {"topic": "2", "document": "rye", "score": 7e-3},
    ]),
    "trec judgments",
)
specimen("json run", json.dumps({"1": {"oats": 2.5, "rice": 1}, "2": {"rye": 7e-3}}), "trec judgments")
specimen(
    "json run of a log",
    lines({"query_id": "1", "ms": 7, "results": ["oats", "rice"]}, {"query_id": "2", "results": [{"doc_id": "rye"}]}),
    "trec judgments",
)
specimen("json judgments", json.dumps({"1": {"oats": 2, "rye": 0}, "2": {"rye": 1}}), "trec run")
specimen(
    "json run of texts",
    json.dumps({"1": [{"doc_id": "rye", "text": "It is sour"}, "Stir them."], "2": [["Rye flour takes up", 0.5]]}),
    "jsonl judgments of spans",
    documents=True,
)
specimen(
    "jsonl judgments",
    lines(
        {"qid": 1, "doc_id": "oats", "rel": 2},
        {"qid": 1, "doc_id": "rye", "rel": 0},
        {"qid": 2, "doc_id": "rye", "rel": 1},
    ),
    "trec run",
)
specimen(
    "parquet run",
    parquet(topic=["1", "1", "2"], document=["oats", "rice", "rye"], score=[2.5, 1.5, 7]),
    "trec judgments",
)
specimen("parquet judgments", parquet(qid=[1, 1, 2], docno=["oats", "rye", "rye"], grade=[2, 0, 1]), "trec run")

# Passages and elements of documents.

FOL_RUN = "1 Q0 oats 1 0.9 t 4 20\n1 Q0 oats 2 0.8 t 10 30\n1 Q0 rice 3 0.7 t 0 13\n2 Q0 rye 1 0.9 t 0 31\n"
FOL_QRELS = "1 Q0 oats 19 46 4 4:10 14:9\n1 Q0 rice 0 47\n2 Q0 rye 31 54 0 0:31\n"
specimen("fol run", FOL_RUN, "fol judgments")
specimen("fol judgments", FOL_QRELS, "fol run")
specimen(
    "elements run",
    "1 Q0 oats 1 0.9 t /article[1]/sec[1]/p[1]\n1 Q0 rice 2 0.8 t /article[1]/p[1] /article[1]/p[2]\n"
    "1 Q0 oats 3 0.7 t /article[1]/title[1]/text()[1].2\n",
    "fol judgments",
    documents=True,
)
specimen("genomics run", "1 oats 1 0.9 4 20 t\n1 rice 2 0.8 0 13 t\n2 rye 1 0.7 0 31 t\n", "genomics judgments")
specimen(
    "genomics judgments", "1\toats\t4\t19\tHEAT|TIME\n1\trice\t4\t9\tWATER\n2\trye\t0\t31\tWATER\n", "genomics run"
)
specimen("spans run", "1\t1\toats\t4\t24\t0.9\n1\t2\trice\t0\t13\t0.8\n2\t1\trye\t0\t31\t0.7\n", "fol judgments")
specimen("spans judgments", "1\toats\t4\t23\n1\trice\t4\t13\n2\trye\t0\t31\n", "spans run", told=True)
specimen(
    "csv run of spans",
    "topic,document,start,end,score\n1,oats,4,24,0.9\n1,rice,0,13,0.8\n2,rye,0,31,0.7\n",
    "fol judgments",
)
specimen(
    "jsonl judgments of spans",
    lines(
        {"topic": "1", "document": "oats", "start": 4, "end": 23, "document_length": 46, "bep": 4},
        {"topic": "2", "document": "rye", "start": 0, "end": 31},
    ),
    "fol run",
)
specimen(
    "parquet run of spans",
    parquet(topic=[1, 2], document=["oats", "rye"], start=[4, 0], end=[24, 31], rank=[1, 1]),
    "fol judgments",
)
specimen(
    "jsonl run of texts",
    lines(
        {"query_id": "1", "doc_id": "oats", "rank": 1, "text": "Oats need slow heat"},
        {"query_id": "1", "doc_id": "rice", "rank": 2, "text": "Rinse it."},
        {"query_id": "2", "doc_id": "rye", "rank": 1, "text": "more  water"},
    ),
    "fol judgments",
    documents=True,
)
specimen(
    "csv judgments of texts",
    'topic,doc_id,quote\n1,oats,"slow heat, 90"\n1,rice,Rest it ... ten minutes.\n2,rye,takes up more water.\n',
    "jsonl run of texts",
    documents=True,
)

# INEX's XML.

RESULT = "<result><file>{}</file>{}<rank>{}</rank><rsv>{}</rsv></result>\n"


def submission(*topics: str) -> str:
    inside = "".join(f'<topic topic-id="{number}">\n{results}</topic>\n' for number, results in enumerate(topics, 1))
    head = '<inex-submission participant-id="1" run-id="slow" task="Focused" query="automatic">'
    return f'<?xml version="1.0"?>\n{head}\n<description>by hand</description>\n{inside}</inex-submission>\n'


specimen(
    "inex run of paths",
    submission(
        RESULT.format("oats", "<path>/article[1]/sec[1]/p[1]</path>", 1, 0.9)
        + RESULT.format("rice", "<path>/article[1]</path>", 2, 0.8),
        RESULT.format("oats", "<path>/article[1]/title[1]</path>", 1, 0.9),
    ),
    "inex judgments",
)
specimen(
    "inex run of passages",
    submission(
        RESULT.format(
            "oats", '<passage start="/article[1]/title[1]" end="/article[1]/sec[1]/p[1]/text()[1].5"/>', 1, 0.9
        )
        + RESULT.format("rice", '<passage start="/article[1]/p[1]" end="/article[1]/p[2]"/>', 2, 0.8)
    ),
    "fol judgments",
    documents=True,
)
specimen(
    "inex run of offsets",
    submission(
        RESULT.format("oats", '<fol offset="4" length="20"/>', 1, 0.9),
        RESULT.format("rye", '<fol offset="0" length="31"/>', 1, 3),
    ),
    "fol judgments",
)
specimen(
    "inex judgments",
    """<assessments pool="11" topic="1" version="2">
<file collection="grain" name="oats">
  <best-entry-point path="/article[1]/sec[1]/p[1]/text()[1].0"/>
  <passage start="/article[1]/sec[1]/p[1]/text()[1].0" end="/article[1]/sec[1]/p[1]" size="32"/>
  <element path="/article[1]" exhaustivity="2" size="46" rsize="32"/>
  <element path="/article[1]/sec[1]" exhaustivity="2" size="42" rsize="32"/>
  <element path="/article[1]/sec[1]/p[1]" exhaustivity="1" size="32" rsize="32"/>
  <element path="/article[1]/sec[1]/p[1]/it[1]" exhaustivity="?" size="4" rsize="4"/>
</file>
<file collection="grain" name="rice"/>
</assessments>
""",
    "inex run of paths",
    documents=True,
)
specimen(
    "inex judgments of 2003",
    """<assessments topic="1"><file file="oats">
<path path="/article[1]" exhaustiveness="3" specificity="1"/>
<path path="/article[1]/sec[1]" exhaustiveness="3" specificity="3"/>
</file><file file="rice"><path path="/article[1]" relevance="2" coverage="L"/></file></assessments>
""",
    "inex run of paths",
)

# Topics with their titles.

TITLES = {
    "INEX": '<inex_topics><inex_topic topic_id="1"><title>slow <b>oats</b> &amp; heat</title></inex_topic>\n'
    '<inex_topic topic_id="2"><castitle>//p[about(., rye)]</castitle></inex_topic></inex_topics>\n',
    "TREC": "<top>\n<num> Number: 1\n<title> slow oats &amp; heat\n\n<desc> Description:\nlong\n</top>\n\n"
    "<top>\n<num> Number: 002\n<title> Topic: rye\n</top>\n",
    "TSV": "qid\tquery\n1\tslow oats\n2\trye\n",
    "JSONL": lines({"query_id": 1, "text": "slow oats"}, {"query_id": "2", "question": "rye"}),
}

# Texts whose places are looked for.

TEXTS = {
    "JSONL": lines(
        {"doc_id": "oats", "text": "slow heat"},
        {"text": "Rest it ... ten minutes."},
        {"doc_id": "rye", "text": "it is SOUR - and"},
    ).encode(),
    "CSV": b'doc_id,text\noats,"slow  heat, 90"\n,takes up more water\n',
    "Parquet": parquet(doc_id=["oats", None], quote=["slow heat", "takes up more water"]),
}

# All chunks of a corpus, which have texts or places.
CHUNKS = TEXTS | {
    "JSONL of places": lines({"doc_id": "rye", "start": 0, "end": 9, "text": RYE[:9]}, {"source": "oats", "start": 3, "end": 20}).encode(),
    "JSON of places": b'[{"doc_id": "rye", "start": 0, "end": 9}, {"file": "docs/rye.txt", "start_index": 9, "end_index": 17}]',
    "CSV of places": b"doc_id,start,end\nrye,0,9\noats,3,20\n",
}

# Gold evidence, and logs of texts. All of it is in one document, which is text.

FLOUR, SOUR = RYE[:9], RYE[31:44]
RYE_ANSWERS = [{"text": FLOUR, "answer_start": 0}]
specimen(
    "squad judgments",
    json.dumps({"version": "2.0", "data": [{"title": "rye", "paragraphs": [{"context": RYE, "qas": [
        {"id": "2", "question": "which flour?", "answers": RYE_ANSWERS, "is_impossible": False},
        {"id": "1", "question": "how does it taste?", "answers": [{"text": SOUR, "answer_start": 31}], "is_impossible": False},
    ]}]}]}),
    "fol run",
)  # fmt: skip
SNIPPETS = [{"file_path": "rye", "span": [0, 9], "answer": FLOUR}]
specimen("legalbench judgments", json.dumps({"tests": [{"query": "2", "snippets": SNIPPETS}]}), "fol run")
EXCERPTS = json.dumps([{"content": FLOUR, "start_index": 0, "end_index": 9}]).replace('"', '""')
specimen("chroma judgments", f'question,references,corpus_id\n2,"{EXCERPTS}",rye\n', "fol run")
specimen(
    "clapnq judgments",
    lines({"id": "2", "input": "which flour?", "passages": [{"title": "Rye", "text": RYE, "sentences": [FLOUR, SOUR]}],
           "output": [{"answer": "rye", "selected_sentences": [FLOUR]}]}),
    "jsonl run of a question",
)  # fmt: skip
# a passage is called by the id of its question
specimen(
    "jsonl run of a question",
    lines({"topic": "2", "document": "2", "start": 0, "end": 9, "rank": 1}),
    "clapnq judgments",
)
specimen("doccano judgments", lines({"id": "rye", "text": RYE, "label": [[0, 9, "2"], [31, 44, "1"]]}), "fol run")
REGION = {"start": 0, "end": 9, "text": FLOUR, "labels": ["2"]}
REGIONS = [{"from_name": "label", "to_name": "text", "type": "labels", "value": REGION}]
specimen(
    "label_studio judgments",
    json.dumps([{"id": 1, "data": {"doc_id": "rye", "text": RYE}, "annotations": [{"result": REGIONS}]}]),
    "fol run",
)
specimen(
    "brat judgments",
    f"T1\t2 0 9\t{FLOUR}\nT2\t1 31 35;40 44\tIt i our \n#1\tAnnotatorNotes T1\t2\n",
    "jsonl run of a file",
)
# the document of brat's file is called as the file is
IN_FILE, IN_RYE = ({"topic": "2", "document": name, "start": 0, "end": 9, "rank": 1} for name in ("file", "rye"))
specimen("jsonl run of a file", lines(IN_FILE, IN_RYE | {"rank": 2}), "fol judgments")
LOG = lines({"user_input": "2", "retrieved_contexts": [SOUR, FLOUR], "reference_contexts": [FLOUR], "response": "rye"})
specimen("ragas run", LOG, "ragas judgments", documents=True)
specimen("ragas judgments", LOG, "ragas run", documents=True)
PAGES = [{"wikipedia_id": "rye", "title": "Rye", "start_paragraph_id": 0, "start_character": 0, "end_paragraph_id": 0,
          "end_character": 9}]  # fmt: skip
specimen(
    "kilt judgments",
    lines(
        {"id": "2", "input": "which flour?", "output": [{"answer": "rye", "provenance": PAGES}]},
        {"id": "1", "input": "and?", "output": [{"provenance": [{"wikipedia_id": "oats"}]}, {"provenance": PAGES}]},
    ),
    "kilt run",
)
specimen(
    "kilt run",
    lines({"id": "2", "output": [{"provenance": [{"wikipedia_id": "rye"}, {"wikipedia_id": "oats"}]}]}),
    "kilt judgments",
)
FACTS = [["Rye", 0], ["Rye", 1]]
specimen(
    "hotpot judgments",
    json.dumps([{"_id": "2", "question": "which flour?", "supporting_facts": FACTS, "context": [["Rye", [FLOUR, SOUR]]]}]),
    "hotpot run",
)
specimen("hotpot run", json.dumps({"answer": {"2": "rye"}, "sp": {"2": [["Rye", 1], ["Oats", 0]]}}), "hotpot judgments")
SNIPPET = {"document": "http://pubmed/rye", "text": FLOUR, "offsetInBeginSection": 0, "offsetInEndSection": 8,
           "beginSection": "abstract", "endSection": "abstract"}  # fmt: skip
BIOASQ = json.dumps({"questions": [{"id": "2", "body": "which flour?", "snippets": [SNIPPET]}]})
specimen("bioasq judgments", BIOASQ, "bioasq run")
specimen("bioasq run", BIOASQ, "bioasq judgments")
PAPER = {"title": "Rye", "abstract": FLOUR, "full_text": [{"section_name": "Taste", "paragraphs": [SOUR]}],
         "qas": [{"question": "?", "question_id": "2", "answers": [{"answer": {"evidence": [FLOUR, SOUR]}}]}]}  # fmt: skip
specimen("qasper judgments", json.dumps({"paper": PAPER}), "jsonl run of a paper")
specimen(
    "jsonl run of a paper",
    lines({"topic": "2", "document": "paper", "start": 0, "end": 9, "rank": 1}),
    "qasper judgments",
)
NUGGETS = lines({"qid": "2", "run_id": "rye", "nuggets": [
    {"text": FLOUR, "importance": "vital", "assignment": "support"}, {"text": SOUR, "assignment": "partial_support"}]})  # fmt: skip
specimen("nuggets judgments", NUGGETS, "nuggets run")
specimen("nuggets run", NUGGETS, "nuggets judgments")
SEGMENT = {"docid": "rye#0_1", "score": 1.5, "doc": {"segment": FLOUR, "start_char": 0, "end_char": 9}}
specimen("trec_rag run", lines({"query": {"qid": "2", "text": "which flour?"}, "candidates": [SEGMENT]}), "fol judgments")
SELECTED = [{"type": "TextPositionSelector", "start": 0, "end": 9}, {"type": "TextQuoteSelector", "exact": FLOUR}]
specimen(
    "web_annotation judgments",
    json.dumps([{"type": "Annotation", "body": {"value": "2"}, "target": {"source": "rye", "selector": SELECTED}}]),
    "fol run",
)

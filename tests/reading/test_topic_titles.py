"""The titles of topics: every dialect says the same, and what is wrong is told with its line."""

import gzip

import pytest

from assay.errors import InputError
from assay.reading.topics import read_titles
from helpers.files import written
from helpers.places import DATA, EXAMPLES

INEX_2009 = """<?xml version="1.0"?>
<!DOCTYPE inex-topic-file [
<!ENTITY lt "lessthan">
<!ENTITY amp "ampersand">
<!ELEMENT topic (title,castitle)>
]>
<inex-topic-file>
<topic id="7" ct_no="186"><title>salt &amp; bread</title><castitle>//article[about(., salt)]</castitle></topic>
<topic id="8" ct_no="187">
  <title>
    rye
    bread</title><castitle>//article[about(., rye)]</castitle></topic>
</inex-topic-file>
"""
INEX_2006 = """<?xml version="1.0" encoding="ISO-8859-1"?>
<inex_topics>
<inex_topic topic_id="7" query_type="CO+S" ct_no="1"><InitialTopicStatement>all of it</InitialTopicStatement>
<title>salt &amp; bread</title><description>long</description></inex_topic>
<inex_topic topic_id="8" query_type="CO+S" ct_no="2"><title>rye bread</title></inex_topic>
</inex_topics>
"""
INEX_2003 = """<inex><INEX-Topic topic-id="7" query-type="CO"><Title><cw>salt</cw> &amp; <ce>bread</ce></Title></INEX-Topic>
<INEX-Topic topic-id="8"><Title>rye bread</Title></INEX-Topic></inex>"""
TREC_WEB = """<webtrack2009>
<topic number="7" type="faceted"><query> salt &amp; bread </query><description>long</description></topic>
<topic number="8" type="faceted"><query>rye bread</query></topic>
</webtrack2009>"""
TREC = """
<top>

<num> Number: 7
<title> salt &amp; bread

<desc> Description:
What is written here is no title.

<narr> Narrative:
Nor this.

</top>

<top>
<num> Number:  008
<title> Topic:  rye
bread
<desc> Description:
long
</top>
"""
TREC_CLOSED = (
    "<TOP><NUM>7</NUM><TITLE>salt & bread</TITLE></TOP>\n<top><num> Number: 8 </num><title>rye bread</title></top>"
)
TSV = "7\tsalt & bread\n\n8\trye bread\n"
TSV_NAMED = "topic\ttitle\n7\tsalt & bread\n8\trye bread\n"
TSV_MORE = "Title\tnumber of words\tqid\r\nsalt & bread\t3\t7\r\nrye bread\t2\t8\r\n"
JSONL = '{"topic": "7", "title": "salt & bread"}\n\n{"topic": 8, "title": "rye bread"}\n'
JSONL_BEIR = '{"_id": "7", "text": "salt & bread", "metadata": {}}\n{"_id": "8", "text": "rye bread"}\n'
JSONL_QUERIES = '{"query_id": 7, "query": "salt & bread"}\n{"query_id": 8, "query": "rye bread"}\n'


@pytest.mark.parametrize(
    "text",
    [
        INEX_2009,
        INEX_2006,
        INEX_2003,
        TREC_WEB,
        TREC,
        TREC_CLOSED,
        TSV,
        TSV_NAMED,
        TSV_MORE,
        JSONL,
        JSONL_BEIR,
        JSONL_QUERIES,
    ],
)
def test_every_dialect_says_the_same(tmp_path, text):
    titles = read_titles(written(text, tmp_path / "topics"))
    assert (len(titles), titles.of("7"), titles.of("8"), titles.of("9")) == (2, "salt & bread", "rye bread", None)


def test_numbers_are_compared_as_numbers_and_names_as_names(tmp_path):
    titles = read_titles(written("051\tone\nT051\ttwo\n0\tnothing\n", tmp_path / "topics"))
    assert [titles.of(topic) for topic in ("51", "051", "0051", "T051", "T51", "0", "00")] == [
        "one", "one", "one", "two", None, "nothing", "nothing",
    ]  # fmt: skip


def test_an_exact_id_comes_before_an_equal_number(tmp_path):
    titles = read_titles(written("1\tone\n01\tzero one\n", tmp_path / "topics"))
    assert (titles.of("1"), titles.of("01")) == ("one", "zero one")


def test_a_topic_without_a_title_has_that_of_its_structured_query(tmp_path):
    cas = '<inex_topic topic_id="3" query_type="CAS"><title> </title><castitle>//sec[about(., rye)]</castitle></inex_topic>'
    assert read_titles(written(cas, tmp_path / "topics")).of("3") == "//sec[about(., rye)]"


def test_an_entity_is_the_character_of_its_name(tmp_path):
    declared = '<!DOCTYPE topic SYSTEM "topics.dtd" [<!ENTITY file SYSTEM "file:///etc/hostname">]>'
    text = declared + '<topic id="1"><title>caf&eacute; &file;</title></topic>'
    assert read_titles(written(text, tmp_path / "topics")).of("1") == "café \ufffd"


def test_a_folder_has_a_file_for_each_topic(tmp_path):
    for number in (1, 2):
        (tmp_path / f"{number}.xml").write_text(
            f'<inex_topic topic_id="{number}"><title>title {number}</title></inex_topic>'
        )
    titles = read_titles(tmp_path)
    assert [titles.of("1"), titles.of("2")] == ["title 1", "title 2"]


def test_a_compressed_file_is_read(tmp_path):
    path = tmp_path / "topics.gz"
    path.write_bytes(gzip.compress(TREC.encode()))
    assert read_titles(path).of("8") == "rye bread"


def test_the_examples_have_titles():
    assert read_titles(EXAMPLES / "topics.tsv").of("10") == "what to do with stale bread"
    assert read_titles(EXAMPLES / "focused" / "topics.tsv").of("1") == "crisp crust from steam"


@pytest.mark.shared("inex")
def test_the_topics_of_inex_2009_are_read():
    titles = read_titles(DATA / "inex" / "INEX-2009-topics.xml")
    assert (len(titles), titles.of("2009001"), titles.of("2010001")) == (115, "Nobel prize", None)
    assert titles.of("2009006") == "opera singer italian spanish -soprano"


WIDTH = "expected 2 values separated by tabs, with a topic and its title"
KINDS = "expected topics as XML of INEX or TREC, <top> elements, TSV (topic, tab, title), CSV or JSONL"
NAMES = "topic_id, topic-id, query_id, query-id, qid, q_id, _id, id, number, num, topic"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "topics: the input is empty; expected topics"),
        ("\n\n", "topics: the input is empty; expected topics"),
        ("7 salt\n", f"topics:1: {WIDTH}, found 1: '7 salt'"),
        ("7\tsalt\tbread\n", f"topics:1: {WIDTH}, found 3: '7\\tsalt\\tbread'"),
        ("7\tsalt\n8\n", f"topics:2: {WIDTH}, found 1: '8'"),
        ("7\tsalt\n8\t \n", "topics:2: topic '8' has no title; expected a title or a question"),
        ("7\tsalt\n\tbread\n", "topics:2: the topic is empty: '\\tbread'"),
        ("7\tsalt\n8\trye\n7\tbread\n", "topics:3: topic 7 has two titles (first on line 1)"),
        ("\n<top>\n<title> salt\n</top>\n", "topics:2: a <top> has no <num>; expected the number of the topic"),
        ("<top>\n<num> Number: 7\n</top>\n", "topics:1: topic '7' has no title; expected a title or a question"),
        ("<topics>\n<topic><title>salt</title></topic></topics>",
         "topics:2: a <topic> has no id; expected an attribute such as id or topic_id"),
        ('<topic id="7"><title/></topic>', "topics:1: topic '7' has no title; expected a title or a question"),
        ("<html><p>salt</p></html>", f"topics: there are no topics in this file; {KINDS}"),
        ('{"topic": "7"}', "topics:1: topic '7' has no title; expected a title or a question"),
        ('{"title": "salt"}', f"topics:1: no topic here; expected one of {NAMES}: '{{\"title\": \"salt\"}}'"),
        ('{"topic": "7", "title": "salt"}\n[1]\n', "topics:2: expected a JSON object, found '[1]'"),
        ('{"topic": "7", "title": "salt"\n',
         "topics:1: not valid JSON (Expecting ',' delimiter at column 31): '{\"topic\": \"7\", \"title\": \"salt\"'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(folder, text, said):
    written(text, "topics")
    with pytest.raises(InputError) as error:
        read_titles("topics")
    assert str(error.value) == said


def test_malformed_xml_is_told_with_its_line(folder):
    written('<topics>\n<topic id="1"><title>salt</topic></topics>', "topics")
    with pytest.raises(
        InputError, match=r"^topics:2: not well-formed XML \(column \d+\): Opening and ending tag mismatch"
    ):
        read_titles("topics")


def test_a_file_that_is_not_there_is_told():
    with pytest.raises(InputError) as error:
        read_titles("nowhere/topics.tsv")
    assert str(error.value) == "nowhere/topics.tsv: no such file"


def test_a_folder_without_topics_is_told(tmp_path):
    with pytest.raises(InputError) as error:
        read_titles(tmp_path)
    assert str(error.value) == f"{tmp_path}: the folder has no XML file; expected a folder with XML files of topics"


def test_other_bytes_than_utf_8_are_refused(tmp_path):
    path = tmp_path / "topics.tsv"
    path.write_bytes(b"1\tcaf\xe9\n")
    with pytest.raises(InputError) as error:
        read_titles(path)
    assert str(error.value) == f"{path}:1: not UTF-8 (byte 0xE9); convert the file, for example with iconv"

"""What SECURITY.md promises of hostile input, as far as no other module tests it; and that what it names is there."""

import ast
import csv
import json
import re
import shlex
import socket
import threading

import pytest
from lxml import html
from markdown_it import MarkdownIt

import assay
from assay.errors import InputError, UsageError, printable
from assay.reading.topics import read_titles
from assay.vocabulary import LAYOUTS
from helpers.commands import each_on_a_terminal, invoke
from helpers.corpus import SPECIMENS, TITLES
from helpers.files import written
from helpers.places import ROOT

PAGE = (ROOT / "SECURITY.md").read_text("utf-8")
NAMED = re.findall(r"`(tests/[\w/.]+)::(\w+)`", PAGE)


def test_every_promise_names_its_test():
    promises = PAGE.partition("## What Assay promises")[2].partition("## What Assay does not promise")[0]
    assert all("tests/" in promise for promise in promises.strip().split("\n\n"))
    assert len(NAMED) == PAGE.count("::")


@pytest.mark.parametrize(("module", "name"), NAMED)
def test_the_tests_that_are_named_are_there(module, name):
    tree = ast.parse((ROOT / module).read_text("utf-8"))
    assert name in [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


# XML


@pytest.fixture
def listener():
    """A server that notes whether anybody asks it for something, and its address."""
    asked = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)

        def listen():
            try:
                while True:
                    server.accept()[0].close()
                    asked.append("asked")
            except OSError:
                pass

        thread = threading.Thread(target=listen)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", asked
        thread.join()


READERS = {
    "run": (SPECIMENS["inex run of paths"].content.decode().partition("?>\n")[2], assay.read_run, "by hand"),
    "assessments": (SPECIMENS["inex judgments of 2003"].content.decode(), assay.read_judgments, '<file file="'),
    "topics": (TITLES["INEX"], read_titles, "slow "),
}


@pytest.mark.parametrize("reader", READERS)
def test_xml_opens_nothing_else(reader, folder, listener):
    text, read, place = READERS[reader]
    address, asked = listener
    root = re.match(r"<([\w-]+)", text)[1]
    secret = folder / "secret"
    secret.write_text("<!ENTITY x 'SECRET'>")
    for where in (secret.as_uri(), f"{address}/x"):
        heads = [
            f'<!DOCTYPE {root} SYSTEM "{where}">',
            f'<!DOCTYPE {root} [<!ENTITY % p SYSTEM "{where}"> %p;]>',
            f'<!DOCTYPE {root} [<!ENTITY x SYSTEM "{where}">]>',
        ]
        for head in heads:
            try:
                table = read(written(f'{head}\n{text.replace(place, f"{place}&x;", 1)}'))
            except InputError as error:
                assert "SECRET" not in str(error)
            else:
                assert "SECRET" not in repr(vars(table))
    assert asked == []


@pytest.mark.parametrize("reader", READERS)
def test_entities_do_not_grow(reader, folder):
    text, read, place = READERS[reader]
    root = re.match(r"<([\w-]+)", text)[1]
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    path = written(f'<!DOCTYPE {root} [<!ENTITY l0 "lol">{laughs}]>\n{text.replace(place, f"{place}&l9;", 1)}')
    with pytest.raises(InputError, match=r"^file:\d: the XML entities expand to too much text; expected a document without nested entities$"):
        read(path)


# What is shown


CONTROLS = ["\x1b[31mred", "\x07", "\x9b2J", "\u202egnp", "a\u2028b", "\x7f"]


@pytest.mark.parametrize("control", CONTROLS)
def test_no_id_can_write_on_a_terminal(control, folder):
    lines = f"1 Q0 {control} 1 2 t\n1 Q0 b 2 1 t\n"
    run, judgments = written(lines, "r"), written(f"1 0 {control} 1\n2 0 a 1\n{control} 0 a 0\n", "q")
    again = written(lines * 2, "again")
    commands = (
        ["check", judgments, run, again],
        ["evaluate", judgments, again],
        ["evaluate", judgments, run, "-m", "AP"],
    )
    done = [invoke(*words) for words in commands]
    assert [each.exit_code for each in done] == [1, 1, 0]
    for text in (done[0].stdout, done[1].stderr, done[2].stderr):
        assert printable(control) in text
        assert all(line == printable(line) for line in text.split("\n"))


def test_a_table_in_html_has_no_markup_but_its_own(folder):
    name = "<script>alert(1)</script>&\"'"
    shown = assay.evaluate({name: {"d": 1}}, {name: {name: {"d": 1}}}, "AP").show("html", per_topic=True)
    tree = html.fromstring(shown)
    assert name in [cell.text_content() for cell in tree.iter("td", "th")]
    assert {element.tag for element in tree.iter()} <= {"table", "thead", "tbody", "tr", "td", "th"}


HOSTILE = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))", "![x](http://e/x.png)"]
HOSTILE += ["<a|b", "a\\[x](javascript:1)", "&lt;b&gt;", "*x*", "_x_", "__x__ y", "`x`", "~~x~~", "<!-- x -->", "x\\"]


def markup_and_texts(markdown):
    """Which marks a parser of GitHub's Markdown sees, and the texts of paragraphs, headings and cells."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parts = [token for token in parser.parse(markdown) if token.type == "inline" or "html" in token.type]
    children = [[part] if part.children is None else part.children for part in parts]
    seen = {child.tag or child.content for each in children for child in each if child.type != "text"}
    return seen, ["".join(child.content for child in each if child.type == "text") for each in children]


@pytest.mark.parametrize("name", HOSTILE)
def test_markdown_has_no_markup_but_its_own(name, folder):
    gold, run = {name: {"d": 1}, "b": {"d": 1}}, {name: {"e": 1}, "b": {"e": 1}}
    scores = assay.evaluate(gold, {name: run, "o": gold}, "AP")
    questions = [{"_id": name, "text": f"{name} {name}"}, {"_id": "b", "text": "x"}]
    written("".join(json.dumps(each) + "\n" for each in questions), "topics.jsonl")
    shown = [
        scores.show("md", per_topic=True),
        assay.significance_table(scores).show("md", caption=name),
        assay.gate(gold, {name: run}, require="AP >= 0.9", topics_file="topics.jsonl").show("md"),
        invoke("gate", f"{name}.qrels", "run", "--require", "AP > 0", "--as", "md").stdout,
    ]
    names = [name, name, f"{name} {name}", f"{name}.qrels: no such file"]
    for text, expected in zip(shown, names, strict=True):
        seen, texts = markup_and_texts(text)
        assert seen <= {"strong", "<sup>", "</sup>"}
        assert expected in texts


def test_no_id_can_write_on_a_terminal_by_any_command(folder):
    control = "\x1b]0;x\x07\x9b2J\u202ed"
    judgments, run = written(json.dumps({control: {control: 1}}), "q.json"), written(json.dumps({control: {control: 1}}), "r.json")
    commands = [
        *(["evaluate", judgments, run, "-m", "AP", "-q", "--as", layout] for layout in LAYOUTS),
        ["convert", run, "--to", "csv"],
        ["convert", run, "--to", "jsonl"],
        ["trec_eval", "-q", written(f"{control} 0 d 1\n", "q"), written(f"{control} Q0 d 1 1 t\n", "r")],
    ]
    typed = [shlex.join(["assay", *words]) for words in commands]
    shown = each_on_a_terminal(typed, folder)
    for words, command in zip(commands, typed, strict=True):
        piped = invoke(*words)
        assert piped.exit_code == 0, piped.output
        seen = shown[command]
        assert all(line == printable(line) for line in seen.replace("\t", " ").split("\n")), words
        if words[0] == "evaluate" and words[-1] == "json":
            assert json.loads(seen) == json.loads(piped.stdout)
        if words[0] == "evaluate" and words[-1] in ("tsv", "csv", "json"):
            assert control.strip() in piped.stdout or words[-1] == "json"


def test_cells_that_a_spreadsheet_would_run_are_texts_where_that_is_asked_for(folder):
    names = ["=1+1", "+x", "-x", "@x", "-1", "a=b", "x,=y", 'q"=']
    judgments = written(json.dumps({name: {"d": 1} for name in names}), "q.json")
    run = written(json.dumps({name: {"d": 1} for name in names}), "r.json")
    words = ["evaluate", judgments, run, "-m", "AP", "-q", "--quiet"]
    for layout, separator in (("csv", ","), ("tsv", "\t")):
        plain = invoke(*words, "--as", layout).stdout
        safe = invoke(*words, "--as", layout, "--spreadsheet-safe").stdout
        column = [row[1] for row in csv.reader(plain.splitlines(), delimiter=separator)]
        assert set(names) < set(column)
        assert [row[1] for row in csv.reader(safe.splitlines(), delimiter=separator)] == [
            f"'{name}" if name in ("=1+1", "+x", "-x", "@x") else name for name in column
        ]
    exported = invoke("convert", run, "--kind", "run", "--to", "csv", "--spreadsheet-safe").stdout
    assert exported.splitlines()[1].startswith("'=1+1,d,")
    refused = invoke(*words, "--as", "md", "--spreadsheet-safe")
    assert (refused.exit_code, refused.stderr) == (2, "--spreadsheet-safe works only with csv and tsv\n")


# Code


def test_names_are_never_code(folder):
    code = "__import__('os').mkdir('made')"
    for words in (["-m", code], ["-m", f"P(k={code})"], ["-m", f"nxCG(quant={code})"], ["-m", f"AP@{code}"]):
        assert invoke("evaluate", written("1 0 d 1\n", "q"), written("1 Q0 d 1 1 t\n", "r"), *words).exit_code == 2
    with pytest.raises(UsageError):
        assay.parse(code)
    rows = json.dumps({"topic": code, "document": f"={code}", "score": 1})
    assert assay.evaluate({code: {f"={code}": 1}}, written(rows, "run.jsonl"), "AP")["AP"] == 1
    assert not (folder / "made").exists()

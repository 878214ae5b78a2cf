"""Suggestions from a user's function: kept apart from what people say, and not for every document."""

from pathlib import Path

import pytest

from assay.assessing.people import is_assisted, load_suggest
from assay.assessing.progress import disagreements
from assay.errors import InputError
from assay.studies.strokes import Passage
from helpers.assessing import make_study, served

TEXTS = {f"d{n}": f"Number {n}: the ferry leaves." for n in range(40)}


def ferry(topic, document, text):
    start = text.index("ferry")
    return [(start, start + 5)]


def shown(client):
    listed = client.get("/api/topic", params={"topic": "1"}).json()["documents"]
    return {one["document"]: client.get(f"/api/document/{one['id']}").json() for one in listed}


def test_suggestions_are_those_of_a_program_and_a_fifth_is_judged_without(folder):
    path, documents = make_study(folder, TEXTS)
    with served(path, documents, suggest=ferry) as live:
        anna = live.client("anna")
        told = {name: one["suggestions"] for name, one in shown(anna).items()}
        start = TEXTS["d0"].index("ferry")
        assert {tuple(map(tuple, spans)) for name, spans in told.items() if len(name) == 2} <= {(), ((start, start + 5),)}
        without = [name for name, spans in told.items() if not spans]
        # 8 of 40 are expected; fewer than 1 or more than 20 would be a wonder
        assert 1 <= len(without) <= 20
        for one in live.study.assignments("anna"):
            assert one.assisted == (one.document not in without) == is_assisted(live.study, one.task)
        programs = [one for one in live.study.judgments() if one.role == "program"]
        assert {one.judgment.passages for one in programs if len(one.document) == 2} == {(Passage(start, start + 5),)}
        assert not any(one.main for one in programs)
        assert live.study.assignments("anna") and not any(one.relevant for one in live.study.assignments("anna"))
        assert disagreements(live.study) == []


def test_a_function_is_asked_once_for_each_document(folder):
    asked = []

    def suggest(topic, document, text):
        asked.append((topic.title, document, text))
        return []

    path, documents = make_study(folder, TEXTS)
    with served(path, documents, suggest=suggest) as live:
        anna = live.client("anna")
        shown(anna)
        shown(anna)
    assert len(asked) == len(set(asked))
    assert asked
    assert all((title, text) == ("ferries", TEXTS[document]) for title, document, text in asked)


def test_without_a_function_there_are_none(folder):
    path, documents = make_study(folder, {"d1": "text"})
    with served(path, documents) as live:
        (one,) = shown(live.client("anna")).values()
        assert "suggestions" not in one


def test_a_function_that_fails_does_not_stop_anyone(folder):
    path, documents = make_study(folder, TEXTS)
    with served(path, documents, suggest=lambda *_: 1 / 0) as live:
        told = shown(live.client("anna"))
        assert {one.get("suggestion_problem") for one in told.values()} == {None, "program test failed: ZeroDivisionError: division by zero"}
        assert not any(one.assisted for one in live.study.assignments())
    with served(path, documents, suggest=lambda *_: [(0, 10_000)]) as live:
        told = shown(live.client("anna"))["d1"] | shown(live.client("anna"))["d2"] | shown(live.client("anna"))["d3"]
        assert told["suggestion_problem"].startswith("program test suggested (0, 10000); expected 0 <= start < end <= 27 in document 'd")


def test_a_function_is_named_by_its_file_or_module(folder):
    Path("mine.py").write_text("def suggest(topic, document, text):\n    return [(0, 1)]\nvalue = 3\n")
    assert load_suggest("mine.py:suggest")(None, "d", "t") == [(0, 1)]
    assert load_suggest("os.path:join")
    refused = {
        "mine.py": "expected file.py:function or module:function, found 'mine.py'",
        "none.py:suggest": "none.py: no such file; expected a Python file with a function that suggests spans",
        "mine.py:none": "mine.py:none: cannot load the function: AttributeError: module 'suggestions of mine.py' has no attribute 'none'",
        "mine.py:value": "mine.py:value: not a function; expected a function that suggests spans",
        "no.such.module:f": "no.such.module:f: cannot load the function: ModuleNotFoundError: No module named 'no'",
    }
    for named, says in refused.items():
        with pytest.raises(InputError) as error:
            load_suggest(named)
        assert str(error.value) == says

"""Suggestions from a program of the user's: a Python function that says which text may be relevant.

    def suggest(topic: StudyTopic, document: str, text: str) -> list[tuple[int, int]]: ...

Suggestions pull people along, so they are off unless asked for, a random fifth of the documents is judged without them,
and every assignment remembers whether they were shown (`assisted`). The program is an assessor of its own with the role
`program`, which is never counted as a person. Assay itself calls no service.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable, Iterable
from hashlib import sha256

from assay.assessing.people import open_document
from assay.errors import InputError, quote
from assay.studies.strokes import Stroke
from assay.studies.study import PROGRAM, Assignment, Study, StudyTopic, new_id

Suggest = Callable[[StudyTopic, str, str], Iterable[tuple[int, int]]]
# One document of this many is judged without suggestions.
WITHOUT = 5


def load_suggest(named: str) -> Suggest:
    """The function that `file.py:function` or `package.module:function` names."""
    place, _, name = named.rpartition(":")
    if not place or not name:
        raise InputError(f"expected file.py:function or module:function, found {named!r}")
    try:
        if place.endswith(".py"):
            spec = importlib.util.spec_from_file_location(f"suggestions of {place}", place)
            if spec is None or spec.loader is None or not os.path.exists(place):
                raise InputError("no such file; expected a Python file with a function that suggests spans", place)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(place)
        function = getattr(module, name)
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(f"cannot load the function: {type(error).__name__}: {error}", named) from None
    if not callable(function):
        raise InputError("not a function; expected a function that suggests spans", named)
    found: Suggest = function
    return found


def is_assisted(study: Study, task: int) -> bool:
    """Whether suggestions may be shown for a task: for four of five, by chance."""
    return int(sha256(f"{study.id} {task}".encode()).hexdigest(), 16) % WITHOUT != 0


class Suggester:
    """Suggestions for the documents of a study, each made once and kept as the strokes of a program."""

    def __init__(self, study: Study, suggest: Suggest, name: str):
        self.study, self.suggest = study, suggest
        self.name = study.add_assessor(f"program {name}", PROGRAM)

    def suggestions(self, one: Assignment, text: str) -> list[tuple[int, int]]:
        """The text suggested for an assignment, which is then assisted; none for a fifth of the documents."""
        if one.document is None or not is_assisted(self.study, one.task):
            return []
        own = next((each for each in self.study.assignments(self.name, one.topic) if each.task == one.task), None)
        if own is None:
            strokes = self._strokes(one, text)
            own = open_document(self.study, self.name, one.topic, one.document)
            self.study.append(own.id, strokes, text)
        if not one.assisted:
            sql = "UPDATE assignment SET assisted = 1 WHERE id = ?"
            self.study.write(lambda connection: connection.execute(sql, [one.id]) and None)
        return [(start, end) for start, end, _ in self.study.judgment(own).passages]

    def _strokes(self, one: Assignment, text: str) -> list[Stroke]:
        topic = next(each for each in self.study.topics() if each.name == one.topic)
        facts = self.study.settings.mode == "questions"
        try:
            spans = [(int(start), int(end)) for start, end in self.suggest(topic, one.document or "", text)]
        except Exception as error:
            raise InputError(f"{self.name} failed: {type(error).__name__}: {error}") from None
        if wrong := [span for span in spans if not 0 <= span[0] < span[1] <= len(text)]:
            what = f"{self.name} suggested {wrong[0]}; expected 0 <= start < end <= {len(text)}"
            raise InputError(f"{what} in document {quote(one.document or '')}")
        return [
            Stroke(new_id(), "highlight", start, end, str(number) if facts else None)
            for number, (start, end) in enumerate(spans, 1)
        ]

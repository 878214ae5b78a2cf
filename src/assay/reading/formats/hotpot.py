"""HotpotQA: questions with supporting facts, each a sentence of an article."""

import json
import re
from collections.abc import Iterator
from typing import Any

from assay.errors import quote
from assay.files.source import Source
from assay.reading.format import NOTHING_MORE, Head, Request
from assay.reading.rows import Rows
from assay.reading.text_format import IdFormat, json_of, objects_in, refuse_broken_ids, require_value
from assay.vocabulary import FileKind

PREDICTIONS = re.compile(rb'\{\s*"(?:answer|sp)"\s*:\s*\{')


class HotpotFile(IdFormat):
    """Gold of HotpotQA, a list of questions with an `_id` and `supporting_facts`, each `[title, sentence number]`; and
    its predictions, `{"sp": {id: [[title, number], ...]}}`, as a run. Each fact is a document `title#number`, so
    `HotpotEM` and `HotpotF1` count as the official program does.
    """

    name = "hotpot"
    title = "HotpotQA"

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise a list of questions with supporting facts, or predictions."""
        start = head.stripped
        is_gold = start.startswith(b"[") and b'"supporting_facts"' in start and b'"_id"' in start
        return (is_gold and kind != "run") or (PREDICTIONS.match(start) is not None and kind != "judgments")

    def kind_of(self, source: Source, request: Request = NOTHING_MORE) -> FileKind:
        """Return "run" for predictions, else "judgments"."""
        return "judgments" if source.head().lstrip().startswith(b"[") else "run"

    def text_rows(self, source: Source, kind: FileKind) -> Rows:
        """Return one row per fact."""
        if kind != self.kind_of(source):
            other = "predictions" if kind == "judgments" else "judgments"
            raise source.fault(f"these are {other} (HotpotQA); expected {'a run' if kind == 'run' else 'judgments'}")
        rows = Rows(kind, source.label)
        topics: dict[str, None] = {}
        for where, topic, facts in self._questions(source, kind):
            if topic in topics:
                raise source.fault(f"{where}: question {topic} appears twice; expected each once")
            topics[topic] = None
            # a sentence that is listed twice is one fact
            for place, fact in enumerate(dict.fromkeys(fact_of(fact, where, source) for fact in facts)):
                rows.add(topic=topic, document=fact, **({"score": -place} if kind == "run" else {"grade": 1}))
        refuse_broken_ids(rows, source)
        rows.without_gold(topics)
        return rows

    def _questions(self, source: Source, kind: FileKind) -> Iterator[tuple[str, str, list[Any]]]:
        content = json_of(source)
        if kind == "run":
            for topic, facts in require_value(content, "sp", dict, "the file", source).items():
                if not isinstance(facts, list):
                    what = f"sp of question {topic} is {quote(json.dumps(facts))}"
                    raise source.fault(f"{what}; expected a list of facts")
                yield f"question {topic}", topic, facts
            return
        for number, question in enumerate(objects_in(content, "the file", source), 1):
            where = f"question {number}"
            topic = require_value(question, "_id", str, where, source)
            yield where, topic, require_value(question, "supporting_facts", list, where, source)


def fact_of(fact: Any, where: str, source: Source) -> str:
    """Return the id of a fact."""
    is_fact = isinstance(fact, list) and len(fact) == 2 and isinstance(fact[0], str) and type(fact[1]) is int
    if not is_fact:
        what = f"cannot read the fact {quote(json.dumps(fact, ensure_ascii=False))}"
        raise source.fault(f"{where}: {what}; expected [title, sentence number]")
    return f"{fact[0]}#{fact[1]}"


FORMAT = HotpotFile()

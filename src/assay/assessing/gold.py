"""Gold of a study of questions: a JSON line for each piece of evidence, written again after every stroke."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from assay.assessing.search import RANKING
from assay.documents.lookup import Documents
from assay.errors import InputError
from assay.files.writing import refuse_unwritable, write
from assay.studies.export import question_records
from assay.studies.study import Study


def gold_rows(study: Study, documents: Documents, names: bool = True) -> Iterator[dict[str, Any]]:
    """The evidence of all questions by people, in the order of questions, documents and places; then the questions that
    have no answer.

    Without `names` people are called assessor-1, assessor-2 and so on.
    """
    called = {one.name: one.name if names else f"assessor-{n}" for n, one in enumerate(study.assessors(), 1)}
    for record in question_records(study):
        record["annotator"] = called[record["annotator"]]
        if "text" in record:
            # a study that an older Assay made may not have the text
            text = record["text"] or documents.text(record["doc_id"])[record["start"] : record["end"]]
            record |= {"text": text, "search": RANKING}
        yield record


class GoldFile:
    """The file of a study's gold; a file that this study did not write is never overwritten."""

    def __init__(self, study: Study, documents: Documents, path: str):
        self.study, self.documents, self.path = study, documents, path
        refuse_unwritable(path)
        # the digests of what the study wrote last and before: one may be lost if the process ends while it writes
        self._digests: list[str] = json.loads(study.setting("gold") or "[]")
        if os.path.exists(path) and self._digest_of_file() not in self._digests:
            raise InputError("was not written by this study, or was changed since; choose another file", path)

    def _digest_of_file(self) -> str:
        with open(self.path, "rb") as file:
            return sha256(file.read()).hexdigest()

    def write(self) -> None:
        """Write the gold as it is now, whole or not at all."""
        rows = gold_rows(self.study, self.documents)
        content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
        digest = sha256(content).hexdigest()
        if digest not in self._digests[-1:] or not os.path.exists(self.path):
            self._digests = [*self._digests[-1:], digest]
            self.study.set("gold", json.dumps(self._digests))
            write(self.path, content)

"""QASPER: papers with questions, and the paragraphs in which several annotators found the answer."""

from collections.abc import Iterator

from assay.files.source import Source
from assay.reading.format import Head
from assay.reading.rows import Rows
from assay.reading.text_format import TextFormat, json_of, objects_in, require_value
from assay.vocabulary import FileKind

# The beginning of evidence that is a figure or a table.
FLOAT = "FLOAT SELECTED"


class QasperFile(TextFormat):
    """Papers of QASPER by their ids, with an `abstract`, `full_text[]` with `paragraphs`, and `qas[]`, whose
    `answers[]` have `evidence`, the texts of paragraphs. A paper is a document: its abstract and its paragraphs, one
    per line. Each answer comes from an annotator, named by `worker_id` or `annotation_id`. Assay leaves out evidence
    that is a figure or a table, and answers without evidence; notes count both.
    """

    name = "qasper"
    title = "QASPER"

    def recognises(self, head: Head, kind: FileKind | None) -> bool:
        """Recognise papers with sections."""
        start = head.stripped
        named = (b'"full_text"', b'"section_name"', b'"abstract"')
        return start.startswith(b"{") and all(name in start for name in named)

    def text_rows(self, source: Source, kind: FileKind) -> Rows:
        """Return one row per paragraph that is evidence."""
        rows = Rows(kind, source.label, "paragraph")
        papers = json_of(source)
        without, figures = [], 0
        for paper in papers if isinstance(papers, dict) else ():
            lines = paragraphs_of_paper(papers[paper], f"paper {paper}", source)
            rows.texts[paper] = "".join(f"{line}\n" for line in lines)
            begins: dict[str, int] = {}
            place = 0
            for line in lines:
                begins.setdefault(line, place)
                place += len(line) + 1
            for topic, annotator, evidence in self._evidence(papers[paper], f"paper {paper}", source):
                texts = [text for text in evidence if not text.startswith(FLOAT) and text.strip()]
                figures += len(evidence) - len(texts)
                for text in dict.fromkeys(texts):
                    start = begins.get(text)
                    # evidence that is not a paragraph is searched in the paper
                    end = None if start is None else start + len(text)
                    rows.add(topic=topic, document=paper, start=start, end=end, text=text, annotator=annotator)
                if not texts:
                    without.append(f"{topic} ({annotator})")
        rows.without_gold(without)
        if figures:
            rows.notes.append(f"{source.label}: left out {figures:,} figures and tables of the evidence")
        return rows

    def _evidence(self, paper: object, where: str, source: Source) -> Iterator[tuple[str, str, list[str]]]:
        """Yield the questions of a paper once per answer: its id, the annotator, and the evidence."""
        for q, question in enumerate(require_value(paper, "qas", list, where, source), 1):
            here = f"{where}, question {q}"
            topic = require_value(question, "question_id", str, here, source)
            for a, answer in enumerate(objects_in(question.get("answers"), f"{here}: answers", source), 1):
                names = (answer.get(name) for name in ("worker_id", "annotation_id"))
                annotator = next((name for name in names if isinstance(name, str) and name), str(a))
                told = require_value(answer, "answer", dict, f"{here}, answer {a}", source)
                evidence = require_value(told, "evidence", list, f"{here}, answer {a}", source)
                if not all(isinstance(text, str) for text in evidence):
                    what = f"{here}, answer {a}: evidence is not a list of strings"
                    raise source.fault(f"{what}; expected the texts of paragraphs")
                yield topic, annotator, evidence


def paragraphs_of_paper(paper: object, where: str, source: Source) -> list[str]:
    """Return the abstract and the paragraphs of a paper."""
    lines = [require_value(paper, "abstract", str, where, source)]
    for s, section in enumerate(require_value(paper, "full_text", list, where, source), 1):
        for paragraph in require_value(section, "paragraphs", list, f"{where}, section {s}", source):
            if not isinstance(paragraph, str):
                raise source.fault(f"{where}, section {s}: a paragraph is not a string; expected its text")
            lines.append(paragraph)
    return lines


FORMAT = QasperFile()

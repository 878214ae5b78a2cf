"""Gold standards: the judgments of one annotator, of all, or of none."""

import assay
from assay.ranking.gold_standards import select_annotators


def test_a_part_without_annotators_has_no_judgments_of_one_of_them():
    rows = [("1", "a", 0, 5), ("1", "b", 2, 9), ("2", "a", 2, 9)]
    names = ("query_id", "doc_id", "start", "end")
    judgments = assay.read_judgments([dict(zip(names, row, strict=True)) for row in rows])
    part = select_annotators(judgments, "ann")
    assert (len(part), len(part.highlights.row)) == (0, 0)
    assert len(select_annotators(judgments, "union")) == 3

"""Judgments of a stratified sample beside plain qrels: which is which is told, or noted."""

import assay


def test_a_fifth_number_in_each_line_of_qrels_is_not_left_out_in_silence(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1 0\n1 0 b 2 1\n")
    (tmp_path / "r").write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n")
    (note,) = [each for each in assay.evaluate(tmp_path / "q", tmp_path / "r", ["AP"]).notes if "fifth" in each]
    what = "Assay reads the fourth field as the grade and ignores the fifth; if this is a sample with strata, pass format=sampled"
    assert note == f"{tmp_path}/q: {what}"


def test_a_format_of_judgments_is_not_that_of_the_run(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1 0\n1 0 b 2 1\n")
    (tmp_path / "r").write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n")
    assert assay.evaluate(tmp_path / "q", tmp_path / "r", ["AP"], format="sampled")["AP"] == 1

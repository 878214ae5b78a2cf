"""`assay inex_eval` against the outputs of the original, against characters counted one by one, and rule by rule."""

import gzip
import math
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from assay.compat.inex_eval import HELP, USAGE, inex_eval, java_number
from helpers.places import DATA
from helpers.samples import sample

INEX = DATA / "inex"
EXPECTED = INEX / "expected"
EDGE = EXPECTED / "edge"
OPTIONS = {"n1000": ["-n", "1000"], "irr1000": ["-irr", "1000"], "beta1": ["-beta", "1"], "qc": ["-q", "-c"]}

# The original against ours: expected outputs. If they are missing, one empty case is there to be skipped.


def expected_files():
    """Name, run and options of each expected output: run.task[.option][.qc].txt."""
    for path in sorted(EXPECTED.glob("*.txt")):
        run, task, *more = re.fullmatch(r"(.*\.run)\.(.)(?:\.(\w+))?(?:\.(\w+))?\.txt", path.name).groups()
        yield pytest.param(
            path, run, [f"-{task}", *(one for name in more if name for one in OPTIONS[name])], id=path.name
        )


@pytest.mark.shared("inex/expected")
@pytest.mark.parametrize(("path", "run", "options"), list(expected_files()) or [("", "", [])])
def test_output_is_that_of_the_original_byte_for_byte(path, run, options, tmp_path, monkeypatch):
    (tmp_path / run).write_bytes(gzip.decompress((INEX / f"{run}.gz").read_bytes()))
    monkeypatch.chdir(tmp_path)
    printed = inex_eval([*options, str(INEX / "inex2009-2010.technion.qrels.gz"), run])
    assert printed.out == path.read_bytes()
    assert (printed.err, printed.status) == ("", 0)


def observed():
    """Each observed command and its output."""
    text = (EDGE / "observed.txt").read_text() if EDGE.exists() else ""
    for part in text.split("## java -jar inex_eval.jar ")[1:]:
        command, _, output = part.partition("\n")
        yield pytest.param(command.split(), output, id=command)


@pytest.mark.shared("inex/expected/edge")
@pytest.mark.parametrize(("arguments", "output"), list(observed()) or [([], "")])
def test_tiny_files_give_what_was_observed(arguments, output, monkeypatch):
    monkeypatch.chdir(EDGE)
    printed = inex_eval(arguments)
    # the curve was left out when outputs were noted down
    lines = [line for line in printed.out.decode().splitlines(keepends=True) if not line.startswith("ircl_prn")]
    assert "".join(lines) == output
    assert (printed.err, printed.status) == ("", int(output.startswith("ERROR")))


@pytest.mark.shared("inex/expected/edge")
def test_recall_of_29_of_100_characters_gives_what_was_observed(monkeypatch):
    monkeypatch.chdir(EDGE)
    lines = inex_eval(["-f", "float.qrels", "float29.run"]).out.decode().splitlines()
    noted = (EDGE / "float29.observed.txt").read_text().splitlines()
    assert noted == [
        line for line in lines if line.startswith(("MAiP", *(f"ircl_prn.0.{n}" for n in (27, 28, 29, 30))))
    ]


# Small files of our own

QRELS = """\
7 Q0 a 100 1000 300 300:60 500:40
7 Q0 b 0 400
7 Q0 c 50 50 0 0:50
12 Q0 d 20 200 180 180:20
"""


@pytest.fixture
def evaluate(tmp_path, monkeypatch):
    """Evaluates a text, whose lines may lack Q0, rank and score, against judgments."""
    monkeypatch.chdir(tmp_path)

    def call(options, run, qrels=QRELS):
        short = re.compile(r"(?m)^(\S+) (\S+) (\S+) (\S+)$")
        for name, text in (("qrels", qrels), ("x.run", short.sub(r"\1 Q0 \2 1 1.0 T \3 \4", run))):
            Path(name).write_bytes(text.encode())
        return inex_eval([*options.split(), "qrels", "x.run"])

    return call


def table(printed):
    """{(measure, topic): value} of an output that must be there."""
    assert printed.status == 0, printed
    rows = [re.split("\t+", line) for line in printed.out.decode().splitlines() if "\t" in line]
    return {(name, topic): float(value) for name, topic, value in rows}


def test_a_focused_run_is_printed_line_by_line(evaluate):
    # topic 7 has 150 highlighted characters: after the first result 60 of 100 are found, recall 0.40; after the third
    # 110 of 200, recall 0.7333; of the articles a, b and c two are relevant
    printed = evaluate("-f -q", "7 a 300 100\n7 b 0 50\n7 c 0 50\n99 z 1 1\n")
    head, curve = printed.out.decode().split("ircl_prn.0.00", 1)
    values = (
        "num_ret\t\t{0}\t3\nnum_rel\t\t{0}\t2\nnum_rel_ret\t{0}\t2\nret_size\t{0}\t200\nrel_size\t{0}\t150\n"
        "rel_ret_size\t{0}\t110\nart_prec\t{0}\t0.6666666666666666\nart_rec\t\t{0}\t1.0\nart_f1\t\t{0}\t0.8\n"
        "char_prec\t{0}\t0.55\nchar_rec\t{0}\t0.7333333333333333\nchar_f1\t\t{0}\t0.6285714285714286\n"
        "iP[0.00]\t{0}\t0.6\niP[0.01]\t{0}\t0.6\niP[0.05]\t{0}\t0.6\niP[0.10]\t{0}\t0.6\n"
    )
    aip = head.split("AiP\t\t7\t")[1].split("\n")[0]
    assert float(aip) == pytest.approx((41 * 0.6 + 33 * 0.55) / 101, abs=1e-14)
    assert head == (
        f'<eval run-id="T" file="x.run">\n{values.format(7)}AiP\t\t7\t{aip}\n'
        f"num_q\t\tall\t1\n{values.format('all')}MAiP\t\tall\t{aip}\n"
    )
    points = curve.splitlines()
    assert points[0] == "\tall\t0.6"
    assert points[40:42] == ["ircl_prn.0.40\tall\t0.6", "ircl_prn.0.41\tall\t0.55"]
    assert points[73:75] == ["ircl_prn.0.73\tall\t0.55", "ircl_prn.0.74\tall\t0.0"]
    assert points[100:] == ["ircl_prn.1.00\tall\t0.0", "</eval>"]


def test_recall_is_rounded_down_as_a_double(evaluate):
    # 100.0 * (29 / 100) is 28.999999999999996
    values = table(evaluate("-f", "1 d 0 29\n", qrels="1 Q0 d 100 1000 0 0:100\n"))
    assert (values["ircl_prn.0.28", "all"], values["ircl_prn.0.29", "all"]) == (1, 0)


def test_thorough_counts_only_what_is_new(evaluate):
    # 300-400 holds 60; of 350-550 only 400-550 is new and holds 40; nothing of 310-360 is new
    values = table(evaluate("-t -q", "7 a 300 100\n7 a 350 200\n7 a 310 50\n7 a 200 800\n"))
    assert (values["ret_size", "7"], values["rel_ret_size", "7"], values["num_ret", "7"]) == (800, 100, 1)
    assert [values[f"ircl_prn.0.{level}", "all"] for level in (40, 41, 66, 67)] == [0.6, 0.4, 0.4, 0]


def test_thorough_counts_text_again_in_articles_without_relevant_text(evaluate):
    values = table(evaluate("-t -q", "7 b 0 50\n7 b 0 50\n7 z 0 10\n7 b 20 10\n7 z 0 10\n"))
    assert (values["ret_size", "7"], values["num_ret", "7"]) == (50 + 50 + 10 + 10 + 10, 2)


def test_relevant_in_context_scores_articles_by_f(evaluate):
    run = "7 a 300 50\n7 a 350 50\n7 b 0 10\n7 c 0 25\n"
    # a: P = R = 0.6; c: P = 1, R = 0.5, so F = 1.0625 * 0.5 / (0.0625 + 0.5) = 17/18; with beta 1 it is 2/3
    for options, c in (("", 17 / 18), ("-beta 1", 2 / 3), ("-beta 0", 1)):
        values = table(evaluate(f"-r -q {options}", run))
        expected = {"gP[1]": 0.6, "gP[2]": 0.3, "gP[3]": (0.6 + c) / 3, "gP[5]": (0.6 + c) / 3, "gP[50]": (0.6 + c) / 3}
        expected |= {"gR[1]": 0.5, "gR[2]": 0.5, "gR[3]": 1, "gR[50]": 1, "AgP": (0.6 + (0.6 + c) / 3) / 2}
        expected |= {"num_ret": 3, "num_rel_ret": 2, "ret_size": 135, "rel_ret_size": 85, "rel_size": 150}
        assert {name: values[name, "7"] for name in expected} == pytest.approx(expected, abs=1e-15)
        assert values["MAgP", "all"] == values["AgP", "7"]
        assert [values[f"ircl_prn.{tenth / 10:.2f}", "all"] for tenth in (0, 5, 6, 10)] == pytest.approx(
            [max(0.6, (0.6 + c) / 3)] * 2 + [(0.6 + c) / 3] * 2, abs=1e-15
        )


def test_articles_count_as_relevant_even_if_what_is_returned_of_them_is_not(evaluate):
    values = table(evaluate("-r -q", "7 a 0 10\n7 c 0 50\n"))
    assert (values["gP[1]", "7"], values["gR[1]", "7"], values["gP[2]", "7"], values["AgP", "7"]) == (0, 0.5, 0.5, 0.25)


def test_best_in_context_scores_by_distance_from_the_entry_point(evaluate):
    run = "7 a 400 1\n7 c 600 1\n7 b 0 1\n"
    for options, scores in (("", (0.8, 0)), ("-n 1000", (0.9, 0.4)), ("-n 100", (0, 0)), ("-n 99", (0, 0))):
        values = table(evaluate(f"-b -q {options}", run))
        assert (values["gP[1]", "7"], values["gP[2]", "7"]) == (scores[0], sum(scores) / 2)
        assert (values["ret_size", "7"], values["rel_ret_size", "7"], values["rel_size", "7"]) == (0, 0, 150)
        assert values["num_rel_ret", "7"] == 2


@pytest.mark.parametrize(
    ("run", "irrelevant", "score"),
    [
        # 60 are read at 300-360, then 40 irrelevant ones to 400, then 260 from the start
        ("7 a 300 100", 300, 60 / 360),
        # 340 irrelevant ones are read just before 400
        ("7 a 300 100", 340, 60 / 400),
        ("7 a 300 100", 440, 60 / 500),
        # one more is after 540, with the 40 at 500 read before
        ("7 a 300 100", 441, 100 / 541),
        # to the end of the article
        ("7 a 300 100", 1000, 100 / 1000),
        # the reader stops as soon as there are 100, though the next would be relevant
        ("7 a 200 150", 100, 0),
        ("7 a 200 150", 101, 50 / 151),
        # passages are read in the order of the text
        ("7 a 500 40\n7 a 290 20", 10, 0),
        ("7 a 500 40\n7 a 290 20", 11, 50 / 61),
        # text beyond the end is as irrelevant as any
        ("7 c 0 60", 300, 50 / 60),
        ("7 c 60 40\n7 c 0 10", 300, 50 / 90),
        ("7 c 0 0", 300, 1),
        # of what is nowhere nothing is read before the rest
        ("7 c X X", 300, 1),
    ],
)
def test_a_reader_reads_what_is_returned_and_then_the_rest(evaluate, run, irrelevant, score):
    assert table(evaluate(f"-i -q -irr {irrelevant}", f"{run}\n"))["gP[1]", "7"] == pytest.approx(score, abs=1e-15)


def test_the_order_of_lines_is_the_ranking(evaluate):
    lines = ["7 Q0 b 9 0.1 T 0 50", "7 Q0 a 1 0.9 T 300 60"]
    assert table(evaluate("-f", "\n".join(lines)))["iP[0.00]", "all"] == 60 / 110
    assert table(evaluate("-f", "\n".join(lines[::-1])))["iP[0.00]", "all"] == 1


@pytest.mark.parametrize("offset", ["X", "-1"])
def test_passages_at_an_unknown_place_have_18_characters_and_never_overlap(evaluate, offset):
    run = f"7 a {offset} 70\n7 a {offset} X\n7 a 300 60\n"
    values = table(evaluate("-f -q", run))
    assert (values["ret_size", "7"], values["rel_ret_size", "7"]) == (96, 60)
    assert values["iP[0.00]", "7"] == 60 / 96
    values = table(evaluate("-r -q -beta 1", run))
    assert (values["ret_size", "7"], values["gP[1]", "7"]) == (96, pytest.approx(2 * 60 / (96 + 100)))
    assert table(evaluate("-b -q -n 9999", f"7 a {offset} 1\n"))["gP[1]", "7"] == 0


# Topics


def test_without_c_only_topics_of_the_run_count_and_with_c_all_that_are_judged(evaluate):
    values = table(evaluate("-f", "7 a 300 60\n"))
    assert [values[name, "all"] for name in ("num_q", "num_rel", "rel_size", "art_prec", "char_rec")] == [
        1,
        2,
        150,
        1,
        0.4,
    ]
    values = table(evaluate("-f -c", "7 a 300 60\n"))
    assert [values[name, "all"] for name in ("num_q", "num_rel", "rel_size", "art_prec", "char_rec")] == [
        2,
        3,
        170,
        0.5,
        0.2,
    ]


def test_where_articles_are_ranked_the_relevant_ones_of_all_topics_are_counted(evaluate):
    values = table(evaluate("-r", "7 a 300 60\n"))
    assert [values[name, "all"] for name in ("num_q", "num_rel", "rel_size", "gR[1]")] == [1, 3, 170, 0.5]


def test_topics_stand_in_the_order_of_their_names_and_only_with_q(evaluate):
    def topics(options):
        rows = evaluate(options, "7 a 300 60\n").out.decode().splitlines()
        return list(dict.fromkeys(re.split("\t+", row)[1] for row in rows[1:-1]))

    assert topics("-f -q -c") == ["12", "7", "all"]
    assert topics("-q -f") == ["7", "all"]
    assert topics("-f -c") == ["all"]
    assert topics("-b -c -q") == ["12", "7", "all"]


def test_a_topic_with_nothing_relevant_makes_recall_and_its_means_no_number(evaluate):
    qrels = QRELS + "5 Q0 e 0 10\n"
    values = table(evaluate("-f -q", "5 e 0 5\n7 c 0 50\n", qrels))
    nan = {name for (name, topic), value in values.items() if topic == "5" and math.isnan(value)}
    assert nan == {"art_rec", "char_rec"}
    assert {name for (name, topic), value in values.items() if topic == "all" and math.isnan(value)} == nan
    assert values["iP[0.00]", "all"] == 0.5
    values = table(evaluate("-r -q", "5 e 0 5\n7 c 0 50\n", qrels))
    assert {name for (name, topic), value in values.items() if math.isnan(value)} == {
        "AgP", "MAgP", *(f"gR[{rank}]" for rank in (1, 2, 3, 5, 10, 25, 50)),
    }
    assert (values["gP[1]", "5"], values["gP[1]", "all"]) == (0, 0.5)
    values = table(evaluate("-r -q -c", "7 c 0 50\n", qrels))
    assert {key for key, value in values.items() if math.isnan(value)} == {("AgP", "5"), ("MAgP", "all")}


def test_a_run_of_zero_length_has_no_precision(evaluate):
    values = table(evaluate("-f -q", "7 a 300 0\n"))
    assert [values[name, "7"] for name in ("num_rel_ret", "ret_size", "char_prec", "char_f1", "AiP")] == [1, 0, 0, 0, 0]


def test_a_topic_that_goes_on_after_another_may_return_text_again(evaluate):
    printed = evaluate("-f -q", "12 d 180 20\n7 a 0 10\n12 d 180 20\n12 d 0 10\n")
    points = "Impossible recall point: 200\nImpossible recall point: 200\n"
    assert printed.out.decode().startswith(f'{points}<eval run-id="T" file="x.run">\nnum_ret\t\t12\t2\n')
    values = table(printed)
    assert [values[name, "12"] for name in ("num_rel_ret", "rel_ret_size", "ret_size", "char_rec", "AiP")] == [
        2,
        40,
        50,
        2,
        1,
    ]
    values = table(evaluate("-r -q", "12 d 180 20\n7 a 0 10\n12 d 180 20\n"))
    assert [values[name, "12"] for name in ("num_ret", "gR[1]", "gR[2]", "AgP", "gP[2]")] == [2, 1, 2, 2, 1]


def test_results_of_a_topic_that_nobody_judged_do_not_part_those_of_an_article(evaluate):
    assert table(evaluate("-r -q", "7 a 300 60\n99 z 0 1\n7 a 500 40\n"))["gP[1]", "7"] == 1


def test_the_tag_is_that_of_the_last_line_that_counts(evaluate):
    printed = evaluate("-f", "7 Q0 a 1 1 first 0 1\n7 Q0 a 1 1 second 1 1\n99 Q0 a 1 1 third 0 1\n")
    assert printed.out.startswith(b'<eval run-id="second" file="x.run">\n')


# Judgments


def test_of_an_article_judged_twice_sizes_and_passages_count_twice(evaluate):
    values = table(evaluate("-f -q", "7 c 0 50\n", QRELS + "7 Q0 c 50 50 0 0:50\n"))
    assert [values[name, "7"] for name in ("num_rel", "rel_size", "rel_ret_size", "char_prec")] == [3, 200, 100, 2]


def test_the_first_line_of_an_article_says_whether_it_is_relevant(evaluate):
    values = table(evaluate("-f -q", "7 b 0 50\n", QRELS + "7 Q0 b 50 400 0 0:50\n"))
    assert [values[name, "7"] for name in ("num_rel", "rel_size", "num_rel_ret", "rel_ret_size")] == [3, 200, 0, 0]


def test_an_entry_point_without_passages_is_not_looked_at(evaluate):
    values = table(evaluate("-b -q", "1 a 50 1\n", "1 Q0 a 100 1000 50\n"))
    assert (values["num_rel_ret", "1"], values["gR[1]", "1"], values["gP[1]", "1"]) == (1, 1, 0)
    values = table(evaluate("-f -q", "1 a 0 1000\n", "1 Q0 a 100 1000 ?\n"))
    assert (values["rel_size", "1"], values["num_rel_ret", "1"], values["rel_ret_size", "1"]) == (100, 1, 0)


def test_what_column_4_says_is_not_compared_with_the_passages(evaluate):
    values = table(evaluate("-f -q", "1 a 0 100\n", "1 Q0 a 200 1000 0 0:50\n"))
    assert (values["char_rec", "1"], values["char_prec", "1"]) == (0.25, 0.5)


def test_an_entry_point_below_0_is_none(evaluate):
    assert table(evaluate("-b -q", "1 a 0 1\n", "1 Q0 a 50 1000 -1 0:50\n"))["gP[1]", "1"] == 0


# Runs that are refused: in the words of the original


@pytest.mark.parametrize("task", ["-f", "-r", "-i"])
@pytest.mark.parametrize("second", ["300 60", "299 2", "359 1", "310 10", "0 1000", "330 0"])
def test_overlap_refuses_a_run(evaluate, task, second):
    printed = evaluate(task, f"99 a 0 1\n7 a 300 60\n7 a {second}\n")
    what = "passage overlaps with previously retrieved passages in topic 7\tarticle id: a\tin line: 3"
    assert printed.out.decode() == f"ERROR *** (x.run) {what}\n"
    assert (printed.err, printed.status) == ("", 1)


@pytest.mark.parametrize("second", ["360 10", "290 10", "300 0", "360 0", "0 1"])
def test_passages_that_touch_do_not_overlap(evaluate, second):
    for task in ("-f", "-r", "-i"):
        assert evaluate(task, f"7 a 300 60\n7 a {second}\n7 a 900 10\n").status == 0


@pytest.mark.parametrize("task", ["-r", "-b", "-i"])
def test_results_of_an_article_that_are_apart_refuse_a_run_where_articles_are_ranked(evaluate, task):
    run = "7 a 300 60\n7 b 0 10\n7 a 500 40\n"
    printed = evaluate(task, run)
    assert printed.out.decode() == (
        "ERROR *** (x.run) article results are interleaved in topic 7\tarticle id: a\n"
        "\tinterleaved results not allowed in inContext tasks!\n"
    )
    assert (printed.err, printed.status) == ("", 1)
    assert table(evaluate("-f -q", run))["num_ret", "7"] == 2


def test_best_in_context_refuses_two_results_of_an_article(evaluate):
    run = "7 a 300 60\n7 a 500 40\n"
    printed = evaluate("-b", run)
    what = "multiple results from single article in topic 7\tarticle id: a\tin line: 2"
    assert (printed.out.decode(), printed.err, printed.status) == (f"ERROR *** (x.run) {what}\n", "", 1)
    assert evaluate("-r", run).status == 0


@pytest.mark.parametrize("task", ["-t", "-f", "-r", "-b", "-i"])
@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("7 Q0 a 1 1 T 0", "fields missing in line 2: 7 Q0 a 1 1 T 0"),
        ("99 Q0 a 1 1 /article[1]", "fields missing in line 2: 99 Q0 a 1 1 /article[1]"),
        ("", "fields missing in line 2: "),
        (" 7 Q0 a 1 1 T 0 1", "too many fields in line 2:  7 Q0 a 1 1 T 0 1"),
        (" 7 Q0 a 1 1 T 0", "fields missing in line 2:  7 Q0 a 1 1 T 0"),
        ("7 Q0 a 1 1 my run 0 1", "too many fields in line 2: 7 Q0 a 1 1 my run 0 1"),
        ("7 Q0 b 1 1 T 10 -1", "negative passage size 2: 7 Q0 b 1 1 T 10 -1"),
    ],
)
def test_lines_that_are_not_results_refuse_a_run(evaluate, task, line, what):
    printed = evaluate(task, f"7 Q0 c 1 1 T 0 1\n{line}\n")
    assert (printed.out.decode(), printed.err, printed.status) == (f"Error *** (x.run) {what}\n", "", 1)


@pytest.mark.parametrize(
    "numbers",
    ["abc 10", "10 abc", "1.5 10", "10 X", "1_0 10", "10 1_0", "2147483648 0", "2147483647 1", "0 99999999999", "١ 10"],
)
def test_numbers_that_are_none_are_told_on_standard_error(evaluate, numbers):
    offset, length = numbers.split()
    printed = evaluate("-f", f"7 Q0 c 1 1 T 0 1\n7 Q0 a 1 1 T {offset} {length}\n")
    expected = "expected offset and length in whole numbers up to 2147483647, or X"
    assert printed.out == b""
    assert (printed.err, printed.status) == (f"inex_eval: x.run:2: {expected}; found '{numbers}'\n", 1)
    # nobody reads the numbers of topics that are not judged
    assert evaluate("-f", f"7 Q0 c 1 1 T 0 1\n99 Q0 a 1 1 T {offset} {length}\n").status == 0


@pytest.mark.parametrize("numbers", ["+300 060", "300 +60"])
def test_numbers_may_have_a_sign_and_zeros(evaluate, numbers):
    assert table(evaluate("-f -q", f"7 a {numbers}\n"))["rel_ret_size", "7"] == 60


def test_a_place_before_the_text_is_one_like_any_other(evaluate):
    values = table(evaluate("-f -q", "7 c -10 20\n"))
    assert (values["ret_size", "7"], values["rel_ret_size", "7"]) == (20, 10)


def test_lines_may_end_as_on_other_systems(evaluate):
    expected = evaluate("-f -q", "7 a 300 60\n7 b 0 10\n")
    assert expected.status == 0
    run = "7 Q0 a 1 1.0 T 300 60\n7 Q0 b 1 1.0 T 0 10\n"
    for end in ("\r\n", "\r"):
        assert evaluate("-f -q", run.replace("\n", end), QRELS.replace("\n", end)) == expected
    assert evaluate("-f -q", run.rstrip().replace(" ", "\t").replace("\n", "  \n"), QRELS.rstrip()) == expected


@pytest.mark.parametrize("run", ["", "99 a 0 1\n"])
def test_a_run_without_judged_topics_has_no_values_and_a_note(evaluate, run):
    printed = evaluate("-f -q", run)
    values = table(printed)
    assert printed.out.startswith(b'<eval run-id="" file="x.run">\nnum_q\t\tall\t0\nnum_ret\t\tall\t0\n')
    assert {name for (name, _), value in values.items() if value == 0} == {
        "num_q", "num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size",
    }
    assert math.isnan(values["MAiP", "all"])
    assert printed.err == "inex_eval: x.run: no result is for a judged topic\n"
    assert table(evaluate("-f -c", run))["MAiP", "all"] == 0
    assert math.isnan(table(evaluate("-r", run))["gP[1]", "all"])


def test_the_runs_after_one_that_is_refused_are_measured(evaluate):
    good = evaluate("-f", "7 a 300 60\n").out.decode()
    Path("overlap").write_text("12 Q0 d 1 1 A 0 200\n7 Q0 a 1 1 A 0 10\n7 Q0 a 1 1 A 0 10\n")
    Path("words").write_text("7 Q0 a 1 1 A some words\n")
    printed = inex_eval(["-f", "qrels", "overlap", "x.run", "missing", "words", "x.run"])
    what = "passage overlaps with previously retrieved passages in topic 7\tarticle id: a\tin line: 3"
    assert printed.out.decode() == f"ERROR *** (overlap) {what}\n{good}{good}"
    assert printed.err == (
        "inex_eval: missing: no such file\n"
        "inex_eval: words:1: expected offset and length in whole numbers up to 2147483647, or X; found 'some words'\n"
    )
    assert printed.status == 1


# Files


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("", "''"),
        ("7 Q0 a 10", "'7 Q0 a 10'"),
        (" 7 Q0 a 10 10", "' 7 Q0 a 10 10'"),
        ("7 Q0 a ten 10", "'7 Q0 a ten 10'"),
        ("7 Q0 a 10 10 0 5", "'7 Q0 a 10 10 0 5'"),
        ("7 Q0 a 10 10 0 5:", "'7 Q0 a 10 10 0 5:'"),
        ("7 Q0 a 10 10 0 5:5 6-7", "'7 Q0 a 10 10 0 5:5 6-7'"),
        ("7 Q0 a 10 10 0 5:-5", "'7 Q0 a 10 10 0 5:-5'"),
        ("7 Q0 a 10 10 ? 5:5", "'7 Q0 a 10 10 ? 5:5'"),
        ("7 Q0 a 10 99999999999", "'7 Q0 a 10 99999999999'"),
        ("7 0 a 1", "'7 0 a 1'"),
    ],
)
def test_judgments_of_another_form_are_refused(evaluate, line, found):
    printed = evaluate("-f", "7 a 0 1\n", f"7 Q0 a 0 10\n{line}\n")
    layout = "topic Q0 article highlighted length [entry offset:length ...]"
    assert printed.err == f"inex_eval: qrels:2: expected {layout} in whole numbers, found {found}\n"
    assert (printed.out, printed.status) == (b"", 1)


def test_empty_or_missing_judgments_are_refused(evaluate):
    layout = "topic Q0 article highlighted length [entry offset:length ...]"
    printed = evaluate("-f", "7 a 0 1\n", "")
    assert (printed.out, printed.err, printed.status) == (
        b"",
        f"inex_eval: qrels: the file has no lines; expected {layout}\n",
        1,
    )
    Path("qrels").unlink()
    printed = inex_eval(["-f", "qrels", "x.run"])
    assert (printed.out, printed.err, printed.status) == (b"", "inex_eval: qrels: no such file\n", 1)


def test_files_may_be_compressed_and_are_named_as_they_are_given(evaluate):
    plain = evaluate("-f -q", "7 a 300 60\n").out
    for name in ("qrels", "x.run"):
        Path(f"{name}.gz").write_bytes(gzip.compress(Path(name).read_bytes()))
    assert inex_eval(["-f", "-q", "qrels.gz", "x.run.gz"]).out == plain.replace(b"x.run", b"x.run.gz")
    assert inex_eval(["-f", "-q", "qrels", "./x.run"]).out == plain.replace(b"x.run", b"./x.run")


def test_ids_may_be_of_any_bytes(evaluate):
    evaluate("-f", "")
    Path("qrels").write_bytes(b"\xff Q0 \xa0 10 10 0 0:10\n")
    Path("x.run").write_bytes(b"\xff Q0 \xa0 1 1 \xe9\xff 0 10\n")
    printed = inex_eval(["-f", "-q", "qrels", "x.run"])
    assert printed.out.startswith(b'<eval run-id="\xe9\xff" file="x.run">\nnum_ret\t\t\xff\t1\n')
    assert b"MAiP\t\tall\t1.0\n" in printed.out


# The command line


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ([], "no task; expected one of -t, -f, -r, -b, -i"),
        (["-q", "qrels", "run"], "no task; expected one of -t, -f, -r, -b, -i"),
        (["-f"], "expected QRELS and at least one RUN, found neither"),
        (["-f", "qrels"], "expected QRELS and at least one RUN, found qrels"),
        (["-qc", "-f", "qrels", "run"], "unknown option -qc"),
        (["-f", "qrels", "run", "--all"], "unknown option --all"),
        (["-b", "-n"], "-n needs a whole number from 1 to 2147483647, found nothing"),
        (["-b", "-n", "qrels", "run"], "-n needs a whole number from 1 to 2147483647, found qrels"),
        (["-b", "-n", "0", "qrels", "run"], "-n needs a whole number from 1 to 2147483647, found 0"),
        (["-i", "-irr", "2.5", "qrels", "run"], "-irr needs a whole number from 1 to 2147483647, found 2.5"),
        (
            ["-i", "-irr", "2147483648", "qrels", "run"],
            "-irr needs a whole number from 1 to 2147483647, found 2147483648",
        ),
        (["-r", "-beta", "low", "qrels", "run"], "-beta needs a number of 0 or more, found low"),
        (["-r", "-beta", "-1", "qrels", "run"], "-beta needs a number of 0 or more, found -1"),
        (["-r", "-beta", "nan", "qrels", "run"], "-beta needs a number of 0 or more, found nan"),
        (["-r", "-beta", "inf", "qrels", "run"], "-beta needs a number of 0 or more, found inf"),
        (["-r", "-beta", "1_0", "qrels", "run"], "-beta needs a number of 0 or more, found 1_0"),
        (["-r", "-beta"], "-beta needs a number of 0 or more, found nothing"),
    ],
)
def test_a_command_line_that_makes_no_sense_is_refused(arguments, what):
    printed = inex_eval(arguments)
    assert (printed.out, printed.err, printed.status) == (b"", f"inex_eval: {what}\n{USAGE}", 2)


@pytest.mark.parametrize("arguments", [["-h"], ["--help"], ["-f", "qrels", "--help"]])
def test_help_is_printed(arguments):
    printed = inex_eval(arguments)
    assert (printed.out.decode(), printed.err, printed.status) == (HELP, "", 0)


def test_options_may_stand_in_any_order_and_the_last_task_counts(evaluate):
    run = "7 a 300 60\n"
    expected = evaluate("-r -q -c -beta 1", run)
    for arguments in (
        "-beta 1.0 -c -q -r qrels x.run",
        "-f -beta 1e0 -q -r -c qrels x.run",
        "qrels x.run -r -q -c -beta +1",
        "-r qrels -q x.run -c -beta 01",
        "-r -q -c -beta 1 -- qrels x.run",
    ):
        assert inex_eval(arguments.split()) == expected
    assert evaluate("-r -q -c", run) == evaluate("-r -q -c -beta 0.25", run)
    assert evaluate("-i", run) == evaluate("-i -irr 300", run) != evaluate("-i -irr 1000", run)
    assert evaluate("-b", "7 a 400 1") == evaluate("-b -n 500", "7 a 400 1") != evaluate("-b -n 1000", "7 a 400 1")


def test_after_two_dashes_there_are_files_only(evaluate):
    evaluate("-f", "7 a 300 60\n")
    Path("-q").write_bytes(Path("x.run").read_bytes())
    assert inex_eval(["-f", "--", "qrels", "-q"]).out.startswith(b'<eval run-id="T" file="-q">\nnum_q')


def test_standard_input_is_a_file(evaluate):
    plain = evaluate("-f", "7 a 300 60\n").out
    code = (
        "from assay.compat.inex_eval import inex_eval; import sys; sys.stdout.buffer.write(inex_eval(sys.argv[1:]).out)"
    )
    command = [sys.executable, "-c", code, "-f", "qrels", "-"]
    done = subprocess.run(command, input=Path("x.run").read_bytes(), capture_output=True, check=True)
    assert done.stdout == plain.replace(b"x.run", b"-")


# Numbers as Java writes them


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (12345678901, "12345678901"),
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1 / 3, "0.3333333333333333"),
        (0.001, "0.001"),
        (math.nextafter(0.001, 0), "9.999999999999998E-4"),
        (0.0001, "1.0E-4"),
        (5.514705882352941e-4, "5.514705882352941E-4"),
        (1e-5, "1.0E-5"),
        (1.25e-10, "1.25E-10"),
        (-2.5e-5, "-2.5E-5"),
        (9999999.0, "9999999.0"),
        (9999999.999999998, "9999999.999999998"),
        (1e7, "1.0E7"),
        (12345678.9, "1.23456789E7"),
        (123456789012345680.0, "1.2345678901234568E17"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (2.2250738585072014e-308, "2.2250738585072014E-308"),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
    ],
)
def test_numbers_are_written_as_java_does(value, text):
    assert java_number(value) == text


# Random files against characters counted one by one


def random_case(seed):
    """Judgments {article: highlighted spans}, and a run of spans of articles 0 to 5, of which 4 and 5 are not judged.
    """
    draw = random.Random(seed)
    judged = {}
    for article in range(4):
        edges = sorted(draw.sample(range(120), 2 * draw.randrange(4)))
        judged[article] = list(zip(edges[::2], edges[1::2], strict=True))
    run = []
    for article in draw.sample(range(6), 6):
        edges = sorted(draw.sample(range(150), 2 * draw.randrange(1, 4)))
        spans = list(zip(edges[::2], edges[1::2], strict=True))
        run += [(article, start, end) for start, end in draw.sample(spans, len(spans))]
    return judged, run


def characters(spans):
    return {place for start, end in spans for place in range(start, end)}


def files_of(judged, run):
    qrels = ""
    for article, spans in judged.items():
        passages = "".join(f" {start}:{end - start}" for start, end in spans)
        qrels += f"1 Q0 {article} {len(characters(spans))} 120" + (f" {spans[0][0]}{passages}\n" if spans else "\n")
    return qrels, "".join(f"1 {article} {start} {end - start}\n" for article, start, end in run)


def interpolated(points, levels):
    return [max((precision for level, precision in points if level >= wanted), default=0) for wanted in range(levels)]


@pytest.mark.parametrize("seed", range(sample(12, 200)))
def test_text_is_counted_as_characters_are(evaluate, seed):
    judged, run = random_case(seed)
    draw = random.Random(seed)
    total = sum(len(characters(spans)) for spans in judged.values())
    if not total:
        pytest.skip("nothing is highlighted")
    for task in ("-f", "-t"):
        if task == "-t":
            run = [*run, *((article, start // 2, end + 7) for article, start, end in run)]
            draw.shuffle(run)
        seen, size, found, points = set(), 0, 0, []
        for article, start, end in run:
            span = {(article, place) for place in range(start, end)}
            relevant = {(article, place) for place in characters(judged.get(article, []))}
            new = span - seen if relevant else span
            seen |= span
            size, found = size + len(new), found + len(new & relevant)
            points.append((math.floor(100.0 * (found / total)), found / size if size else 0))
        qrels, text = files_of(judged, run)
        values = table(evaluate(f"{task} -q", text, qrels))
        curve = interpolated(points, 101)
        assert [values[f"ircl_prn.{level / 100:.2f}", "all"] for level in range(101)] == curve
        assert (values["ret_size", "1"], values["rel_ret_size", "1"]) == (size, found)
        assert values["AiP", "1"] == pytest.approx(sum(curve) / 101, abs=1e-14)


@pytest.mark.parametrize("seed", range(sample(12, 200)))
def test_articles_are_read_as_characters_are(evaluate, seed):
    judged, run = random_case(seed)
    relevant_articles = [article for article in judged if judged[article]]
    if not relevant_articles:
        pytest.skip("nothing is highlighted")
    irr = random.Random(seed).randrange(1, 120)
    ranking = list(dict.fromkeys(article for article, _, _ in run))
    scores, found, total, averages, points = 0, 0, 0, [], []
    for rank, article in enumerate(ranking, 1):
        highlighted = characters(judged.get(article, []))
        returned = sorted(characters([(start, end) for one, start, end in run if one == article]))
        good = bad = 0
        for place in [*returned, *(place for place in range(120) if place not in returned)]:
            good, bad = (good + 1, bad) if place in highlighted else (good, bad + 1)
            if bad == irr:
                break
        scores += good / (good + bad) if good else 0
        found += bool(highlighted)
        total += scores / rank if highlighted else 0
        averages.append(scores / rank)
        points.append((math.floor(10 * (found / len(relevant_articles))), scores / rank))
    qrels, text = files_of(judged, run)
    values = table(evaluate(f"-i -q -irr {irr}", text, qrels))
    assert values["AgP", "1"] == pytest.approx(total / len(relevant_articles), abs=1e-14)
    assert [values[f"gP[{rank}]", "1"] for rank in (1, 2, 3, 5, 10)] == [
        averages[min(rank, 6) - 1] for rank in (1, 2, 3, 5, 10)
    ]
    assert [values[f"ircl_prn.{level / 10:.2f}", "all"] for level in range(11)] == interpolated(points, 11)

"""`assay trec_eval` against the outputs of the original, against pytrec_eval, and option by option on small files."""

import math
import random
import shlex

import numpy as np
import pytest

from assay.compat.trec_eval import trec_eval
from assay.compat.trec_files import Settings, atof, atol
from assay.compat.trec_measures import TABLE, output_lines
from assay.ranking.align import align
from assay.ranking.order import Rules
from assay.ranking.pool import Pool
from assay.tables.ids import Ids
from assay.tables.judgments import DocumentJudgments
from assay.tables.run import DocumentRun
from helpers.commands import invoke
from helpers.files import written
from helpers.places import DATA
from helpers.samples import sample

TREC_EVAL = DATA / "trec_eval"

# The original against ours: expected outputs

OWN_TESTS = {
    "out.test": "qrels.test results.test",
    "out.test.a": "-m all_trec qrels.test results.test",
    "out.test.aq": "-m all_trec -q qrels.test results.test",
    "out.test.aqc": "-m all_trec -q -c qrels.test results.trunc",
    "out.test.aqcM": "-m all_trec -q -c -M100 qrels.test results.trunc",
    "out.test.aql": "-m all_trec -mrelstring.20 -q -l2 qrels.rel_level results.test",
    "out.test.meas_params": "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 "
    "-m Rprec_mult.5.0,0.2,0.35 -mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 "
    "-msuccess.2,5,20 qrels.test results.test",
    "out.test.prefs": "-m all_prefs -q -R prefs prefs.test prefs.results.test",
    "out.test.qrels_prefs": "-m all_prefs -q -R qrels_prefs qrels.test results.test",
    "out.test.qrels_jg": "-m qrels_jg -q -R qrels_jg qrels.123 results.test",
    "out.test.aqZ": "-q -m all_trec -Z zscores_file qrels.test results.test",
    "out.comment.test": "qrels.comment.test results.comment.test",
}
FOLDERS = {"9": "v9.0.8", "10": "v10.0"}


def expected_files():
    for version, folder in FOLDERS.items():
        for name, arguments in OWN_TESTS.items():
            if name != "out.comment.test" or version == "10":
                yield pytest.param(version, folder, name, arguments, 0, id=f"{folder}/{name}")
    table = TREC_EVAL / "cases" / "commands.tsv"
    rows = table.read_text().splitlines()[1:] if table.exists() else []
    for name, version, options, qrels, run, status in (row.split("\t") for row in rows):
        yield pytest.param(version, "cases", name, f"{options} {qrels} {run}", int(status), id=f"cases/{name}")


@pytest.mark.shared("trec_eval")
@pytest.mark.parametrize(("version", "folder", "name", "arguments", "status"), list(expected_files()))
def test_output_is_that_of_the_original_byte_for_byte(version, folder, name, arguments, status):
    *options, qrels, run = shlex.split(arguments.replace("zscores_file", str(TREC_EVAL / folder / "zscores_file")))
    printed = trec_eval(["--like", version, *options, str(TREC_EVAL / folder / qrels), str(TREC_EVAL / folder / run)])
    assert printed.out == (TREC_EVAL / folder / name).read_bytes()
    assert printed.status == status
    complaint = TREC_EVAL / folder / f"{name}.err"
    assert printed.err == (complaint.read_text() if complaint.exists() else "")


# Small files of our own

QRELS = """\
1 0 a 1
1 0 b 0
1 0 c 2
1 0 d 1
1 0 u -1
2 0 a 1
2 0 b 0
10 0 x 1
"""
RUN = """\
1 Q0 z 1 9.0 first
1 Q0 a 2 8.0 first
1 Q0 u 3 7.0 first
1 Q0 b 4 6.0 first
1 Q0 c 5 5.0 first
2 Q0 b 1 2.0 first
2 Q0 a 2 1.0 first
99 Q0 a 1 1.0 last
"""


@pytest.fixture
def evaluate(tmp_path):
    """Evaluates two texts with some options."""

    def call(options="", run=RUN, qrels=QRELS):
        files = written(qrels, tmp_path / "qrels"), written(run, tmp_path / "run")
        return trec_eval([*shlex.split(options), *files])

    return call


def table(printed):
    """{(measure, topic): printed value} of an output that must be there."""
    assert printed.status == 0, printed.err
    rows = [line.split("\t") for line in printed.out.decode("latin-1").splitlines()]
    return {(name.rstrip(), topic): value for name, topic, value in rows}


def refusal(printed):
    """The complaint of an output that must be empty, and the exit status."""
    assert printed.out == b""
    assert printed.err.startswith("trec_eval: ")
    return printed.status, printed.err.removeprefix("trec_eval: ").splitlines()[0]


def test_lines_are_padded_and_tabbed_as_in_the_original(evaluate):
    printed = evaluate("-q -m map -m num_ret -m runid -m num_q")
    assert printed.out.decode() == (
        "num_ret               \t1\t5\n"
        "map                   \t1\t0.3000\n"
        "num_ret               \t2\t2\n"
        "map                   \t2\t0.5000\n"
        "runid                 \tall\tlast\n"
        "num_q                 \tall\t2\n"
        "num_ret               \tall\t7\n"
        "map                   \tall\t0.4000\n"
    )


def test_without_measures_the_official_ones_are_printed_in_the_order_of_the_table(evaluate):
    names = [name for name, _ in table(evaluate())]
    assert " ".join(names[:10]) == "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank"
    assert names[10] == "iprec_at_recall_0.00"
    assert names[-1] == "P_1000"
    assert len(names) == 10 + 11 + 9


def test_measures_are_printed_in_the_order_of_the_table_whatever_the_order_asked(evaluate):
    assert list(table(evaluate("-m P.5 -m map -m num_q"))) == [("num_q", "all"), ("map", "all"), ("P_5", "all")]


def test_the_nickname_set_is_the_measures_of_sets(evaluate):
    names = "runid num_q num_ret num_rel num_rel_ret utility set_P set_relative_P set_recall set_map set_F"
    assert " ".join(name for name, _ in table(evaluate("-m set"))) == names


def test_all_trec_of_version_10_has_three_measures_more(evaluate):
    nine, ten = ({name for name, _ in table(evaluate(f"-q -c -m all_trec --like {like}"))} for like in (9, 10))
    assert ten - nine == {"rbp", "rbp_resid", "unj_5", "unj_10", "unj_20"}
    assert nine <= ten
    assert {"relstring", "infAP", "gm_bpref", "Rndcg", "num_nonrel_judged_ret"} <= nine
    assert not {"yaap", "dcg", "ideal_dcg"} & ten


def test_topics_are_in_the_order_of_their_bytes(evaluate):
    run = "9 Q0 a 1 1 t\n10 Q0 a 1 1 t\n"
    printed = evaluate("-q -n -m map", run, "9 0 a 1\n10 0 a 1\n")
    assert [topic for _, topic in table(printed)] == ["10", "9"]


def test_q_and_n_choose_what_is_printed(evaluate):
    assert {topic for _, topic in table(evaluate("-m map"))} == {"all"}
    assert {topic for _, topic in table(evaluate("-q -m map"))} == {"1", "2", "all"}
    assert {topic for _, topic in table(evaluate("-q -n -m map"))} == {"1", "2"}
    assert evaluate("-n -m map").out == b""


def test_rows_of_topics_have_no_summary_measures_and_the_summary_no_string(evaluate):
    found = table(evaluate("-q -m all_trec"))
    assert not {name for name, topic in found if topic == "1"} & {"runid", "num_q", "gm_map", "gm_bpref"}
    assert ("relstring", "1") in found
    assert ("relstring", "all") not in found


def test_c_of_version_9_averages_over_all_judged_topics_and_prints_no_rows_for_missing_ones(evaluate):
    found = table(evaluate("-c -q -m num_q -m map -m gm_map -m num_rel -m num_ret -m yaap"))
    assert {topic for _, topic in found} == {"1", "2", "all"}
    assert found["num_q", "all"] == "3"
    assert found["map", "all"] == f"{(0.3 + 0.5) / 3:6.4f}"
    assert found["gm_map", "all"] == f"{math.exp((math.log(0.3) + math.log(0.5) + math.log(1e-5)) / 3):6.4f}"
    assert found["num_rel", "all"] == "5"
    assert found["num_ret", "all"] == "7"


def test_c_of_version_10_prints_rows_for_missing_topics_as_if_one_unjudged_result_was_retrieved(evaluate):
    asked = "-m num_ret -m map -m utility -m relstring -m unj.1 -m rbp_resid -m yaap -m num_q -m gm_map"
    found = table(evaluate(f"--like 10 -c -q {asked}"))
    missing = {name: value for (name, topic), value in found.items() if topic == "10"}
    assert missing == {
        "num_ret": "0",
        "map": "0.0000",
        "relstring": "''",
        "utility": "0.0000",
        "yaap": f"{math.log(1 / 2):6.4f}",
        "rbp_resid": "0.0000",
        "unj_1": "0.0000",
    }
    assert found["num_q", "all"] == "3"
    assert found["num_ret", "all"] == "7"


def test_version_10_forgets_to_set_back_missing_topics_where_measures_have_parameters(evaluate):
    found = table(evaluate("--like 10 -c -q -m utility.1,-1,0,0 -m relstring.3 -m rbp_resid.p=.5"))
    assert found["utility_1,-1,0,0", "10"] == "-1.0000"
    assert found["relstring_3", "10"] == "'-'"
    assert found["rbp_resid_p=.5", "10"] == "1.0000"


def test_c_makes_the_sum_of_relevant_documents_forget_l(evaluate):
    for like in (9, 10):
        found = table(evaluate(f"--like {like} -q -c -l2 -m num_rel"))
        assert found["num_rel", "1"] == "1"
        assert found["num_rel", "all"] == "5"
    assert table(evaluate("-l2 -m num_rel"))["num_rel", "all"] == "1"


def test_version_10_without_c_stops_at_the_first_judged_topic_that_is_missing(evaluate):
    qrels = "1 0 a 1\n2 0 a 1\n3 0 a 1\n"
    printed = evaluate("--like 10 -q -m map", "1 Q0 a 1 1 t\n3 Q0 a 1 1 t\n", qrels)
    assert printed.out == b"map                   \t1\t1.0000\n"
    assert (printed.err, printed.status) == ("trec_eval: result qid '2' not found in qrels\n", 4)
    assert table(evaluate("-m num_q", "1 Q0 a 1 1 t\n3 Q0 a 1 1 t\n", qrels))["num_q", "all"] == "2"


def test_no_topic_in_common_is_status_7_and_in_version_10_with_c_all_zeros(evaluate):
    run = "7 Q0 a 1 1 t\n"
    assert refusal(evaluate("", run))[0] == 7
    assert refusal(evaluate("-c", run))[0] == 7
    assert refusal(evaluate("--like 10", run))[0] == 4
    found = table(evaluate("--like 10 -c -m map -m num_q", run))
    assert found == {("num_q", "all"): "3", ("map", "all"): "0.0000"}


def test_l_is_the_lowest_relevant_grade_and_gains_do_not_look_at_it(evaluate):
    one, two = (table(evaluate(f"-q -l {rel} -m num_rel -m map -m ndcg -m P.5")) for rel in (1, 2))
    assert (one["num_rel", "1"], two["num_rel", "1"]) == ("3", "1")
    assert (one["map", "1"], two["map", "1"]) == ("0.3000", "0.2000")
    assert one["ndcg", "1"] == two["ndcg", "1"]


def test_l_0_counts_judged_documents_as_relevant(evaluate):
    qrels = "1 0 a 0\n1 0 b 0\n1 0 c -1\n"
    found = table(evaluate("-q -l0 -m num_rel -m num_rel_ret -m Rndcg", "1 Q0 a 1 1 t\n", qrels))
    assert (found["num_rel", "1"], found["num_rel_ret", "1"]) == ("2", "1")
    assert found["Rndcg", "1"] == "  -nan"


def test_M_keeps_the_first_results_after_sorting(evaluate):
    found = table(evaluate("-q -M2 -m num_ret -m relstring -m num_rel"))
    assert (found["num_ret", "1"], found["relstring", "1"], found["num_rel", "1"]) == ("2", "'-1'", "3")
    assert table(evaluate("-M 0 -m num_ret -m map"))["num_ret", "all"] == "0"
    assert table(evaluate("-M junk -m num_ret -m map"))["num_ret", "all"] == "0"


def test_J_leaves_unjudged_results_out(evaluate):
    found = table(evaluate("-q -J -m num_ret -m relstring -m recip_rank"))
    assert (found["num_ret", "1"], found["relstring", "1"], found["recip_rank", "1"]) == ("3", "'102'", "1.0000")


def test_J_with_nothing_left_prints_minus_nan_where_no_relevant_document_is_asked_for(evaluate):
    found = table(evaluate("-J -m iprec_at_recall -m 11pt_avg -m map -m set_P", "2 Q0 z 1 1 t\n"))
    assert found["iprec_at_recall_0.00", "all"] == "  -nan"
    assert found["iprec_at_recall_0.10", "all"] == "0.0000"
    assert found["11pt_avg", "all"] == "  -nan"
    assert found["map", "all"] == found["set_P", "all"] == "0.0000"


def in_turn(values):
    """The sum, one after the other; `sum` would round it otherwise."""
    total = 0.0
    for value in values:
        total += value
    return total


def test_precision_is_summed_down_the_ranking_in_turn(evaluate):
    ranks = [2, 6, 9, 12, 18, 24, 25, 36]
    run = "".join(f"1 Q0 d{rank} {rank} {100 - rank} t\n" for rank in range(1, 37))
    qrels = "".join(f"1 0 d{rank} 1\n" for rank in ranks)
    expected = in_turn((place + 1) / rank for place, rank in enumerate(ranks)) / 8
    assert expected != 0.31625
    assert table(evaluate("-m map", run, qrels)) == {("map", "all"): f"{expected:6.4f}"}


def test_topics_are_summed_in_turn(evaluate):
    hits = [9, 7, 8, 6, 9, 0, 7, 3, 6, 6, 10, 2, 5, 8, 10, 5]
    run = "".join(f"t{n:02} Q0 d{rank} 1 {100 - rank} t\n" for n in range(16) for rank in range(10))
    qrels = "".join(f"t{n:02} 0 d{rank} {int(rank < hits[n])}\n" for n in range(16) for rank in range(10))
    expected = in_turn(hit / 10 for hit in hits) / 16
    assert expected != float(np.mean([hit / 10 for hit in hits]))
    assert table(evaluate("-m P.10", run, qrels)) == {("P_10", "all"): f"{expected:6.4f}"}


def test_set_map_is_rounded_once(evaluate):
    run = "".join(f"1 Q0 d{rank} 1 {100 - rank} t\n" for rank in range(10))
    qrels = "".join(f"1 0 d{rank} 1\n" for rank in range(7, 23))
    assert 3 / 10 * (3 / 16) != 9 / 160
    assert table(evaluate("-m set_map", run, qrels)) == {("set_map", "all"): f"{9 / 160:6.4f}"}


def test_N_is_the_size_of_the_collection_for_utility(evaluate):
    assert table(evaluate("-q -N 100 -m utility.0,0,0,1"))["utility_0,0,0,1", "2"] == "98.0000"


@pytest.mark.parametrize(
    "arguments",
    [
        "-qcM2 -mP.5",
        "-q -c -M 2 -m P.5",
        "--query_eval_wanted --complete_rel_info_wanted --Max_retrieved_per_topic 2 --measure P.5",
        "--query --complete --Max_retrieved_per_topic=2 --measure=P.5",
        "-R qrels -T trec_results -qc -M2 -m P.5 -D3 -o",
        "--like=9 -q -c -M2 -m P.5 -m P.7",
    ],
)
def test_options_may_be_written_together_apart_or_long(evaluate, arguments):
    assert evaluate(arguments).out == evaluate("-q -c -M2 -m P.5").out
    assert ("P_5", "1") in table(evaluate(arguments))


def test_options_may_follow_the_files(evaluate, tmp_path):
    before = evaluate("-q -m map")
    assert trec_eval([str(tmp_path / "qrels"), "-q", str(tmp_path / "run"), "-mmap"]) == before


@pytest.mark.parametrize(
    ("measure", "names"),
    [
        ("P.10,5", ["P_5", "P_10"]),
        ("ndcg_cut.23.4", ["ndcg_cut_23"]),
        ("iprec_at_recall..5,.25", ["iprec_at_recall_0.25", "iprec_at_recall_0.50"]),
        ("Rprec_mult.0.5,2", ["Rprec_mult_0.50", "Rprec_mult_2.00"]),
        ("11pt_avg..2,.5,.8", ["11pt_avg_.2,.5,.8"]),
        ("ndcg.1=3,2=9", ["ndcg_1=3,2=9"]),
        ("set_F.0.5", ["set_F_0.5"]),
        ("map.7", ["map"]),
        ("official.7 -m map", None),
    ],
)
def test_parameters_are_in_the_printed_names(evaluate, measure, names):
    found = [name for name, _ in table(evaluate(f"-m {measure}"))]
    assert found == names or (names is None and len(found) == 30)


def test_only_the_first_parameters_of_a_measure_count(evaluate):
    assert list(table(evaluate("-m P.5 -m P.10,20 -m P"))) == [("P_5", "all")]


def test_recall_levels_beyond_0_and_1_are_accepted(evaluate):
    found = table(evaluate("-q -m iprec_at_recall.-1,0,1.5", "2 Q0 a 1 1 t\n"))
    assert found["iprec_at_recall_-1.00", "2"] == found["iprec_at_recall_0.00", "2"] == "1.0000"
    assert found["iprec_at_recall_1.50", "2"] == "0.0000"


def test_points_that_do_not_ascend_are_averaged_as_the_original_does(evaluate):
    # Half of the relevant documents were found; .5 comes after .2 was passed, so it and .8 count as recall 0.
    qrels, run = "1 0 a 1\n1 0 b 1\n1 0 c 1\n1 0 d 1\n", "1 Q0 a 1 2 t\n1 Q0 z 1 1.9 t\n1 Q0 b 1 1 t\n"
    ascending, descending = (evaluate(f"-m 11pt_avg.{points}", run, qrels) for points in ("0.2,0.5,0.8", "0.8,0.5,0.2"))
    assert table(ascending) == {("11pt_avg_0.2,0.5,0.8", "all"): f"{(1 + 2 / 3) / 3:6.4f}"}
    assert table(descending) == {("11pt_avg_0.8,0.5,0.2", "all"): "1.0000"}


def test_version_10_rounds_the_number_of_documents_a_recall_level_asks_for(evaluate):
    qrels = "".join(f"1 0 {name} 1\n" for name in "abcde")
    run = "1 Q0 a 1 3 t\n1 Q0 z 1 2 t\n1 Q0 b 1 1 t\n"
    nine, ten = (table(evaluate(f"--like {like} -m iprec_at_recall..25,.5", run, qrels)) for like in (9, 10))
    assert (nine["iprec_at_recall_0.25", "all"], ten["iprec_at_recall_0.25", "all"]) == ("0.6667", "1.0000")
    assert (nine["iprec_at_recall_0.50", "all"], ten["iprec_at_recall_0.50", "all"]) == ("0.0000", "0.0000")


def test_relstring_has_a_letter_for_each_kind_of_result(evaluate):
    qrels = "1 0 a 0\n1 0 b 9\n1 0 c 10\n1 0 d -3\n"
    run = "".join(f"1 Q0 {name} 1 {9 - place} t\n" for place, name in enumerate("abcdzz2"[:5]))
    assert table(evaluate("-q -m relstring", run, qrels))["relstring", "1"] == "'09>.-'"
    assert table(evaluate("-q -m relstring.2", run, qrels))["relstring_2", "1"] == "'09'"
    assert table(evaluate("-q -m relstring.-1", run, qrels))["relstring_-1", "1"] == "''"


def test_rbp_is_graded_and_its_residual_is_0_where_all_is_judged(evaluate):
    qrels, run = "1 0 a 2\n1 0 b 1\n", "1 Q0 a 1 2 t\n1 Q0 b 1 1 t\n"
    found = table(evaluate("--like 10 -m rbp -m rbp_resid -m unj.2", run, qrels))
    assert found["rbp", "all"] == f"{0.1 * (1 + 0.5 * 0.9):6.4f}"
    assert (found["rbp_resid", "all"], found["unj_2", "all"]) == ("0.0000", "0.0000")
    found = table(evaluate("--like 10 -m rbp.p=.5 -m rbp_resid -m unj.2", "1 Q0 a 1 2 t\n1 Q0 z 1 1 t\n", qrels))
    assert found["rbp_p=.5", "all"] == "0.5000"
    assert found["rbp_resid", "all"] == f"{0.9**2 + 0.1 * 0.9:6.4f}"
    assert found["unj_2", "all"] == "0.5000"
    found = table(evaluate("--like 10 -m rbp.1=2,4=8", run, qrels))
    assert found["rbp_1=2,4=8", "all"] == f"{0.1 * (0.25 + 0.25 * 0.9):6.4f}"


def test_dcg_is_a_measure_of_version_10(evaluate):
    qrels, run = "1 0 a 2\n1 0 b 1\n", "1 Q0 b 1 2 t\n1 Q0 a 1 1 t\n"
    found = table(evaluate("--like 10 -m dcg -m ideal_dcg -m ndcg.1=2", run, qrels))
    assert found["dcg", "all"] == f"{1 + 2 / math.log2(3):6.4f}"
    assert found["ideal_dcg", "all"] == f"{2 + 1 / math.log2(3):6.4f}"
    assert found["ndcg_1=2", "all"] == "1.0000"
    assert refusal(evaluate("-m dcg", run, qrels)) == (1, "illegal measure 'dcg'")


def test_gains_closer_than_1_are_ordered_by_size(evaluate):
    qrels, run = "1 0 a 2\n1 0 b 1\n", "1 Q0 b 1 2 t\n1 Q0 a 1 1 t\n"
    assert table(evaluate("-m ndcg.1=1.9,2=1.1", run, qrels))["ndcg_1=1.9,2=1.1", "all"] == "1.0000"


def test_levels_that_are_no_numbers_are_0_in_version_9_and_passed_over_in_10(evaluate):
    qrels, run = "1 0 a 1\n1 0 b 0\n", "1 Q0 b 1 1 t\n"
    values = [table(evaluate(f"--like {like} -m ndcg.x=1", run, qrels))["ndcg_x=1", "all"] for like in (9, 10)]
    assert values == [f"{1 / (1 + 1 / math.log2(3)):6.4f}", "0.0000"]


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        ("-m bogus", 1, "illegal measure 'bogus'"),
        ("-m P.", 1, "illegal measure 'P.': nothing follows the dot"),
        ("-m rbp", 1, "illegal measure 'rbp'"),
        ("-m ndcg_cut_10", 1, "illegal measure 'ndcg_cut_10'; write ndcg_cut.10"),
        ("-m prefs_simp", 4, "measure prefs_simp does not work with judgments of -R qrels"),
        ("-m map_avgjg", 4, "measure map_avgjg does not work with judgments of -R qrels"),
        ("-R qrels_prefs", 4, "measure num_ret does not work with judgments of -R qrels_prefs"),
        ("-R qrels_jg -m map", 4, "measure map does not work with judgments of -R qrels_jg"),
        ("-R bogus", 2, "-R bogus is not a format; expected qrels or prefs or qrels_prefs or qrels_jg"),
        ("-T bogus", 2, "-T bogus is not a format; expected trec_results"),
        ("-Z none", 255, "none: no such file"),
        ("-l -1", 1, "-l -1 is not supported; expected 0 or more"),
        ("-M -1", 1, "-M -1 is not supported; expected 0 or more"),
        ("-X", 1, "option -X not recognized"),
        ("--bogus", 1, "option --bogus not recognized"),
        ("--like 8", 1, "unknown --like 8; expected 9 or 10"),
        ("third", 1, "expected 2 files, QRELS and RUN; found 3"),
        ("-m P.5,5", 2, "P.5,5: a cut-off is given twice"),
        ("-m P.0", 2, "P: 0 is not a cut-off; expected a rank, 1 or more"),
        ("-m P.abc", 2, "P: abc is not a cut-off; expected a rank, 1 or more"),
        ("-m iprec_at_recall..5,0.50", 2, "iprec_at_recall..5,0.50: a cut-off is given twice"),
        ("-m iprec_at_recall.nan", 2, "iprec_at_recall: nan is not a parameter; expected a number"),
        ("-m ndcg.1", 2, "ndcg.1: expected pairs, for example 1=3,2=9"),
        ("-m ndcg.1=2=3", 2, "ndcg.1=2=3: expected pairs, for example 1=3,2=9"),
        ("-m G.1=-2", 1, "gains below 0 are supported for ndcg, dcg and ideal_dcg only"),
        ("-m ndcg.-1=2", 1, "gains of levels below 0 are not supported"),
        ("--like 10 -c -m rbp.p=2", 1, "RBP(p=2): expected a probability between 0 and 1, both excluded"),
        ("-m utility.1,2", 4, "utility has 2 coefficients; expected 4, for example utility.1,-1,0,0"),
    ],
)
def test_what_is_refused_says_why_and_has_a_status(evaluate, options, status, message):
    assert refusal(evaluate(options)) == (status, message)


def test_help_and_version(evaluate):
    answer = evaluate("-h -m P.5,10")
    assert answer.status == 0
    assert answer.out.decode().startswith("usage: trec_eval ")
    assert answer.out.decode().endswith("Printed for the measures asked for: P_5 P_10\n")
    assert trec_eval(["--help"]).out == trec_eval(["-h"]).out
    assert trec_eval(["-v"]).err.startswith("trec_eval version 9.0.8 ")
    assert trec_eval(["--version", "--like", "10"]).err.startswith("trec_eval version 10.0")
    assert trec_eval([]).status == 1


# Files

SIX = "expected 6 fields (topic Q0 document rank score tag)"
ODD_RUN = "\n \t\n 1\tQ0  a 1 2.0 tag and more\r\n1 Q0 b 1 1.0 last\r\n\n"


def test_a_run_may_have_blank_lines_other_white_space_and_further_fields(evaluate):
    found = table(evaluate("-q -m runid -m relstring", ODD_RUN, "1 0 a 1\r\n1 0 b 0\r\n"))
    assert found == {("relstring", "1"): "'10'", ("runid", "all"): "last"}


def test_the_last_line_needs_no_end(evaluate):
    assert evaluate("-q", RUN.rstrip(), QRELS.rstrip()).out == evaluate("-q").out


def test_compressed_files_are_read(evaluate):
    import gzip

    assert evaluate("-q", gzip.compress(RUN.encode()), gzip.compress(QRELS.encode())).out == evaluate("-q").out


def test_comments_are_lines_of_version_10(evaluate):
    run, qrels = "# 1 2 3 4 5\n #x\n1 Q0 d#1 1 1 t\n", "# 0 a 1\n1 0 d#1 1\n#\n"
    found = table(evaluate("--like 10 -m num_q -m map", run, qrels))
    assert found == {("num_q", "all"): "1", ("map", "all"): "1.0000"}
    status, message = refusal(evaluate("", run, "1 0 d#1 1\n"))
    assert status == 2
    assert message.endswith(f"run:2: {SIX}, found 1: ' #x'")


def test_version_10_takes_the_second_of_two_comments_in_judgments_for_data(evaluate, tmp_path):
    run = "# Q0 a 1 1 t\n1 Q0 a 1 1 t\n"
    found = table(evaluate("--like 10 -c -q -m num_rel", run, "# 0 a 1\n# 0 a 1\n# 0 b 1\n1 0 a 1\n"))
    assert found == {("num_rel", "#"): "1", ("num_rel", "1"): "1", ("num_rel", "all"): "2"}
    status, message = refusal(evaluate("--like 10", run, "# one\n# two\n1 0 a 1\n"))
    assert (status, message) == (2, f"{tmp_path}/qrels:2: expected 4 fields (topic 0 document grade), found 2: '# two'")


def test_version_10_takes_a_run_of_comments_for_one_without_topics(evaluate):
    found = table(evaluate("--like 10 -c -m runid -m num_q -m map", "# nothing\n\n# found\n", "1 0 a 1\n"))
    assert found == {("runid", "all"): "(null)", ("num_q", "all"): "1", ("map", "all"): "0.0000"}
    assert refusal(evaluate("--like 10", "#\n", "1 0 a 1\n")) == (4, "result qid '1' not found in qrels")
    assert refusal(evaluate("--like 10 -c", "\n\n", "1 0 a 1\n"))[0] == 2


@pytest.mark.parametrize(
    ("file", "content", "where"),
    [
        ("run", "1 Q0 a 1 1 t\n1 Q0 b 1 1\n", f":2: {SIX}, found 5: '1 Q0 b 1 1'"),
        ("run", "1 Q0 a 1 1\nt 1 Q0 b 1 1 t\n", f":1: {SIX}, found 5: '1 Q0 a 1 1'"),
        ("qrels", "1 0 a 1\n\n1 0 b 1\n", ":2: expected 4 fields (topic 0 document grade), found 0: ''"),
        ("qrels", "1 0 a 1\n1 0 b 1 x\n", ":2: expected 4 fields (topic 0 document grade), found 5: '1 0 b 1 x'"),
        ("run", "", ": the file has no lines; expected topic Q0 document rank score tag"),
        ("run", "\n\n", ": the file has no lines; expected topic Q0 document rank score tag"),
        ("qrels", "", ": the file has no lines; expected topic 0 document grade"),
    ],
)
def test_malformed_files_are_status_2_with_their_line(evaluate, tmp_path, file, content, where):
    assert refusal(evaluate("-q", **{file: content})) == (2, f"{tmp_path / file}{where}")


def test_a_line_far_down_a_large_file_is_found(evaluate, tmp_path, monkeypatch):
    monkeypatch.setattr("assay.files.source.BLOCK", 100)
    lines = [f"1 Q0 d{number} 1 {number} t" for number in range(50)]
    assert table(evaluate("-m num_ret", "\n".join(lines)))["num_ret", "all"] == "50"
    lines[40] = "1 Q0 d40"
    status, message = refusal(evaluate("", "\n".join(lines)))
    assert (status, message.split(": ")[0]) == (2, f"{tmp_path / 'run'}:41")


def test_missing_files_and_folders_are_status_2(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    printed = trec_eval([str(tmp_path / "qrels"), str(tmp_path / "none")])
    assert (printed.status, printed.err) == (2, f"trec_eval: {tmp_path / 'none'}: no such file\n")
    assert trec_eval([str(tmp_path), str(tmp_path / "qrels")]).status == 2


def test_documents_that_stand_twice_are_status_4_and_the_topics_before_are_printed(evaluate):
    twice = "1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n2 Q0 b 1 1 t\n2 Q0 a 1 0 t\n"
    printed = evaluate("-q -m map", twice)
    assert printed.out == b"map                   \t1\t0.3333\n"
    assert (printed.err, printed.status) == ("trec_eval: topic 2: document a appears twice\n", 4)
    assert evaluate("-q -m map", "1 Q0 a 1 1 t\n1 Q0 a 1 2 t\n").out == b""
    assert refusal(evaluate("", qrels=QRELS + "1 0 a 0\n"))[0] == 4


@pytest.mark.parametrize("options", ["-M2", "--like 10 -c -M2"])
def test_documents_may_stand_twice_where_nobody_looks(evaluate, options):
    beyond = "1 Q0 a 1 2 t\n1 Q0 b 1 1 t\n1 Q0 a 1 0 t\n"
    found = table(evaluate(f"-q -m num_ret -m recip_rank {options}", beyond + "unjudged Q0 a 1 1 t\n" * 2))
    assert (found["num_ret", "1"], found["recip_rank", "1"]) == ("2", "1.0000")
    assert table(evaluate("-c -m num_q -m num_rel", "1 Q0 a 1 1 t\n", QRELS + "2 0 a 1\n"))["num_rel", "all"] == "6"
    assert table(evaluate("-m num_q", beyond))["num_q", "all"] == "1"


def test_documents_twice_in_unjudged_topics_only_leave_an_empty_run(evaluate):
    found = table(evaluate("--like 10 -c -q -m map", "unjudged Q0 a 1 1 t\n" * 2))
    assert found["map", "all"] == "0.0000"


@pytest.mark.parametrize("like", ["9", "10"])
def test_a_topic_without_any_judged_document_scores_0_unless_it_is_the_first(evaluate, like):
    qrels = "1 0 a 1\n1 0 b 0\n2 0 a -1\n2 0 b -2\n3 0 a 1\n"
    run = "1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n3 Q0 a 1 1 t\n"
    found = table(evaluate(f"--like {like} -q -m map -m num_rel -m relstring", run, qrels))
    assert (found["map", "2"], found["num_rel", "2"], found["relstring", "2"]) == ("0.0000", "0", "'.'")
    assert found["map", "all"] == "0.6667"
    first = refusal(
        evaluate(f"--like {like} -q -m map", run, qrels.replace("1 0 b 0\n", "").replace("1 0 a 1", "1 0 a -1"))
    )
    assert first == (4, "topic 1: all judgments are negative")
    assert table(evaluate(f"--like {like} -m num_q", run, "1 0 a -1\n2 0 a 1\n3 0 a 1\n")) == {("num_q", "all"): "3"}


def test_a_topic_without_any_judged_document_may_be_the_first_judged_if_the_run_lacks_it(evaluate):
    found = table(evaluate("-c -q -m map", "2 Q0 a 1 1 t\n", "1 0 a -1\n2 0 a 1\n"))
    assert found == {("map", "2"): "1.0000", ("map", "all"): "0.5000"}
    assert refusal(evaluate("--like 10 -c -q -m map", "2 Q0 a 1 1 t\n", "1 0 a -1\n2 0 a 1\n"))[0] == 4


def test_a_wrong_parameter_is_seen_before_a_lack_of_common_topics(evaluate):
    assert refusal(evaluate("-m P.0", "7 Q0 a 1 1 t\n"))[0] == 2
    assert refusal(evaluate("-m utility.1,2", "7 Q0 a 1 1 t\n"))[0] == 7


def test_of_two_gains_for_a_grade_a_result_gains_the_lower_and_the_best_ranking_the_first(evaluate):
    qrels, run = "1 0 a 1\n1 0 b 2\n", "1 Q0 a 1 3 t\n1 Q0 c 1 2 t\n1 Q0 b 1 1 t\n"
    names = ["ndcg.1=9,1=3", "ndcg.1=3,2=9,1=0", "ndcg.1=0,2=9,1=3", "ndcg.1=1.5,1=1.2", "ndcg.1=1.2,1=1.5"]
    found = [table(evaluate(f"-m {name}", run, qrels))[name.replace(".", "_", 1), "all"] for name in names]
    assert found == ["0.3898", "0.4131", "0.5000", "0.8485", "0.7979"]
    found = table(evaluate("-m G.1=9,1=3 -m ndcg_rel.1=9,1=3 -m Rndcg.1=9,1=3", run, qrels))
    assert list(found.values()) == ["0.1483", "0.3616", "0.3128"]


def test_ties_are_broken_by_document_id_descending_bytes(evaluate):
    qrels = "1 0 é 1\n1 0 e 2\n1 0 Z 3\n1 0 ea 4\n"
    run = "".join(f"1 Q0 {name} 1 1 t\n" for name in ("Z", "e", "é", "ea"))
    assert table(evaluate("-q -m relstring", run, qrels))["relstring", "1"] == "'1423'"


def test_version_9_compares_scores_in_single_precision(evaluate):
    qrels, run = "1 0 a 1\n1 0 b 0\n", "1 Q0 a 1 0.50000001 t\n1 Q0 b 1 0.5 t\n"
    found = [table(evaluate(f"--like {like} -q -m relstring", run, qrels))["relstring", "1"] for like in (9, 10)]
    assert found == ["'01'", "'10'"]


def test_ids_that_are_not_utf_8_come_out_as_they_went_in(evaluate):
    run, qrels = b"\xff\xa0 Q0 a\x85 1 1 t\xe9\n", b"\xff\xa0 0 a\x85 1\n"
    assert evaluate("-q -n -m map", run, qrels).out == b"map                   \t\xff\xa0\t1.0000\n"
    assert evaluate("-m runid", run, qrels).out == b"runid                 \tall\tt\xe9\n"


def test_scores_and_grades_are_read_as_c_reads_them(evaluate):
    texts = ["inf", "1e400", "0x10", "1e1abc", "9_9", "1.5", "abc", "-inf", "nan", "-1e400"]
    run = "".join(f"1 Q0 d{place} 1 {text} t\n" for place, text in enumerate(texts))
    qrels = "".join(f"1 0 d{place} {place}.9x\n" for place in range(10))
    assert table(evaluate("-q -m relstring", run, qrels))["relstring", "1"] == "'1023456987'"
    qrels = "1 0 d0 1_0\n1 0 d1 0x7\n1 0 d2 junk\n1 0 d3 +2\n"
    assert table(evaluate("-m num_rel", run, qrels))["num_rel", "all"] == "2"


def test_an_underscore_ends_a_number(evaluate):
    qrels, run = "1 0 a 1\n1 0 b 0\n", "1 Q0 a 1 1_0 t\n1 Q0 b 1 5 t\n"
    assert table(evaluate("-q -m relstring", run, qrels))["relstring", "1"] == "'01'"


@pytest.mark.parametrize(
    ("text", "number"),
    [("1.5", 1.5), ("-.5e1x", -5), ("1e", 1), ("0x.8p1", 1), ("0x", 0), ("", 0), ("e5", 0), ("+7.", 7), ("1,5", 1),
     ("Infinity", math.inf), ("-0x1p9999", -math.inf), ("--1", 0)],
)  # fmt: skip
def test_atof(text, number):
    assert atof(text.encode()) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [("12", 12), ("-3.9", -3), ("+4", 4), ("x", 0), ("", 0), ("1e3", 1), ("9" * 5000, 2**63 - 1), ("0" * 30 + "7", 7)],
)
def test_atol(text, number):
    assert atol(text.encode()) == number


MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
SHORT = "1 0 a 1\n1 0 b 0\n2 0 c 1\n", "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 c 1 1 t\n"


@pytest.mark.parametrize(
    ("in_qrels", "in_run", "printed"),
    [
        # what trec_eval 9.0.4 prints of the same files
        (False, True, {("map", "1"): "0.0000", ("map", "2"): "1.0000", ("map", "all"): "0.5000"}),
        (True, False, {("map", "1"): "0.0000", ("map", "2"): "1.0000", ("map", "all"): "0.5000"}),
        (
            True,
            True,
            {
                ("map", "1"): "0.0000",
                ("map", "2"): "1.0000",
                ("map", "ï»¿1"): "1.0000",
                ("map", "all"): "0.6667",
            },
        ),
    ],
)
def test_a_byte_order_mark_is_a_part_of_the_first_topic(evaluate, tmp_path, in_qrels, in_run, printed):
    output = evaluate("-q -m map", run=MARK * in_run + SHORT[1], qrels=MARK * in_qrels + SHORT[0])
    assert table(output) == printed
    what = "the file begins with a byte order mark; like trec_eval, Assay reads it as part of the first topic id"
    marked = {"qrels": in_qrels, "run": in_run}
    assert output.err == "".join(f"note: {tmp_path / name}: {what}\n" for name, has_mark in marked.items() if has_mark)


# The command


def test_the_command_passes_everything_on(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    files = [str(tmp_path / "qrels"), "-"]
    call = invoke("trec_eval", "-qn", "-mP.5", "-M", "3", *files, stdin=RUN)
    assert call.stdout == "P_5                   \t1\t0.2000\nP_5                   \t2\t0.2000\n"
    assert call.exit_code == 0
    call = invoke("trec_eval", "--like", "10", "-q", "-m", "map", *files, stdin=RUN)
    assert (call.exit_code, call.stderr) == (4, "trec_eval: result qid '10' not found in qrels\n")
    call = invoke("trec_eval", "-h")
    assert (call.exit_code, call.stdout) == (0, trec_eval(["-h"]).out.decode())


# pytrec_eval, which is the original's code, on random data

PARAMETERS = [
    {},
    {"ndcg": "1=3,2=9,4=4", "G": "1=3,2=9", "ndcg_rel": "1=3,2=9", "Rndcg": "1=5,2=9", "11pt_avg": "0.2,0.5,0.8",
     "utility": "2,-1,.5,.25", "set_F": "2", "P": "1,3,7", "iprec_at_recall": "0.05,.33,1.2,-1", "Rprec_mult": "0.1,3"},
    {"ndcg": "1=-1,2=9", "G": "1=9,2=3", "ndcg_rel": "1=9,2=3", "Rndcg": "1=9,2=9,3=2", "11pt_avg": "0.8,0.5,0.9,0.2",
     "utility": "1,0,-1,0", "set_F": "0.3", "ndcg_cut": "2,1,30", "success": "2"},
]  # fmt: skip


def random_collection(seed):
    """Judgments and a run: few or many documents, graded, some pooled only, with and without ties."""
    rng = random.Random(seed)
    top = rng.choice([1, 2, 4, 12])
    qrels, run = {}, {}
    for topic in map(str, range(6)):
        judged = rng.sample(range(300), rng.choice([2, 9, 80]))
        grades = {f"d{document}": rng.choice([0, 0, rng.randint(-1, top)]) for document in judged}
        # The original reads beyond its memory where -l is above a topic's grades.
        grades[f"d{rng.randrange(300)}"] = max(top, 2)
        scores = rng.choice([range(5), range(100_000)])
        retrieved = rng.sample(range(300), rng.choice([1, 4, 50, 300]))
        qrels[topic], run[topic] = grades, {f"d{document}": float(rng.choice(scores)) for document in retrieved}
    return qrels, run


def rows_of(table):
    """{topic: {document: value}} as three columns."""
    rows = [(topic, document, value) for topic, one in table.items() for document, value in one.items()]
    topics, documents, values = zip(*rows, strict=True)
    return list(topics), list(documents), np.array(values)


@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("seed", range(sample(6, 60)))
def test_values_are_those_of_pytrec_eval(seed, rel, judged_only):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    from pytrec_eval_ext import RelevanceEvaluator

    names = (set(pytrec_eval.supported_measures) | {"yaap"}) - {"runid", "num_q", "relstring"}
    assert names <= {entry.name for entry in TABLE}
    qrels, run = random_collection(seed)
    parameters = PARAMETERS[seed % len(PARAMETERS)]
    asked = {f"{name}.{parameters[name]}" if name in parameters else name for name in names}
    theirs = RelevanceEvaluator(qrels, asked, rel, judged_only).evaluate(run)

    (topics, documents, grades), (run_topics, run_documents, scores) = rows_of(qrels), rows_of(run)
    pool = Pool(DocumentJudgments("qrels", Ids.of(topics), Ids.of(documents), grade=grades))
    table = DocumentRun("run", Ids.of(run_topics), Ids.of(run_documents), score=scores)
    aligned = align(table, pool, Rules(judged_only=judged_only))
    compared = 0
    for line in output_lines(names, parameters, Settings(rel=rel)):
        printed = {f"{one}_{given}": one for one, given in parameters.items()}
        name = line.name if line.name in theirs["0"] else printed[line.name]
        values = line.column(aligned.ranking)
        if line.over == "geometric":
            values = np.log(np.maximum(values, 1e-5))
        expected = [theirs[pool.topics[topic]][name] for topic in aligned.topics]
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-9, err_msg=line.name)
        compared += 1
    assert compared == sum(len(one) for one in theirs.values()) / len(theirs)


@pytest.mark.parametrize("seed", range(100, 110))
def test_printed_digits_are_those_of_pytrec_eval(evaluate, seed):
    pytest.importorskip("pytrec_eval")
    from pytrec_eval_ext import RelevanceEvaluator

    qrels, run = random_collection(seed)
    names = {"map", "bpref", "P", "recall", "map_cut", "set_map", "set_F", "recip_rank", "Rprec_mult", "11pt_avg"}
    theirs = RelevanceEvaluator(qrels, names, 1, False).evaluate(run)
    ours = table(
        evaluate(
            "-q -n " + " ".join(f"-m {name}" for name in names),
            "".join(f"{topic} Q0 {name} 0 {score} t\n" for topic, name, score in zip(*rows_of(run), strict=True)),
            "".join(f"{topic} 0 {name} {grade}\n" for topic, name, grade in zip(*rows_of(qrels), strict=True)),
        )
    )
    assert ours == {(name, topic): f"{value:6.4f}" for topic, one in theirs.items() for name, value in one.items()}

"""Random runs and judgments, written to files and evaluated here and by pytrec_eval, which wraps trec_eval's own code.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import assay

pytrec_eval = pytest.importorskip("pytrec_eval")

NAMES = {
    "AP": "map",
    "RR": "recip_rank",
    "bpref": "bpref",
    "infAP": "infAP",
    "Rprec": "Rprec",
    "nDCG": "ndcg",
    "IPrec11": "11pt_avg",
    "G": "G",
    "nDCGrel": "ndcg_rel",
    "RnDCG": "Rndcg",
    "binG": "binG",
    "SetP": "set_P",
    "SetR": "set_recall",
    "SetF": "set_F",
    "SetAP": "set_map",
    "RelativeP": "set_relative_P",
    "Utility": "utility",
    "NumRet": "num_ret",
    "NumRel": "num_rel",
    "NumRelRet": "num_rel_ret",
    "P": "set_P",
    "R": "set_recall",
    "NumNonRelJudgedRet": "num_nonrel_judged_ret",
    **{f"P@{k}": f"P_{k}" for k in (1, 2, 3, 5, 10)},
    **{f"R@{k}": f"recall_{k}" for k in (1, 2, 3, 5, 10)},
    **{f"AP@{k}": f"map_cut_{k}" for k in (1, 2, 3, 5, 10)},
    **{f"nDCG@{k}": f"ndcg_cut_{k}" for k in (1, 2, 3, 5, 10)},
    **{f"Success@{k}": f"success_{k}" for k in (1, 2, 3, 5, 10)},
    **{f"RelativeP@{k}": f"relative_P_{k}" for k in (1, 2, 3, 5, 10)},
    **{f"IPrec@{x / 10:g}": f"iprec_at_recall_{x / 10:.2f}" for x in range(11)},
    **{
        f"Rprec(mult={x / 5:g})" if x != 5 else "Rprec": f"Rprec_mult_{x / 5:.2f}" for x in (1, 2, 3, 4, 6, 7, 8, 9, 10)
    },
}
CUTS = {f"{name}.1,2,3,5,10" for name in ("P", "recall", "map_cut", "ndcg_cut", "success", "relative_P")}
ASKED = CUTS | {theirs for theirs in NAMES.values() if not theirs[-1].isdigit()} | {"iprec_at_recall", "Rprec_mult"}

letters = st.characters(
    min_codepoint=33, max_codepoint=0x24F, exclude_characters="\x7f\x85\xa0", exclude_categories=["Z", "C"]
)
ids = st.text(letters, min_size=1, max_size=18)
documents = ids.filter(lambda name: not name.startswith("#"))
grades = st.integers(-2, 4)
judged = st.dictionaries(documents, grades, min_size=1, max_size=12).filter(lambda found: max(found.values()) >= 0)
scores = st.sampled_from([-1.5, 0.0, 0.25, 0.5, 1.0, 2.0, 8192.5])


@st.composite
def collections(draw):
    """Judgments and a run that share some topics and some documents of each."""
    topics = draw(st.lists(documents, min_size=1, max_size=4, unique=True))
    judgments, run = {}, {}
    for topic in topics:
        judgments[topic] = draw(judged)
        pool = st.sampled_from(sorted(judgments[topic])) | documents
        run[topic] = draw(st.dictionaries(pool, scores, min_size=1, max_size=15))
    for name in draw(st.lists(st.sampled_from(topics), max_size=len(topics) - 1, unique=True)):
        del run[name]
    run |= {f"extra{n}": {"d": 1.0} for n in range(draw(st.integers(0, 2)))}
    return judgments, run


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@given(collections(), st.integers(1, 3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_shared_measure_agrees(tmp_path, collection, level):
    judgments, run = collection
    qrels = write(tmp_path / "qrels", [f"{t} 0 {d} {g}" for t, found in judgments.items() for d, g in found.items()])
    results = write(tmp_path / "run", [f"{t} Q0 {d} 0 {s} tag" for t, found in run.items() for d, s in found.items()])
    theirs = pytrec_eval.RelevanceEvaluator(judgments, ASKED, relevance_level=level).evaluate(run)
    ours = {assay.parse(name): name for name in NAMES}
    leveled = {
        measure if not hasattr(measure, "rel") else with_level(measure, level): name for measure, name in ours.items()
    }
    found = assay.evaluate(qrels, results, list(leveled), topics="common")
    for measure, name in leveled.items():
        for topic, values in theirs.items():
            expected = values[NAMES[name]]
            assert found["run", measure, topic] == pytest.approx(expected, abs=1e-9), (
                str(measure),
                topic,
                judgments,
                run,
            )


def with_level(measure, level):
    import dataclasses

    return dataclasses.replace(measure, rel=level)


def test_every_measure_of_pytrec_eval_is_compared_or_known_to_be_outside():
    compared = {theirs.rsplit("_", 1)[0] if theirs[-1].isdigit() else theirs for theirs in NAMES.values()} | {
        "11pt_avg"
    }
    outside = {"num_q", "runid", "relstring", "gm_map", "gm_bpref", "prefs_num_prefs_poss", "prefs_num_prefs_ful"}
    names = {
        name for name in pytrec_eval.supported_measures if not name.startswith("prefs") and not name.endswith("avgjg")
    }
    assert names - outside <= compared

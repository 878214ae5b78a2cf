"""The evaluator in a loop: runs that are dicts, evaluated again and again, beside pytrec_eval and ir_measures.

    python benchmarks/loop.py             # a minute
    python benchmarks/loop.py --repeat 50
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

SETTINGS = {"one topic": (1, 1000), "one short topic": (1, 100), "many topics": (100, 1000)}
MEASURES = ("AP", "nDCG@10", "RR")
OF_TREC_EVAL = {"map", "ndcg_cut_10", "recip_rank"}


def collection(topics: int, depth: int, judged: int = 100) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments and a run, of which half of the judged documents are returned."""
    rng = random.Random(1)
    judgments, run = {}, {}
    for number in range(topics):
        documents = [f"doc{name}" for name in rng.sample(range(1_000_000), depth + judged)]
        returned, others = documents[:depth], documents[depth:]
        run[f"q{number}"] = {name: rng.random() * 20 for name in returned}
        known = rng.sample(returned, min(judged // 2, depth)) + others[: judged // 2]
        judgments[f"q{number}"] = {name: rng.choice([0, 0, 0, 1, 2]) for name in known}
    return judgments, run


def evaluators(judgments: dict[str, Any]) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    import assay
    from assay.compat.pytrec_eval import RelevanceEvaluator

    yield "assay.Evaluator", assay.Evaluator(judgments, MEASURES)
    yield "assay.compat.pytrec_eval", RelevanceEvaluator(judgments, OF_TREC_EVAL).evaluate
    yield "assay.evaluate", lambda run: assay.evaluate(judgments, run, MEASURES)
    try:
        import pytrec_eval
    except ModuleNotFoundError:
        print("pytrec_eval is not installed")
    else:
        yield "pytrec_eval", pytrec_eval.RelevanceEvaluator(judgments, OF_TREC_EVAL).evaluate
    try:
        import ir_measures
    except ModuleNotFoundError:
        print("ir_measures is not installed")
    else:
        measures = [ir_measures.parse_measure(name) for name in MEASURES]
        yield "ir_measures", ir_measures.evaluator(measures, judgments).calc_aggregate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=20)
    repeat = parser.parse_args().repeat
    for setting, (topics, depth) in SETTINGS.items():
        judgments, run = collection(topics, depth)
        times: dict[str, list[float]] = {}
        ready = dict(evaluators(judgments))
        # programs take turns, so that whatever else the machine does hits all alike
        for _ in range(repeat + 1):
            for name, evaluate in ready.items():
                begin = time.process_time()
                for _ in range(20 if topics == 1 else 1):
                    evaluate(run)
                times.setdefault(name, []).append((time.process_time() - begin) / (20 if topics == 1 else 1))
        for name, seconds in times.items():
            median = sorted(seconds[1:])[repeat // 2]
            print(f"{setting:<16} {topics:>4} x {depth:<5} {name:<25} {median * 1000:9.3f} ms")


if __name__ == "__main__":
    main()

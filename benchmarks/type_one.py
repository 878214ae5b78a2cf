"""How often each test finds a difference where there is none, and how long all pairs of 200 systems take. See
docs/statistics.md.

Every trial draws scores of systems that are equally good: a topic is as hard for all, and each system adds its own
noise.

    alike    the systems differ by noise alone; the scores are between 0 and 1, as those of a measure
    skewed   the mean difference is 0, but a few topics gain much and many lose a little
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from assay.comparing.comparison import AT_ONCE, TESTS
from assay.comparing.paired import bootstrapped_p
from assay.comparing.significance import compare, correct_p_values
from assay.evaluation.score_table import ScoreTable
from assay.measures.notation import measures_of

AP = measures_of("AP")
TOPICS = (10, 25, 50, 100)
FEW_TOPICS = (2, 3, 4, 5, 6, 8, 10, 15, 20, 25)


def drawn(rng: np.random.Generator, kind: str, systems: int, topics: int) -> ScoreTable:
    hard = rng.normal(-0.5, 1.2, topics)
    if kind == "alike":
        values = 1 / (1 + np.exp(-(hard + rng.normal(0, 0.7, (systems, topics)))))
    else:
        values = 1 / (1 + np.exp(-hard)) + np.zeros((systems, topics))
        values[1:] += 0.1 * (rng.exponential(1, (systems - 1, topics)) - 1)
    return ScoreTable([f"s{n:02}" for n in range(systems)], AP, [str(n) for n in range(topics)], values[:, None])


def one_pair(trials: int, seed: int) -> None:
    """Tukey's test of two systems is the t-test with two tails, and is not repeated."""
    rows = [
        (test, tails)
        for test in TESTS
        for tails in (2, 1)
        if test not in AT_ONCE or (test, tails) == ("random-tukey", 2)
    ]
    for kind in ("alike", "skewed"):
        print(f"\ntwo systems, {kind}: significant at .05, of {trials:,} trials, 1,000 samples\n")
        print(f"| test | tails | {' | '.join(f'{n} topics' for n in TOPICS)} |\n|---|---:|{'---:|' * len(TOPICS)}")
        for test, tails in rows:
            cells = []
            for topics in TOPICS:
                rng, found = np.random.default_rng([seed, topics]), 0
                for trial in range(trials):
                    how = {"test": test, "tails": tails, "samples": 1000, "seed": trial}
                    found += compare(drawn(rng, kind, 2, topics), AP, baseline="s00", **how).pairs[0].p <= 0.05
                cells.append(f"{found / trials:.3f}")
            print(f"| {test} | {tails} | {' | '.join(cells)} |", flush=True)


def few_topics(trials: int, seed: int) -> None:
    """The bootstrap over fewer topics than Assay takes for it, and some more."""
    print(f"\nbootstrap, alike: significant at .05, of {trials:,} trials, 1,000 samples\n")
    print(f"| tails | {' | '.join(f'{n} topics' for n in FEW_TOPICS)} |\n|---:|{'---:|' * len(FEW_TOPICS)}")
    pair = np.array([0]), np.array([1])
    for tails in (2, 1):
        cells = []
        for topics in FEW_TOPICS:
            rng = np.random.default_rng([seed, topics])
            tables = (drawn(rng, "alike", 2, topics).values[:, 0] for _ in range(trials))
            ps = [bootstrapped_p(values, *pair, tails, 1000, trial, 0.95)[0][0] for trial, values in enumerate(tables)]
            cells.append(f"{np.mean(np.array(ps) <= 0.05):.3f}")
        print(f"| {tails} | {' | '.join(cells)} |", flush=True)


def many_pairs(trials: int, seed: int) -> None:
    print(
        "\n10 systems, 45 pairs, 50 topics, alike: a pair or more significant at .05, "
        f"of {trials:,} trials, 5,000 samples\n"
    )
    print("| test | none | bonferroni | holm | bh |\n|---|---:|---:|---:|---:|")
    for test in TESTS:
        rng = np.random.default_rng(seed)
        corrections = ["none"] if test in AT_ONCE else ["none", "bonferroni", "holm", "bh"]
        found = np.zeros(len(corrections))
        for trial in range(trials):
            pairs = compare(drawn(rng, "alike", 10, 50), AP, test=test, correct="none", samples=5000, seed=trial).pairs
            p = np.array([pair.p for pair in pairs])
            found += [correct_p_values(p, correction).min() <= 0.05 for correction in corrections]
        cells = [f"{share:.3f}" for share in found / trials]
        print(f"| {test} | {' | '.join(cells + [''] * (4 - len(cells)))} |", flush=True)


def by_rank(trials: int, seed: int) -> None:
    """One tail where the data chooses the side: the better system is asked to be better."""
    rng = np.random.default_rng(seed)
    found = sum(
        bool(compare(drawn(rng, "alike", 2, 50), AP, test="t", tails=1).significant(0.05)) for _ in range(trials)
    )
    print(f"\none tail, the side chosen by the means (t, 50 topics): {found / trials:.3f}")


def speed() -> None:
    print("\nseconds for all 19,900 pairs of 200 systems over 250 topics, 10,000 samples\n")
    scores = drawn(np.random.default_rng(1), "alike", 200, 250)
    for test in TESTS:
        start = time.perf_counter()
        compare(scores, AP, test=test)
        print(f"| {test} | {time.perf_counter() - start:.1f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parts = ["pair", "few", "many", "rank", "speed"]
    parser.add_argument("--only", nargs="+", choices=parts, default=parts)
    given = parser.parse_args()
    if "pair" in given.only:
        one_pair(given.trials, given.seed)
    if "few" in given.only:
        few_topics(given.trials, given.seed)
    if "many" in given.only:
        many_pairs(given.trials // 4, given.seed)
    if "rank" in given.only:
        by_rank(given.trials, given.seed)
    if "speed" in given.only:
        speed()


if __name__ == "__main__":
    main()

"""Random files and options for trec_eval, valid and not: ties, groups, unjudged topics, duplicates, missing topics."""

import random

from assay.compat.trec_measures import TABLE

OF_RANKINGS = [entry.name for entry in TABLE if entry.needs == "qrels" and entry.since == 9]
MEASURES = {
    "qrels": ["official", "set", "all_trec", *OF_RANKINGS],
    "prefs": ["prefs", "all_prefs", "all_prefs"],
    "qrels_prefs": ["prefs", "all_prefs", "all_prefs"],
    "qrels_jg": ["qrels_jg", "map_avgjg", "P_avgjg.1,3", "Rprec_mult_avgjg.0.5,3"],
}
PARAMETERS = {
    "P": ["1,3,7", "5,5", "0", "2"],
    "ndcg": ["1=3,2=9", "1=3,1=9", "1=9,1=3", "2=5,1=8,2=1", "1=-1", "0=1,1=4"],
    "G": ["1=9,2=3", "1=9,1=3", "2=1,2=9"],
    "ndcg_rel": ["1=9,1=3", "1=3,2=9"],
    "Rndcg": ["1=9,1=3", "1=5,2=9", "1=9,2=9,3=2"],
    "utility": ["1,2", "2,-1,.5,.25"],
    "11pt_avg": ["0.2,0.5,0.8", "0.8,0.2"],
    "iprec_at_recall": ["0.05,.33,1.2,-1"],
    "Rprec_mult": ["0.1,3"],
    "set_F": ["2"],
    "relstring": ["3", "30"],
    "success": ["2"],
}
OF_Z_SCORES = ["map", "P_5", "num_ret", "num_rel", "gm_map", "ndcg", "bpref", "set_F", "prefs_simp", "map_avgjg"]


def some(rng: random.Random, names: list[str], most: int | None = None) -> list[str]:
    return rng.sample(names, rng.randint(1, min(most or len(names), len(names))))


def judgments_of(rng: random.Random, form: str, topic: str, documents: list[str], top: int) -> list[list[str]]:
    """The lines of judgments of a topic."""

    def grade(lowest: int) -> str:
        return str(rng.choice([0, 0, rng.randint(lowest, top)]))

    unjudged = rng.random() < 0.1
    if form == "qrels":
        return [[topic, "0", name, "-1" if unjudged else grade(-1)] for name in some(rng, documents)]
    groups = [f"g{number}" for number in range(rng.choice([1, 1, 2, 3]))]
    if form != "prefs":
        lowest = -1 if form == "qrels_jg" else 0
        return [[topic, group, name, grade(lowest)] for group in groups for name in some(rng, documents)]
    rows = []
    for group in groups:
        level = {name: str(rng.choice([0, 0, 1, 2, 3, 1.5, 4])) for name in documents}
        for subgroup in range(rng.choice([1, 1, 2, 3])):
            contradicts = rng.random() < 0.03
            for name in some(rng, documents, 8):
                rows.append([topic, group, f"s{subgroup}", name, rng.choice("012") if contradicts else level[name]])
    return rows


def random_files(rng: random.Random, form: str) -> tuple[str, str]:
    """Judgments in a format, and a run."""
    topics = [rng.choice(["", "q", "0"]) + str(number) for number in rng.sample(range(1, 30), rng.choice([1, 2, 3, 6]))]
    documents = sorted({rng.choice("abAB") + str(number) for number in range(rng.choice([3, 8, 40]))})
    top = rng.choice([1, 1, 2, 4, 12])
    judgments: list[list[str]] = []
    run: list[list[str]] = []
    for topic in topics:
        if rng.random() < 0.92:
            judgments += judgments_of(rng, form, topic, documents, top)
        if rng.random() < 0.92:
            scores = rng.choice([range(3), range(1000), [x / 7 for x in range(50)], [1 + x * 1e-9 for x in range(20)]])
            run += [[topic, "Q0", name, "1", str(rng.choice(scores)), "tag"] for name in some(rng, documents)]
    for rows, twice in ((judgments, 0.03), (run, 0.05)):
        if rows and rng.random() < twice:
            rows.append(list(rng.choice(rows)))
        if rng.random() < 0.3:
            rng.shuffle(rows)
    if run and rng.random() < 0.02:
        rng.choice(run).pop()
    if judgments and rng.random() < 0.02:
        rng.choice(judgments).append("more")
    blank = rng.choice([" ", " ", " ", "\t", "  "])
    texts = ["".join(blank.join(row) + "\n" for row in rows) for rows in (judgments, run)]
    if rng.random() < 0.1:
        texts[1] = texts[1].replace("\n", "\n\n", 1).rstrip("\n")
    return texts[0], texts[1]


def random_options(rng: random.Random, form: str) -> list[str]:
    """Options that go with a format, mostly."""
    options = [flag for flag, chance in (("-q", 0.8), ("-c", 0.4), ("-n", 0.1), ("-J", 0.15)) if rng.random() < chance]
    for option, values in (("-l", [0, 1, 1, 2]), ("-M", [0, 1, 2, 5, 100]), ("-N", [10, 1000])):
        if rng.random() < 0.15:
            options.append(f"{option}{rng.choice(values)}")
    names = MEASURES[form] if rng.random() < 0.97 else [name for names in MEASURES.values() for name in names]
    for name in rng.choices(names, k=rng.choice([1, 1, 2, 3])):
        chosen = f"{name}.{rng.choice(PARAMETERS[name])}" if name in PARAMETERS and rng.random() < 0.6 else name
        options += ["-m", chosen]
    return [*options, "-R", form]


def random_z_scores(rng: random.Random, judgments: str) -> str:
    """Means and deviations of some measures for the topics of some judgments."""
    topics = sorted({line.split()[0] for line in judgments.splitlines()})
    rows = [
        f"{topic} {name} {rng.choice(['0', '.5', '1', 'nan'])} {rng.choice(['0', '.2', '.1', '3'])}\n"
        for topic in topics
        for name in OF_Z_SCORES
        if rng.random() < 0.7
    ]
    return "".join([*rows, "zz map 1 1\n"])

"""A gate that fails shows what its worst topics miss, and why."""

import json

import assay
from helpers.commands import invoke

GOLD = [
    {"query_id": "1", "doc_id": "a", "start": 0, "end": 10},
    {"query_id": "2", "doc_id": "a", "start": 0, "end": 10},
    {"query_id": "2", "doc_id": "b", "start": 5, "end": 9, "fact": "x"},
]
RUN = {"1": [("a", 0, 10)], "2": [("c", 0, 5), ("a", 0, 20)]}
SHOWN = """\
R@1 >= 0.7 failed; the evidence that these topics miss, and why:

topic   cause                   document   fact   rank     read   start   end
─────────────────────────────────────────────────────────────────────────────
2       too low                 a                    2   0.0000       0    10
2       document not returned   b          x             0.0000       5     9
"""


def test_a_check_that_failed_tells_what_is_missing():
    gate = assay.gate(GOLD, RUN, require="R@1 >= 0.7", topics="judged")
    assert not gate.passed
    assert SHOWN in gate.show()
    record = json.loads(gate.show("json"))["checks"][0]
    assert [(each["topic"], each["cause"], each["rank"]) for each in record["misses"]] == [
        ("2", "too low", 2), ("2", "document not returned", None),
    ]  # fmt: skip
    assert "**R@1 >= 0.7 failed; the evidence that these topics miss, and why:**" in gate.show("md")


def test_the_gate_has_the_notes_of_its_misses():
    note = (
        "judgments: without documents, whitespace between chunks counts as text that was missed; pass documents= to ignore "
        "whitespace"
    )
    assert assay.misses(GOLD, RUN, "R@1").notes == [note]
    assert assay.gate(GOLD, RUN, require=["R@1 >= 0.7", "R@2 >= 0.9"]).notes == [note]
    assert assay.gate(GOLD, RUN, require="R@1 >= 0.1").notes == []


def test_a_check_that_passed_or_counts_documents_tells_nothing():
    assert assay.gate(GOLD, RUN, require="R@1 >= 0.1").checks[0].misses is None
    assert assay.gate(GOLD, RUN, require="R(unit=document)@1 >= 0.9").checks[0].misses is None
    assert assay.gate(GOLD, RUN, require="R@1 >= 0.9", whitespace="ignore", documents={"a": "x" * 20, "b": "y" * 9, "c": "z" * 5}
                      ).checks[0].misses is None  # fmt: skip


def test_what_came_as_a_stream_is_not_read_again(folder):
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in GOLD))
    run = "".join(
        json.dumps({"query_id": topic, "doc_id": d, "start": s, "end": e, "score": -n}) + "\n"
        for topic, results in RUN.items()
        for n, (d, s, e) in enumerate(results)
    )
    done = invoke("gate", "gold.jsonl", "-", "--require", "R@1 >= 0.7", stdin=run)
    assert done.exit_code == 1, done.output
    assert "the worst topics" in done.output and "these topics miss" not in done.output
    generated = assay.gate(iter(GOLD), RUN, require="R@1 >= 0.7")
    assert SHOWN in generated.show()

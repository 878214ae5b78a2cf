"""Tokens as a budget and as a unit, against programs that count them one by one."""

import json
import re
import sys
from dataclasses import replace
from fractions import Fraction
from types import ModuleType, SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.documents.lookup import Documents
from assay.documents.tokens import tokenizer_of, words_of
from assay.measures.notation import parse
from helpers import naive_focused as naive
from helpers.commands import invoke
from helpers.focused_tables import judgments_of, run_of


class InMemory(Documents):
    """Documents that are in no file."""

    def __init__(self, texts):
        super().__init__(".", cache=False)
        self.by_name = texts

    def texts(self, documents=None):
        """The texts of some documents."""
        return ((name, self.by_name[name]) for name in documents or self.by_name if name in self.by_name)

    def lengths(self, documents, missing="error"):
        """The lengths of some documents."""
        raise AssertionError("all lengths are known")


def threes(text):
    """Tokens of three characters, with a blank before and after each that no token has."""
    return [(start, min(start + 3, len(text))) for start in range(1, len(text), 5)]


TOKENIZERS = {"words": words_of, "threes": threes, "characters": lambda text: [(at, at + 1) for at in range(len(text))]}
tokenizers = st.sampled_from(list(TOKENIZERS))


@st.composite
def texts_of(draw, judged):
    """Texts of the judged documents and of one that is not."""
    lengths = {document: facts["length"] for documents in judged.values() for document, facts in documents.items()}
    lengths |= {f"d{number}": 40 for number in range(1, 5) if f"d{number}" not in lengths} | {"unknown": 40}
    return {name: draw(st.text("ab ", min_size=length, max_size=length)) for name, length in lengths.items()}


cases = naive.cases().flatmap(lambda case: st.tuples(st.just(case), texts_of(case[0])))


def met(judged, run, topic, policy, ends, tokens, results=None):
    """The characters that are met, as naive.reading has them: of each result that fits all, of the first other a part."""
    characters, seen, left = [], set(), tokens
    for document, _, (start, end) in naive.apply_policy(run.get(topic, []), policy)[:results]:
        marked = naive.highlighted(judged, topic, document)
        news = [(document, at) not in seen for at in range(start, end)]
        seen.update((document, at) for at in range(start, end))
        costs = [
            (new or policy == "paid") * ends[document].count(at + 1)
            for at, new in zip(range(start, end), news, strict=True)
        ]
        fits = sum(costs) <= left
        for at, new, cost in zip(range(start, end), news, costs, strict=True):
            if not fits and not left:
                return characters
            characters.append((new or policy == "paid", new, new and at in marked))
            left -= cost
        if not fits:
            return characters
    return characters


@given(cases, tokenizers, st.sampled_from(["paid", "new", "drop"]), st.integers(1, 30))
def test_a_budget_of_tokens_has_the_results_that_fit_and_ends_with_the_last_of_them(case, tokenizer, policy, tokens):
    (judged, run), texts = case
    ends = {name: [end for _, end in TOKENIZERS[tokenizer](text)] for name, text in texts.items()}
    names = [f"{name}(tokens={tokens})" for name in ("P", "R", "F", "IoU", "NumRet", "Redundancy")]
    scores = assay.evaluate(
        judgments_of(judged), run_of(run), [*names, f"R(tokens={tokens})@2"], overlap=policy, ties="input",
        documents=InMemory(texts), tokenizer=TOKENIZERS[tokenizer],
    )
    for topic in judged:
        characters, base = met(judged, run, topic, policy, ends, tokens), naive.trel(judged, topic)
        read, new, hits = (sum(one[column] for one in characters) for column in range(3))
        precision, recall = naive.ratio(hits, read), naive.ratio(hits, base)
        expected = [
            precision, recall, naive.harmonic(precision, recall, 1), naive.ratio(hits, read + base - hits), read,
            naive.ratio(len(characters) - new, len(characters)),
            naive.ratio(sum(c for *_, c in met(judged, run, topic, policy, ends, tokens, 2)), base),
        ]  # fmt: skip
        values = [scores["run", measure, topic] for measure in scores.measures]
        assert values == pytest.approx([float(value) for value in expected], abs=1e-12), topic


IN_TOKENS = {
    "P": (naive.precision_at,), "P@2": (naive.precision_at, 2), "R@3": (naive.recall_at, 3), "F": (naive.f_at,),
    "AP": (naive.average_precision,), "iP@0.29": (naive.interpolated_precision, Fraction(29, 100)),
    "AiP": (naive.average_interpolated_precision,), "IoU@2": (naive.iou_at, 2), "NumRet@2": (naive.size_at, 2),
    "Redundancy@3": (naive.redundancy_at, 3), "Budget@0.5": (naive.budget_for, Fraction(1, 2)),
}


@given(cases, tokenizers, st.sampled_from(["paid", "new", "drop"]))
def test_in_tokens_a_place_is_the_number_of_tokens_that_end_before_it(case, tokenizer, policy):
    (judged, run), texts = case
    ends = {name: [end for _, end in TOKENIZERS[tokenizer](text)] for name, text in texts.items()}

    def place(document, at):
        return sum(end <= at for end in ends[document])

    def counted(document, facts):
        spans = [(place(document, start), place(document, end)) for start, end in facts["spans"]]
        return {"length": place(document, facts["length"]), "spans": spans, "bep": place(document, facts["bep"])}

    in_tokens = {topic: {d: counted(d, facts) for d, facts in documents.items()} for topic, documents in judged.items()}
    returned = {
        topic: [(d, place(d, start), place(d, end)) for d, start, end in results] for topic, results in run.items()
    }
    if policy == "drop":
        # results that share no token may share a character
        run = {topic: naive.disjoint(results) for topic, results in run.items()}
        returned = {
            topic: [(d, place(d, start), place(d, end)) for d, start, end in results] for topic, results in run.items()
        }
    measures = {replace(parse(name), unit="token"): how for name, how in IN_TOKENS.items()}
    budgets = {
        replace(parse(name), unit="token", tokens=4): how for name, how in IN_TOKENS.items() if name in ("P@2", "R@3")
    }
    scores = assay.evaluate(
        judgments_of(judged),
        run_of(run),
        [*measures, *budgets],
        overlap=policy,
        ties="input",
        documents=InMemory(texts),
        tokenizer=TOKENIZERS[tokenizer],
    )
    for topic in judged:
        for measure, (formula, *where) in {**measures, **budgets}.items():
            chars = {"chars": 4} if measure in budgets else {}
            expected = float(formula(in_tokens, returned, topic, *where, policy=policy, **chars))
            assert scores["run", measure, topic] == pytest.approx(expected, rel=1e-13, abs=1e-14), (str(measure), topic)


def test_a_result_that_fits_is_read_to_its_end_also_within_a_token():
    gold = [{"query_id": "1", "doc_id": "a", "start": 0, "end": 9}]
    documents, measures = {"a": "aa bb ccc"}, ["R(tokens=2)", "R(tokens=2, fit=stop)", "R(tokens=2, fit=skip)", "R(tokens=1)"]
    rules = {"documents": documents, "tokenizer": "words"}
    # the result costs two words, because "ccc" does not end within it
    assert assay.evaluate(gold, {"1": [("a", 0, 8)]}, measures, **rules).values[0, :, 0].tolist() == [8 / 9] * 3 + [2 / 9]
    # the second result costs nothing, so that it fits
    run = {"1": [("a", 0, 5), ("a", 6, 8)]}
    assert assay.evaluate(gold, run, measures, **rules).values[0, :, 0].tolist() == [7 / 9] * 3 + [2 / 9]


# Files and the command line

TEXT = "Steam makes the crust crisp. Flour   does not."
GOLD = {"topic": "1", "document": "steam", "start": 0, "end": 28}
CHUNKS = [{"topic": "1", "document": "steam", "start": 6, "end": 17, "score": 2},
          {"topic": "1", "document": "steam", "start": 0, "end": 46, "score": 1}]


@pytest.fixture
def bread(folder):
    (folder / "documents.jsonl").write_text(json.dumps({"id": "steam", "text": TEXT}) + "\n")
    (folder / "gold.jsonl").write_text(json.dumps(GOLD) + "\n")
    (folder / "run.jsonl").write_text("".join(json.dumps(chunk) + "\n" for chunk in CHUNKS))
    return folder


def test_words_on_the_command_line(bread):
    # makes, the, and "cr", in which no word ends, so that two words fit. Then Steam makes the crust: 4 + 1 words, and of
    # the 28 characters 0-17 and 17-21
    measures = "NumRet(unit=token)@1,NumRet(unit=token),R(tokens=2),R(tokens=6),P(unit=token),Budget(unit=token)@1"
    done = invoke(
        "evaluate", "gold.jsonl", "run.jsonl", "-m", measures, "--documents", "documents.jsonl", "--tokenizer", "words"
    )
    assert done.exit_code == 0, done.stderr
    values = [float(value) for value in done.stdout.splitlines()[1].split("\t")[1:]]
    assert values == pytest.approx([2, 10, 11 / 28, 21 / 28, 5 / 10, 7])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m", "R(tokens=5)"], "R(tokens=5) counts tokens; pass --tokenizer, for example words, and pass --documents"),
        (["-m", "P(unit=token)@5", "--documents", "documents.jsonl"],
         "P(unit=token)@5 counts tokens; pass --tokenizer, for example words"),
        (["-m", "R(tokens=5)", "--tokenizer", "words"], "a tokenizer needs the texts; pass --documents"),
        (["-m", "R", "--tokenizer", "wordz", "--documents", "documents.jsonl"],
         "unknown tokenizer 'wordz'; expected words, chars:4, a Hugging Face tokenizer.json, tiktoken:NAME, or in Python a "
         "tokenizer object or a function of a text"),
        (["-m", "R(tokens=5)", "--tokenizer", "chars:0", "--documents", "documents.jsonl"],
         "'chars:0' has no number of characters; expected 1 or more, for example chars:4"),
        (["-m", "R(tokens=5)", "--tokenizer", "chars:four", "--documents", "documents.jsonl"],
         "'chars:four' has no number of characters; expected 1 or more, for example chars:4"),
        (["-m", "R(tokens=5)", "--tokenizer", "words", "--documents", "documents.jsonl", "--whitespace", "ignore"],
         "tokens are counted in texts with their whitespace; leave out --whitespace ignore or the tokenizer"),
        (["-m", "R(tokens=0)"], "R(tokens=0): tokens must be a number of tokens, at least 1"),
        (["-m", "R(unit=document, tokens=3)"],
         "R(tokens=3, unit=document): tokens always counts tokens; leave out unit="),
        (["-m", "R(unit=token, chars=3)"],
         "R(chars=3, unit=token): chars always counts characters; leave out unit="),
        (["-m", "R(unit=word)"], "R(unit=word): unknown unit; choose from document, token, element, or leave it out"),
    ],
)  # fmt: skip
def test_what_is_refused(bread, words, message):
    done = invoke("evaluate", "gold.jsonl", "run.jsonl", *words)
    assert (done.stderr, done.exit_code) == (message + "\n", 2)


def test_a_document_without_text_is_named(bread):
    (bread / "run.jsonl").write_text(json.dumps({**CHUNKS[0], "document": "flour"}) + "\n")
    done = invoke("evaluate", "gold.jsonl", "run.jsonl", "-m", "P(tokens=3)", "--documents", "documents.jsonl",
                  "--tokenizer", "words")
    message = "documents.jsonl: there is no document flour; counting tokens needs its text\n"
    assert (done.stderr, done.exit_code) == (message, 1)


@pytest.mark.parametrize(
    ("tokenizer", "message"),
    [
        (lambda text: text.split(), "the tokenizer returned ['Steam', 'makes', 'the', 'crust', 'crisp.', 'Flour', 'does'… for "
         "document steam; expected the (start, end) of each token"),
        (str.split, "the tokenizer returned ['Steam', 'makes', 'the', 'crust', 'crisp.', 'Flour', 'does'… for document steam; "
         "expected the (start, end) of each token"),
        (lambda text: [(0, 9), (0, 5)], "the tokenizer returned tokens of document steam out of order or outside its 46 "
         "characters: [(0, 9), (0, 5)]"),
        (lambda text: [(0, 99)], "the tokenizer returned tokens of document steam out of order or outside its 46 "
         "characters: [(0, 99)]"),
        (lambda text: 1 // 0, "the tokenizer failed at document steam: ZeroDivisionError: integer division or modulo by zero"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_tokenizer_is_told(bread, tokenizer, message):
    with pytest.raises(assay.UsageError) as caught:
        assay.evaluate("gold.jsonl", "run.jsonl", "P(tokens=3)", documents="documents.jsonl", tokenizer=tokenizer)
    assert str(caught.value) == message


def test_tokens_are_of_text(bread):
    with pytest.raises(assay.UsageError, match=r"^R\(unit=token\)@5 needs highlighted text, but judgments has none$"):
        assay.evaluate(
            {"1": {"steam": 1}}, "run.jsonl", "R(unit=token)@5", documents="documents.jsonl", tokenizer="words"
        )


def test_a_document_is_tokenised_once_for_all_runs(bread):
    calls = []

    def counting(text):
        calls.append(text)
        return words_of(text)

    runs = dict.fromkeys("abcd", "run.jsonl")
    assay.evaluate(
        "gold.jsonl", runs, ["P(tokens=3)", "AiP(unit=token)"], documents="documents.jsonl", tokenizer=counting
    )
    assert calls == [TEXT]


def test_topics_of_which_nothing_was_returned(bread):
    judgments = [GOLD, {**GOLD, "topic": "2"}]
    scores = assay.evaluate(judgments, "run.jsonl", ["R(tokens=3)", "R(unit=token)", "Budget(unit=token)@0.5"],
                            documents="documents.jsonl", tokenizer="words")  # fmt: skip
    assert scores.values[0, :, 1].tolist() == [0, 0, float("inf")]


# Packages that may be there


def test_packages_that_are_not_there_are_named(monkeypatch):
    for name in ("tokenizers", "tiktoken"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        assay.UsageError, match=r"^reading bpe\.json needs the package tokenizers: pip install tokenizers$"
    ):
        tokenizer_of("bpe.json")
    with pytest.raises(
        assay.UsageError, match=r"^tiktoken:cl100k_base needs the package tiktoken: pip install tiktoken$"
    ):
        tokenizer_of("tiktoken:cl100k_base")


def test_an_encoding_of_tiktoken_tells_where_tokens_start(monkeypatch):
    """A stand-in for tiktoken, which gives the start of each token; that of a letter in two tokens is told twice."""
    encoding = SimpleNamespace(
        encode_ordinary=lambda text: list(range(4)), decode_with_offsets=lambda tokens: ("abcdé", [0, 3, 4, 4])
    )
    known = {"cl100k_base": encoding}

    def get(name):
        return known[name]

    stand_in = ModuleType("tiktoken")
    stand_in.list_encoding_names = lambda: list(known)
    stand_in.get_encoding, stand_in.encoding_for_model = get, get
    monkeypatch.setitem(sys.modules, "tiktoken", stand_in)
    assert list(tokenizer_of("tiktoken:cl100k_base")("abcdé")) == [(0, 3), (3, 4), (4, 4), (4, 5)]
    with pytest.raises(assay.UsageError, match=re.escape("cannot load tiktoken's gpt-9: 'gpt-9' (no network, or no such vocabulary?)")):
        tokenizer_of("tiktoken:gpt-9")


def test_a_file_of_tokenizers(folder):
    tokenizers = pytest.importorskip("tokenizers", reason="Hugging Face's tokenizers is not installed")
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"steam": 0, "[UNK]": 1}, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.save("words.json")
    assert list(tokenizer_of("words.json")("é steam, no")) == [(0, 1), (2, 7), (7, 8), (9, 11)]
    (folder / "other.json").write_text("{}")
    with pytest.raises(assay.InputError, match=r"^other\.json: not a Hugging Face tokenizer file: "):
        tokenizer_of("other.json")


class StandIn:
    """A stand-in for a tokenizer of Hugging Face: tokens of some characters each, of which it may keep a few."""

    def __init__(self, size, most=None):
        self.size, self.most = size, most

    @classmethod
    def from_str(cls, told):
        return cls(**json.loads(told))

    def to_str(self):
        return json.dumps({"size": self.size, "most": self.most})

    def no_truncation(self):
        self.most = None

    def no_padding(self):
        pass

    def encode(self, text, add_special_tokens=True):
        assert not add_special_tokens
        offsets = [(at, min(at + self.size, len(text))) for at in range(0, len(text), self.size)]
        return SimpleNamespace(offsets=offsets[: self.most])


class FastStandIn:
    """A stand-in for a fast tokenizer of transformers, which can be called, but gives no places."""

    def __init__(self, inside):
        self.backend_tokenizer = inside

    def __call__(self, text):
        raise AssertionError("it gives ids")


@pytest.mark.parametrize("most", [None, 2])
def test_tokenizers_of_hugging_face_are_taken_as_they_are_and_cut_nothing_off(most):
    given = StandIn(4, most)
    for tokenizer in (given, FastStandIn(given), "chars:4"):
        assert list(tokenizer_of(tokenizer)("Steam makes")) == [(0, 4), (4, 8), (8, 11)]
    assert given.most == most


def test_a_token_may_be_any_number_of_characters(bread):
    """Of the evidence [0, 28) the first chunk has all; three tokens of 5 characters are 15 of them."""
    gold, run = {"1": [("steam", 0, 28)]}, {"1": [("steam", 0, 28)]}
    scores = assay.evaluate(gold, run, "R(tokens=3)", documents={"steam": TEXT}, tokenizer="chars:5")
    assert scores["R(tokens=3)"] == 15 / 28
    done = invoke("evaluate", "gold.jsonl", "run.jsonl", "-m", "R(tokens=3)", "--documents", "documents.jsonl",
                  "--tokenizer", "chars:5")
    assert done.exit_code == 0


def test_saved_scores_remember_the_tokenizer(folder):
    gold, run = {"1": [("steam", 0, 28)]}, {"1": [("steam", 0, 28)]}

    def scores(tokenizer):
        return assay.evaluate(gold, run, "R(tokens=3)", documents={"steam": TEXT}, tokenizer=tokenizer)

    def named(tokenizer):
        return scores(tokenizer).made_of().rules["tokenizer"]

    assert named("chars:4") == "chars:4"
    # whatever was cut off or padded in between, and however it is wrapped
    assert named(StandIn(4)) == named(StandIn(4, 2)) == named(FastStandIn(StandIn(4, 7))) != named(StandIn(5))
    scores(StandIn(4)).save("before.json")
    how = {"documents": {"steam": TEXT}, "not_worse_than": "before.json", "means_only": True}
    assert assay.gate(gold, run, **how, tokenizer=StandIn(4)).passed
    with pytest.raises(assay.InputError, match=r"^before\.json: .*tokenizer of [0-9a-f]{32}"):
        assay.gate(gold, run, **how, tokenizer=StandIn(5))
    with pytest.raises(assay.InputError, match=r"^before\.json: .*tokenizer of [0-9a-f]{32}"):
        assay.gate(gold, run, **how, tokenizer="chars:4")


WORDS = (
    "judgments: tokens here are words split on whitespace; a language model counts more tokens in the same text; pass "
    "tokenizer= with the tokenizer of a model, or chars:4 for an estimate"
)


def test_where_tokens_are_words_a_note_says_so():
    gold, run = {"1": [("steam", 0, 28)]}, {"1": [("steam", 0, 46)]}
    how = {"documents": {"steam": TEXT}}
    assert assay.evaluate(gold, run, "R(tokens=3)", **how, tokenizer="words").notes == [WORDS]
    assert assay.evaluate(gold, run, "R(unit=token)", **how, tokenizer="words").notes == [WORDS]
    for tokenizer in ("chars:4", StandIn(4), words_of):
        assert assay.evaluate(gold, run, "R(tokens=3)", **how, tokenizer=tokenizer).notes == []
    # nothing counts tokens
    assert assay.evaluate(gold, run, "R(chars=3)", **how, tokenizer="words").notes == []


def test_a_tokenizer_that_was_saved_to_cut_texts_off_cuts_nothing_off(folder):
    tokenizers = pytest.importorskip("tokenizers", reason="Hugging Face's tokenizers is not installed")
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"steam": 0, "[UNK]": 1}, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.enable_truncation(2)
    made.save("words.json")
    for tokenizer in (made, "words.json"):
        assert list(tokenizer_of(tokenizer)("é steam, no")) == [(0, 1), (2, 7), (7, 8), (9, 11)]
    assert made.truncation["max_length"] == 2

"""Facts counted a second time: plain sets of characters, and nothing of Assay.

rows    [(topic, document, start, end, fact, quotation), ...]; an empty fact or quotation is none
texts   {document: text}
run     {topic: [(document, start, end), ...]}, best first
"""

from __future__ import annotations

import re
from fractions import Fraction


def word_ends(text):
    return [match.end() for match in re.finditer(r"\S+", text)]


def read_by(results, texts, k=None, chars=None, tokens=None, fit="cut"):
    """The characters that are read, as (document, position): each result is paid for whole."""
    read, left = set(), chars if chars is not None else tokens
    for document, start, end in results[:k]:
        if left is None:
            read |= {(document, at) for at in range(start, end)}
            continue
        units = (
            list(range(start + 1, end + 1))
            if chars is not None
            else [place for place in word_ends(texts[document]) if start < place <= end]
        )
        if len(units) > left:
            if fit == "stop":
                break
            if fit == "skip":
                continue
            # a result that does not fit is cut behind the last unit that is left, and then nothing more is read
            return read | {(document, at) for at in range(start, [start, *units][left])}
        read |= {(document, at) for at in range(start, end)}
        left -= len(units)
    return read


def alternatives(rows, topic):
    """The facts of a topic: for each a list of alternatives, each a list of spans."""
    facts = {}
    for number, (own, document, start, end, fact, quotation) in enumerate(rows):
        if own == topic:
            quoted = ("quotation", quotation) if quotation else ("row", number)
            named = ("fact", fact) if fact else quoted
            facts.setdefault(named, {}).setdefault(quoted, []).append((document, start, end))
    return [list(each.values()) for each in facts.values()]


def solid(spans, texts):
    """The characters of some spans that are not whitespace."""
    return {(d, at) for d, start, end in spans for at in range(start, end) if not texts[d][at : at + 1].isspace()}


def places(span, texts):
    """All places where the text of a span stands."""
    document, start, end = span
    wanted = texts[document][start:end]
    return [
        (name, at, at + len(wanted))
        for name, text in texts.items()
        for at in range(len(text) - len(wanted) + 1)
        if text[at : at + len(wanted)] == wanted
    ]


def share_read(spans, read, texts, copies):
    """The share of an alternative that is read; where copies count each character in any of its places."""
    if not copies:
        characters = solid(spans, texts)
        return Fraction(len(characters & read), len(characters)) if characters else Fraction(0)
    found = whole = 0
    for span in spans:
        document, start, end = span
        for offset in range(end - start):
            if texts[document][start + offset].isspace():
                continue
            whole += 1
            found += any((name, first + offset) in read for name, first, _ in places(span, texts))
    return Fraction(found, whole) if whole else Fraction(0)


def fact_recall(rows, results, topic, texts, cover="1", copies=False, **until):
    read = read_by(results, texts, **until)
    # a fact of only whitespace has nothing to be read
    facts = [fact for fact in alternatives(rows, topic) if any(solid(spans, texts) for spans in fact)]
    enough = Fraction(cover)
    known = [
        any(share and share >= enough for share in (share_read(spans, read, texts, copies) for spans in fact))
        for fact in facts
    ]
    return sum(known) / len(facts) if facts else 0.0

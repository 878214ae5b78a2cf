"""Evidence that counts wherever it stands: which character is a copy of which, by plain search and dictionaries.

gold   [(document, start, end), ...] of one topic, or of one of its sets, as listed
texts  {document: text}
"""

from __future__ import annotations


def places(text, texts):
    """All places of a text in documents."""
    return [
        (document, at) for document, whole in texts.items() for at in range(len(whole)) if whole.startswith(text, at)
    ]


def copy_of(gold, texts):
    """For each character of the evidence and of its copies that of which it is a copy, as (document, position).

    Texts that stand in several places come before those that stand in one, short ones before long ones, and else in the
    order of the alphabet. Of a text the place that gold lists first has the originals, unless an earlier text stands
    there; a character that is a copy of one is no copy of another.
    """
    listed = {}
    for document, start, end in gold:
        listed.setdefault(texts[document][start:end], []).append((document, start))
    everywhere = {text: [*listed[text], *(places(text, texts) if text.strip() else [])] for text in listed}
    originals = {}
    for text in sorted(listed, key=lambda text: (len(set(everywhere[text])) == 1, len(text), text)):
        first = listed[text][0]
        for document, at in everywhere[text]:
            for offset in range(len(text)):
                here, there = (document, at + offset), (first[0], first[1] + offset)
                originals.setdefault(here, originals.get(there, there))
    return originals


def met(results, overlap, k=None, chars=None):
    """The characters that a reader meets: all of each result, or only what is new."""
    read, seen = [], set()
    for document, start, end in results[:k]:
        read += [(document, at) for at in range(start, end) if overlap == "paid" or (document, at) not in seen]
        seen.update(read)
    return read[:chars]


def recall_and_precision(results, gold, texts, overlap, **until):
    """The shares of the evidence that is met at any of its places, and of what is met that is evidence not met before."""
    originals = copy_of(gold, texts)
    read = met(results, overlap, **until)
    found = {originals[character] for character in read if character in originals}
    return len(found) / len(set(originals.values())), len(found) / len(read) if read else 0.0

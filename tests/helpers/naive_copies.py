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


def listed_texts(gold, texts):
    """The different texts of the gold and where each is listed, as (document, position): those that stand in several
    places before those that stand in one, short ones before long ones, and else in the order of the alphabet.
    """
    listed = {}
    for document, start, end in gold:
        listed.setdefault(texts[document][start:end], []).append((document, start))
    everywhere = {text: list(dict.fromkeys([*listed[text], *(places(text, texts) if text.strip() else [])])) for text in listed}
    return [
        (text, everywhere[text])
        for text in sorted(listed, key=lambda text: (len(everywhere[text]) == 1, len(text), text))
    ]  # fmt: skip


def characters(place, text):
    return [(place[0], place[1] + offset) for offset in range(len(text))]


def layings(gold, texts):
    """What each character of the evidence and of its copies is a copy of: as copies are laid first, and with each of the
    others laid over these.

    Of a text the place that gold lists first has the originals, unless an earlier text was laid there; then come those
    places that share nothing with one before. A copy that is laid over others takes the place of those of its own text.
    """
    first, laid_by, over = {}, {}, []
    for text, everywhere in listed_texts(gold, texts):
        laid = []
        for place in everywhere:
            own = characters(place, text)
            under = [each for each in laid if set(characters(each, text)) & set(own)]
            if not under:
                laid.append(place)
                for here, there in zip(own, characters(everywhere[0], text), strict=True):
                    if here not in first:
                        first[here] = first.get(there, there)
                        laid_by[here] = text, place
            over.append((text, everywhere[0], place, under))
    maps = []
    for text, origin, place, under in over:
        instead = {here: there for here, there in first.items() if laid_by[here] not in [(text, each) for each in under]}
        images = [first[there] for there in characters(origin, text)]
        instead |= dict(zip(characters(place, text), images, strict=True))
        maps.append(instead)
    return first, maps


def most_found(read, first, maps):
    """How many originals are found where one copy is laid over the others, the one with which most is found, and one
    in each part of the evidence: two maps are of the same part if there are originals for which both differ from the first.
    """
    parts = []
    for instead in maps:
        differ = {here for here in {*first, *instead} if first.get(here) != instead.get(here)}
        originals = {each.get(here) for here in differ for each in (first, instead)} - {None}
        ways = [instead]
        for part in [part for part in parts if part[0] & originals]:
            parts.remove(part)
            originals, ways = originals | part[0], ways + part[1]
        parts.append((originals, ways))
    found = {first[here] for here in read if here in first}
    total = len(found - set().union(*(originals for originals, _ in parts)))
    for originals, ways in parts:
        total += max(len({each[here] for here in read if here in each} & originals) for each in [first, *ways])
    return total


def met(results, overlap, k=None, chars=None):
    """The characters that a reader meets: all of each result, or only what is new."""
    read, seen = [], set()
    for document, start, end in results[:k]:
        read += [(document, at) for at in range(start, end) if overlap == "paid" or (document, at) not in seen]
        seen.update(read)
    return read[:chars]


def recall_and_precision(results, gold, texts, overlap, **until):
    """The shares of the evidence that is met at any of its places, and of what is met that is evidence not met before."""
    read = met(results, overlap, **until)
    first, maps = layings(gold, texts)
    found = most_found(set(read), first, maps)
    return found / len(set(first.values())), found / len(read) if read else 0.0

"""Check whether documents that changed since a baseline was saved still contain its evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.errors import InputError, count_noun, list_names
from assay.evaluation.provenance import Provenance, Quote, SavedEvidence

if TYPE_CHECKING:
    from assay.documents.collection import DocumentCollection

# What happened to evidence, in the order in which messages list it.
MOVED, EDITED, GONE = "moved", "edited", "gone"
# A passage counts as edited evidence if its similarity, in percent, is at least this.
EDITED_LIKENESS = 60.0
SAVE_AGAIN = "save the baseline again"


def refuse_changed_evidence(
    now: Provenance, before: Provenance, documents: DocumentCollection | None, label: str, allow: bool, judged: str
) -> list[str]:
    """Refuse a baseline whose judgments or evidence changed; return notes on what else changed.

    allow: documents with evidence may have changed, which is then a note. judged: the file with the judgments.
    """
    if before.documents is None and now.documents is not None:
        what = "this baseline was measured without documents, the run with documents"
        raise InputError(f"{what}; measure both alike, or save a new baseline", label)
    if now.documents is None and before.documents is not None:
        raise InputError("this baseline was measured with documents; pass documents=", label)
    if now.evidence is None or before.evidence is None or documents is None:
        return without_evidence(now, before, label, allow)
    changes = changed_documents(now.evidence, before.evidence)
    is_same = now.evidence.gold == before.evidence.gold
    notes = [f"{label}: {note}" for note in changes.notes(is_same, is_other=now.documents != before.documents)]
    if is_same:
        return notes
    kept = {(quote.document, quote.text) for quote in now.evidence.quotes or ()}
    if fates := fates_of(before.evidence, changes.with_evidence, documents, kept):
        if allow:
            return [*notes, f"{label}: the evidence changed since the baseline was saved: {in_words(fates)}"]
        raise changed_evidence(fates, documents, label, judged, "or pass allow_changed_documents=")
    raise other_judgments(now, before, label)


def lost_evidence(
    before: Provenance, documents: DocumentCollection | None, label: str, judged: str
) -> InputError | None:
    """Return the error for evidence of a baseline that was edited or is gone, which judgments may quote; or None."""
    if before.evidence is None or documents is None or not before.evidence.quotes:
        return None
    fates = fates_of(before.evidence, list(before.evidence.documents), documents)
    is_lost = any(EDITED in fate or GONE in fate for fate in fates.values())
    return changed_evidence(fates, documents, label, judged) if is_lost else None


def changed_evidence(
    fates: dict[str, str], documents: DocumentCollection, label: str, judged: str, otherwise: str = ""
) -> InputError:
    """Return the error about changed evidence, with the command that fixes it."""
    command = f"assay locate {judged} --documents {documents.label}" if judged else "assay locate"
    what = f"the evidence changed since this baseline was saved: {in_words(fates)}"
    mend = f"carry the judgments over to the new documents with `{command}`"
    return InputError(", ".join(filter(None, [f"{what}; {mend}", otherwise])), label)


def in_words(fates: dict[str, str]) -> str:
    """Return in words what happened to the evidence of each document."""
    return list_names([f"{name} ({fate})" for name, fate in fates.items()], 5)


def without_evidence(now: Provenance, before: Provenance, label: str, allow: bool) -> list[str]:
    """Compare with a baseline that an older version saved: it has one fingerprint for all documents."""
    if now.gold != before.gold:
        raise other_judgments(now, before, label)
    if now.documents is None:
        return []
    what = f"{label}: an older version of Assay saved this baseline, so it is unknown which documents changed"
    older = f"{what}; {SAVE_AGAIN}"
    if now.documents != before.documents and not allow:
        prints = f"({str(before.documents)[:8]} then, {now.documents[:8]} now)"
        what = f"the documents changed since this baseline was saved {prints}"
        raise InputError(f"{what}; if that is intended, {SAVE_AGAIN}, or pass allow_changed_documents=", label)
    return [older]


def other_judgments(now: Provenance, before: Provenance, label: str) -> InputError:
    """Return the error about judgments that differ from the baseline's."""
    what = f"the judgments changed since this baseline was saved ({before.gold[:8]} then, {now.gold[:8]} now)"
    return InputError(f"{what}; use the old judgments, or save a new baseline", label)


@dataclass(frozen=True)
class Changes:
    """The documents that differ from the baseline's: with evidence, and others that changed, were added or removed."""

    with_evidence: list[str]
    changed: list[str]
    added: list[str]
    removed: list[str]

    def notes(self, is_same: bool, is_other: bool) -> list[str]:
        """Return notes on documents that changed although the evidence did not."""
        since = "since the baseline was saved"
        told = {
            f"changed {since}, but not the evidence": self.with_evidence if is_same else [],
            f"without evidence changed {since}": self.changed,
            f"added {since}": self.added,
            f"without evidence removed {since}": self.removed,
        }
        notes = [
            f"{count_noun(len(names), 'document')} {what}: {list_names(names)}" for what, names in told.items() if names
        ]
        if not notes and not self.with_evidence and is_other:
            notes = [f"documents without evidence changed {since}"]
        return notes


def changed_documents(now: SavedEvidence, before: SavedEvidence) -> Changes:
    """Return the documents that differ; documents without evidence are compared only if both sides kept all names."""
    now_all = {**(now.others or {}), **now.documents}
    if now.others is None or before.others is None:
        return Changes([name for name, was in before.documents.items() if now_all.get(name, was) != was], [], [], [])
    return Changes(
        with_evidence=sorted(name for name, was in before.documents.items() if now_all.get(name) != was),
        changed=sorted(name for name, was in before.others.items() if now_all.get(name, was) != was),
        added=sorted(now_all.keys() - before.others.keys() - before.documents.keys()),
        removed=sorted(before.others.keys() - now_all.keys()),
    )


def fates_of(
    before: SavedEvidence,
    changed: list[str],
    documents: DocumentCollection,
    kept: Collection[tuple[str, str]] = (),
) -> dict[str, str]:
    """Return for each changed document what happened to evidence that is no longer there: moved, edited or gone.

    `kept` are the document and the text of evidence that is still judged.
    """
    is_changed = set(changed).__contains__
    quotes = [quote for quote in before.quotes or () if is_changed(quote.document)]
    if not quotes:
        return dict.fromkeys(changed, "changed")
    texts = dict(documents.texts(changed))
    fates: dict[str, Counter[str]] = {}
    for quote in quotes:
        if (quote.document, quote.text) not in kept and (fate := fate_of(quote, texts.get(quote.document))):
            fates.setdefault(quote.document, Counter())[fate] += 1
    return {name: count_fates(fate) for name, fate in fates.items()}


def count_fates(fates: Counter[str]) -> str:
    """Return in words how many quotes of a document were moved, edited or gone."""
    return ", ".join(f"{count_noun(fates[fate], 'quote')} {fate}" for fate in (MOVED, EDITED, GONE) if fates[fate])


def fate_of(quote: Quote, text: str | None) -> str:
    """Return what happened to a quote; empty if it is where it was."""
    if text is None:
        return GONE
    if text.startswith(quote.text, quote.start):
        return ""
    if quote.text in text:
        return MOVED
    from rapidfuzz.fuzz import partial_ratio

    return EDITED if partial_ratio(quote.text, text, score_cutoff=EDITED_LIKENESS) else GONE

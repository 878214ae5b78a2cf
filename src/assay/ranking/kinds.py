"""The kinds of judgments, and everything in which their evaluation differs, in one table.

    judged                  a result counts as                 a report counts in
    whole documents         a document, by its grade           documents
    subtopics               a document, by what is new in it   documents
    strata of a sample      as many documents as it stands for documents
    highlighted text        its characters                     characters
    assessed elements       an element, by its two grades      elements

Modules that only parts of documents need are imported inside functions, because importing them takes longer than
measuring whole documents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.tables.ids import Ints
from assay.tables.judgments import ElementJudgments, HighlightJudgments, Judgments, SampleJudgments, SubtopicJudgments
from assay.tables.run import DocumentRun, Run

if TYPE_CHECKING:
    from assay.ranking.align import Aligned
    from assay.ranking.documents import Ranking
    from assay.ranking.order import Rules
    from assay.ranking.pool import Pool


@dataclass(eq=False, repr=False)
class Kind:
    """A kind of judgments. Each kind is a single object, and unpickling returns that object.

    `unit` is what a report counts. `default_measures` are reported if the user names none. `align` makes the ranking of
    a run, and `nothing` the ranking of topics for which nothing was retrieved.
    """

    name: str
    unit: str
    default_measures: tuple[str, ...]
    align: Callable[[Run, Pool, Rules], Aligned]
    nothing: Callable[[Pool, Ints], Ranking]

    def __reduce__(self) -> tuple[Callable[[str], Kind], tuple[str]]:
        """Pickle only the name."""
        return kind_named, (self.name,)


def aligned_documents(run: Run, pool: Pool, rules: Rules) -> Aligned:
    """Return the ranking of whole documents; parts of documents count as their documents, by first appearance."""
    if isinstance(run, DocumentRun):
        from assay.ranking.align import align

        return align(run, pool, rules)
    from assay.ranking.align_text import align_parts

    return align_parts(run, pool, rules)


def no_documents(pool: Pool, topics: Ints) -> Ranking:
    """Return the ranking of topics for which no document was retrieved."""
    return pool.nothing_for(topics)


def aligned_subtopics(run: Run, pool: Pool, rules: Rules) -> Aligned:
    """Return the ranking of whole documents, with the subtopics that each is relevant to."""
    from assay.ranking.subtopics import with_subtopics

    aligned = aligned_documents(run, pool, rules)
    return aligned._replace(ranking=with_subtopics(aligned.ranking, aligned.topics, pool))


def no_subtopics(pool: Pool, topics: Ints) -> Ranking:
    """Return the ranking of topics for which no document was retrieved, with their subtopics."""
    from assay.ranking.subtopics import with_subtopics

    return with_subtopics(pool.nothing_for(topics), topics, pool)


def aligned_sample(run: Run, pool: Pool, rules: Rules) -> Aligned:
    """Return the ranking of whole documents, with the stratum of each."""
    from assay.ranking.subtopics import with_strata

    aligned = aligned_documents(run, pool, rules)
    return aligned._replace(ranking=with_strata(aligned.ranking, aligned.topics, pool))


def no_sample(pool: Pool, topics: Ints) -> Ranking:
    """Return the ranking of topics for which no document was retrieved, with the strata of the pool."""
    from assay.ranking.subtopics import with_strata

    return with_strata(pool.nothing_for(topics), topics, pool)


def aligned_text(run: Run, pool: Pool, rules: Rules) -> Aligned:
    """Return the ranking of text in characters; a whole document counts as all its text."""
    from assay.ranking.align_text import align_text

    return align_text(run, pool, rules)


def nothing_retrieved(pool: Pool, topics: Ints) -> Ranking:
    """Return the ranking of topics for which no text was retrieved."""
    from assay.ranking.align_text import nothing_of_text

    return nothing_of_text(pool, topics)


def aligned_elements(run: Run, pool: Pool, rules: Rules) -> Aligned:
    """Return the ranking of elements."""
    from assay.ranking.align_text import align_elements

    return align_elements(run, pool, rules)


def no_elements(pool: Pool, topics: Ints) -> Ranking:
    """Return the ranking of topics for which no element was retrieved."""
    from assay.ranking.align_text import nothing_of_elements

    return nothing_of_elements(pool, topics)


DOCUMENTS = Kind(
    name="whole documents",
    unit="documents",
    default_measures=("AP", "nDCG@10", "P@10", "RR", "R@100"),
    align=aligned_documents,
    nothing=no_documents,
)
SUBTOPICS = Kind(
    name="subtopics of whole documents",
    unit="documents",
    # the measures that the diversity task of TREC's web track reported
    default_measures=("alpha_nDCG@20", "ERR_IA@20", "NRBP", "AP_IA", "P_IA@20", "StRecall@20"),
    align=aligned_subtopics,
    nothing=no_subtopics,
)
SAMPLED = Kind(
    name="strata of a sample",
    unit="documents",
    default_measures=("xinfAP", "infNDCG", "infP@10"),
    align=aligned_sample,
    nothing=no_sample,
)
TEXT = Kind(
    name="highlighted text",
    unit="characters",
    # a run may find the document but not the text in it
    default_measures=("AiP", "iP@0.01", "P@5", "R@5", "F@5", "Success(unit=document)@5"),
    align=aligned_text,
    nothing=nothing_retrieved,
)
ELEMENTS = Kind(
    name="assessed elements",
    unit="elements",
    default_measures=("nxCG@10", "nxCG@25", "nxCG@50", "Aep", "iAep", "Q"),
    align=aligned_elements,
    nothing=no_elements,
)


def kind_named(name: str) -> Kind:
    """Return the kind with this name."""
    return next(kind for kind in (DOCUMENTS, SUBTOPICS, SAMPLED, TEXT, ELEMENTS) if kind.name == name)


def kinds_of(judgments: Judgments) -> tuple[Kind, ...]:
    """Return the kinds of these judgments, first the default one; whole documents are always among them."""
    text = (TEXT,) if isinstance(judgments, HighlightJudgments) else ()
    elements = (ELEMENTS,) if isinstance(judgments, ElementJudgments) else ()
    subtopics = (SUBTOPICS,) if isinstance(judgments, SubtopicJudgments) and not text else ()
    sampled = (SAMPLED,) if isinstance(judgments, SampleJudgments) else ()
    return (*text, *elements, *subtopics, *sampled, DOCUMENTS)

"""The methods of fusion: what runs say of a candidate -> its score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from assay.errors import UsageError
from assay.fusing.majorities import condorcet
from assay.fusing.votes import Votes, added
from assay.tables.ids import Floats

K, P = 60, 0.9


def combsum(votes: Votes) -> Floats:
    """Σ_r s_r(d). Fox and Shaw, Combination of multiple searches, TREC-2, 1994."""
    return added(votes.scores)


def combmnz(votes: Votes) -> Floats:
    """The number of runs that have d, times Σ_r s_r(d). Fox and Shaw, TREC-2, 1994."""
    return votes.having * added(votes.scores)


def combanz(votes: Votes) -> Floats:
    """Σ_r s_r(d) over the number of runs that have d. Fox and Shaw, TREC-2, 1994."""
    return added(votes.scores) / votes.having


def combmed(votes: Votes) -> Floats:
    """The median of s_r(d) over the runs that have d. Fox and Shaw, TREC-2, 1994."""
    # NaN is sorted behind all numbers
    scores, rows = np.sort(votes.scores, axis=1), np.arange(len(votes.topic))
    return scores[rows, (votes.having - 1) // 2] / 2 + scores[rows, votes.having // 2] / 2


def rrf(votes: Votes, k: float = K) -> Floats:
    """Σ_r 1 / (k + i_r(d)), where i is the rank. Cormack, Clarke and Büttcher, Reciprocal rank fusion, SIGIR 2009."""
    return added(1 / (k + votes.rank))


def isr(votes: Votes) -> Floats:
    """The number of runs that have d, times Σ_r 1 / i_r(d)². Mourão, Martins and Magalhães, Multimodal medical
    information retrieval with unsupervised rank fusion, Computerized Medical Imaging and Graphics 39, 2015.
    """
    return votes.having * added(1 / votes.rank**2)


def rbc(votes: Votes, p: float = P) -> Floats:
    """Σ_r (1 − p) p^(i_r(d) − 1). Bailey, Moffat, Scholer and Thomas, Retrieval consistency in the presence of query
    variations, SIGIR 2017.
    """
    return added((1 - p) * p ** (votes.rank - 1))


def borda(votes: Votes) -> Floats:
    """Σ_r of a point for d itself, one for each candidate that r places behind d, and half of one for each that it
    places equal. Aslam and Montague, Models for metasearch, SIGIR 2001.
    """
    candidates = np.repeat(np.diff(votes.starts), np.diff(votes.starts))
    return added(candidates[:, None] + 1 - votes.places)


@dataclass(frozen=True)
class Method:
    """How runs are fused: what makes scores of votes, whether that looks at the runs' scores, and its parameter."""

    formula: Callable[..., Floats]
    by_score: bool = False
    parameter: str | None = None
    # Whether the score depends on how many runs have the candidate, so that scores below 0 turn what that means round.
    rewards_many: bool = False
    # Whether what a run lacks has a place in it too, behind all that it has.
    places_all: bool = False
    # Whether candidates must stand by document id, as those do whose scores are tied.
    by_document: bool = False


METHODS: Mapping[str, Method] = {
    "rrf": Method(rrf, parameter="k"),
    "combsum": Method(combsum, by_score=True, rewards_many=True),
    "combmnz": Method(combmnz, by_score=True, rewards_many=True),
    "combanz": Method(combanz, by_score=True),
    "combmed": Method(combmed, by_score=True),
    "isr": Method(isr),
    "rbc": Method(rbc, parameter="p"),
    "borda": Method(borda, places_all=True),
    "condorcet": Method(condorcet, places_all=True, by_document=True),
}


def method_named(name: str) -> Method:
    """A method of fusion."""
    if name not in METHODS:
        raise UsageError(f"unknown method of fusion {name!r}; expected one of {', '.join(METHODS)}")
    return METHODS[name]


def parameters_of(name: str, k: float | None, p: float | None) -> dict[str, float]:
    """The parameters that were given, if the method has them and they are within their bounds."""
    method = method_named(name)
    given = {parameter: value for parameter, value in (("k", k), ("p", p)) if value is not None}
    for parameter in given:
        if parameter != method.parameter:
            owner = next(other for other, each in METHODS.items() if each.parameter == parameter)
            raise UsageError(f"{parameter} is a parameter of {owner}, and not of {name}")
    if k is not None and not 0 <= k < float("inf"):
        raise UsageError(f"k {k} is wrong; expected a number from 0")
    if p is not None and not 0 < p < 1:
        raise UsageError(f"p {p} is wrong; expected a number between 0 and 1")
    return given

"""Judgments that tell all evidence of a question in one record: a list of quotations, each of which becomes a record.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from assay.tables.column_names import EVIDENCE, TEXT_COLUMNS, TableColumns, comparable_name

MAY_HAVE_QUOTATIONS = {*TEXT_COLUMNS, *EVIDENCE}
# The name of a text that comes before all others.
USUAL_TEXT = "page_content"
# What may be a list of parts that are one text together.
IN_PARTS = "content"


def quotations_in(given: Any) -> list[Any]:
    """A record of judgments once for each quotation that it has, under the usual name of a text; others as they are."""
    if not isinstance(given, Mapping) or MAY_HAVE_QUOTATIONS.isdisjoint(given):
        return [given]
    name = TableColumns([key for key in given if isinstance(key, str)]).text
    if name is None:
        return [given]
    if comparable_name(name) in EVIDENCE:
        # a question without evidence has none of it
        return [] if given[name] is None else each_quotation(given, name, USUAL_TEXT)
    is_one_text = name == IN_PARTS and not are_strings(given[name])
    return [given] if is_one_text else each_quotation(given, name, name)


def each_quotation(record: Mapping[str, Any], name: str, under: str) -> list[Mapping[str, Any]]:
    """A record once for each of the quotations that it has by some name, each of them under another; quotations may be
    dicts that tell a document too. The record as it is where it has neither a quotation nor a list of them.
    """
    quotes = record[name]
    quotes = quotes.tolist() if hasattr(quotes, "tolist") else quotes
    quotes = quotes if isinstance(quotes, list | tuple) else [quotes]
    if not all(isinstance(each, str | Mapping) for each in quotes):
        return [record]
    rest = {other: value for other, value in record.items() if other != name}
    return [rest | (dict(each) if isinstance(each, Mapping) else {under: each}) for each in quotes]


def are_strings(given: Any) -> TypeGuard[list[str]]:
    """Whether something is a list of strings."""
    return isinstance(given, list) and all(isinstance(each, str) for each in given)

"""The base class of results that show themselves."""

from __future__ import annotations


class Shown:
    """A result that a terminal and a notebook show as a table, with its notes below it if it has any."""

    def show(self, layout: str = "text") -> str:
        """Return the result as text, tsv, csv, json, md, latex or html."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n".join([self.show().rstrip(), *getattr(self, "notes", ())])

    def _repr_html_(self) -> str:
        from assay.showing.layout import html_with_notes

        return html_with_notes(self.show("html"), getattr(self, "notes", ()))

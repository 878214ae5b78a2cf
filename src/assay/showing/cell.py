"""A cell of a table: what it holds, how many digits of it are shown, and how it is set apart from the others."""

from __future__ import annotations

from typing import Any, NamedTuple


class Cell(NamedTuple):
    """A name, a count or a number. It may be bold, as the best of its column, and have raised letters behind it.

    `digits` are those behind the point of a number. A file of rows holds `value` itself, in full precision.
    """

    value: Any
    digits: int = 4
    bold: bool = False
    raised: str = ""

    def text(self) -> str:
        """The value as people read it: a number to its digits, a count or a name as it is."""
        return str(self.value) if isinstance(self.value, int | str) else f"{self.value:.{self.digits}f}"


class Probability(Cell):
    """A p-value."""

    def text(self) -> str:
        """The p-value to its digits, but `<0.0001` where it is not 0 and all of its digits would be."""
        smallest: float = 10**-self.digits
        return f"<{smallest:.{self.digits}f}" if 0 < self.value < smallest / 2 else f"{self.value:.{self.digits}f}"


class Signed(Cell):
    """A difference, whose sign is always shown."""

    def text(self) -> str:
        """The difference to its digits; one that rounds to nothing has no sign."""
        text = f"{self.value:+.{self.digits}f}"
        return text if text.strip("+-0.") else text[1:]

"""Small changes of a file, as accidents and ill will make them: of bytes, of lines, of fields, of the whole."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import re
from collections.abc import Callable

# What readers stumble over: controls, halves of characters, bounds of numbers, beginnings without ends.
PIECES = [
    b"", b"\0", b"\r", b"\n", b"\n\n", b"\t", b" ", b"#", b"\x0b", b"\x0c", b"\x1a", b"\x1b[31m", b"\x7f", b"\x80",
    b"\xff", b"\xc3", b"\xef\xbb\xbf", "\x85".encode(), "\u2028".encode(), "\u202e".encode(), "\ufffd".encode(),
    "\ufeff".encode(), "\U0001f35e".encode(), "e\u0301".encode(), "\u0663".encode(), "\u00bd".encode(),
    b"\xed\xa0\x80", b"\\ud800", b"\\u0000", b"\\", b'"', b'""', b"'", b",", b":", b";", b"|", b"{", b"}", b"[", b"]",
    b"<", b">", b"&", b"&amp;", b"&#0;", b"&#x110000;", b"&nbsp;", b"&x;", b"]]>", b"<!--", b"<a>", b"</a>", b"<?x?>",
    b"<![CDATA[", b'<!DOCTYPE a [<!ENTITY x "&y;&y;"><!ENTITY y "z">]>', b'<!DOCTYPE a SYSTEM "/dev/zero">', b"0",
    b"-0", b"00", b"-1", b"1", b"1.0", b"1e0", b"0x1", b"1_0", b"+1", b".5", b"5.", b"1e", b"1e400", b"-1e400",
    b"1e-400", b"1e308", b"-1e308", b"nan", b"inf", b"-Infinity", b"127", b"255", b"1024", b"65536", b"2147483648", b"4294967296",
    b"9007199254740993", b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", b"999999999999999",
    b"1000000000000000", b"1" * 30, b"9" * 400, b"null", b"true", b"false", b"[]", b"{}", b'{"a": 1}', b"None", b"X",
    b"/", b"//", b"/a[0]", b"/article[1]", b"/article[1]/p[99999]", b"/article[1]/text()[1].99999999999", b"text()",
    b"*", b"..", b"../../x", b"/etc/passwd", b"~", b"-", b"--", b"%s", b"{0}", b"$(x)", b"con", b"0:5", b"5:-1",
    b"0:0", b"a" * 300,
]  # fmt: skip
# What is deep or long, without being large.
HEAPS = [
    b"[", b"{", b'{"a":', b"<a>", b"(", b'"', b"/a", b"\n", b"\r", b" ", b"\t", b",", b"0", b"9", b"x", b"\0", b"&amp;", b"<!--",
    b"1 ",
]  # fmt: skip
BLANKS = [b"", b" ", b"\t", b"\n", b",", b"  \t ", b"\r", b"\0", b"\x0c", b"\xa0", b'"']
TOKEN = re.compile(rb"[^\s,:<>\"'{}=/;|\[\]]+")

Change = Callable[[random.Random, bytes, bytes], bytes]


def span(rng: random.Random, content: bytes, most: int = 40) -> tuple[int, int]:
    """A place, and another one not far behind it."""
    start = rng.randint(0, len(content))
    return start, min(len(content), start + rng.randint(0, rng.choice([1, 4, most])))


def replaced(rng: random.Random, content: bytes, parts: list[tuple[int, int]], piece: bytes) -> bytes:
    """The content with a piece instead of one of its parts, or of nothing where it has none."""
    start, end = rng.choice(parts) if parts else (0, 0)
    return content[:start] + piece + content[end:]


def tokens(content: bytes) -> list[tuple[int, int]]:
    return [match.span() for match in TOKEN.finditer(content)]


def a_bit(rng: random.Random, content: bytes, other: bytes) -> bytes:
    if not content:
        return content
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]


def some_bytes(rng: random.Random, content: bytes, other: bytes) -> bytes:
    return replaced(rng, content, [span(rng, content)], rng.randbytes(rng.choice([0, 1, 1, 4, 9])))


def a_piece(rng: random.Random, content: bytes, other: bytes) -> bytes:
    start, end = span(rng, content, 1)
    return content[:start] + rng.choice(PIECES) + content[end:]


def a_field(rng: random.Random, content: bytes, other: bytes) -> bytes:
    return replaced(rng, content, tokens(content), rng.choice(PIECES))


def a_field_by_another(rng: random.Random, content: bytes, other: bytes) -> bytes:
    source = rng.choice([content, other])
    begin, end = rng.choice(tokens(source) or [(0, 0)])
    return replaced(rng, content, tokens(content), source[begin:end])


def a_separator(rng: random.Random, content: bytes, other: bytes) -> bytes:
    blanks = [match.span() for match in re.finditer(rb"[\s,:=]+", content)]
    return replaced(rng, content, blanks, rng.choice(BLANKS))


def a_heap(rng: random.Random, content: bytes, other: bytes) -> bytes:
    start, end = span(rng, content)
    return content[:start] + rng.choice(HEAPS) * rng.choice([20, 300, 3000, 60_000]) + content[end:]


def an_end(rng: random.Random, content: bytes, other: bytes) -> bytes:
    return content[: rng.randint(0, len(content))]


def lines_moved(rng: random.Random, content: bytes, other: bytes) -> bytes:
    """Lines twice, gone, in another order, or those of another file among them."""
    lines = content.splitlines(keepends=True)
    foreign = other.splitlines(keepends=True)
    for _ in range(rng.choice([1, 1, 2])):
        at = rng.randint(0, len(lines))
        how = rng.randrange(5)
        if how == 0:
            lines[at:at] = [rng.choice(lines or [b""])]
        elif how == 1:
            del lines[at : at + 1]
        elif how == 2:
            rng.shuffle(lines)
        elif how == 3:
            lines[at:at] = [rng.choice(foreign or [b""])]
        else:
            lines = [line for line in lines for _ in range(rng.choice([1, 1, 2]))]
    return b"".join(lines)


def columns_moved(rng: random.Random, content: bytes, other: bytes) -> bytes:
    """The same two fields change places, or one is gone, in every line."""
    separator = rng.choice([b" ", b"\t", b","])
    first, second, gone = rng.randrange(6), rng.randrange(6), rng.random() < 0.3
    rows = [line.split(separator) for line in content.split(b"\n")]
    for row in rows:
        if gone:
            del row[first : first + 1]
        elif max(first, second) < len(row):
            row[first], row[second] = row[second], row[first]
    return b"\n".join(separator.join(row) for row in rows)


def a_splice(rng: random.Random, content: bytes, other: bytes) -> bytes:
    start, end = span(rng, other, 400)
    return replaced(rng, content, [span(rng, content)], other[start:end])


def repeated(rng: random.Random, content: bytes, other: bytes) -> bytes:
    start, end = span(rng, content, 200)
    return content[:end] + content[start:end] * rng.choice([1, 2, 30]) + content[end:]


def a_name_twice(rng: random.Random, content: bytes, other: bytes) -> bytes:
    """A value under its name twice, in JSON or in the header of a table."""
    pairs = [match.span() for match in re.finditer(rb'"[^"\n]*"\s*:\s*(?:"[^"\n]*"|[^\s,{}\[\]"]+)', content)]
    pairs = pairs or [match.span() for match in re.finditer(rb"\w+(?=[,\t])", content.split(b"\n", 1)[0])]
    start, end = rng.choice(pairs) if pairs else (0, 0)
    separator = b"\t" if b"\t" in content[:200] else b","
    return content[:end] + (separator + content[start:end]) * rng.choice([1, 1, 300, 3000]) + content[end:]


def nothing_within(rng: random.Random, content: bytes, other: bytes) -> bytes:
    """Brackets with nothing in them, or with very many that have nothing in them."""
    brackets = [match.span() for match in re.finditer(rb"\{[^{}\[\]]*\}|\[[^{}\[\]]*\]", content)]
    empty = rng.choice([b"{}", b"[]", b"[{}]", b"[%b{}]" % (b"{}," * rng.choice([1, 300, 3000]))])
    return replaced(rng, content, brackets, empty)


def in_other_bytes(rng: random.Random, content: bytes, other: bytes) -> bytes:
    """Other line ends, another encoding, or compressed, and perhaps damaged then."""
    how = rng.randrange(8)
    if how == 0:
        return content.replace(b"\n", b"\r\n")
    if how == 1:
        return content.replace(b"\n", b"\r")
    if how == 2:
        return content.decode("utf-8", "replace").encode(rng.choice(["utf-16", "utf-16-le", "utf-32", "utf-7"]))
    if how == 3:
        return content.decode("utf-8", "replace").encode("latin-1", "replace")
    packed = rng.choice([gzip.compress, bz2.compress, lzma.compress])(content)
    return a_bit(rng, packed, other) if how == 4 else an_end(rng, packed, other) if how == 5 else packed


CHANGES: list[Change] = [
    a_bit, some_bytes, a_piece, a_piece, a_field, a_field, a_field, a_field_by_another, a_field_by_another, a_separator,
    a_heap, an_end, lines_moved, lines_moved, columns_moved, a_splice, repeated, in_other_bytes, a_name_twice,
    nothing_within,
]  # fmt: skip


def mutated(rng: random.Random, content: bytes, other: bytes) -> bytes:
    """The content with one to four changes, for some of which pieces of another file are taken."""
    for _ in range(rng.choice([1, 1, 1, 2, 2, 4])):
        content = rng.choice(CHANGES)(rng, content, other)
    return content

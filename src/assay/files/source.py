"""Where bytes come from: a file, compressed or not, or standard input. Compression is recognised by content."""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, cast

from assay.errors import InputError, UsageError, quote

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

# Small enough to take little memory, large enough that threads rarely wait for each other.
BLOCK = 5 << 19
# A block of lines is put together from this many pieces, because these fit into memory that was freed.
PIECES = 10
# The maximum size in bytes of piped input that stays in memory.
IN_MEMORY = 1 << 24
STDIN = "-"
MARK = b"\xef\xbb\xbf"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
CONVERT = "convert the file, for example with iconv"


def piece_size() -> int:
    """Return how many bytes a piece of a block has."""
    return max(BLOCK // PIECES, LONGEST_MAGIC)


def not_utf8(byte: int) -> str:
    """Return the message about a byte that is not valid UTF-8."""
    return f"not UTF-8 (byte 0x{byte:02X}); {CONVERT}"


def zstandard() -> Any:
    """Return the zstd module: that of Python 3.14 and later, or its backport."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def _zstd(stream: BinaryIO) -> Any:
    return zstandard().ZstdFile(stream)


def _gzip(stream: BinaryIO) -> Any:
    import gzip

    return gzip.GzipFile(fileobj=stream)


def _bz2(stream: BinaryIO) -> Any:
    import bz2

    return bz2.BZ2File(stream)


def _xz(stream: BinaryIO) -> Any:
    import lzma

    return lzma.LZMAFile(stream)


# The first bytes of compressed files, as patterns. The one of bzip2 is long enough that no text begins like it.
COMPRESSIONS: dict[bytes, tuple[str, Callable[[BinaryIO], Any]]] = {
    rb"\x1f\x8b": ("gzip", _gzip),
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": ("bzip2", _bz2),
    rb"\xfd7zXZ\0": ("xz", _xz),
    rb"\x28\xb5\x2f\xfd": ("zstd", _zstd),
}
# File endings that are not part of a run's name.
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
TABLES = (".run", ".txt", ".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xml")
LONGEST_MAGIC = 10
# How many bytes are read to recognise the format of a file.
HEAD = 1 << 16
# Names of files up to this many characters are possible on any usual system.
LONGEST_NAME = 255


def refuse_text(path: str, instead: str) -> None:
    """Refuse a text in the place of a path: no such file exists, and it has several lines or is too long for a name."""
    if len(path) <= LONGEST_NAME and "\n" not in path:
        return
    try:
        os.stat(path)
    except OSError as error:
        if "\n" in path or error.errno == errno.ENAMETOOLONG:
            raise UsageError(f"{quote(path)} is a text, not a path; pass {instead}") from None


def archive_of(head: bytes) -> str | None:
    """Return the kind of archive that begins with these bytes, ZIP or tar, or None."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "ZIP"
    return "tar" if head[257:262] == b"ustar" else None


class Source:
    """A named stream of bytes that can be read from the start as often as needed.

    `name` is the name of the run in it, if the caller gave one. `done` is how many bytes of the file have been read.
    """

    # Skipped at the beginning: the byte order mark.
    passed_over: ClassVar[bytes] = MARK

    def __init__(self, path: str | os.PathLike[str], name: str = ""):
        self.path = os.fspath(path)
        refuse_text(self.path, "{topic: [text, …]}")
        self.name = name
        self._pipe: bytes | KeptFile | None = None
        self._head: bytes | None = None
        # what is known about the file so far: its format, the names of its columns
        self.known: dict[object, Any] = {}
        self.done = 0
        # the number of rows, if it is known before they are read
        self.rows = 0

    @property
    def label(self) -> str:
        """How messages name the source."""
        return "standard input" if self.path == STDIN else self.path or "''"

    @property
    def stem(self) -> str:
        """The name of the run: the given one, or else the file's name without folders and the usual endings."""
        if self.name:
            return self.name
        name = os.path.basename(self.label)
        for endings in (COMPRESSED, TABLES):
            name = next((name[: -len(ending)] for ending in endings if name.endswith(ending)), name)
        return name or self.label

    @property
    def table_by_name(self) -> str:
        """`csv` or `tsv` if the file's name ends in it, compressed or not; else empty."""
        name = self.path.lower()
        name = next((name.removesuffix(ending) for ending in COMPRESSED if name.endswith(ending)), name)
        return name[-3:] if name.endswith((".csv", ".tsv")) else ""

    @property
    def size(self) -> int:
        """The size on disk in bytes; 0 if unknown."""
        return os.path.getsize(self.path) if os.path.isfile(self.path) else 0

    def fault(self, what: str, line: int | None = None) -> InputError:
        """Return an error about this source, at a line if one is given."""
        return InputError(what, self.label, line)

    def _raw(self) -> BinaryIO:
        try:
            if self.path == STDIN or (os.path.exists(self.path) and not os.path.isfile(self.path)):
                kept = self._kept()
                return io.BytesIO(kept) if isinstance(kept, bytes) else kept.opened()
            return open(self.path, "rb", buffering=0)
        except FileNotFoundError:
            raise self.fault("no such file") from None
        except IsADirectoryError:
            raise self.fault("this is a folder; expected a file") from None
        except OSError as error:
            raise self.fault(f"cannot read the file: {error.strerror or error}") from None
        except ValueError as error:
            raise InputError(f"{self.path!r} is not a path: {error}") from None

    def _kept(self) -> bytes | KeptFile:
        # a pipe can be read only once, so its content is kept
        if self._pipe is None:
            if self.path == STDIN:
                self._pipe = keep_pipe(_standard_input())
            else:
                with open(self.path, "rb") as pipe:
                    self._pipe = keep_pipe(pipe)
        return self._pipe

    def blocks(self, size: int | None = None) -> Iterator[bytes]:
        """Yield the uncompressed bytes, `size` at a time, without a byte order mark."""
        size, name = size or BLOCK, ""
        with self._raw() as raw:
            try:
                start = raw.read(LONGEST_MAGIC)
                raw.seek(0)
                name, opened = opened_by_content(start, raw)
                block = opened.read(size)
                if block.startswith(UTF_16):
                    raise self.fault(f"UTF-16, not UTF-8; {CONVERT}")
                # the first block may be nothing but the mark
                block = block.removeprefix(self.passed_over) or opened.read(size)
                while block:
                    self.done = raw.tell()
                    yield block
                    block = opened.read(size)
            except (InputError, MemoryError):
                raise
            except EOFError:
                raise self.fault(f"the {name} data is cut short") from None
            except Exception as error:
                # each library raises its own errors about damaged data
                raise self.fault(f"the {name} data is damaged" if name else f"cannot read the file: {error}") from None

    def is_plain(self, magic: bytes) -> bool:
        """Return whether it is an uncompressed file on disk that begins with these bytes."""
        if self.path == STDIN or not os.path.isfile(self.path):
            return False
        with self._raw() as raw:
            return raw.read(len(magic)) == magic

    def head(self, size: int = HEAD) -> bytes:
        """Return the first bytes, uncompressed. With the default size, the file is opened only the first time."""
        if self._head is None or size != HEAD:
            first = next(self.blocks(size), b"")
            if size != HEAD:
                return first
            self._head = first
        return self._head

    def whole(self) -> bytes:
        """Return all bytes, uncompressed."""
        return b"".join(self.blocks())

    def whole_within(self, most: int) -> bytes | None:
        """Return all bytes, uncompressed, or None if there are more than `most`; then the rest is not read."""
        parts, size = [], 0
        for block in self.blocks():
            parts.append(block)
            size += len(block)
            if size > most:
                return None
        return b"".join(parts)


class Latin(Source):
    """A source whose text is Latin-1 instead of UTF-8."""

    def __init__(self, other: Source):
        super().__init__(other.path)
        self._pipe = other._pipe

    def blocks(self, size: int | None = None) -> Iterator[bytes]:
        """Yield the text in UTF-8, about `size` bytes at a time."""
        for block in super().blocks(size):
            yield block.decode("latin-1").encode()


def tag_of(source: Source) -> str:
    """Return the tag of a run: the sixth field of TREC lines, or the run-id of an INEX submission."""
    head = source.head().decode("utf-8", "replace")
    submission = re.search(r"""<inex-submission[^>]*\brun-id\s*=\s*["']([^"']+)["']""", head)
    if submission:
        return submission[1].strip()
    fields = next((line.split() for line in head.splitlines() if line.strip()), [])
    if len(fields) < 6 or head.lstrip()[0] in "{[<":
        what = "the file has no tags, so a tag cannot name the run"
        raise source.fault(f"{what}; expected lines such as `topic Q0 document rank score tag`", 1)
    return fields[5]


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise OSError("it is closed")
    # the standard input of a notebook yields text only
    return sys.stdin.buffer if hasattr(sys.stdin, "buffer") else io.BytesIO(sys.stdin.read().encode())


class KeptFile:
    """The content of a pipe, in a temporary file that the system deletes when the program ends."""

    def __init__(self, parts: Iterable[bytes]):
        import tempfile
        from threading import Lock

        self.file, self.lock = tempfile.TemporaryFile(), Lock()  # noqa: SIM115 (it is open as long as it is kept)
        for part in parts:
            self.file.write(part)

    def opened(self) -> BinaryIO:
        """Return a new reader at the start of the file; several threads can read it at once."""
        return cast(BinaryIO, KeptReader(self))


class KeptReader(io.RawIOBase):
    """Reads a KeptFile from its own position."""

    def __init__(self, kept: KeptFile):
        self.kept, self.place = kept, 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the position of the next byte."""
        return self.place

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        """Move to another position."""
        with self.kept.lock:
            self.kept.file.seek(self.place)
            self.place = self.kept.file.seek(place, whence)
        return self.place

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read the next bytes into a buffer, and return how many there were."""
        with self.kept.lock:
            self.kept.file.seek(self.place)
            number = self.kept.file.readinto(buffer)
        self.place += number
        return int(number)


def keep_pipe(pipe: BinaryIO) -> bytes | KeptFile:
    """Return the content of a pipe: in memory, or in a temporary file if it is large."""
    first = pipe.read(IN_MEMORY)
    if len(first) < IN_MEMORY:
        return first
    return KeptFile(chain([first], iter(lambda: pipe.read(BLOCK), b"")))


def opened_by_content(start: bytes, raw: BinaryIO) -> tuple[str, Any]:
    """Return the name of the compression that the first bytes indicate, and the stream decompressed."""
    magic = next((magic for magic in COMPRESSIONS if re.match(magic, start)), None)
    if magic is None:
        return "", raw
    name, opener = COMPRESSIONS[magic]
    return name, opener(raw)

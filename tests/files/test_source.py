"""Sources: the same bytes, however they are compressed and in whatever pieces they are asked for, as often as they are.
"""

import bz2
import gzip
import lzma
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.files.source import Latin, Source
from helpers.files import piped, written

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACKED = {"plain": bytes, "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": zstd.compress}
PACKS = pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED)
# what begins like a mark of the order of bytes, or like compressed data, is no content of its own
contents = st.binary(min_size=1).map(lambda data: b"1 " + data)


@PACKS
@given(data=contents, size=st.integers(1, 50))
def test_blocks_are_the_content_in_pieces_of_the_size_asked_for(pack, data, size):
    source = piped(pack(data))
    blocks = list(source.blocks(size))
    assert b"".join(blocks) == data
    assert all(0 < len(block) <= size for block in blocks)
    assert source.head(size) == blocks[0]
    assert source.whole() == data, "it can be read again"


def test_of_what_is_too_large_unpacked_no_more_is_read(tmp_path, monkeypatch):
    """A few kilobytes may unpack to gigabytes."""
    source = Source(written(gzip.compress(b"1 " * 5_000_000), tmp_path / "large.gz"))
    assert source.whole_within(10_000_000) == b"1 " * 5_000_000
    read = []
    monkeypatch.setattr(source, "blocks", lambda: (read.append(block) or block for block in Source.blocks(source, 1000)))
    assert source.whole_within(2_500) is None
    assert len(read) == 3


@PACKS
def test_nothing_in_it_is_no_block(pack):
    assert list(piped(pack(b"")).blocks()) == []
    assert piped(pack(b"")).head() == b""


@pytest.mark.parametrize("size", [3, 4, 100])
def test_a_mark_of_the_order_of_bytes_is_left_out(size):
    assert b"".join(piped("\ufefftext").blocks(size)) == b"text"


def test_text_in_latin_1_is_given_as_utf_8():
    assert Latin(piped("né".encode("latin-1"))).whole() == "né".encode()


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("runs/r.json", "r"),
        ("runs/bm25.run", "bm25"),
        ("bm25.run.gz", "bm25"),
        ("bm25.txt.zst", "bm25"),
        ("bm25.v2", "bm25.v2"),
        (".run", ".run"),
        ("-", "standard input"),
    ],
)
def test_a_run_is_named_after_its_file_without_folders_and_usual_endings(path, stem):
    assert Source(path).stem == stem


def test_the_size_is_that_on_disk(folder):
    assert Source(written(gzip.compress(b"1" * 1000), "r.gz")).size == (folder / "r.gz").stat().st_size
    assert piped("content").size == 0


def test_how_far_a_file_is_read_is_known(folder):
    source = Source(written("1" * 100, "r"))
    assert [source.done for _ in source.blocks(30)] == [30, 60, 90, 100]


@pytest.mark.parametrize(
    ("content", "magic", "plain"),
    [(b"PAR1 and more", b"PAR1", True), (b"PAR", b"PAR1", False), (gzip.compress(b"PAR1"), b"PAR1", False)],
)
def test_a_plain_file_begins_with_the_bytes_asked_for(content, magic, plain, folder):
    assert Source(written(content, "f")).is_plain(magic) == plain
    assert not piped(content).is_plain(magic)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nothing", "nothing: no such file"),
        (".", ".: this is a folder; expected a file"),
        ("a\0b", r"'a\x00b' is not a path: embedded null byte"),
    ],
)
def test_what_cannot_be_opened_is_told(path, message, folder):
    with pytest.raises(InputError) as refused:
        Source(path).head()
    assert str(refused.value) == message

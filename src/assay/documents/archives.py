"""Documents in .zip and .tar archives. Nothing of an archive is ever written to disk."""

from __future__ import annotations

import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any

from assay.documents.collection import Candidate, Collection, told_as_input_errors
from assay.documents.content import LARGEST, Content, content_of
from assay.documents.names import Names, fitting, is_shown
from assay.files.source import LONGEST_MAGIC, opened_by_content


class Zip(Collection):
    """The files of a zip archive."""

    @cached_property
    def _archive(self) -> zipfile.ZipFile:
        with told_as_input_errors(self.path):
            return zipfile.ZipFile(self.path)

    @cached_property
    def names(self) -> Names:
        """All files, none of them read."""
        files = (
            file
            for file in self._archive.infolist()
            if not file.is_dir() and not stat.S_ISLNK(file.external_attr >> 16)
        )
        return Names(self.path, (file.filename for file in files if is_shown(file.filename))).not_empty()

    def content(self, name: str) -> Content:
        """A file's content."""
        label = f"{self.path}/{name}"
        with told_as_input_errors(label), self._archive.open(name) as file:
            return content_of(label, name, file.read(LARGEST + 1))


class Tar(Collection):
    """The files of a tar archive, compressed or not: it can only be read from start to end, as it is once for all that
    is asked.
    """

    def files(self) -> Iterator[tuple[str, Callable[[], Callable[[], Content]]]]:
        """Each file that is none of the hidden ones."""
        with told_as_input_errors(self.path), open(self.path, "rb") as raw:
            start = raw.read(LONGEST_MAGIC)
            raw.seek(0)
            compression, stream = opened_by_content(start, raw)
            with tarfile.open(fileobj=stream, mode="r|" if compression else "r:") as archive:
                for member in archive:
                    # links are no documents: they may lead anywhere
                    if member.isreg() and is_shown(name := member.name.removeprefix("./")):
                        yield name, partial(self._taken, archive, member, name)
                    # they would all be kept
                    archive.members = []  # type: ignore[attr-defined]

    def _taken(self, archive: tarfile.TarFile, member: tarfile.TarInfo, name: str) -> Callable[[], Content]:
        with told_as_input_errors(self.path):
            file: Any = archive.extractfile(member)
            return partial(content_of, f"{self.path}/{name}", name, file.read(LARGEST + 1))

    @cached_property
    def names(self) -> Names:
        """All names, none of the documents read."""
        return Names(self.path, (name for name, _ in self.files())).not_empty()

    def lacks(self, document: str) -> bool:
        """Whether all names are known and the document's is none of them."""
        return "names" in vars(self) and super().lacks(document)

    def contents(self, documents: list[str]) -> Iterator[Candidate]:
        """Each file that may be one of the documents: which of several it is can only be told at the end."""
        names, wanted = Names(self.path), Names.by_key(documents)
        for name, take in self.files():
            names.extend([name])
            if near := [
                document for document in wanted.get(Names.key(name), ()) if fitting(name, document) is not None
            ]:
                content = take()
                yield from ((document, name, content) for document in near)
        self.names = names.not_empty()

    def key(self, document: str) -> str:
        """The document itself: where it is need not be known."""
        return document

    def all_files(self) -> Iterator[tuple[str, Callable[[], Content]]]:
        """The name of every file, and a function that reads it."""
        return ((name, take()) for name, take in self.files())

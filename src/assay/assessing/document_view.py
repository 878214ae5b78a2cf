"""A document as the page shows it: its text in blocks and lines, without any markup of the document."""

import re
from dataclasses import dataclass
from itertools import pairwise

from assay.documents.lookup import Documents
from assay.documents.xml import DOCUMENT_NAME, TEXT_NAME, Tree
from assay.studies.study import StudyDocument, describe_document

# What a node becomes on the page: text, or a `div` or `span` with one of these classes. No name, no attribute and
# nothing else of a document reaches the page.
TEXT, BLOCK, INLINE, TITLE, CODE, ROW, CELL = range(7)
NAMES = {
    TITLE: "title st ss1 ss2 ss3 atl ti h h1 h2 h3 h4 h5 h6 head heading caption fgc article-title name",
    INLINE: """a abbr b big bold cite collectionlink dfn em emph emph2 emph3 i it italic kbd label languagelink link
        math outsidelink ref q rm s samp scp small span strike strong sub sup super tt u underline unknownlink var
        weblink wikipedialink xref""",
    CODE: "code pre programlisting verbatim listing source",
    ROW: "tr row",
    CELL: "td th entry cell",
}
KIND_OF = {name: kind for kind, names in NAMES.items() for name in names.split()}
# A paragraph ends at an empty line. Paragraphs are grouped up to this many characters, because a browser can skip
# painting a whole group.
PARAGRAPHS = re.compile(r"\n[ \t\r]*\n\s*|\Z")
GROUP = 20_000


@dataclass(frozen=True)
class DocumentView:
    """A document for the page; each node has a kind, the number of the node after it, and the start of its text."""

    document: StudyDocument
    text: str
    kind: list[int]
    behind: list[int]
    at: list[int]
    is_xml: bool


def view(documents: Documents, name: str) -> DocumentView:
    """Return a document as the page shows it."""
    tree, text = documents.tree_and_text(name)
    described = describe_document(name, text)
    if len(tree.names) > 2:
        return DocumentView(described, text, kinds(tree, text), tree.behind.tolist(), tree.at.tolist(), True)
    return DocumentView(described, text, *paragraphs(text), False)


def kinds(tree: Tree, text: str) -> list[int]:
    """Return the kind of each node of an XML document: an element beside text is inline, other elements are blocks."""
    names, name = [named.lower() for named in tree.names], tree.name.tolist()
    at, behind = tree.at.tolist(), tree.behind.tolist()
    parents: list[int] = []
    # the elements that directly contain text
    mixed: set[int] = set()
    parent_of = [0] * len(name)
    for node, code in enumerate(name):
        while parents and behind[parents[-1]] <= node:
            parents.pop()
        parent_of[node] = parents[-1] if parents else 0
        if code == TEXT_NAME:
            if text[at[node] : at[node + 1]].strip():
                mixed.add(parent_of[node])
        else:
            parents.append(node)
    found = []
    for node, code in enumerate(name):
        kind = TEXT if code == TEXT_NAME else BLOCK if code == DOCUMENT_NAME else KIND_OF.get(names[code], BLOCK)
        found.append(INLINE if kind in (BLOCK, TITLE) and parent_of[node] in mixed and node else kind)
    return found


def paragraphs(text: str) -> tuple[list[int], list[int], list[int]]:
    """Return `kind`, `behind` and `at` of the nodes of a plain text: groups of paragraphs, which end at empty lines."""
    ends = sorted({match.end() for match in PARAGRAPHS.finditer(text)} | {len(text)})
    kind, behind, at = [BLOCK], [0], [0]
    group = -1
    for start, end in pairwise([0, *ends]):
        if start == end:
            continue
        if group < 0 or end - at[group] > GROUP:
            if group >= 0:
                behind[group] = len(kind)
            group = len(kind)
            kind.append(BLOCK)
            behind.append(0)
            at.append(start)
        behind += [len(kind) + 2, len(kind) + 2]
        kind += [BLOCK, TEXT]
        at += [start, start]
    if group >= 0:
        behind[group] = len(kind)
    behind[0] = len(kind)
    return kind, behind, [*at, len(text)]

"""The pages of the documentation: blocks of code, and commands with their output."""

import re


def blocks(language: str, text: str) -> list[str]:
    """The fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[tuple[str, str]]:
    """Each `$ assay …` of the console blocks, which may go on behind a backslash, and what is shown below it."""
    joined = [re.sub(r" *(?<!\\)\\\n *", " ", block) for block in blocks("console", text)]
    typed = [part for block in joined for part in re.split(r"^\$ ", block, flags=re.MULTILINE) if part]
    return [(command, shown.rstrip()) for command, _, shown in (part.partition("\n") for part in typed)]


def shell_commands(text: str) -> list[str]:
    """Each `assay …` of the sh blocks, which show no output."""
    joined = re.sub(r" *\\\n *", " ", "".join(blocks("sh", text)))
    return [line for line in joined.splitlines() if line.startswith("assay ")]

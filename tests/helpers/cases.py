"""Bad input as rows of a table: what is said of it, whole, and the input."""

from dataclasses import dataclass, field


@dataclass
class Case:
    """A file and what is said of it; where two files go together, the content is that of the run.

    What is not given is as the test that uses the case has it: good judgments, the command without further words.
    """

    message: str
    content: str | bytes | None = None
    form: str | None = None
    qrels: str | bytes | None = None
    words: list[str] = field(default_factory=list)
    args: list[str] | None = None
    status: int = 1

    def __repr__(self) -> str:
        """The name of the test of this case."""
        return self.message[:60].replace("/", "|")

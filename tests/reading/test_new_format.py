"""To add a format takes its file, its line in the vocabulary, and a test: all the rest of the house knows it then."""

import subprocess
import sys
from pathlib import Path

import pytest

import assay
import assay.reading.formats
from assay import vocabulary
from assay.files.source import Source
from assay.reading.recognition import recognise

ROOT = Path(__file__).parents[2]
# Values between bars, and its names in a line that begins with a bar.
MODULE = '''
from assay.reading.formats.separated import SeparatedFile


class BarSeparated(SeparatedFile):
    """Values between bars, as people draw tables."""

    name = "bars"
    title = "Bars"
    separator = "|"


FORMAT = BarSeparated()
'''
RUN = "topic|document|rank|score\n1|d1|1|2.5\n1|d2|2|1.5\n"
TREC_RUN = "1 Q0 d1 1 2.5 my\n1 Q0 d2 2 1.5 my\n"
QRELS = "topic|document|grade\n1|d1|1\n1|d2|0\n"


@pytest.fixture
def bars(tmp_path, monkeypatch):
    """The folder of a format that is made of a file and a line."""
    folder = tmp_path / "formats"
    folder.mkdir()
    (folder / "bars.py").write_text(MODULE)
    monkeypatch.setattr(assay.reading.formats, "__path__", [*assay.reading.formats.__path__, str(folder)])
    monkeypatch.setattr(vocabulary, "FORMATS", (*vocabulary.FORMATS, "bars"))
    monkeypatch.chdir(tmp_path)
    Path("my.run").write_text(RUN)
    Path("qrels").write_text(QRELS)
    yield folder
    sys.modules.pop("assay.reading.formats.bars", None)


def test_it_is_recognised_and_read(bars):
    assert recognise(Source("my.run")).name == "bars"
    assert assay.read_run("my.run").document.texts() == ["d1", "d2"]
    assert assay.read_judgments("qrels", format="bars").grade.tolist() == [1, 0]
    assert assay.evaluate("qrels", "my.run", "AP").means["AP"].to_list() == [1.0]


def test_without_its_line_it_is_not_known(bars, monkeypatch):
    monkeypatch.setattr(vocabulary, "FORMATS", vocabulary.FORMATS[:-1])
    with pytest.raises(assay.UsageError, match=r"^unknown format 'bars'; choose from trec, sampled, fol, "):
        assay.read_run("my.run", format="bars")


def test_it_is_checked(bars):
    Path("my.run").write_text(RUN + "1|d1|3|x\n1|d2|4|1\n")
    report = assay.check("my.run")
    assert str(report).splitlines()[:3] == [
        "my.run:4: score 'x' is not a number",
        "my.run:5: document d2 is retrieved twice for topic 1 (first on line 3)",
        "my.run: a run (bars)",
    ]
    assert str(assay.check("qrels")).splitlines()[0] == "qrels: judgments (bars)"


def test_it_is_converted_from_and_to(bars):
    assert assay.convert("my.run", "trec").decode() == TREC_RUN
    Path("my.run").write_text(TREC_RUN)
    assert assay.convert("my.run", "bars").decode() == RUN
    assert assay.convert("qrels", "bars").decode() == QRELS


def anew(folder, code):
    """What Python prints that knows the format from the start."""
    known = "import assay.reading.formats as f, assay.vocabulary as v; "
    known += f"f.__path__.append({str(folder)!r}); v.FORMATS = (*v.FORMATS, 'bars')"
    done = subprocess.run([sys.executable, "-c", f"{known}\n{code}"], capture_output=True, text=True, check=False)
    assert not done.stderr and not done.returncode
    return done.stdout


@pytest.mark.parametrize("command", ["evaluate", "check", "convert"])
def test_the_command_line_lists_it(command, bars):
    shown = anew(bars, f"from assay.cli.commands import main; main(['{command}', '--help'])")
    assert "parquet, bars." in " ".join(shown.split())


def test_it_is_documented(bars, tmp_path):
    page = ROOT / "docs" / "generate.py"
    anew(
        bars,
        f"import sys, runpy; sys.argv = ['', {str(tmp_path)!r}]; runpy.run_path({str(page)!r}, run_name='__main__')",
    )
    written = (tmp_path / "formats.md").read_text("utf-8")
    assert "`parquet`, `bars`" in written
    assert "## Bars (`bars`)\n\nValues between bars, as people draw tables.\n" in written
    assert "parquet, bars." in " ".join((tmp_path / "cli.md").read_text("utf-8").split())

"""The order of the modules, who may print, and what is imported when."""

import ast
import functools
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import assay
from helpers.places import ROOT

SOURCE = Path(assay.__file__).parent
TESTS = ROOT / "tests"

# The way of the data: a module imports only from its own room and from those before it. A new room gets its place here.
ROOMS = [
    "vocabulary",
    "errors",
    "options",
    "files",
    "tables",
    "documents",
    "studies",
    "reading",
    "ranking",
    "measures",
    "showing",
    "evaluation",
    "comparing",
    "converting",
    "fusing",
    "charts",
    "checking",
    "reporting",
    "compat",
    "scores",
    "api",
    "spark",
    "gating",
    "assessing",
    "cli",
    "__main__",
]
# Beyond the order: a measure never sees an id, and so neither what reads nor what matches them.
APART = ("reading", "ranking.align", "ranking.pool", "ranking.order")
MAY_PRINT = ("cli", "compat")


def module_name(path: Path) -> str:
    """`measures.base` for the file of `assay.measures.base`."""
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix("__init__").removesuffix(".")


# Every module but the package itself, which only names what is public.
MODULES = {name: path for path in sorted(SOURCE.rglob("*.py")) if (name := module_name(path))}


def nodes(text: str) -> list[ast.AST]:
    """All that is written in a module, part by part."""
    return list(ast.walk(ast.parse(text)))


@functools.cache
def nodes_of(name: str) -> list[ast.AST]:
    """What is written in a module of Assay; only the process that tests it reads it."""
    return nodes(MODULES[name].read_text("utf-8"))


@functools.cache
def imports() -> dict[str, set[str]]:
    """The modules of Assay that each module imports."""
    return {name: set(filter(None, imported(name, nodes_of(name)))) - {name} for name in MODULES}


def room(module: str) -> str:
    """The room that a module is in."""
    return module.partition(".")[0]


def imported(name: str, nodes: list[ast.AST]) -> Iterator[str]:
    """The modules of Assay that a module imports, at its top or within a function."""
    package = name if (SOURCE / name.replace(".", "/")).is_dir() else name.rpartition(".")[0]
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (own(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            home = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                home = ".".join(["assay", *filter(None, above), *filter(None, [home])])
            yield from (own(f"{home}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and called(node) in ("import_module", "importlib.import_module"):
            text = node.args[0]
            parts = text.values if isinstance(text, ast.JoinedStr) else [text]
            if isinstance(parts[0], ast.Constant):
                yield own(str(parts[0].value).rstrip("."))


def own(dotted: str) -> str:
    """`measures.base` for `assay.measures.base.Measure`; nothing for what is no module of Assay."""
    name = dotted.removeprefix("assay.") if dotted.startswith("assay.") else ""
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name


def imported_tests(nodes: list[ast.AST]) -> list[str]:
    """What a module of tests imports from modules of tests."""
    names = []
    for node in nodes:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [f"{node.module or ''}.{alias.name}" for alias in node.names]
    return [name for name in names if any(part.startswith("test_") for part in name.split("."))]


def names_a_test(text: str) -> bool:
    """Whether a statement of a module may import from a module of tests; of those it finds some may only look like it."""
    return re.search(r"\b(?:import|from)\b(?:[^\n(\\]|\\\n)*(?:\([^)]*)?\btest_", text) is not None


def called(node: ast.Call) -> str:
    """The name that is called, with its dots; nothing where it is no name."""
    name, parts = node.func, []
    while isinstance(name, ast.Attribute):
        name, parts = name.value, [name.attr, *parts]
    return ".".join([name.id, *parts]) if isinstance(name, ast.Name) else ""


def printing(nodes: list[ast.AST]) -> list[str]:
    """The calls that write to the terminal or end the program."""
    ends = ("print", "exit", "quit", "sys.exit", "os._exit", "click.echo", "click.secho")
    writes = ("sys.stdout.", "sys.stderr.")
    calls = [called(node) for node in nodes if isinstance(node, ast.Call)]
    return [call for call in calls if call in ends or call.startswith(writes)]


def changing(nodes: list[ast.AST]) -> list[str]:
    """What changes the process of whoever imports Assay: environment, collector of garbage, signals, copies of it."""
    calls = [called(node) for node in nodes if isinstance(node, ast.Call)]
    reads = ("os.environ.get", "gc.get_threshold", "signal.getsignal")
    begins = ("os.environ.", "os.putenv", "os.unsetenv", "os.fork", "gc.", "signal.", "warnings.filterwarnings")
    stored = [
        "os.environ[]"
        for node in nodes
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "os.environ"
        if not isinstance(node.ctx, ast.Load)
    ]
    return stored + [call for call in calls if call.startswith(begins) and call not in reads]


def in_circles(imports: dict[str, set[str]]) -> list[str]:
    """The modules that import themselves by way of others: what is left when those that import nothing more are taken
    away."""
    left = {name: set(used) for name, used in imports.items()}
    while free := [name for name, used in left.items() if not used]:
        for name in free:
            del left[name]
        left = {name: used.difference(free) for name, used in left.items()}
    return sorted(left)


def test_every_module_is_in_a_room():
    assert {room(name) for name in MODULES} == set(ROOMS)


def test_a_module_imports_only_from_its_room_and_those_before_it():
    later = [
        f"{name} imports {module}"
        for name, used in imports().items()
        for module in used
        if ROOMS.index(room(module)) > ROOMS.index(room(name))
    ]
    assert later == []


def test_no_modules_import_each_other_in_a_circle():
    assert in_circles(imports()) == []


def test_a_circle_of_modules_is_found():
    assert in_circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["a", "b", "c"]


def test_no_two_classes_have_the_same_name():
    classes = [node.name for name in MODULES for node in nodes_of(name) if isinstance(node, ast.ClassDef)]
    assert sorted(name for name in set(classes) if classes.count(name) > 1) == []


def test_the_folders_of_the_tests_are_the_rooms():
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir() and len(list(path.glob("*.py"))) > 1}
    folders = {path.parent.name for path in TESTS.glob("*/test_*.py")}
    # beside them the packages of others, which need not be there
    assert folders - {"frameworks"} == rooms


TEST_MODULES = {path.relative_to(TESTS).as_posix(): path for path in sorted(TESTS.rglob("test_*.py"))}


def test_no_two_test_modules_have_the_same_name():
    names = [path.name for path in TEST_MODULES.values()]
    assert sorted(name for name in set(names) if names.count(name) > 1) == []


def test_no_test_module_imports_another():
    texts = {name: path.read_text("utf-8") for name, path in TEST_MODULES.items()}
    # to parse all tests takes long, and most of them import nothing of such a name
    used = {name: imported_tests(nodes(text)) for name, text in texts.items() if names_a_test(text)}
    assert {name: modules for name, modules in used.items() if modules} == {}


def test_an_imported_test_module_is_seen():
    lines = (
        "import test_a\nfrom test_b import c\nfrom tests.d import test_e\nfrom helpers import test_data\nimport pytest"
    )
    assert imported_tests(nodes(lines)) == ["test_a", "test_b.c", "tests.d.test_e", "helpers.test_data"]
    in_brackets = "from helpers import (\n    files,\n    test_data,\n)"
    assert all(map(names_a_test, [*lines.splitlines()[:-1], in_brackets, "import os, \\\n    test_a"]))
    assert not names_a_test("import pytest\n\n\ndef test_a():\n    assert imported((1, 2))\n\ndef test_b(): ...")


def test_measures_know_nothing_of_files_and_ids():
    used = {module for name, modules in imports().items() if room(name) == "measures" for module in modules}
    assert sorted(module for module in used if module.startswith(APART)) == []


def test_few_parameters_may_be_anything():
    functions = [node for name in MODULES for node in nodes_of(name) if isinstance(node, ast.FunctionDef)]
    every = (each for node in functions for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))
    assert sum(isinstance(each.annotation, ast.Name) and each.annotation.id == "Any" for each in every) < 150


def test_no_message_of_the_library_names_an_option():
    rooms = [name for name, path in MODULES.items() if path.parents[1] == SOURCE and room(name) not in MAY_PRINT]
    nodes = [node for name in rooms for node in nodes_of(name)]
    joined = [node for node in nodes if isinstance(node, ast.JoinedStr)]
    parts = {id(part) for node in joined for part in node.values}
    alone = [node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    texts = [node.value for node in alone if id(node) not in parts] + [ast.unparse(node) for node in joined]
    assert len(texts) > 1000
    # a whole command is one to type
    assert [text for text in texts if " --" in text and "assay " not in text] == []


def test_only_the_command_line_prints_and_exits():
    others = [name for name in MODULES if room(name) not in MAY_PRINT]
    assert {name: calls for name in others if (calls := printing(nodes_of(name)))} == {}


@pytest.mark.parametrize(
    ("line", "module"),
    [
        ("import assay.cli", "cli"),
        ("from assay import errors", "errors"),
        ("from assay.measures.base import Measure", "measures.base"),
        ("def f():\n    from ...evaluation.evaluate import evaluated", "evaluation.evaluate"),
        ("from . import trec", "reading.formats.trec"),
        ("import_module('assay.errors')", "errors"),
        ("import_module(f'assay.measures.{family}')", "measures"),
    ],
)
def test_all_ways_to_import_are_seen(line, module):
    assert list(imported("reading.formats.csv", nodes(line))) == [module]


def test_all_ways_to_print_are_seen():
    lines = "print(1)\nclick.echo(1)\nsys.stderr.write('')\nsys.exit(1)\nreport(1)"
    assert printing(nodes(lines)) == ["print", "click.echo", "sys.stderr.write", "sys.exit"]


HEAVY = ("numpy", "polars", "pandas", "pyarrow", "scipy", "rich")
WHICH = f"import sys; print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"


@pytest.mark.parametrize(
    "code",
    [
        "import assay",
        "import assay; assay.__version__",
        "import assay.gating.pytest_plugin",
        "from assay.cli.commands import main; main(['--help'], standalone_mode=False)",
        "from assay.cli.commands import main; main(['evaluate', '--help'], standalone_mode=False)",
        "from assay.cli.commands import main; main(['--version'], standalone_mode=False)",
    ],
)
def test_help_and_import_load_nothing_heavy(code):
    done = subprocess.run([sys.executable, "-c", f"{code}\n{WHICH}"], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_to_evaluate_files_of_trec_loads_only_what_it_takes(folder):
    """A small evaluation is quick because little is loaded: no frames, no masked arrays, no other formats."""
    Path("a.qrels").write_text("1 0 d1 1\n1 0 d2 0\n")
    Path("a.run").write_text("1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5 t\n")
    others = ("polars", "numpy.ma", "decimal", "concurrent.futures", "assay.reading.formats.jsonl", "assay.documents", "assay.tables.intervals")
    code = "import assay; assay.evaluate('a.qrels', 'a.run', ['AP', 'nDCG@10'])"
    which = f"import sys; print([name for name in {others} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{which}"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


INEX = "run.xml", "<inex-submission run-id='r'><topic topic-id='1'><result><file>d</file><path>/a[1]</path><rank>1</rank></result></topic></inex-submission>"


@pytest.mark.parametrize(
    "code, others",
    [
        ("assay.read_run('run.xml')", ("urllib.request", "email", "ssl")),
        ("main(['trec_eval', 'a.qrels', 'a.run', '-m', 'map'], standalone_mode=False)", ("assay.options", "json", "decimal")),
        ("main(['inex_eval', '-h'], standalone_mode=False)", ("numpy", "assay.options", "json", "assay.cli.suggestions")),
        ("main(['evaluate', 'a.qrels', 'a.run'], standalone_mode=False)", ("tempfile", "assay.cli.explain_commands")),
    ],
)
def test_modules_that_only_other_work_needs_take_no_memory(code, others, folder):
    Path("a.qrels").write_text("1 0 d1 1\n1 0 d2 0\n")
    Path("a.run").write_text("1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5 t\n")
    Path(INEX[0]).write_text(INEX[1])
    # some commands exit themselves
    which = f"import atexit, sys; atexit.register(lambda: print([name for name in {others} if name in sys.modules]))"
    code = f"{which}\nimport assay\nfrom assay.cli.commands import main\n{code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_what_is_loaded_is_seen():
    done = subprocess.run([sys.executable, "-c", f"import numpy\n{WHICH}"], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "['numpy']"


def test_a_public_name_is_there_and_has_a_docstring():
    names = [name for name in dir(assay) if not name.startswith("__")]
    assert len(names) > 100
    assert [name for name in names if not (getattr(assay, name).__doc__ or "").strip()] == []


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="assay has no 'nothing'"):
        _ = assay.nothing


STATE = "dict(os.environ), gc.get_threshold(), gc.isenabled(), signal.getsignal(signal.SIGINT), sys.unraisablehook, warnings.filters[:]"


def test_the_library_leaves_the_process_as_it_is(folder):
    Path("a.qrels").write_text("1 0 d1 1\n")
    Path("a.run").write_text("1 Q0 d1 1 2.5 t\n")
    Path("a.csv").write_text("topic,document,score\n1,d1,2.5\n")
    code = f"""
import gc, os, signal, sys, warnings
import numpy, polars, scipy.special
before = {STATE}
import assay
scores = assay.evaluate("a.qrels", ["a.run", "a.csv"], ["AP"])
print(scores, assay.read_run("a.run"))
assert ({STATE}) == before
"""
    subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


def test_only_the_command_line_changes_the_process():
    others = {name: calls for name in MODULES if room(name) != "cli" and (calls := changing(nodes_of(name)))}
    assert others == {}


def test_all_ways_to_change_the_process_are_seen():
    lines = "os.environ['A'] = '1'\nos.environ.setdefault('A', '1')\ndel os.environ['A']\nos.environ.get('A')\nos.fork()\ngc.freeze()"
    found = ["os.environ[]", "os.environ.setdefault", "os.environ[]", "os.fork", "gc.freeze"]
    assert sorted(changing(nodes(lines))) == sorted(found)

"""A pytest plugin that records every outermost call of Assay from outside: its public functions and classes, the methods
of what they return, and the command line. `make tape` loads it; replay.py runs the calls again.

Only what goes in is recorded: arguments, files, standard input and environment. An object of Assay is recorded as the
call that made it, never as it is inside. If an argument cannot be stored so, the call is skipped and counted.
"""

import contextlib
import functools
import hashlib
import io
import itertools
import os
import pkgutil
import re
import shlex
import sqlite3
import sys
import tempfile
import types
import weakref
from importlib import import_module
from pathlib import Path, PurePath

import cloudpickle

import assay

ROOT = Path(assay.__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
MOST_BYTES = 20_000_000
# functions that tests call directly, and what a user calls instead: a function, or a command before its arguments
INSIDE = {
    "assay.reporting.report:report": "report",
    "assay.comparing.significance:compare": "compare",
    "assay.comparing.significance:with_letters": "significance_table",
    "assay.comparing.significance:compared_by_group": "compare_groups",
    "assay.comparing.correlation:correlate": "correlate",
    "assay.comparing.significance:drawn_best": "chance_of_best",
    "assay.comparing.best:drawn_best": "chance_of_best",  # of commits before it moved to significance
    "assay.compat.trec_eval:trec_eval": ["trec_eval"],
    "assay.compat.inex_eval:inex_eval": ["inex_eval"],
}


class Unstorable(Exception):
    """An argument that cannot be stored."""


class Recorder:
    """The calls of one process, in a database of its own."""

    def __init__(self, folder):
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        file = os.path.join(folder, f"calls-{worker}.sqlite")
        self.database = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        self.database.executescript(
            "pragma journal_mode = off; pragma synchronous = off;"
            "create table calls (key text primary key, kind text, data blob);"
            "create table files (key text primary key, data blob);"
            "create table skipped (reason text primary key, number integer)"
        )
        self.database.execute("begin")
        self.depth = 0
        self.made = {}
        self.public = {}
        self.known_types = set()
        self.environment = dict(os.environ)
        self.modules = 0
        self.process = os.getpid()
        temporary = re.escape(tempfile.gettempdir())
        self.folders = re.compile(rf"{temporary}/(?:pytest-of-\w+/pytest-\d+/(?:popen-\w+/)?)?[^/\s'\":,;]+")

    def skip(self, reason):
        self.database.execute("insert into skipped values (?, 1) on conflict do update set number = number + 1", (reason,))

    def call(self, kind, name, arguments, options, stdin=None, env=None):
        """Store a call; its bytes, or None if it cannot be stored."""
        if os.getpid() != self.process:
            return None
        self.store_tests_by_value()
        try:
            data = Call(self, kind, name, arguments, options, stdin, env).data
        except Exception as error:
            reason = str(error) if isinstance(error, Unstorable) else f"{type(error).__name__}: {error}"
            self.skip(re.sub(r"0x\w+|/\S+", "…", reason)[:90])
            return None
        key = hashlib.sha256(data).hexdigest()[:20]
        self.database.execute("insert or ignore into calls values (?, ?, ?)", (key, f"{kind} {name}".strip(), data))
        return data

    def store_tests_by_value(self):
        """Classes and functions of the tests go onto the tape themselves, not as names to import."""
        if len(sys.modules) != self.modules:
            self.modules = len(sys.modules)
            for module in list(sys.modules.values()):
                file = str(getattr(module, "__file__", None) or "")
                if file.startswith(f"{ROOT}/tests/") or os.path.basename(file).startswith("test_"):
                    cloudpickle.register_pickle_by_value(module)

    def remember(self, result, data):
        """Remember which call made an object of Assay, so that it can be an argument of another."""
        inside = type(result).__module__.startswith("assay.")
        if data is not None and inside and not isinstance(result, str | tuple | assay.Measure):
            self.made[id(result)] = weakref.ref(result), data
            self.watch_methods(type(result))

    def maker(self, thing):
        reference, data = self.made.get(id(thing), (None, None))
        return data if reference is not None and reference() is thing else None

    def watch(self, function, kind, name, before=()):
        """The function, which records the outermost calls of it."""

        @functools.wraps(function)
        def recorded(*arguments, **options):
            if self.depth:
                return function(*arguments, **options)
            if kind == "command":
                data = self.call(kind, "", [*before, *map(str, arguments[0])], {})
            else:
                arguments, options = materialized(arguments), materialized(options)
                data = self.call(kind, name, arguments, options)
            self.depth += 1
            try:
                result = function(*arguments, **options)
            finally:
                self.depth -= 1
            self.remember(result, data)
            return result

        return recorded

    def watch_new(self, cls, name):
        """Record how objects of a public class are made."""
        made = cls.__init__

        @functools.wraps(made)
        def recorded(thing, *arguments, **options):
            if self.depth or type(thing) is not cls:
                return made(thing, *arguments, **options)
            arguments, options = materialized(arguments), materialized(options)
            data = self.call("function", name, arguments, options)
            self.depth += 1
            try:
                made(thing, *arguments, **options)
            finally:
                self.depth -= 1
            return self.remember(thing, data)

        cls.__init__ = recorded

    def watch_methods(self, cls):
        """Record the calls of the methods of an object that a call made."""
        if cls in self.known_types:
            return
        self.known_types.add(cls)
        for owner in cls.__mro__:
            for name, method in list(vars(owner).items()):
                outside = owner.__module__.startswith("assay.") and isinstance(method, types.FunctionType)
                if outside and (not name.startswith("_") or name == "__call__") and not hasattr(method, "__wrapped__"):
                    setattr(owner, name, self.watch(method, "method", name))

    def watch_assay(self):
        """Record the calls of all public names, wherever they were imported to."""
        for module in pkgutil.walk_packages(assay.__path__, "assay."):
            if not module.name.startswith(("assay.spark", "assay.gating.pytest_plugin", "assay.__main__")):
                with contextlib.suppress(ImportError):  # of a package that need not be there
                    import_module(module.name)
        modules = [module for name, module in sys.modules.items() if name.startswith("assay")]
        compat = sys.modules["assay.compat.pytrec_eval"]
        names = {name: getattr(assay, name) for name in dir(assay) if not name.startswith("_")}
        names |= {f"compat.pytrec_eval.{name}": value for name, value in vars(compat).items()
                  if getattr(value, "__module__", "") == compat.__name__ and not name.startswith("_")}  # fmt: skip
        self.public = {id(value): name for name, value in names.items()}
        self.keep = names
        inside = {place: getattr(sys.modules.get(place.split(":")[0]), place.split(":")[1], None) for place in INSIDE}
        for name, value in [*names.items(), *inside.items()]:
            if isinstance(value, types.FunctionType) and name not in ("parameter", "ratio"):
                to = INSIDE.get(name, name)
                watched = self.watch(value, "function", to) if isinstance(to, str) else self.watch(value, "command", "", to)
                self.public[id(watched)] = name
                for module in modules:
                    for attribute in [key for key, found in vars(module).items() if found is value]:
                        setattr(module, attribute, watched)
        for name in ("Documents", "Evaluator", "Scores", "compat.pytrec_eval.RelevanceEvaluator"):
            self.watch_new(names[name], name)

    def watch_commands(self):
        """Record the commands that tests run by click, and those of the documentation."""
        from click.testing import CliRunner

        invoke = CliRunner.invoke

        def recorded(runner, cli, args=None, input=None, env=None, **more):
            words = shlex.split(args) if isinstance(args, str) else [str(word) for word in args or ()]
            if self.depth or cli is not import_module("assay.cli.commands").main:
                return invoke(runner, cli, args, input, env, **more)
            self.call("command", "", words, {}, input, env)
            self.depth += 1
            try:
                return invoke(runner, cli, args, input, env, **more)
            finally:
                self.depth -= 1

        CliRunner.invoke = recorded
        helpers = import_module("helpers.commands")
        typed = helpers.each_on_a_terminal

        def documented(commands, *folder):
            for command in commands:
                words = [name for word in shlex.split(command) for name in sorted(map(str, glob(word))) or [word]]
                if words[0] == "assay" and "|" not in words:
                    self.call("command", "", words[1:], {})
            return typed(commands, *folder)

        helpers.each_on_a_terminal = documented


def glob(word):
    return [path.relative_to(ROOT) for path in ROOT.glob(word)] if "*" in word and word[0] != "/" else []


def materialized(value):
    """The same arguments, of which the generators are Replayable."""
    if type(value) in (list, tuple):
        items = [materialized(item) for item in value]
        return value if all(map(lambda a, b: a is b, items, value)) else type(value)(items)
    if type(value) is dict:
        items = {key: materialized(item) for key, item in value.items()}
        return value if all(items[key] is value[key] for key in value) else items
    if isinstance(value, types.GeneratorType):
        items = list(itertools.islice(value, 100_000))
        made = (item for item in [items] for item in item)
        GENERATED[id(made)] = made, items
        return made
    return value


GENERATED = {}


class Call:
    """What goes into a call, as bytes: paths of this machine are placeholders, objects of Assay are the calls that made
    them, files are kept by their content.
    """

    def __init__(self, recorder, kind, name, arguments, options, stdin, env):
        self.recorder, self.names, self.files, self.size = recorder, [], {}, 0
        here = os.getcwd()
        cwd = self.masked(here) if recorder.folders.match(here) else "{ROOT}"
        if cwd != "{ROOT}":
            self.keep(here)
        if kind == "command":
            for word in arguments:
                self.mention(word)
                self.mention(word.partition("=")[2])
        now = {**os.environ, **(env or {})}
        changed = {key: value for key, value in now.items() if recorder.environment.get(key) != value}
        changed |= dict.fromkeys(recorder.environment.keys() - now.keys())
        out = io.BytesIO()
        pickler = Pickler(out, 5)
        pickler.call = self
        changed = {key: value for key, value in changed.items() if not key.startswith("PYTEST") and key not in ("_", "PWD")}
        pickler.dump((kind, name, cwd, changed, stdin, arguments, options))
        if out.tell() + self.size > MOST_BYTES:
            raise Unstorable("too large")
        self.data = cloudpickle.dumps((out.getvalue(), self.files), 5)

    def masked(self, text):
        """A text with placeholders for the folders of this machine."""
        text = text.replace(str(SHARED), "{SHARED}").replace(str(ROOT), "{ROOT}")
        return self.recorder.folders.sub(self.placeholder, text) if tempfile.gettempdir() in text else text

    def placeholder(self, found):
        if found[0] not in self.names:
            self.names.append(found[0])
        return f"{{TMP{self.names.index(found[0])}}}"

    def mention(self, text):
        """Keep a file or folder that an argument may name."""
        if 1 < len(text) < 300 and "\n" not in text and "\0" not in text and text.strip("./"):
            path = os.path.abspath(text)
            temporary = self.recorder.folders.match(path)
            if path.startswith(f"{SHARED}/") or path in ("/dev/null", "/dev/full") or not os.path.exists(path):
                return
            if temporary or (path.startswith(f"{ROOT}/") and ("/" in text or "." in text)):
                self.keep(path)

    def keep(self, path):
        """Keep the files of a folder, or a file."""
        masked = self.masked(path)
        if masked in self.files:
            return
        if os.path.isdir(path):
            self.files[masked] = None
            for entry in sorted(os.listdir(path)):
                if entry != "__pycache__":
                    self.keep(os.path.join(path, entry))
        elif os.path.isfile(path):
            self.size += os.path.getsize(path)
            if self.size > MOST_BYTES or len(self.files) > 5000:
                raise Unstorable("too large")
            content = Path(path).read_bytes()
            if tempfile.gettempdir().encode() in content:
                content = self.masked(content.decode("latin-1")).encode("latin-1")
            self.files[masked] = key = hashlib.sha256(content).hexdigest()[:20]
            self.recorder.database.execute("insert or ignore into files values (?, ?)", (key, content))
        elif os.path.exists(path):
            raise Unstorable("a pipe or device")


class Pickler(cloudpickle.Pickler):
    """Stores what is not plain data by what replay.py makes of it again."""

    def persistent_id(self, thing):
        call = self.call
        if type(thing) is str:
            call.mention(thing)
            masked = call.masked(thing) if "/" in thing else thing
            return None if masked is thing or masked == thing else ("text", masked)
        if isinstance(thing, PurePath) and type(thing).__module__.startswith("pathlib"):
            call.mention(str(thing))
            return "path", call.masked(str(thing))
        if id(thing) in GENERATED and GENERATED[id(thing)][0] is thing:
            return "generator", self.inner(GENERATED[id(thing)][1])
        if id(thing) in call.recorder.public:
            return "public", call.recorder.public[id(thing)]
        if thing is type(assay.Measure):
            return "class of", "Measure"
        if type(thing).__module__.startswith("assay.") and not isinstance(thing, type):
            if (data := call.recorder.maker(thing)) is not None:
                return "made", data
            if isinstance(thing, assay.Measure) and id(type(thing)) in call.recorder.public:
                if assay.parse(str(thing)) == thing:
                    return "measure", str(thing)
                return "new", (call.recorder.public[id(type(thing))], self.inner(vars(thing)))
            raise Unstorable(f"an object of Assay that no outside call made: {type(thing).__name__}")
        named = getattr(thing, "__module__", None) if isinstance(thing, type | types.FunctionType) else None
        if isinstance(named, str) and named.startswith("assay."):
            raise Unstorable(f"a name of Assay that is not public: {thing.__name__}")
        return None

    def inner(self, thing):
        out = io.BytesIO()
        pickler = Pickler(out, 5)
        pickler.call = self.call
        pickler.dump(thing)
        return out.getvalue()


RECORDER = None


def pytest_configure(config):
    """Begin before tests are imported; the process that only gives out work records nothing."""
    global RECORDER
    folder = os.environ["ASSAY_TAPE"]
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        RECORDER = Recorder(folder)
        RECORDER.watch_assay()
        RECORDER.watch_commands()


def pytest_runtest_teardown(item):
    GENERATED.clear()


def pytest_sessionfinish(session):
    if RECORDER is not None:
        RECORDER.depth = 1
        RECORDER.database.execute("commit")
        RECORDER.database.close()

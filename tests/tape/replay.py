"""Runs the calls that record.py recorded, against the Assay that Python imports, and compares what comes out.

    python tests/tape/replay.py TAPE --base   run the calls and keep the outcomes on the tape
    python tests/tape/replay.py TAPE          run them again, and write the differences to TAPE/differences.txt
    python tests/tape/replay.py TAPE --numbers   the same, but words may differ: only numbers and refusals count
    python tests/tape/replay.py TAPE --again  compare what the last replay gave once more, for example after an edit of intended.txt

TAPE is a folder. intended.txt lists the differences that are wanted; TAPE/listed.txt shows what each of its lines covers.
The exit status is 1 if there are other differences.
"""

import argparse
import collections
import contextlib
import datetime
import difflib
import enum
import gc
import hashlib
import inspect
import io
import json
import math
import os
import pickle
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import warnings
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve()
SHARED = HERE.parents[2].parent / "shared"
SECONDS_A_CALL = 300
LONGEST_TEXT = 50_000
UNPLAYABLE = "cannot be replayed"
# methods without arguments that show what an object holds
SHOWN = {"frame", "records", "rows", "facts", "summary", "show", "to_dict", "lines", "counts", "_repr_html_"}
# public by name only: what an object remembers for later work
INSIDE = {"given", "provenance", "places"}
# what differs from run to run
VOLATILE = [
    (re.compile(r"0x[0-9a-f]{6,}"), "0x…"),
    (re.compile(re.escape(datetime.date.today().isoformat()) + r"([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?"), "TODAY"),
    (re.compile(r"\b(view|param|selector|layer|concat|gradient|clip)_?\d+\b"), r"\1_N"),
]  # fmt: skip


# a float as it is stored, or a decimal that is a cell of a table or a value in JSON, not one within a sentence or a name
DECIMAL = re.compile(
    r"-?0x[\da-f.]+p[-+]\d+|(?:^|(?<=[\t,:>\[])|(?<=  )|(?<=[&|:,] ))-?\d+\.\d+(?=[\t,<\]}]|  | [&|\\]|$)", re.MULTILINE
)


class Ended(BaseException):
    """The program would have ended here."""


class TooLong(BaseException):
    """A call takes longer than it may."""


class Player:
    """Runs calls, each in a new folder."""

    def __init__(self, tape, folder):
        self.tape, self.folder = tape, folder
        self.environment = dict(os.environ)
        self.number, self.cache = 0, ""

    def outcome(self, data):
        """What a call gives: a value or an error, what it prints, and the files that it writes."""
        self.number += 1
        self.home = os.path.join(self.folder, f"{self.number:06}")
        for name in ("root", "tmp0", "cache"):
            os.makedirs(os.path.join(self.home, name))
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "replace", write_through=True) for _ in range(2))
        streams = sys.stdin, sys.stdout, sys.stderr
        signal.signal(signal.SIGALRM, too_long)
        signal.alarm(SECONDS_A_CALL)
        try:
            sys.stdout, sys.stderr = out, err
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                done = self.run(data)
        except TooLong:
            done = {"error": ["TooLong", f"more than {SECONDS_A_CALL} seconds"]}
        finally:
            signal.alarm(0)
            sys.stdin, sys.stdout, sys.stderr = streams
            os.chdir(self.folder)
            os.environ.clear()
            os.environ.update(self.environment)
        done |= {"stdout": self.text(out.buffer.getvalue()), "stderr": self.text(err.buffer.getvalue())}
        done["written"] = self.written()
        shutil.rmtree(self.home, ignore_errors=True)
        return done

    def run(self, data):
        self.files = {}
        kind, name, arguments, options, stdin = self.begin(data)
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode() if isinstance(stdin, str) else stdin or b""), "utf-8")
        try:
            if kind == "command":
                return {"status": command(arguments)}
            return {"value": self.plain(self.called(kind, name, arguments, options))}
        except (TooLong, KeyboardInterrupt):
            raise
        except BaseException as error:
            return {"error": [type(error).__name__, self.masked(str(error))]}

    def begin(self, data):
        """Make files, folders and environment as they were when a call was recorded; what was called, and with what."""
        call, files = pickle.loads(data)
        for name, key in files.items():
            path = self.unmasked(name)
            os.makedirs(path if key is None else os.path.dirname(path), exist_ok=True)
            if key is not None:
                (content,) = self.tape.execute("select data from files where key = ?", (key,)).fetchone()
                if b"{TMP" in content:
                    content = self.unmasked(content.decode("latin-1")).encode("latin-1")
                Path(path).write_bytes(content)
                self.files[path] = content
        kind, name, cwd, changed, stdin, arguments, options = self.load(call)
        if kind == "command":
            arguments = [self.unmasked(word) for word in arguments]
        os.makedirs(self.unmasked(cwd), exist_ok=True)
        os.chdir(self.unmasked(cwd))
        os.environ.clear()
        os.environ.update(self.environment | {"ASSAY_CACHE": os.path.join(self.home, "cache")})
        for key, value in changed.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value
        self.cache = os.environ.get("ASSAY_CACHE", "")
        return kind, name, arguments, options, stdin

    def load(self, data):
        unpickler = Unpickler(io.BytesIO(data))
        unpickler.player = self
        return unpickler.load()

    def called(self, kind, name, arguments, options):
        if kind == "method":
            return getattr(arguments[0], name)(*arguments[1:], **options)
        return public(name)(*arguments, **options)

    def unmasked(self, text):
        text = text.replace("{SHARED}", str(SHARED)).replace("{ROOT}", os.path.join(self.home, "root"))
        for number in set(re.findall(r"\{TMP(\d+)\}", text)):
            folder = os.path.join(self.home, f"tmp{number}")
            os.makedirs(folder, exist_ok=True)
            text = text.replace(f"{{TMP{number}}}", folder)
        return text

    def masked(self, text):
        if self.home in text:
            text = text.replace(os.path.join(self.home, "root"), "{ROOT}")
            text = re.sub(re.escape(self.home) + r"/tmp(\d+)", r"{TMP\1}", text).replace(self.home, "{HOME}")
        text = text.replace(str(SHARED), "{SHARED}")
        for pattern, shown in VOLATILE:
            text = pattern.sub(shown, text)
        return text

    def text(self, content):
        """A text, or bytes: short ones as they are, long ones as a hash."""
        if isinstance(content, bytes):
            try:
                content = content.decode()
            except UnicodeDecodeError:
                return f"{len(content)} bytes {hashlib.sha256(content).hexdigest()[:16]}"
        content = self.masked(content)
        if len(content) <= LONGEST_TEXT:
            return content
        return f"{content[:2000]} … {len(content)} characters {hashlib.sha256(content.encode()).hexdigest()[:16]}"

    def written(self):
        """The files that a call wrote."""
        found = {}
        for top, _, names in os.walk(self.home):
            for name in names:
                path = os.path.join(top, name)
                if not path.startswith((os.path.join(self.home, "cache"), self.cache or "\0")) and os.path.isfile(path):
                    content = Path(path).read_bytes()
                    if self.files.get(path) != content:
                        found[self.masked(path)] = self.text(content)
        return found

    def plain(self, value, depth=0):
        """A value as plain data, with floats in hexadecimal."""
        import numpy as np

        import assay

        if isinstance(value, enum.Enum):
            return str(value)
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, float | np.floating):
            return float(value).hex()
        if isinstance(value, str | bytes):
            return self.text(value)
        if isinstance(value, os.PathLike):
            return self.masked(str(value))
        if isinstance(value, assay.Measure):
            return f"measure {value}"
        if isinstance(value, type):
            return f"class {value.__name__}"
        if isinstance(value, np.ndarray | np.generic):
            return self.plain(value.tolist(), depth)
        if depth > 6:
            raise NotPlain
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return {name: self.plain(getattr(value, name), depth + 1) for name in value._fields}
        if isinstance(value, collections.abc.Mapping):
            return {str(self.plain(key, depth + 1)): self.plain(item, depth + 1) for key, item in value.items()}
        if isinstance(value, set | frozenset):
            return sorted((self.plain(item, depth + 1) for item in value), key=str)
        if isinstance(value, list | tuple) or hasattr(value, "__next__"):
            return [self.plain(item, depth + 1) for item in value]
        module = type(value).__module__
        if module.startswith(("polars", "pandas")):
            columns = list(value.columns) if hasattr(value, "columns") else [""]
            series = [value[name] if name else value for name in columns]
            return {f"{name} {one.dtype}": self.plain(list(one), depth + 1) for name, one in zip(columns, series, strict=True)}
        if any(cls.__module__.startswith("altair") for cls in type(value).__mro__):
            return self.text(json.dumps(value.to_dict(), sort_keys=True))
        if module.startswith("assay.") and not callable(value):
            return self.attributes(value, depth)
        if module.startswith("assay.") and type(value).__name__ == "Evaluator":
            return self.attributes(value, depth)
        raise NotPlain

    def attributes(self, value, depth):
        """What an object of Assay shows outside: its public attributes that are plain data, and how it is printed."""
        import assay

        found = {"class": type(value).__name__, "repr": self.text(repr(value))}
        is_table = isinstance(value, assay.Run | assay.Judgments)
        for name in ["name", "notes", "frame"] if is_table else dir(value):
            if (name.startswith("_") and name not in SHOWN) or name in INSIDE:
                continue
            with contextlib.suppress(Exception):
                item = getattr(value, name)
                if inspect.ismethod(item):
                    if name not in SHOWN or any(one.default is one.empty for one in inspect.signature(item).parameters.values()):
                        continue
                    item = item()
                found[name] = self.plain(item, depth + 1)
        return found


class NotPlain(Exception):
    """A value that only Assay's inside understands."""


class Unpickler(pickle.Unpickler):
    """Makes again what record.py stored by what it is."""

    def persistent_load(self, stored):
        player, (what, value) = self.player, stored
        if what == "text":
            return player.unmasked(value)
        if what == "path":
            return Path(player.unmasked(value))
        if what == "generator":
            return (item for item in player.load(value))
        if what == "public":
            return public(value)
        if what == "class of":
            return type(public(value))
        if what == "measure":
            return public("parse")(value)
        if what == "new":
            return public(value[0])(**player.load(value[1]))
        return player.called(*player.begin(value)[:4])


def public(name):
    """The public object of a name, as `evaluate` or `compat.pytrec_eval.parse_run`."""
    import assay
    import assay.compat.pytrec_eval

    found = assay
    for part in name.split("."):
        found = getattr(found, part)
    return found


def command(words):
    """The exit status of `assay` with these words."""
    from assay.cli import main

    leave, handler, hook = os._exit, signal.getsignal(signal.SIGINT), sys.unraisablehook
    threshold, argv = gc.get_threshold(), sys.argv

    def end(status):
        raise Ended(status)

    os._exit, sys.argv = end, ["assay", *words]
    try:
        main()
    except (Ended, SystemExit) as ended:
        return ended.args[0] if ended.args else 0
    finally:
        os._exit, sys.argv, sys.unraisablehook = leave, argv, hook
        signal.signal(signal.SIGINT, handler)
        gc.set_threshold(*threshold)
    return 0


def too_long(number, frame):
    raise TooLong


def opened(tape, name="tape.sqlite"):
    return sqlite3.connect(Path(tape) / name, isolation_level=None)


def merge(tape):
    """One database of those of the processes."""
    (Path(tape) / "tape.sqlite").unlink(missing_ok=True)
    whole = opened(tape)
    whole.executescript(
        "create table calls (key text primary key, kind text, data blob, before blob, seconds real);"
        "create table files (key text primary key, data blob);"
        "create table skipped (reason text primary key, number integer)"
    )
    for part in sorted(Path(tape).glob("calls-*.sqlite")):
        whole.execute("attach ? as part", (str(part),))
        whole.execute("insert or ignore into calls select key, kind, data, null, null from part.calls")
        whole.execute("insert or ignore into files select * from part.files")
        whole.execute(
            "insert into skipped select reason, number from part.skipped where true "
            "on conflict do update set number = number + excluded.number"
        )
        whole.execute("detach part")
        part.unlink()


def work(tape, part, parts):
    """Run every so many calls, and write an outcome a line."""
    database = opened(tape)
    folder = tempfile.mkdtemp(prefix="tape-")
    player = Player(database, folder)
    # those that define classes come last: Assay knows a measure of a user's own as long as its class is there
    rows = database.execute("select key from calls order by instr(data, cast('_make_skeleton_class' as blob)) > 0, key")
    results = sys.stdout
    try:
        for (key,) in rows.fetchall()[part::parts]:
            (data,) = database.execute("select data from calls where key = ?", (key,)).fetchone()
            began = time.process_time()
            try:
                done = player.outcome(data)
            except Exception as error:
                done = {"error": [UNPLAYABLE, f"{type(error).__name__}: {error}"]}
            if b"_make_skeleton_class" in data:
                gc.collect()
            print(json.dumps([key, time.process_time() - began, done]), file=results, flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def outcomes(tape):
    """The outcome of every call, and the seconds it took; a process for each core."""
    (calls,) = opened(tape).execute("select count(*) from calls").fetchone()
    parts = min(os.cpu_count() or 1, calls // 50 + 1)
    command = [sys.executable, str(HERE), tape, "--part"]
    environment = os.environ | {"PYTHONHASHSEED": "0", "COLUMNS": "100", "OPENBLAS_NUM_THREADS": "1"}
    found = {}

    def collect(part):
        words = [*command, str(part), str(parts)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, text=True, env=environment) as process:
            for line in process.stdout:
                key, seconds, done = json.loads(line)
                found[key] = done, seconds

    # polars prints there what it panics at, whether we catch it or not
    with open(Path(tape) / "replay.log", "w") as log, ThreadPoolExecutor(parts) as threads:
        list(threads.map(collect, range(parts)))
    return found


def differences(before, after, path=""):
    """Where two outcomes differ: (path, before, after). What is only in the new one, beside files and errors, is no difference."""
    if isinstance(before, dict) and isinstance(after, dict):
        new = after.keys() - before.keys() if path in ("", ".written") else ()
        for key in [*before, *new]:
            nothing = "(nothing)"
            yield from differences(before.get(key, nothing), after.get(key, nothing), f"{path}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, pair in enumerate(zip(before, after, strict=True)):
            yield from differences(*pair, f"{path}[{place}]")
    elif before != after:
        yield path, before, after


def compact(before, after):
    """Two values as short texts: of texts the lines that differ, of floats their decimals."""
    if isinstance(before, str) and isinstance(after, str) and "\n" in before + after:
        lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""))[2:]
        return tuple("\n".join(line[1:] for line in lines if line[0] == sign)[:1500] for sign in "-+")
    before, after = readable(before), readable(after)
    if min(len(before), len(after)) < 300:
        return before, after
    # of two long lines, what is around the first difference
    same = next((place for place, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), len(before))
    begin = max(0, same - 60)
    return "…" * (begin > 0) + before[begin : begin + 300], "…" * (begin > 0) + after[begin : begin + 300]


def readable(value):
    """A value as a text; an error as its class and message."""
    if isinstance(value, list) and len(value) == 2 and str(value[0]).endswith("Error"):
        return ": ".join(map(str, value))
    with contextlib.suppress(ValueError, TypeError):
        return repr(float.fromhex(value)) if re.match(r"-?(0x|nan$|inf$)", value) else value
    return json.dumps(value)


def kind_of(path, before, after):
    """What makes differences alike: the same place and the same words, whatever numbers and names are in them."""
    with contextlib.suppress(ValueError):
        old, new = float(before), float(after)
        far = abs(old - new) / max(abs(old), abs(new), 1e-300)
        size = "nan" if math.isnan(far) else "within 1e-12" if far < 1e-12 else "within 1e-6" if far < 1e-6 else "far apart"
        return re.sub(r"\[\d+\]", "[]", path), f"numbers {size}"
    alike = [re.sub(r"'[^']*'|\"[^\"]*\"|\{\w+\}\S*|[-+]?\d[\d.,e%-]*", "#", text)[:200] for text in (before, after)]
    return re.sub(r"\[\d+\]|\{TMP\d+\}\S*", "[]", path), *alike


def described(data):
    """A call as a person would write it."""

    class Shown(pickle.Unpickler):
        def persistent_load(self, stored):
            what, value = stored
            if what in ("public", "class of"):
                return public(value) if what == "public" else type(public(value))
            if what in ("made", "generator", "new"):
                return Word(described(value) if what == "made" else f"<{what}>")
            return Word(value) if what == "measure" else value

    call, _ = pickle.loads(data)
    try:
        kind, name, _, _, _, arguments, options = Shown(io.BytesIO(call)).load()
    except Exception as error:
        return f"(a call that cannot be shown: {error})"
    if kind == "command":
        return "assay " + " ".join(map(str, arguments))
    words = [shown(item) for item in arguments] + [f"{key}={shown(item)}" for key, item in options.items()]
    words = [re.sub(r"<(?:class|function) '?(?:assay\.)?(?:\w+\.)*(\w+)[^>]*>", r"\1", word) for word in words]
    if kind == "method":
        return f"{words[0]}.{name}({', '.join(words[1:])})"
    return f"{name}({', '.join(words)})"


def shown(item):
    """The repr of an argument, or of its type if the argument has none."""
    try:
        return repr(item)
    except Exception as error:
        return f"<{type(item).__name__}, whose repr raises {type(error).__name__}>"


class Word(str):
    """A text that is shown without quotation marks."""

    def __repr__(self):
        return str(self)


class Intended:
    """A line of intended.txt: a pattern of a difference, the reason, and a pattern of the call if only that call may differ so."""

    def __init__(self, line):
        pattern, self.reason, *call = line.split("\t")
        self.pattern, self.call, self.calls = re.compile(pattern), re.compile(call[0] if call else ""), []

    def covers(self, kind, call, leaf):
        return self.pattern.search("\n".join((kind, *leaf))) and self.call.search(call)


def changes_numbers(leaf):
    """Whether a difference is a call refused or accepted now, another class of error, a value of another number or shape, or
    a decimal gone from a table that is returned, printed or written.
    """
    path, *pair = leaf
    if path.startswith((".error[1]", ".stderr")) or ".notes" in path:
        return False
    if path.startswith((".stdout", ".value", ".written")) and all(isinstance(text, str) for text in pair):
        before, after = (collections.Counter(DECIMAL.findall(text)) for text in pair)
        return not before <= after
    return True


def compare(tape, found, seconds, counts=lambda leaf: True):
    """Write what differs and counts, and say how much; the exit status."""
    database = opened(tape)
    lines = (HERE.parent / "intended.txt").read_text("utf-8").splitlines()
    wanted = [Intended(line) for line in lines if line.strip() and not line.startswith("#")]
    same, differ, groups = 0, 0, collections.defaultdict(list)
    for key, kind, data, before in database.execute("select key, kind, data, before from calls where before is not null"):
        after = found.get(key, ({"error": ["lost", "the process that ran the call ended"]}, 0))[0]
        leaves = list(filter(counts, differences(json.loads(zlib.decompress(before)), json.loads(json.dumps(after)))))
        if not leaves:
            same += 1
            continue
        others, call = [], described(data)
        for path, *pair in leaves:
            leaf = path, *compact(*pair)
            covering = [line for line in wanted if line.covers(kind, call, leaf)]
            for line in covering:
                line.calls.append((key, kind, call, [leaf]))
            if not covering:
                others.append(leaf)
        differ += bool(others)
        if others:
            groups[frozenset(kind_of(*leaf) for leaf in others[:20])].append((key, kind, call, others))
    groups = sorted(groups.values(), key=len, reverse=True)
    (calls,) = database.execute("select count(*) from calls where before is not null").fetchone()
    print(f"{same} calls give the same, {calls - same - differ} differ as intended, {differ} differ otherwise, in {seconds:.0f} seconds")
    write(Path(tape) / "differences.txt", [(f"{len(group)} calls differ alike", group) for group in groups])
    write(Path(tape) / "listed.txt", [(f"{line.pattern.pattern}\t{line.reason}", line.calls) for line in wanted])
    for group in groups[:20]:
        _, kind, _, ((path, before, after), *_) = group[0]
        print(f"{len(group):6} {kind} {path}: {before[:60]!r} → {after[:60]!r}")
    if differ:
        print(f"see {tape}/differences.txt")
    if useless := sum(not line.calls for line in wanted):
        print(f"{useless} lines of intended.txt cover no call: see {tape}/listed.txt")
    return int(differ > 0)


def write(file, groups):
    """Write groups of calls that differ alike, with the first calls of each."""
    with open(file, "w", encoding="utf-8") as out:
        for title, calls in groups:
            number = len({key for key, *_ in calls})
            print(f"=== {number} calls; {', '.join(sorted({kind for _, kind, *_ in calls}))}; {title}", file=out)
            for key, _, call, leaves in calls[:3]:
                print(f"\n{key}  {call[:1000]}", file=out)
                for path, before, after in leaves[:8]:
                    print(f"  {path}\n    before: {before}\n    after:  {after}", file=out)
                if len(leaves) > 8:
                    print(f"  and {len(leaves) - 8} more places", file=out)
            print(file=out)


def keep_outcomes(tape, found, budget):
    """Put the outcomes on the tape; calls beyond the budget of seconds are dropped, the longest first."""
    database = opened(tape)
    failed = [(key,) for key, (done, _) in found.items() if done.get("error", [""])[0] in ("TooLong", UNPLAYABLE)]
    found = {key: result for key, result in found.items() if (key,) not in failed}
    left = sum(seconds for _, seconds in found.values())
    dropped = []
    for key, (_, seconds) in sorted(found.items(), key=lambda item: -item[1][1]):
        if left > budget:
            left -= seconds
            dropped.append((key,))
    database.execute("begin")
    database.executemany(
        "update calls set before = ?, seconds = ? where key = ?",
        ((zlib.compress(json.dumps(done).encode()), seconds, key) for key, (done, seconds) in found.items()),
    )
    database.executemany("delete from calls where key = ?", dropped)
    unplayed = database.execute("delete from calls where before is null").rowcount
    database.execute("commit")
    database.execute("vacuum")
    for kind, number in database.execute("select kind, count(*) from calls group by 1 order by 2 desc"):
        print(f"{number:6} {kind}")
    for reason, number in database.execute("select reason, number from skipped order by 2 desc limit 40"):
        print(f"{number:6} calls skipped: {reason}")
    print(f"{len(found) - len(dropped)} calls on the tape, {len(dropped)} dropped to stay within {budget} seconds, {unplayed} cannot be replayed")


def forget_unsteady(tape, found):
    """Drop the calls that give something else when they are run once more."""
    database = opened(tape)
    unsteady = []
    for key, before in database.execute("select key, before from calls"):
        if key in found and (leaves := list(differences(json.loads(zlib.decompress(before)), found[key][0]))):
            unsteady.append((key,))
            print("not steady:", key, str(leaves[0])[:200])
    database.executemany("delete from calls where key = ?", unsteady)
    print(f"{len(unsteady)} calls dropped that do not give the same twice")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tape")
    parser.add_argument("--base", action="store_true")
    parser.add_argument("--numbers", action="store_true", help="words may differ, numbers and refusals may not")
    parser.add_argument("--again", action="store_true", help="compare the outcomes of the last replay, without running the calls")
    parser.add_argument("--part", nargs=2, type=int)
    parser.add_argument("--budget", type=float, default=360, help="seconds of all cores that the calls may take")
    asked = parser.parse_args()
    if asked.part:
        return work(asked.tape, *asked.part)
    import assay

    print(f"replaying against {Path(assay.__file__).parent}")
    began = time.monotonic()
    if not asked.base:
        kept = Path(asked.tape) / "outcomes.json"
        found = json.loads(kept.read_text("utf-8")) if asked.again else outcomes(asked.tape)
        kept.write_text(json.dumps(found), "utf-8")
        return compare(asked.tape, found, time.monotonic() - began, *[changes_numbers] * asked.numbers)
    merge(asked.tape)
    keep_outcomes(asked.tape, outcomes(asked.tape), asked.budget)
    forget_unsteady(asked.tape, outcomes(asked.tape))
    return 0


if __name__ == "__main__":
    sys.exit(main())

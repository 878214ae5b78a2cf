"""Time and memory of Assay and its peers: whole processes, from files to printed values. See README.md."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from works import FULL, QUICK, Work, of_inex, works

HERE = Path(__file__).resolve().parent
ENV, DATA = HERE / ".env", HERE / "data"
PYTHON, ASSAY = ENV / "bin" / "python", ENV / "bin" / "assay"
PEERS = {"pytrec_eval": "pytrec_eval-terrier", "ir_measures": "ir_measures", "ranx": "ranx"}

DEPTH = 1000
SETTINGS = {  # topics, judged documents of each, runs
    "small": [(50, 100, 1)],
    "medium": [(1000, 100, 1)],
    "large": [(6980, 2, 1)],
    "many": [(50, 100, 100)],
    "growth": [(100, 100, 1), (1000, 100, 1), (4000, 100, 1)],
    "startup": [],
}
# How many times as fast as a peer Assay should be.
LEAST_RATIOS = ("medium", "pytrec_eval", 4), ("large", "pytrec_eval", 6), ("many", "ir_measures", 8)
NUMPY_POLARS, IMPORT_ASSAY = "import numpy, polars", "import assay; assay.evaluate"

# Each program reads files as its documentation does; many runs are one call of Assay, and a loop over files of a peer.
SCRIPTS = {
    "assay": """
import assay
def ap(qrels, *runs):
    scores = assay.evaluate(qrels, list(runs), ["AP"])
    return [scores[system, "AP"] for system in scores.systems]
""",
    "pytrec_eval": """
import pytrec_eval
def ap(qrels, *runs):
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(open(qrels)), {"map"})
    for run in runs:
        topics = evaluator.evaluate(pytrec_eval.parse_run(open(run)))
        yield sum(topic["map"] for topic in topics.values()) / len(topics)
""",
    "ir_measures": """
import ir_measures
from ir_measures import AP
def ap(qrels, *runs):
    judged = list(ir_measures.read_trec_qrels(qrels))
    for run in runs:
        yield ir_measures.calc_aggregate([AP], judged, ir_measures.read_trec_run(run))[AP]
""",
    "ranx": """
from ranx import Qrels, Run, evaluate
def ap(qrels, *runs):
    judged = Qrels.from_file(qrels, kind="trec")
    for run in runs:
        yield evaluate(judged, Run.from_file(run, kind="trec"), "map")
""",
}
WHOLE = "import sys; print(*ap(*sys.argv[1:]), sep=chr(10))"
WARM = """import sys, time
list(ap(*sys.argv[1:]))
begin = time.perf_counter()
print(*ap(*sys.argv[1:]), sep=chr(10))
print("seconds", time.perf_counter() - begin)
"""


@dataclass
class Result:
    """What one program needed each time it ran, and the AP of each run file as it printed them."""

    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def make_environment(peers: list[str]) -> dict[str, str]:
    """Versions of what is installed: some peers once, Assay every time because it may have changed."""
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", ENV], check=True)
    for what in [*(peer for peer in peers if not version(peer)), HERE.parent]:
        if (pip := in_environment("-m", "pip", "install", what)).returncode:
            print(f"{what} could not be installed:\n{pip.stderr}")
            if what == HERE.parent:
                sys.exit(1)
    return {name: found for name in ("assay-ir", *peers, "numpy", "polars") if (found := version(name))}


def version(distribution: str) -> str:
    asked = "import sys, importlib.metadata as m; print(m.version(sys.argv[1]))"
    return in_environment("-c", asked, distribution).stdout.strip()


def in_environment(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PYTHON, *arguments], capture_output=True, text=True)


def files(topics: int, judged: int, runs: int) -> list[str]:
    """The names of judgments and runs, which data.py makes."""
    stem = f"{topics}-{judged}"
    return [f"{stem}.qrels", *([f"{stem}.run"] if runs == 1 else (f"{stem}-many/{n}.run" for n in range(runs)))]


def make_data(*names: str) -> None:
    """Files and folders that are not there yet; in another process, as the kernel counts a parent's peak memory as its
    child's, so that this one has to stay small.
    """
    made = dict.fromkeys(name.split("/")[0] for name in names)
    subprocess.run([PYTHON, HERE / "data.py", DATA, *made], check=True)


def measure(command: list[str | Path], cold: bool, result: Result, cache: str = "") -> None:
    """One measurement; `cold`: without what ranx compiled before. `cache` is where Assay keeps what it read."""
    with tempfile.TemporaryFile("w+") as errors, tempfile.TemporaryDirectory() as empty:
        env = os.environ | {"NUMBA_CACHE_DIR": empty if cold else str(DATA / "numba"), "ASSAY_CACHE": cache}
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=DATA, env=env)
        lines = [line.split() for line in process.stdout]
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            raise subprocess.CalledProcessError(process.returncode, command, stderr=errors.read().strip())
    result.seconds.append(next((float(line[1]) for line in lines if line[:1] == ["seconds"]), seconds))
    result.cpu.append(usage.ru_utime + usage.ru_stime)
    result.megabytes.append(usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6)
    # the command has a line of headings; an AP starts with a digit
    numbers = [line for line in lines if line and line[0] != "seconds" and line[-1][0].isdigit()]
    result.values = [float(line[-1]) for line in numbers]


def measure_all(commands: dict[str, list[str | Path]], repeat: int) -> dict[str, Result]:
    """Program after program, then all again: what else the machine does then hits all alike."""
    results = {name: Result() for name in commands}
    for _ in range(repeat):
        for name in list(results):
            try:
                measure(commands[name], name.endswith("cold"), results[name])
            except subprocess.CalledProcessError as failure:
                print(f"{name} failed and is left out:\n{failure.stderr}")
                if name.split()[0] not in {*PEERS, "trec_eval"}:
                    sys.exit("nothing to compare the others with")
                del results[name]
    return results


def run_works(rows: list[Work], repeat: int, with_limits: bool) -> dict[str, Result]:
    """Everything that Assay does, a row each; and, `with_limits`, what it should take at the most."""
    make_data(*(file for work in rows for file in work.files))
    results: dict[str, Result] = {}
    head = f"{'seconds':>9}{'cpu seconds':>13}{'a million':>11}{'peak MB':>9}"
    print(f"\nworks\n  {'of Assay':<36}{head}{'  at the most' if with_limits else ''}")
    for work in rows:
        first, again = Result(), Result()
        command = [PYTHON, "-c", work.script, *work.arguments] if work.script else [ASSAY, *work.arguments]
        for _ in range(repeat):
            with tempfile.TemporaryDirectory() as cache:
                measure(command, False, first, cache)
                if work.again is not None:
                    measure(command, False, again, cache)
        for name, result, seconds in ((work.name, first, work.seconds), (f"{work.name}, again", again, work.again)):
            if result.seconds:
                results[name] = result
                most = limits(work, result, seconds) if with_limits else ""
                print(f"  {name:<36}{row_of(work, result)}  {most}".rstrip(), flush=True)
    return results


def row_of(work: Work, result: Result) -> str:
    """The measurements of a row: the quickest of all, which are the least disturbed."""
    cpu = min(result.cpu)
    each = f"{cpu / work.millions:11.2f}" if work.millions else " " * 11
    return f"{min(result.seconds):9.2f}{cpu:13.2f}{each}{max(result.megabytes):9.0f}"


def limits(work: Work, result: Result, seconds: float | None) -> str:
    """What a row should take at the most, with a mark where it took more."""
    taken = min(result.cpu) / work.millions if work.millions else min(result.seconds)
    told = [(taken, seconds, "s a million" if work.millions else "s"), (max(result.megabytes), work.megabytes, "MB")]
    return ", ".join(f"{most:g} {unit}{'' if value <= most else ' (!)'}" for value, most, unit in told if most)


def commands_of(setting: str, found: dict[str, str]) -> dict[str, list[str | Path]]:
    """What is run in a setting, by name, of the programs that were found."""
    sizes = SETTINGS[setting]
    if setting == "startup":
        imports = {line: [PYTHON, "-c", line] for line in ("pass", NUMPY_POLARS, IMPORT_ASSAY)}
        return imports | {"assay --help": [ASSAY, "--help"]}
    if setting == "growth":
        return {f"{size[0]} topics": [PYTHON, "-c", SCRIPTS["assay"] + WHOLE, *files(*size)] for size in sizes}
    paths = files(*sizes[0])
    whole = {name: [PYTHON, "-c", text + WHOLE, *paths] for name, text in SCRIPTS.items()}
    warm = {name: [PYTHON, "-c", text + WARM, *paths] for name, text in SCRIPTS.items()}
    commands = {"assay": whole["assay"], "assay command": [ASSAY, "evaluate", "-m", "AP", *paths]}
    commands |= {"assay warm": warm["assay"]} | {name: whole[name] for name in ("pytrec_eval", "ir_measures")}
    # the warm one first: it leaves compiled code behind for the cached one
    commands |= {"ranx warm": warm["ranx"], "ranx cached": whole["ranx"], "ranx cold": whole["ranx"]}
    if setting == "medium":
        for name in ("unsorted", "scattered"):
            commands[f"assay {name}"] = [*commands["assay"][:-1], paths[1].replace(".run", f".{name}.run")]
            make_data(commands[f"assay {name}"][-1])
    if (trec_eval := shutil.which("trec_eval")) and len(paths) == 2:
        commands["trec_eval"] = [trec_eval, "-m", "map", *paths]
    return {name: command for name, command in commands.items() if PEERS.get(name.split()[0], "assay-ir") in found}


def run(setting: str, repeat: int, found: dict[str, str]) -> dict[str, Result]:
    for size in SETTINGS[setting]:
        make_data(*files(*size))
    results = measure_all(commands_of(setting, found), repeat)
    told = "; ".join(f"{runs} x {topics} x {DEPTH}, {judged} judged" for topics, judged, runs in SETTINGS[setting])
    column = {"growth": "per million", "startup": "- numpy, polars"}.get(setting, "x assay")
    print(
        f"\n{setting}: {told or 'no data'}\n"
        f"  {'program':<30}{'seconds':>9}{column:>17}{'cpu seconds':>13}{'peak MB':>9}"
    )
    for name, one in results.items():
        cpu, peak = statistics.median(one.cpu), max(one.megabytes)
        print(f"  {name:<30}{one.median:9.3f}{compared(setting, results, name):17.2f}{cpu:13.2f}{peak:9.0f}")
    return results


def compared(setting: str, results: dict[str, Result], name: str) -> float:
    """How many times as fast Assay is (a warm program against Assay warm), or what else the column tells."""
    seconds = results[name].median
    if setting == "growth":
        return seconds / (int(name.split()[0]) * DEPTH / 1e6)
    if setting == "startup":
        return seconds - results[NUMPY_POLARS].median
    return seconds / results["assay warm" if name.endswith("warm") else "assay"].median


def targets(results: dict[str, dict[str, Result]]) -> Iterator[tuple[bool | None, str]]:
    """Whether each was met, None where the peer is missing, and a sentence; of the settings that were run."""
    for setting, peer, least in LEAST_RATIOS:
        if group := results.get(setting):
            ratio = compared(setting, group, peer) if peer in group else 0
            yield ratio >= least if ratio else None, f"{setting}: at least {least} times as fast as {peer}: {ratio:.2f}"
    if large := results.get("large"):
        peak = max(large["assay"].megabytes + large["assay command"].megabytes)
        yield peak < 700, f"large: under 700 MB: {peak:.0f}"
    if small := results.get("small"):
        ratios = [(compared("small", small, name), name) for name in small if name.split()[0] in PEERS]
        ratio, peer = min(ratios, default=(0, "no peer"))
        yield ratio > 1 if ratio else None, f"small: faster than every Python peer: {ratio:.2f} ({peer})"
    if startup := results.get("startup"):
        more = compared("startup", startup, IMPORT_ASSAY)
        yield more <= 0.1, f"startup: import at most 0.1 s more than numpy and polars: {more:+.3f}"
        log = in_environment("-X", "importtime", ASSAY, "--help").stderr.splitlines()
        loaded = {line.split("|")[-1].strip() for line in log} & {"numpy", "polars"}
        yield not loaded, f"startup: assay --help imports neither numpy nor polars: {loaded or 'neither'}"
    for setting, group in results.items():
        if ours := group.get("assay"):
            other = [name for name, one in group.items() if not alike(one.values, ours.values, name)]
            yield not other, f"{setting}: all print the same AP: {other or statistics.mean(ours.values)}"


def alike(theirs: list[float], ours: list[float], program: str) -> bool:
    slack = 5.1e-5 if program == "trec_eval" else 1e-6  # trec_eval prints four digits
    return len(theirs) == len(ours) and all(abs(a - b) <= slack for a, b in zip(theirs, ours, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    choices = [*SETTINGS, "works"]
    parser.add_argument("--only", nargs="+", choices=choices, default=choices, metavar="NAME")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="once, on less data, and of the peers pytrec_eval")
    parser.add_argument("--json", type=Path, help="also write every single measurement to this file")
    options = parser.parse_args()
    # a program that may not keep what Python compiled of it would compile itself in every process
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    DATA.mkdir(exist_ok=True)
    found = make_environment([PEERS["pytrec_eval"]] if options.quick else list(PEERS.values()))
    settings = [name for name in options.only if name != "works"]
    repeat = 1 if options.quick else options.repeat
    if options.quick:
        settings = [name for name in settings if name not in ("many", "growth")]
        SETTINGS["large"] = [(2000, 2, 1)]
    machine = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, {os.cpu_count()} cores"
    print(f"{machine}, load {os.getloadavg()[0]:.1f}; medians of {repeat}")
    print(*map(" ".join, found.items()), sep=", ")
    results = {name: run(name, repeat, found) for name in settings}
    told = [({True: "met", False: "missed", None: "unknown"}[met], sentence) for met, sentence in targets(results)]
    print("\ntargets", *(f"  {verdict:<9}{sentence}" for verdict, sentence in told), sep="\n")
    if "works" in options.only:
        rows = [*works(QUICK if options.quick else FULL), *of_inex()]
        results["works"] = run_works(rows, repeat, with_limits=not options.quick)
    if options.json:
        everything = {"machine": machine, "versions": found, "results": results, "targets": told}
        options.json.write_text(json.dumps(everything, indent=1, default=vars))


if __name__ == "__main__":
    main()

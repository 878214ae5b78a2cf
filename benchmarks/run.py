"""Time and memory of Assay and its peers: whole processes, from TREC files to printed AP. See README.md."""

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
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

HERE = Path(__file__).resolve().parent
ENV, DATA = HERE / ".env", HERE / "data"
PYTHON, ASSAY = ENV / "bin" / "python", ENV / "bin" / "assay"
PEERS = {"pytrec_eval": "pytrec_eval-terrier", "ir_measures": "ir_measures", "ranx": "ranx"}

SEED, DEPTH, DOCUMENTS = 20, 1000, 8_841_823
SETTINGS = {  # topics, judged documents of each, runs
    "small": [(50, 100, 1)],
    "medium": [(1000, 100, 1)],
    "large": [(6980, 2, 1)],
    "many": [(50, 100, 100)],
    "growth": [(100, 100, 1), (1000, 100, 1), (4000, 100, 1)],
    "startup": [],
}
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


def make_environment() -> dict[str, str]:
    """Versions of what is installed: peers once, Assay every time because it may have changed."""
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", ENV], check=True)
    for what in [*(peer for peer in PEERS.values() if not version(peer)), HERE.parent]:
        if (pip := in_environment("-m", "pip", "install", what)).returncode:
            print(f"{what} could not be installed:\n{pip.stderr}")
            if what == HERE.parent:
                sys.exit(1)
    return {name: found for name in ("assay-ir", *PEERS.values(), "numpy", "polars") if (found := version(name))}


def version(distribution: str) -> str:
    asked = "import sys, importlib.metadata as m; print(m.version(sys.argv[1]))"
    return in_environment("-c", asked, distribution).stdout.strip()


def in_environment(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PYTHON, *arguments], capture_output=True, text=True)


def files(topics: int, judged: int, runs: int) -> list[Path]:
    stem = f"{topics}x{DEPTH}-{judged}"
    return [DATA / f"{stem}.qrels", *(DATA / f"{stem}-{n}.run" for n in range(runs))]


def make_data(topics: int, judged: int, runs: int) -> None:
    qrels, *rest = files(topics, judged, runs)
    grades = ((topic, *one) for topic in range(topics) for one in judgments_of(topic, judged).items())
    write(qrels, (f"{1_000_000 + topic} 0 {document} {grade}\n" for topic, document, grade in grades))
    for n, path in enumerate(rest):
        write(path, run_lines(topics, judged, n))


def judgments_of(topic: int, judged: int) -> dict[int, int]:
    """Grades of documents, the first always relevant: programs differ over topics with nothing relevant."""
    random = Random(f"{SEED} {topic}")
    return {document: random.randint(n == 0, 3) for n, document in enumerate(random.sample(range(DOCUMENTS), judged))}


def run_lines(topics: int, judged: int, n: int) -> Iterator[str]:
    for topic in range(topics):
        random = Random(f"{SEED} {topic} {n}")
        grades = judgments_of(topic, judged)
        found = random.sample(list(grades), judged // 2)
        others = [one for one in random.sample(range(DOCUMENTS), DEPTH + judged) if one not in grades]
        documents = found + others[: DEPTH - len(found)]
        random.shuffle(documents)
        score = random.uniform(40, 60)
        for rank, document in enumerate(documents, 1):
            # steps wide enough that no two scores are tied even as 32-bit floats, which trec_eval keeps
            score -= random.uniform(0.001, 0.035)
            yield f"{1_000_000 + topic} Q0 {document} {rank} {score:.6f} bm25run\n"


def reordered(run: Path, size: int, name: str) -> Path:
    """The same lines, each so many shuffled."""
    lines = run.read_text().splitlines(keepends=True)
    parts = (Random(start).sample(lines[start : start + size], size) for start in range(0, len(lines), size))
    return write(run.with_suffix(f".{name}.run"), (line for part in parts for line in part))


def write(path: Path, lines: Iterable[str]) -> Path:
    """Under another name first: an interrupted benchmark must not leave half a file to be taken for a whole one."""
    if not path.exists():
        half = path.with_suffix(".part")
        with half.open("w") as out:
            out.writelines(lines)
        half.rename(path)
    return path


def aside(work, *arguments):
    """In another process: the kernel counts a parent's peak memory as its child's, so this one has to stay small."""
    with ProcessPoolExecutor(1) as executor:
        return executor.submit(work, *arguments).result()


def measure(command: list[str | Path], cold: bool, result: Result) -> None:
    with tempfile.TemporaryFile("w+") as errors, tempfile.TemporaryDirectory() as empty:
        env = os.environ | {"NUMBA_CACHE_DIR": empty if cold else str(DATA / "numba")}
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
    result.values = [float(line[-1]) for line in lines if line and line[0] != "seconds" and line[-1][0].isdigit()]


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


def commands_of(setting: str, found: dict[str, str]) -> dict[str, list[str | Path]]:
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
        for name, size in (("unsorted", DEPTH), ("scattered", sizes[0][0] * DEPTH)):
            commands[f"assay {name}"] = [*commands["assay"][:-1], aside(reordered, paths[1], size, name)]
    if (trec_eval := shutil.which("trec_eval")) and len(paths) == 2:
        commands["trec_eval"] = [trec_eval, "-m", "map", *paths]
    return {name: command for name, command in commands.items() if PEERS.get(name.split()[0], "assay-ir") in found}


def run(setting: str, repeat: int, found: dict[str, str]) -> dict[str, Result]:
    for size in SETTINGS[setting]:
        aside(make_data, *size)
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
    for setting, peer, least in (("medium", "pytrec_eval", 4), ("large", "pytrec_eval", 5), ("many", "ir_measures", 8)):
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
    parser.add_argument("--only", nargs="+", choices=SETTINGS, default=list(SETTINGS), metavar="NAME")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", type=Path, help="also write every single measurement to this file")
    options = parser.parse_args()
    DATA.mkdir(exist_ok=True)
    found = make_environment()
    machine = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, {os.cpu_count()} cores"
    print(f"{machine}, load {os.getloadavg()[0]:.1f}; medians of {options.repeat}")
    print(*map(" ".join, found.items()), sep=", ")
    results = {name: run(name, options.repeat, found) for name in options.only}
    told = [({True: "met", False: "missed", None: "unknown"}[met], sentence) for met, sentence in targets(results)]
    print("\ntargets", *(f"  {verdict:<9}{sentence}" for verdict, sentence in told), sep="\n")
    if options.json:
        everything = {"machine": machine, "versions": found, "results": results, "targets": told}
        options.json.write_text(json.dumps(everything, indent=1, default=vars))


if __name__ == "__main__":
    main()

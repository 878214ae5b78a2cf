"""Work shared by processes: results in the order of the items, whatever becomes of a process."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from assay.errors import InputError
from assay.files.processes import can_fork, in_processes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux only")

HERE = os.getpid
here = os.getpid()


@pytest.fixture(autouse=True)
def three_cores(monkeypatch):
    monkeypatch.setattr("assay.files.processes.cores", lambda: 3)


@pytest.fixture
def begun(monkeypatch):
    """The processes that were begun."""
    processes, fork = [], os.fork

    def recorded():
        process = fork()
        processes.append(process)
        return process

    monkeypatch.setattr("os.fork", recorded)
    return processes


def none_is_left(processes):
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
    return True


@pytest.mark.parametrize("cores", [1, 2, 3, 9])
@pytest.mark.parametrize("count", [0, 1, 2, 20])
def test_results_come_in_the_order_of_the_items(count, cores, begun, monkeypatch):
    monkeypatch.setattr("assay.files.processes.cores", lambda: cores)
    monkeypatch.setattr("assay.files.processes.done_here", None)
    assert list(in_processes(lambda number: -number, range(count))) == [-number for number in range(count)]
    # there is no use in more processes than items
    assert len(begun) == max(min(cores, count, 4) - 1, 0)
    assert none_is_left(begun)


def test_each_process_does_its_share_of_items_that_are_made_on_the_way():
    workers = list(in_processes(lambda number: (number, HERE()), (number for number in range(9))))
    assert [number for number, _ in workers] == list(range(9))
    assert [process for _, process in workers] == [process for _, process in workers[:3]] * 3
    assert len({process for _, process in workers}) == 3
    assert workers[0][1] == HERE()


def test_an_error_is_raised_where_its_result_would_come(begun):
    results = in_processes(lambda number: 1 // number, [2, 1, 0, 3])
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ZeroDivisionError):
        next(results)
    assert none_is_left(begun)


def test_bad_input_is_told_by_who_finds_it(monkeypatch):
    monkeypatch.setattr("assay.files.processes.done_here", None)

    def work(number):
        if number == 4:
            raise InputError("is wrong", "file", HERE())
        return number

    results = in_processes(work, range(9))
    assert [next(results) for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(InputError) as refused:
        next(results)
    error = refused.value
    assert (error.what, error.path, error.at, error.number) == ("is wrong", "file", "", None)
    assert error.line != HERE()
    assert str(error) == f"file:{error.line}: is wrong"


def test_a_process_ends_with_the_one_that_began_it():
    code = (
        "import os, signal, time\n"
        "from assay.files import processes\n"
        "processes.cores = lambda: 2\n"
        "here = os.getpid()\n"
        "def work(number):\n"
        "    if os.getpid() != here:\n"
        "        print(os.getpid(), flush=True)\n"
        "        time.sleep(60)\n"
        "    time.sleep(0.3)\n"
        "    os.kill(here, signal.SIGKILL)\n"
        "list(processes.in_processes(work, range(4)))\n"
    )
    # which is waited for as long as another process has the same output
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == -signal.SIGKILL
    assert int(done.stdout) > 0


@pytest.mark.parametrize("at", [1, 4, 7])
def test_what_a_process_that_is_killed_leaves_undone_is_done_here(at):
    here = HERE()

    def work(number):
        if number == at and HERE() != here:
            os.kill(HERE(), signal.SIGKILL)
        return number, HERE() == here

    results = list(in_processes(work, range(9)))
    assert [number for number, _ in results] == list(range(9))
    assert [number for number, was_here in results if was_here] == sorted({0, 3, 6, *range(at, 9, 3)})


def test_what_cannot_be_told_is_made_here():
    results = list(in_processes(lambda number: lambda: (number, HERE()), range(4)))
    assert [result() for result in results] == [(number, HERE()) for number in range(4)]


def test_large_results_are_told_whole(monkeypatch):
    monkeypatch.setattr("assay.files.processes.done_here", None)
    assert list(in_processes(lambda number: bytes([number]) * 300_000, range(5))) == [
        bytes([number]) * 300_000 for number in range(5)
    ]


def test_no_process_is_left_when_the_results_are_not_wanted_any_more(begun):
    results = in_processes(lambda number: number, iter(range(1_000_000)))
    assert [next(results), next(results)] == [0, 1]
    results.close()
    assert len(begun) == 2
    assert none_is_left(begun)


@pytest.mark.parametrize("what", ["os.fork", "os.pipe"])
def test_where_no_process_can_be_begun_all_is_done_here(what, monkeypatch):
    def refused():
        raise BlockingIOError

    before = os.listdir("/proc/self/fd")
    monkeypatch.setattr(what, refused)
    assert list(in_processes(lambda number: (number, HERE()), range(4))) == [(number, HERE()) for number in range(4)]
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_where_only_some_can_be_begun_the_others_do_their_own_share(monkeypatch):
    fork, allowed = os.fork, [True, False]

    def seldom():
        if not allowed.pop(0):
            raise BlockingIOError
        return fork()

    monkeypatch.setattr("os.fork", seldom)
    results = list(in_processes(lambda number: (number, HERE() == here), range(6)))
    assert results == [(0, True), (1, False), (2, True), (3, True), (4, False), (5, True)]


def test_interrupts_wait_while_a_process_is_begun_and_come_then(begun, monkeypatch):
    from assay.files import processes

    copied = processes.copied_process

    def interrupted():
        process = copied()
        if process:
            os.kill(HERE(), signal.SIGINT)
        return process

    monkeypatch.setattr("assay.files.processes.copied_process", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(in_processes(str, range(9)))
    assert none_is_left(begun)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.filterwarnings("error")
def test_nothing_is_printed_or_warned_of(capfd):
    def work(number):
        return 1 // (number - 5)

    with pytest.raises(ZeroDivisionError):
        list(in_processes(work, range(9)))
    assert capfd.readouterr() == ("", "")


def test_a_process_is_copied_only_where_no_other_thread_is_and_there_are_cores(monkeypatch):
    monkeypatch.setattr("threading.active_count", lambda: 1)
    monkeypatch.setattr("assay.files.processes.held_memory", lambda: 200 << 20)
    assert can_fork()
    monkeypatch.setattr("assay.files.processes.held_memory", lambda: 2 << 30)
    assert not can_fork()
    monkeypatch.setattr("assay.files.processes.held_memory", lambda: 200 << 20)
    monkeypatch.setattr("assay.files.processes.cores", lambda: 1)
    assert not can_fork()
    monkeypatch.undo()
    stop = threading.Event()
    other = threading.Thread(target=stop.wait)
    other.start()
    try:
        assert not can_fork()
    finally:
        stop.set()
        other.join()


def test_the_memory_of_a_process_is_told_in_bytes():
    code = "from assay.files.processes import held_memory; held = bytes([1]) * 300_000_000; print(held_memory())"
    told = int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
    assert 300_000_000 < told < 500_000_000

"""Work shared by the cores: results in the order of the items, whatever took longest, with only a few items on the way.
"""

import subprocess
import sys
import threading
import time

import pytest

from assay.files.threads import cores, in_threads


@pytest.mark.parametrize("cores", [1, 3, 100])
@pytest.mark.parametrize("count", [0, 1, 2, 20])
def test_results_come_in_the_order_of_the_items(count, cores, monkeypatch):
    monkeypatch.setattr("assay.files.threads.cores", lambda: cores)

    def slower_at_first(number):
        time.sleep(0.001 * (count - number))
        return number

    assert list(in_threads(slower_at_first, range(count))) == list(range(count))


@pytest.mark.parametrize("cores", [1, 2, 8, 100])
def test_at_most_two_items_a_thread_are_taken_before_their_results_are(cores, monkeypatch):
    monkeypatch.setattr("assay.files.threads.cores", lambda: cores)
    taken = []
    results = in_threads(str, (taken.append(number) or number for number in range(100)))
    for number in range(50):
        assert next(results) == str(number)
        # each thread has an item in work and one that waits
        assert len(taken) <= number + 2 * min(cores, 8)


def test_an_error_is_raised_where_its_result_would_come():
    results = in_threads(lambda number: 1 // number, [2, 1, 0, 3])
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_a_program_ends_although_it_holds_results_that_it_never_asked_for():
    code = "from assay.files import threads; threads.cores = lambda: 3; held = threads.in_threads(str, range(99)); print(next(held))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60).stdout == "0\n"


def test_an_interruption_stops_at_once(monkeypatch):
    monkeypatch.setattr("assay.files.threads.cores", lambda: 2)
    main, done = threading.current_thread(), []

    def work(number):
        if threading.current_thread() is main:
            raise KeyboardInterrupt
        time.sleep(0.01)
        done.append(number)

    with pytest.raises(KeyboardInterrupt):
        list(in_threads(work, range(1000)))
    assert len(done) < 5


def test_there_are_as_many_cores_as_this_process_may_use(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 3, 5}, raising=False)
    assert cores() == 3
    monkeypatch.delattr("os.sched_getaffinity")
    monkeypatch.setattr("os.cpu_count", lambda: 7)
    assert cores() == 7
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert cores() == 1

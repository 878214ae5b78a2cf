"""Work shared by the cores: results in the order of the items, whatever took longest, with only a few items on the way.
"""

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


def test_there_are_as_many_cores_as_this_process_may_use(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 3, 5}, raising=False)
    assert cores() == 3
    monkeypatch.delattr("os.sched_getaffinity")
    monkeypatch.setattr("os.cpu_count", lambda: 7)
    assert cores() == 7
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert cores() == 1

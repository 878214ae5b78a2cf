"""Tables of text whose columns share parameters, as those of a task do."""

import assay

GOLD = [{"topic": "q", "document": "d", "start": 10, "end": 20}]
RUN = {"q": [("d", 10, 20)]}


def test_what_the_columns_of_a_task_share_is_told_once_below_the_table():
    shown = assay.evaluate(GOLD, RUN, task="relevant-in-context").show("text")
    lines = shown.splitlines()
    assert lines[0].split() == ["run", "gP@5", "gP@10", "gP@25", "gP@50", "AgP"]
    assert lines[-1] == "gP@5, gP@10, gP@25, gP@50, AgP: score=F(beta=0.25)"


def test_columns_with_different_parameters_keep_their_names_and_files_keep_all():
    names = ["Success(unit=document)@5", "gP(score=F(beta=0.25))@5", "gP(score=F(beta=0.25))@10"]
    scores = assay.evaluate(GOLD, RUN, names)
    assert scores.show("text").splitlines()[0].split() == ["run", *names]
    assert scores.show("csv").splitlines()[0] == ",".join(["run", *names])
    assert assay.evaluate(GOLD, RUN, names[1:]).show("csv").splitlines()[0] == ",".join(["run", *names[1:]])

"""Who may judge: invitations, sessions, and who judges which document.

An invitation is a link with 256 random bits; the study stores only their hash. The link can be redeemed once, until it
expires or is revoked. Redeeming it opens a session, whose cookie is again 256 random bits that the study stores as a
hash.
"""

import importlib
import importlib.util
import os
import secrets
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256

from assay.errors import InputError, quote
from assay.studies.strokes import Stroke
from assay.studies.study import PROGRAM, Assessor, Assignment, Study, StudyTopic, new_id

DAY = 86_400.0
SESSION_DAYS = 30.0


class NotInvited(InputError):
    """A link that does not work: unknown, used, expired or revoked."""


def hash_token(token: str) -> str:
    """Return the hash of a token, which the study stores instead of the token."""
    return sha256(token.encode("utf-8", "replace")).hexdigest()


def invite(study: Study, name: str, role: str = "assessor", days: float = 14.0) -> str:
    """Invite someone by name; return the token of the link. A new invitation replaces an old one."""
    before = next((one for one in study.assessors() if one.name == name), None)
    if before is not None and before.role == PROGRAM:
        raise InputError(f"{quote(name)} is a program that suggests; choose another name", study.path)
    study.add_assessor(name, role)
    token = secrets.token_urlsafe(32)

    def change(connection: sqlite3.Connection) -> None:
        connection.execute(
            "UPDATE assessor SET role = ?, token_hash = ?, expires = ?, revoked = 0 WHERE name = ?",
            [role, hash_token(token), time.time() + days * DAY, name],
        )

    study.write(change)
    if before is None or before.revoked or before.role != role:
        deal(study)
    return token


def redeem(study: Study, token: str) -> str:
    """Open a session with the token of a link; return the session's own token. A link works once."""
    session = secrets.token_urlsafe(32)

    def change(connection: sqlite3.Connection) -> None:
        found = connection.execute(
            "SELECT id, expires, revoked FROM assessor WHERE token_hash = ?", [hash_token(token)]
        ).fetchone()
        if found is None or found[2]:
            raise NotInvited("this link was used already, or is not valid; ask for a new invitation")
        if found[1] < time.time():
            raise NotInvited("this link has expired; ask for a new invitation")
        connection.execute("UPDATE assessor SET token_hash = NULL WHERE id = ?", [found[0]])
        connection.execute("DELETE FROM session WHERE expires < ?", [time.time()])
        end = time.time() + SESSION_DAYS * DAY
        connection.execute("INSERT INTO session VALUES (?, ?, ?)", [hash_token(session), found[0], end])

    study.write(change)
    return session


def session_of(study: Study, session: str) -> Assessor | None:
    """Return whose session it is; None if it is unknown or expired, or if access was revoked."""
    rows = study.query(
        """SELECT name, role, revoked, session.expires FROM session JOIN assessor ON assessor.id = session.assessor
        WHERE hash = ? AND session.expires > ? AND NOT revoked""",
        hash_token(session),
        time.time(),
    )
    return Assessor(*rows[0]) if rows else None


def revoke(study: Study, name: str) -> None:
    """End someone's access; what they judged stays, and what they did not begin goes to others."""

    def change(connection: sqlite3.Connection) -> None:
        done = connection.execute("UPDATE assessor SET revoked = 1, token_hash = NULL WHERE name = ?", [name])
        if not done.rowcount:
            raise InputError(f"no assessor {quote(name)} in the study", study.path)
        connection.execute(
            "DELETE FROM session WHERE assessor = (SELECT id FROM assessor WHERE name = ?)", [name]
        )

    study.write(change)
    deal(study)


ASSIGN = "INSERT INTO assignment (task, assessor, position) VALUES (?, ?, ?)"


def deal(study: Study, again: bool = True) -> None:
    """Assign every task to as many people as the study wants, and about the same number to each person.

    What someone has begun stays theirs. The rest stays too, unless it should be dealt `again`. A person gets documents
    of few topics. Organisers judge only if there is nobody else; programs never do.
    """

    def change(connection: sqlite3.Connection) -> None:
        unopened = "id NOT IN (SELECT assignment FROM stroke)" if again else "0"
        # a task that goes to the same person again keeps the number of its assignment, which open pages may use
        found = connection.execute(f"SELECT task, assessor, id FROM assignment WHERE {unopened}")
        rest = {(task, person): number for task, person, number in found}
        active = "SELECT id FROM assessor WHERE role = ? AND NOT revoked ORDER BY id"
        by_role = [[row[0] for row in connection.execute(active, [role])] for role in ("assessor", "organiser")]
        judging: list[int] = by_role[0] or by_role[1]
        tasks = connection.execute(
            """SELECT id, topic, position FROM task
            WHERE ? != 'questions' OR document IS NULL ORDER BY topic, position, id""",
            [study.settings.mode],
        ).fetchall()
        holders: defaultdict[int, set[int]] = defaultdict(set)
        programs = "SELECT id FROM assessor WHERE role = 'program'"
        of_people = f"SELECT task, assessor FROM assignment WHERE assessor NOT IN ({programs}) AND NOT {unopened}"
        for task, person in connection.execute(of_people):
            holders[task].add(person)
        load: Counter[int] = Counter()
        topics: defaultdict[int, set[int]] = defaultdict(set)
        for task, topic, _ in tasks:
            for person in holders[task]:
                load[person] += 1
                topics[person].add(topic)
        wanted = min(study.settings.judges, len(judging))
        fair = -(-sum(max(wanted, len(holders[task])) for task, _, _ in tasks) // max(len(judging), 1))
        for task, topic, position in tasks:
            free = [person for person in judging if person not in holders[task]]
            # prefer people who have less than their share, and of these people who have the topic already
            free.sort(key=lambda person: (load[person] >= fair, topic not in topics[person], load[person]))
            for person in free[: max(0, wanted - len(holders[task]))]:
                if rest.pop((task, person), None) is None:
                    connection.execute(ASSIGN, [task, person, position])
                holders[task].add(person)
                load[person] += 1
                topics[person].add(topic)
        if study.settings.mode == "questions":
            # people also get the pooled documents of their questions
            pooled = connection.execute(
                "SELECT id, topic, position FROM task WHERE document IS NOT NULL AND in_pool ORDER BY position, id"
            )
            people_of = defaultdict(set, {topic: holders[task] for task, topic, _ in tasks})
            for task, topic, position in pooled.fetchall():
                for person in sorted(people_of[topic] - holders[task]):
                    if rest.pop((task, person), None) is None:
                        connection.execute(ASSIGN, [task, person, position])
        connection.executemany("DELETE FROM assignment WHERE id = ?", [[number] for number in rest.values()])
        connection.execute(
            f"""UPDATE assignment SET main = 1 WHERE id IN (SELECT min(id) FROM assignment
            WHERE assessor NOT IN ({programs}) GROUP BY task HAVING NOT max(main))"""
        )

    study.write(change)


def next_assignment(study: Study, assessor: str, topic: str, after: int = 0) -> Assignment | None:
    """Return the next document of a topic for an assessor: documents that are begun first, then by position.

    If the pool has a live order, the next document follows from what people judged so far. after: the number of a
    document that the assessor leaves for later; then documents after it come first.
    """
    left = [one for one in study.assignments(assessor, topic) if one.state != "done" and one.document is not None]
    later = next((one for one in left if one.id == after), None)
    left = [one for one in left if one is not later]
    pool = next((pool for pool in study.pools() if "live" in pool), None)
    if pool is not None and (later is not None or all(one.state == "new" for one in left)):
        done = [one for one in study.assignments(topic=topic) if one.state == "done" and one.role != "program"]
        judged = {one.document: False for one in done if one.document is not None}
        judged |= {one.document: True for one in done if one.document is not None and one.relevant}
        mine = {one.document: one for one in left if one.document is not None}
        # the runs in the order in which they were pooled, each as deep as it was pooled
        rankings = study.rankings(topic)
        pooled = [rankings[run][: pool["depth"]] for run in pool["runs"] if run in rankings]
        runs = [[each for each in run if each in mine or each in judged] for run in pooled]
        if (document := (move_to_front if pool["live"] == "mtf" else max_mean)(runs, judged)) in mine:
            return mine[document]
    if later is not None:
        return min(left, key=lambda one: (one.position <= later.position, one.position), default=None)
    return min(left, key=lambda one: (one.state == "new", one.position), default=None)


def open_document(study: Study, assessor: str, topic: str, document: str) -> Assignment:
    """Let an assessor judge a document that is not in the pool, and return the assignment."""

    def change(connection: sqlite3.Connection) -> int:
        ids = connection.execute(
            """SELECT topic.id, document.id, assessor.id FROM topic, document, assessor
            WHERE topic.name = ? AND document.name = ? AND assessor.name = ?""",
            [topic, document, assessor],
        ).fetchone()
        if ids is None:
            what = f"no document {quote(document)}, no topic {quote(topic)} or no assessor {quote(assessor)}"
            raise InputError(f"the study has {what}", study.path)
        connection.execute(
            """INSERT OR IGNORE INTO task (topic, document, position, in_pool)
            SELECT ?1, ?2, 1 + ifnull(max(position), 0), 0 FROM task WHERE topic = ?1""",
            ids[:2],
        )
        (task,) = connection.execute("SELECT id FROM task WHERE topic = ? AND document = ?", ids[:2]).fetchone()
        connection.execute(
            """INSERT OR IGNORE INTO assignment (task, assessor, position, main)
            SELECT ?1, ?2, position, NOT EXISTS (SELECT 1 FROM assignment WHERE task = ?1 AND main) FROM task
            WHERE id = ?1""",
            [task, ids[2]],
        )
        sql = "SELECT id FROM assignment WHERE task = ? AND assessor = ?"
        return int(connection.execute(sql, [task, ids[2]]).fetchone()[0])

    found = study.assignment(study.write(change))
    assert found is not None
    return found


def adjudicate(study: Study, organiser: str, topic: str, document: str) -> Assignment:
    """Let an organiser decide about a document on which people disagree; their judgment becomes the main one."""
    opened = open_document(study, organiser, topic, document)
    sql = "UPDATE assignment SET main = (id = ?) WHERE task = ?"
    study.write(lambda connection: connection.execute(sql, [opened.id, opened.task]) and None)
    return opened


# Live orders of judging: the next document depends on what was judged so far.
#
# MTF, move to front: follow a run until a document that is not relevant, then demote the run (Cormack, Palmer and
# Clarke, Efficient construction of large test collections, SIGIR 1998). MM-NS, max mean, non-stationary: the next
# document comes from the run with the largest (rel + 1) / (n + 2), where a judged document of the run changes rel to ρ
# rel + x and n to ρ n + 1 (Losada, Parapar and Barreiro, Multi-armed bandits for adjudicating documents in
# pooling-based evaluation of information retrieval systems, IPM 53(5), 2017).
#
# Both are replayed from the start with all judgments so far: the same judgments give the same next document.

# How much of the past MM-NS keeps; at 0 only the last document of each run counts, which the paper found best.
RHO = 0.0


def move_to_front(rankings: Sequence[Sequence[str]], judged: Mapping[str, bool]) -> str | None:
    """Return the next document by MTF."""
    priority = [0] * len(rankings)

    def learn(run: int, relevant: bool) -> None:
        # the first of equal runs is chosen, so a run is followed until it is demoted
        priority[run] -= not relevant

    return play(rankings, judged, priority.__getitem__, learn)


def max_mean(rankings: Sequence[Sequence[str]], judged: Mapping[str, bool], rho: float = RHO) -> str | None:
    """Return the next document by MM-NS."""
    found, count = [0.0] * len(rankings), [0.0] * len(rankings)

    def learn(run: int, relevant: bool) -> None:
        found[run], count[run] = rho * found[run] + relevant, rho * count[run] + 1

    return play(rankings, judged, lambda run: (found[run] + 1) / (count[run] + 2), learn)


def play(
    rankings: Sequence[Sequence[str]],
    judged: Mapping[str, bool],
    worth: Callable[[int], float],
    learn: Callable[[int, bool], None],
) -> str | None:
    """Follow, step by step, the run that is worth most (the first of equals), up to a document that is not judged."""
    place, seen = [0] * len(rankings), set[str]()
    while left := [run for run, ranking in enumerate(rankings) if place[run] < len(ranking)]:
        run = max(left, key=worth)
        document = rankings[run][place[run]]
        place[run] += 1
        if document in seen:
            continue
        if document not in judged:
            return document
        seen.add(document)
        learn(run, judged[document])
    return None


# Suggestions from the user's program: a Python function that returns spans of text that may be relevant.
#
#     def suggest(topic: StudyTopic, document: str, text: str) -> list[tuple[int, int]]: ...
#
# Suggestions bias people. So they are off by default, a random fifth of the documents is judged without them, and every
# assignment remembers whether they were shown (`assisted`). The program is an assessor with the role `program`, which
# never counts as a person. Assay itself calls no service.

Suggest = Callable[[StudyTopic, str, str], Iterable[tuple[int, int]]]
# One document of this many is judged without suggestions.
WITHOUT = 5


def load_suggest(named: str) -> Suggest:
    """Load the function that `file.py:function` or `package.module:function` names."""
    place, _, name = named.rpartition(":")
    if not place or not name:
        raise InputError(f"expected file.py:function or module:function, found {named!r}")
    try:
        if place.endswith(".py"):
            spec = importlib.util.spec_from_file_location(f"suggestions of {place}", place)
            if spec is None or spec.loader is None or not os.path.exists(place):
                raise InputError("no such file; expected a Python file with a function that suggests spans", place)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(place)
        function = getattr(module, name)
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(f"cannot load the function: {type(error).__name__}: {error}", named) from None
    if not callable(function):
        raise InputError("not a function; expected a function that suggests spans", named)
    found: Suggest = function
    return found


def is_assisted(study: Study, task: int) -> bool:
    """Tell whether suggestions may be shown for a task: for a random four of five, always the same ones."""
    return int(sha256(f"{study.id} {task}".encode()).hexdigest(), 16) % WITHOUT != 0


class Suggester:
    """Suggestions for the documents of a study; each is made once, and stored as strokes of a program."""

    def __init__(self, study: Study, suggest: Suggest, name: str):
        self.study, self.suggest = study, suggest
        self.name = study.add_assessor(f"program {name}", PROGRAM)

    def suggestions(self, one: Assignment, text: str) -> list[tuple[int, int]]:
        """Return the spans suggested for an assignment, and mark it as assisted; none for a fifth of the documents."""
        if one.document is None or not is_assisted(self.study, one.task):
            return []
        own = next((each for each in self.study.assignments(self.name, one.topic) if each.task == one.task), None)
        if own is None:
            strokes = self._strokes(one, text)
            own = open_document(self.study, self.name, one.topic, one.document)
            self.study.append(own.id, strokes, text)
        if not one.assisted:
            sql = "UPDATE assignment SET assisted = 1 WHERE id = ?"
            self.study.write(lambda connection: connection.execute(sql, [one.id]) and None)
        return [(start, end) for start, end, _ in self.study.judgment(own).passages]

    def _strokes(self, one: Assignment, text: str) -> list[Stroke]:
        topic = next(each for each in self.study.topics() if each.name == one.topic)
        facts = self.study.settings.mode == "questions"
        try:
            spans = [(int(start), int(end)) for start, end in self.suggest(topic, one.document or "", text)]
        except Exception as error:
            raise InputError(f"{self.name} failed: {type(error).__name__}: {error}") from None
        if wrong := [span for span in spans if not 0 <= span[0] < span[1] <= len(text)]:
            what = f"{self.name} suggested {wrong[0]}; expected 0 <= start < end <= {len(text)}"
            raise InputError(f"{what} in document {quote(one.document or '')}")
        return [
            Stroke(new_id(), "highlight", start, end, str(number) if facts else None)
            for number, (start, end) in enumerate(spans, 1)
        ]

"""Strokes added up a second time: highlighted text as sets of characters, undo by replaying what is left."""


def naive(strokes, mode, grades, length):
    """The judgment as a dict: characters by fact, entry, grade, note, no_answer, done; and which strokes are allowed."""
    kept, undone, done, seconds, allowed = [], [], False, 0.0, []
    for kind, start, end, value in strokes:
        now = replayed(kept)
        ok = True
        if kind == "time":
            seconds += float(value)
        elif kind == "reopen":
            ok = done
            done = False
        elif done:
            ok = False
        elif kind == "validate":
            marked = any(now["facts"].values())
            needs = mode == "highlight"
            ok = not (needs and marked != (now["entry"] is not None)) and not (grades and now["grade"] is None)
            done = ok
        elif kind == "undo":
            ok = bool(kept)
            if ok:
                undone.append(kept.pop())
        elif kind == "redo":
            ok = bool(undone)
            if ok:
                kept.append(undone.pop())
        else:
            if kind in ("highlight", "unhighlight"):
                ok = 0 <= start < end <= length and mode != "grades"
                ok = ok and (kind == "unhighlight" or (mode == "questions") == bool(value))
            if kind == "entry":
                ok = mode == "highlight" and (start is None or 0 <= start <= length)
            if kind == "grade":
                ok = value is None or int(value) in grades
            if kind == "answer":
                ok = mode == "questions"
            if ok and replayed([*kept, (kind, start, end, value)]) != now:
                kept.append((kind, start, end, value))
                undone = []
        allowed.append(ok)
    return replayed(kept) | {"done": done, "seconds": seconds}, allowed


def replayed(changes):
    facts, rest = {}, {"entry": None, "grade": None, "note": "", "answer": None}
    for kind, start, end, value in changes:
        if kind == "highlight":
            facts[value or ""] = facts.get(value or "", set()) | set(range(start, end))
        elif kind == "unhighlight":
            facts = {
                fact: places - set(range(start, end)) if value in (None, fact) else places
                for fact, places in facts.items()
            }
        elif kind == "entry":
            rest["entry"] = start
        elif kind == "note":
            rest["note"] = value or ""
        else:
            rest[kind] = None if value is None else value
    return {"facts": {fact: places for fact, places in facts.items() if places}} | rest


def runs_of(places):
    """Sets of characters as [start, end) that neither overlap nor touch."""
    return [(one, next(n for n in range(one, max(places) + 2) if n not in places)) for one in sorted(places) if one - 1 not in places]

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


RANK = {"?": 0, "1": 1, "2": 2}


def stated_levels(levels, path, level, spans, passages):
    """The exhaustivity of elements after one is given a level, sentence by sentence as INEX 2005 ruled; None if that is
    not allowed.

    levels: those before, by path. spans: where each element begins and ends. passages: what is highlighted.
    """
    inside = [other for other in spans if other.startswith(f"{path}/")]
    around = [other for other in spans if path.startswith(f"{other}/")]
    meets = {one for one, (start, end) in spans.items() if any(a < end and b > start for a, b in passages)}
    holds = {one for one, (start, end) in spans.items() if any(start <= a and b <= end for a, b in passages)}
    # only elements that meet a passage are judged; too small is forbidden for one that wholly holds a passage
    if path not in meets or (level == "?" and path in holds):
        return None
    now, before = dict(levels), levels.get(path)
    now[path] = level
    is_lowered = before is not None and RANK[level] < RANK[before]
    # too small holds for all below it
    if level == "?":
        now |= {other: "?" for other in inside if other in meets}
    # leaving it sets those back
    elif before == "?":
        now = {one: each for one, each in now.items() if one not in inside or each != "?"}
    # lowering an element sets descendants above it back
    if is_lowered:
        now = {one: each for one, each in now.items() if one not in inside or RANK[each] <= RANK[level]}
    # lowering the child that alone supported its parent sets the parent back, which then supports its own no more
    while is_lowered:
        unsupported = [
            one
            for one in around
            if now.get(one) == before and not any(now.get(child) == before for child in spans if child.rpartition("/")[0] == one)
        ]
        lowest = max(unsupported, key=len, default=None)
        # only what is above an element that changed
        changed = [path, *(one for one in around if one in levels and one not in now)]
        if lowest is None or not any(one.rpartition("/")[0] == lowest for one in changed):
            break
        del now[lowest]
    # a child set to 2 makes its ancestors 2; any other child above an ancestor sets that back; both leave too small
    for one in around:
        if level == "2" or (one in now and RANK[now[one]] < RANK[level]):
            if now.get(one) == "?":
                branch = [path, *inside]
                now = {o: each for o, each in now.items() if each != "?" or not o.startswith(f"{one}/") or o in branch}
            now.pop(one, None)
            if level == "2":
                now[one] = "2"
    return now

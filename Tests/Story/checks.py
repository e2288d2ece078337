"""Compares what the program recorded with what truly happened; what it gave for that is the oracle's to judge."""

from datetime import date

from Lives.facts import Facts
from Lives.timeline import Window
from Shared.civil import DAY, first_instant, parse
from Shared.program import Failed
from Story.world import OUTAGE_DAY, World

SHOWN = 8


def check_truth(world: World, facts: Facts, records: list[dict], now: int) -> None:
    """Holds a ledger's evidence, closes and broken streaks against the lives and what was told of them."""
    of: dict[str, list[dict]] = {}
    for record in records:
        of.setdefault(record["type"], []).append(record)
    closes = {(record["zone"], date.fromisoformat(record["day"])): record for record in of.get("close", ())}
    require_none("windows", [f"the close of {zone} {day} has another window: {record}" for (zone, day), record in closes.items()
                             if [parse(record["start"]), parse(record["end"])] != [first_instant(zone, d) for d in (day, day + DAY)]])
    require_none("invented", [f"seq {record['seq']}: {record}" for record in of["evidence"] if not is_true(world, record)])
    recorded: dict[str, dict[tuple[str, int, int], int]] = {name: {} for name in facts.users}
    for record in of["evidence"]:
        recorded[record["user"]][record["kind"], parse(record["from"]), parse(record["to"])] = record["seq"]
    odd = []
    for name, user in facts.users.items():
        for window in user.windows(now):
            told, there = firsts(user.evidence, window), firsts(recorded[name], window)
            close = closes.get((window.zone, window.day))
            for kind in sorted(told.keys() | there.keys()):
                # An earlier instant that comes only when the day is closed with evidence is passed over.
                is_late = kind in told and kind in there and close and told[kind][1] > parse(close["at"])
                if not is_late and told.get(kind, (None,))[0] != there.get(kind, (None,))[0]:
                    odd.append(f"{name}'s {kind} on {window.day}: recorded {there.get(kind)}, told {told.get(kind)}")
    require_none("evidence", odd)
    broken = [record for record in of["streak"] if record["what"] == "broken"]
    require_none("streaks", [f"{record['user']} lost a streak on {record['day']}" for record in broken if not is_idle(world, record)])
    print(f"  {sum(map(len, recorded.values()))} activities recorded and true, {len(broken)} streaks broken, each on an idle day")


def firsts(evidence: dict[tuple[str, int, int], int], window: Window) -> dict[str, tuple[int, int]]:
    """Of each kind the first instant in a window, and the number with which that came."""
    found: dict[str, tuple[int, int]] = {}
    for (kind, start, end), number in evidence.items():
        if window.is_touched(start, end):
            first = max(start, window.start), number
            found[kind] = min(found.get(kind, first), first)
    return found


def is_true(world: World, record: dict) -> bool:
    """Whether evidence tells of something that was done, and for no longer."""
    start, end = parse(record["from"]), parse(record["to"])
    truth = [a for a in world.people[record["user"]].activities if (a.kind, a.start) == (record["kind"], start)]
    return any(end <= a.end if record.get("open") else end == a.end for a in truth)


def is_idle(world: World, record: dict) -> bool:
    """Whether a user truly did nothing on the day of a record, and that was not the day of the outage."""
    person, day = world.people[record["user"]], date.fromisoformat(record["day"])
    window = Window(day, first_instant(person.zone, day), first_instant(person.zone, day + DAY), person.zone)
    return day != OUTAGE_DAY and not any(window.is_touched(a.start, a.end) for a in person.activities)


def require_none(check: str, found: list[str]) -> None:
    """Nothing may be found."""
    if found:
        raise Failed(check, f"{len(found)} found: " + "; ".join(found[:SHOWN]))

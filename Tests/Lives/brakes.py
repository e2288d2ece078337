"""Whether limits held back what they should, and nothing else.

A limit looks at what stands when a grant is due. Whether rewards of levels, gifts by hand and what was reversed weigh in
is left open: only what is wrong either way is a failure.
"""

from collections import defaultdict
from datetime import date

from Lives.amounts import is_waiver
from Lives.rules import RuleBook
from Shared.program import Failed

LIMITED = (("points", "pointsPerUserDay"), ("exp", "expPerUserDay"))
# Grants that an operator's act brings about, or that come with a whole plan, are not weighed one by one.
WEIGHED = ("live", "reconcile")


def check_brakes(records: list[dict]) -> None:
    """Weighs each grant and each held-back one against the limits of its day at that time."""
    documents: list[tuple[int, dict]] = []
    released = {record["subject"] for record in records if record["type"] == "operator" and record["act"] == "release"}
    least: dict = defaultdict(int)
    most: dict = defaultdict(int)
    # What waits stays held back until it is released; a further line only tells how the streak stands by now.
    waiting: set[str] = set()
    for record in records:
        if record["type"] == "rules":
            documents.append((record["seq"], record["document"]))
        elif record["type"] == "refused" and record["what"] == "heldBack":
            if record["key"] in waiting:
                continue
            waiting.add(record["key"])
            # What is released of a closed day goes by the rules that judged it, whatever has corrected them since.
            if all(most[record["user"], record["day"], unit] + record[unit] <= limits[name]
                   for limits in limits_since(documents, record) for unit, name in LIMITED):
                raise Failed("brake", f"{record['key']} is held back, but no limit is passed")
        elif record["type"] == "operator" and record["act"] == "release":
            waiting.discard(record["subject"])
        elif record["type"] == "grant" and not is_waiver(record):
            is_first = record["cause"] in WEIGHED and "#" not in record["key"] and record["key"] not in released
            is_of_day = record["mission"] not in ("level", "manual")
            limits = limits_of(documents, record)
            for unit, name in LIMITED:
                place = record["user"], record["day"], unit
                if is_first and is_of_day and record[unit] and least[place] + record[unit] > limits[name]:
                    raise Failed("brake", f"{record['key']} passes {name} {limits[name]} and is not held back")
                most[place] += max(record[unit], 0)
                least[place] += record[unit] if is_of_day else min(record[unit], 0)
        elif record["type"] == "reversal":
            for day in [day for user, day, _ in least if user == record["user"]]:
                for unit, _ in LIMITED:
                    least[record["user"], day, unit] -= abs(record.get(unit, 0))
                    most[record["user"], day, unit] += abs(record.get(unit, 0))


def limits_of(documents: list[tuple[int, dict]], record: dict) -> dict[str, int]:
    """The limits of a record's day by the documents that were in use when it was written."""
    return RuleBook(documents).of(date.fromisoformat(record["day"]), record["seq"])["limits"]


def limits_since(documents: list[tuple[int, dict]], record: dict) -> list[dict[str, int]]:
    """The limits that a record's day has had since its rules were first in use, by each document that changed them."""
    book = RuleBook(documents)
    day = date.fromisoformat(record["day"])
    first = min(number for number, document in documents if document["effectiveFrom"] <= day.isoformat())
    return [book.of(day, number)["limits"] for number, _ in documents if number >= first]

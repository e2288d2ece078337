"""Civil time: instants and their texts, and days in IANA zones.

Instants are whole seconds since 1970 in UTC; a day is a `datetime.date`. Tables of zones are named by their folder, the
system's by "".
"""

from datetime import date, datetime, timedelta, timezone
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo

UTC = timezone.utc
HOUR = 3600
DAY = timedelta(days=1)


def parse(text: str) -> int:
    """The instant of an RFC 3339 text; fractions are cut."""
    return int(datetime.fromisoformat(text).timestamp())


def show(at: int) -> str:
    """An instant as commands and inbox lines take it."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@lru_cache(maxsize=None)
def rules_of(zone: str, table: str) -> ZoneInfo:
    """The zone as a table has it."""
    if not table:
        return ZoneInfo(zone)
    with Path(table, zone).open("rb") as file:
        return ZoneInfo.from_file(file, key=zone)


def offset(zone: str, at: int, table: str = "") -> int:
    """How far the zone is ahead of UTC at an instant, in seconds."""
    return int(datetime.fromtimestamp(at, rules_of(zone, table)).utcoffset().total_seconds())


@lru_cache(maxsize=None)
def first_instant(zone: str, day: date, table: str = "") -> int:
    """The first instant of the date in the zone; of a date that does not exist there, of the next that does."""
    midnight = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
    low, high = midnight - 15 * HOUR, midnight + 13 * HOUR
    before, after = offset(zone, low, table), offset(zone, high, table)
    if before == after:
        return midnight - before
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if offset(zone, middle, table) == before else (low, middle)
    return midnight - before if midnight - before < high else max(high, midnight - after)


@lru_cache(maxsize=None)
def day_at(zone: str, at: int, table: str = "") -> date:
    """The day in whose window the instant lies: a date that has begun does not end by clocks that run back."""
    day = datetime.fromtimestamp(at, rules_of(zone, table)).date()
    while first_instant(zone, day + DAY, table) <= at:
        day += DAY
    return day

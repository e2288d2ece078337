"""Compares every write of the sink, and every document at the end, with the ledger."""

from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import datetime, timezone

from Store.firestore import Change, Fields, same
from Store.front import OWN_FIELDS, SINK
from Store.levels import CAPS, total
from Store.owed import MISSIONS, Owed, Sums

# Between the sink's look at the clock and its write.
CLOCK_SECONDS = 60


def instant(value):
    """Whole seconds of a timestamp; none of anything else."""
    return int(value.timestamp()) if isinstance(value, datetime) else None


def number(fields: Fields, field: str, preset: int = 0) -> int:
    """An integer of a document; the preset where there is none."""
    value = fields.get(field)
    return value if type(value) is int else preset


def items_of(fields: Fields) -> set[str]:
    """The items of a document; none where there is no array."""
    value = fields.get("OwnedItems")
    return set(value) if isinstance(value, list) else set()


def exp_of(fields: Fields) -> int:
    """All exp of a document."""
    return total(number(fields, "Level", 1), number(fields, "TotalExp"))


class Comparison:
    """Looks for differences. `users` has the user of each document by its full name; `today` says which day it is for a user."""

    def __init__(self, owed: Owed, users: dict[str, str], collected: bool, today: Callable[[str], str]):
        self.owed, self.users, self.collected, self.today = owed, users, collected, today
        self.differences: list[str] = []
        self.kinds = Counter()
        self.writes = 0

    def differ(self, kind: str, what: str) -> None:
        """Notes a difference."""
        self.kinds[kind] += 1
        if self.kinds[kind] <= 5:
            self.differences.append(f"{kind}: {what}")

    def equal(self, kind: str, place: str, found: object, wanted: object) -> None:
        """Notes a difference if there is one."""
        if found != wanted:
            self.differ(kind, f"{place}: {found}, not {wanted}")

    # Each write.

    def follow(self, history: list[Change]) -> None:
        """Checks each write of the sink by the positions before and after it."""
        for index, change in enumerate(history):
            if change.who == SINK:
                self.writes += 1
                self.check_write(index, change)

    def check_write(self, index: int, change: Change) -> None:
        user = self.users.get(change.name)
        place = f"write {index} to {change.name.rsplit('/', 1)[-1]} ({user})"
        if change.before is None:
            return self.differ("a document that the sink made", place)
        if change.after is None or user is None:
            return self.differ("a document that the sink must not touch", place)
        old, new = change.before.get("Rewards") or {}, change.after["Rewards"]
        account = self.owed.of(user)
        before, after = account.at(old.get("position", 0)), account.at(new["position"])
        self.equal("ledger", place, new.get("ledger"), self.owed.ledger)
        if new["position"] < old.get("position", 0):
            self.differ("a position that goes back", f"{place}: {old.get('position')}, then {new['position']}")
        if new["position"] > self.owed.head:
            self.differ("a position beyond the ledger", f"{place}: {new['position']} of {self.owed.head}")
        self.check_sums(place, new, after)
        gained = lambda name: getattr(after, name) - getattr(before, name)
        for field, name in (("ShopPoints", "points"), ("TotalLogin", "logins")):
            self.equal(field, place, number(change.after, field) - number(change.before, field), gained(name))
        self.equal("exp", place, exp_of(change.after) - exp_of(change.before), gained("exp"))
        self.check_level(place, change)
        shown_day = change.before.get("ConsecutiveLogin") if before.cycle_day == after.cycle_day else max(0, after.cycle_day - 1)
        self.equal("ConsecutiveLogin", place, change.after.get("ConsecutiveLogin"), shown_day)
        owned, gone = items_of(change.before), before.items - after.items - after.elsewhere
        self.equal("OwnedItems", place, items_of(change.after), (owned | after.items - before.items) - gone)
        self.check_booster(place, change)
        self.check_flags(place, change, before, after)
        for field in {*change.before, *change.after} - OWN_FIELDS:
            if not (field in change.before and field in change.after and same(change.before[field], change.after[field])):
                self.differ("a field that is none of ours", f"{place}: {field}")

    def check_sums(self, place: str, rewards: dict, sums: Sums) -> None:
        """The sums in the document are the ledger's at its position."""
        written = {"cycleDay": 0} | rewards | {"items": set(rewards.get("items", []))}
        for name, wanted in sums.written().items():
            self.equal(f"Rewards.{name}", place, written.get(name), wanted)

    def check_level(self, place: str, change: Change) -> None:
        """A level that was right stays right: no full cap is left in it, and nothing below zero above level 1."""
        level, exp = number(change.after, "Level", 1), number(change.after, "TotalExp")
        if (change.before.get("Level"), change.before.get("TotalExp")) == (level, exp):
            return
        if not 1 <= level <= len(CAPS) + 1 or (level <= len(CAPS) and exp >= CAPS[level - 1]):
            self.differ("level", f"{place}: level {level} with {exp} exp")

    def check_booster(self, place: str, change: Change) -> None:
        """The booster's end moves as the ledger's does: by no more than was granted, and never before now."""
        old, new = (instant(fields.get("ExpBoosterEndDay")) or 0 for fields in (change.before, change.after))
        had, has = change.before.get("Rewards") or {}, change.after["Rewards"]
        before, until = (instant(rewards.get("boosterUntil")) or 0 for rewards in (had, has))
        granted = has["boosterSeconds"] - had.get("boosterSeconds", 0)
        now = change.at.timestamp()
        told = f"{place} at {shown(now)}: from {shown(old)} to {shown(new)}; ours from {shown(before)} to {shown(until)}, {granted} s more"
        if until > before and until > now:
            if not max(old, until) <= new <= max(until, old + granted):
                self.differ("a booster that was granted", told)
        elif until < before and before > now:
            if not (new <= old and new >= min(old, now - CLOCK_SECONDS) and old - new <= before - max(until, now - CLOCK_SECONDS)):
                self.differ("a booster that was taken", told)
        elif new != old:
            self.differ("a booster that is not concerned", told)

    def check_flags(self, place: str, change: Change, before: Sums, after: Sums) -> None:
        """What was granted today since the last write is collected; nothing else has changed."""
        today = self.today(self.users[change.name])
        new = {mission for day, mission in after.granted - before.granted if day == today}
        may = {mission for day, mission in after.granted if day == today}
        old_flags, flags = change.before.get("MissionRewards", []), change.after.get("MissionRewards", [])
        for place_of, mission in enumerate(MISSIONS):
            old, now = (one[place_of] if place_of < len(one) else None for one in (old_flags, flags))
            if mission in new and old is not None and now is not self.collected:
                self.differ("MissionRewards", f"{place}: {mission} was granted today, and the flag is {now}")
            if mission not in may and old != now:
                self.differ("MissionRewards", f"{place}: {mission} was not granted today, and the flag went from {old} to {now}")
        old, now = change.before.get("DailyReward"), change.after.get("DailyReward")
        if "login" in new and old is not None and now is not self.collected:
            self.differ("DailyReward", f"{place}: the login of today was granted, and the flag is {now}")
        if "login" not in may and old != now:
            self.differ("DailyReward", f"{place}: no login of today was granted, and the flag went from {old} to {now}")

    # The end.

    def settle(self, name: str, fields: Fields | None, history: list[Change]) -> None:
        """A document at the end: where it began, what the app did since it was made, and all that the ledger owes."""
        user = self.users[name]
        place = f"{name.rsplit('/', 1)[-1]} ({user}) at the end"
        if fields is None:
            return self.differ("a document that is gone", place)
        start, done = {}, defaultdict(int)
        gained = set()
        for change in history:
            if change.before is None:
                start, done, gained = change.after, defaultdict(int), items_of(change.after)
            elif change.who != SINK and change.after is not None:
                for field in ("ShopPoints", "TotalLogin"):
                    done[field] += number(change.after, field) - number(change.before, field)
                done["exp"] += exp_of(change.after) - exp_of(change.before)
                gained |= items_of(change.after) - items_of(change.before)
        sums = self.owed.of(user).now
        rewards = fields.get("Rewards") or {}
        if not rewards and sums.written() == Sums().written():
            return
        self.check_sums(place, rewards, sums)
        self.equal("ShopPoints", place, fields.get("ShopPoints", 0), number(start, "ShopPoints") + done["ShopPoints"] + sums.points)
        self.equal("TotalLogin", place, fields.get("TotalLogin", 0), number(start, "TotalLogin") + done["TotalLogin"] + sums.logins)
        self.equal("exp", place, exp_of(fields), exp_of(start) + done["exp"] + sums.exp)
        # Of what is known from elsewhere, each write says whether it was right.
        self.equal("OwnedItems", place, items_of(fields) - sums.elsewhere, (gained | sums.items) - sums.elsewhere)
        if len(fields.get("OwnedItems") or []) != len(items_of(fields)):
            self.differ("an item twice", place)


def shown(at):
    """An instant."""
    return at and datetime.fromtimestamp(at, timezone.utc).isoformat()

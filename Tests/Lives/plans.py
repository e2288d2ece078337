"""Backfill plans: made, applied, applied again; and that they take nothing from anybody, unless they claw back."""

import json
from dataclasses import dataclass
from datetime import date

from Lives.amounts import UNITS, Net, change, is_waiver, net_amounts, trimmed
from Lives.checks import Inspector
from Lives.facts import Facts
from Lives.installation import LoggedInstallation
from Shared.civil import show
from Shared.program import Failed

# How a plan that no longer fits is refused.
REFUSED = (1, 65, 75)


@dataclass
class Plan:
    """A plan file, when it was made, and which user-days it judges again."""

    number: int
    now: int
    document: dict
    claws_back: bool
    days: dict[str, list[date]]


class Plans:
    """The plans of a life by name."""

    def __init__(self, installation: LoggedInstallation, facts: Facts, inspector: Inspector):
        self.installation, self.facts, self.inspector = installation, facts, inspector
        self.made: dict[str, Plan] = {}
        self.applied: set[str] = set()
        # The users whom plans have touched since each key was reversed.
        self.applied_since_reversal: dict[str, set[str]] = {}

    def make(self, step: dict, number: int, now: int) -> None:
        """Writes a plan; one that must be empty is a failure when it is not."""
        first, last = date.fromisoformat(step["from"]), date.fromisoformat(step["to"])
        users = {user for user in step["users"] if user in self.facts.users}
        if step["users"] and not users:
            return
        name = f"{step['name']}.json"
        words = [word for user in sorted(users) for word in ("--user", user)]
        words += ["--claw-back"] if step["claws_back"] else []
        words += ["--all"] if step.get("all") else []
        self.installation.run(now, "backfill", "--from", step["from"], "--to", step["to"], "--plan", name, *words,
                              codes=(0, 1), kill_after=step.get("kill"))
        document = json.loads((self.installation.folder / name).read_text())
        if step.get("is_empty") and document["records"]:
            raise Failed("second plan", f"holds {len(document['records'])} records: {shown(document['records'])}")
        # A level that is reached later than it once was keeps the day of its first reward, so its adjustment may be early.
        early = [r for r in document["records"] if r["type"] == "grant" and not is_waiver(r) and r["day"] < step["from"]
                 and not (r["mission"] == "level" and "#" in r["key"])]
        if early:
            raise Failed("plan range", f"a plan from {step['from']} on holds {shown(early)}")
        days = {user.name: [day for day in user.closed if first <= day <= last] for user in self.facts.users.values()
                if not users or user.name in users}
        self.made[step["name"]] = Plan(number, now, document, step["claws_back"], days)

    def apply(self, step: dict, number: int, now: int) -> None:
        """Applies a plan; refused it may be only when something was appended since it was made."""
        plan = self.made.get(step["name"])
        if plan is None:
            return
        before = self.inspector.records(with_seals=True)
        is_repeated = step["name"] in self.applied
        is_overtaken = before[-1]["seq"] != plan.document["head"]["seq"]
        answer = self.installation.run(now, "backfill", "--apply", f"{step['name']}.json", *step.get("words", ()),
                                       kill_after=step.get("kill"), codes=(0, *REFUSED) if is_overtaken and not is_repeated else (0,))
        appended = self.inspector.records(with_seals=True)[len(before):]
        by_plan = [r for r in appended if r.get("cause") == f"backfill:{plan.document['id']}"]
        if (is_repeated or answer.code) and by_plan:
            raise Failed("apply", f"{step['name']} was {'applied again' if is_repeated else 'refused'}, "
                                  f"but appended {shown(by_plan)}")
        # Records of levels and streaks name no plan; the last of them tells what it leaves.
        is_applied = bool(by_plan) or any(record.get("settled") for record in appended)
        if answer.code or is_repeated or (is_overtaken and not is_applied):
            return
        self.applied.add(step["name"])
        self.check_planned(plan, appended)
        touched = {record["user"] for record in by_plan} - self.inspector.hazy - self.inspector.uncertain
        boosters = {name: self.inspector.boosters(name, before) for name in touched}
        self.bring_in(plan, {record["user"] for record in by_plan})
        if plan.claws_back:
            if any(map(is_waiver, by_plan)):
                raise Failed("waiver", f"a plan that claws back waives {shown(list(filter(is_waiver, by_plan)))}")
            return
        self.check_nothing_lost(by_plan, before)
        for name, (days, end) in boosters.items():
            days_after, end_after = self.inspector.boosters(name, before + appended)
            if days_after < days or end_after < end and end > plan.now:
                raise Failed("waiver", f"{name} had boosters of {days} s up to {show(end)}, and keeps {days_after} s "
                                       f"up to {show(end_after)}")

    def check_planned(self, plan: Plan, appended: list[dict]) -> None:
        """The plan's records are appended as they stand there, and nothing else for the plan or a closed day."""
        planned = list(map(content, plan.document["records"]))
        there = [content(record) for record in appended if record["type"] not in ("seal", "operator")]
        if missing := [record for record in planned if record not in there]:
            raise Failed("apply", f"{len(missing)} records are not appended as planned: {shown(missing)}")
        besides = [record for record in there if record not in planned and (
            record.get("cause") == f"backfill:{plan.document['id']}" or self.is_of_closed_day(record))]
        if besides:
            raise Failed("apply", f"appended besides the plan are {shown(besides)}")

    def is_of_closed_day(self, record: dict) -> bool:
        """Whether a record is about a day of a user that is closed."""
        return {"user", "day"} <= record.keys() and date.fromisoformat(record["day"]) in self.facts.users[record["user"]].closed

    def check_nothing_lost(self, appended: list[dict], before: list[dict]) -> None:
        """A waiver makes good what its user's part of the plan takes, and not more."""
        held = net_amounts([record for record in before if is_waiver(record)])
        taken: dict[str, Net] = {}
        waived: dict[str, Net] = {}
        for record in appended:
            (waived if is_waiver(record) else taken).setdefault(record["user"], Net()).update(change(record))
        for user in taken.keys() | waived.keys():
            lost = trimmed(Net({unit: -n for unit, n in taken.get(user, Net()).items() if n < 0}))
            kept = trimmed(waived.get(user, Net()))
            # What the user has from elsewhere too is not lost, whether or not it is waived.
            earlier = {item for key, net in held.items() if key.startswith(f"{user}/") for item in net if net[item] > 0}
            for item in self.facts.users[user].items_from_elsewhere() | earlier - set(UNITS):
                lost.pop(item, None)
                kept.pop(item, None)
            if kept != lost:
                raise Failed("waiver", f"{user} would lose {dict(lost)}; waived is {dict(kept)}")

    def bring_in(self, plan: Plan, touched: set[str]) -> None:
        """From now on the facts that the plan knew count for its days."""
        for name, days in plan.days.items():
            user = self.facts.users[name]
            for day in days:
                closed = user.closed[day]
                if name in touched:
                    closed.before = None
                elif closed.before is None:
                    closed.before = closed.known
                closed.known = max(closed.known, plan.number)
            if len(days) == len(user.closed):
                self.inspector.hazy.discard(name)
            self.inspector.stale.add(name)
        for users in self.applied_since_reversal.values():
            users |= set(plan.days)


def content(record: dict) -> dict:
    """A record without its place in the ledger."""
    return {name: value for name, value in record.items() if name not in ("seq", "at", "by")}


def shown(records: list[dict]) -> str:
    """The first of some records, in short."""
    told = [" ".join(str(r[name]) for name in ("type", "key", "day", "what", "points", "exp", "items") if r.get(name))
            for r in records[:4]]
    return "; ".join(told)

"""Compares what the program recorded with what the law says and with what truly happened."""

from collections import Counter
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from installation import Installation, Failed
from ledger import Ledger, parse, show
from oracle import Account, Amount, Facts, RuleBook, Window, window
from sight import Sight
from world import API_KINDS, FIRST_DAY, INBOX_KINDS, OUTAGE_DAY, World

SHOWN = 8
# A user, a kind and a day.
Place = tuple[str, str, date]


class Inspector:
    """Knows the true lives and all that could be seen of them, and holds an installation's ledger against both."""

    def __init__(self, world: World, sight: Sight, secret: str, spoil: str | None):
        self.world, self.sight, self.secret, self.spoil = world, sight, secret, spoil
        self.compared: Counter[str] = Counter()
        self.breaches: dict[str, list[str]] = {}

    def breach(self, name: str, *texts: str) -> None:
        """Notes a broken promise; the story goes on, and fails at its end."""
        print(f"  BROKEN ({name}): " + "\n    ".join(texts))
        self.breaches.setdefault(name, []).append(texts[0])

    def require_none(self, found: list[str], name: str, subject: str) -> None:
        """Notes a breach when something was found."""
        if found:
            more = [f"… {len(found) - SHOWN} more"] if len(found) > SHOWN else []
            self.breach(name, f"{subject}: {len(found)} found", *found[:SHOWN], *more)

    def accounts(self, installation: Installation, now: datetime) -> dict[str, Account]:
        """What each user has by the law, and the recorded waivers on top."""
        ledger = Ledger(installation.data)
        rules = RuleBook([record["document"] for record in ledger.of("rules")])
        facts = self.facts(ledger)
        accounts = {user: Account(one, rules, self.secret).fold(now) for user, one in facts.items()}
        if any(account.beyond_limit for account in accounts.values()):
            raise Failed("a user came beyond a limit; this story is not made for that")
        return accounts

    def facts(self, ledger: Ledger) -> dict[str, Facts]:
        """The facts of each user as they stand in the ledger; what is proven comes from the looks themselves."""
        facts = {record["user"]: Facts(record["user"], record["zone"], date.fromisoformat(record["since"]),
                                       record.get("opening", {}), [], [], set(), {}) for record in ledger.of("user")}
        for record in ledger.of("evidence"):
            facts[record["user"]].evidence.append((record["kind"], parse(record["from"]), parse(record["to"])))
        for record in ledger.of("credit"):
            facts[record["user"]].credits.append((parse(record["effective"]), record["exp"], record["items"]))
        for record in ledger.of("grant"):
            if record["mission"] == "waived":
                amount = Amount(record["points"], record["exp"], record["coins"], record["items"])
                booster = record["booster"] and (parse(record["booster"]["from"]), parse(record["booster"]["until"]))
                facts[record["user"]].waivers.append((parse(record["effective"]), amount, booster))
        for record in ledger.of("excuse"):
            days = days_between(date.fromisoformat(record["from"]), date.fromisoformat(record["to"]))
            for user in record.get("users", facts):
                facts[user].excused |= days
        for record in ledger.of("close"):
            day = window(date.fromisoformat(record["day"]), record["zone"])
            self.require_window(record, day)
            for one in facts.values():
                if one.zone == record["zone"] and one.since <= day.day:
                    one.closed[day.day] = {kind for kind in (*API_KINDS, *INBOX_KINDS)
                                           if self.sight.proves_absence(one.user, kind, day, parse(record["at"]))}
        return facts

    def require_window(self, record: dict, day: Window) -> None:
        """A close names the true window of its day."""
        if (parse(record["start"]), parse(record["end"])) != (day.start, day.end):
            raise Failed(f"the close of {record['zone']} {record['day']} has another window: {record}")

    def check_ledger(self, installation: Installation, now: datetime) -> dict[str, Account]:
        """Holds every record against truth, sight and law; returns what each user has by the law."""
        ledger = Ledger(installation.data)
        accounts = self.accounts(installation, now)
        self.check_evidence(ledger)
        self.check_unknown(ledger, accounts)
        self.check_breaks(ledger)
        self.check_keys(ledger, accounts)
        self.check_waivers(ledger)
        print("  by the oracle: " + ", ".join(f"{count} {name}" for name, count in self.compared.items()))
        self.compared.clear()
        return accounts

    def check_evidence(self, ledger: Ledger) -> None:
        """Nothing is invented, nothing that was told is forgotten, and of a day the earliest is known."""
        invented: list[str] = []
        recorded: dict[Place, datetime] = {}
        for record in ledger.of("evidence"):
            start, end = parse(record["from"]), parse(record["to"])
            truth = [a for a in self.world.people[record["user"]].of(record["kind"]) if a.start == start]
            if not any(end <= a.end if record.get("open") else end == a.end for a in truth):
                invented.append(f"seq {record['seq']}: {record}")
            self.note(recorded, record["user"], record["kind"], start, end)
        told: dict[Place, datetime] = {}
        for user in self.world.people:
            for kind, start, end in self.sight.shown(user):
                self.note(told, user, kind, start, end)
        invented += [f"{place} was told by nobody" for place in recorded if place not in told]
        forgotten = [f"{place} is not recorded" for place in told if place not in recorded]
        passed_over, late = self.divide(ledger, recorded, told)
        credits = {(c.user, c.at, c.exp, c.items) for r in self.sight.readings for c in r.credits}
        there = [(r["user"], parse(r["effective"]), r["exp"], tuple(r["items"])) for r in ledger.of("credit")]
        forgotten += ["the credits differ from those that were told"] if sorted(there) != sorted(credits) else []
        self.compared["activities recorded of those told"] = len(told)
        self.require_none(invented, "invented", "evidence that contradicts the lives")
        self.require_none(forgotten, "forgotten", "activities that were told and are not recorded")
        self.require_none(late, "earliest", "activities of which not the earliest is recorded")
        if passed_over:
            self.compared["earlier instants that came after the close and are passed over"] = passed_over

    def divide(self, ledger: Ledger, recorded: dict[Place, datetime],
               told: dict[Place, datetime]) -> tuple[int, list[str]]:
        """How often an earlier instant came only after its day was closed with evidence, which is passed over; and what
        should have been recorded."""
        closes = {(r["zone"], date.fromisoformat(r["day"])): parse(r["at"]) for r in ledger.of("close")}
        passed_over, late = 0, []
        for (user, kind, day), at in told.items():
            if recorded.get((user, kind, day), at) == at:
                continue
            closed = closes.get((self.world.people[user].zone, day))
            told_at = [reading.at for reading in self.sight.readings
                       if any((a.user, a.kind, a.start) == (user, kind, at) for a in reading.activities)]
            if closed and told_at and min(told_at) > closed:
                passed_over += 1
            else:
                late.append(f"{user}'s {kind} on {day}: {show(recorded[user, kind, day])}, though {show(at)} was told")
        return passed_over, late

    def note(self, places: dict[Place, datetime], user: str, kind: str, start: datetime, end: datetime) -> None:
        """Notes, for each day that an activity touches, the first instant known there."""
        zone = self.world.people[user].zone
        local = [at.astimezone(ZoneInfo(zone)).date() for at in (start, end)]
        for day in (window(day, zone) for day in days_between(*local)):
            if day.day >= FIRST_DAY and day.is_touched(start, end):
                place = user, kind, day.day
                places[place] = min(places.get(place, day.end), max(start, day.start))

    def check_unknown(self, ledger: Ledger, accounts: dict[str, Account]) -> None:
        """What the closes called unknown is what neither was seen by then nor can be excluded."""
        found: list[str] = []
        closes = {(r["zone"], date.fromisoformat(r["day"])): r for r in ledger.of("close")}
        recorded = {(r["user"], date.fromisoformat(r["day"]), r["mission"]) for r in ledger.of("unknown")}
        evidence: dict[str, list[dict]] = {user: [] for user in accounts}
        for record in ledger.of("evidence"):
            evidence[record["user"]].append(record)
        wanted = set()
        for user, account in accounts.items():
            for day, absent in account.facts.closed.items():
                close = closes[account.facts.zone, day]
                rules = account.rules.of(day)
                seen = seen_before(close["seq"], evidence[user], window(day, account.facts.zone))
                wanted |= {(user, day, name) for name in {*rules["missions"], *rules["streak"]["countsAs"]} if name not in seen and name not in absent}
        found += [f"{place} is called unknown, but it was known" for place in sorted(recorded - wanted)]
        found += [f"{place} could not be known, but is not called unknown" for place in sorted(wanted - recorded)]
        self.compared["verdicts that closes left open"] = len(wanted)
        self.require_none(found, "unknown", "verdicts that closes left open")

    def check_breaks(self, ledger: Ledger) -> None:
        """A streak breaks only on a day on which the user truly did nothing, and never by the outage."""
        found: list[str] = []
        breaks = [record for record in ledger.of("streak") if record["what"] == "broken"]
        for record in breaks:
            day = window(date.fromisoformat(record["day"]), self.world.people[record["user"]].zone)
            did = [a for a in self.world.people[record["user"]].activities if day.is_touched(a.start, a.end)]
            if did or day.day == OUTAGE_DAY:
                found.append(f"{record['user']} lost a streak on {day.day}: {did}")
        self.compared["streaks broken, each on an idle day"] = len(breaks)
        self.require_none(found, "streaks", "streaks broken by the outage or on a day that counts")

    def check_keys(self, ledger: Ledger, accounts: dict[str, Account]) -> None:
        """Under every key stands exactly what the law gives."""
        wanted = {key: vars(amount) for account in accounts.values() for key, amount in account.grants.items()}
        if self.spoil == "grant":
            del wanted[sorted(wanted)[len(wanted) // 2]]
        stands = {key: entry for key, entry in ledger.sums().items() if "/waived/" not in key}
        nothing = {"points": 0, "exp": 0, "coins": 0, "items": []}
        found = [f"{key}: the ledger says {stands.get(key, nothing)}, the law {wanted.get(key, nothing)}"
                 for key in sorted(stands.keys() | wanted.keys())
                 if stands.get(key, nothing) != wanted.get(key, nothing)]
        keys = Counter(record["key"] for record in ledger.of("grant"))
        found += [f"{key} was granted {count} times" for key, count in keys.items() if count > 1]
        self.compared["keys equal to the law"] = len(wanted)
        self.compared["grant records"] = sum(keys.values())
        self.require_none(found, "grants", "keys under which not what the law gives stands")

    def check_waivers(self, ledger: Ledger) -> None:
        """A waiver makes good what its user's part of the plan takes, and not more."""
        found: list[str] = []
        waivers = [record for record in ledger.of("grant") if record["mission"] == "waived"]
        for waiver in waivers:
            plan = waiver["key"].rsplit("/", 1)[1]
            part = [r for r in ledger.of("grant") if r["user"] == waiver["user"] and r is not waiver
                    and r["cause"] == f"backfill:{plan}"]
            for unit in ("points", "exp", "coins"):
                wanted = max(0, -sum(record[unit] for record in part))
                if waiver[unit] != wanted:
                    found.append(f"{waiver['key']} waives {waiver[unit]} {unit}, not {wanted}")
            lost = Counter(item for r in part for item in r.get("removedItems", []))
            lost -= Counter(item for r in part for item in r["items"])
            if Counter(waiver["items"]) != lost:
                found.append(f"{waiver['key']} waives {waiver['items']}, not {dict(lost)}")
        self.compared["waivers, none larger than needed"] = len(waivers)
        self.require_none(found, "waivers", "waivers of another amount than their plan takes")

    def check_balances(self, installation: Installation, accounts: dict[str, Account], now: datetime) -> None:
        """`rewards balance` of every user is what the law says."""
        found: list[str] = []
        for user, account in accounts.items():
            answer = installation.run(now, "balance", user, "--format", "json").document
            answer["items"] = sorted(answer["items"])
            answer["boosterUntil"] = answer["boosterUntil"] and parse(answer["boosterUntil"])
            wanted = account.balance()
            different = [f"{name} {answer.get(name)}, not {value}"
                         for name, value in wanted.items() if answer.get(name) != value]
            found += [f"{user} ({account.facts.zone}): {'; '.join(different)}"] if different else []
        print(f"$ rewards balance USER --format json  # of {len(accounts)} users, {len(found)} differ from the oracle")
        self.require_none(found, "balances", "balances that are not what the law gives")


def seen_before(seq: int, evidence: list[dict], day: Window) -> set[str]:
    """The kinds that were known on a day when the record of this number was written."""
    return {record["kind"] for record in evidence
            if record["seq"] < seq and day.is_touched(parse(record["from"]), parse(record["to"]))}


def days_between(first: date, last: date) -> set[date]:
    """All dates from the first to the last."""
    return {first + timedelta(days=number) for number in range((last - first).days + 1)}

"""Judges a simulated history by what the ledger says and what the users really did, with an oracle of its own.

What a user earned is computed from the law alone (`../Lives`), from the evidence that the ledger holds; and that evidence, and
every day of which the ledger says that nothing happened, is held against the users' true lives.
"""

import io
import json
from base64 import b64decode
from dataclasses import replace
from datetime import date
from zoneinfo import ZoneInfo

from Lives.amounts import boosters, net_amounts, net_of, owner, settled
from Lives.facts import ALWAYS, API_KINDS, INBOX_KINDS, KINDS, Closed, Excuse, Facts, User
from Lives.oracle import Account, Settled
from Lives.rules import DayFacts, RuleBook
from Lives.timeline import Move, Timeline, Window
from Shared import civil
from Shared.civil import parse

FOR_EVER = 253_402_300_799  # an end that never comes: the app has forgotten that something ended
DAY, LOOKS_EVERY = 86_400, 7_200  # seconds; of a kind that a user seldom does, a day may pass between two looks
SECRET = "zk3Gd0Qx9vPpR2mJ7tYb1LwHs5NfCu8E"


class Judge:
    """Knows a history: its world, and the records of its ledger."""

    def __init__(self, world: dict, records: list[dict]):
        self.world, self.records = world, records
        use_zones(world["zones"])
        self.now = parse(world["end"])
        self.built_in = json.loads(world["builtIn"])
        # For so long what has no end is believed to go on.
        self.open_end = self.built_in["activity"]["openEndHours"] * 3_600
        # When other programs began to tell of the users.
        self.first_seen = parse(world["begin"])
        self.found: list[str] = []
        # Whoever cannot keep what is seen is as blind as who sees nothing.
        self.blind = joined([*world["blind"], *world["losses"]])
        self.facts = Facts(has_api=True, requires_mark=False)
        self.unknown: dict[tuple[str, str], set[str]] = {}
        self.read()

    def read(self) -> None:
        """Takes in what the ledger says happened, not what it says was earned."""
        users = self.facts.users
        for record in self.records:
            match record["type"]:
                case "user" if not record.get("takesEffect"):
                    user = users.setdefault(record["user"], User(record["user"]))
                    since = record.get("since")
                    user.moves.append(Move(parse(record["at"]), record.get("zone"), since and date.fromisoformat(since)))
                case "rules":
                    self.facts.documents.append((record["seq"], whole(record["document"], self.built_in)))
                case "evidence":
                    span = record["kind"], parse(record["from"]), ceiling(record["to"])
                    users[record["user"]].evidence.setdefault(span, record["seq"])
                case "excuse":
                    names = tuple(record.get("users") or ())
                    self.facts.excuses.append(Excuse(record["seq"], date.fromisoformat(record["from"]),
                                                     date.fromisoformat(record["to"]), names))
                case "unknown":
                    self.unknown.setdefault((record["user"], record["day"]), set()).add(record["mission"])
        closes: dict[tuple[str, str], int] = {}
        for record in self.records:
            if record["type"] == "close":
                closes.setdefault((record["zone"], record["day"]), parse(record["at"]))
        for user in users.values():
            for place in range(1, len(user.moves)):
                user.moves[place] = self.out_of_reach(user.moves[:place], user.moves[place], closes)
            for window in user.windows(self.now):
                if window.is_over and (window.zone, window.day.isoformat()) in closes:
                    there = self.unknown.get((user.name, window.day.isoformat()), set())
                    user.closed[window.day] = Closed(ALWAYS, frozenset(set(KINDS) - there), None)

    def out_of_reach(self, before: list[Move], move: Move, closes: dict[tuple[str, str], int]) -> Move:
        """The move as it takes effect: out of a zone whose name is gone where the last closed day has ended."""
        timeline = Timeline(before, [], move.at)
        if not any(first <= move.at < last for first, last in self.world["gone"].get(timeline.running.zone, ())):
            return move
        ends = [window.end for window in timeline.past
                if closes.get((window.zone, window.day.isoformat()), move.at + 1) <= move.at]
        return replace(move, boundary=ends[-1]) if ends else move

    def judge(self) -> list[str]:
        """Everything that is wrong, in words."""
        self.check_keys()
        given = settled(self.records)
        net, windows = net_amounts(self.records), boosters(self.records)
        for user in self.facts.users.values():
            self.check_evidence(user)
            self.check_days(user)
            account = Account(self.facts, user, SECRET, given.get(user.name, Settled()), self.now)
            self.check_amounts(user.name, account, net, windows)
        return self.found

    def complain(self, check: str, text: str) -> None:
        self.found.append(f"{check}: {text}")

    def check_keys(self) -> None:
        """A key exists once; so does a fact, and the record of a fire."""
        seen: set[tuple] = set()
        for record in self.records:
            match record["type"]:
                case "grant":
                    name = ("grant", record["key"])
                case "evidence":
                    name = ("evidence", *(record[part] for part in ("user", "kind", "from", "to")))
                # Two commands may be given in one second; a fire is one zone's.
                case "run" if record.get("nominal") and record["zone"] != "*":
                    name = ("run", *(record[part] for part in ("job", "zone", "nominal")))
                case _:
                    continue
            if name in seen:
                self.complain("doubled", " ".join(name))
            seen.add(name)

    def check_evidence(self, user: User) -> None:
        """Nothing is evidence that did not happen; and of what the inbox and route 604 tell, nothing is lost that counts."""
        truth = self.world["lives"][user.name]
        for kind, start, end in user.evidence:
            # An open end is what a look has seen by then, as the clock said.
            ahead = max((by for first, last, by in self.world["fast"] if first <= end <= last), default=0)
            if not any(start == begin and end <= (begin + self.open_end if stop == FOR_EVER else stop) + 1 + ahead
                       for begin, stop in truth.get(kind, ())):
                self.complain("untrue", f"evidence of {user.name}: {kind} from {start} to {end}")

    def check_days(self, user: User) -> None:
        """Each day that is over is closed; what touched it is known, or its being unknown is on record."""
        # Of what has no end nobody can say more than that it began.
        truth = {kind: [(begin, begin if end == FOR_EVER else end) for begin, end in spans]
                 for kind, spans in self.world["lives"][user.name].items()}
        rules = RuleBook(self.facts.documents)
        for window in user.windows(self.now):
            if not window.is_over:
                continue
            if window.day not in user.closed:
                if window.end < self.now - 2 * 3600:
                    self.complain("unclosed", f"{user.name} on {window.day}")
                continue
            day = DayFacts(self.facts, rules, user, window)
            unknown = self.unknown.get((user.name, window.day.isoformat()), set())
            for kind in KINDS:
                touches = [span for span in truth.get(kind, ()) if span[0] >= self.first_seen and window.is_touched(*span)
                           and not (kind in API_KINDS and self.is_hidden(span[0]))]
                if touches and kind not in day.met and (kind not in unknown or kind in (*INBOX_KINDS, "watch")):
                    self.complain("lost", f"{user.name} on {window.day}: {kind} at {touches[0][0]} is not known"
                                          f" and {'' if kind in unknown else 'not '}unknown")
            self.check_effective(user, window, day, truth)

    def is_hidden(self, at: int) -> bool:
        """Whether the API could deny that it had told of that time: nobody could look then, or what was seen before could not be kept.
        What it keeps back, and later activities replace, nobody can know."""
        for lost, lost_to in self.world["losses"]:
            for begin, end in self.world["lies"]:
                # Who has lost what routes had told believes the lie that comes before the next look, like one who asks for the first time.
                if lost <= end and begin <= lost_to + DAY and lost - DAY <= at <= end:
                    return True
        return any(first - DAY <= at <= last and any(
            first <= lost_to and lost <= last + LOOKS_EVERY and begin <= last + LOOKS_EVERY and lost <= end
            for lost, lost_to in self.world["losses"] for begin, end in self.world["lies"]) for first, last in self.blind)

    def check_effective(self, user: User, window: Window, day: DayFacts, truth: dict) -> None:
        """What the inbox told counts from its first instant of the day."""
        for kind in INBOX_KINDS:
            starts = [max(a, window.start) for a, b in truth.get(kind, ()) if a >= self.first_seen and window.is_touched(a, b)]
            if starts and day.met.get(kind) != min(starts):
                self.complain("effective", f"{user.name} on {window.day}: {kind} counts from {day.met.get(kind)}, not {min(starts)}")

    def check_amounts(self, name: str, account: Account, net: dict, windows: dict) -> None:
        """Every key stands at what the law gives."""
        there = {key: value for key, value in net.items() if owner(key) == name and "/waived/" not in key}
        wanted = {key: value for key, value in ((key, net_of(amount)) for key, amount in account.grants.items()) if value}
        for key in sorted(there.keys() | wanted.keys()):
            if there.get(key) != wanted.get(key):
                self.complain("amount", f"{key} stands at {dict(there.get(key, {}))}, not {dict(wanted.get(key, {}))}")
        for key, amount in account.grants.items():
            if key in windows and windows[key] != amount.booster:
                self.complain("booster", f"{key} gives {windows[key]}, not {amount.booster}")


def joined(spans: list[tuple[int, int]], gap: int = LOOKS_EVERY) -> list[tuple[int, int]]:
    """Spans of time in order, as one where less than an interval lies between two: who wakes for that need not look at everybody."""
    whole: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if whole and first - whole[-1][1] < gap:
            first, last = whole[-1][0], max(whole.pop()[1], last)
        whole.append((first, last))
    return whole


def whole(document: dict, built_in: dict) -> dict:
    """Rules with what is built in where they are silent; of a section that they name, its missing parts. Missions are a whole list."""
    lists = ("missions", "catalogue", "fallback")
    if "catalogue" in document:
        # Its own catalogue is not what the built-in shop sells.
        built_in = {name: section for name, section in built_in.items() if name != "shop"} | {
            "shop": list(document["catalogue"])}
    return {name: {**section, **document.get(name, {})} if isinstance(section, dict) and name not in lists
            else document.get(name, section) for name, section in built_in.items()} | (
                {"corrects": document["corrects"]} if "corrects" in document else {})


def ceiling(text: str) -> int:
    """The first whole second at or after an instant."""
    return parse(text) + (1 if "." in text and any(digit in "123456789" for digit in text.partition(".")[2]) else 0)


def use_zones(files: dict[str, str]) -> None:
    """Lets days be computed by these files instead of the machine's."""
    zones = {name: ZoneInfo.from_file(io.BytesIO(b64decode(content)), key=name) for name, content in files.items()}
    civil.ZoneInfo = zones.__getitem__
    civil.rules_of.cache_clear()
    civil.first_instant.cache_clear()
    civil.day_at.cache_clear()


def judge(world: dict, records: list[dict]) -> list[str]:
    """Everything that is wrong with a history."""
    return Judge(world, [record for record in records if record["type"] != "seal"]).judge()

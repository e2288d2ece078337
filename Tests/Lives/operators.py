"""What operators do in a life, and what befalls their machine; and the repair and the comparison at its end."""

from datetime import date

from Lives import documents
from Lives.author import HOURS, Author
from Lives.tables import ALWAYS
from Shared.civil import DAY, HOUR, day_at, first_instant, offset

FIRST, LAST = "2000-01-01", "2100-01-01"


class Operators:
    """Writes the operators' part of a life."""

    def __init__(self, author: Author):
        self.author, self.pick = author, author.pick
        self.names = 0

    def write(self) -> None:
        """Writes everything, and the end."""
        author = self.author
        self.write_reconciles()
        for feature, most, write in (
                ("corrections", 3, self.write_correction), ("successors", 1, self.write_successor),
                ("reversals", 5, self.write_reversal), ("gifts", 3, self.write_gift), ("limits", 3, self.write_release),
                ("excuses", 3, self.write_excuse), ("declared", 4, self.write_outage), ("plans", 4, self.write_plans),
                ("losses", 2, self.write_loss),
                ("tables", 2, self.write_tables), ("ahead", 3, self.write_ahead), ("vanishing", 3, self.write_vanishing),
                ("restores", 2, self.write_restore)):
            if author.has(feature):
                for _ in range(self.pick.randint(1, most)):
                    write(self.time())
        for _ in range(self.pick.randint(1, 4)):
            author.add(self.time(), self.pick.choice(("audit", "explain", "explain", "verify")), pick=self.number())
        self.write_end(author.late(author.end) + 4 * HOURS)

    def time(self) -> int:
        """An instant after the beginning."""
        return max(self.author.begin + HOUR, self.author.any_time())

    def number(self) -> int:
        """A choice that is made when its alternatives are known."""
        return self.pick.randrange(1 << 30)

    # The machine's time zones.

    def write_tables(self, at: int) -> None:
        """Another version of the database, by which a zone's clocks are set otherwise from about then on."""
        author, pick = self.author, self.pick
        # The API writes its times by Tokyo's clock.
        zone, since = pick.choice([zone for zone in author.zones if zone != "Asia/Tokyo"]), at + pick.randrange(-3 * HOURS, 3 * HOURS) // 60 * 60
        others = [step["from"] for step in author.steps if step["do"] == "tables"]
        # One change at a time: between two of them a day would have three offsets.
        if offset(zone, since - 3 * HOURS) == offset(zone, since + 3 * HOURS) and all(
                abs(since - other) > 4 * HOURS for other in others):
            author.add(at, "tables", zone=zone, shift=pick.choice((-HOUR, HOUR, -HOUR // 2, HOUR // 2, 2 * HOUR)), **{"from": since})

    def write_vanishing(self, at: int) -> None:
        """A version of the database that has lost a zone's name, for one night."""
        author = self.author
        zone = self.pick.choice([zone for zone in author.zones if zone not in ALWAYS] or author.zones[:1])
        author.add(at, "vanish", zone=zone, lines=author.lines(at))

    # The machine's clock and its disk.

    def write_ahead(self, at: int) -> None:
        """The clock is ahead for a while."""
        self.author.add(at, "ahead", by=self.pick.randrange(HOUR, 6 * HOURS), lines=self.author.lines(at))

    def write_restore(self, at: int) -> None:
        """A backup is put back, and what came since is handed in again."""
        self.author.add(at, "restore", lines=self.author.lines(at))

    # Nights.

    def write_reconciles(self) -> None:
        """The nightly runs, more or less often; with scopes also for some zones, days or users only."""
        author, pick = self.author, self.pick
        a_day = pick.choice((0.4, 1, 1, 2, 3))
        late_zone = pick.choice(author.zones)
        late_from = author.any_time()
        late_until = late_from + pick.randrange(HOURS, 4 * HOURS)
        for _ in range(max(2, int(author.days * a_day))):
            at, words = self.time(), {}
            if pick.random() < 0.3:
                at = self.near_midnight(at)
            if author.has("scopes"):
                words = self.scope(at)
                if late_from <= at < late_until and len(author.zones) > 1:
                    words = {"zones": [zone for zone in author.zones if zone != late_zone]}
            author.add(at, "reconcile", proves=pick.random() < 0.1, **words)

    def near_midnight(self, at: int) -> int:
        """An instant soon after a midnight, but not while answers of the API may still be stale."""
        zone = self.pick.choice(self.author.zones)
        return first_instant(zone, day_at(zone, at)) + self.pick.choice((20, 30, 1800, self.pick.randrange(20, HOUR)))

    def scope(self, at: int) -> dict:
        """Whom a run concerns."""
        author, pick = self.author, self.pick
        chance = pick.random()
        if chance < 0.2:
            return {"zones": pick.sample(author.zones, pick.randint(1, len(author.zones) - 1))}
        if chance < 0.35:
            day = day_at(pick.choice(author.zones), at) - DAY * pick.randint(0, 3)
            return {"day": pick.choice((day.isoformat(), "yesterday"))}
        if chance < 0.45:
            there = [user for user in author.users if author.zone_at(user, at)]
            return {"users": pick.sample(there, 1)} if there else {}
        return {}

    # Acts.

    def write_correction(self, at: int) -> None:
        """A mistake of the rules is found; the document is loaded by the next run. It stays in force when the
        configuration forgets it."""
        author = self.author
        author.add(at, "reconcile", documents=[], corrects=True)
        if self.pick.random() < 0.3:
            author.add(at + self.pick.randrange(60, HOURS), "reconcile", leaves_out=True)

    def write_successor(self, at: int) -> None:
        """New rules are announced."""
        self.author.add(at, "reconcile", documents=[], succeeds=True)

    def write_reversal(self, at: int) -> None:
        """A grant is taken back, and perhaps given back."""
        author, pick = self.author, self.pick
        author.add(at, "reverse", pick=self.number(), below_zero=pick.random() < 0.5)
        if pick.random() < 0.5:
            author.add(at + pick.randrange(60, 3 * HOURS), "reverse", pick=self.number(), undoes=True)

    def write_gift(self, at: int) -> None:
        """Something is given by hand."""
        author, pick = self.author, self.pick
        self.names += 1
        author.add(at, "grant", user=pick.choice(author.users), id=f"g{self.names}", points=pick.choice((0, 10, 200)),
                   exp=pick.choice((5, 60, 300)), coins=pick.choice((0, 3)),
                   items=pick.sample(documents.ITEMS, pick.randint(0, 1)))

    def write_release(self, at: int) -> None:
        """What a limit holds back is let through."""
        self.author.add(at, "release", pick=self.number())

    def write_outage(self, at: int) -> None:
        """An outage is declared by its two instants, of late or of days ago."""
        start = at - self.pick.randrange(5 * HOURS)
        self.author.add(at, "outage", **{"from": start, "to": min(at, start + self.pick.randrange(600, 15 * HOUR))})

    def write_excuse(self, at: int) -> None:
        """Days to come or gone are pardoned."""
        author, pick = self.author, self.pick
        first = day_at("UTC", at) + DAY * pick.randint(-4, 2)
        users = pick.sample(author.users, pick.randint(1, len(author.users))) if pick.random() < 0.5 else []
        author.add(at, "excuse", **{"from": first.isoformat(), "to": (first + DAY * pick.randint(0, 2)).isoformat()},
                   users=users)

    def write_loss(self, at: int) -> None:
        """Caches are lost, or old segments packed."""
        if self.pick.random() < 0.7 and not self.author.has("marks"):
            self.author.add(at, "forget")
        else:
            self.author.add(at, "compact")

    # Repairs.

    def write_plans(self, at: int) -> None:
        """The past is repaired in parts: ranges of days or single users, planned together and applied in any order."""
        author, pick = self.author, self.pick
        names = []
        for part in self.parts(at):
            at += pick.randrange(1, 600)
            names.append(self.write_plan(at, **part))
            if pick.random() < 0.6:
                self.write_apply(at, names.pop())
        pick.shuffle(names)
        for name in names:
            at += pick.randrange(60, 1200)
            self.write_apply(at, name)
        author.add(at + 700, "reconcile", proves=pick.random() < 0.3)

    def parts(self, at: int) -> list[dict]:
        """A division of the past."""
        author, pick = self.author, self.pick
        chance = pick.random()
        if chance < 0.3:
            return [{}]
        if chance < 0.55:
            return [{"users": [user]} for user in author.users]
        first, today = day_at("UTC", author.begin) - DAY * 6, day_at("UTC", at)
        length = max(1, (today - first).days)
        cuts = sorted({first + DAY * pick.randrange(length) for _ in range(pick.randint(1, 3))})
        begins = [date.fromisoformat(FIRST), *cuts]
        ends = [cut - DAY for cut in cuts] + [date.fromisoformat(LAST)]
        parts = [{"from": begin.isoformat(), "to": end.isoformat()} for begin, end in zip(begins, ends)]
        return pick.sample(parts, pick.randint(1, len(parts)))

    def write_plan(self, at: int, **words: object) -> str:
        """A plan; without words, of everything."""
        self.names += 1
        plan = {"name": f"plan{self.names}", "from": FIRST, "to": LAST, "users": [],
                "claws_back": not self.author.has("kindness")} | words
        self.author.add(at, "plan", **plan)
        return plan["name"]

    def write_apply(self, at: int, name: str) -> None:
        """A plan is applied, some twice."""
        self.author.add(at, "apply", name=name)
        if self.pick.random() < 0.2:
            self.author.add(at + 5, "apply", name=name)

    def write_end(self, at: int) -> None:
        """All is closed, repaired and compared."""
        author = self.author
        for _ in range(2):
            author.add(at, "reconcile")
            author.add(at + 60, "audit")
            self.write_apply(at + 180, self.write_plan(at + 120, all=True))
            self.write_plan(at + 240, is_empty=True, all=True)
            author.add(at + 300, "reconcile", proves=True)
            author.add(at + 360, "audit")
            author.add(at + 420, "compare")
            for _ in range(3):
                author.add(at + 480, "explain", pick=self.number())
            at += HOURS
        author.add(at, "verify")

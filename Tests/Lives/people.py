"""What users do in a life: when they come and move, what happens to them, and when it is told."""

from Lives import documents
from Lives.author import HOURS, Author
from Lives.facts import INBOX_KINDS, KINDS
from Lives.shop import Shop, shop_opening
from Shared.civil import DAY, HOUR, day_at, first_instant


class People:
    """Writes the users' part of a life."""

    def __init__(self, author: Author):
        self.author, self.pick = author, author.pick
        # Inbox lines with the instant at which each is told.
        self.told: list[tuple[int, dict]] = []

    def write(self) -> None:
        """Writes moves, activities and their files."""
        for number, user in enumerate(self.author.users):
            self.write_moves(user, is_first=number == 0)
        for user in self.author.users:
            self.write_activities(user)
            if self.author.has("api"):
                self.write_streams(user)
            if self.author.has("credits"):
                self.write_credits(user)
            if self.author.has("shop"):
                Shop(self, user).write()
        self.write_files()

    # Where they live.

    def write_moves(self, user: str, is_first: bool) -> None:
        """How a user comes, moves, leaves and comes back."""
        author, pick = self.author, self.pick
        came = author.begin if is_first or pick.random() < 0.5 else author.any_time()
        line = {"user": user, "timezone": pick.choice(author.zones)}
        if author.has("since") and pick.random() < 0.7:
            line["since"] = before(line["timezone"], came, pick.choice((0, 2, 3, 4, 5)))
        if author.has("openings") and pick.random() < 0.6:
            line["opening"] = self.opening() | (shop_opening(author, came) if author.has("shop") else {})
        self.go(user, came, line)
        if author.has("moves"):
            at = came
            for _ in range(pick.randint(1, 4)):
                at += pick.choice((pick.randrange(HOUR, 20 * HOUR), pick.randrange(HOURS, 6 * HOURS)))
                if at < author.late(author.end):
                    self.go(user, at, {"user": user, "timezone": pick.choice(author.zones)})
        if author.has("removal") and pick.random() < 0.7:
            self.write_removal(user, came)

    def write_removal(self, user: str, came: int) -> None:
        """How a user leaves, and perhaps comes back: soon, or days later."""
        author, pick = self.author, self.pick
        left = pick.randrange(came, author.late(author.end) + 1)
        back = left + pick.choice((pick.randrange(600, 10 * HOUR), pick.randrange(HOURS, 5 * HOURS)))
        homes = author.homes[user]
        if any(left <= at <= back for at, _ in homes[1:]) or left == came:
            return
        homes.append((left, None))
        author.add(left, "remove", user=user)
        if back < author.late(author.end) or pick.random() < 0.3:
            zone = pick.choice(author.zones)
            line = {"user": user, "timezone": zone}
            if author.has("since") and pick.random() < 0.2:
                line["since"] = before(zone, back, pick.choice((0, 2, 3)))
            self.go(user, back, line)
        homes.sort(key=lambda home: home[0])

    def go(self, user: str, at: int, line: dict) -> None:
        """A roster line is handed in."""
        self.author.homes.setdefault(user, []).append((at, line["timezone"]))
        self.author.add(at, "import", lines=[line])

    def opening(self) -> dict:
        """What a user has from before."""
        pick = self.pick
        return {"points": pick.randint(0, 500), "exp": pick.randint(0, 39), "level": pick.randint(1, 9),
                "streak": pick.randint(0, 12), "items": pick.sample(documents.ITEMS, pick.randint(0, 3))}

    # What they do.

    def write_activities(self, user: str) -> None:
        """What happens to a user on each day and goes through the inbox."""
        author, pick = self.author, self.pick
        kinds = INBOX_KINDS if author.has("api") else KINDS
        tastes = {kind: pick.choice((0.05, 0.2, 0.5)) for kind in kinds}
        diligence = pick.choice((1.0, 0.9, 0.7))
        came = author.homes[user][0][0]
        at = came - (5 * HOURS if author.has("since") else 0)
        while at < author.late(author.end):
            if pick.random() < diligence and not self.is_idle(at):
                for kind, taste in tastes.items():
                    if pick.random() < taste:
                        self.tell(user, {"user": user, "kind": kind, "at": self.moment(user, at)}, came)
            at += HOURS

    def is_idle(self, at: int) -> bool:
        """Whether nothing happens then: in the middle of a long life hardly anything does."""
        idle_from, idle = self.author.idle
        return idle_from <= at < idle_from + idle and self.pick.random() < 0.9

    def moment(self, user: str, at: int) -> int:
        """An instant of a day, often near a midnight of the user's."""
        pick = self.pick
        if pick.random() < 0.6:
            return at + pick.randrange(HOURS)
        zone = self.author.zone_at(user, at) or pick.choice(self.author.zones)
        midnight = first_instant(zone, day_at(zone, at) + DAY)
        return midnight + pick.choice((0, -1, 1, pick.randrange(-HOUR, HOUR)))

    def tell(self, user: str, line: dict, came: int) -> None:
        """Decides when a line is told; some twice."""
        author, pick = self.author, self.pick
        at = max(line["at"], came)
        delays = [pick.randrange(HOUR), pick.randrange(20 * HOUR)]
        if author.has("late"):
            delays += [pick.randrange(HOURS, 6 * HOURS), author.late(author.end)]
        told = at + pick.choices(delays, [5, 3, 2, 1][:len(delays)])[0]
        self.told.append((told, line))
        if author.has("doubled") and pick.random() < 0.2:
            self.told.append((told + pick.randrange(3 * HOURS), line))

    def write_credits(self, user: str) -> None:
        """What a user gets elsewhere."""
        pick, came = self.pick, self.author.homes[user][0][0]
        for number in range(pick.randint(0, 5)):
            line = {"user": user, "kind": "credit", "at": self.author.any_time(), "id": f"{user}-{number}",
                    "exp": pick.choice((0, 20, 90, 300)), "items": pick.sample(documents.ITEMS, pick.randint(0, 1))}
            if (line["at"] >= came or pick.random() < 0.3) and (line["exp"] or line["items"]):
                self.tell(user, line, came)

    def write_streams(self, user: str) -> None:
        """What the routes tell of a user: streams, also such that stay open for days; watching; gifts."""
        author, pick = self.author, self.pick
        at = author.begin - HOURS
        while at < author.end:
            at += pick.randrange(HOUR, pick.choice((30, 90)) * HOUR)
            lasting = pick.randrange(600, 4 * HOUR)
            if author.has("marathons") and pick.random() < 0.3:
                lasting = pick.randrange(10 * HOUR, 80 * HOUR)
            author.activities.append([user, "stream", at, at + lasting])
            at += lasting
        for kind, taste in (("watch", 0.5), ("gift", 0.4)):
            for day in range(author.days):
                if pick.random() < taste:
                    start = self.moment(user, author.begin + day * HOURS)
                    lasting = 200 * HOURS if author.has("endless") and pick.random() < 0.1 else pick.randrange(60, 5 * HOUR)
                    author.activities.append([user, kind, start, start + (kind == "watch") * lasting])

    # When it is told.

    def write_files(self) -> None:
        """Hands the lines in, some files a day; what is told of somebody who is away waits."""
        author, pick = self.author, self.pick
        mails = sorted(author.any_time() for _ in range(author.days * pick.randint(1, 3)))
        mails += [author.late(author.end) + 60, author.late(author.end) + 3 * HOURS]
        waiting = sorted(self.told, key=lambda told: told[0])
        for mail in mails:
            due = [(told, line) for told, line in waiting
                   if told <= mail and max(line["at"], told - 1) <= mail and author.zone_at(line["user"], mail)]
            waiting = [one for one in waiting if one not in due]
            lines = [line for _, line in due]
            pick.shuffle(lines)
            if author.has("marks") and pick.random() < 0.7:
                lines.append({"completeThrough": mail - pick.choice((0, 60, 6 * HOUR))})
            if lines and author.has("files") and pick.random() < 0.3:
                author.add(mail, "reconcile", incoming=lines)
            elif lines:
                author.add(mail, "ingest", lines=lines)


def before(zone: str, at: int, days: int) -> str:
    """The date so many days before; where the zone has left it out, the one before that."""
    day = day_at(zone, at) - DAY * days
    return (day if day_at(zone, first_instant(zone, day)) == day else day - DAY).isoformat()

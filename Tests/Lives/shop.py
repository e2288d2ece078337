"""What users buy and spend in a life: coins, exp cards, boosters and items; told late, twice, or wrongly."""

import random
from typing import Protocol

from Lives import documents
from Lives.author import HOURS, Author
from Lives.facts import LARGEST
from Shared.civil import HOUR

# One line has at most what one person may give.
CARDS, CARD = 99, 100


class Teller(Protocol):
    """Whoever decides when a line is told."""

    author: Author

    def tell(self, user: str, line: dict, came: int) -> None:
        """Decides when a line is told; some twice."""


class Shop:
    """Writes what one user does in the shop."""

    def __init__(self, teller: Teller, user: str):
        self.teller, self.user, self.pick = teller, user, teller.author.shop
        self.came = teller.author.homes[user][0][0]
        self.orders = 0

    def write(self) -> None:
        """Writes orders, and some lines that are no credit."""
        for _ in range(self.pick.randint(1, 9)):
            self.order(self.goods())
        if self.pick.random() < 0.3:
            self.order(self.nonsense())

    def order(self, goods: dict) -> None:
        """One order; its id may come again with other contents, and then counts no more."""
        at = self.teller.author.any_time()
        if at < self.came and self.pick.random() < 0.7:
            return
        self.orders += 1
        line = {"user": self.user, "kind": "credit", "at": at, "id": f"{self.user}-shop-{self.orders}", **goods}
        self.teller.tell(self.user, line, self.came)
        if self.pick.random() < 0.2:
            other = line | self.pick.choice(({"at": at + 1}, {"points": -7}, {"coins": 7}, {"exp": 7}, {"boosterDays": 9}))
            self.teller.tell(self.user, other, self.came)

    def goods(self) -> dict:
        """What is bought, and perhaps what it costs in the same line."""
        pick = self.pick
        price = pick.choice(({}, {"points": -pick.randint(1, 900)}, {"coins": -pick.randint(1, 90)}))
        cards = CARDS if pick.random() < 0.1 else pick.choice((1, 1, 2, 5))
        return pick.choice((
            {"points": -pick.randint(1, 900)}, {"coins": -pick.randint(1, 90)}, {"coins": pick.choice((10, 120, 1000))},
            {"points": pick.randint(1, 50)}, {"boosterDays": pick.choice((1, 1, 2, 3, 7)), **price}, {"boosterDays": 1, **price},
            {"exp": CARD * cards, **price}, {"items": [pick.choice(documents.ITEMS)], **price},
            {"exp": 20, "boosterDays": 1, "items": [pick.choice(documents.ITEMS)], **price},
        ))

    def nonsense(self) -> dict:
        """What is no credit: nothing, a fraction, too much, what nobody sells."""
        return self.pick.choice((
            {}, {"points": 0, "items": []}, {"points": 1.5}, {"coins": LARGEST}, {"points": -LARGEST}, {"exp": -1},
            {"boosterDays": -1}, {"items": ["fontColor/none"]}, {"points": -5, "items": ["none/red"]}))


def shop_opening(author: Author, came: int) -> dict:
    """What users have from before the ledger, besides points, exp and items."""
    pick: random.Random = author.shop
    booster = {"boosterUntil": came + pick.randrange(-2 * HOURS, 5 * HOURS) // HOUR * HOUR} if pick.random() < 0.5 else {}
    return {"coins": pick.randint(0, 500), "totalLogins": pick.randint(0, 900), **booster}

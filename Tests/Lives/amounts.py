"""What stands under each key by a ledger's records."""

from collections import Counter

from Lives.oracle import UNITS, Amount, Settled, Waiver
from Shared.civil import parse

# Units and items with how many of each.
Net = Counter[str]


def standing(records: list[dict]) -> list[dict]:
    """Those that were not taken back because a clock was ahead."""
    acts = [record for record in records if record["type"] == "operator" and record["act"] == "undoFuture"]
    return [record for record in records if not any(int(act["subject"]) < record["seq"] < act["seq"] for act in acts)]


def base_key(key: str) -> str:
    """The key that an adjustment adjusts; any other key itself."""
    return key.partition("#")[0]


def change(record: dict) -> Net:
    """What a grant or reversal adds and takes."""
    net = Net({unit: record.get(unit, 0) for unit in UNITS})
    net.update(record.get("items") or [])
    net.subtract(record.get("removedItems") or [])
    return net


def net_amounts(records: list[dict]) -> dict[str, Net]:
    """What stands under each key: grants, adjustments and reversals together; keys with nothing are left out."""
    sums: dict[str, Net] = {}
    for record in records:
        if record["type"] in ("grant", "reversal"):
            sums.setdefault(base_key(record["key"]), Net()).update(change(record))
    return {key: net for key, net in ((key, trimmed(net)) for key, net in sums.items()) if net}


def trimmed(net: Net) -> Net:
    """Without the units of which nothing is left."""
    return Net({unit: count for unit, count in net.items() if count})


def net_of(amount: Amount) -> Net:
    """The oracle's amount in the same units."""
    net = Net({unit: getattr(amount, unit) for unit in UNITS})
    net.update(amount.items)
    return trimmed(net)


def boosters(records: list[dict]) -> dict[str, tuple[int, int] | None]:
    """The booster window of each key that was never changed after it was given."""
    changed = Counter(base_key(r["key"]) for r in records if r["type"] in ("grant", "reversal"))
    return {r["key"]: r["booster"] and (parse(r["booster"]["from"]), parse(r["booster"]["until"]))
            for r in records if r["type"] == "grant" and changed[base_key(r["key"])] == 1}


def settled(records: list[dict]) -> dict[str, Settled]:
    """What keeps each user's account from the law: held-back and reversed keys, and waivers."""
    found: dict[str, Settled] = {}
    for record in records:
        if record["type"] == "refused" and record["what"] == "heldBack":
            found.setdefault(record["user"], Settled()).void.add(record["key"])
        elif record["type"] == "operator" and record["act"] == "release":
            found[owner(record["subject"])].void.discard(record["subject"])
        elif record["type"] == "reversal":
            void = found.setdefault(record["user"], Settled()).void
            (void.discard if record.get("undone") else void.add)(record["key"])
        elif is_waiver(record):
            found.setdefault(record["user"], Settled()).waivers.append(waiver(record))
    return found


def owner(key: str) -> str:
    """The user of a key."""
    return key.partition("/")[0]


def is_waiver(record: dict) -> bool:
    """Whether the record lets a user keep what a repair would take."""
    return record["type"] == "grant" and "/waived/" in record["key"]


def waiver(record: dict) -> Waiver:
    """The waiver of a record."""
    booster = record["booster"]
    return Waiver(parse(record["effective"]), Amount(
        record["points"], record["exp"], record["coins"], list(record["items"]),
        booster and (parse(booster["from"]), parse(booster["until"]))))

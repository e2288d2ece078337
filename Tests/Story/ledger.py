"""Reads the sealed records of a data folder, by the format's definition."""

import json
import re
from collections import Counter
from datetime import datetime
from pathlib import Path


class Ledger:
    """All records up to the last seal, and the sums that stand under each key."""

    def __init__(self, data: Path):
        self.records: list[dict] = []
        for path in sorted((data / "ledger").glob("*.jsonl")):
            self.records += [json.loads(line) for line in path.read_bytes().splitlines()]
        while self.records and self.records[-1]["type"] != "seal":
            self.records.pop()

    def of(self, kind: str) -> list[dict]:
        """The records of this type, in order."""
        return [record for record in self.records if record["type"] == kind]

    def sums(self) -> dict[str, dict]:
        """What stands under each key, its adjustments included; waivers are keys of their own."""
        sums: dict[str, dict] = {}
        for grant in self.of("grant"):
            key = base_key(grant["key"])
            entry = sums.setdefault(key, {"points": 0, "exp": 0, "coins": 0, "items": []})
            for unit in ("points", "exp", "coins"):
                entry[unit] += grant[unit]
            entry["items"] += grant["items"]
            for item in grant.get("removedItems", []):
                entry["items"].remove(item)
        return sums

    def fortunes(self, before: str) -> dict[str, Counter[str]]:
        """What each user was given for days before this one: points, exp, coins, and each item by its name."""
        fortunes: dict[str, Counter[str]] = {}
        for grant in self.of("grant"):
            if grant["day"] >= before:
                continue
            fortune = fortunes.setdefault(grant["user"], Counter())
            fortune.update({unit: grant[unit] for unit in ("points", "exp", "coins")})
            fortune.update(grant["items"])
            fortune.subtract(grant.get("removedItems", []))
        return fortunes


def base_key(key: str) -> str:
    """The key that an adjustment adjusts; any other key itself."""
    return re.sub(r"#\d+$", "", key)


def parse(text: str) -> datetime:
    """An instant of the ledger; digits of the second beyond microseconds are cut."""
    return datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text))


def show(at: datetime) -> str:
    """An instant as the commands take it."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")

"""A ledger as somebody with write access sees it: records to be altered, and seals to be made anew over them."""

import json
from collections.abc import Iterator
from pathlib import Path

from Shared.ledger import Reader, seal_line
from Shared.program import Failed

Record = dict


class Forgery:
    """The records of a ledger with one segment. `write` seals them anew, as the definition of the format says."""

    def __init__(self, folder: Path):
        reader = Reader(folder)
        self.records: list[Record] = list(reader)
        if len(reader.segments) != 1:
            raise Failed(f"the ledger has {len(reader.segments)} segments")
        self.path = folder / reader.segments[0]

    def of_type(self, kind: str, **members: object) -> Iterator[Record]:
        """The records of a type that have these members."""
        return (record for record in self.records
                if record["type"] == kind and all(record.get(name) == value for name, value in members.items()))

    def one(self, kind: str, **members: object) -> Record:
        """The first such record."""
        found = next(self.of_type(kind, **members), None)
        if found is None:
            raise Failed(f"the honest ledger has no {kind} with {members}")
        return found

    def append(self, *records: Record) -> list[int]:
        """Adds records under a seal of their own, at the time of the last; returns their numbers."""
        first, at = len(self.records) + 1, self.records[-1]["at"]
        for record in records:
            record = {name: value for name, value in record.items() if name not in ("seq", "at")}
            self.records.append({"seq": len(self.records) + 1, "at": at, **record})
        self.records.append({"seq": len(self.records) + 1, "at": at, "type": "seal"})
        return list(range(first, first + len(records)))

    def write(self) -> None:
        """Writes all lines with new seals; a close names the seal before it by its new hash."""
        hashes: dict[int, str] = {}
        lines: list[bytes] = []
        batch: list[bytes] = []
        prev = bytes(32)
        for record in self.records:
            if record["type"] == "seal":
                line, prev = seal_line(batch, record["seq"], record["at"], prev)
                hashes[record["seq"]] = prev.hex()
                lines += [*batch, line]
                batch = []
                continue
            if record["type"] == "close":
                record["head"]["hash"] = hashes[record["head"]["seq"]]
            batch.append(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
        self.path.write_bytes(b"".join(lines))

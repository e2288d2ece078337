"""Reads a ledger, format 1, by its definition alone; shares nothing with the program.

A seal's hash is SHA-256 of the 32 bytes of the seal before (zeros for the first), the bytes of the lines it
commits, each with its line break, and the seal's own line up to, not including, `,"hash"`.
"""

import hashlib
import io
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from Shared.program import Failed

LINE_LIMIT = 65_536


class Reader:
    """The committed records of a ledger in order, seals included; raises `Failed` at the first place that is not as defined.

    With `allow_tail`, what follows the last seal of the last segment is passed over.
    """

    def __init__(self, folder: Path, allow_tail: bool = False):
        self.folder, self.allow_tail = folder, allow_tail
        self.records = 0
        self.hash = bytes(32)
        self.at = ""
        self.segments: list[str] = []
        # The ends of batches in the last segment read, as byte offsets; 0 for its beginning.
        self.ends = [0]

    def __iter__(self) -> Iterator[dict]:
        # A segment that is there twice was packed by somebody who did not come to remove it.
        segments = {path.name.split(".")[0]: path
                    for pattern in ("*.jsonl.zst", "*.jsonl") for path in self.folder.glob(pattern)}
        for name in sorted(segments):
            if int(name) != self.records + 1:
                raise Failed(f"{segments[name].name}: the name is not {self.records + 1}")
            self.segments.append(segments[name].name)
            self.ends = [0]
            yield from self.segment(segments[name], self.allow_tail and name == max(segments))

    def segment(self, path: Path, allow_tail: bool) -> Iterator[dict]:
        """The records of one segment."""
        byte, batch, records = 0, [], []
        with opened(path) as file:
            for number, line in enumerate(file, 1):
                try:
                    record = self.check_line(line, len(batch))
                    if record["type"] == "seal":
                        self.check_seal(line, record, batch)
                except (Failed, ValueError, KeyError, TypeError) as error:
                    if allow_tail:
                        return
                    raise Failed(f"{path.name}:{number}: {error}") from None
                byte += len(line)
                records.append(record)
                if record["type"] != "seal":
                    batch.append(line)
                    continue
                self.records += len(records)
                self.ends.append(byte)
                yield from records
                batch, records = [], []
        if batch and not allow_tail:
            raise Failed(f"{path.name}: {len(batch)} unsealed lines at the end")

    def check_line(self, line: bytes, batched: int) -> dict:
        """Checks length, sequence and time of a line, and returns its record."""
        if not line.endswith(b"\n"):
            raise Failed("torn line")
        if len(line) > LINE_LIMIT:
            raise Failed(f"{len(line)} bytes in a line")
        record = json.loads(line)
        wanted = self.records + batched + 1
        if record["seq"] != wanted:
            raise Failed(f"seq {record['seq']} instead of {wanted}")
        # What a clock that was ahead has written is taken back at the right time.
        if record["at"] < self.at and record.get("act") != "undoFuture":
            raise Failed(f"recorded at {record['at']}, after {self.at}")
        self.at = record["at"]
        return record

    def check_seal(self, line: bytes, seal: dict, batch: list[bytes]) -> None:
        """Compares a seal with what it commits."""
        hashed = hashlib.sha256(self.hash)
        for sealed in batch:
            hashed.update(sealed)
        hashed.update(line[:line.index(b',"hash"')])
        if (seal["count"], seal["prev"], seal["hash"]) != (len(batch), self.hash.hex(), hashed.hexdigest()):
            raise Failed("the seal does not match")
        self.hash = hashed.digest()


def opened(path: Path) -> BinaryIO:
    """The bytes of a segment, packed or not."""
    if path.suffix != ".zst":
        return open(path, "rb")
    done = subprocess.run(["zstd", "--decompress", "--stdout", path], capture_output=True, check=False)
    if done.returncode:
        raise Failed(f"{path.name}: {done.stderr.decode(errors='replace')}")
    return io.BytesIO(done.stdout)


def seal_line(lines: list[bytes], seq: int, at: str, prev: bytes) -> tuple[bytes, bytes]:
    """The seal that commits `lines`, numbered `seq`; returns the line and its hash."""
    head = f'{{"seq":{seq},"at":"{at}","type":"seal","count":{len(lines)},"prev":"{prev.hex()}"'
    digest = hashlib.sha256(prev + b"".join(lines) + head.encode()).digest()
    return f'{head},"hash":"{digest.hex()}"}}\n'.encode(), digest

"""Reads a ledger, format 1, by its definition alone; shares nothing with the program.

A seal's hash is SHA-256 of the 32 bytes of the seal before (zeros for the first), the bytes of the lines it
commits, each with its line break, and the seal's own line up to, not including, `,"hash"`.
"""

import hashlib
import io
import json
import subprocess
from collections import Counter

from outcome import Broken

LINE_LIMIT = 65_536


class Ledger:
    """What the sealed part of a ledger says."""

    def __init__(self):
        self.records = 0
        self.hash = bytes(32)
        self.at = ""
        self.keys = Counter()
        # What stands under each key, adjustments included, and the days that were closed.
        self.amounts = Counter()
        self.closes = set()
        self.evidence = Counter()
        self.users = set()
        self.segments = []
        # The ends of batches in the last segment read, as byte offsets; 0 for its beginning.
        self.ends = [0]

    def take(self, record):
        """Takes a committed record in."""
        kind = record["type"]
        if kind == "grant":
            self.keys[record["key"]] += 1
            for unit in ("points", "exp", "coins"):
                self.amounts[record["key"].split("#")[0], unit] += record[unit]
        elif kind == "close":
            self.closes.add((record["zone"], record["day"]))
        elif kind == "evidence":
            self.evidence[record["user"], record["kind"]] += 1
        elif kind == "user":
            self.users.add(record["user"])

    def logins_missing(self, users):
        """Those of `users` who lack the evidence of a login, or its one grant."""
        granted = {key.split("/")[0] for key in self.keys if key.endswith("/login")}
        return [user for user in users
                if (user, "login") not in self.evidence or user not in granted]

    def doubled(self):
        """Keys that were granted more than once."""
        return [key for key, count in self.keys.items() if count > 1]


def read(folder, allow_tail=False):
    """Reads all segments in `folder`; raises `Broken` at the first place that is not as defined.

    With `allow_tail`, what follows the last seal of the last segment is passed over.
    """
    ledger = Ledger()
    # A segment that is there twice was packed by somebody who did not come to remove it.
    segments = {path.name.split(".")[0]: path for pattern in ("*.jsonl.zst", "*.jsonl") for path in folder.glob(pattern)}
    paths = [segments[name] for name in sorted(segments)]
    for path in paths:
        is_last = path == paths[-1]
        if int(path.name.split(".")[0]) != ledger.records + 1:
            raise Broken(f"{path.name}: the name is not {ledger.records + 1}")
        ledger.segments.append(path.name)
        ledger.ends = [0]
        read_segment(ledger, path, allow_tail and is_last)
    return ledger


def read_segment(ledger, path, allow_tail):
    """Reads one segment on from what is known."""
    byte, batch, records = 0, [], []
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            try:
                record = check_line(ledger, line, len(batch))
                if record["type"] == "seal":
                    check_seal(ledger, line, record, batch)
            except (Broken, ValueError, KeyError, TypeError) as error:
                if allow_tail:
                    return
                raise Broken(f"{path.name}:{number}: {error}") from None
            byte += len(line)
            if record["type"] != "seal":
                batch.append(line)
                records.append(record)
                continue
            for sealed in records:
                ledger.take(sealed)
            ledger.records += len(batch) + 1
            ledger.ends.append(byte)
            batch, records = [], []
    if batch and not allow_tail:
        raise Broken(f"{path.name}: {len(batch)} unsealed lines at the end")


def opened(path):
    """The bytes of a segment, packed or not."""
    if path.suffix != ".zst":
        return open(path, "rb")
    done = subprocess.run(["zstd", "--decompress", "--stdout", path], capture_output=True, check=False)
    if done.returncode:
        raise Broken(f"{path.name}: {done.stderr.decode(errors='replace')}")
    return io.BytesIO(done.stdout)


def check_line(ledger, line, batched):
    """Checks length, sequence and time of a line, and returns its record."""
    if not line.endswith(b"\n"):
        raise Broken("torn line")
    if len(line) > LINE_LIMIT:
        raise Broken(f"{len(line)} bytes in a line")
    record = json.loads(line)
    wanted = ledger.records + batched + 1
    if record["seq"] != wanted:
        raise Broken(f"seq {record['seq']} instead of {wanted}")
    if record["at"] < ledger.at:
        raise Broken(f"recorded at {record['at']}, after {ledger.at}")
    ledger.at = record["at"]
    return record


def check_seal(ledger, line, seal, batch):
    """Compares a seal with what it commits."""
    hashed = hashlib.sha256(ledger.hash)
    for sealed in batch:
        hashed.update(sealed)
    hashed.update(line[:line.index(b',"hash"')])
    if (seal["count"], seal["prev"], seal["hash"]) != (
            len(batch), ledger.hash.hex(), hashed.hexdigest()):
        raise Broken("the seal does not match")
    ledger.hash = hashed.digest()


def seal_line(lines, seq, at, prev):
    """The seal that commits `lines`, numbered `seq`; returns the line and its hash."""
    head = f'{{"seq":{seq},"at":"{at}","type":"seal","count":{len(lines)},"prev":"{prev.hex()}"'
    digest = hashlib.sha256(prev + b"".join(lines) + head.encode()).digest()
    return f'{head},"hash":"{digest.hex()}"}}\n'.encode(), digest

"""An installation for a test of faults: no API or one at hand, users in UTC, the inbox read every second."""

import tempfile
from datetime import datetime, timezone
from pathlib import Path

from Faults.outcome import Options, Outcome
from Shared.installation import Installation
from Shared.program import json_lines

SEGMENT = "00000000000000000001.jsonl"


class Place(Installation):
    """A place of its own in the folder of a test, which stays when the test has failed."""

    def __init__(self, options: Options, outcome: Outcome, admin: str = "127.0.0.1:0", relay: bool = False, **settings: object):
        # Short: the name of a socket has at most 107 bytes.
        folder = Path(tempfile.mkdtemp(prefix="place-", dir=outcome.folder)).resolve()
        self.events = folder / "events.jsonl"
        super().__init__(options.program, folder, {
            "data": str(folder / "data"), "users": "./users.jsonl", "defaultTimeZone": "UTC", "inbox": {"everySeconds": 1},
            "relay": {"journal": {"kind": "file", "path": "./events.jsonl"}} if relay else {}, "admin": {"listen": admin}, **settings})

    def verify(self) -> tuple[int, dict]:
        """What `rewards ledger verify` says: exit code and the JSON document."""
        answer = self.run("ledger", "verify", "--format", "json", codes=None)
        return answer.code, answer.document


def user_lines(users: list[str]) -> str:
    """Roster lines for these users, in UTC."""
    return json_lines({"user": user, "timezone": "UTC"} for user in users)


def login_lines(users: list[str]) -> str:
    """Lines that say that each of these users has just logged in."""
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return json_lines({"user": user, "kind": "login", "at": now} for user in users)

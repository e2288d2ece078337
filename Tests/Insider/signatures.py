#!/usr/bin/env python3
"""Acts above the limits of one person, agreed on with the SSH keys of two, by ssh-keygen itself.

    signatures.py PROGRAM

Everybody uses one account. What two signers agree to is done once; what one signs twice, a stranger signs, or anybody signs of another
request is refused; and a ledger in which a signature was altered, moved or left out is accused, however well it is sealed. Whoever divides
an honest ledger, or takes a wrong future back, is not.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Insider.cases import accusations
from Insider.forge import Forgery
from Insider.insider import HANDS, audit, copy
from Shared.installation import Installation
from Shared.places import Database, running_server
from Shared.program import Answer, Failed, arguments, json_lines

NOON = "2026-11-{:02}T12:00:00Z"
GIFT = ("grant", "ann", "--points", "50000", "--reason", "cup")
KEYS = {"alice": "ed25519", "bob": "ecdsa", "mallory": "ed25519"}


class Signers:
    """People with keys, who all use the same account."""

    def __init__(self, place: Installation):
        self.place = place
        for name, kind in KEYS.items():
            self.keygen("-q", "-t", kind, "-N", "", "-C", name, "-f", name)

    def keygen(self, *words: str) -> None:
        """Runs ssh-keygen."""
        subprocess.run(["ssh-keygen", *words], cwd=self.place.folder, check=True, capture_output=True)

    def lines(self, *names: str) -> str:
        """An allowed_signers file."""
        keys = {name: (self.place.folder / f"{name}.pub").read_text().split()[:2] for name in names}
        return "".join(f"{name}@example.org {kind} {key}\n" for name, (kind, key) in keys.items())

    def sign(self, name: str, number: str, namespace: str = "rewards") -> str:
        """Has somebody sign a request; returns the file of the signature."""
        text = self.place.run("approvals", "show", number).out
        self.place.write("text", text)
        (self.place.folder / "text.sig").unlink(missing_ok=True)
        self.keygen("-Y", "sign", "-n", namespace, "-f", name, "text")
        (self.place.folder / "text.sig").rename(self.place.folder / f"{name}-{number}.sig")
        return f"{name}-{number}.sig"

    def approve(self, name: str, number: str, codes: tuple[int, ...] = (0,), day: int = 2) -> Answer:
        """Has somebody sign a request and hand the signature in."""
        return self.place.run("approve", number, "--signature", self.sign(name, number), "--now", NOON.format(day), codes=codes)


def all_waiting(place: Installation, count: int) -> list[str]:
    """The ids of the requests that wait, of which there must be so many."""
    requests = place.run("approvals", "--format", "json", codes=(1,)).document["requests"]
    if len(requests) != count:
        raise Failed(f"{len(requests)} requests wait")
    return [request["id"] for request in requests]


def waiting(place: Installation) -> str:
    """The id of the only request that waits."""
    return all_waiting(place, 1)[0]


def expect(answer: Answer, text: str) -> None:
    """Fails unless a text was printed."""
    if text not in answer.out + answer.err:
        raise Failed(f"{answer.command} does not say \"{text}\": {answer.said}")


def live(place: Installation, people: Signers) -> None:
    """Two people agree to a gift, and to a third signer."""
    place.write("allowed_signers", people.lines("alice", "bob"))
    place.configure(approval={"by": "signature", "signers": "./allowed_signers"})
    place.write("users.jsonl", json_lines([{"user": "ann", "timezone": "UTC"}]))
    place.run("users", "import", "users.jsonl", "--now", NOON.format(1))
    day = ("--now", NOON.format(2))
    expect(place.run(*GIFT, *day, codes=(77,)), "the signatures of two people")
    number = waiting(place)
    expect(place.run("approve", number, *day, codes=(77,)), "only signatures approve")
    expect(place.run(*GIFT, "--approve", number, *day, codes=(77,)), "only signatures approve")
    expect(people.approve("alice", number), "another person must approve it")
    expect(people.approve("alice", number, (77,)), "cannot approve it too")
    expect(people.approve("mallory", number, (77,)), "is not in allowed_signers")
    elsewhere = people.sign("bob", number, namespace="git")
    expect(place.run("approve", number, "--signature", elsewhere, *day, codes=(77,)), "signed for")
    place.write("torn.sig", (place.folder / people.sign("bob", number)).read_text()[:80])
    place.run("approve", number, "--signature", "torn.sig", *day, codes=(77,))
    place.run(*GIFT, *day, codes=(77,))
    expect(people.approve("bob", number), "approved by bob@example.org")
    place.run(*GIFT, *day)
    expect(place.run("balance", "ann", *day), "50000")
    # The same once more is another request; yesterday's signatures say nothing about it.
    again = (*GIFT, "--id", "again", *day)
    place.run(*again, codes=(77,))
    second = waiting(place)
    old = f"bob-{number}.sig"
    expect(place.run("approve", second, "--signature", old, *day, codes=(77,)), "did not sign these")
    expect(place.run("approve", second, "--decline", "once is enough", *day), "declined")
    # A third signer, and accounts once more: both take two who may sign.
    place.write("allowed_signers", people.lines("alice", "bob", "mallory"))
    place.run("reconcile", "--confirm", *day, codes=(0, 1))
    third = waiting(place)
    expect(place.run("approve", third, "--decline", "no", "--signature", old, codes=(64,)), "declines nothing")
    expect(place.run("approvals", codes=(1,)), "mallory@example.org (key SHA256:")
    expect(people.approve("mallory", third, (77,)), "is not in allowed_signers")
    # What was signed before other signers counted has to be signed again.
    prize = (*GIFT, "--id", "prize", *day)
    place.run(*prize, codes=(77,))
    fourth = next(number for number in all_waiting(place, 2) if number != third)
    early = people.sign("alice", fourth)
    people.approve("bob", third)
    expect(people.approve("alice", third), "and in use")
    expect(place.run("approve", fourth, "--signature", early, *day, codes=(77,)), "did not sign these")
    expect(place.run("approve", fourth, "--decline", "once is enough", *day), "declined")
    place.configure(approval={"by": "account", "signers": "./allowed_signers"})
    place.run("reconcile", "--confirm", *day, codes=(0, 1))
    last = waiting(place)
    people.approve("mallory", last)
    place.run("approve", last, "--decline", "keys are better", *day)
    place.configure(approval={"by": "signature", "signers": "./allowed_signers"})


def sign_in_a_wrong_future(people: Signers) -> None:
    """Two people agree while the clock is a week ahead; what they signed counts when that is undone."""
    place = people.place
    gift = ("grant", "ann", "--points", "60000", "--reason", "cup", "--id", "ahead")
    place.run(*gift, "--now", NOON.format(9), codes=(77,))
    number = waiting(place)
    for name in ("alice", "bob"):
        people.approve(name, number, day=9)
    place.run("doctor", "--undo-future", "--now", NOON.format(3))
    place.run(*gift, "--now", NOON.format(3))


def divide(honest: Installation, folder: Path, socket: Path) -> Installation:
    """The users of an installation among two shards of a database."""
    place = Installation(honest.program, folder, honest.settings, Database(honest.program, socket, "divided", shards=2))
    for name in ("users.jsonl", "allowed_signers"):
        place.write(name, (honest.folder / name).read_text())
    honest.run("ledger", "backup", str(folder / "backup"), "--now", NOON.format(4))
    place.configure(data=place.place.address)
    place.run("ledger", "import", str(folder / "backup"), "--inbox-complete", "--now", NOON.format(4))
    return place


# Forgeries: each alters the records and returns the line that check 15 must name.

def approval_without_signature(ledger: Forgery) -> int:
    del ledger.one("operator", act="approve")["signature"]
    return ledger.one("operator", act="grant")["seq"]


def signature_of_another_request(ledger: Forgery) -> int:
    first, second = list(ledger.of_type("operator", act="approve"))[:2]
    second["signature"] = first["signature"]
    return second["seq"]


def signature_of_somebody_else(ledger: Forgery) -> int:
    approval = ledger.one("operator", act="approve")
    approval["signature"] = signed(ledger)["signature"]
    return approval["seq"]


def signer_by_another_name(ledger: Forgery) -> int:
    approval = ledger.one("operator", act="approve")
    approval["actor"] = approval["actor"].replace("bob", "carol")
    return approval["seq"]


def another_gift(ledger: Forgery) -> int:
    """The gift, its act and its request, altered alike."""
    for record in ledger.records:
        if "what" in record and "50000 points" in record["what"]:
            record["what"] = record["what"].replace("50000 points", "90000 points")
            if "sums" in record:
                record["sums"]["points"] = 90_000
    ledger.one("grant", cause="manual")["points"] = 90_000
    return ledger.one("operator", act="approve")["seq"]


def signers_by_nobody(ledger: Forgery) -> int:
    act = {**ledger.one("operator", act="signers"), "signers": "eve ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA==\n"}
    return ledger.append(act)[0]


def signed(ledger: Forgery) -> dict:
    """The first request with a signature."""
    return next(record for record in ledger.of_type("operator", act="request") if "signature" in record)


FORGERIES: list[Callable[[Forgery], int]] = [
    approval_without_signature, signature_of_another_request, signature_of_somebody_else, signer_by_another_name, another_gift,
    signers_by_nobody,
]


def main() -> int:
    """Prints a row for each forgery; ends with 1 when one was not found, or an honest ledger is accused."""
    chosen = arguments(__doc__).parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="signatures-") as temporary:
        honest = Installation(chosen.program, Path(temporary) / "honest", {"users": "./users.jsonl"})
        people = Signers(honest)
        live(honest, people)
        people.place, _ = copy(chosen.program, honest, Path(temporary) / "ahead")
        sign_in_a_wrong_future(people)
        with running_server("divided-") as (folder, _):
            ways = {"two people signed": honest, "and a wrong future was undone": people.place,
                    "and the ledger was divided": divide(people.place, folder / "shards", folder / "pg")}
            for way, place in ways.items():
                reports = place.run("audit", "--now", NOON.format(12), "--format", "json", codes=None).out
                accused = [finding for report in reports.splitlines() for finding in accusations(json.loads(report))]
                print(f"{way}: {'accused of ' + '; '.join(accused) if accused else 'not accused'}")
                failed += bool(accused)
        for number, forge in enumerate(FORGERIES):
            place, ledger = copy(chosen.program, honest, Path(temporary) / str(number))
            seq = forge(ledger)
            ledger.write()
            found = [finding["text"] for check in audit(place)["checks"] if check["id"] == HANDS
                     for finding in check["findings"] if finding.get("seq") == seq]
            failed += not found
            print(f"{forge.__name__.replace('_', ' '):30}{found[0][:110] if found else 'NOT FOUND'}", flush=True)
    print(f"{len(FORGERIES)} forgeries: " + (f"{failed} failed" if failed else "each was found by name"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

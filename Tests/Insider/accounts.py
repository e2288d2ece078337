#!/usr/bin/env python3
"""Two operators with accounts of their own command one service, through the socket of their group. Takes root.

    accounts.py PROGRAM

The service runs as one account; the operators can write nothing that is its own. Each of them is a person: what one asks for, the other
approves, and neither does both. What a file asks for, two of them approve. No operator starts programs as the service's account.
"""

import grp
import os
import pwd
import sys
import tempfile
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Insider.cases import accusations
from Shared.installation import Installation
from Shared.program import Answer, Failed, arguments, json_lines
from Shared.service import Service, end_all

# Accounts that every Debian has. None of them is another one's.
SERVICE, OPERATORS, STRANGER = "daemon", ("games", "mail"), "news"
GIFT = ("grant", "ann", "--points", "50000", "--reason", "cup")


def as_account(account: str, group: str | None = None) -> tuple[str, ...]:
    """The words before a command line that run it as an account, in one group besides its own."""
    entry = pwd.getpwnam(account)
    groups = [str(entry.pw_gid)] + ([str(grp.getgrnam(group).gr_gid)] if group else [])
    return ("setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", f"--groups={','.join(groups)}", "--")


class Operators:
    """The people at an installation."""

    def __init__(self, place: Installation):
        self.place = place

    def run(self, account: str, *words: str, codes: tuple[int, ...] | None = (0,), group: str | None = SERVICE) -> Answer:
        """Runs a command as an account; only the service's has its secrets."""
        secrets = {} if account == SERVICE else {"REWARDS_DRAW_SECRET": "", "CHEER_API_TOKEN": ""}
        return self.place.run(*words, codes=codes, machine=as_account(account, group), **secrets)

    def waiting(self) -> str:
        """The id of the only request that waits."""
        requests = self.run(OPERATORS[0], "approvals", "--format", "json", codes=(1,)).document["requests"]
        if len(requests) != 1:
            raise Failed(f"{len(requests)} requests wait")
        return requests[0]["id"]


def expect(answer: Answer, text: str) -> None:
    """Fails unless a text was printed."""
    if text not in answer.out + answer.err:
        raise Failed(f"{answer.command} does not say \"{text}\": {answer.said}")


def play(people: Operators) -> None:
    """What two operators can do, and one alone cannot."""
    one, other = OPERATORS
    expect(people.run(one, *GIFT, codes=(77,)), f"another account than {one}")
    number = people.waiting()
    expect(people.run(one, "approve", number, codes=(77,)), "cannot approve it too")
    expect(people.run(one, *GIFT, "--approve", number, "--actor", other, codes=(77,)), "may be the same person")
    people.run(STRANGER, "approve", number, codes=None, group=None)
    if people.waiting() != number:
        raise Failed("a stranger has approved a request")
    expect(people.run(other, "approve", number), f"approved by {other}")
    people.run(one, *GIFT)
    expect(people.run(one, "balance", "ann"), "50000")
    expect(people.run(one, *GIFT, "--id", "again", codes=(77,)), "needs a second person")
    people.run(other, "approve", people.waiting(), "--decline", "once is enough")


def agree_to_what_a_file_asks(people: Operators) -> None:
    """Nobody has asked for more than the ledger allows: the first operator makes the request theirs."""
    one, other = OPERATORS
    number = people.waiting()
    expect(people.run(one, "approve", number), "another person must approve it")
    expect(people.run(one, "approve", number, codes=(77,)), "cannot approve it too")
    expect(people.run(other, "approve", number), "and in use")


def start_a_program(people: Operators) -> None:
    """An operator cannot have the service run a program."""
    job = people.place.write("mine.json", '{"name": "mine", "schedule": "0 1 * * *", "zone": "UTC", "run": ["/usr/bin/touch", "/tmp/mine"]}')
    expect(people.run(OPERATORS[0], "run", str(job), codes=(77,)), "for its own account only")


def live(program: Path, folder: Path) -> None:
    """A service of one account, and two operators in its group."""
    entry = pwd.getpwnam(SERVICE)
    place = Installation(program, folder, {"relay": {}, "admin": {"listen": "127.0.0.1:0"}, "control": {"group": SERVICE}})
    place.write("users.jsonl", json_lines([{"user": "ann", "timezone": "UTC"}]))
    folder.chmod(0o755)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, entry.pw_uid, entry.pw_gid)
    people = Operators(place)
    people.run(SERVICE, "users", "import", "users.jsonl")
    service = Service(place, machine=as_account(SERVICE))
    service.wait_until_it_answers()
    play(people)
    print("a gift: asked for by one, approved by the other, given once")
    start_a_program(people)
    print("a job's program: refused")
    service.stop()
    place.configure(approval={"pointsByHand": 60_000})
    service = Service(place, machine=as_account(SERVICE))
    service.wait_until_it_answers()
    agree_to_what_a_file_asks(people)
    print("limits: proposed by the configuration, agreed on by two")
    service.stop()
    expect(people.run(OPERATORS[0], "grant", "ann", "--points", "1", "--reason", "r", codes=(77,)), "may not write the ledger")
    # Its draws cannot be checked without their secret, which only the service has.
    if findings := accusations(people.run(SERVICE, "audit", "--format", "json", codes=None).document):
        raise Failed(f"the audit accuses them: {findings}")
    print("the audit: nobody is accused")


def main() -> int:
    """Ends with 1 when one person could do what takes two."""
    chosen = arguments(__doc__).parse_args()
    if os.geteuid() != 0:
        print("left out: becoming other accounts takes root")
        return 0
    with tempfile.TemporaryDirectory(prefix="accounts-") as temporary:
        Path(temporary).chmod(0o755)
        try:
            live(chosen.program, Path(temporary) / "place")
        except Failed as error:
            print(f"FAILED: {error}")
            return 1
        finally:
            end_all()
    return 0


if __name__ == "__main__":
    sys.exit(main())

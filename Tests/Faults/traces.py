"""Traces the system calls of the service and compares their order with what it promises.

Passes when nothing is acknowledged, handed to the relay or put away before it is on the disk, with the names of all
files and folders it lies in, over a first start, failing syncs, a roll of the segment and a first start that was broken
off; when no failed handle is used again; and when the same check, of a program whose syncs are made idle or are made
again after a failure, does find that. The inbox file that an ingest is handed over to counts as a place on the disk.
"""

import itertools
import threading
from pathlib import Path

from Faults.contents import Contents
from Faults.padding import pad_last_segment
from Faults.place import Place, login_lines, user_lines
from Faults.watcher import TRACED, Watcher
from Shared import control
from Shared.program import Failed
from Shared.service import Service
from Shared.tools import compile_library, strace
from Shared.waiting import wait_for

SNAPSHOT_RECORDS = 10_000


class Clients:
    """Threads that send commands until so many are acknowledged: mostly new users, sometimes their logins."""

    def __init__(self, place, wanted, name, every_login=10):
        self.place, self.wanted, self.name, self.every_login = place, wanted, name, every_login
        self.acknowledged, self.refused = 0, 0
        self.lock = threading.Lock()
        self.numbers = itertools.count(1)

    def run(self):
        """Returns when all is acknowledged."""
        threads = [threading.Thread(target=self.work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def work(self):
        while self.acknowledged < self.wanted:
            with self.lock:
                number = next(self.numbers)
            user = f"tok-{self.name}-{number}"
            if self.send(control.import_users, user_lines([user])) and number % self.every_login == 0:
                self.send(control.ingest, login_lines([user]))

    def send(self, request, lines):
        answer = request(self.place, lines)
        with self.lock:
            self.acknowledged += answer.code == 0
            self.refused += answer.code != 0
        return answer.code == 0


def run(options, outcome):
    """300 acknowledgements, at full size 10,000; and the three proofs that the check can fail."""
    place = Place(options, outcome, relay=True)
    library = compile_library(Path(__file__).with_name("nosync.c"), place.folder)
    watcher = Watcher(place)
    total = options.size(300, 10_000)
    every_login = options.size(10, 40)
    first = traced(place, watcher, total // 2, "first", every_login)
    # Without sinks: they would read all of the padding.
    place.configure(relay={})
    pad_last_segment(place.ledger)
    later = traced(place, watcher, total - total // 2, "later", every_login,
                   "-e", "inject=fdatasync:error=EIO:when=20+45")
    outcome.counts.update(watcher.counts)
    outcome.add("failed syncs", watcher.failed_syncs)
    outcome.breaches += watcher.examples
    if watcher.counts["acknowledged"] != first.acknowledged + later.acknowledged:
        outcome.breach(f"the trace shows {watcher.counts['acknowledged']} acknowledgements,"
                       f" the clients had {first.acknowledged + later.acknowledged}")
    if watcher.counts["acknowledged"] < total:
        outcome.breach(f"only {watcher.counts['acknowledged']} of {total} commands were acknowledged")
    if not watcher.failed_syncs or not later.refused:
        outcome.breach("no sync has failed, so that was not tested")
    segments = Contents(place.ledger).reader.segments
    outcome.add("segments", len(segments))
    if len(segments) < 2:
        outcome.breach("the segment has not rolled, so that was not tested")
    if not list(place.state.glob("snapshot-*")):
        outcome.breach("no snapshot was written, so that was not tested")
    break_off_first_starts(options, outcome)
    prove_that_it_can_fail(options, outcome, library)


def traced(place, watcher, wanted, name, every_login, *options):
    """Runs a service under strace until so many commands are acknowledged; then lets `watcher` follow the trace."""
    trace = place.folder / f"{name}.strace"
    service = Service(place, strace(trace, "-e", f"trace={','.join(TRACED)}", *options))
    service.wait_until_it_answers(within=60)
    if name == "first":
        # As many as make the service write a snapshot when it ends.
        mass = [f"tok-mass-{number}" for number in range(SNAPSHOT_RECORDS)]
        control.import_users(place, user_lines(mass))
        wanted -= 1
    clients = Clients(place, wanted, name, every_login)
    clients.run()
    clients.acknowledged += name == "first"
    wait_for(lambda: not place.waiting())
    service.stop()
    watcher.follow(trace)
    return clients


def break_off_first_starts(options, outcome):
    """First starts in which a sync of a folder fails; the start after that must make good for it."""
    # The name of the data folder itself, and the last one that is made in it; at full size all five.
    for number in options.size([1, 4], range(1, 6)):
        place = Place(options, outcome)
        place.write("none.jsonl", "")
        watcher = Watcher(place)
        trace = place.folder / "broken-off.strace"
        place.run("users", "import", "none.jsonl", codes=None, machine=strace(
            trace, "-e", f"trace={','.join(TRACED)}", "-e", f"inject=fsync:error=EIO:when={number}"))
        watcher.follow(trace)
        if watcher.failed_syncs != 1:
            raise Failed(f"the first start syncs fewer than {number} folders: choose fewer")
        watcher.counts["missing folder syncs"] = 0
        watcher.examples = []
        traced(place, watcher, 3, "after", 2)
        outcome.add("first starts broken off")
        outcome.add("missing folder syncs", watcher.counts["missing folder syncs"])
        outcome.breaches += [f"a first start whose folder sync {number} failed, then another: {example}"
                             for example in watcher.examples[:1]]


def prove_that_it_can_fail(options, outcome, library):
    """Spoils the program in three ways; each must be found."""
    for way, what in (("data", "acknowledged before sync"), ("folders", "missing folder syncs"),
                      ("retry", "retries on a failed handle")):
        place = Place(options, outcome)
        watcher = Watcher(place)
        injected = ["-e", "inject=fdatasync:error=EIO:when=6+5"] if way == "retry" else []
        traced(place, watcher, 20, "spoiled", 5,
               "-E", f"LD_PRELOAD={library}", "-E", f"NOSYNC={way}", *injected)
        outcome.add(f"found when spoiled ({way})", watcher.counts[what])
        if not watcher.counts[what]:
            outcome.breach(f"the check has not noticed a program spoiled by NOSYNC={way}")

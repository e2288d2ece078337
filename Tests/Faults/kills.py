"""Kills the service at random instants while clients write, and starts it again; nobody repairs anything.

Passes when all that was acknowledged is in the ledger: users, activities with their evidence and exactly one grant;
no key stands twice; the chain is whole by an independent reader and by `rewards ledger verify`; every restart answers
on the control socket within two seconds.
"""

import threading
import time

from Faults.contents import Contents
from Faults.place import Place, login_lines, user_lines
from Shared import control
from Shared.program import Failed
from Shared.service import Service
from Shared.waiting import wait_for

RESTART_LIMIT_SECONDS = 2.0
# Between two imports of a client: 1,000 runs then bring about 100,000 users, the size that starts are promised for.
PAUSE_SECONDS = 0.01


class Load:
    """Clients that write until the service is gone, and note what was acknowledged."""

    def __init__(self, place, run, outcome):
        self.place = place
        self.run = run
        self.outcome = outcome
        self.users, self.logins = [], []
        work = [self.import_users, self.import_users, self.ingest, self.ingest, self.ingest_file]
        self.threads = [threading.Thread(target=self.client, args=(number, one))
                        for number, one in enumerate(work)]
        self.is_over = False
        for thread in self.threads:
            thread.start()

    def client(self, number, work):
        turn = 0
        while not self.is_over:
            turn += 1
            try:
                work(f"k{self.run}-{number}-{turn}")
            except control.NoAnswer:
                return

    def import_users(self, name):
        """One user over the control socket."""
        if self.accepted(control.import_users(self.place, user_lines([name]))):
            self.users.append(name)
        time.sleep(PAUSE_SECONDS)

    def ingest(self, name):
        """The logins of five new users over the control socket."""
        names = self.newcomers(name)
        if self.accepted(control.ingest(self.place, login_lines(names))):
            self.logins += names

    def ingest_file(self, name):
        """The same as a command of its own, which becomes the writer when the service is gone."""
        names = self.newcomers(name)
        file = self.place.write(f"{name}.jsonl", login_lines(names))
        answer = self.place.run("ingest", str(file), codes=None)
        file.unlink()
        if self.accepted(answer):
            self.logins += names

    def newcomers(self, name):
        names = [f"{name}-{number}" for number in range(5)]
        if self.accepted(control.import_users(self.place, user_lines(names))):
            self.users += names
        return names

    def accepted(self, answer):
        if answer.code != 0:
            self.outcome.breach(f"a command was refused with {answer.code}: {answer.said}")
        return answer.code == 0

    def join(self):
        """Waits until all clients have seen that the service is gone."""
        self.is_over = True
        for thread in self.threads:
            thread.join()


def run(options, outcome):
    """Kills the service 30 times, at full size 1,000 times."""
    place = Place(options, outcome)
    random = options.random(outcome.name)
    users, logins = [], []
    kills = options.size(30, 1_000)
    for number in range(kills + 1):
        service = Service(place)
        if number < kills and random.random() < 0.1:
            # Somewhere within the start.
            time.sleep(random.uniform(0, 0.05))
            service.kill()
            outcome.add("kills")
            continue
        seconds = service.wait_until_it_answers()
        outcome.worst("worst restart s", seconds)
        if seconds > RESTART_LIMIT_SECONDS:
            outcome.breach(f"restart {number} took {seconds:.3f} s")
        if number == kills:
            break
        load = Load(place, number, outcome)
        time.sleep(random.uniform(0, 0.6))
        service.kill()
        outcome.add("kills")
        load.join()
        users += load.users
        logins += load.logins
    outcome.add("users acknowledged", len(users))
    outcome.add("logins acknowledged", len(logins))
    if not users or not logins:
        outcome.breach("nothing was acknowledged, so nothing was tested")
    check(place, service, users, logins, outcome)


def check(place, service, users, logins, outcome):
    """Lets the service take what waits, ends it, and compares the ledger with what was promised."""
    wait_for(lambda: not place.waiting())
    code = service.stop()
    if code != 0:
        outcome.breach(f"serve ended with {code}")
    code, report = place.verify()
    if code != 0 or not report["ok"] or report["damage"]:
        outcome.breach(f"ledger verify ended with {code}: {report['damage'][:3]}")
    try:
        found = Contents(place.ledger)
    except Failed as error:
        outcome.breach(f"by the independent reader: {error}")
        return
    lost = found.lost(users, logins)
    outcome.add("lost", len(lost))
    outcome.add("granted twice", len(found.doubled()))
    outcome.add("records", found.reader.records)
    if lost:
        outcome.breach(f"acknowledged and lost: {lost[:5]}")
    if found.doubled():
        outcome.breach(f"granted twice: {found.doubled()[:5]}")

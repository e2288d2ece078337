"""Who has to do with a service whose disk is full: one that asks how it is, and clients that write."""

import threading
import time

from Faults.place import login_lines, user_lines
from Shared import control


class Watch(threading.Thread):
    """Asks `/healthz`, `/metrics` and `/readyz` in turns and keeps every answer of the last with its time."""

    def __init__(self, port, outcome):
        super().__init__()
        self.port, self.outcome = port, outcome
        self.ready = []
        self.is_over = False
        self.start()

    def run(self):
        while not self.is_over:
            began = time.monotonic()
            try:
                health, _ = control.ask(self.port, "/healthz")
                scraped, page = control.ask(self.port, "/metrics")
                status, text = control.ask(self.port, "/readyz")
            except control.NoAnswer as error:
                self.outcome.breach(f"no answer: {error}")
                continue
            self.outcome.worst("worst answer s", (time.monotonic() - began) / 3)
            self.outcome.add("questions")
            if health != 200:
                self.outcome.breach(f"/healthz answered {health}")
            if scraped != 200 or "\nrewards_ledger_writable " not in page:
                self.outcome.breach(f"/metrics answered {scraped}")
            self.ready.append((began, status, text))
            time.sleep(0.02)

    def between(self, start, end):
        """The answers of `/readyz` to questions in this time."""
        return [(status, text) for time, status, text in list(self.ready) if start <= time < end]


class Clients:
    """Threads that import users and hand in their logins until told to stop."""

    def __init__(self, place, name):
        self.place, self.name = place, name
        self.users, self.logins, self.refusals = [], [], []
        self.is_over = False
        self.threads = [threading.Thread(target=self.work, args=(number,)) for number in range(2)]
        for thread in self.threads:
            thread.start()

    def work(self, client):
        turn = 0
        while not self.is_over:
            # The disk is to be filled by the test, not by them.
            time.sleep(0.02)
            turn += 1
            name = f"{self.name}-{client}-{turn}"
            imported = control.import_users(self.place, user_lines([name]))
            if imported.code == 0:
                self.users.append(name)
                taken = control.ingest(self.place, login_lines([name]))
                if taken.code == 0:
                    self.logins.append(name)
                    continue
                self.refusals.append((time.monotonic(), taken.err))
            else:
                self.refusals.append((time.monotonic(), imported.err))
            time.sleep(0.05)

    def stop(self):
        self.is_over = True
        for thread in self.threads:
            thread.join()

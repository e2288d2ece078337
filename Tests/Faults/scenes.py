"""The states of a data folder in which a command meets a failing call."""

import shutil

from Faults.place import SEGMENT, Place, login_lines, user_lines

SCENES = ["first start", "going", "after a crash"]
USERS = [f"u{number}" for number in range(9)]
BEFORE, LATE, NOW = USERS[:3], USERS[3:6], USERS[6:]


class Scene:
    """A state of the data folder, and the command that meets the failing call there."""

    # The same calls each time.
    is_steady = True

    def __init__(self, name, options, outcome):
        self.name = name
        self.home = Place(options, outcome)
        self.home.write("users.jsonl", user_lines(USERS))
        for file, users in (("before", BEFORE), ("late", LATE), ("now", NOW)):
            self.home.write(f"{file}.jsonl", login_lines(users))
        self.words = ("ingest", "now.jsonl")
        self.logins = BEFORE + NOW
        if name == "first start":
            self.words = ("users", "import", "users.jsonl")
            self.logins = []
            return
        for words in (("users", "import", "users.jsonl"), ("ingest", "before.jsonl")):
            self.home.run(*words, codes=(0, 1))
        if name == "after a crash":
            # A torn batch, and a file that a service took over and did not come to.
            with open(self.home.ledger / SEGMENT, "ab") as file:
                file.write(b'{"seq":99,"at":"2026\n' + bytes(5_000))
            self.home.deliver("0.jsonl", login_lines(LATE))
            self.logins = USERS

    def words_at(self, place):
        """The command line, which is the same at every place."""
        return self.words

    def is_repaired(self, place):
        """Whether what lies beside the ledger can be used; nothing does."""
        return True

    def copy_to(self, place):
        """Puts the state in place of what is there."""
        shutil.rmtree(place.data, ignore_errors=True)
        if self.home.data.exists():
            shutil.copytree(self.home.data, place.data)
        for file in self.home.folder.glob("*.jsonl"):
            shutil.copy(file, place.folder)
        place.settings = self.home.settings | {"data": str(place.data)}
        place.configure()

    def is_done(self, found):
        """Whether the ledger has all that the command was to bring."""
        return not found.lost(USERS, self.logins)

"""A PostgreSQL server and its standby, one beside the other on this machine, and what an operator does when the first dies."""

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path
from urllib.parse import quote

from Shared.places import psql
from Shared.program import Failed, Unable
from Shared.waiting import wait_until

# What a standby calls itself before the server that it follows.
STANDBY = "standby"
# So long nothing of an operator's work takes.
WORK_SECONDS = 120


class Node:
    """A server whose folder is `folder`/server and whose socket lies in `folder`."""

    def __init__(self, folder: Path):
        self.folder, self.server = folder, folder / "server"
        folder.mkdir()
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        if not found:
            raise Unable("no PostgreSQL server is installed: .ci/install postgresql")
        self.programs = found[-1]
        self.account: list[str] = []
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
            self.account = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]

    def call(self, program: str, *words: str) -> str:
        """Runs one of the server's programs."""
        # Not through pipes: a server that is started keeps them open.
        with open(self.folder / "calls.log", "w+b") as output:
            done = subprocess.run([*self.account, self.programs / program, *words], stdin=subprocess.DEVNULL, stdout=output,
                                  stderr=output, check=False, timeout=WORK_SECONDS, cwd=self.folder)
            output.seek(0)
            text = output.read().decode(errors="replace")
        if done.returncode:
            raise Failed(f"{program} ended with {done.returncode}: {text[-800:]}")
        return text

    def make(self) -> None:
        """Makes an empty server; superuser `rewards`, no password."""
        self.call("initdb", f"--pgdata={self.server}", "--username=rewards", "--auth=trust", "--encoding=UTF8",
                  "--locale=C.UTF-8", "--no-sync")
        with open(self.server / "postgresql.conf", "a", encoding="utf-8") as settings:
            settings.write("fsync = off\nwal_log_hints = on\nwal_keep_size = 256MB\nmax_wal_senders = 4\n"
                           "wal_retrieve_retry_interval = 200ms\n")

    def start(self) -> None:
        """Starts it; a standby is there when it lets others read."""
        self.call("pg_ctl", f"--pgdata={self.server}", f"--log={self.folder / 'log'}", "--wait",
                  f"--options=-c listen_addresses= -c unix_socket_directories={self.folder}", "start")

    def stop_at_once(self) -> None:
        """Stops it in the midst of everything."""
        if self.is_running():
            self.call("pg_ctl", f"--pgdata={self.server}", "--mode=immediate", "--wait", "stop")

    def kill(self) -> None:
        """Kills all its processes; the first first, which would start the others anew."""
        first = int((self.server / "postmaster.pid").read_text().split()[0])
        others = [int(number) for task in Path(f"/proc/{first}/task").iterdir()
                  for number in (task / "children").read_text().split()]
        for number in (first, *others):
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                pass
        wait_until(lambda: not any(Path(f"/proc/{number}").exists() for number in (first, *others)), "the server is killed", 20)

    def is_running(self) -> bool:
        """Whether its first process is there."""
        try:
            return Path(f"/proc/{(self.server / 'postmaster.pid').read_text().split()[0]}").exists()
        except (OSError, IndexError):
            return False

    def ask(self, statement: str) -> str:
        """Runs statements, each in a transaction of its own, and gives what they answer."""
        return psql(self.folder, statement)

    def follow(self, other: "Node") -> None:
        """Becomes the standby of a server whose data it has, under a name by which that may wait for it."""
        with open(self.server / "postgresql.auto.conf", "a", encoding="utf-8") as settings:
            # Once it is promoted, a COMMIT waits for a standby of its own.
            settings.write(f"primary_conninfo = 'host={other.folder} user=rewards application_name={STANDBY}'\n"
                           f"synchronous_standby_names = '{STANDBY}'\n")
        (self.server / "standby.signal").touch()
        self.start()


class Pair:
    """Two servers, of which one takes writes and the other follows it."""

    def __init__(self, folder: Path, draw: random.Random):
        self.draw = draw
        self.primary, self.standby = Node(folder / "one"), Node(folder / "two")
        # The order in which the program is told of them, whichever is the primary.
        self.nodes = (self.primary, self.standby)
        self.primary.make()
        self.primary.start()
        self.copy()
        self.wait_for_standby()

    def address(self, database: str, in_authority: bool) -> str:
        """Where the program finds both, in either of libpq's ways."""
        hosts = ",".join(quote(str(node.folder), safe="") for node in self.nodes)
        if in_authority:
            return f"postgres://rewards@{hosts}/{database}"
        return f"postgres://rewards@/{database}?host={hosts}&target_session_attrs=read-write"

    def copy(self) -> None:
        """Has the standby begin with a copy of the primary."""
        shutil.rmtree(self.standby.server, ignore_errors=True)
        self.standby.call("pg_basebackup", f"--pgdata={self.standby.server}", f"--host={self.primary.folder}",
                          "--username=rewards", "--checkpoint=fast", "--wal-method=stream", "--no-sync")
        self.standby.follow(self.primary)

    def rewind(self) -> None:
        """Has the standby, which was the primary, go back to where the two parted."""
        # Only then does the new primary's control file tell of its new timeline.
        self.primary.ask("CHECKPOINT")
        self.standby.call("pg_rewind", f"--target-pgdata={self.standby.server}", "--no-sync",
                          f"--source-server=host={self.primary.folder} user=rewards dbname=postgres")
        self.standby.follow(self.primary)

    def set_waiting(self, waits: bool) -> None:
        """Has a COMMIT wait for the standby, or not; without effect on what the server promises to those that wait already."""
        self.primary.ask(f"ALTER SYSTEM SET synchronous_standby_names = '{STANDBY if waits else ''}'; SELECT pg_reload_conf();")

    def is_in_step(self) -> bool:
        """Whether the standby has all that the primary had at the moment of the question, and a COMMIT waits for it."""
        now = self.primary.ask("SELECT pg_current_wal_lsn()")
        return self.primary.ask("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'"
                                f" AND application_name = '{STANDBY}' AND flush_lsn >= '{now}'") == "1"

    def has_caught_up(self) -> bool:
        """Whether the standby lets others read all that the primary had at the moment of the question."""
        now = self.primary.ask("SELECT pg_current_wal_lsn()")
        return self.standby.ask(f"SELECT pg_last_wal_replay_lsn() >= '{now}'") == "t"

    def wait_for_standby(self) -> None:
        """Has a COMMIT wait for the standby from now on; returns when that is so and the standby has all that was before."""
        self.set_waiting(True)
        wait_until(self.is_in_step, "the standby is in step", WORK_SECONDS)
        # The setting is shown before the last process of the server has read it, which until then lets a COMMIT pass.
        time.sleep(1)
        wait_until(self.is_in_step, "the standby is in step", WORK_SECONDS)

    def cut(self) -> None:
        """Has the primary go on by itself: the standby gets nothing more."""
        self.set_waiting(False)
        self.standby.ask("ALTER SYSTEM SET primary_conninfo = ''; SELECT pg_reload_conf();")
        wait_until(lambda: self.primary.ask("SELECT count(*) FROM pg_stat_replication") == "0", "the standby is cut off",
                   WORK_SECONDS)

    def die(self) -> str:
        """Lets the primary die; returns how."""
        how = self.draw.choice(("stopped at once", "killed"))
        (self.primary.kill if how == "killed" else self.primary.stop_at_once)()
        return how

    def promote(self) -> None:
        """Makes the standby the primary."""
        self.standby.call("pg_ctl", f"--pgdata={self.standby.server}", "--wait", "promote")
        self.primary, self.standby = self.standby, self.primary

    def close(self) -> None:
        """Ends both."""
        for node in self.nodes:
            node.stop_at_once()

"""Follows the system calls of a service and counts what it must never do.

Counted are: answers and events that promise what is not on the disk; promises whose file is, but not its name; writes
and syncs on a descriptor whose write or sync has failed.
"""

import os
import re

from Faults import durability
from Faults import syscalls

EXIT_CODE = re.compile(r'"exitCode":(\d+)')
EVENT_USER = re.compile(r'"id":"(tok[\w-]*)/')
FILE_CALLS = {"write", "pwrite64", "fdatasync", "fsync", "ftruncate"}
SENT = {"sendmsg", "sendto"}
RECEIVED = {"recvfrom", "recvmsg"}
TRACED = sorted(FILE_CALLS | SENT | RECEIVED | {
    "openat", "mkdir", "rename", "renameat", "renameat2", "unlink", "close", "accept4"})


class Watcher:
    """What is known of one data folder over all runs of the program, and what they did wrong."""

    def __init__(self, place):
        self.place = place
        self.disk = durability.Folder(place.folder)
        self.counts = dict.fromkeys(
            ["acknowledged", "promises", "acknowledged before sync", "missing folder syncs",
             "retries on a failed handle"], 0)
        self.examples = []
        self.failed_syncs = 0
        self.begin_process()

    def begin_process(self):
        """A new process: it has no descriptors yet."""
        self.open_files, self.failed, self.requests, self.pending = {}, {}, {}, {}

    def follow(self, trace):
        """Takes in the trace of one process from start to end."""
        self.begin_process()
        for moment, call in syscalls.read(trace):
            handler = getattr(self, f"{call.name.replace('renameat2', 'rename')}_{moment}", None)
            if call.name in SENT and moment == "begins":
                self.answer(call)
            elif call.name in RECEIVED and moment == "ends" and call.is_on_control_socket:
                self.requests[call.descriptor] = self.requests.get(call.descriptor, "") + call.received
            elif call.name in FILE_CALLS:
                self.file_call(moment, call)
            elif handler and (moment == "begins" or call.result >= 0):
                handler(call)
        for path in self.disk.unsynced_names:
            if path.startswith(str(self.place.ledger)) or "snapshot-" in path or "/cut-" in path:
                self.count("missing folder syncs", f"{path} at the end")

    def count(self, what, example):
        self.counts[what] += 1
        self.examples.append(f"{what}: {example}")

    def openat_ends(self, call):
        path = self.disk.absolute(call.paths[0])
        if path is None:
            return
        if "O_CREAT" in call.arguments:
            self.disk.open(path, call.arguments)
        self.open_files[call.result] = path

    def close_begins(self, call):
        # The number may be given to another file before the call has ended.
        self.open_files.pop(call.descriptor, None)
        self.failed.pop(call.descriptor, None)
        self.requests.pop(call.descriptor, None)

    def mkdir_ends(self, call):
        path = self.disk.absolute(call.paths[0])
        if path:
            self.disk.make_folder(path)

    def rename_ends(self, call):
        old, new = (self.disk.absolute(path) for path in call.paths[:2])
        file = self.disk.files.get(old)
        if file and old.startswith(str(self.place.incoming)) and "/done/" in new:
            for token in file.synced:
                self.promise(token, f"{old} put away", below=str(self.place.ledger))
        self.disk.rename(old, new)

    def unlink_ends(self, call):
        path = self.disk.absolute(call.paths[0])
        if path is None:
            return
        self.disk.remove(path)
        if os.path.basename(path).startswith("snapshot-"):
            for other, file in self.disk.files.items():
                is_snapshot = os.path.basename(other).startswith("snapshot-")
                if is_snapshot and (file.is_dirty or not self.disk.has_name(other)):
                    self.count("missing folder syncs", f"{path} removed before {other} was safe")

    def file_call(self, moment, call):
        path = self.open_files.get(call.descriptor) if syscalls.DESCRIPTOR.match(call.arguments) else None
        if path is None:
            return
        file = self.disk.files.get(path)
        if moment == "begins":
            if call.descriptor in self.failed:
                self.count("retries on a failed handle",
                           f"{call.name} of {path} after {self.failed[call.descriptor]}")
            if call.name == "write" and path == str(self.place.events):
                for user in EVENT_USER.findall(call.text):
                    self.promise("login " + user, "an event", below=str(self.place.ledger))
            if call.name in ("fsync", "fdatasync"):
                # Only what was there before the sync began is brought to the disk by it.
                self.pending[call.thread] = (
                    set(file.unsynced) if file else self.disk.names_in(path))
        elif call.result < 0:
            self.fail(call, path, file)
        elif call.name in ("fsync", "fdatasync"):
            brought = self.pending.pop(call.thread)
            if file is None:
                self.disk.unsynced_names -= brought
            else:
                file.synced |= brought
                file.unsynced -= brought
                file.is_dirty = False
        elif call.name == "ftruncate" and file:
            file.lose()
        elif call.name == "write" and file:
            file.write(call.text, needs_seal=path.startswith(str(self.place.ledger)))

    def fail(self, call, path, file):
        """A failed call: what was to be synced is not to be trusted, nor is the handle."""
        error = durability.ERROR.match(call.tail).group(1)
        if call.name in ("fsync", "fdatasync"):
            self.failed_syncs += 1
            self.pending.pop(call.thread)
            if file:
                file.lose()
        if error != "EINTR" or call.name != "write":
            self.failed[call.descriptor] = f"{call.name} failed with {error}"

    def answer(self, call):
        """An answer to a command; with exit code 0 it promises all that was asked for."""
        code = EXIT_CODE.search(call.text) if call.is_on_control_socket else None
        if code is None:
            return
        asked = durability.tokens(self.requests.pop(call.descriptor, ""))
        if code.group(1) == "0":
            self.counts["acknowledged"] += 1
            if not asked:
                self.examples.append(f"the trace does not show what was asked for: {call.text[:300]}")
            for token in asked:
                self.promise(token, "an answer")

    def promise(self, token, what, below=None):
        """Somebody now relies on a token: in the ledger, or in a file that waits in the inbox."""
        self.counts["promises"] += 1
        places = [below] if below else [str(self.place.ledger), str(self.place.incoming)]
        holders = [path for place in places for path in self.disk.holders(token, place)]
        if not holders:
            self.count("acknowledged before sync", f"{what} for {token}")
        elif not any(self.disk.has_name(path) for path in holders):
            self.count("missing folder syncs", f"{what} for {token}, which is in {holders[0]}")

"""What of a data folder would survive a power failure, by the system calls that were made on it.

Written bytes are on the disk when a sync of their file has ended well that began after the write had ended; a name is,
when the same holds for a sync of its folder, and for the names of all folders above. After a failed sync the bytes that
it was to bring count as lost, and its descriptor must not be written or synced again.
"""

import os
import re

# What a request asks for, and what the ledger says when it has it.
USER = re.compile(r'"user":"(tok[\w-]*)","timezone"|"type":"user","user":"(tok[\w-]*)"')
LOGIN = re.compile(r'"user":"(tok[\w-]*)","kind":"login"')
ERROR = re.compile(r"^\s*(E[A-Z]+)")


def tokens(text):
    """The users and logins that a text speaks of."""
    users = {"user " + (one or other) for one, other in USER.findall(text)}
    return users | {"login " + user for user in LOGIN.findall(text)}


class File:
    """A file's bytes, as the tokens in them."""

    def __init__(self):
        # Behind the last seal; behind the last sync; on the disk.
        self.unsealed, self.unsynced, self.synced = set(), set(), set()
        self.is_dirty = False

    def write(self, text, needs_seal):
        self.is_dirty = True
        self.unsealed |= tokens(text)
        if not needs_seal or '"type":"seal"' in text:
            self.unsynced |= self.unsealed
            self.unsealed = set()

    def lose(self):
        """What was not synced is no longer there, or is not to be trusted."""
        self.unsealed, self.unsynced = set(), set()


class Folder:
    """Files and names below one root; what was there at the beginning is on the disk."""

    def __init__(self, root):
        self.root = str(root)
        self.files = {}
        self.folders = set()
        self.unsynced_names = set()
        for path, folders, files in os.walk(root):
            self.folders.add(path)
            self.files.update((os.path.join(path, name), File()) for name in files)

    def absolute(self, path):
        """A path as it is kept here; none when it lies outside."""
        path = os.path.normpath(os.path.join(self.root, path))
        is_inside = path == self.root or path.startswith(self.root + "/")
        return path if is_inside else None

    def make_folder(self, path):
        self.folders.add(path)
        self.unsynced_names.add(path)

    def open(self, path, flags):
        """The file at `path`, new if it was not there."""
        if path not in self.files:
            self.files[path] = File()
            self.unsynced_names.add(path)
        elif "O_TRUNC" in flags:
            self.files[path] = File()
        return self.files[path]

    def rename(self, old, new):
        self.files[new] = self.files.pop(old, File())
        self.unsynced_names.discard(old)
        self.unsynced_names.add(new)

    def remove(self, path):
        self.files.pop(path, None)
        self.unsynced_names.discard(path)

    def names_in(self, folder):
        """The names of a folder that are not on the disk."""
        return {path for path in self.unsynced_names if os.path.dirname(path) == folder}

    def has_name(self, path):
        """Whether a file would be found under its name after a power failure."""
        while len(path) > len(self.root):
            if path in self.unsynced_names:
                return False
            path = os.path.dirname(path)
        return True

    def holders(self, token, below):
        """The paths below a folder where a token is on the disk."""
        return [path for path, file in self.files.items()
                if token in file.synced and path.startswith(below)]

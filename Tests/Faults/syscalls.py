"""Reads what strace has written: the beginnings and ends of system calls, in the order in which they were."""

import re
from dataclasses import dataclass

BEGUN = re.compile(r"^(\d+) +(\w+)\((.*)$", re.S)
RESUMED = re.compile(r"^(\d+) +<\.\.\. (\w+) resumed>(.*)$", re.S)
ENDED = re.compile(r"^(.*)\)\s+= (-?\d+|\?)(.*)$", re.S)
# Behind it stands the file's path, unless the number names none (any more).
DESCRIPTOR = re.compile(r"^(-?\d+)\b")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
UNFINISHED = " <unfinished ...>"


@dataclass
class Call:
    """A system call. Its result and all its arguments are known when it has ended."""

    thread: str
    name: str
    arguments: str
    result: int = None
    tail: str = ""

    @property
    def descriptor(self):
        """The number of the file that is its first argument."""
        return int(DESCRIPTOR.match(self.arguments).group(1))

    @property
    def is_on_control_socket(self):
        """Whether it is about a connection of the control socket."""
        return "control.sock" in self.arguments[:300].split('"]>')[0]

    @property
    def paths(self):
        """The quoted arguments: paths, or the bytes that were written."""
        return QUOTED.findall(self.arguments)

    @property
    def text(self):
        """All arguments, without any backslash: what was written among them."""
        return self.arguments.replace("\\", "")

    @property
    def received(self):
        """What came from a socket, without any backslash; its name is the first quoted argument."""
        return self.paths[1].replace("\\", "") if len(self.paths) > 1 else ""


def read(path):
    """Yields `("begins", call)` and `("ends", call)`; a call that never ends has only begun."""
    open_calls = {}
    with open(path, errors="replace") as file:
        for line in file:
            line = line.rstrip("\n")
            resumed = RESUMED.match(line)
            if resumed:
                call = open_calls.pop(resumed.group(1), None)
                if call is not None and finish(call, call.arguments + resumed.group(3)):
                    yield "ends", call
                continue
            begun = BEGUN.match(line)
            if begun is None:
                continue
            call = Call(*begun.groups())
            if call.arguments.endswith(UNFINISHED):
                call.arguments = call.arguments[:-len(UNFINISHED)]
                open_calls[call.thread] = call
                yield "begins", call
                continue
            is_whole = finish(call, call.arguments)
            yield "begins", call
            if is_whole:
                yield "ends", call


def finish(call, text):
    """Takes the result off the end of a call's text; false when the process died in it."""
    ended = ENDED.match(text)
    if ended is None or ended.group(2) == "?":
        return False
    call.arguments, call.result, call.tail = ended.group(1), int(ended.group(2)), ended.group(3)
    return True

"""Strangers at the admin address and the control socket: connections that send a byte now and then, bodies without an
end. Health is answered throughout, and the memory stays."""

import resource
import socket
import time
from pathlib import Path

from Faults.place import Place, user_lines
from Shared.control import NoAnswer, ask, health, socket_of
from Shared.program import Failed
from Shared.service import Service
from Shared.waiting import free_port, wait_for

# What the project promises: 1,000 connections or bodies, an answer in 100 ms, 32 MiB more memory.
CONNECTIONS = 1_000
ANSWER_SECONDS = 0.1
MEMORY_KIB = 32 << 10
PROBES = 40
DRIPS = 5
BODY = 8 << 20


def run(options, outcome):
    """Each kind of stranger at each address."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65_536), hard))
    place = Place(options, outcome, admin=f"127.0.0.1:{(port := free_port())}")
    place.write("users.jsonl", user_lines(["u1"]))
    service = Service(place)
    service.wait_until_it_answers()
    if not wait_for(lambda: answers(port)):
        raise Failed("the admin address does not answer")
    addresses = {
        "admin": (lambda: tcp(port), lambda: ask(port, "/healthz")[0]),
        "control": (lambda: local(socket_of(place)), lambda: health(place)),
    }
    for address, (connect, probe) in addresses.items():
        for kind, begin in STRANGERS.items():
            before = resident(service)
            visit(outcome, f"{address} {kind}", connect, probe, begin, patience(probe))
            outcome.worst(f"{address} {kind} KiB", resident(service) - before)
            if resident(service) - before > MEMORY_KIB:
                outcome.breach(f"{address}, {kind}: {(resident(service) - before) >> 10} MiB more memory")
    if service.poll() is not None:
        outcome.breach("serve has ended")
    service.stop()


def patience(probe):
    """How long an answer may take here and now: on a busy machine even one without strangers takes its time."""
    slowest = 0
    for _ in range(PROBES):
        began = time.monotonic()
        probe()
        slowest = max(slowest, time.monotonic() - began)
    return max(ANSWER_SECONDS, 5 * slowest)


def visit(outcome, name, connect, probe, begin, patience_seconds):
    """Comes with all connections, asks for health meanwhile, and lets bytes drip."""
    strangers = []
    try:
        for number in range(CONNECTIONS):
            try:
                strangers.append(begin(connect(), number))
            except OSError:
                # Refused or cut: what a stranger deserves.
                continue
        for number in range(PROBES):
            began = time.monotonic()
            try:
                if probe() != 200:
                    outcome.breach(f"{name}: /healthz is not answered with 200")
            except NoAnswer as error:
                outcome.breach(f"{name}: /healthz is not answered: {error}")
                return
            seconds = time.monotonic() - began
            outcome.worst(f"{name} s", seconds)
            if seconds > patience_seconds:
                outcome.breach(f"{name}: /healthz took {seconds:.3f} s")
            if number % (PROBES // DRIPS) == 0:
                drip(strangers)
    finally:
        for stranger in strangers:
            stranger.close()


def drip(strangers):
    """One byte more from everybody who is still there."""
    for stranger in strangers:
        try:
            stranger.send(b"x")
        except OSError:
            continue


def idle(stranger, _):
    """Connects and says nothing."""
    return stranger


def slow(stranger, _):
    """Begins a head that never ends."""
    stranger.send(b"GET /readyz HTTP/1.1\r\nHost: x\r\nX-")
    return stranger


def unfinished(stranger, number):
    """Announces a large body, to a path that takes one and to paths that do not, and sends most of it."""
    path = [b"/v1/command", b"/v1/activity", b"/", b"/healthz"][number % 4]
    stranger.settimeout(0.2)
    stranger.send(b"POST " + path + b" HTTP/1.1\r\nHost: x\r\nContent-Length: "
                  + str(BODY).encode() + b"\r\n\r\n")
    sent = 0
    # The first hundred send much; sending a thousand times 8 MiB would take the machine's time, not the service's.
    while number < 100 and sent < BODY - 1_000_000:
        sent += stranger.send(bytes(1 << 18))
    return stranger


STRANGERS = {"idle": idle, "slow": slow, "unfinished": unfinished}


def tcp(port):
    """A connection to the admin address."""
    return socket.create_connection(("127.0.0.1", port), timeout=5)


def local(path):
    """A connection to the control socket."""
    stranger = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    stranger.settimeout(5)
    stranger.connect(str(path))
    return stranger


def answers(port):
    """Whether the admin address says that the service is alive."""
    try:
        return ask(port, "/healthz")[0] == 200
    except NoAnswer:
        return False


def resident(service):
    """The memory that the service holds now, in KiB."""
    status = Path(f"/proc/{service.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])

"""The inbox as strangers may leave it: millions of bad lines in one file; pipes, folders, devices, links and names that are
no text beside good files. Memory stays, the good lines are taken, every oddity is told, and readiness tells the truth."""

import os
import stat
import threading
import time

from Faults.place import Place, login_lines, user_lines
from Faults.strangers import resident
from Shared.control import NoAnswer, ask
from Shared.service import Service
from Shared.waiting import free_port, wait_for

MEMORY_KIB = 64 << 10
USERS = [f"u{number}" for number in range(20)]


def run(options, outcome):
    """Both kinds of inbox, each beside a running service."""
    place = Place(options, outcome, admin=f"127.0.0.1:{(port := free_port())}")
    place.run("users", "import", "-", given=user_lines(USERS))
    place.write("secret", "the secret of somebody else")
    service = Service(place)
    service.wait_until_it_answers()
    strew(options, outcome, place, port)
    flood(options, outcome, place, service)
    if service.poll() is not None:
        outcome.breach(f"serve has ended with {service.returncode}")
    service.stop()


def strew(options, outcome, place, port):
    """Every oddity before and behind a good file, by name."""
    incoming = place.incoming
    (incoming / "0-folder").mkdir()
    (incoming / "0-folder" / "in it").write_text("x")
    os.mkfifo(incoming / "1-pipe")
    os.symlink(place.folder / "secret", incoming / "2-link")
    os.symlink("/none/such", incoming / "3-dangling")
    oddities = 5
    with open(os.fsencode(incoming) + b"/4-\xff\xfe", "wb") as file:
        file.write(b"not text by name")
    try:
        os.mknod(incoming / "5-device", 0o600 | stat.S_IFCHR, os.makedev(1, 5))
        oddities += 1
    except PermissionError:
        pass
    for number, user in enumerate(USERS):
        place.deliver(f"{number % 10}-{user}.jsonl", login_lines([user]))
    if not wait_for(lambda: not any(incoming.iterdir()), within=30):
        outcome.breach(f"left in the inbox: {sorted(p.name for p in incoming.iterdir())}")
    reasons = list((place.data / "inbox" / "rejected").glob("*.reason"))
    outcome.add("oddities told", len(reasons))
    if len(reasons) != oddities:
        outcome.breach(f"{len(reasons)} of {oddities} oddities have a reason")
    for user in USERS:
        points = place.run("balance", user, "--format", "json").document["points"]
        if points != 25:
            outcome.breach(f"the login of {user} has brought {points} points")
    rejected = place.data / "inbox" / "rejected"
    for path in [p for p in rejected.rglob("*") if p.is_file() and not p.is_symlink()]:
        if "secret" in path.read_text(errors="replace"):
            outcome.breach(f"what a link points at stands in {path.name}")
    expect_ready(outcome, port, "after the oddities")


def flood(options, outcome, place, service):
    """Bad lines in one file, a good one at its end."""
    lines = options.size(1_000_000, 8_000_000)
    before = resident(service)
    path = place.incoming / ".flood"
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(lines // 1_000):
            file.write("x\n" * 1_000)
        file.write(login_lines(["u1"]))
    highest = before
    finished = threading.Event()

    def watch():
        nonlocal highest
        while not finished.wait(0.01):
            try:
                highest = max(highest, resident(service))
            except (OSError, StopIteration):
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    began = time.monotonic()
    path.rename(place.incoming / "flood.jsonl")
    taken = wait_for(lambda: (place.data / "inbox" / "done" / "flood.jsonl").exists(), within=600)
    finished.set()
    watcher.join()
    outcome.add("bad lines", lines)
    outcome.add("seconds for them", time.monotonic() - began)
    outcome.worst("KiB for them", highest - before)
    if not taken:
        outcome.breach("the file of bad lines is not put away")
    if highest - before > MEMORY_KIB:
        outcome.breach(f"{(highest - before) >> 10} MiB more memory for {lines} bad lines")


def expect_ready(outcome, port, when):
    """The service grants, and says so."""
    try:
        status, text = ask(port, "/readyz")
    except NoAnswer as error:
        status, text = 0, str(error)
    if status != 200:
        outcome.breach(f"{when}: /readyz says {status} {text}")

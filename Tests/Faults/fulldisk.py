"""Fills the disk to the last byte while commands come in, and frees it again.

Passes when `/healthz` and `/metrics` answer 200 all the time and `/readyz` answers all the time: 200 before, 503 with the reason
while the disk is full, 200 again when there is space, without a restart and without anybody writing; and when nothing
that was acknowledged is lost or granted twice.
"""

import os
import shutil
import time

from Faults.contents import Contents
from Faults.onlookers import Clients, Watch
from Faults.place import Place, login_lines, user_lines
from Shared import control
from Shared.disks import SmallDisk
from Shared.program import Unable
from Shared.service import Service
from Shared.waiting import free_port, wait_for

DISK_MEGABYTES = 16
# So long it may take until what the disk does shows in /readyz.
NOTICE_SECONDS = 2.0
RESUME_SECONDS = 15.0


def run(options, outcome):
    """One disk, filled twice: once with a file that waits in the inbox, once with commands alone.

    The second time nobody writes any more when there is space again.
    """
    if os.geteuid() != 0:
        raise Unable("mounting a small disk takes root: run this test as root")
    port = free_port()
    place = Place(options, outcome, admin=f"127.0.0.1:{port}")
    disk = SmallDisk(place.data, DISK_MEGABYTES)
    try:
        serve(options, outcome, place, port, disk)
    finally:
        # What is on the disk goes with it; a copy is evidence.
        if place.ledger.exists():
            shutil.copytree(place.ledger, place.folder / "ledger-copy")
        disk.close()


def serve(options, outcome, place, port, disk):
    """Lets one service live through both."""
    service = Service(place)
    service.wait_until_it_answers()
    if not wait_for(lambda: control.ask(port, "/readyz")[0] == 200, within=5):
        outcome.breach(f"/readyz before: {control.ask(port, '/readyz')}")
    watch = Watch(port, outcome)
    users, logins = [], []
    clients = []
    try:
        for name in ("inbox", "commands"):
            clients = [Clients(place, name)]
            time.sleep(1)
            live_through(options, outcome, place, disk, watch, clients, name)
            for group in clients:
                group.stop()
                users += group.users
                logins += group.logins
    finally:
        # Nobody goes on behind a test that was given up.
        for group in clients:
            group.stop()
        watch.is_over = True
        watch.join()
    if service.poll() is not None:
        outcome.breach(f"the service has ended: {service.log[-500:]}")
    wait_for(lambda: not place.waiting())
    outcome.add("users acknowledged", len(users))
    outcome.add("logins acknowledged", len(logins))
    if service.stop() != 0:
        outcome.breach(f"serve ended with {service.returncode}")
    code, report = place.verify()
    if code != 0 or report["damage"]:
        outcome.breach(f"ledger verify ended with {code}: {report['damage'][:3]}")
    found = Contents(place.ledger)
    lost = found.lost(users, logins)
    outcome.add("lost", len(lost))
    if lost or found.doubled():
        outcome.breach(f"lost: {lost[:5]}, granted twice: {found.doubled()[:5]}")


def live_through(options, outcome, place, disk, watch, clients, name):
    """Fills the disk under load, frees it, and checks what `/readyz` said."""
    hidden = place.incoming / ".waits.jsonl"
    late = [f"{name}-late-{number}" for number in range(20)]
    control.import_users(place, user_lines(late))
    hidden.write_text(login_lines(late))
    began = time.monotonic()
    refused = []
    while time.monotonic() < (refused[0][0] + NOTICE_SECONDS + options.size(1, 20) if refused
                              else began + 20):
        # Again and again: a command that fails gives back what it has taken.
        disk.fill()
        if name == "inbox" and hidden.exists():
            hidden.rename(place.incoming / "waits.jsonl")
        time.sleep(0.02)
        refused = [(when, why) for when, why in clients[0].refusals
                   if when > began and str(place.ledger) in why]
    outcome.add("refused by the ledger", len(refused))
    if not refused:
        outcome.breach(f"{name}: the ledger refused nothing, so the disk was not full")
        return
    while_full = watch.between(refused[0][0] + NOTICE_SECONDS, time.monotonic())
    wrong = [answer for answer in while_full
             if answer[0] != 503 or "No space left on device" not in answer[1]]
    outcome.add("503 while full", len(while_full) - len(wrong))
    if wrong or not while_full:
        outcome.breach(f"{name}: {len(wrong)} of {len(while_full)} answers of /readyz on a full disk"
                       f" are not 503 with the reason, the first: {wrong[:1]},"
                       f" while commands were refused with: {refused[0][1]}")
    if name == "commands":
        clients[0].stop()
    disk.free()
    freed = time.monotonic()
    is_ready = wait_for(lambda: control.ask(watch.port, "/readyz")[0] == 200, RESUME_SECONDS)
    outcome.worst(f"ready again ({name}) s", time.monotonic() - freed)
    if not is_ready:
        outcome.breach(f"{name}: not ready {RESUME_SECONDS:.0f} s after there was space again:"
                       f" {control.ask(watch.port, '/readyz')}")
    if name == "commands":
        clients.append(Clients(place, "after"))
    time.sleep(1)
    if not clients[-1].users or clients[-1].refusals and clients[-1].refusals[-1][0] > freed + 0.5:
        outcome.breach(f"{name}: commands are still refused")

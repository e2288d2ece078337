"""Versions of the time zone database in which a zone's clocks are set, from an instant on, otherwise than in the one before."""

import shutil
import struct
from pathlib import Path

from Shared.civil import HOUR, offset, show

# What the program reads besides the zones of a life.
ALWAYS = ("UTC", "Asia/Tokyo")
SPAN = 60 * 24 * HOUR


def make_table(folder: Path, zones: list[str], before: str, changed: str, since: int, shift: int) -> None:
    """Writes the tables of some zones, as `before` has them around `since`; `changed` is further ahead of UTC from then on by
    `shift` seconds."""
    for zone in {*zones, *ALWAYS}:
        offsets = offsets_around(zone, since, before)
        if zone == changed:
            offsets = shifted(offsets, since, shift)
        (folder / zone).parent.mkdir(parents=True, exist_ok=True)
        (folder / zone).write_bytes(tzif(offsets))
    (folder / "tzdata.zi").write_text(f"# version {show(since)[:4]}z\n")


def copy_tables(folder: Path, zones: set[str], before: str) -> None:
    """Copies the tables of these zones alone."""
    source = Path(before or "/usr/share/zoneinfo")
    for name in {*zones, *ALWAYS}:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, folder / name)
    with open(source / "tzdata.zi", encoding="utf-8") as version:
        (folder / "tzdata.zi").write_text(version.readline())


def offsets_around(zone: str, at: int, table: str) -> list[tuple[int, int]]:
    """The offsets of a zone for some weeks before and after, each with the instant from which on it holds."""
    found = [(at - SPAN, offset(zone, at - SPAN, table))]
    for hour in range(at - SPAN, at + SPAN, HOUR):
        if offset(zone, hour + HOUR, table) != found[-1][1]:
            low, high = hour, hour + HOUR
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(zone, middle, table) == found[-1][1] else (low, middle)
            found.append((high, offset(zone, high, table)))
    return found


def shifted(offsets: list[tuple[int, int]], since: int, shift: int) -> list[tuple[int, int]]:
    """The same with another offset from an instant on."""
    held = [seconds for at, seconds in offsets if at <= since][-1]
    return [*((at, seconds) for at, seconds in offsets if at < since), (since, held + shift),
            *((at, seconds + shift) for at, seconds in offsets if at > since)]


def tzif(offsets: list[tuple[int, int]]) -> bytes:
    """The bytes of a file that says so (RFC 9636); the last offset holds for ever."""
    def header(times: int, types: int) -> bytes:
        return b"TZif2" + bytes(15) + struct.pack(">6l", 0, 0, 0, times, types, 4)

    def kind(seconds: int) -> bytes:
        return struct.pack(">lBB", seconds, 0, 0)

    first, later = offsets[0][1], offsets[1:]
    hours, rest = divmod(abs(offsets[-1][1]), HOUR)
    footer = f"<ZZZ>{'-' if offsets[-1][1] > 0 else ''}{hours}:{rest // 60:02}:{rest % 60:02}"
    return (header(0, 1) + kind(first) + b"ZZZ\0" + header(len(later), len(offsets))
            + b"".join(struct.pack(">q", at) for at, _ in later) + bytes(range(1, len(offsets)))
            + b"".join(kind(seconds) for _, seconds in offsets) + b"ZZZ\0" + f"\n{footer}\n".encode())

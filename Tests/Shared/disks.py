"""Disks with no space left."""

import os
from pathlib import Path


def fill(ballast: Path) -> None:
    """Takes all space that is left on a file's disk, to the last byte."""
    file = os.open(ballast, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    size = 1 << 20
    while size:
        try:
            os.write(file, bytes(size))
        except OSError:
            size //= 2
    os.close(file)

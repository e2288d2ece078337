"""Small disks, and disks with no space left."""

import os
import subprocess
from pathlib import Path

from Shared.program import Unable


class SmallDisk:
    """A disk of some megabytes at a folder, and a file that takes all that is left. Takes root."""

    def __init__(self, folder: Path, megabytes: int):
        self.folder, self.ballast = folder, folder / "ballast"
        folder.mkdir(exist_ok=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "tmpfs", folder],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise Unable("a tmpfs cannot be mounted here; run this test as root, in a container with --cap-add SYS_ADMIN: "
                         + done.stderr.strip())

    def fill(self) -> None:
        """Takes all space that is left, to the last byte."""
        file = os.open(self.ballast, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        size = 1 << 20
        while size:
            try:
                os.write(file, bytes(size))
            except OSError:
                size //= 2
        os.close(file)

    def free(self) -> None:
        """Gives the space back."""
        self.ballast.unlink(missing_ok=True)

    def close(self) -> None:
        """Takes the disk away."""
        subprocess.run(["umount", "--lazy", self.folder], check=False)

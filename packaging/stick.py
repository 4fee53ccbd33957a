"""stick.py BOOTX64.EFI IMAGE: a stick's content, from which a machine boots the miner without an operating system.

An image of eight megabytes with one FAT16 partition: the program, a commented gpuminer.cfg, the licence, and room for results
(docs/bare-metal.md). The same program and SOURCE_DATE_EPOCH give the same bytes.
"""

import os
import pathlib
import shutil
import struct
import subprocess
import sys

SECTOR = 512
SIZE = 8_000_000  # bytes
START = 2048  # the partition's first sector: aligned to the blocks of flash memory
FAT16 = 0x0E  # as systems show it that give no letter to an EFI system partition; firmware looks at the file system alone
ROOT = pathlib.Path(__file__).resolve().parent.parent


def partition_table():
    """Of BIOS' kind, with one active partition; addresses by cylinder say that there are none."""
    no_cylinder = bytes([0xFE, 0xFF, 0xFF])
    entry = b"\x80" + no_cylinder + bytes([FAT16]) + no_cylinder + struct.pack("<II", START, SIZE // SECTOR - START)
    return bytes(440) + struct.pack("<IH", 0x47505553, 0) + entry + bytes(48) + b"\x55\xaa"


def volume(image):
    """The partition, as mtools take it."""
    return f"{image}@@{START * SECTOR}"


def missing(program):
    """Why no image can be made; empty: one can."""
    if not program:
        return "this build has no BOOTX64.EFI"
    return "" if shutil.which("mformat") else "mformat is not installed (package mtools)"


def make(program, image, epoch):
    """Writes the image; every time in it is `epoch`, seconds since 1970."""
    files = {"EFI/BOOT/BOOTX64.EFI": pathlib.Path(program).read_bytes(), "LICENSE.TXT": (ROOT / "LICENSE").read_bytes(),
             "gpuminer.cfg": (ROOT / "packaging" / "gpuminer.cfg").read_bytes().replace(b"\n", b"\r\n")}
    pathlib.Path(image).write_bytes(partition_table().ljust(SIZE, b"\0"))

    def mtool(*command, **named):
        subprocess.run([command[0], "-i", volume(image), *command[1:]], check=True, **named,
                       env=os.environ | {"SOURCE_DATE_EPOCH": str(epoch), "TZ": "UTC", "MTOOLSRC": os.devnull})

    mtool("mformat", "-T", str(SIZE // SECTOR - START), "-h", "16", "-s", "63", "-H", str(START), "-c", "1", "-N", "47505553",
          "-v", "GPUMINER", "::")
    mtool("mmd", "::/EFI", "::/EFI/BOOT")
    for path, content in files.items():
        mtool("mcopy", "-", f"::/{path}", input=content)


if __name__ == "__main__":
    make(sys.argv[1], sys.argv[2], int(os.environ.get("SOURCE_DATE_EPOCH", 0)))

"""BOOTX64.EFI under QEMU with OVMF: processors, instruction sets, configurations, and volumes that cannot be written to.

What it finds is compared with hashlib. No figure is looked at: the emulator's cycles are the host's time.
"""

import csv
import hashlib
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "packaging")]
import machine  # noqa: E402
import stick  # noqa: E402
from unittest_main import main  # noqa: E402

PROGRAM = os.environ.get("BAREMETAL", "")
GENESIS = ("0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3"
           "888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c")
GENESIS_NONCE = 2083236893
GENESIS_HASH = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"
LONGER = ("1us", "10us", "100us", "1ms", "10ms")
HEADINGS = "thread range time avg c/h max c/h min c/h total cycles"


def config(**options):
    """gpuminer.cfg for the genesis block, with these options as well."""
    return "".join(f"{name.replace('_', '-')} = {value}\n" for name, value in {"header": GENESIS, **options}.items())


def near_genesis(before, after, **options):
    return config(start=GENESIS_NONCE - before, end=GENESIS_NONCE + after, **options)


def hash_of(nonce):
    header = bytes.fromhex(GENESIS[:152]) + nonce.to_bytes(4, "little")
    return int.from_bytes(hashlib.sha256(hashlib.sha256(header).digest()).digest(), "little")


def parse_report(content):
    """GPUMINER.CSV as {name: value} and a list of the threads' rows, {column: value}."""
    rows = list(csv.reader(content.decode("ascii").splitlines(keepends=True)))
    head = next(i for i, row in enumerate(rows) if row[0] == "thread")
    return dict(rows[:head]), [dict(zip(rows[head], row, strict=True)) for row in rows[head + 1:]]


def pieces_of(text):
    """First and last nonces of the table on the screen."""
    rows = re.findall(r"^#\d+ +([0-9A-F]{8})-([0-9A-F]{8}) ", text, re.MULTILINE)
    return [(int(first, 16), int(last, 16)) for first, last in rows]


def expected_pieces(first, last, workers):
    count, at, pieces = last - first + 1, first, []
    for i in range(workers):
        size = count // workers + (1 if i < count % workers else 0)
        pieces.append((at, at + size - 1))
        at += size
    return pieces


def skip_without_program(test):
    if not PROGRAM:
        test.skipTest("this build has no BOOTX64.EFI: there is no clang++ or no lld-link (packages clang and lld)")


def skip_without_machine(test):
    skip_without_program(test)
    if why := machine.missing():
        test.skipTest(why)


class Boots(unittest.TestCase):
    def start(self, *arguments, **named):
        skip_without_machine(self)
        return self.ended(machine.start(PROGRAM, *arguments, **named))

    def ended(self, finished):
        self.assertEqual(finished.code, 0, finished.text)
        self.assertIn("Done: ", finished.text)
        self.assertNotIn("MH/s", finished.text)  # an emulator's
        return finished

    def check_genesis(self, finished, first, last, workers, isa, **expected):
        """That the nonce was found, in the table and the report as well."""
        self.assertIn(f"hit nonce {GENESIS_NONCE}, hash {GENESIS_HASH}", finished.words)
        self.assertIn(f"form {isa}: ", finished.words)
        self.assertIn(HEADINGS, finished.words)
        self.assertEqual(pieces_of(finished.text), expected_pieces(first, last, workers))
        values, threads = parse_report(finished.report)
        wanted = {"format": "gpuminer bare metal", "format_version": "1", "isa": isa, "header": GENESIS, "start": str(first), "end": str(last),
                  "threads": str(workers), "ended": "finished", "hashes": str(last - first + 1), "hits": "1", **expected}
        self.assertEqual({name: values[name] for name in wanted}, wanted)
        self.assertEqual([(int(row["first"]), int(row["last"])) for row in threads], expected_pieces(first, last, workers))
        self.assertEqual(sum(int(row["hashes"]) for row in threads), last - first + 1)
        self.assertEqual([float(values[f"longer_{key}_seconds"]) > 0 for key in LONGER], [int(values[f"longer_{key}_slices"]) > 0 for key in LONGER])
        self.assertRegex(finished.words, r"longer than the median of those around them, by 1 to 10 us: [0-9,]+.* 10 ms and more: [0-9,]+")
        for row in threads:
            self.assertLessEqual(float(row["min"]), float(row["avg"]))
            self.assertLessEqual(float(row["avg"]), float(row["max"]))
            self.assertGreater(int(row["cycles"]), 0)

    def test_four_processors(self):
        first, last = GENESIS_NONCE - 60000, GENESIS_NONCE + 20000
        finished = self.start(config(start=first, end=last, slice=4096))
        self.check_genesis(finished, first, last, workers=3, isa="avx2", processors="4", boot_processor="free", interrupts="masked by the firmware")
        self.assertIn("workers 3 of 4 processors; the boot processor is free", finished.words)
        self.assertIn("measure nothing", finished.words)  # says whose cycles they are

    def test_stick(self):
        """The image of the packages as a USB stick, with other values in lines of its gpuminer.cfg."""
        skip_without_machine(self)
        first, last = GENESIS_NONCE - 20000, GENESIS_NONCE + 20000
        with tempfile.TemporaryDirectory() as folder:
            image = pathlib.Path(folder) / "stick.img"
            stick.make(PROGRAM, image, epoch=0)
            volume = stick.volume(image)
            text = machine.read_file(volume, "gpuminer.cfg").decode()
            for name, value in {"header": GENESIS, "start": first, "end": last}.items():
                text, count = re.subn(rf"^#{name} = .*$", f"{name} = {value}\r", text, flags=re.MULTILINE)
                self.assertEqual(count, 1, name)
            subprocess.run(["mcopy", "-o", "-i", volume, "-", "::/gpuminer.cfg"], input=text.encode(), check=True)
            finished = self.ended(machine.start_image(image, volume, drive=("qemu-xhci", "usb-storage,removable=on"), processors=2))
        self.check_genesis(finished, first, last, workers=1, isa="avx2")

    def test_fallback(self):
        first, last = GENESIS_NONCE - 5000, GENESIS_NONCE + 5000
        finished = self.start(config(start=first, end=last), cpu="qemu64", processors=3)
        self.check_genesis(finished, first, last, workers=2, isa="scalar", processors="3")
        self.assertIn("counted by rdtsc", finished.words)

    def test_two_processors(self):
        """Interrupts masked, and a boot processor that waits inside the firmware."""
        first, last = GENESIS_NONCE - 20000, GENESIS_NONCE
        finished = self.start(config(start=first, end=last, mask_interrupts="yes", progress="no", isa="sse41"), processors=2)
        self.check_genesis(finished, first, last, workers=1, isa="sse41", processors="2", boot_processor="free", interrupts="masked")
        self.assertNotIn("searched", finished.text)

    def test_one_processor(self):
        first, last = GENESIS_NONCE, GENESIS_NONCE + 20000
        finished = self.start(config(start=first, end=last), processors=1)
        self.check_genesis(finished, first, last, workers=1, isa="avx2", processors="1", boot_processor="works")
        self.assertIn("workers 1 of 1 processor, the boot processor", finished.words)

    def test_bad_config(self):
        finished = self.start("# a job\nheader = 0123\n")
        self.assertIn('error: gpuminer.cfg, line 2: expected 152 hex digits (a header without its nonce) or 160 as header, got "0123"',
                      finished.words)
        self.assertIsNone(finished.report)

    def test_isa_that_is_missing(self):
        finished = self.start(near_genesis(10, 10, isa="avx512", at_end="reboot"), processors=1)
        self.assertIn("error: gpuminer.cfg: isa avx512 cannot run here: this CPU or its operating system has no AVX-512", finished.words)
        self.assertIn("Done: restarts", finished.words)
        self.assertIsNone(finished.report)

    def test_no_hit(self):
        """On a volume that cannot be written to."""
        finished = self.start(near_genesis(9000, -1, threads=2), read_only=True)
        self.assertIn("hits none in this range", finished.words)
        self.assertIn("workers 2 of 4 processors", finished.words)
        self.assertIn("error: GPUMINER.CSV cannot be written: write protected (EFI error 8)", finished.words)
        self.assertIsNone(finished.report)

    def test_many_hits(self):
        """More candidates in a slice than a worker has room for: it is searched in halves."""
        first, last = GENESIS_NONCE - 4000, GENESIS_NONCE + 4000
        target = (1 << 254) - 1
        finished = self.start(config(start=first, end=last, target=f"{target:064x}"), processors=2)
        hits = [nonce for nonce in range(first, last + 1) if hash_of(nonce) <= target]
        listed = [int(nonce) for nonce in re.findall(r"^hit +nonce (\d+),", finished.text, re.MULTILINE)]
        self.assertEqual(listed, hits[:64])
        self.assertIn(f"note: thread 0 found {len(hits) - 64:,} more, which are not listed", finished.words)
        values, _ = parse_report(finished.report)
        self.assertEqual((values["hits"], values["hashes"]), (str(len(hits)), str(last - first + 1)))

    def test_no_config(self):
        """All nonces of block 100000: too many for an emulator, so that Escape is pressed."""
        finished = self.start(keys=[("Escape ends it", b"\x1b")])
        self.assertIn("note: no gpuminer.cfg on this volume: searches Bitcoin block 100000", finished.words)
        self.assertIn("range 00000000-FFFFFFFF (4,294,967,296 nonces)", finished.words)
        self.assertIn("hits none so far", finished.words)
        self.assertEqual(pieces_of(finished.text), [(0, 0x55555555), (0x55555556, 0xAAAAAAAA), (0xAAAAAAAB, 0xFFFFFFFF)])
        values, threads = parse_report(finished.report)
        self.assertEqual((values["ended"], values["hits"], len(threads)), ("stopped", "0", 3))
        self.assertEqual(int(values["hashes"]), sum(int(row["hashes"]) for row in threads))


class Program(unittest.TestCase):
    def test_size(self):
        skip_without_program(self)
        content = pathlib.Path(PROGRAM).read_bytes()
        self.assertLess(len(content), 1_000_000)
        self.assertEqual(content[:2], b"MZ")
        pe = int.from_bytes(content[0x3c:0x40], "little")
        self.assertEqual(content[pe:pe + 6], b"PE\0\0" + (0x8664).to_bytes(2, "little"))  # for x86-64
        self.assertEqual(content[pe + 24:pe + 26], (0x20b).to_bytes(2, "little"))  # PE32+
        self.assertEqual(content[pe + 24 + 68:pe + 24 + 70], (10).to_bytes(2, "little"))  # a UEFI application

    def test_stick(self):
        """Its image is small and always the same, and has one active FAT16 partition with all files and room for results."""
        skip_without_machine(self)
        images = []
        with tempfile.TemporaryDirectory() as folder:
            for name, zone in (("a.img", "UTC"), ("b.img", "Pacific/Chatham")):
                with unittest.mock.patch.dict(os.environ, TZ=zone):
                    stick.make(PROGRAM, pathlib.Path(folder) / name, epoch=1_700_000_000)
                images.append((pathlib.Path(folder) / name).read_bytes())
            volume = stick.volume(pathlib.Path(folder) / "a.img")
            self.assertEqual(machine.read_file(volume, "EFI/BOOT/BOOTX64.EFI"), pathlib.Path(PROGRAM).read_bytes())
            self.assertEqual(machine.read_file(volume, "LICENSE.TXT"), (ROOT / "LICENSE").read_bytes())
            free = subprocess.run(["mdir", "-i", volume, "::"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(*images)
        self.assertLessEqual(len(images[0]), 8_000_000)
        self.assertGreater(int(re.search(r"([0-9 ]+) bytes free", free)[1].replace(" ", "")), 5_000_000)
        status, kind, start, sectors = struct.unpack_from("<B3xB3xII", images[0], 446)
        self.assertEqual((status, kind, images[0][510:512], images[0][462:510]), (0x80, 0x0E, b"\x55\xaa", bytes(48)))
        self.assertEqual((start * 512 + sectors * 512, images[0][start * 512 + 54:][:8]), (len(images[0]), b"FAT16   "))


if __name__ == "__main__":
    main()

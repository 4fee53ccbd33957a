"""`gpuminer bench pseudo-miner --against GPUMINER.CSV`, with files as BOOTX64.EFI writes them (test_report.cpp compares that)."""

import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from support import BLOCK, BLOCK_NONCE, environment, main, run  # noqa: E402

FIRST, LAST = BLOCK_NONCE - 200000, BLOCK_NONCE + 99999
HAS_KERNELS = bool(os.environ.get("BAREMETAL_KERNELS"))  # this build has those by clang


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))


def report(**changes):
    """GPUMINER.CSV of one thread, with these values in place of others."""
    values = {
        "format": "gpuminer bare metal", "format_version": 1, "program_version": "0.1.0", "compiler": "Another Clang 99", "flags": "-O2",
        "cpu": cpu_model(), "hypervisor": "", "firmware": "Made up 00010000", "processors": 2, "boot_processor": "free", "isa": "scalar",
        "form": "one nonce at a time", "interrupts": "open", "header": BLOCK, "target": "000000000004864c" + "0" * 48, "start": FIRST,
        "end": LAST, "slice": 4096, "threads": 1, "ended": "finished", "hashes": 300000, "hits": 1, "counter_hz": 2450000000, "seconds": 0.5,
        **changes}
    lines = [f'{name},"{value}"' if isinstance(value, str) else f"{name},{value}" for name, value in values.items()]
    lines += ["thread,processor,first,last,hashes,seconds,avg,max,min,cycles",
              f"0,1,{FIRST},{LAST},300000,0.500000,1000.0000,1200.5000,990.0000,300000000"]
    return "\r\n".join(lines) + "\r\n"


class Against(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = str(pathlib.Path(self.folder.name) / "GPUMINER.CSV")

    def bench(self, content, *arguments, **named):
        pathlib.Path(self.path).write_text(content, encoding="ascii")
        return run("bench", "pseudo-miner", "--against", self.path, "--rounds", "1", *arguments, **named)

    def expect_error(self, code, words, content, *arguments):
        process = self.bench(content, *arguments)
        self.assertEqual((process.returncode, process.stdout), (code, b""), process.stderr.decode())
        self.assertIn(words, process.stderr.decode())

    def need_kernels(self):
        if not HAS_KERNELS:
            self.skipTest("this build has no kernels by clang: there is no clang++ or no lld-link")

    def test_side_by_side(self):
        self.need_kernels()
        process = self.bench(report())
        text = process.stdout.decode()
        self.assertEqual(process.returncode, 0, process.stderr.decode())
        self.assertIn(f"1 found: {BLOCK_NONCE}", text)
        words = " ".join(text.split())
        self.assertIn("no OS 1 of 2 processors, scalar (one nonce at a time), interrupts open; compiled by Another Clang 99", words)
        self.assertRegex(words, r"Linux kernels of the same sources, compiled by .*[Cc]lang .*; the rest of this program by .*; threads asked for --cpu-priority 3 ")
        self.assertRegex(words, r"total time 0\.500 s [0-9.]+ s [+-][0-9.]+ %")
        self.assertRegex(words, r"average cycles per hash 1,?000\.00 [0-9.,]+ ")
        self.assertRegex(words, r"maximum 1,?200\.50 [0-9.,]+ ")
        self.assertRegex(words, r"minimum 990\.00 [0-9.,]+ ")
        self.assertRegex(words, r"total cycles 300,000,000 [0-9,]+ ")
        piece = f"{FIRST:08X}–{LAST:08X}"
        self.assertIn(f"#0 no OS {piece} 0.500 s 1000.00 1200.50 990.00 300,000,000", words)
        self.assertIn(f"#0 Linux {piece} ", words)
        self.assertIn("note: The kernels were not made by the same compiler with the same flags.", text)
        self.assertNotIn("processors differ", text)

    def test_interruptions(self):
        """Beside those of a report that has them."""
        self.need_kernels()
        longer = {f"longer_{key}_{of}": value for key, *both in (("1us", 12, 4e-5), ("10us", 0, 0), ("100us", 0, 0), ("1ms", 1234, 3.5), ("10ms", 0, 0))
                  for of, value in zip(("slices", "seconds"), both, strict=True)}
        process = self.bench(report(**longer))
        self.assertEqual(process.returncode, 0, process.stderr.decode())
        words = " ".join(process.stdout.decode().split())
        self.assertRegex(words, r"longer than the median by no OS: slices together Linux: slices together 1 to 10 us 12 0\.000040 s [0-9,]+ ")
        self.assertRegex(words, r" 1 to 10 ms 1,?234 3\.500000 s [0-9,]+ ")
        process = self.bench(report(**longer), "--json", "-q")
        there = json.loads(process.stdout)["measurements"][0]["details"]["against"]["bare_metal"]
        self.assertEqual(there["interruptions"][3], {"from_seconds": 1e-3, "slices": 1234, "seconds": 3.5})

    def test_document(self):
        self.need_kernels()
        process = self.bench(report(hypervisor="KVMKVMKVM", cpu="Another CPU", program_version="0.0.7", boot_processor="works", processors=1, hits=7), "--json", "-q")
        self.assertEqual(process.returncode, 0, process.stderr.decode())
        details = json.loads(process.stdout)["measurements"][0]["details"]
        self.assertEqual(details["nonces"], 300000)
        self.assertEqual([(thread["start"], thread["end"]) for thread in details["threads"]], [(FIRST, LAST)])
        there, here = details["against"]["bare_metal"], details["against"]["linux"]
        self.assertEqual({name: there[name] for name in ("compiler", "seconds", "avg", "max", "min", "cycles")},
                         {"compiler": "Another Clang 99", "seconds": 0.5, "avg": 1000, "max": 1200.5, "min": 990, "cycles": 300000000})
        self.assertIn("lang", here["compiler"])
        self.assertEqual(here["cpu_priority"], 3)
        self.assertIn("-ffreestanding", here["flags"])
        self.assertNotIn("interruptions", there)
        self.assertEqual([row["from_seconds"] for row in details["interruptions"]], [1e-6, 1e-5, 1e-4, 1e-3, 1e-2])
        notes = " ".join(details["against"]["notes"])
        for words in ("virtual machine ('KVMKVMKVM')", "'Another CPU' there", "one processor", "7 there, 1 here", "version '0.0.7' there"):
            self.assertIn(words, notes)

    def test_what_cannot_be_compared(self):
        self.expect_error(1, "emulator (TCG)", report(hypervisor="TCGTCGTCGTCG"))
        self.expect_error(1, "expected a finished search, got a stopped one", report(ended="stopped"))
        self.expect_error(1, "expected GPUMINER.CSV as BOOTX64.EFI writes it, got one without format", "a,b\n")
        self.expect_error(1, "got slice '1000000000000'", report(slice=10**12))
        self.expect_error(1, "got threads '9'", report(threads=9))
        self.expect_error(1, "got hashes '299999'", report(hashes=299999))
        self.expect_error(1, "got seconds that are not those of the longest thread", report(seconds=0))
        self.expect_error(1, "got boot_processor 'sleeps'", report(boot_processor="sleeps"))
        self.expect_error(1, "got one with two of 'hits'", "hits,9\r\n" + report())
        for cells in ("990.0000,1", "990.0000,300000000,more"):
            self.expect_error(1, "got a thread whose figures contradict each other", report().replace("990.0000,300000000", cells))
        if HAS_KERNELS:
            self.expect_error(1, "expected a form of the search that this program has, got 'avx1024' ('one nonce at a time')",
                              report(isa="avx1024"))
        else:
            self.expect_error(1, "--against needs a build that contains BOOTX64.EFI's kernels", report())

    def test_the_file_alone_says_how(self):
        self.expect_error(1, "--against takes job and kernels from its file, and excludes --start", report(), "--start", "5")
        self.expect_error(1, "--against takes job and kernels from its file, and excludes --isa", report(), "--isa", "scalar")
        for words in (["scan"], ["scan", "pseudo-miner"], []):
            process = run("bench", *words, "--against", self.path)
            self.assertEqual(process.returncode, 1)
            self.assertIn("--against applies to bench pseudo-miner only", process.stderr.decode())
        process = run("bench", "pseudo-miner", "--against", self.path + "x")
        self.assertEqual(process.returncode, 1)
        self.assertIn("cannot read", process.stderr.decode())
        process = run("mine", "genesis", "--against", self.path)
        self.assertEqual(process.returncode, 1)
        self.assertIn("--against does not apply to mine", process.stderr.decode())
        if HAS_KERNELS:  # a configuration's options are for other runs
            with_threads = pathlib.Path(self.folder.name) / "config.toml"
            with_threads.write_text("threads = 3\nisa = \"auto\"\n", encoding="ascii")
            process = self.bench(report(), "--json", "-q", "--config", str(with_threads), env=environment(GPUMINER_NO_CONFIG=""))
            self.assertEqual(process.returncode, 0, process.stderr.decode())


if __name__ == "__main__":
    main()

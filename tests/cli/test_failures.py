"""Devices that fail, lie, or cannot be used: gpuminer_faulty, the command line over devices that behave as told."""

import json
import pathlib
import subprocess
import tempfile
import time

from support import EVERYTHING, Case, document_of, faulty, hits_of, main, not_emulated, oracle, real_headers, run

GENESIS = next(row["header_hex"] for row in real_headers() if row["network"] == "mainnet" and row["height"] == "0")
GENESIS_NONCE = 2083236893
# In the first half, which is the first device's piece of a static partition, and beyond its first three scans.
NEAR_GENESIS = ["--start", str(GENESIS_NONCE - 9000), "--end", str(GENESIS_NONCE + 11000)]
EASY = "00" + "f" * 62  # one hash in 256
BUS = "the card fell off the bus"
PARTITIONS = (["--partition", "static"], ["--partition", "dynamic"])


class Failures(Case):
    def search(self, code, devices, *arguments):
        """The document of `mine genesis --json`, and the messages."""
        process = run("mine", "genesis", *arguments, "--json", **faulty(devices))
        self.assertEqual(process.returncode, code, process.stderr.decode())
        return json.loads(process.stdout), process.stderr.decode()

    def failures_of(self, document):
        return {device["name"]: device["failure"] for device in document["devices"] if "failure" in device}

    def test_all_fail(self):
        for partition in PARTITIONS:
            document, messages = self.search(5, "dead,late", *partition)
            self.assertEqual(self.failures_of(document), {"cpu:dead#0": BUS, "cpu:late#1": BUS})
            self.assertEqual((document["found"], document["ending"]), (False, "failed"))
            for words in (f"cpu:dead#0 is quarantined: {BUS}", f"cpu:late#1 is quarantined: {BUS}",
                          "all devices failed before the work was finished"):
                self.assertIn(words, messages)

    def test_all_fail_in_text(self):
        process = run("mine", "genesis", **faulty("dead,blind"))
        self.assertEqual(process.returncode, 5)
        for words in ("nothing found: devices failed before the range was finished", f"cpu:dead#0 was quarantined: {BUS}",
                      "cpu:blind#1 was quarantined: self-test failed"):
            self.assertIn(words, process.stdout.decode())
        process = run("grind", "genesis", "-q", **faulty("dead"))
        self.assertEqual((process.returncode, process.stdout), (5, b""))
        self.assertIn("the devices failed before a nonce was found", process.stderr.decode())

    @not_emulated("no program starts another")
    def test_a_command_is_told_of_a_device_that_is_taken_out(self):
        with tempfile.TemporaryDirectory() as folder:
            seen = pathlib.Path(folder) / "seen"
            command = f'echo "$GPUMINER_DEVICE: $GPUMINER_REASON" > {seen}.new; mv {seen}.new {seen}'
            program = faulty("late,good", XDG_STATE_HOME=folder)
            process = subprocess.Popen([program["program"], "mine", "genesis", "--all", "--on-device-error", command],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=program["env"])
            try:
                end = time.monotonic() + 60
                while not seen.exists() and time.monotonic() < end:
                    time.sleep(0.05)
                self.assertEqual(seen.read_text(), f"cpu:late#0: {BUS}\n")
            finally:
                process.kill()
                process.wait()

    def test_what_was_found_before_all_failed(self):
        document, _ = self.search(5, "late", "--target", EASY, "--all", "--end", "99999")
        self.assertGreater(document["hashes"], 0)
        self.assertEqual(hits_of(document), oracle(GENESIS, EASY, 0, document["hashes"] - 1))
        process = run("mine", "genesis", "--target", EASY, "--all", "--end", "99999", **faulty("late"))
        self.assertEqual(process.returncode, 5)
        self.assertIn("found; devices failed before the range was finished", process.stdout.decode())

    def test_others_take_over(self):
        for partition in PARTITIONS:
            for devices, failed, reason in (("dead,good", "cpu:dead#0", BUS), ("late,good", "cpu:late#0", BUS),
                                            ("blind,good", "cpu:blind#0", "self-test failed (block 100000): it missed nonce 274148111")):
                document, messages = self.search(0, devices, *partition, *NEAR_GENESIS)
                self.assertEqual([hit["nonce"] for hit in document["results"]], [GENESIS_NONCE], devices)
                self.assertEqual((document["ending"], self.failures_of(document)), ("finished", {failed: reason}))
                self.assertIn(f"warning: {failed} is quarantined: {reason}\n", messages)
        process = run("grind", "genesis", *NEAR_GENESIS, **faulty("dead,good"))
        self.assertEqual((process.returncode, process.stdout.decode()), (0, GENESIS + "\n"))
        self.assertIn(f"cpu:dead#0 is quarantined: {BUS}", process.stderr.decode())

    def test_each_nonce_once_although_one_fails(self):
        for partition in PARTITIONS:
            document, _ = self.search(0, "good,late,dead", *partition, "--target", EASY, "--all", "--end", "29999")
            self.assertEqual(hits_of(document), oracle(GENESIS, EASY, 0, 29999))
            self.assertEqual(document["hashes"], 30000)

    def test_liar(self):
        for partition in PARTITIONS:
            for devices in ("liar,good", "good,liar,good"):
                document, messages = self.search(0, devices, *partition, "--target", EASY, "--all", "--end", "29999")
                self.assertEqual(hits_of(document), oracle(GENESIS, EASY, 0, 29999))
                self.assertEqual(document["rejected_candidates"], 3)
                liar = next(device for device in document["devices"] if "liar" in device["name"])
                self.assertEqual(liar["wrong_candidates"], 3)
                self.assertIn("it returned a wrong candidate", liar["failure"])
                self.assertIn(f"{liar['name']} is quarantined", messages)
                self.assertEqual(document["hashes"], 30000 + liar["hashes"])  # what the liar searched is searched again
        process = run("mine", "genesis", "--target", EASY, "--all", "--end", "29999", **faulty("liar,good"))
        self.assertIn("rejected    3 wrong candidates\n", process.stdout.decode())

    def test_liars_alone(self):
        for devices, rejected in (("liar", 3), ("liar,liar", 6)):
            document, _ = self.search(5, devices, "--target", EASY, "--all", "--end", "29999")
            self.assertEqual((hits_of(document), document["rejected_candidates"]), ([], rejected))

    def test_no_usable_device(self):
        reasons = ("no usable device", "cpu:absent#0: it is switched off; switch it on", "cpu:broken#1: its driver is too old")
        for command in ("mine", "grind"):
            process = run(command, "genesis", **faulty("absent,broken"))
            self.assertEqual((process.returncode, process.stdout), (4, b""))
            for reason in reasons:
                self.assertIn(reason, process.stderr.decode().splitlines()[-1])
        process = run("mine", "genesis", "--json", **faulty("absent,broken"))
        document = document_of(process.stdout)
        self.assertEqual((process.returncode, document["format"], document["exit_code"]), (4, "gpuminer error", 4))
        for reason in reasons:
            self.assertIn(reason, document["error"])
        self.expect_error(4, "no usable device", "mine", "genesis", **faulty(""))
        self.expect_error(4, "device cpu:absent#1 cannot be used: it is switched off", "mine", "genesis", "-d", "1", **faulty("good,absent"))

    def test_device_that_does_not_open(self):
        document, messages = self.search(0, "broken,good", "--target", EVERYTHING, "--end", "5000")
        self.assertEqual([device["name"] for device in document["devices"]], ["cpu:good#1"])
        self.assertIn("warning: cpu:broken#0 is not used: its driver is too old\n", messages)

    def test_list(self):
        process = run("devices", **faulty("good,absent"))
        self.assertEqual((process.returncode, process.stderr), (0, b""))
        _, good, absent = process.stdout.decode().splitlines()
        self.assertRegex(good, r"^ +0  cpu:good#0 .* yes *$")
        self.assertRegex(absent, r"^ +1  cpu:absent#1 .* unusable  it is switched off; switch it on$")
        good, absent = json.loads(run("devices", "--json", **faulty("good,absent")).stdout)["devices"]
        self.assertEqual([good[key] for key in ("usable", "used_by_default", "reason")], [True, True, None])
        self.assertEqual([absent[key] for key in ("usable", "used_by_default", "reason")], [False, False, "it is switched off; switch it on"])

    def test_table_without_a_cycle_counter(self):
        arguments = ["mine", "genesis", "--end", "9999", "-D"]
        text = run(*arguments, **faulty("uncounted", counter="none")).stdout.decode()
        self.assertRegex(text, r"\ncpu:uncounted#0  00000000–0000270F  +10,000  .*H/s( +-){4}\n")
        self.assertRegex(text, r"this machine has no (rdtscp: cycles|cntvct_el0: ticks) are not counted\n")
        text = run(*arguments, "--partition", "static", **faulty("good,uncounted")).stdout.decode()
        self.assertRegex(text, r"\ncpu:good#0 .*( +10\.00){3} +[\d,]+\n")
        self.assertRegex(text, r"\ncpu:uncounted#1 .*H/s( +-){4}\n")
        self.assertRegex(text, r"(reference cycles|timer ticks) per hash, counted by (rdtscp|cntvct_el0) at 1\.000 GHz\n")


if __name__ == "__main__":
    main()

"""`gpuminer bench` and `gpuminer compare`: documents, files, exit codes, signals."""

import csv
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

import report_sample
from support import DATA, GPUMINER, Case, document_of, environment, faulty, main, run, run_on_terminal

QUICK = ["--seconds", "0.3", "--rounds", "3", "-t", "1", "--backend", "cpu"]


class Bench(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        process = run("bench", *QUICK, "--json", str(cls.path / "run.json"), "--csv", str(cls.path / "run.csv"),
                      "--markdown", str(cls.path / "run.md"), "--report", str(cls.path / "run.html"),
                      "--submit", str(cls.path / "to pass on.json"))
        assert process.returncode == 0, process.stderr.decode()
        cls.text, cls.messages = process.stdout.decode(), process.stderr.decode()
        cls.document = json.loads((cls.path / "run.json").read_text())
        # `auto` may choose another instruction set in a later run, whose rows have other names.
        cls.isa = ["--isa", re.search(r"cpu:([\w+]+)#", cls.document["measurements"][0]["name"])[1]]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def file(self, name):
        return str(self.path / name)

    def changed(self, name, change):
        """A copy of the document with `change` applied to each scan measurement."""
        document = json.loads(json.dumps(self.document))
        for measurement in document["measurements"]:
            change(measurement)
        (self.path / name).write_text(json.dumps(document))
        return self.file(name)

    def test_a_block_of_a_node(self):
        recorded = json.loads((DATA / "getblocktemplate" / "core_regtest_txs.json").read_text())
        raw = bytes.fromhex(recorded["block"])
        count = 1 + len(recorded["template"]["transactions"])
        for name, content in (("block.dat", raw), ("block.txt", recorded["block"].encode() + b"\n")):
            (self.path / name).write_bytes(content)
            document = document_of(run("bench", "block", "--block", self.file(name), "--rounds", "2", "--seconds", "0.01", "--json").stdout)
            self.assertEqual(document["job"]["block"]["transactions"], count)
            digest = hashlib.sha256(hashlib.sha256(raw[:80]).digest()).digest()[::-1].hex()
            self.assertEqual(document["job"]["block"]["name"], f"block {digest}")
            rows = {row["name"]: row for row in document["measurements"]}
            self.assertEqual(set(rows), {task + way for task in ("txids", "wtxids", "root") for way in ("", ", 1 stream", ", OpenSSL")})
            self.assertEqual(rows["wtxids"]["details"]["bytes"], len(raw) - 81)
            self.assertEqual({row["unit"] for row in rows.values()}, {"ns per hash"})
        (self.path / "wrong.dat").write_bytes(raw[:40] + bytes([raw[40] ^ 1]) + raw[41:])
        self.expect_error(1, f"file '{self.file('wrong.dat')}': expected transactions of the merkle root", "bench", "block", "--block", self.file("wrong.dat"))
        for name, content, what in (("header", raw[:80].hex().encode(), "a header"), ("bytes", raw[:80], "a header"),
                                    ("text", b"no block\n", "something else"), ("empty", b"", "nothing"),
                                    ("long", b"0" * 2**21, "something longer")):
            (self.path / name).write_bytes(content)
            self.expect_error(1, f"got {what}", "bench", "block", "--block", self.file(name))
        self.expect_error(1, "--block applies to bench block only", "bench", "scan", "--block", self.file("block.dat"))

    def test_the_document_says_what_where_and_how(self):
        document = self.document
        self.assertEqual((document["format"], document["format_version"]), ("gpuminer bench", 1))
        self.assertTrue(document["verified"])
        self.assertEqual((document["ending"], document["failures"]), ("finished", []))
        for field in ("version", "commit", "compiler", "flags", "kernel_flags"):
            self.assertTrue(document["program"][field], field)
        for field in ("cpu", "cores", "cpu_flags", "microcode", "governor", "hardware_threads", "system", "tsc_hz", "scheduling"):
            self.assertIn(field, document["machine"])
        self.assertIn("bench --seconds 0.3", document["command"])
        self.assertRegex(document["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertGreater(document["job"]["scan"]["fixed"]["known_hits"], 4000)
        (device,) = document["devices"]
        self.assertEqual(device["backend"], "cpu")
        names = [measurement["name"] for measurement in document["measurements"]]
        self.assertEqual(names, [device["name"] + " fixed", device["name"] + " rolled"])
        for measurement in document["measurements"]:
            self.assertEqual((measurement["workload"], measurement["unit"], measurement["better"]), ("scan", "hashes/s", "higher"))
            values = sorted(one["value"] for one in measurement["rounds"])
            self.assertEqual(len(values), 3)
            self.assertEqual(measurement["median"], values[1])
            self.assertGreater(measurement["details"]["hits_compared"], 0)

    def test_the_reports_name_no_files(self):
        """They are published, and a path begins with a user's name."""
        self.assertTrue(self.document["command"].endswith("--json FILE --csv FILE --markdown FILE --report F.html --submit F.json"))
        for name in ("run.json", "run.csv", "run.md", "run.html"):
            self.assertNotIn(str(self.path), (self.path / name).read_text())
            self.assertNotRegex((self.path / name).read_text(), r"\brun\.(json|csv|md|html)")
        document, page = self.file("compared.json"), self.path / "compared.html"
        (self.path / "compared.json").write_text(json.dumps(self.document | {"failures": ["wrong"], "verified": False}))
        self.assertEqual(run("compare", document, self.file("run.json"), "--report", page).returncode, 0)
        self.assertIn("the baseline", page.read_text())
        self.assertNotIn("compared.json", page.read_text())

    def test_what_owners_can_pass_on(self):
        text = (self.path / "to pass on.json").read_text()
        (device,) = document_of(text)["devices"]
        self.assertEqual(device["name"], self.document["devices"][0]["name"])
        self.assertEqual([(rate["form"], rate["median"]) for rate in device["rates"]],
                         [(measurement["name"].split()[1], measurement["median"]) for measurement in self.document["measurements"]])
        self.assertNotIn(str(self.path), text)
        self.assertIn("nothing was sent", self.messages)
        self.assertNotRegex(self.messages, "https?://")
        self.expect_error(1, "--submit: expected scan among the workloads", "bench", "kernel", "--submit", self.file("none"))
        self.assertFalse((self.path / "none").exists())

    def test_the_views_have_the_same_figures(self):
        name = self.document["measurements"][0]["name"]
        for text in (self.text, (self.path / "run.md").read_text(), (self.path / "run.html").read_text()):
            self.assertIn(name, text)
        with open(self.path / "run.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 6)
        medians = [float(row["value"]) for row in rows if row["name"] == name]
        self.assertAlmostEqual(sorted(medians)[1], self.document["measurements"][0]["median"], delta=1)

    def test_json_goes_to_standard_output_where_no_file_is_named(self):
        for words in (["bench", *QUICK, "--json"], ["--json", "bench", *QUICK], ["bench", "--json", "scan", *QUICK],
                      ["bench", *QUICK, "--json", "-"]):
            process = run(*words, "-q")
            self.assertEqual(process.returncode, 0, process.stderr.decode())
            self.assertEqual(json.loads(process.stdout)["format"], "gpuminer bench")

    def test_expectations(self):
        name = self.document["measurements"][0]["name"]
        for expectation, code in (("1", 0), ("1k", 0), ("900T", 2), (f"scan/{name}=1", 0), (f"1,scan/{name}=900T", 2)):
            process = run("bench", *QUICK, *self.isa, "-q", "--expect-min", expectation)
            self.assertEqual(process.returncode, code, process.stderr.decode())
        self.assertIn("expected at least 900.0 TH/s, measured", run("bench", *QUICK, "--expect-min", "900T").stderr.decode())
        self.assertEqual(run("bench", *QUICK, "--expect-min", "scan/nothing=5").returncode, 2)

    def test_compare(self):
        same = run("compare", self.file("run.json"), self.file("run.json"), "--fail-below", "99")
        self.assertEqual(same.returncode, 0, same.stderr.decode())

        def ten_rounds(factor):
            def change(measurement):
                measurement["rounds"] = [{"at": i, "value": factor * (1e6 + 1e3 * (i % 3))} for i in range(10)]
            return change
        fast, slow = self.changed("fast.json", ten_rounds(1)), self.changed("slow.json", ten_rounds(0.9))
        self.assertEqual(run("compare", fast, slow).returncode, 0)
        self.assertEqual(run("compare", fast, slow, "--fail-below", "95").returncode, 2)
        self.assertEqual(run("compare", fast, slow, "--fail-below", "85").returncode, 0)
        self.assertEqual(run("compare", slow, fast, "--fail-below", "95").returncode, 0)
        document = json.loads(run("compare", fast, slow, "--json").stdout)
        self.assertEqual([row["verdict"] for row in document["measurements"]], ["slower", "slower"])

    def test_compare_takes_several_and_writes_reports(self):
        def named(label):
            document = json.loads(json.dumps(self.document))
            document.update(label=label, warnings=[f"{label} was disturbed"])
            (self.path / label).write_text(json.dumps(document))
            return self.file(label)
        a, b, c = named("one"), named("two"), named("three")
        reports = [f"--{kind}={self.file(kind)}" for kind in ("csv", "markdown", "report")]
        text = run("compare", a, b, *reports).stdout.decode()
        for words in ("A is", "one, gpuminer", "A: one was disturbed", "B: two was disturbed"):
            self.assertIn(words, text)
        rows = list(csv.DictReader((self.path / "csv").read_text().splitlines()))
        self.assertEqual([row["verdict"] for row in rows], ["cannot tell"] * len(self.document["measurements"]))
        self.assertIn("two was disturbed", (self.path / "markdown").read_text())
        self.assertIn("two was disturbed", (self.path / "report").read_text())
        process = run("compare", a, b, c, "--json")
        document = document_of(process.stdout)
        self.assertEqual([one["b"] for one in document["comparisons"]], [b, c])
        self.assertEqual(run("compare", a, b, c).stdout.decode().count("A is"), 2)
        self.assertEqual(run("compare", a, b, c, reports[2]).returncode, 0)
        page = (self.path / "report").read_text()
        for words in ("two was disturbed", "three was disturbed", '"documents":['):
            self.assertIn(words, page)
        self.assertNotIn(str(self.path), page)

    def test_a_run_has_a_label_and_takes_about_as_long_as_asked(self):
        before = time.monotonic()
        process = run("bench", "scan", "latency", "--for", "3s", "--label", "A <name>", "-t", "1", "--backend", "cpu", "--json",
                      "--report", self.file("labelled.html"), "--markdown", self.file("labelled.md"), "-q")
        self.assertEqual(process.returncode, 0, process.stderr.decode())
        self.assertGreater(time.monotonic() - before, 3)
        document = document_of(process.stdout)
        self.assertEqual(document["label"], "A <name>")
        self.assertTrue(all(row["count"] >= 3 for row in document["measurements"]), document["measurements"])
        self.assertEqual(len({row["workload"] for row in document["measurements"]}), 2)
        self.assertIn("A \\u003cname>", (self.path / "labelled.html").read_text())
        self.assertIn("**A \\<name\\>**", (self.path / "labelled.md").read_text())
        self.expect_error(1, "--seconds (of each row) excludes", "bench", "--quick", "--seconds", "1")

    def test_all_hardware_threads_by_default(self):
        threads = len(os.sched_getaffinity(0))
        document = json.loads(run("bench", "--seconds", "0.3", "--rounds", "3", "--backend", "cpu", "--json", "-q").stdout)
        names = [row["name"] for row in document["measurements"] if row["name"].endswith(" fixed")]
        self.assertEqual(len(document["devices"]), threads)
        if threads > 1:
            self.assertIn(f"{threads} CPU threads fixed", names)
        if threads > 2:
            self.assertIn(f"{threads - 1} CPU threads fixed", names)

    def test_fail_below_fails_what_it_cannot_judge(self):
        def change(measurement):
            for one in measurement["rounds"]:
                one["value"] /= 2
        few = self.changed("few.json", change)  # three rounds are too few to tell
        process = run("compare", self.file("run.json"), few, "--fail-below", "95")
        self.assertEqual(process.returncode, 2)
        self.assertIn("too few rounds to tell", process.stderr.decode())
        nothing = json.loads(json.dumps(self.document))
        nothing["measurements"] = []
        (self.path / "nothing.json").write_text(json.dumps(nothing))
        self.assertEqual(run("compare", self.file("run.json"), self.file("nothing.json")).returncode, 0)
        self.assertEqual(run("compare", self.file("run.json"), self.file("nothing.json"), "--fail-below", "95").returncode, 2)

    def test_input(self):
        process = run("bench", "input", "--rounds", "1", "--json", self.file("input.json"), "--markdown", self.file("input.md"))
        self.assertEqual(process.returncode, 0, process.stderr.decode())
        document = document_of((self.path / "input.json").read_text())
        self.assertTrue(document["verified"])
        rows = {row["name"]: row for row in document["measurements"]}
        self.assertEqual({name.partition(", ")[0]: row["details"]["per_round"] for name, row in rows.items()},
                         {"1 MB": 1_000_000, "64 MB": 64_000_000})
        late, right = rows["1 MB, late pipe"], rows["1 MB, late pipe, no wait"]
        self.assertGreaterEqual(late["median"] - right["median"], 20e6 / 1e6 - 1e-6)  # 20 ms, in ns for each byte
        self.assertEqual(late["details"]["right_ns_per_byte"], right["median"])
        for text in (process.stdout.decode(), (self.path / "input.md").read_text()):
            self.assertIn("the clock covers the wait for a writer that starts late", text)
        self.assertEqual(run("compare", self.file("input.json"), self.file("input.json")).returncode, 0)

    def test_a_short_pseudo_miner(self):  # the whole range would take minutes
        process = run("bench", "pseudo-miner", "--for", "0.5", "--json", "-t", "1", "--backend", "cpu", *self.isa)
        self.assertEqual(process.returncode, 0, process.stderr.decode())
        document = json.loads(process.stdout)
        nonces = document["measurements"][0]["details"]["nonces"]
        self.assertLess(nonces, 2**32)
        self.assertEqual(nonces & (nonces - 1), 0)
        self.assertEqual(document["job"]["pseudo-miner"]["end"], nonces - 1)
        self.assertIn(f"pseudo-miner: {nonces:,} of 4,294,967,296 nonces are searched", "".join(document["notes"]))

    def test_baseline(self):
        def times_a_thousand(measurement):
            for one in measurement["rounds"]:
                one["value"] *= 1000
            measurement["rounds"] *= 4
        unreachable = self.changed("unreachable.json", times_a_thousand)
        arguments = ["bench", "--seconds", "0.3", "--rounds", "8", "-t", "1", "--backend", "cpu", *self.isa, "--baseline", unreachable]
        process = run(*arguments, "--report", self.file("with_baseline.html"))
        self.assertEqual(process.returncode, 0, process.stderr.decode())
        self.assertIn("slower", process.stdout.decode())
        self.assertEqual(run(*arguments, "--fail-below", "90").returncode, 2)

    def test_progress_on_a_terminal(self):
        self.assertIn("%", run_on_terminal("bench", "--seconds", "1", "--rounds", "10", "-t", "1", "--backend", "cpu"))


class Endings(Case):
    """Refusals, failures and signals."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        (self.path / "run.json").write_text(json.dumps(report_sample.document()))

    def file(self, name):
        return str(self.path / name)

    def test_bad_words(self):
        self.expect_error(1, "expected a workload (all, scan", "bench", "frobnicate")
        self.expect_error(1, "--rounds: expected a number from 1", "bench", "--rounds", "0")
        self.expect_error(1, "--seconds: expected a duration", "bench", "--seconds", "-1")
        self.expect_error(1, "--expect-min: expected a positive number", "bench", "--expect-min", "fast")
        self.expect_error(1, "--fail-below needs --baseline", "bench", "--fail-below", "95")
        self.expect_error(1, "--start applies to bench pseudo-miner only", "bench", "scan", "--start", "5")
        self.expect_error(1, "--all does not apply to bench", "bench", "--all")
        self.expect_error(1, "expected a row of a measured workload", "bench", "kernel", "--expect-min", "30M")
        self.expect_error(1, "expected a row's name before '='", "bench", "--expect-min", "=5")
        self.expect_error(1, "twice", "bench", "--csv", self.file("one"), "--markdown", self.file("./one"))
        self.expect_error(1, "--report: expected a file name, got '-'", "bench", "--report", "-")
        self.expect_error(1, "--max-temp does not apply to bench", "bench", "--max-temp", "80")
        self.expect_error(1, "--rounds does not apply to mine", "mine", "genesis", "--rounds", "5")
        self.expect_error(1, "expected a file that can be written", "bench", "--report", "/nonexistent/a.html")
        self.expect_error(1, "/nonexistent/a.json", "bench", "--baseline", "/nonexistent/a.json")
        self.assertEqual(run("bench", **faulty("absent")).returncode, 4)
        self.assertIn("it is switched off", json.loads(run("bench", "--json", "-d", "cpu:absent#0", **faulty("absent")).stdout)["error"])

    def test_what_was_measured_is_kept_when_a_later_workload_cannot_run(self):
        process = run("bench", "kernel", "scan", "--rounds", "2", "--json", **faulty("absent"))
        self.assertEqual(process.returncode, 5, process.stderr.decode())
        document = json.loads(process.stdout)
        self.assertTrue(document["verified"])  # nothing was wrong
        self.assertEqual(document["ending"], "failed")
        self.assertIn("it is switched off", document["notes"][-1])
        self.assertEqual({row["workload"] for row in document["measurements"]}, {"kernel"})

    def test_compare_refuses_what_is_no_document(self):
        self.expect_error(1, "expected two or more documents", "compare")
        self.expect_error(1, "expected two or more documents", "compare", self.file("run.json"))
        self.expect_error(1, "cannot read 'more'", "compare", self.file("run.json"), self.file("run.json"), "more")
        for content in ("", "{", "[]", '{"format": "gpuminer bench", "format_version": 2}', "\xff", "[" * 100000):
            (self.path / "bad.json").write_text(content)
            self.expect_error(1, "bad.json", "compare", self.file("run.json"), self.file("bad.json"))

    def test_a_device_that_fails_ends_the_run_with_5(self):
        genesis = ["pseudo-miner", "--header", "genesis", "--end", "3000000"]  # what faulty devices fail at
        for words, device, reason in ((genesis, "late", "fell off the bus"), (genesis, "liar", "liar"), (["scan"], "blind", "self-test")):
            process = run("bench", *words, "--json", **faulty(device))
            self.assertEqual(process.returncode, 5, process.stderr.decode())
            document = json.loads(process.stdout)
            self.assertFalse(document["verified"])
            self.assertEqual(document["ending"], "failed")
            self.assertIn(reason, document["failures"][0])

    def test_a_signal_ends_it_with_what_was_measured(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = subprocess.Popen([GPUMINER, "bench", "--seconds", "600", "--rounds", "5000", "-t", "1", "--backend", "cpu", "--json"],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
            process.stderr.readline()  # it has started
            time.sleep(1.5)
            process.send_signal(number)
            stdout, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, code)
            document = json.loads(stdout)
            self.assertEqual(document["ending"], "interrupted")


class RealTime(Case):
    """Alone, as nobody else gets the processor meanwhile."""

    def test_under_real_time_scheduling_it_ends_and_hears_signals(self):
        on_one_thread = ["chrt", "-f", "10", "taskset", "-c", str(min(os.sched_getaffinity(0)))]
        if subprocess.run([*on_one_thread, "true"], capture_output=True).returncode != 0:
            self.skipTest("real-time scheduling (chrt) is not allowed here")
        process = subprocess.run([*on_one_thread, GPUMINER, "bench", "latency", "--rounds", "2", "-t", "1", "--backend", "cpu"],
                                 capture_output=True, timeout=120, env=environment())
        self.assertEqual(process.returncode, 0, process.stderr.decode())
        process = subprocess.Popen([*on_one_thread, GPUMINER, "bench", "pseudo-miner", "-t", "1", "--backend", "cpu"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        process.stderr.readline()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)


if __name__ == "__main__":
    main()

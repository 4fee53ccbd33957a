"""Documents and events against their schemas, and the sums within documents of `mine`."""

import datetime
import json
import math
import os
import pathlib
import subprocess
import tempfile
import time

from support import (BLOCK, BLOCK_NONCE, EVERYTHING, GPUMINER, NEAR_BLOCK, NOTHING, SCHEMAS, Case, document_of, environment,
                     faulty, main, needs_jsonschema, run, validate)

@needs_jsonschema
class Documents(Case):
    def document(self, code, *arguments, **kwargs):
        process = run(*arguments, "--json", "-q", **kwargs)
        self.assertEqual(process.returncode, code, process.stderr)
        document = document_of(process.stdout)
        self.assertEqual(document["format"], "gpuminer mine")
        return document

    def test_schema_for_each_exit_code(self):
        self.assertEqual(self.document(0, *NEAR_BLOCK)["ending"], "finished")
        self.assertEqual(self.document(0, "grind", BLOCK, *NEAR_BLOCK)["ending"], "finished")
        self.assertEqual(self.document(2, "mine", BLOCK, "--end", "0")["ending"], "finished")
        self.assertEqual(self.document(3, "mine", BLOCK, *NOTHING, "--time-limit", "0.3")["ending"], "limit")
        self.document(0, "mine", BLOCK, "--target", EVERYTHING, "--end", "0", "--all")
        self.document(0, "mine", BLOCK, "--target", EVERYTHING, "--end", "500", "--all", "--roll-versions", "2000")

    def test_sums(self):
        for partition in ("static", "dynamic"):
            document = self.document(2, "mine", BLOCK, *NOTHING, "--end", "300000", "-t", "2", "--partition", partition)
            self.assertEqual(document["hashes"], 300001)
            self.assertEqual(sum(device["hashes"] for device in document["devices"]), 300001)
            self.assertEqual(document["partition"], partition)
            self.assertTrue(math.isclose(document["hash_rate"], document["hashes"] / document["seconds"], rel_tol=1e-6))
            for device in document["devices"]:
                cycles = device["cycles_per_hash"]
                if device["hashes"] and cycles:
                    self.assertLessEqual(cycles["min"], cycles["avg"] * (1 + 1e-9))
                    self.assertLessEqual(cycles["avg"], cycles["max"] * (1 + 1e-9))

    def test_failing_devices(self):
        document = self.document(5, "mine", "genesis", "--end", "9999", **faulty("dead,blind,liar"))
        self.assertEqual(document["ending"], "failed")
        failures = [device.get("failure", "") for device in document["devices"]]
        for failure, words in zip(failures, ("the card fell off the bus", "self-test failed", "the third one"), strict=True):
            self.assertIn(words, failure)
        document = self.document(2, "mine", "genesis", "--end", "9999", **faulty("good,dead"))
        self.assertEqual([device["name"] for device in document["devices"] if "failure" in device], ["cpu:dead#1"])

    def test_without_a_cycle_counter(self):
        arguments = ["mine", "genesis", "--end", "9999"]
        counted = self.document(2, *arguments, **faulty("good"))
        self.assertEqual(counted["devices"][0]["cycles_per_hash"], {"avg": 10, "min": 10, "max": 10})
        self.assertEqual((counted["devices"][0]["cycles_total"], counted["tsc_hz"]), (100000, 1e9))
        uncounted = self.document(2, *arguments, **faulty("uncounted", counter="none"))
        self.assertEqual([uncounted["devices"][0][key] for key in ("cycles_per_hash", "cycles_total")], [None, None])
        self.assertIsNone(uncounted["tsc_hz"])
        counter = {"reference cycles": "rdtscp", "timer ticks": "cntvct_el0"}[uncounted["cycle_unit"]]
        self.assertIn(f"no {counter}:", uncounted["note"])

    def test_static_pieces(self):
        for limit in ("0.2", "2", "20", "200"):  # on a busy machine some come before the range is cut
            document = self.document(3, "mine", BLOCK, *NOTHING, "-t", "3", "--partition", "static", "--time-limit", limit)
            pieces = [(device["start"], device["end"]) for device in document["devices"]]
            if pieces[0][0] <= pieces[0][1]:
                break
        self.assertEqual(pieces, [(0, 0x55555555), (0x55555556, 0xAAAAAAAA), (0xAAAAAAAB, 0xFFFFFFFF)])

    def test_head(self):
        """What every document begins with."""
        before = int(time.time())
        for arguments in (["verify", "100000"], ["mine", "genesis", "--end", "0"], ["grind", "genesis", "--end", "0"],
                          ["explain", "100000"], ["explain", "100000", "--steps"], ["explain", "170", "--nonce", "0", "--against", "1"], ["devices"], ["verify", "nothing"],
                          ["--version"], ["bench", "kernel", "--isa", "scalar", "--rounds", "2", "--seconds", "0.02"]):
            document = document_of(run(*arguments, "--json").stdout)
            self.assertEqual(list(document)[:4], ["format", "format_version", "program_version", "time"])
            self.assertIn(document["format"], (f"gpuminer {arguments[0].lstrip('-')}", "gpuminer mine", "gpuminer error"))
            self.assertIn(document["program_version"].encode(), run("--version").stdout)
            moment = datetime.datetime.strptime(document["time"], "%Y-%m-%dT%H:%M:%S%z").timestamp()
            self.assertTrue(before <= moment <= time.time(), document["time"])

    def test_schemas(self):
        """Each describes what it requires, and refuses a document that differs from it."""
        def check(schema, place):
            if not isinstance(schema, (dict, list)):
                return
            for key, part in schema.items() if isinstance(schema, dict) else enumerate(schema):
                check(part, f"{place}/{key}")
            if isinstance(schema, dict) and "properties" in schema:
                self.assertLessEqual(set(schema.get("required", [])), set(schema["properties"]), place)
        for path in SCHEMAS.glob("*.json"):
            check(json.loads(path.read_text()), path.name)
        document = json.loads(run("verify", "100000", "--json").stdout)
        self.assertTrue(document["valid"])
        for change in ({"valid": 1}, {"hash": "00"}, {"format_version": 2}, {"surprise": True}):
            with self.assertRaisesRegex(Exception, "Failed validating"):
                document_of(json.dumps({**document, **change}))


@needs_jsonschema
class Events(Case):
    def path(self, name):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return str(pathlib.Path(folder.name) / name)

    def events_of(self, lines):
        events = [json.loads(line) for line in lines.splitlines()]
        for event in events:
            validate(event)
        self.assertEqual((events[0]["event"], events[-1]["event"]), ("start", "end"))
        return events

    def test_in_a_file_beside_the_document(self):
        file = self.path("events")
        document = document_of(run("mine", BLOCK, *NEAR_BLOCK, "-t", "1", "--backend", "cpu", "--json", "--events", file).stdout)
        events = self.events_of(pathlib.Path(file).read_text())
        self.assertEqual({**events[-1]["document"], "time": ""}, {**document, "time": ""})
        self.assertEqual([event["name"] for event in events if event["event"] == "device"], [document["devices"][0]["name"]])

    def test_on_standard_output_in_place_of_the_report(self):
        process = run("mine", "genesis", *NOTHING, "--time-limit", "2.5", "--events", "-", **faulty("slow"))
        self.assertEqual(process.returncode, 3)
        events = self.events_of(process.stdout)
        rates = [event["hashes"] for event in events if event["event"] == "rate"]
        self.assertTrue(rates == sorted(rates) and rates, events)
        self.assertEqual(events[-1]["document"]["ending"], "limit")

    def test_an_end_for_each_header(self):
        headers = "".join(f"{BLOCK}\n" for _ in range(3))
        process = run("mine", "-", *NEAR_BLOCK, "--events", "-", stdin=headers.encode())
        self.assertEqual(process.returncode, 0)
        ends = [event["document"] for event in self.events_of(process.stdout) if event["event"] == "end"]
        self.assertEqual([end["results"][0]["nonce"] for end in ends], [BLOCK_NONCE] * 3)
        devices = [event["name"] for event in self.events_of(process.stdout) if event["event"] == "device"]
        self.assertEqual(len(devices), len(set(devices)))
        self.assertEqual(process.stderr.count(b"gpuminer "), 1, process.stderr)

    def test_a_result_is_waited_for(self):
        """Far more than a pipe, and what a writer keeps of events, can hold; the reader comes when the search is over."""
        command = [GPUMINER, "mine", BLOCK, "--target", EVERYTHING, "--end", "9999", "--all", "--events", "-", "-t", "1", "--backend", "cpu"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        text = os.read(process.stdout.fileno(), 10)
        time.sleep(2)  # a busy machine may be searching still, and the test easier
        rest, messages = process.communicate(timeout=300)
        self.assertEqual((process.returncode, b"lost" in messages), (0, False), messages)
        self.assertEqual(len(self.events_of(text + rest)[-1]["document"]["results"]), 10000)

    def test_a_result_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            process = subprocess.run([GPUMINER, "mine", BLOCK, *NEAR_BLOCK, "--events", "-"], stdout=full, stderr=subprocess.PIPE,
                                     timeout=300, env=environment())
        self.assertEqual(process.returncode, 1)
        self.assertIn(b"events end here: cannot write standard output: No space left", process.stderr)
        self.assertIn(b"cannot write to standard output", process.stderr)

    def test_of_a_configuration_file_are_a_pools(self):
        file, config = self.path("events"), self.path("config.toml")
        for events in (file, "-"):
            pathlib.Path(config).write_text(f"events = '{events}'\n")
            for command in ("mine", "grind"):
                process = run(command, BLOCK, *NEAR_BLOCK, "--config", config)
                self.assertEqual((process.returncode, b'"event"' in process.stdout), (0, False), process.stderr)
        self.assertFalse(pathlib.Path(file).exists())

    def test_a_reader_that_does_not_wait(self):
        """A pipe that its reader has set to return at once (O_NONBLOCK is the pipe's, for both)."""
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        process = subprocess.Popen([GPUMINER, "mine", BLOCK, "--target", EVERYTHING, "--end", "9999", "--all", "--events", "-"], stdout=writer,
                                   stderr=subprocess.PIPE, env=environment())
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            time.sleep(1)  # until it is full
            self.assertEqual(len(self.events_of(pipe.read())[-1]["document"]["results"]), 10000)
        self.assertEqual(process.wait(300), 0, process.stderr.read())
        process.stderr.close()

    def test_a_search_that_is_over(self):
        file = self.path("search")
        run("mine", BLOCK, *NEAR_BLOCK, "--checkpoint", file)
        self.assertEqual([event["event"] for event in self.events_of(run("mine", BLOCK, *NEAR_BLOCK, "--resume", file, "--events", "-").stdout)],
                         ["start", "end"])


if __name__ == "__main__":
    main()

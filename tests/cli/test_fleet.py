"""GPUs of all kinds beside CPU threads: slow ones, silent ones, and the same one through several APIs. gpuminer_faulty
plays them."""

import json
import signal
import subprocess
import time

from support import EVERYTHING, FAULTY, NOTHING, Case, document_of, faulty, hits_of, main, needs_jsonschema, oracle, real_headers, run, run_on_terminal, wait_until_it_hears

GENESIS = next(row["header_hex"] for row in real_headers() if row["network"] == "mainnet" and row["height"] == "0")
EASY = "00" + "f" * 62  # one hash in 256
ALL = ["--target", EASY, "--all", "--end", "29999"]
BUS = "the card fell off the bus"
PARTITIONS = (["--partition", "static"], ["--partition", "dynamic"])
PATIENCE = 60  # seconds; far more than is needed, for slow builds on busy machines
BESIDE = "a library was destroyed beside a thread in it"


class Fleet(Case):
    def search(self, code, devices, *arguments, **settings):
        """The document of `mine genesis --json`, the messages, and the time it took."""
        began = time.monotonic()
        process = run("mine", "genesis", *arguments, "--json", **faulty(devices, **settings))
        seconds = time.monotonic() - began
        messages = process.stderr.decode()
        self.assertEqual(process.returncode, code, messages)
        self.assertNotIn(BESIDE, messages)
        return json.loads(process.stdout), messages, seconds

    def names(self, document):
        return [device["name"] for device in document["devices"]]

    def failures(self, document):
        return {device["name"]: device["failure"] for device in document["devices"] if "failure" in device}

    def start(self, devices, *arguments, command="mine", **settings):
        process = subprocess.Popen([FAULTY, command, "genesis", *arguments], env=faulty(devices, **settings)["env"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, process, words):
        lines = []
        while line := process.stderr.readline().decode():
            lines.append(line)
            if words in line:
                return
        self.fail(f"no line with {words}: {lines}")


class Joining(Fleet):
    def test_all_take_part(self):
        for limit in ("3", "10", "30", "100"):  # on a busy machine some come before all have begun
            document, messages, _ = self.search(3, "slow,card,vulkan:sleepy", *NOTHING, "--time-limit", limit)
            if len(document["devices"]) == 3 and all(device["hashes"] > 0 for device in document["devices"]):
                break
        self.assertEqual([(device["name"], device["hashes"] > 0) for device in document["devices"]],
                         [("cpu:slow#0", True), ("cuda:card#0", True), ("vulkan:sleepy#0", True)])
        self.assertRegex(messages, r"gpuminer \S+: 1 × cpu:slow\n(.*\n)*cuda:card#0 joins: a device for tests\n(.*\n)*vulkan:sleepy#0 joins")

    def test_every_nonce_once(self):
        for partition in PARTITIONS:
            document, _, _ = self.search(0, "good,card,opencl:sleepy,vulkan:late", *partition, *ALL)
            self.assertEqual(hits_of(document), oracle(GENESIS, EASY, 0, 29999))
            self.assertEqual(document["hashes"], 30000)

    def test_slow_probes_and_slow_devices_delay_nothing(self):
        for settings in ({"GPUMINER_FAULTY_PROBES": "cuda=3600,opencl=60"}, {}):
            devices = "good,card,opencl:card" if settings else "good,asleep"
            began = time.monotonic()
            process = run("grind", "genesis", "--target", EVERYTHING, **faulty(devices, **settings))
            seconds = time.monotonic() - began
            print(f"grind took {seconds:.3f} s beside {settings or devices}")
            self.assertLess(seconds, 30)
            self.assertEqual((process.returncode, process.stderr), (0, b""))
            # Long enough for the probes to begin, and for the device to be in its opening.
            document, messages, seconds = self.search(3, devices.replace("good", "slow"), *NOTHING, "--time-limit", "1", "-D", **settings)
            self.assertEqual(self.names(document), ["cpu:slow#0"])
            self.assertLess(seconds, 30)
            self.assertRegex(messages, "(cuda was still being probed when|cuda:asleep#0 was not ready before) the search ended")
            # Who has named it is told without -D, too.
            named = ["--time-limit", "1", "--backend", "cpu,cuda" + (",opencl" if settings else "")]
            for arguments, told in ((named, True), (named[:2], False)):
                _, messages, _ = self.search(3, devices.replace("good", "slow"), *NOTHING, *arguments, **settings)
                self.assertEqual("before the search ended" in messages or "when the search ended" in messages, told)

    def test_waiting_for_the_only_device(self):
        document, messages, _ = self.search(2, "sleepy", "--end", "999")
        self.assertEqual(self.names(document), ["cuda:sleepy#0"])
        self.assertIn("waiting for devices\n", messages)
        text = run_on_terminal("mine", "genesis", "--end", "999", **faulty("sleepy"))
        self.assertIn("\nwaiting for devices\033[K", text)

    def test_static_waits_for_all(self):
        document, _, _ = self.search(2, "good,sleepy,vulkan:sleepless", "--partition", "static", "--end", "9999")
        self.assertEqual([(device["name"], device["start"], device["end"]) for device in document["devices"]],
                         [("cpu:good#0", 0, 4999), ("cuda:sleepy#0", 5000, 9999)])

    def test_what_does_not_open(self):
        document, messages, _ = self.search(2, "good,broken,sleepless", "--partition", "static", "--end", "9999")
        self.assertEqual(self.names(document), ["cpu:good#0"])
        self.assertIn("warning: cuda:sleepless#0 is not used: too old\n", messages)
        process = run("mine", "genesis", **faulty("absent,sleepless,vulkan:none"))
        self.assertEqual((process.returncode, process.stdout), (4, b""))
        error = process.stderr.decode().splitlines()[-1]
        for reason in ("no usable device", "cpu:absent#0: it is switched off", "vulkan: there is no driver; install one", "cuda:sleepless#0: too old"):
            self.assertIn(reason, error)
        process = run("mine", "genesis", "--json", **faulty("sleepless"))
        self.assertEqual((process.returncode, json.loads(process.stdout)["exit_code"]), (4, 4))


class Choosing(Fleet):
    def listed(self, devices, *arguments):
        return json.loads(run("devices", "--json", *arguments, **faulty(devices)).stdout)["devices"]

    def test_one_card_through_three_apis(self):
        devices = "good,card,opencl:card,vulkan:card,vulkan:sleepy"
        listed = {device["name"]: device for device in self.listed(devices)}
        self.assertEqual([name for name, device in listed.items() if device["used_by_default"]],
                         ["cpu:good#0", "cuda:card#0", "vulkan:sleepy#1"])
        for alias in ("opencl:card#0", "vulkan:card#0"):
            self.assertTrue(listed[alias]["usable"])
            self.assertIn("the same GPU as cuda:card#0, ", listed[alias]["reason"])
        static = ["--partition", "static", "--end", "99"]  # waits for all
        for choice, wanted in (([], ["cpu:good#0", "cuda:card#0", "vulkan:sleepy#1"]), (["--backend", "opencl"], ["opencl:card#0"]),
                               (["-d", "opencl:card#0,1"], ["cuda:card#0", "opencl:card#0"]),
                               (["--backend", "cpu,vulkan"], ["cpu:good#0", "vulkan:card#0", "vulkan:sleepy#1"])):
            self.assertEqual(self.names(self.search(2, devices, *static, *choice)[0]), wanted, choice)

    def test_software(self):
        devices = "good,opencl:software,vulkan:software,vulkan:card"
        static = ["--partition", "static", "--end", "99"]
        for choice, wanted in (([], ["cpu:good#0", "vulkan:card#1"]), (["--backend", "opencl"], ["opencl:software#0"]),
                               (["--backend", "cpu,opencl"], ["cpu:good#0", "opencl:software#0"]), (["--backend", "vulkan"], ["vulkan:card#1"]),
                               (["-d", "vulkan:software#0"], ["vulkan:software#0"])):
            self.assertEqual(self.names(self.search(2, devices, *static, *choice)[0]), wanted, choice)

    def test_backends_without_devices(self):
        document, messages, _ = self.search(2, "good,none", "--backend", "cpu,cuda", "--partition", "static", "--end", "99")
        self.assertEqual(self.names(document), ["cpu:good#0"])
        self.assertIn("warning: cuda is not used: there is no driver; install one\n", messages)
        _, messages, _ = self.search(2, "good,none", "--partition", "static", "--end", "99")
        self.assertNotIn("driver", messages)
        self.expect_error(4, "no usable device; cuda: there is no driver; install one", "mine", "genesis", "--backend", "cuda", **faulty("good,none"))
        self.expect_error(4, "device cuda cannot be used: there is no driver; install one", "mine", "genesis", "-d", "1", **faulty("good,none"))

    def test_names_wait_for_probes(self):
        settings = {"GPUMINER_FAULTY_PROBES": "vulkan=1"}
        document, _, _ = self.search(2, "good,vulkan:card", "-d", "vulkan:card#0", "--end", "99", **settings)
        self.assertEqual(self.names(document), ["vulkan:card#0"])
        self.expect_error(1, "-d: expected names or numbers of devices (0 cpu:good#0, 1 vulkan:card#0), or a backend, got 'vulkan:card#1'",
                          "mine", "genesis", "-d", "vulkan:card#1", **faulty("good,vulkan:card", **settings))
        settings = {"GPUMINER_FAULTY_PROBES": "cuda=3600", "GPUMINER_FAULTY_PATIENCE": "0.5"}
        document, _, _ = self.search(2, "good,vulkan:card", "-d", "vulkan:card#0", "--end", "99", **settings)
        self.assertEqual(self.names(document), ["vulkan:card#0"])
        # CPU threads are known at once.
        for choice in (["-d", "0"], ["-d", "cpu:good#0"], ["--backend", "cpu"]):
            began = time.monotonic()
            self.search(2, "good", *choice, "--end", "99", GPUMINER_FAULTY_PROBES="cuda=60,opencl=60,vulkan=60")
            self.assertLess(time.monotonic() - began, 30)

    @needs_jsonschema
    def test_schema(self):
        process = run("devices", "--json", **faulty("good,absent,none,opencl:card,opencl:software,vulkan:card"))
        self.assertEqual(len(document_of(process.stdout)["devices"]), 6)

    def test_list(self):
        settings = {"GPUMINER_FAULTY_PROBES": "cuda=3600", "GPUMINER_FAULTY_PATIENCE": "0.5"}
        devices = "good,absent,opencl:card,opencl:software,vulkan:card"
        process = run("devices", "--json", **faulty(devices, **settings))
        self.assertEqual((process.returncode, process.stderr), (0, b""))
        listed = json.loads(process.stdout)["devices"]
        self.assertEqual([(device["number"], device["name"], device["used_by_default"]) for device in listed],
                         [(0, "cpu:good#0", True), (1, "cpu:absent#1", False), (2, "cuda", False), (3, "opencl:card#0", True),
                          (4, "opencl:software#1", False), (5, "vulkan:card#0", False)])
        cuda, card, software = listed[2], listed[3], listed[4]
        self.assertIn("its driver did not respond for 0.5 s; ", cuda["reason"])
        self.assertEqual([card[key] for key in ("driver", "api_version", "memory_bytes", "units", "clock_mhz", "pci", "uuid", "software")],
                         ["driver 1.2", "API 1.0", 8 << 30, 4, 1500, "0000:01:00.0", "00112233445566778899aabbccddeeff", False])
        self.assertTrue(software["software"] and software["usable"])
        text = run("devices", **faulty(devices, **settings)).stdout.decode()
        self.assertLessEqual(max(map(len, text.splitlines())), 120)
        for words in ("API 1.0, driver 1.2, PCI 0000:01:00.0, UUID 00112233445566778899aabbccddeeff", "the same GPU as opencl:card#0, ", "1500 MHz"):
            self.assertIn(words, text)


class Losing(Fleet):
    def test_a_gpu_that_dies(self):
        for partition in PARTITIONS:
            document, messages, _ = self.search(0, "good,cuda:dead,vulkan:late", *partition, *ALL)
            self.assertEqual(hits_of(document), oracle(GENESIS, EASY, 0, 29999))
            self.assertEqual(self.failures(document), {"cuda:dead#0": BUS, "vulkan:late#0": BUS})
            self.assertIn(f"cuda:dead#0 is quarantined: {BUS}", messages)
        document, _, _ = self.search(5, "cuda:dead,vulkan:late", "--end", "99999")
        self.assertEqual(document["ending"], "failed")
        # The one that is left may come late.
        document, _, _ = self.search(2, "cuda:dead,vulkan:sleepy", "--end", "99")
        self.assertEqual([device["hashes"] for device in document["devices"]], [0, 100])

    def test_a_gpu_that_gives_no_answer(self):
        for kind in ("silent", "tardy"):
            for partition in PARTITIONS:
                document, messages, seconds = self.search(0, f"good,{kind}", *partition, *ALL, GPUMINER_FAULTY_PATIENCE="0.5")
                self.assertEqual(hits_of(document), oracle(GENESIS, EASY, 0, 29999))
                self.assertEqual(document["hashes"], 30000)
                self.assertEqual(self.failures(document), {f"cuda:{kind}#0": "it did not respond for 0.5 s"})
                self.assertEqual(document["rejected_candidates"], 0)
                self.assertIn(f"warning: cuda:{kind}#0 is quarantined: it did not respond for 0.5 s\n", messages)
                self.assertLess(seconds, PATIENCE)
        for end, devices in (("99999", "silent"), ("99999", "silent,vulkan:tardy")):
            document, _, _ = self.search(5, devices, "--end", end, GPUMINER_FAULTY_PATIENCE="0.5")
            self.assertEqual((document["found"], document["ending"]), (False, "failed"))

    def test_late_results_change_nothing(self):
        # It comes back, with wrong results, while the others are still at work.
        document, messages, _ = self.search(3, "slow,tardy", *NOTHING, "--time-limit", "3", GPUMINER_FAULTY_PATIENCE="0.5")
        self.assertEqual(document["rejected_candidates"], 0)
        self.assertNotIn("wrong", messages)

    def test_patience_is_not_lost_while_the_process_is_stopped(self):
        process = self.start("slow,tardy", *NOTHING, "--time-limit", "60", "--json", GPUMINER_FAULTY_PATIENCE="4")
        self.wait_for(process, "cuda:tardy#0 joins")
        time.sleep(0.3)
        process.send_signal(signal.SIGSTOP)
        time.sleep(5)
        process.send_signal(signal.SIGCONT)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        stdout, _ = process.communicate(timeout=PATIENCE)
        tardy = json.loads(stdout)["devices"][1]
        self.assertNotIn("did not respond", tardy.get("failure", ""))

    def test_int_beside_a_silent_device(self):
        for devices, arguments in (("silent", []), ("slow,silent", []), ("slow,asleep", []), ("asleep", ["--partition", "static"])):
            process = self.start(devices, *NOTHING, *arguments, "--json", GPUMINER_FAULTY_PATIENCE="60")
            self.wait_for(process, "gpuminer ")
            time.sleep(1)
            began = time.monotonic()
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=PATIENCE)
            seconds = time.monotonic() - began
            print(f"{devices}: ended {seconds:.3f} s after SIGINT")
            self.assertEqual(process.returncode, 130, stderr)
            self.assertEqual(json.loads(stdout)["ending"], "interrupted")
            self.assertNotIn(BESIDE, stderr.decode())
            self.assertLess(seconds, 30)  # half a second, where nobody else keeps the machine busy
        # Waiting for a named device.
        process = self.start("good,card", "-d", "cuda:card#0", GPUMINER_FAULTY_PROBES="vulkan=3600")
        wait_until_it_hears(process)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=PATIENCE), 130)

    def test_grind(self):
        process = run("grind", "genesis", "--target", "0" * 4 + "f" * 60, "--end", "999999", **faulty("good,cuda:dead"))
        self.assertEqual(process.returncode, 0, process.stderr)
        process = run("grind", "genesis", *NOTHING, "--end", "99999", **faulty("cuda:dead"))
        self.assertEqual((process.returncode, process.stdout), (5, b""))


if __name__ == "__main__":
    main()

"""Energy, temperature, and the pausing of devices that get too hot: over a libnvidia-ml.so.1 (fake_nvml.cpp, which says
where its values come from), a /sys/class/powercap and a /sys/class/hwmon of the test's own."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time

from support import EMULATED, EVERYTHING, FAULTY, NOTHING, Case, faulty, main, needs_jsonschema, not_emulated, run, validate

NVML = os.environ.get("FAKE_NVML", "")  # folders that hold the library
NVML_FEW = os.environ.get("FAKE_NVML_FEW", "")
UUID = "00112233445566778899aabbccddeeff"
IDENTITY = f"uuid GPU-{UUID[:8]}-{UUID[8:12]}-{UUID[12:16]}-{UUID[16:20]}-{UUID[20:]}\npci 0000:01:00.0\n"
GPU = "card"  # the kind of device that has this UUID and address
SECONDS = 6 if EMULATED else 1.2  # of a search in which each device does something
SOME = ["--end", "99999"]  # takes it a second or more
GPU_FIELDS = ("temperature_c", "power_w", "power_limit_w", "energy_j", "joules_per_gh", "core_clock_mhz", "memory_clock_mhz", "fan_percent")
CPU_FIELDS = ("cpu_package_energy_j", "cpu_package_joules_per_gh")


def write(path, text):
    """A file that is there at once as a whole, as it may be read right now."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name("new")
    new.write_text(f"{text}\n")
    new.rename(path)


class SensorCase(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.seen = self.folder / "seen"

    def gpu_says(self, text):
        write(self.folder / "values", f"{IDENTITY}seen {self.seen}\n{text}")

    def package(self, microjoules, number=0):
        for name, value in (("name", f"package-{number}"), ("max_energy_range_uj", 65532610987), ("energy_uj", microjoules)):
            write(self.folder / f"intel-rapl:{number}" / name, value)

    @contextlib.contextmanager
    def package_that_counts(self):
        """Package 0 takes 3 J every 50 ms, however late a program begins to look."""
        ended = threading.Event()

        def count():
            microjoules = 5_000_000
            self.package(microjoules)
            begun.set()
            while not ended.wait(0.05):
                microjoules += 3_000_000
                self.package(microjoules)

        begun = threading.Event()
        thread = threading.Thread(target=count)
        thread.start()
        begun.wait()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def chip(self, driver, number=0, pci="", **files):
        """One of Linux's chips, hwmon0 and so on."""
        folder = self.folder / "hwmon" / f"hwmon{number}"
        for name, value in {"name": driver, **files}.items():
            write(folder / name, value)
        if pci:
            (folder / "device").symlink_to(f"../../../{pci}")

    def cpu_is_at(self, celsius, number=0):
        self.chip("coretemp", number, temp1_label=f"Package id {number}", temp1_input=round(celsius * 1000))

    def devices(self, devices, library=NVML, **environment):
        return faulty(devices, LD_LIBRARY_PATH=library, FAKE_NVML_FILE=str(self.folder / "values"),
                      GPUMINER_FAULTY_POWERCAP=str(self.folder), GPUMINER_FAULTY_HWMON=str(self.folder / "hwmon"), **environment)

    def pipes(self, devices):
        return {"env": self.devices(devices)["env"], "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}

    def mine(self, devices, *arguments, library=NVML, code=3):
        """The document of a search for SECONDS that finds nothing, and the messages."""
        process = run("mine", "genesis", *NOTHING, "--time-limit", str(SECONDS), "--json", *arguments, **self.devices(devices, library))
        self.assertEqual(process.returncode, code, process.stderr.decode())
        return json.loads(process.stdout), process.stderr.decode()

    def read_until(self, process, words):
        lines = []
        while line := process.stderr.readline().decode():
            lines.append(line)
            if words in line:
                return lines
        self.fail(f"no line with {words}: {lines}")

    def wait_until_seen(self, process):
        """Until the process has opened the library."""
        while not self.seen.exists():
            self.assertIsNone(process.poll())
            time.sleep(0.02)

    def only_gpu(self, document):
        return next(device for device in document["devices"] if device["backend"] != "cpu")


class Battery(SensorCase):
    def supply(self, online, status):
        for name, kind, file, value in (("AC", "Mains", "online", online), ("BAT0", "Battery", "status", status)):
            write(self.folder / "supplies" / name / "type", kind)
            write(self.folder / "supplies" / name / file, value)

    def test_paused_as_long_as_it_runs_on_its_battery(self):
        self.supply(0, "Discharging")
        program = faulty("good", GPUMINER_FAULTY_POWER_SUPPLIES=str(self.folder / "supplies"))
        errors = open(self.folder / "errors", "w+")
        self.addCleanup(errors.close)
        process = subprocess.Popen([program["program"], "mine", "genesis", *NOTHING, "--pause-on-battery", "--status-interval", "100ms"],
                                   stdout=subprocess.PIPE, stderr=errors, env=program["env"])
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)

        def wait_for(words):
            end = time.monotonic() + 60
            while words not in (text := pathlib.Path(errors.name).read_text()):
                self.assertLess(time.monotonic(), end, text[-2000:])
                time.sleep(0.05)

        wait_for("paused: this machine runs on battery")
        wait_for("% of the range, paused on battery")
        self.supply(1, "Charging")
        wait_for("back on mains power")
        wait_for("left")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)


class Energy(SensorCase):
    def test_cpu_packages(self):
        self.package(1_000_000, number=1)
        with self.package_that_counts():
            document, messages = self.mine("slow,slow")
        joules = document["cpu_package_energy_j"]
        self.assertIn(joules, range(3, 3000, 3))
        self.assertAlmostEqual(document["cpu_package_joules_per_gh"], joules * 1e9 / document["hashes"])
        self.assertNotIn("CPU package", messages)
        for device in document["devices"]:
            self.assertEqual(set(GPU_FIELDS) & set(device), {"temperature_c"})
            self.assertIsNone(device["temperature_c"])
        with self.package_that_counts():
            text = run("mine", "genesis", *NOTHING, "--time-limit", str(SECONDS), **self.devices("slow")).stdout.decode()
        self.assertRegex(text, r"\nCPU packages: [\d,]+ J, [\d.]+ W on average, [\d,]+ J/GH, for everything that runs on them\n")

    def test_cpu_packages_that_cannot_be_read(self):
        document, messages = self.mine("slow")
        self.assertEqual([document[field] for field in CPU_FIELDS], [None, None])
        self.assertNotIn("energy", messages)
        process = run("mine", "genesis", "--end", "999", "-D", **self.devices("slow"))
        self.assertRegex(process.stderr.decode(), "CPU package energy is not measured: .* lists no CPU package")
        self.package("unreadable")
        process = run("mine", "genesis", "--end", "999", "-D", **self.devices("slow"))
        self.assertIn("intel-rapl:0/energy_uj: no number", process.stderr.decode())
        self.assertNotIn("CPU packages", process.stdout.decode())

    def test_gpu(self):
        self.gpu_says("temperature 61\nclock 1980\nmemory_clock 2619\nfan 40\npower_limit 700000\npower 1\n"
                      "energy 7000000\nenergy_per_s 600000")
        document, messages = self.mine(GPU)
        gpu = self.only_gpu(document)
        self.assertEqual([gpu[field] for field in ("temperature_c", "core_clock_mhz", "memory_clock_mhz", "fan_percent", "power_limit_w")],
                         [61, 1980, 2619, 40, 700])
        self.assertAlmostEqual(gpu["power_w"], 600, delta=30)
        self.assertAlmostEqual(gpu["energy_j"], 600 * document["seconds"], delta=600 * document["seconds"] * 0.5)
        self.assertAlmostEqual(gpu["joules_per_gh"], gpu["energy_j"] * 1e9 / gpu["hashes"], delta=1e-6 * gpu["joules_per_gh"])
        self.assertEqual([document[field] for field in CPU_FIELDS], [None, None])
        self.assertNotIn("warning", messages)
        text = run("mine", "genesis", *NOTHING, "--time-limit", str(SECONDS), **self.devices(GPU)).stdout.decode()
        self.assertRegex(text, r"\ncuda:\S+: [\d,.]+ J, [\d.]+ W on average, limit 700 W, [\d,]+ J/GH, at most 61 °C, core at 1,980 MHz, "
                               r"memory at 2,619 MHz, fan at 40 %\n")

    def test_gpu_without_a_counter(self):
        self.gpu_says("power 250000\npower_limit 999600")
        gpu = self.only_gpu(self.mine(GPU)[0])
        self.assertAlmostEqual(gpu["power_w"], 250)
        self.assertGreater(gpu["energy_j"], 100)
        self.assertEqual([gpu[field] for field in GPU_FIELDS if "power" not in field and "j" not in field], [None] * 4)
        text = run("mine", "genesis", *NOTHING, "--time-limit", str(SECONDS), **self.devices(GPU)).stdout.decode()
        self.assertRegex(text, r"\ncuda:\S+: [\d,.]+ J, 250 W on average, limit 1,000 W, [\d,]+ J/GH\n")

    def test_the_temperature_of_the_cpu(self):
        self.cpu_is_at(61.5)
        self.cpu_is_at(72.25, number=1)
        document, messages = self.mine("slow,slow")
        self.assertEqual([device["temperature_c"] for device in document["devices"]], [72.25, 72.25])
        self.assertNotIn("warning", messages)
        text = run("mine", "genesis", "--end", "999", **self.devices("slow")).stdout.decode()
        self.assertIn("\nCPU packages: at most 72.2 °C\n", text)
        with self.package_that_counts():
            text = run("mine", "genesis", *NOTHING, "--time-limit", str(SECONDS), **self.devices("slow")).stdout.decode()
        self.assertRegex(text, r"\nCPU packages: at most 72.2 °C, [\d,]+ J, [\d.]+ W on average, [\d,]+ J/GH, for everything that runs on them\n")

    def test_gpu_of_amd(self):
        self.chip("amdgpu", pci="0000:01:00.0", temp1_label="edge", temp1_input=61000, power1_average=150000000, power1_cap=200000000,
                  freq1_label="sclk", freq1_input=2400000000, freq2_label="mclk", freq2_input=1000000000, pwm1=51)
        gpu = self.only_gpu(self.mine(f"slow,{GPU}", library="/nonexistent")[0])
        self.assertEqual([gpu[field] for field in ("temperature_c", "power_limit_w", "core_clock_mhz", "memory_clock_mhz", "fan_percent")],
                         [61, 200, 2400, 1000, 20])
        self.assertAlmostEqual(gpu["power_w"], 150)
        self.assertGreater(gpu["energy_j"], 50)

    @needs_jsonschema
    def test_schema(self):
        self.cpu_is_at(55)
        for values in ("", "temperature 61\nclock 1980\nmemory_clock 2619\nfan 40\npower_limit 700000\npower 600000"):
            self.gpu_says(values)
            validate(self.mine(f"slow,{GPU}")[0])
        broken = self.mine(GPU)[0]
        del self.only_gpu(broken)["fan_percent"]
        with self.assertRaisesRegex(Exception, "fan_percent"):
            validate(broken)

    def test_no_sensors_are_no_message(self):
        self.gpu_says("init 9")
        for library, reason in (("/nonexistent", "libnvidia-ml.so.1"), (NVML, "no sensors of NVIDIA GPUs: Driver Not Loaded")):
            document, messages = self.mine(GPU, library=library)
            self.assertEqual([self.only_gpu(document)[field] for field in GPU_FIELDS], [None] * len(GPU_FIELDS))
            self.assertNotIn("sensor", messages)
            self.assertIn(reason, self.mine(GPU, "-D", library=library)[1])
        self.gpu_says("temperature 55")
        gpu = self.only_gpu(self.mine(GPU, library=NVML_FEW)[0])
        self.assertEqual([gpu[field] for field in GPU_FIELDS], [55] + [None] * 7)

    def test_nvml_is_opened_for_gpus_only_and_not_for_grind(self):
        self.gpu_says("temperature 55")
        everything = ["--target", EVERYTHING]
        self.assertEqual(run("mine", "genesis", *everything, **self.devices("good")).returncode, 0)
        self.assertEqual(run("grind", "genesis", *NOTHING, "--time-limit", "0.5", **self.devices(GPU)).returncode, 3)
        self.assertEqual(run("grind", "genesis", *everything, "--max-temp", "80", **self.devices("good")).returncode, 0)
        self.assertFalse(self.seen.exists())
        process = subprocess.Popen([FAULTY, "grind", "genesis", *NOTHING, "--max-temp", "80"], **self.pipes(GPU))
        self.addCleanup(process.kill)
        self.wait_until_seen(process)
        process.send_signal(signal.SIGINT)
        self.assertEqual((process.communicate(timeout=60)[0], process.returncode), (b"", 130))

    def test_a_driver_that_hangs_holds_nothing_up(self):
        self.gpu_says("temperature 50\npower 100000\ndelay 90")
        process = subprocess.Popen([FAULTY, "mine", "genesis", *NOTHING, "--json"], **self.pipes(GPU))
        self.addCleanup(process.kill)
        self.read_until(process, "gpuminer ")
        self.wait_until_seen(process)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
        print(f"SIGINT: ended after {time.monotonic() - began:.3f} s")
        self.assertLess(time.monotonic() - began, 30)  # a half, where nobody else keeps the machine busy
        self.assertEqual(process.returncode, 130, stderr)
        self.assertEqual(self.only_gpu(json.loads(stdout))["energy_j"], None)


class Temperature(SensorCase):
    def start(self, devices, *arguments):
        process = subprocess.Popen([FAULTY, "mine", "genesis", *NOTHING, *arguments, "--json"], **self.pipes(devices))
        self.addCleanup(process.kill)
        return process

    def test_pause_and_resume(self):
        self.gpu_says("temperature 79")
        process = self.start(f"slow,{GPU}", "--max-temp", "80", "--resume-temp", "65", "--time-limit", "60")
        self.read_until(process, "gpuminer ")
        for temperature, message in (("80", "is paused at 80 °C until it cools to 65 °C"), ("65", "resumes at 65 °C"),
                                     ("99", "is paused at 99 °C until it cools to 65 °C")):
            self.gpu_says(f"temperature {temperature}")
            lines = self.read_until(process, message)
            self.assertTrue(lines[-1].startswith("cuda:"), lines)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, stderr)
        document = json.loads(stdout)
        gpu = self.only_gpu(document)
        self.assertEqual(gpu["temperature_c"], 99)
        rested, other = (document["seconds"] - each["seconds"] for each in (gpu, document["devices"][0]))
        self.assertGreater(rested, 1)
        self.assertLess(other, rested)

    def test_the_only_device_may_rest(self):
        self.gpu_says("temperature 90")
        process = self.start(GPU, "--max-temp", "80", *SOME)
        self.read_until(process, "is paused at 90 °C until it cools to 70 °C")
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        self.gpu_says("temperature 70")
        self.read_until(process, "resumes at 70 °C")
        document = json.loads(process.communicate(timeout=60)[0])
        self.assertEqual((process.returncode, document["hashes"]), (2, 100000))

    def test_a_sensor_that_goes_away(self):
        self.gpu_says("temperature 90")
        process = self.start(GPU, "--max-temp", "80", *SOME)
        self.read_until(process, "is paused at 90 °C")
        self.gpu_says("")
        self.read_until(process, "warning: cuda:")
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2)

    def test_no_temperature_is_one_warning(self):
        self.gpu_says("power 100000")
        for library in (NVML, "/nonexistent"):
            _, messages = self.mine(f"slow,{GPU}", "--max-temp", "80", library=library)
            self.assertEqual(messages.count("is not guarded by --max-temp: its temperature cannot be read"), 1, messages)
            self.assertRegex(messages, "gpuminer: warning: cuda:")
        _, messages = self.mine("slow", "--max-temp", "80")
        self.assertNotIn("guarded", messages)
        _, messages = self.mine("slow,slow", "--max-cpu-temp", "80")
        self.assertEqual(messages.count("warning: cpu is not guarded by --max-cpu-temp: its temperature cannot be read"), 1, messages)


    def test_a_cpu_that_is_too_hot_rests(self):
        self.cpu_is_at(60)
        self.cpu_is_at(95, number=1)
        process = self.start("slow,slow", "--max-cpu-temp", "90", *SOME)
        self.read_until(process, "cpu is paused at 95 °C until it cools to 80 °C")
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        self.cpu_is_at(80, number=1)
        self.read_until(process, "cpu resumes at 80 °C")
        stdout, stderr = process.communicate(timeout=60)
        document = json.loads(stdout)
        self.assertEqual((process.returncode, document["hashes"]), (2, 100000))
        self.assertEqual([device["temperature_c"] for device in document["devices"]], [95, 95])
        self.assertNotIn(b"cpu", stderr)

    def test_a_cpu_whose_temperature_goes_away(self):
        self.cpu_is_at(95)
        process = self.start("slow", "--max-cpu-temp", "90", *SOME)
        self.read_until(process, "cpu is paused at 95 °C")
        (self.folder / "hwmon").rename(self.folder / "gone")
        self.read_until(process, "gpuminer: warning: cpu is not guarded by --max-cpu-temp: its temperature cannot be read")
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2)

    def test_limits_are_of_gpus_or_of_the_cpu(self):
        self.gpu_says("temperature 95")
        self.cpu_is_at(95)
        for option, paused in (("--max-temp", "cuda:"), ("--max-cpu-temp", "cpu")):
            _, messages = self.mine(f"slow,{GPU}", option, "90")
            self.assertEqual(messages.count("is paused at 95 °C"), 1, messages)
            self.assertRegex(messages, rf"(?m)^{paused}\S* is paused at 95 °C")
        self.gpu_says("power 100000")
        _, messages = self.mine(f"slow,{GPU}", "--max-cpu-temp", "99")
        self.assertNotIn("guarded", messages)

    @not_emulated("no program starts another")
    def test_a_command_is_told_of_a_device_that_is_too_hot(self):
        self.cpu_is_at(95.5)
        command = f'echo "$GPUMINER_EVENT $GPUMINER_DEVICE $GPUMINER_TEMPERATURE_C: $GPUMINER_TEXT" > {self.seen}.new; mv {self.seen}.new {self.seen}'
        program = self.devices("slow,slow", XDG_STATE_HOME=str(self.folder))
        process = subprocess.Popen([program["program"], "mine", "genesis", *NOTHING, "--max-cpu-temp", "90", "--on-hot", command],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=program["env"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_until_seen(process)
        self.assertEqual(self.seen.read_text(), "hot cpu 95.5: cpu is paused at 96 °C until it cools to 80 °C\n")


class Options(SensorCase):
    def test_limits(self):
        for words, *arguments in (("--max-temp: expected a number from 30 to 110", "--max-temp", "29"),
                                  ("--max-temp: expected a number from 30 to 110", "--max-temp", "111"),
                                  ("expected --resume-temp below --max-temp, got 80 and 80", "--max-temp", "80", "--resume-temp", "80"),
                                  ("--resume-temp needs --max-temp", "--resume-temp", "60"),
                                  ("--max-cpu-temp: expected a number from 30 to 110", "--max-cpu-temp", "29"),
                                  ("--resume-temp needs --max-temp", "--max-cpu-temp", "80", "--resume-temp", "60"),
                                  ("--on-hot: expected a command, got nothing", "--on-hot", "")):
            self.expect_error(1, words, "mine", "genesis", *arguments)
        for limits in (["--max-temp", "30", "--max-cpu-temp", "110"], ["--max-temp", "110", "--resume-temp", "109"]):
            self.assertEqual(run("mine", "genesis", "--end", "9", *limits, **self.devices("good")).returncode, 2)

    def test_in_the_configuration_file(self):
        config = self.folder / "gpuminer.toml"
        config.write_text("max-temp = 60\nresume-temp = 50\nretune = true\n")
        arguments = ["mine", "genesis", *NOTHING, "--time-limit", "1", "-c", str(config)]
        self.gpu_says("temperature 62")
        self.assertIn(" is paused at 62 °C until it cools to 50 °C", run(*arguments, **self.devices(GPU)).stderr.decode())
        # A limit of the command line does not go with the file's other one.
        self.assertIn(" is paused at 62 °C until it cools to 35 °C",
                      run(*arguments, "--max-temp", "45", **self.devices(GPU)).stderr.decode())
        self.assertNotIn("is paused", run(*arguments, "--max-temp", "70", **self.devices(GPU)).stderr.decode())


if __name__ == "__main__":
    main()

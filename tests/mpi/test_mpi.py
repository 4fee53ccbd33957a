"""Jobs of gpuminer-mpi: the common hits of ranks, against one machine."""

import json
import re
import threading
import time

from jobs import MPI, FAULTY, GENESIS, RARE, EASY, PATIENCE, OVER_TCP, Jobs  # (puts support on the path)
from support import BLOCK, DATA, NOTHING, main, real_headers, run, validate


def package(folder, microjoules):
    """The energy counter of a CPU, as Linux offers it. May be called again while it is read."""
    zone = folder / "intel-rapl:0"
    zone.mkdir(parents=True, exist_ok=True)
    for name, value in (("name", "package-0"), ("max_energy_range_uj", 65532610987), ("energy_uj", microjoules)):
        (zone / "new").write_text(f"{value}\n")
        (zone / "new").rename(zone / name)


class Ranks(Jobs):
    def test_known_block(self):
        for launcher in ([], OVER_TCP):
            document = self.mine(4, "--start", 274000000, "--end", 274300000, "--deterministic", launcher=launcher)
            validate(document)
            self.assertEqual([hit["nonce"] for hit in document["results"]], [274148111])
            self.assertEqual([rank["rank"] for rank in document["ranks"]], [0, 1, 2, 3])
            self.assertEqual(sum(rank["hashes"] for rank in document["ranks"]), document["hashes"])
            self.assertEqual({device["rank"] for device in document["devices"]} - {0, 1, 2, 3}, set())
        document = self.mine(4, "--end", 99999, code=2)
        self.assertEqual((document["ending"], document["hashes"]), ("finished", 100000))

    def test_all_as_one_machine(self):
        search = ["--target", RARE, "--end", 999999, "--roll-versions", "0000e000", "--all"]
        whole = json.loads(run("mine", BLOCK, *map(str, search), "--json", "-q").stdout)
        self.assertGreater(len(whole["results"]), 1000)
        for ranks in (1, 2, 4):
            document = self.mine(ranks, *search, launcher=OVER_TCP if ranks == 4 else [])
            self.assertEqual(document["results"], whole["results"])
            self.assertEqual(document["hashes"], 8000000)
        cut = self.mine(3, *search, "--max-results", 17)
        self.assertEqual((cut["results"], cut["truncated"]), (whole["results"][:17], True))

    def test_first_hit_stops_all(self):
        began = time.monotonic()
        document = self.mine(4, "--target", RARE)
        print(f"a first hit after {document['seconds']:.3f} s; the whole job took {time.monotonic() - began:.3f} s")
        self.assertEqual(len(document["results"]), 1)
        self.assertEqual(document["ending"], "finished")

    def test_text_and_messages(self):
        stdout, stderr = self.run_job(3, MPI, "mine", BLOCK, "--target", RARE, "--deterministic")
        self.assertIn("found nonce", stdout)
        self.assertRegex(stdout, r"(?m)^rank +host +devices +hashes +time +rate$")
        self.assertEqual(stdout.count("total time"), 1)
        self.assertEqual(stderr.count("3 ranks"), 1)

    def test_grind(self):
        solved = run("grind", BLOCK, "--target", RARE, "--deterministic").stdout.decode()
        stdout, stderr = self.run_job(3, MPI, "grind", BLOCK, "--target", RARE, "--deterministic")
        self.assertEqual(stdout, solved)
        self.assertNotIn("ranks", stderr)

    def test_verify(self):
        """The real headers, as gpuminer alone has them."""
        headers = self.folder / "headers"
        headers.write_text("".join(f"{row['header_hex']}\n" for row in real_headers()[:3000]))
        for arguments in ([f"@{headers}", "--json"], [f"@{headers}"], ["100000"], [f"@{headers}", "--target", "0" * 63 + "1"]):
            alone = run("verify", *arguments)
            process = self.start(4, MPI, "verify", *arguments)
            stdout, stderr = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, alone.returncode, stderr.decode())
            times = re.compile(rb'"time":"[^"]*"')
            self.assertEqual(times.sub(b"", stdout), times.sub(b"", alone.stdout))

    def test_verify_a_whole_block(self):
        recorded = json.loads((DATA / "getblocktemplate" / "core_regtest_txs.json").read_text())["block"]
        for digits, arguments, code in ((recorded, [], 0), (recorded, ["--json"], 0), (recorded, ["--target", "0" * 64], 2), (recorded[:-2], [], 1)):
            (self.folder / "block").write_bytes(bytes.fromhex(digits))
            arguments = [f"@{self.folder / 'block'}", *arguments]
            alone = run("verify", *arguments)
            process = self.start(3, MPI, "verify", *arguments)
            stdout, stderr = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, alone.returncode), (code, code), stderr.decode())
            times = re.compile(rb'"time": "[^"]*"')
            self.assertEqual(times.sub(b"", stdout), times.sub(b"", alone.stdout))

    def test_verify_up_to_a_header_without_a_nonce(self):
        headers = self.folder / "headers"
        lines = [row["header_hex"] for row in real_headers()[:1200]]
        for place in (0, 1100, len(lines) - 1):
            headers.write_text("\n".join([*lines[:place], lines[place][:152], *lines[place + 1:]]))
            for arguments in ([f"@{headers}", "--json"], [f"@{headers}"]):
                alone = run("verify", *arguments)
                process = self.start(3, MPI, "verify", *arguments)
                stdout, stderr = process.communicate(timeout=PATIENCE)
                self.assertEqual((process.returncode, alone.returncode), (1, 1))
                self.assertIn("without a nonce there is nothing to verify", stderr.decode())
                times = re.compile(rb'"time":"[^"]*"')
                self.assertEqual(times.sub(b"", stdout), times.sub(b"", alone.stdout))

    def test_another_algorithm(self):
        """VerusHash: the search, which gpuminer goes on with, and headers to verify."""
        self.skip_without_verushash()
        search = ["-a", "verushash", "--target", RARE, "--all"]
        document = self.mine(3, *search, "--end", 19999, "--checkpoint", self.file, header="example")
        validate(document)
        self.assertEqual((document["algorithm"], document["hashes"]), ("verushash", 20000))
        alone = json.loads(run("mine", "example", *search, "--end", "19999", "--json", "-q", "--resume", self.file).stdout)
        self.assertEqual((alone["hashes"], alone["results"]), (0, document["results"]))
        self.assertEqual(self.mine(1, *search, "--end", 19999, header="example")["results"], document["results"])
        headers = self.folder / "headers"
        headers.write_text("".join(f"{hit['header']}\n" for hit in document["results"]))
        stdout, _ = self.run_job(3, MPI, "verify", f"@{headers}", "-a", "verushash", "--target", RARE)
        self.assertEqual(stdout, run("verify", f"@{headers}", "-a", "verushash", "--target", RARE).stdout.decode())

    def test_errors_are_said_once(self):
        (self.folder / "several").write_text(f"{BLOCK}\n{BLOCK}\n")
        nowhere = self.folder / "nowhere" / "search"
        for words, arguments in (("expected 152 or 160 hex digits", ["mine", "nonsense"]), ("expected the command mine, grind, bench or verify", ["devices"]),
                                 ("unknown option", ["mine", BLOCK, "--nonsense"]), ("expected the workload scan, got 'kernel'", ["bench", "kernel"]),
                                 ("expected the workload scan, got 'all'", ["bench", "all"]), ("gpuminer-mpi has no --http", ["mine", BLOCK, "--http", "0"]),
                                 ("--checkpoint and --resume take one header", ["mine", f"@{self.folder / 'several'}", "--checkpoint", self.file]),
                                 ("cannot", ["mine", BLOCK, "--checkpoint", nowhere]), ("cannot", ["mine", BLOCK, "--resume", nowhere]),
                                 ("expected names or numbers of devices", ["mine", BLOCK, "-d", "nonsense"]), ("a file that can be written", ["bench", "--csv", nowhere])):
            process = self.start(3, MPI, *arguments)
            stdout, stderr = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 1, stderr.decode())
            self.assertEqual(stdout, b"")
            self.assertEqual(stderr.decode().count(words), 1, stderr.decode())
        stdout, _ = self.run_job(3, MPI, "--version")
        self.assertEqual(stdout.count("gpuminer "), 1, stdout)
        stdout, _ = self.run_job(3, MPI, "mine", "--help")
        self.assertTrue(stdout.startswith("gpuminer-mpi: "), stdout)
        self.assertEqual(stdout.count("Usage: mpirun "), 1, stdout)
        self.assertIn(run("mine", "--help").stdout.decode(), stdout)

    def test_ranks_that_are_asked_for_different_things(self):
        for rank, words in ((["bench"], "expected the command 'mine' as on rank 0, got 'bench'"),
                            (["--version"], "expected the command 'mine' as on rank 0, got nothing"),
                            (["mine", GENESIS], "expected the header '"),
                            (["mine", BLOCK, "--end", "5"], "expected --end 4294967295 as on rank 0, got 5"),
                            (["mine", BLOCK, "--target", EASY], "expected --target nothing"),
                            (["mine", BLOCK, "--all"], "expected --all false"),
                            (["mine", BLOCK, "--checkpoint", self.file], "expected --checkpoint nothing")):
            stdout, stderr = self.run_job(1, MPI, "mine", BLOCK, ":", "-n", "1", MPI, *rank, code=1)
            self.assertEqual(stdout, "")
            self.assertEqual(stderr.count(f"gpuminer: rank 1: {words}"), 1, stderr)
        # Devices and messages are each rank's own.
        self.run_job(1, MPI, "mine", BLOCK, "--end", "99", ":", "-n", "1", MPI, "mine", BLOCK, "--end", "99", "-t", "1", "-q", code=2)

    def test_static_partition(self):
        """Long enough to be cut; and ranges that end before."""
        search = ["--target", RARE, "--end", 499999, "--roll-versions", "0000e000", "--all"]
        whole = json.loads(run("mine", BLOCK, *map(str, search), "--json", "-q").stdout)
        for ranks, devices in ((3, ["good"]), (4, ["good", "late", "absent", "good"])):
            document = self.mine(ranks, *search, "--partition", "static", program=FAULTY, devices=devices)
            validate(document)
            self.assertEqual(document["partition"], "static")
            self.assertEqual(document["results"], whole["results"])
            if "late" not in devices:
                self.assertEqual(document["hashes"], 500000 * 8)
        lowest = self.mine(3, "--target", RARE, "--partition", "static", "--deterministic", "--roll-versions", "0000e000")
        self.assertEqual(lowest["results"], whole["results"][:1])
        one = self.mine(4, "--start", 274148111, "--end", 274148111, "--partition", "static", "--all")
        self.assertEqual(([hit["nonce"] for hit in one["results"]], one["hashes"]), ([274148111], 1))
        limited = self.mine(3, *NOTHING, "--roll-versions", "1fffe000", "--partition", "static", "--time-limit", "1.5", code=3)
        self.assertEqual(limited["ending"], "limit")

    def test_several_headers(self):
        """One after the other, as gpuminer has them."""
        headers = self.folder / "headers"
        headers.write_text("".join(f"{row['header_hex']}\n" for row in real_headers()[:12]))
        search = [f"@{headers}", "--end", "99999", "--target", EASY, "--deterministic", "--json", "-q"]
        alone = [json.loads(line) for line in run("mine", *search).stdout.splitlines()]
        stdout, _ = self.run_job(3, MPI, "mine", *search)
        documents = [json.loads(line) for line in stdout.splitlines()]
        self.assertEqual([document["results"] for document in documents], [document["results"] for document in alone])
        for document in documents:
            validate(document)
            self.assertEqual(len(document["ranks"]), 3)
        # A rank without devices says so once; and the limit is that of all together.
        nothing = [f"@{headers}", "--end", "29999", *NOTHING, "--json"]
        stdout, stderr = self.run_job(3, FAULTY, "mine", *nothing, devices=["good", "absent", "good"], code=2)
        self.assertEqual([json.loads(line)["hashes"] for line in stdout.splitlines()], [30000] * 12)
        self.assertEqual(stderr.count("rank 1 has no device left"), 1)
        stdout, _ = self.run_job(2, FAULTY, "mine", f"@{headers}", *NOTHING, "--time-limit", "0.5", "--json", "-q", devices=["good"], code=3)
        self.assertEqual([json.loads(line)["ending"] for line in stdout.splitlines()], ["limit"])

    def test_events_of_rank_0(self):
        file = self.folder / "events"
        document = self.mine(3, "--target", RARE, "--end", 99999, "--all", "--events", file)
        events = [json.loads(line) for line in file.read_text().splitlines()]
        for event in events:
            validate(event)
        kinds = [event["event"] for event in events]
        self.assertEqual((kinds[0], kinds[-1], kinds.count("end")), ("start", "end", 1))
        self.assertEqual({**events[-1]["document"], "time": ""}, {**document, "time": ""})

    def test_first_hit_is_no_loss_of_devices(self):
        _, stderr = self.run_job(3, MPI, "mine", BLOCK, "--target", RARE)
        self.assertNotIn("no device left", stderr)

    def test_energy_of_the_machine_is_counted_once(self):
        powercap = self.folder / "powercap"
        stop = threading.Event()

        def use_energy():
            used = 0
            while not stop.wait(0.02):
                used += 1000000
                package(powercap, used)
        package(powercap, 0)
        user = threading.Thread(target=use_energy)
        user.start()
        self.addCleanup(user.join)
        self.addCleanup(stop.set)
        document = self.mine(3, *NOTHING, "--time-limit", "3", "--max-temp", "80", program=FAULTY, devices=["good"], code=3, powercap=powercap)
        validate(document)
        self.assertGreater(document["cpu_package_energy_j"], 0)
        most = int((powercap / "intel-rapl:0" / "energy_uj").read_text()) / 1e6
        self.assertLessEqual(document["cpu_package_energy_j"], most, "not once for each rank")


if __name__ == "__main__":
    main()

"""The container image: its Dockerfile as hadolint sees it, built and run on a root of mmdebstrap's (there is no registry here) by the engine
that engines.py finds, and what compose.yaml starts."""

import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import engines  # noqa: E402
import roots  # noqa: E402
from unittest_main import main  # noqa: E402

try:
    import yaml
except ImportError:
    yaml = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCKERFILE = ROOT / "packaging" / "Dockerfile"
GPUMINER = os.environ.get("GPUMINER", "gpuminer")
PROMTOOL = ROOT / "build" / "test-servers" / "prometheus" / "usr" / "bin" / "promtool"  # the live tests' own
IMAGE = "localhost/gpuminer-test"
SEARCH = ("mine", "100000", "--start", "274148000", "--backend", "cpu", "-t", "1", "--json")


class Dockerfile(unittest.TestCase):
    @unittest.skipUnless(shutil.which("hadolint"), "hadolint is not installed")
    def test_hadolint_has_no_complaints(self):
        process = subprocess.run(["hadolint", "--no-color", DOCKERFILE], capture_output=True, text=True)
        self.assertEqual((process.returncode, process.stdout), (0, ""))


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        base = roots.archive("bookworm", roots.MACHINE)
        folder = tempfile.TemporaryDirectory(dir=os.environ["PACKAGES"] + "/..")
        runroot = tempfile.TemporaryDirectory()
        for one in (folder, runroot):
            cls.addClassCleanup(one.cleanup)
        cls.engine, refusals = engines.find(folder.name, runroot.name, base)
        for refusal in refusals:
            print(f"builds and runs nothing here: {refusal}")
        if cls.engine is None:
            raise unittest.SkipTest("neither podman nor buildah builds and runs a container here, or none is installed")
        print(f"images are built and run by {cls.engine}", flush=True)

    def test_it_is_built_and_runs_as_nobody(self):
        self.engine.build(ROOT, DOCKERFILE, IMAGE, BASE=engines.BASE, COMMIT="test", BOOTSTRAP_OPTIONS="--no-cuda")
        config = self.engine.config(IMAGE)
        self.assertEqual((config["User"], config["Entrypoint"]), ("65534:65534", ["/usr/bin/gpuminer"]))
        image = self.engine.mount(IMAGE)
        files = {str(path.relative_to(image)) for path in image.rglob("*") if path.is_file()}
        self.assertEqual({path for path in files if path.startswith(("bin/", "sbin/", "usr/bin/", "usr/sbin/"))}, {"usr/bin/gpuminer"})
        self.assertIn("usr/share/doc/gpuminer/copyright", files)
        # What NVIDIA's driver asks for beside what the program does.
        self.assertLessEqual({"libdl.so.2", "libpthread.so.0", "librt.so.1"}, {pathlib.Path(path).name for path in files})
        self.assertLess(sum((image / path).stat().st_size for path in files), 40e6)
        found = json.loads(self.engine.run(IMAGE, *SEARCH))
        self.assertEqual(found["results"][0]["nonce"], 274148111)
        self.assertIn("commit test", self.engine.run(IMAGE, "--version"))
        self.assertIn("cpu:", self.engine.run(IMAGE, "devices"))


@unittest.skipUnless(yaml, "Python's yaml is not installed")
class Compose(unittest.TestCase):
    def setUp(self):
        # Variables as compose puts them in: ${NAME:-what stands for it}.
        text = (ROOT / "packaging" / "compose.yaml").read_text()
        self.document = yaml.safe_load(text.replace("${RPC_PASSWORD:-regtest}", "regtest"))
        self.services = self.document["services"]

    def test_the_miner_takes_its_command_line(self):
        miner = self.services["miner"]
        with tempfile.TemporaryDirectory() as state:
            arguments = [word.replace("/var/lib/gpuminer", state).replace("0.0.0.0:8080", "0.0.0.0:0") for word in shlex.split(miner["command"])]
            environment = {"PATH": os.environ["PATH"], "XDG_STATE_HOME": state, "HOME": state,
                           "GPUMINER_NODE": miner["environment"]["GPUMINER_NODE"].replace("@node:18443", "@127.0.0.1:1")}
            process = subprocess.run([GPUMINER, *arguments, "--retries", "0"], capture_output=True, text=True, env=environment, timeout=120)
            self.assertEqual(process.returncode, 6, process.stderr)  # there is no node at that address
            self.assertTrue((pathlib.Path(state) / "token").exists())

    def test_volumes_and_services_that_are_named_exist(self):
        names = {volume.split(":")[0] for service in self.services.values() for volume in service["volumes"]} - {"./prometheus.yml"}
        self.assertEqual(names, set(self.document["volumes"]))
        for service in self.services.values():
            self.assertLessEqual(set(service.get("depends_on", [])), set(self.services))
        build = self.services["miner"]["build"]
        self.assertEqual((ROOT / "packaging" / build["context"]).resolve(), ROOT)
        self.assertEqual(ROOT / build["dockerfile"], DOCKERFILE)

    def test_prometheus_asks_the_miner(self):
        document = yaml.safe_load((ROOT / "packaging" / "prometheus.yml").read_text())
        scrape = document["scrape_configs"][0]
        name, port = scrape["static_configs"][0]["targets"][0].split(":")
        words = shlex.split(self.services[name]["command"])
        self.assertEqual(words[words.index("--http") + 1].split(":")[1], port)
        self.assertEqual(words[words.index("--http-host") + 1], name)
        token = scrape["authorization"]["credentials_file"]
        self.assertIn(f"miner:{os.path.dirname(token)}:ro", self.services["prometheus"]["volumes"])
        if PROMTOOL.exists():
            process = subprocess.run([PROMTOOL, "check", "config", "--syntax-only", ROOT / "packaging" / "prometheus.yml"],
                                     capture_output=True, text=True)
            self.assertEqual(process.returncode, 0, process.stdout + process.stderr)


if __name__ == "__main__":
    main()

"""The .deb and the tarball: their contents and lists of these, and their installation, run and removal in clean roots."""

import gzip
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import links  # noqa: E402
import roots  # noqa: E402
from unittest_main import main  # noqa: E402

PACKAGES = pathlib.Path(os.environ.get("PACKAGES", "packages"))
EMULATOR = shlex.split(os.environ.get("EMULATOR", ""))  # of a build for another machine: what runs its programs, with the libraries it has
SUITES = ("bookworm", "trixie", "noble")  # Debian 12 and 13, Ubuntu 24.04: libc 2.36, 2.41 and 2.39
# Real block 100000: its nonce is found from here on at once.
SEARCH = ("mine", "100000", "--start", "274148000", "--backend", "cpu", "-t", "1", "--json")


def only(pattern):
    found = sorted(PACKAGES.glob(pattern))
    if len(found) != 1:
        raise AssertionError(f"expected one {pattern} in {PACKAGES}, found {len(found)}")
    return found[0]


def field(name):
    return subprocess.run(["dpkg-deb", "--field", only("*.deb"), name], capture_output=True, text=True, check=True).stdout.strip()


def unpacked(folder):
    """The .deb's files and its control files, below the folder."""
    subprocess.run(["dpkg-deb", "--raw-extract", only("*.deb"), folder], check=True)
    return pathlib.Path(folder)


def files_below(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


class Artefacts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.deb = unpacked(folder.name)
        self.sbom = json.loads(only("*.spdx.json").read_text())

    def test_checksums(self):
        lines = (PACKAGES / "SHA256SUMS").read_text().splitlines()
        self.assertEqual(sorted(line.split("  ")[1] for line in lines),
                         sorted(path.name for path in PACKAGES.iterdir() if path.name != "SHA256SUMS"))
        for line in lines:
            digest, name = line.split("  ")
            self.assertEqual(hashlib.sha256((PACKAGES / name).read_bytes()).hexdigest(), digest, name)
        images = [line for line in lines if line.endswith("-uefi.img")]
        self.assertEqual(len(images), 1 if field("Architecture") == "amd64" else 0, lines)

    def test_deb_has_everything_below_usr(self):
        files = files_below(self.deb)
        for path in ("usr/bin/gpuminer", "usr/lib/systemd/system/gpuminer@.service", "usr/share/man/man1/gpuminer.1.gz",
                     "usr/share/man/man1/gpuminer-pool.1.gz", "usr/share/bash-completion/completions/gpuminer",
                     "usr/share/zsh/vendor-completions/_gpuminer", "usr/share/fish/vendor_completions.d/gpuminer.fish",
                     "usr/share/doc/gpuminer/copyright", "usr/share/doc/gpuminer/gpuminer.spdx.json",
                     "usr/share/doc/gpuminer/docs/mining.md", "usr/share/gpuminer/schemas/mine.schema.json", "usr/include/gpuminer.h",
                     "usr/lib/libgpuminer.a", "usr/lib/libgpuminer.so", "usr/lib/libgpuminer.so.0.1", "usr/lib/pkgconfig/gpuminer.pc",
                     "usr/lib/cmake/gpuminer/gpuminer-config.cmake", "usr/share/doc/gpuminer/examples/solve.py"):
            self.assertIn(path, files)
        self.assertEqual([path for path in files if "docs/results" in path or "releasing" in path or "docs/schemas" in path], [])
        self.assertEqual({path for path in files if not path.startswith(("usr/", "DEBIAN/"))}, set())
        self.assertIn(b"ExecStart=/usr/bin/gpuminer ", (self.deb / "usr/lib/systemd/system/gpuminer@.service").read_bytes())
        modes = {oct(path.stat().st_mode & 0o7777) for path in self.deb.rglob("*") if path.is_file()}
        self.assertEqual(modes, {"0o644", "0o755"})

    def test_nothing_is_started_or_enabled(self):
        self.assertEqual({path.name for path in (self.deb / "DEBIAN").iterdir()}, {"control", "md5sums", "prerm", "shlibs", "triggers"})
        self.assertNotRegex((self.deb / "DEBIAN" / "prerm").read_text(), r"\b(start|restart|enable)\b")

    def test_it_depends_on_libc_alone(self):
        match = re.fullmatch(r"libc6 \(>= ([0-9.]+)\)", field("Depends"))
        self.assertTrue(match, field("Depends"))
        said = subprocess.run(["objdump", "-T", self.deb / "usr/bin/gpuminer", self.deb / "usr/lib/libgpuminer.so"],
                              capture_output=True, text=True, check=True).stdout
        newest = max(tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_([0-9.]+)\)?\s", said))
        self.assertLessEqual(newest, tuple(map(int, match[1].split("."))))
        self.assertEqual(field("Pre-Depends"), "")

    @unittest.skipUnless(shutil.which("dpkg-shlibdeps") and field("Architecture") == roots.MACHINE, "dpkg-dev is not installed, or it is for another machine")
    def test_debians_own_tool_says_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "debian").mkdir()
            (pathlib.Path(folder) / "debian/control").write_text("Source: gpuminer\n\nPackage: gpuminer\nArchitecture: any\n")
            said = subprocess.run(["dpkg-shlibdeps", "-O", self.deb / "usr/bin/gpuminer", self.deb / "usr/lib/libgpuminer.so"], cwd=folder, capture_output=True, text=True, check=True)
        self.assertEqual(said.stdout.strip(), f"shlibs:Depends={field('Depends')}")

    def test_lintian_has_no_complaints(self):
        if shutil.which("lintian") is None:
            self.skipTest("lintian is not installed")
        process = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", only("*.deb")], capture_output=True, text=True)
        self.assertEqual((process.returncode, process.stdout), (0, ""), process.stderr)

    def test_the_tarball_has_the_same_files(self):
        with tarfile.open(only("*-portable.tar.gz")) as archive:
            members = {member.name.split("/", 1)[1]: member for member in archive if not member.isdir()}
            program = archive.extractfile(members["bin/gpuminer"]).read()
        self.assertEqual(program, (self.deb / "usr/bin/gpuminer").read_bytes())
        debian = {"share/doc/gpuminer/copyright", "share/doc/gpuminer/changelog.gz", "share/doc/gpuminer/changelog.Debian.gz",
                  "share/lintian/overrides/gpuminer", "share/zsh/vendor-completions/_gpuminer"}
        own = {"share/doc/gpuminer/LICENSE", "share/doc/gpuminer/CHANGELOG.md", "share/doc/gpuminer/third-party-licences.txt",
               "share/zsh/site-functions/_gpuminer"}
        in_deb = {path.removeprefix("usr/") for path in files_below(self.deb) if path.startswith("usr/")}
        self.assertEqual(set(members), in_deb - debian | own)

    def test_links_lead_to_what_is_installed(self):
        folder = self.deb / "usr/share/doc/gpuminer"
        self.assertEqual(links.dangling(folder, folder.rglob("*.md")), [])
        with tempfile.TemporaryDirectory() as name, tarfile.open(only("*-portable.tar.gz")) as archive:
            archive.extractall(name)
            folder = next(pathlib.Path(name).glob("*/share/doc/gpuminer"))
            self.assertEqual(links.dangling(folder, folder.rglob("*.md")), [])

    def test_the_changelog_is_readable(self):
        text = gzip.decompress((self.deb / "usr/share/doc/gpuminer/changelog.Debian.gz").read_bytes()).decode()
        self.assertTrue(text.startswith(f"gpuminer ({field('Version')})"), text)

    # --- what is in the program ---

    def parts(self):
        """{name: element} of what the program contains, without itself and the tools."""
        return {part["name"]: part for part in self.sbom["packages"] if part["name"] != "gpuminer" and not part["name"].startswith("tool-")}

    def test_the_list_is_of_this_program(self):
        program = next(part for part in self.sbom["packages"] if part["name"] == "gpuminer")
        self.assertEqual(program["checksums"][0]["checksumValue"], hashlib.sha256((self.deb / "usr/bin/gpuminer").read_bytes()).hexdigest())
        self.assertEqual(program["licenseDeclared"], "MIT")

    @unittest.skipUnless(field("Architecture") == roots.MACHINE or EMULATOR, "the program is for another machine")
    def test_the_list_has_the_libraries_that_the_program_names(self):
        said = json.loads(subprocess.run([*EMULATOR, self.deb / "usr/bin/gpuminer", "version", "--json"], capture_output=True, check=True).stdout)
        packages = {"OpenSSL": "libssl-dev", "Boost": r"libboost[0-9.]*-dev", "libpsl": "libpsl-dev", "libsodium": "libsodium-dev",
                    "hwloc": "libhwloc-dev", "fmt": "libfmt-dev", "spdlog": "libspdlog-dev", "nlohmann-json": "nlohmann-json3-dev",
                    "CLI11": "libcli11-dev", "toml++": "libtomlplusplus-dev", "QR-Code-generator": "libqrcodegencpp-dev"}
        self.assertEqual(set(said["libraries"]), set(packages))
        for library, version in said["libraries"].items():
            found = [part for name, part in self.parts().items() if re.fullmatch(packages[library], name)]
            self.assertEqual(len(found), 1, library)
            self.assertEqual(re.sub(r"^\d+:", "", found[0]["versionInfo"])[:len(version)], version, library)
        for name in ("libidn2-dev", "libunistring-dev", "node-d3-scale", "public-suffix-list"):  # which it does not name
            self.assertIn(name, self.parts())

    def test_every_part_has_its_licence(self):
        with tarfile.open(only("*-portable.tar.gz")) as archive:
            name = next(name for name in archive.getnames() if name.endswith("third-party-licences.txt"))
            licences = archive.extractfile(name).read().decode()
        copyright_file = (self.deb / "usr/share/doc/gpuminer/copyright").read_text()
        self.assertIn("Copyright (c) 2026 gpuminer developers", copyright_file)
        for name, part in self.parts().items():
            self.assertNotEqual(part["licenseDeclared"], "NOASSERTION", name)
            if name != "public-suffix-list":
                for text in (licences, copyright_file):
                    self.assertRegex(text, rf"(?m)^==== (.*, )?{re.escape(name)}(,.*)? ====$")
        for text in ("Apache License", "GNU LESSER GENERAL PUBLIC LICENSE", "Mozilla Public License"):  # that Debian has beside them
            self.assertIn(text, licences)

    @unittest.skipUnless(importlib.util.find_spec("spdx_tools"), "Python's spdx-tools is not installed")
    def test_the_list_is_valid_spdx(self):
        from spdx_tools.spdx.parser.parse_anything import parse_file
        from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
        document = parse_file(str(only("*.spdx.json")))
        self.assertEqual([message.validation_message for message in validate_full_spdx_document(document)], [])


@unittest.skipUnless(roots.runs(field("Architecture")), "the program is for a machine whose programs do not run here (binfmt_misc, QEMU)")
class CleanRoots(unittest.TestCase):
    def each_root(self, check):
        for suite in SUITES:
            with self.subTest(suite=suite), roots.Root(suite, field("Architecture")) as root:
                root.run("mkdir", "-m", "777", "/tmp/home")
                check(root)

    def check_library(self, root):
        """Of one that compiles nothing, and has no Python: the loader finds it."""
        self.assertRegex(root.run("sh", "-c", "ldconfig -p").stdout, r"(?m)^\s*libgpuminer\.so\.0\.1 ")

    def check_runs(self, root, program):
        process = root.run(program, *SEARCH, user="nobody")
        self.assertEqual(json.loads(process.stdout)["results"][0]["nonce"], 274148111)
        self.assertIn("CUDA", root.run(program, "devices", user="nobody").stdout.upper())
        self.assertIn("Usage: gpuminer", root.run(program, "--help", user="nobody").stdout)

    def test_deb(self):
        def check(root):
            before = root.files()
            shutil.copy(only("*.deb"), root.path / "tmp" / "gpuminer.deb")
            root.run("apt-get", "install", "--yes", "--no-install-recommends", "/tmp/gpuminer.deb")
            self.check_runs(root, "gpuminer")
            self.check_library(root)
            root.run("dpkg", "--verify", "gpuminer")
            self.assertEqual({path for path in root.files() - before if path.startswith("etc")}, set())
            state = {str(path.relative_to(root.path / "tmp/home")) for path in (root.path / "tmp/home").rglob("*")}
            self.assertEqual({path for path in state if not path.startswith(".cache")}, set())
            root.run("apt-get", "purge", "--yes", "gpuminer")
            self.assertEqual(root.files() - before, set())
        self.each_root(check)

    def test_removal_ends_what_was_enabled(self):
        with roots.Root(SUITES[0], field("Architecture")) as root:
            shutil.copy(only("*.deb"), root.path / "tmp" / "gpuminer.deb")
            root.run("dpkg", "--install", "/tmp/gpuminer.deb")
            wants = root.path / "etc/systemd/system/multi-user.target.wants"
            wants.mkdir(parents=True, exist_ok=True)
            before = set(wants.iterdir())
            (wants / "gpuminer@pool.service").symlink_to("/usr/lib/systemd/system/gpuminer@.service")
            root.run("dpkg", "--install", "/tmp/gpuminer.deb")  # an upgrade
            self.assertEqual(len(set(wants.iterdir()) - before), 1)
            root.run("dpkg", "--remove", "gpuminer")
            self.assertEqual(set(wants.iterdir()), before)

    def test_tarball(self):
        """As docs/install.md has it, removal included."""
        def check(root):
            before = root.files()
            archive = only("*-portable.tar.gz")
            shutil.copy(archive, root.path / "tmp")
            root.run("tar", "-xzf", f"/tmp/{archive.name}", "-C", "/usr/local", "--strip-components=1", "--no-same-owner",
                     "--no-overwrite-dir", "--keep-directory-symlink")
            self.check_runs(root, "/usr/local/bin/gpuminer")
            root.run("ldconfig")
            self.check_library(root)
            root.run("sh", "-c", f"cd /usr/local && tar -tzf /tmp/{archive.name} | cut -d / -f 2- | grep -v '/$' | xargs rm && "
                                 "rm -r share/gpuminer share/doc/gpuminer lib/cmake/gpuminer && ldconfig")
            left = {path for path in root.files() - before if not (root.path / path).is_dir()}
            self.assertEqual(left, set())
        self.each_root(check)


@unittest.skipUnless(EMULATOR and shutil.which(EMULATOR[0]), "the program is for this machine, or there is no emulator")
class CleanRootsOfAnotherMachine(unittest.TestCase):
    """What can be seen without that machine: the program as unpacked from the .deb, with libc alone and each of its own instruction sets."""

    def test_it_runs(self):
        for suite in SUITES:
            with self.subTest(suite=suite), roots.Root(suite, field("Architecture")) as root:
                subprocess.run(["dpkg-deb", "--extract", only("*.deb"), root.path], check=True)

                def run(*arguments, root=root.path):
                    return subprocess.run([EMULATOR[0], "-L", root, root / "usr/bin/gpuminer", *arguments], capture_output=True, text=True,
                                          check=True, env={"PATH": os.environ["PATH"], "HOME": str(root / "tmp"), "GPUMINER_NO_CONFIG": "1"}).stdout

                for isa in os.environ["ISAS"].split():
                    found = json.loads(run(*SEARCH, "--isa", isa))
                    self.assertEqual(found["results"][0]["nonce"], 274148111)
                    self.assertEqual([device["name"] for device in found["devices"]], [f"cpu:{isa}#0"])
                self.assertIn("Usage: gpuminer", run("--help"))


if __name__ == "__main__":
    main()

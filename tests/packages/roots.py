"""Clean roots of Debian's and Ubuntu's suites, made by mmdebstrap from this machine's package sources, and programs that run in them."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

KEYS = {"noble": pathlib.Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg")}  # that mmdebstrap looks for; Debian's are on each system
MACHINE = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True).stdout.strip()
FOLDER = pathlib.Path(os.environ.get("PACKAGES", "packages")).parent / "test-roots"


def runs(architecture):
    """Whether this machine runs programs of Debian's `architecture`, also in another root (F): its own, or by binfmt_misc and QEMU."""
    if architecture == MACHINE:
        return True
    handler = pathlib.Path("/proc/sys/fs/binfmt_misc") / {"arm64": "qemu-aarch64", "amd64": "qemu-x86_64"}[architecture]
    return handler.exists() and re.match(r"enabled\n(.*\n)*flags: .*F", handler.read_text()) is not None


def archive(suite, architecture):
    """The path of the root as tar file, made on first use. SkipTest where it cannot be made here. For an architecture whose programs do
    not run here it has libc alone, unpacked and not configured."""
    if os.geteuid() != 0:
        raise unittest.SkipTest("a clean root takes the user root")
    if shutil.which("mmdebstrap") is None:
        raise unittest.SkipTest("mmdebstrap is not installed")
    if suite in KEYS and not KEYS[suite].exists():
        raise unittest.SkipTest(f"a root of {suite} takes the keys of Ubuntu's archive, {KEYS[suite]} (package ubuntu-keyring)")
    name, options = f"{suite}-{architecture}", ["--variant=minbase", "--include=apt"]
    if not runs(architecture):
        name, options = name + "-libc", ["--variant=extract", "--include=base-files,libc6"]
    path = FOLDER / f"{name}.tar"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        new = FOLDER / f"{name}.new.tar"
        process = subprocess.run(["mmdebstrap", "--quiet", f"--architectures={architecture}", *options, suite, new], stdin=subprocess.DEVNULL,
                                 capture_output=True, text=True, timeout=1800)
        if process.returncode != 0:
            raise unittest.SkipTest(f"mmdebstrap makes no root of {name} here: {process.stderr[-300:].strip()}")
        new.rename(path)
    return path


class Root:
    """An unpacked root, gone when the `with` ends."""

    def __init__(self, suite, architecture):
        self.archive = archive(suite, architecture)

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        subprocess.run(["tar", "-xf", self.archive, "-C", self.path], check=True)
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def run(self, *command, user="root", check=True):
        """With /proc and /dev, and without a network; what is mounted is gone with the process."""
        script = 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && root=$1 && user=$2 && shift 2 && ' \
                 'exec chroot --userspec="$user" "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin ' \
                 'LANG=C.UTF-8 HOME=/tmp/home "$@"'
        process = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--net", "sh", "-c", script, "sh", self.path, user, *command],
                                 stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
        if check and process.returncode != 0:
            raise AssertionError(f"{' '.join(command)}: {process.returncode}\n{process.stdout[-2000:]}{process.stderr[-2000:]}")
        return process

    def files(self):
        """All paths, without what package managers and the system keep of their own work."""
        own = ("var/lib/dpkg", "var/lib/apt", "var/log", "var/cache", "proc", "dev", "sys", "tmp", "run", "etc/ld.so.cache")
        return {str(path.relative_to(self.path)) for path in self.path.rglob("*")
                if not str(path.relative_to(self.path)).startswith(own)}

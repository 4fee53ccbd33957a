"""Engines that build and run container images here: podman, or buildah by itself, each with what it takes on this machine."""

import json
import pathlib
import shutil
import subprocess
import tempfile

BASE = "localhost/gpuminer-test-base"
PROBE = "localhost/gpuminer-test-probe"
# Options of podman, and of its `build` and `run`: as anybody would start it, and for machines that have cgroups of both versions, or that
# allow no higher limits. (The network is the host's everywhere, as a build installs packages by whatever way the host does.)
PODMAN = (
    ([], []),
    (["--cgroup-manager", "cgroupfs"], []),
    (["--cgroup-manager", "cgroupfs", "--runtime", "runc"], []),
    (["--cgroup-manager", "cgroupfs", "--runtime", "runc"], ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1000:1000"]),
)
# A container as careful users have it: compose.yaml's.
CAREFUL = ["--read-only", "--tmpfs", "/var/cache/gpuminer", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]


class Failed(Exception):
    """What an engine said when it ended with an error."""


class Engine:
    """Over a storage and a folder for what is at work, of its own (podman takes no long path for the second). Images are in Docker's format, as SHELL is not in OCI's."""

    def __init__(self, program, storage, runroot, options=(), of_containers=()):
        self.program = [program, "--storage-driver", "vfs", "--root", str(storage), "--runroot", str(runroot), *options]
        self.options = [*options, *of_containers]
        self.of_containers = ["--network", "host", *of_containers]

    def __str__(self):
        version = subprocess.run([self.program[0], "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
        return " ".join([self.program[0], version, *self.options])

    def call(self, *arguments, cwd=None):
        process = subprocess.run([*self.program, *map(str, arguments)], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if process.returncode != 0:
            raise Failed(f"{self.program[0]} {arguments[0]}: {process.stdout[-3000:]}{process.stderr[-1000:]}")
        return process.stdout.strip()

    def build(self, folder, dockerfile, name, **values):
        values = [word for key, value in values.items() for word in ("--build-arg", f"{key}={value}")]
        self.call("build", *self.of_containers, "--format", "docker", "--layers=false", *values, "--file", dockerfile, "--tag", name, ".", cwd=folder)


class Podman(Engine):
    def import_base(self, tar):
        self.call("import", tar, BASE)

    def config(self, image):
        return json.loads(self.call("image", "inspect", image))[0]["Config"]

    def mount(self, image):
        """The path of the image's files."""
        return pathlib.Path(self.call("image", "mount", image))

    def run(self, image, *arguments):
        return self.call("run", "--rm", *self.of_containers, *CAREFUL, image, *arguments)


class Buildah(Engine):
    """Its chroot takes nothing of the system but root's rights; it makes no container that could be read-only."""

    def __init__(self, program, storage, runroot):
        super().__init__(program, storage, runroot, of_containers=["--isolation", "chroot"])

    def import_base(self, tar):
        empty = self.call("from", "scratch")
        self.call("add", empty, tar, "/")
        self.call("commit", "--format", "docker", empty, BASE)
        self.call("rm", empty)

    def config(self, image):
        return json.loads(self.call("inspect", "--type", "image", image))["OCIv1"]["config"]

    def mount(self, image):
        return pathlib.Path(self.call("mount", self.call("from", image)))

    def run(self, image, *arguments):
        container = self.call("from", image)
        try:
            return self.call("run", "--isolation", "chroot", container, *self.config(image)["Entrypoint"], *arguments)
        finally:
            self.call("rm", container)


def find(storage, runroot, tar):
    """(The first engine that builds an image on this root and runs it, with the root as image BASE; what each of the others said). None:
    no engine does. The first that are asked have a runtime of containers."""
    refusals, imported = [], set()
    candidates = [Podman("podman", storage, runroot, *options) for options in PODMAN] + [Buildah("buildah", storage, runroot)]
    for engine in candidates:
        if not shutil.which(engine.program[0]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "Dockerfile").write_text(f'FROM {BASE}\nRUN touch /built\nUSER 65534:65534\nENTRYPOINT ["/bin/ls"]\n')
            try:
                if engine.program[0] not in imported:
                    engine.import_base(tar)
                    imported.add(engine.program[0])
                engine.build(folder, "Dockerfile", PROBE)
                if engine.run(PROBE, "/built") == "/built":
                    return engine, refusals
            except Failed as error:
                refusals.append(f"{engine}: {str(error).strip()[-300:]}")
    return None, refusals

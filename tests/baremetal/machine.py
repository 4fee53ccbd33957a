"""A PC without an operating system: QEMU with OVMF, a volume with BOOTX64.EFI, and what it says on its serial line."""

import os
import pathlib
import re
import selectors
import shutil
import subprocess
import tempfile
import time

FIRMWARE = pathlib.Path("/usr/share/OVMF")
# The firmware itself, and its variables; Ubuntu and newer Debian have the second pair only. The smaller one starts faster.
FIRMWARE_FILES = [("OVMF_CODE.fd", "OVMF_VARS.fd"), ("OVMF_CODE_4M.fd", "OVMF_VARS_4M.fd")]
PROMPT = "or when a key is pressed."
PATIENCE = 540  # seconds, against a machine that hangs (ctest's limit is 600); a start takes 5 on a quiet one


def missing():
    """Why no machine can be started here; empty: one can."""
    if not firmware_files():
        return f"there is no OVMF in {FIRMWARE} (package ovmf)"
    needed = {"qemu-system-x86_64": "qemu-system-x86", "mformat": "mtools"}
    absent = [f"{program} is not installed (package {package})" for program, package in needed.items() if not shutil.which(program)]
    return "; ".join(absent)


def firmware_files():
    for code, variables in FIRMWARE_FILES:
        if (FIRMWARE / code).exists() and (FIRMWARE / variables).exists():
            return FIRMWARE / code, FIRMWARE / variables
    return None


def plain(output):
    """Text without what moves a terminal's cursor."""
    return re.sub(rb"\x1b\[[0-9;=?]*[A-Za-z]", b"", output).decode("ascii", "replace").replace("\r", "")


def make_volume(image, files):
    """A FAT volume of 16 MiB with these files, {path: bytes}."""
    run = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run(["mformat", "-C", "-i", image, "-T", "32768", "::"], **run)
    subprocess.run(["mmd", "-i", image, "::/EFI", "::/EFI/BOOT"], **run)
    for path, content in files.items():
        subprocess.run(["mcopy", "-i", image, "-", f"::/{path}"], input=content, **run)


def read_file(image, path):
    """A file of the volume; None: there is none."""
    done = subprocess.run(["mtype", "-i", image, f"::/{path}"], capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


class Finished:
    """What a machine left behind."""

    def __init__(self, text, code, report):
        self.text, self.code, self.report = text, code, report

    @property
    def words(self):
        """The text with every run of blanks and ends of lines as one blank: lines are broken where the screen ends."""
        return " ".join(self.text.split())


def start(program, config=None, **named):
    """start_image() of a disk with `program` as BOOTX64.EFI and this text as gpuminer.cfg."""
    with tempfile.TemporaryDirectory() as folder:
        image = pathlib.Path(folder) / "volume.img"
        files = {"EFI/BOOT/BOOTX64.EFI": pathlib.Path(program).read_bytes()}
        if config is not None:
            files["gpuminer.cfg"] = config if isinstance(config, bytes) else config.encode()
        make_volume(image, files)
        return start_image(image, image, **named)


def start_image(image, volume, drive=("virtio-blk-pci",), cpu="max", processors=4, read_only=False, keys=()):
    """Starts a machine from the image until it switches itself off; `volume`: its file system, as mtools take it. `drive`: QEMU's
    devices for it. `keys`: pairs of a text and the key to be pressed once it has been said. Returns a Finished. Emulated (TCG),
    never KVM."""
    with tempfile.TemporaryDirectory() as folder:
        variables = pathlib.Path(folder) / "variables.fd"
        code, empty_variables = firmware_files()
        shutil.copy(empty_variables, variables)
        switch = "on" if read_only else "off"
        arguments = [
            "qemu-system-x86_64", "-accel", "tcg", "-machine", "q35", "-cpu", cpu, "-smp", str(processors), "-m", "256",
            "-nodefaults", "-display", "none", "-net", "none", "-serial", "stdio", "-no-reboot",
            "-drive", f"if=pflash,format=raw,readonly=on,file={code}", "-drive", f"if=pflash,format=raw,file={variables}",
            "-drive", f"if=none,id=stick,format=raw,readonly={switch},file={image}",
            *(word for device in drive[:-1] for word in ("-device", device)),
            "-device", f"{drive[-1]},drive=stick,bootindex=0"]
        output, exit_code = converse(arguments, [*keys, (PROMPT, b" ")])
        return Finished(plain(output), exit_code, read_file(volume, "GPUMINER.CSV"))


def converse(arguments, keys):
    """Runs the machine and presses keys, each once its text has been said after the key before. Returns what it said and the
    exit code; raises TimeoutError where it does not end."""
    machine = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    waiting, output, heard, end = list(keys), b"", 0, time.monotonic() + PATIENCE
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(machine.stdout, selectors.EVENT_READ)
            while True:
                if not selector.select(max(0, end - time.monotonic())):
                    raise TimeoutError(f"the machine did not switch itself off within {PATIENCE} s; it said:\n{plain(output)}")
                part = os.read(machine.stdout.fileno(), 65536)
                if not part:
                    return output, machine.wait()
                output += part
                text = plain(output)
                while waiting and waiting[0][0] in text[heard:]:
                    said, key = waiting.pop(0)
                    heard = text.index(said, heard) + len(said)
                    machine.stdin.write(key)
                    machine.stdin.flush()
    finally:
        machine.kill()
        machine.wait()
        machine.stdin.close()
        machine.stdout.close()

"""Kernels for AMD's GPUs as their compilers make them, without a GPU: by clang from the OpenCL text, by Mesa (RADV) from SPIR-V; the
instructions that one hash takes."""
import os
import re
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

from gpu_code import GROUP, ROOT, SHORT, Code, opencl_options, run


class AmdCode(Code):
    """Instructions as (opcode, operands)."""

    def __init__(self, text, label):
        super().__init__()
        for line in text.splitlines():
            if found := re.match(label + ":", line):
                self.labels[found[1]] = len(self.code)
            elif found := re.match(r"\s+((?:[vs]|ds|global|flat|buffer|scratch)_\w+)\s*([^;]*)", line):
                self.code.append((found[1], found[2].strip()))

    def is_end(self, place):
        return self.code[place][0] == "s_endpgm"

    def next(self, place):
        """Over short code, which notes a candidate, back to a loop's start, and not far ahead, to the end."""
        opcode, operands = self.code[place]
        target = self.labels.get(operands.split(",")[0]) if "branch" in opcode else None
        if target is None or ("_cbranch" in opcode and target > place + SHORT):
            return place + 1
        return target

    def vector_instructions(self, rolled):
        return self.per_hash(rolled, lambda instruction: instruction[0].startswith("v_"))


# --- OpenCL, by clang -----------------------------------------------------------------------------------------

def clang_version(clang):
    return "clang " + re.search(r"version (\d+)", run(clang, "--version"))[1]


def clang_options(build, rolled, mix):
    return ["-x", "cl", "-O3", "-w", "-nogpulib", "-include", ROOT / "bench/tools/amd_builtins.h", "-I", build / "generated",
            *opencl_options(build, rolled, mix)]


def opencl_kernel(clang, build, chip, rolled, mix):
    text = run(clang, *clang_options(build, rolled, mix), "--target=amdgcn-amd-amdhsa", f"-mcpu={chip}", "-S", "-o", "-",
               ROOT / "opencl/search.cl")
    body = re.search(r"^search:(.*?)^\.Lfunc_end", text, re.S | re.M)
    after, metadata = text[body.end():], text[text.rindex("amdhsa.kernels:"):]

    def of_metadata(name):
        return int(re.search(rf"\.{name}:\s+(\d+)", metadata)[1])
    return {"vector": AmdCode(body[1], r"(\.LBB\w+)").vector_instructions(rolled), "registers": of_metadata("vgpr_count"),
            "shared_bytes": of_metadata("group_segment_fixed_size"), "code_bytes": int(re.search(r"codeLenInByte = (\d+)", after)[1]),
            "spills": of_metadata("vgpr_spill_count"), "scratch_bytes": of_metadata("private_segment_fixed_size")}


# --- Vulkan, by Mesa ------------------------------------------------------------------------------------------

class Mesa:
    """RADV and its null device: this system's, or those of a root of another system."""

    def __init__(self, program, build, root=None):
        """`program`: gpuminer-bench-pipeline. RuntimeError where RADV is not installed."""
        self.build, self.root = build, root
        manifests = sorted(Path(root or "/", "usr/share/vulkan/icd.d").glob("radeon_icd*.json"))
        if not manifests:
            raise RuntimeError("RADV is not installed (mesa-vulkan-drivers)")
        self.driver = Path("/", manifests[0].relative_to(root or "/"))
        self.folder = tempfile.TemporaryDirectory(dir=root and root / "tmp")
        self.program = program
        if root:
            self.program = Path("/", Path(shutil.copy(program, self.folder.name)).relative_to(root))
        self.version = " ".join(re.split(r"[ \t-]", self.output("navi21", "search_0_0").split("\n")[0])[1:3])

    def close(self):
        self.folder.cleanup()

    def output(self, chip, shader):
        numbers = re.findall(r"0x[0-9a-f]+|\d+", (self.build / f"vulkan/shaders/{shader}.inc").read_text())
        with tempfile.NamedTemporaryFile(dir=self.folder.name, suffix=".spv") as file:
            file.write(struct.pack(f"<{len(numbers)}I", *(int(number, 0) for number in numbers)))
            file.flush()
            path = Path("/", Path(file.name).relative_to(self.root or "/"))
            environment = {**os.environ, "RADV_FORCE_FAMILY": chip, "MESA_SHADER_CACHE_DISABLE": "1",
                           "VK_DRIVER_FILES": str(self.driver), "VK_ICD_FILENAMES": str(self.driver)}
            return run(*(["chroot", self.root] if self.root else []), self.program, path, GROUP, env=environment)

    def kernel(self, chip, rolled, mix):
        statistics, assembly = self.output(chip, f"search_{int(rolled)}_{mix}").split("\nassembly\n")
        numbers = dict(line.split("\t") for line in statistics.split("\n")[1:])
        return {"vector": AmdCode(assembly, r"(BB\d+)").vector_instructions(rolled), "registers": int(numbers["VGPRs"]),
                "shared_bytes": int(numbers["LDS size"]), "code_bytes": int(numbers["Code size"]),
                "spills": int(numbers["Spilled VGPRs"]), "scratch_bytes": int(numbers["Scratch size"])}


def make_root(folder):
    """Debian 13's Mesa in a root of its own, made by mmdebstrap unless it is there. RuntimeError where that is not possible."""
    if os.geteuid() != 0:
        raise RuntimeError("another root takes the user root")
    if folder.exists():
        return folder
    if shutil.which("mmdebstrap") is None:
        raise RuntimeError("mmdebstrap is not installed")
    new = folder.with_name(folder.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    run("mmdebstrap", "--quiet", "--variant=extract", "--include=base-files,libc6,libstdc++6,libvulkan1,mesa-vulkan-drivers", "trixie",
        new, stdin=subprocess.DEVNULL, timeout=1800)
    return new.rename(folder)

#!/usr/bin/env python3
"""Proves that what is in a build folder computes SHA-256(SHA-256(…)) as FIPS 180-4 writes it, for all inputs.

usage: prove.py BUILD_FOLDER [NAME]...

NAME: only what has such a name, which is printed first in a line; a regular expression ("scan_avx2.*"). Exit status: 0 if
every form is proved; 1 if one is refuted, or not proved although it could be read; 77 if all that could be read are proved,
and some could not.
"""
import argparse
import pathlib
import re
import sys

import batch
import forms
import gpu
import header
import listing
import messages
import program
import ptx
import scan
import spirv
import streams
import woven

_ASSUMPTIONS = """Assumed: pointers that are passed do not overlap; first nonce + count <= 2^32; there is a version; counts from a
constant do not wrap; a loop that fills an array makes as many passes as the one that reads it, and no more than a block has
vectors; the job words are those of the printed program. Of GPUs also: the launch words `one`, `other_one` and `powers` are what
host/gpu/launch_words.hpp says; a thread's part of the shared memory is its own.
Not proved: where ranges end, that loops end, that vectors in memory are aligned, the shaders for Vulkan on a CPU, SASS, what
drivers make of PTX and SPIR-V."""


class Report:
    def __init__(self, names):
        self.names, self.refuted, self.unread, self.proved = names, [], [], 0

    def wants(self, name):
        return not self.names or any(re.fullmatch(pattern, name) for pattern in self.names)

    def prove(self, name, what, proof):
        """`proof` raises, or returns why it is refuted, or None."""
        if not self.wants(name):
            return
        try:
            why = proof()
            why = why if isinstance(why, str) else None
        except program.Refuted as refuted:
            why = str(refuted)
        except program.Unreadable as unreadable:
            self.not_read(name, f"{what}: {unreadable}")
            return
        if why:
            self.refuted.append(name)
            print(f"{name}: {what}: NOT PROVED: {why}")
        else:
            self.proved += 1
            print(f"{name}: {what}: proved", flush=True)

    def not_read(self, name, why):
        if self.wants(name):
            self.unread.append(name)
            print(f"{name}: not read: {why}")

    def status(self):
        print(f"{self.proved} proved, {len(self.refuted)} not proved, {len(self.unread)} not read")
        return 1 if self.refuted or not self.proved else 77 if self.unread else 0


def _prove_programs(report, build):
    report.prove("fixed", "the printed program, one header", lambda: header.prove_search(program.printed(build)))
    for versions in (2, 3, 4, 8, 16):
        report.prove("rolled", f"the printed program, {versions} versions",
                     lambda v=versions: header.prove_search(program.printed(build, "--versions", str(v))))
    report.prove("batch", "the printed program, messages of 64 bytes",
                 lambda: header.prove_batch(program.printed(build, "--batch")))


def _prove_machine_code(report, build):
    path = build / "gpuminer"
    if not path.exists():
        report.not_read("gpuminer", "the program is not built")
        return
    try:
        linked = listing.Program(str(path))
    except (program.Unreadable, FileNotFoundError) as error:  # another processor's program, or no binutils
        report.not_read("gpuminer", error)
        return
    for lanes, address in forms.note_functions(linked):
        report.prove("note_lanes", f"candidates of {lanes} lanes, at {address:x}",
                     lambda n=lanes, a=address: scan.prove_note(linked, n, a))
    for address in forms.woven_note_functions(linked):
        report.prove("note_lanes", f"candidates of woven forms, at {address:x}", lambda a=address: woven.prove_note(linked, a))
    proofs = {forms.Form: scan.prove_scan, forms.StreamForm: streams.prove_streams, forms.WovenForm: woven.prove_woven}
    tables = {rolled: header.job_tables(build, rolled) for rolled in (False, True)}
    readable, others = forms.searches(linked)
    for form in readable:
        for rolled in (False, True):
            report.prove(form.function, "machine code, " + ("several versions" if rolled else "one header"),
                         lambda f=form, r=rolled: proofs[type(f)](linked, f, tables[r], r))
    for name in others:
        report.not_read(name, "machine code: a kind of search that no reader is for")
    for form in forms.batches(linked):
        report.prove(form.function, "machine code", lambda f=form: batch.prove_batch(linked, f))
    for form in forms.messages(linked):
        report.prove(form.function, "machine code", lambda f=form: messages.prove_messages(linked, f))
    for name in forms.messages_alone(linked):
        report.not_read(name, "machine code: one message by itself, both hashes in one call")


def _prove_ptx(report, build):
    kernels = sorted((build / "cuda" / "kernels").glob("*.ptx"))
    for path in kernels:
        rolled = path.stem.startswith("rolled")
        report.prove(path.name, "PTX", lambda p=path, r=rolled: gpu.prove_kernel(
            ptx.parse(p.read_text()), header.job_tables(build, r), r))
    if not kernels:
        print("No PTX was built.")


def _prove_shaders(report, build):
    shaders = sorted((build / "vulkan" / "shaders").glob("search_[01]_*.inc"))
    for path in shaders:
        rolled = path.name.startswith("search_1")
        report.prove(path.name, "SPIR-V", lambda p=path, r=rolled: gpu.prove_kernel(
            spirv.parse(spirv.read(p)), header.job_tables(build, r), r))
    if not shaders:
        print("No SPIR-V was built.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if not (arguments.build / "gpuminer-kernelgen").exists():
        print(f"SKIPPED: {arguments.build} has no gpuminer-kernelgen")
        return 77
    report = Report(arguments.names)
    print(_ASSUMPTIONS)
    _prove_programs(report, arguments.build)
    _prove_machine_code(report, arguments.build)
    _prove_ptx(report, arguments.build)
    _prove_shaders(report, arguments.build)
    return report.status()


if __name__ == "__main__":
    sys.exit(main())

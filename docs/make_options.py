#!/usr/bin/env python3
"""The generator of docs/options.md, from gpuminer's --help (the tables of cli/options/option_table.cpp).

make_options.py --gpuminer PROGRAM            writes it
make_options.py --gpuminer PROGRAM --check    fails where the file is not what the program says now
"""

import argparse
import pathlib
import re
import subprocess
import sys

BLOCKS = "or the name of an embedded real block"  # the last line about HEADER in the help
FILE = pathlib.Path(__file__).resolve().parent / "options.md"
HEAD = """# Commands and options

Generated from the program's own `--help` by `docs/make_options.py`; `gpuminer COMMAND --help` prints the part for one
command. Options may stand before or after the command. What they are for: [README](../README.md), [mining](mining.md),
[GPUs](gpus.md), [benchmarking](benchmarking.md). Exit codes and signals are in the README.
"""


def help_of(program, *command):
    """Help as [(heading, [(left, right)])]: the sections that have lines of two columns."""
    text = subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True).stdout
    sections = []
    for line in text.splitlines():
        if line and not line.startswith(" "):
            sections.append((line, []))
        elif sections and (match := re.fullmatch(r"  (\S.{25}) (\S.*)", line)):
            sections[-1][1].append((match[1].strip(), match[2]))
        elif line and not line.startswith("       gpuminer"):
            sys.exit(f"expected two columns in the help of gpuminer {' '.join(command)}, got: {line}")
    return [(heading.removesuffix(":"), rows) for heading, rows in sections if rows]


def table(title, rows):
    cells = [f"| `{left}` | {right} |" for left, right in ((a, b.replace("|", "\\|")) for a, b in rows)]
    return "\n".join([f"| {title} | |", "|---|---|", *cells])


def document(program):
    whole = help_of(program)
    commands = next(rows for heading, rows in whole if heading == "Commands")
    names = [left.split()[0] for left, _ in commands]
    taken = {name: [heading for heading, _ in help_of(program, name)] for name in names}
    parts = [HEAD, "## Commands\n", table("command", commands), "",
             "Without a command gpuminer mines the embedded job, real block 100000, with the options of `mine`.\n"]
    for heading, rows in help_of(program, "bench"):
        if heading.startswith("Workloads"):
            note = heading.removeprefix("Workloads (").removesuffix(")").replace("--", "`--", 1)
            note = re.sub(r"`?(--[a-z-]+)", r"`\1`", note)
            parts += ["### Workloads of `bench`\n", table("workload", rows), "", f"{note[0].upper()}{note[1:]}.\n"]
    blocks = next(rows for heading, rows in whole if heading.startswith(BLOCKS))
    parts += ["### HEADER\n", "152 hex digits (without a nonce), 160 hex digits, `@FILE`, `-` (standard input),\n"
              "for `verify` also a whole block or the JSON of `bitcoin-cli getblockheader`, or the name of a real block:\n",
              table("block", blocks), ""]
    parts.append("## Options\n")
    for heading, rows in whole:
        if heading == "Commands" or heading.startswith(BLOCKS):
            continue
        users = [f"`{name}`" for name in names if heading in taken[name]]
        who = "every command" if len(users) == len(names) else ", ".join(users)
        parts += [f"### {heading}\n", f"For {who}.\n",
                  table("option", [(left.replace(",-", ", -"), right) for left, right in rows]), ""]
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gpuminer", required=True, metavar="PROGRAM")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    text = document(arguments.gpuminer)
    if not arguments.check:
        FILE.write_text(text, encoding="utf-8")
    elif FILE.read_text(encoding="utf-8") != text:
        sys.exit("docs/options.md is not what gpuminer --help says: cmake --build --preset release --target options_document")


if __name__ == "__main__":
    main()

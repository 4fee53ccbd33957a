"""Counts of GPU kernels by compiler, beside those that were recorded: tables, complaints, the file of the record."""
import argparse
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

FORMS = ["fixed", "rolled"]
TOLERANCE = 0.01  # of what was recorded, as in sass_count.py


@dataclass
class Tool:
    """What a script counts. A row has the texts compiler, chip, form and mix, and numbers."""
    record: Path
    recorded: list  # numbers that must not grow
    columns: dict  # of the table: heading by number
    explanation: str  # below the table
    faults: Callable  # what is wrong with a row, whatever was recorded
    is_counted: Callable = lambda row: True  # whether a row is in table and record

    @property
    def name(self):
        return Path(sys.argv[0]).name


def measure(jobs):
    """Rows of jobs: (what is measured, function, its arguments)."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        tasks = [(what, pool.submit(function, *arguments)) for what, function, arguments in jobs]
        return [{**what, **task.result()} for what, task in tasks]


def key_of(row):
    return f"{row['chip']} {row['form']} {row['mix']}"


def recorded_part(tool, row):
    return {name: round(row[name], 3) for name in tool.recorded}


def judge(tool, rows, record):
    """Complaints, and the compilers of which there is no record."""
    complaints = [f"{row['compiler']}: {key_of(row)}: {fault}" for row in rows for fault in tool.faults(row)]
    unknown = set()
    for row in filter(tool.is_counted, rows):
        if row["compiler"] not in record:
            unknown.add(row["compiler"])
            continue
        before = record[row["compiler"]].get(key_of(row), {})
        for what, value in recorded_part(tool, row).items():
            if what not in before or value > before[what] * (1 + TOLERANCE):
                complaints.append(f"{row['compiler']}: {key_of(row)}: {what} is {value}, recorded is {before.get(what, 'nothing')}")
    return complaints, sorted(unknown)


def print_table(tool, rows):
    texts = ["compiler", "chip", "form", "mix"]
    table = [texts + list(tool.columns.values())] + [[row[name] for name in texts] + [f"{row[name]:.0f}" for name in tool.columns]
                                                     for row in rows]
    widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    for line in table:
        print("  ".join(cell.ljust(w) if i < len(texts) else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths))).rstrip())
    print(tool.explanation)


def write_record(tool, record, rows):
    record.update({compiler: {key_of(row): recorded_part(tool, row) for row in rows if row["compiler"] == compiler}
                   for compiler in {row["compiler"] for row in rows}})
    compilers = ["{}: {{\n{}\n}}".format(json.dumps(compiler), ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}"
                                                                          for key, value in kernels.items()))
                 for compiler, kernels in sorted(record.items())]
    tool.record.write_text("{\n" + ",\n".join(compilers) + "\n}\n")


def parser_of(documentation, root):
    parser = argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=root / "build/release", help="build folder (default: build/release)")
    parser.add_argument("--record", action="store_true", help="write the counts of these compilers to the record")
    return parser


def main(tool, gather, options):
    """`gather(options)`: all rows; why some are missing. Returns the exit status."""
    try:
        rows, missing = gather(options)
    except (OSError, RuntimeError, ValueError) as error:
        sys.exit(f"{tool.name}: {error}")
    counted = [row for row in rows if tool.is_counted(row)]
    if rows:
        print_table(tool, counted)
    record = json.loads(tool.record.read_text()) if tool.record.exists() else {}
    if options.record:
        write_record(tool, record, counted)
    complaints, unknown = judge(tool, rows, record)
    for complaint in complaints:
        print(f"{tool.name}: {complaint}", file=sys.stderr)
    for reason in missing + [f"the comparison: the record has nothing of {compiler}" for compiler in unknown]:
        if not complaints:  # ctest would take failures for skipped
            print(f"SKIPPED {reason}")
    return 1 if complaints else 0

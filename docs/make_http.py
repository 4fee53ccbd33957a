#!/usr/bin/env python3
"""The generator of the tables of docs/http.md, from web/openapi.json.

make_http.py            writes them
make_http.py --check    fails where they are not what the description says now
"""

import json
import pathlib
import sys

DOCS = pathlib.Path(__file__).resolve().parent
FILE = DOCS / "http.md"
BEGIN = "<!-- Generated from web/openapi.json by docs/make_http.py: begin -->\n"
END = "<!-- end -->\n"


def table(paths, method, title):
    cells = [f"| {title} | |", "|---|---|"]
    for path, operations in paths.items():
        if operation := operations.get(method):
            cells.append(f"| `{path}` | {operation.get('description', operation['summary'])} |")
    return "\n".join(cells) + "\n"


def main():
    paths = json.loads((DOCS.parent / "web" / "openapi.json").read_text(encoding="utf-8"))["paths"]
    old = FILE.read_text(encoding="utf-8")
    before, _, rest = old.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        sys.exit(f"expected {BEGIN.strip()} and {END.strip()} in docs/http.md")
    tables = f"\n{table(paths, 'get', '`GET`')}\n{table(paths, 'post', '`POST`, with the token')}\n"
    text = f"{before}{BEGIN}{tables}{END}{after}"
    if "--check" not in sys.argv[1:]:
        FILE.write_text(text, encoding="utf-8")
    elif text != old:
        sys.exit("docs/http.md is not what web/openapi.json says: cmake --build --preset release --target http_document")


if __name__ == "__main__":
    main()

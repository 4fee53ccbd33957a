"""Links of Markdown pages to files."""

import re


def dangling(folder, pages):
    """["page: target"] of relative links from these pages to what does not exist; absolute ones lead out of the folder."""
    found = []
    for page in sorted(pages):
        for target in re.findall(r"\[[^][]*\]\(([^()]*)\)", page.read_text(encoding="utf-8")):
            path = target.split("#")[0]
            if path and not re.match("[a-z]+:", path) and not (page.parent / path).exists():
                found.append(f"{page.relative_to(folder)}: {target}")
    return found

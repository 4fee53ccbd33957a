#!/usr/bin/env bash
# check_tidy.sh BUILD_FOLDER [--all]: clang-tidy finds nothing in our sources, as compiled in BUILD_FOLDER: in those that
# changed since the branch left origin/main (there: in the last 20 commits) and those that include what changed; with
# --all, or where git or the build cannot say, in all. What is worth a warning differs between versions of clang-tidy, so
# only version 14 judges. Not looked at: what is generated, the programs under tests/ (Catch2's macros are all it would talk about) and the
# files of one ISA each, which are instantiations of headers and thousands of printed lines.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=${1:?usage: check_tidy.sh BUILD_FOLDER [--all]}
for tool in clang-tidy-14 clang-tidy none; do
    if [ "$tool" = none ]; then
        echo "SKIPPED: the sources are checked with clang-tidy 14, which is not installed"
        exit 77
    fi
    if "$tool" --version 2>/dev/null | grep -q 'version 14\.'; then break; fi
done

all_sources() {
    grep -oP '"file": "\K[^"]+' "$build/compile_commands.json" | sed "s|^$PWD/||" | sort -u |
        grep -vE '^(/|build/|cmake/|tests/)|/(scan|sha256d64)_[^/]*$|\.cu$'
}

# The files that differ from the commit in question, one a line; a failure: nobody knows.
changed_files() {
    local base
    base=$(git merge-base HEAD origin/main 2>/dev/null) || base=
    if [ -n "$base" ] && [ "$base" != "$(git rev-parse HEAD)" ]; then
        git diff --name-only "$base"
    else
        git rev-parse --verify --quiet HEAD >/dev/null && git log -20 --no-merges --name-only --format=
    fi && git ls-files --others --exclude-standard
}

# changed_sources FILE: of all sources those that are named in FILE or include what is, as ninja remembers it.
changed_sources() {
    { ninja -C "$build" -t deps | sed -nE 's|^    ||p; s|^([^ ].*): #deps.*|: \1|p'; } |
        awk -v root="$PWD/" '
            NR == FNR { changed[$0] = 1; next }
            /^: / { source = ""; next }
            { sub("^(\\.\\./)+", ""); if (index($0, root) == 1) $0 = substr($0, length(root) + 1) }
            source == "" { source = $0 }
            $0 in changed { print source }' "$1" - | sort -u
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
all_sources >"$work/all"
if [ "${2:-}" != --all ] && changed_files >"$work/changed" && [ -f "$build/.ninja_deps" ] &&
    ! grep -qxF .clang-tidy "$work/changed"; then
    { changed_sources "$work/changed"; cat "$work/changed"; } | sort -u | comm -12 - "$work/all" >"$work/chosen"
else
    cp "$work/all" "$work/chosen"
fi
xargs -r -P "$(nproc)" -n 1 "$tool" -p "$build" --quiet --warnings-as-errors='*' \
    --extra-arg=-Wno-unknown-warning-option <"$work/chosen" 2>&1 |
    sed -E '/^[0-9]+ warnings? (and [0-9]+ errors? )?generated\.$/d'  # most of them in system headers, not shown
echo "clang-tidy: no complaints in $(wc -l <"$work/chosen") of $(wc -l <"$work/all") sources"

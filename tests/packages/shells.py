"""The completions that bash, zsh and fish offer on Tab, from the build's scripts."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time

SCRIPTS = {"bash": "gpuminer", "zsh": "_gpuminer", "fish": "gpuminer.fish"}


def bash(folder, lines):
    """A list of candidates for each line: those of the function that the script registers for the command."""
    script = 'source "$1"; shift; read -r _ _ function _ < <(complete -p gpuminer)\n' \
             'for line; do\n' \
             '    read -r -a COMP_WORDS <<<"${line//=/ = }"; if [[ $line == *" " ]]; then COMP_WORDS+=(""); fi\n' \
             '    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=(); "$function"; printf "%s\\n" "${COMPREPLY[@]}" END\n' \
             'done\n'
    process = subprocess.run(["bash", "--norc", "-c", script, "bash", folder / SCRIPTS["bash"], *lines],
                             capture_output=True, text=True, timeout=HANGS)
    if process.returncode != 0 or process.stderr:
        raise AssertionError(f"bash: {process.stderr}")
    return [[word for word in part.splitlines() if word] for part in process.stdout.split("END\n")[:-1]]


def fish(folder, lines):
    script = "source $argv[1]\nfor line in $argv[2..]\n    complete -C $line\n    echo END\nend\n"
    with tempfile.TemporaryDirectory() as home:  # it writes its history there
        process = subprocess.run(["fish", "--no-config", "-c", script, folder / SCRIPTS["fish"], *lines],
                                 capture_output=True, text=True, timeout=HANGS, env=os.environ | {"HOME": home})
    if process.returncode != 0 or process.stderr:
        raise AssertionError(f"fish: {process.stderr}")
    return [[line.split("\t")[0] for line in part.splitlines()] for part in process.stdout.split("END\n")[:-1]]


HANGS = 300  # seconds without an answer

# Zsh's completions work at a prompt only: there is one, whose candidates are written down instead of shown.
ZSH = """
PROMPT=READY
unset zle_bracketed_paste
unsetopt BEEP AUTO_MENU AUTO_LIST
fpath=({folder} $fpath)
autoload -Uz compinit
compinit -D -u
compadd() {{
    local -a hits
    case " $* " in (*' -O '*|*' -A '*|*' -D '*) builtin compadd "$@"; return;; esac
    builtin compadd -A hits "$@"
    (( $#hits )) && print -rl -- $IPREFIX${{^hits}} >>{output}
    builtin compadd "$@"
}}
_finished() {{ print END >>{output}; comppostfuncs=(_finished) }}
comppostfuncs=(_finished)
bindkey '^I' complete-word
"""


def wait_for(condition, terminal):
    """Reads what the shell writes until the condition holds."""
    deadline = time.monotonic() + HANGS
    shown = b""
    while not condition(shown):
        if time.monotonic() > deadline:
            raise AssertionError(f"zsh does not answer: {shown[-500:]!r}")
        if select.select([terminal], [], [], 0.05)[0]:
            shown += os.read(terminal, 4096)


def zsh(folder, lines):
    with tempfile.TemporaryDirectory() as home:
        output = pathlib.Path(home) / "candidates"
        output.touch()
        (pathlib.Path(home) / ".zshrc").write_text(ZSH.format(folder=folder, output=output))
        terminal, slave = pty.openpty()
        process = subprocess.Popen(["zsh", "--no-globalrcs", "-i"], stdin=slave, stdout=slave, stderr=slave, cwd=home,
                                   start_new_session=True,
                                   env=os.environ | {"HOME": home, "ZDOTDIR": home, "TERM": "dumb"})
        os.close(slave)
        try:
            wait_for(lambda shown: b"READY" in shown, terminal)
            for number, line in enumerate(lines, 1):
                os.write(terminal, line.encode() + b"\t")
                wait_for(lambda _, number=number: output.read_text().count("END\n") == number, terminal)
                os.write(terminal, b"\x15")  # the line away
        finally:
            process.kill()
            process.wait()
            os.close(terminal)
        return [part.splitlines() for part in output.read_text().split("END\n")[:-1]]


def offered(shell, folder, lines):
    """[candidates of each line], each a set without what zsh adds to names of options."""
    answers = {"bash": bash, "zsh": zsh, "fish": fish}[shell](folder, lines)
    if len(answers) != len(lines):
        raise AssertionError(f"{shell}: expected {len(lines)} answers, got {len(answers)}")
    return [{re.sub("=$", "", word) for word in answer} for answer in answers]


def is_installed(shell):
    return shutil.which(shell) is not None

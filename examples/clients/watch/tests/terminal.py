"""Terminal output: the help, colours, and a clean end on Ctrl-C."""

import os
import pty
import re
import select
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HELP = Path(__file__).parents[1] / "help.txt"
SECONDS = 300
NOT_PROVED = 6  # exit code if a transaction was not proven in time, as on a busy machine


def run(tests):
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda watcher: check_watcher(tests, watcher), tests.watchers))


def check_watcher(tests, watcher):
    name = Path(watcher[-1]).name
    environment = {**os.environ, "QUORATE_TESTNET": str(tests.folder)}
    tests.record(f"help: {name}", help_differs(watcher))
    tests.record(f"colours on a terminal: {name}", on_terminal(watcher, environment, True))
    tests.record(f"no colours with NO_COLOR: {name}", on_terminal(watcher, environment, False))
    tests.record(f"Ctrl-C: {name}", interrupted(watcher, environment))
    tests.record(f"a closed pipe: {name}", reader_gone(watcher, environment))


def help_differs(watcher):
    done = subprocess.run([*watcher, "--help"], capture_output=True, text=True, timeout=SECONDS)
    pattern = re.escape(HELP.read_text()).replace(re.escape("{program}"), r"\S.*")
    if done.returncode != 0 or not re.fullmatch(pattern, done.stdout) or "{" in done.stdout:
        return f"{done.returncode} {done.stdout} {done.stderr}"
    return None


def on_terminal(watcher, environment, coloured):
    """Waits for blocks and proofs, then interrupts. Expects colours exactly if `coloured`."""
    ours, theirs = pty.openpty()
    environment = {**environment, "NO_COLOR": "" if coloured else "1"}
    command = [*watcher, "--probe", "0.3"]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    text = read_until(ours, lambda text: re.search("^block ", text, re.MULTILINE) and "proof" in text)
    process.send_signal(signal.SIGINT)
    text += read_until(ours, lambda text: False)
    os.close(ours)
    code = process.wait(SECONDS)
    summary = text.splitlines()[-1] if text else ""
    if code != exit_code(summary) or ("\x1b[" in text) != coloured or "summary" not in summary:
        return f"exit {code}: {text[-2000:]!r}"
    return None


def exit_code(summary):
    """Returns the expected exit code of a watcher that was interrupted."""
    return NOT_PROVED if re.search(", late [1-9]", summary) else 0


def read_until(terminal, enough):
    """Returns the output until `enough` returns true, or until the other side closes."""
    found, deadline = "", time.monotonic() + SECONDS
    while time.monotonic() < deadline and not enough(found):
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        found += piece.decode(errors="replace")
    return found


def interrupted(watcher, environment):
    """Expects the summary as the last line, and no exception."""
    process = subprocess.Popen(
        watcher, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    first = next((line for line in process.stdout if line.startswith("block ")), "nothing")
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=SECONDS)
    unexpected = [line for line in errors.splitlines() if line.split(" ")[0] not in ("lost", "late", "back")]
    last = rest.splitlines()[-1] if rest else ""
    good = first.startswith("block ") and last.startswith("summary")
    if process.returncode != exit_code(last) or not good or unexpected or "\x1b" in rest:
        return f"exit {process.returncode}: {first} {rest[-1000:]} {errors[-2000:]}"
    return None


def reader_gone(watcher, environment):
    """As in `watch | head -1`: expects a prompt end without further output."""
    process = subprocess.Popen(watcher, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.readline()
    process.stdout.close()
    try:
        process.wait(SECONDS)
        errors = process.stderr.read()
    except subprocess.TimeoutExpired:
        process.kill()
        errors = "still running"
    process.stderr.close()
    return errors or None

"""Watchers of a real testnet in which a validator is killed and restarted, partly through proxies that change responses.

    python3 network.py QUORATE -- WATCHER [ARGUMENT…] [-- WATCHER [ARGUMENT…]]…

Every case runs all watchers concurrently, on the loopback interface, with a time limit.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import fork
import proxy
import terminal
from proxy import BLOCK, COMMITS, PROOF, changed, flipped, instead, raw, serving

LOAD, KILLED, BACK = 40, 9, 12
AT_ONCE = 2  # cases, each with a process per watcher
TIME_LIMIT = 300  # seconds for one process on a busy machine
FREQUENT_PROBES = ["--probe", "0.3", "--timeout", "30"]
NOT_PROVED = 6  # exit code if a transaction was not proven in time
MAX_REWIND = 64  # blocks that a watcher goes back to show what another validator committed before


class Tests:
    """Runs watchers and compares their events and exit codes with the expected ones."""

    def __init__(self, watchers, folder):
        self.watchers, self.folder = watchers, folder
        self.passed, self.failures = 0, []

    def case(self, name, arguments, exit_code, check=lambda events: True, until=None):
        """Runs all watchers to their end, or interrupts them like Ctrl-C once `until` returns true."""

        def watch(watcher):
            code, events, errors = self.watch([*watcher, "--json", *arguments], until)
            problem = None
            if code != exit_code and not (exit_code == 0 and is_late(code, events)):
                problem = f"expected exit code {exit_code}, got {code}"
            elif exit_code not in (2, 3) and (not events or events[-1]["event"] != "summary"):
                problem = "no summary at the end"
            elif events and not check(events):
                problem = f"unexpected events; {overview(events)}"
            self.record(f"{name}: {Path(watcher[-1]).name}", problem and f"{problem}; {events[-4:]} {errors[-2000:]}")

        with ThreadPoolExecutor() as pool:
            list(pool.map(watch, self.watchers))

    def watch(self, command, until):
        environment = {**os.environ, "QUORATE_TESTNET": str(self.folder)}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = subprocess.Popen(command, env=environment, **pipes)
        timer = threading.Timer(TIME_LIMIT, process.kill)
        timer.start()
        events = []
        for line in process.stdout:
            events.append(json.loads(line))
            if until and until(events):
                process.send_signal(signal.SIGINT)
                until = None
        errors = process.communicate()[1]
        timer.cancel()
        return process.returncode, events, errors

    def record(self, name, problem):
        print(f"{'FAILED' if problem else 'ok'}: {name}", flush=True)
        if problem:
            self.failures.append(f"{name}: {problem}")
        else:
            self.passed += 1


def events_of(events, kind):
    return [event for event in events if event["event"] == kind]


def codes(*wanted):
    """Expects alarms with these codes only, and at least one."""
    return lambda events: (
        {event["code"] for event in events_of(events, "alarm")}
        and all(event["code"] in wanted for event in events_of(events, "alarm"))
    )


def seen(events, **wanted):
    """Returns true if there are at least this many events of each kind."""
    return all(len(events_of(events, kind)) >= number for kind, number in wanted.items())


def lost(code):
    return lambda events: {event["code"] for event in events_of(events, "lost")} == {code}


def is_late(code, events):
    """Returns true if the watcher reports rightly that a transaction was not proven in time, as on a busy machine."""
    return code == NOT_PROVED and events and events[-1].get("late", 0) > 0


def overview(events):
    """The heights of the blocks and all other events but proofs, to explain a failure."""
    heights = [event["height"] for event in events_of(events, "block")]
    return f"blocks {heights}, others {[event for event in events if event['event'] not in ('block', 'proof')]}"


def in_order(events):
    """Returns true if every block follows the one before. Blocks may be missing where a validator was connected so late
    that a watcher does not go back to the last block."""
    heights = [event["height"] for event in events_of(events, "block")]
    steps = [later - earlier for earlier, later in zip(heights, heights[1:])]
    return len(heights) > 3 and all(step == 1 or step > MAX_REWIND for step in steps)


def all_verified(events):
    last = events[-1]
    return in_order(events) and last["proofs"] > 1 and last["alarms"] == 0 and last["certificates"] > 3


def changed_responses(tests, validators, genesis):
    """Changed responses and the expected alarms. The watcher follows a single validator."""
    nested = b"[" * 100_000
    forged = ("BAD_SIGNATURE", "MALFORMED", "NON_CANONICAL", "NOT_IN_SUBGROUP")
    cases = [
        ("a certificate with a changed byte", changed(BLOCK, "certificate", flipped), codes(*forged)),
        ("changed signers", changed(BLOCK, "signers", lambda s: [*s, 9]), codes("WRONG_CONTEXT")),
        ("a changed digest", changed(BLOCK, "digest", flipped), codes("WRONG_CONTEXT")),
        ("a changed parent", changed(BLOCK, "parent", flipped), codes("WRONG_CONTEXT")),
        ("a changed view", changed(BLOCK, "view", lambda v: v + 1), codes("WRONG_CONTEXT")),
        ("a changed height", changed(BLOCK, "height", lambda h: h - 1), codes("WRONG_CONTEXT")),
        ("a repeated digest", proxy.repeated(BLOCK, "digest"), codes("WRONG_CONTEXT")),
        ("a proof with a changed byte", changed(PROOF, "proof", flipped), codes(*forged)),
        ("a proof of another transaction", proxy.repeated(PROOF, "proof"), codes("WRONG_CONTEXT")),
        ("a changed block digest beside a proof", changed(PROOF, "block", flipped), codes("WRONG_CONTEXT")),
        ("a truncated proof", changed(PROOF, "proof", lambda p: p[:-200]), codes("MALFORMED")),
        ("a proof of 7 MiB", changed(PROOF, "proof", lambda p: "00" * (7 << 20)), codes("MALFORMED")),
        ("heights that are too low by one", proxy.shifted(-1), codes("WRONG_CONTEXT")),
        ("heights that are far too high", proxy.shifted(10**12), codes("WRONG_CONTEXT")),
        ("HTML instead of JSON", instead(BLOCK, raw(b"\x1b[31m<html>")), codes("MALFORMED")),
        ("deeply nested JSON", instead(BLOCK, raw(nested)), codes("MALFORMED")),
        ("a number instead of a string", changed(BLOCK, "digest", lambda d: 5), codes("MALFORMED")),
        ("a height above 2^53", changed(BLOCK, "height", lambda h: 1 << 80), codes("MALFORMED")),
        ("a list instead of a block", instead(BLOCK, raw(b"[]")), codes("MALFORMED")),
        ("a malformed stream of commits", instead(COMMITS, raw(b"id: -1\n\n")), codes("MALFORMED")),
    ]
    for name, change, check in cases:
        arguments = [*FREQUENT_PROBES, "--genesis", genesis]
        yield lambda name=name, change=change, check=check: with_proxy(
            tests, validators, name, change, arguments, 7, check
        )


def failed_responses(tests, validators, genesis):
    """Failed responses: the validator is reported as lost, not as faulty."""
    cases = [
        ("a truncated response", instead(BLOCK, proxy.truncated), "TRUNCATED"),
        ("a response byte by byte", instead(BLOCK, proxy.slow), "TIMEOUT"),
        ("headers byte by byte", instead(BLOCK, proxy.slow_head), "TIMEOUT"),
        ("a stream's headers byte by byte", instead(COMMITS, proxy.slow_head), "TIMEOUT"),
        ("an announced length of a terabyte", instead(BLOCK, proxy.announced), "TOO_LARGE"),
        ("an endless response", instead(BLOCK, proxy.endless), "TOO_LARGE"),
        ("an endless response in chunks of one byte", instead(BLOCK, proxy.tiny_chunks), "TOO_LARGE"),
        ("an endless line", instead(COMMITS, proxy.endless_line), "TOO_LARGE"),
        ("a server of another protocol", instead(BLOCK, proxy.no_http), "UNREACHABLE"),
        ("a redirect", instead(BLOCK, proxy.redirect(validators[1])), "REFUSED"),
    ]
    for name, change, code in cases:
        timeout = "1" if code == "TIMEOUT" else "60"
        arguments = ["--genesis", genesis, "--probe", "0", "--timeout", timeout]
        yield lambda name=name, change=change, code=code, arguments=arguments: with_proxy(
            tests, validators, name, change, arguments, 4, lost(code), lambda events: seen(events, lost=1)
        )


def with_proxy(tests, validators, name, change, arguments, exit_code, check, until=None):
    with serving(proxy.proxy(validators[0], change)) as url:
        tests.case(name, [url, *arguments], exit_code, check, until)


def scenarios(tests, validators, genesis):
    def one_refused(events):
        states = [validator["state"] for validator in events[-1]["validators"]]
        return seen(events, alarm=1) and events[-1]["alarms"] == 1 and states[0] == "refused" and in_order(events)

    def one_faulty_validator():
        def enough(events):
            alarmed = [number for number, event in enumerate(events) if event["event"] == "alarm"]
            return alarmed and seen(events[alarmed[0] :], block=5, proof=2)

        with serving(proxy.proxy(validators[0], changed(BLOCK, "digest", flipped))) as url:
            urls = [url, validators[1], validators[3]]
            arguments = [*urls, "--genesis", genesis, *FREQUENT_PROBES]
            tests.case("one faulty validator among honest ones", arguments, 7, one_refused, enough)

    def wrong_heights(by):
        """The honest validators are still followed and shown, regardless of which one responds first."""
        with serving(proxy.proxy(validators[0], proxy.shifted(by))) as url:
            urls = [url, validators[1], validators[3]]
            states = lambda events: [found["state"] for found in events[-1]["validators"]]  # noqa: E731

            def enough(events):
                refused = [n for n, event in enumerate(events) if "a proof shows" in event.get("message", "")]
                return refused and seen(events[refused[0] :], block=5, proof=2)

            def check(events):
                return states(events) == ["refused", "followed", "followed"] and codes("WRONG_CONTEXT")(events)

            name = f"heights shifted by {by:g}"
            tests.case(f"{name}, with proofs", [*urls, "--genesis", genesis, *FREQUENT_PROBES], 7, check, enough)

            def unproven(events):
                return states(events) == ["followed"] * 3 and len(events_of(events, "alarm")) == 1

            arguments = [*urls, "--genesis", genesis, "--probe", "0", "--timeout", "30"]
            until = lambda events: seen(events, alarm=1, block=12)  # noqa: E731
            tests.case(f"{name}, without proofs", arguments, 7, unproven, until)

    def one_killed():
        def enough(events):
            gone = {event["validator"] for event in events_of(events, "lost")}
            back = {event["validator"] for event in events_of(events, "back")}
            return validators[2] in gone & back and seen(events, block=10, proof=2)

        tests.case("one validator is killed and restarted", FREQUENT_PROBES, 0, all_verified, enough)

    def honest():
        arguments = ["--genesis", genesis, *FREQUENT_PROBES]
        name, until = "a proxy that changes nothing", lambda events: seen(events, block=5, proof=2)
        with_proxy(tests, validators, name, proxy.unchanged, arguments, 0, all_verified, until)

    def from_the_first():
        check = lambda events: events_of(events, "block")[0]["height"] == 1 and in_order(events)  # noqa: E731
        tests.case("from the first block", ["--from", "1"], 0, check, lambda events: seen(events, block=5))

    def other_chain():
        text = Path(genesis).read_text()
        other = tests.folder / "other.toml"
        other.write_text(text.replace('chain = "testnet"', 'chain = "testnot"'))
        tests.case("another chain's genesis", [validators[1], "--genesis", str(other)], 7, codes("BAD_SIGNATURE"))
        other = tests.folder / "broken.toml"
        other.write_text(text.replace("voting_key", "voting_kee", 1))
        tests.case("an invalid genesis", [validators[1], "--genesis", str(other)], 3)

    def no_validator():
        url, until = "http://127.0.0.1:1", lambda events: seen(events, lost=2)
        tests.case("no server", [url, "--genesis", genesis], 4, lost("UNREACHABLE"), until)
        tests.case("a limited duration", [url, "--genesis", genesis, "--duration", "0.5"], 4)
        tests.case("no genesis", [url, "--genesis", "/no/such/file"], 3)
        for wrong in [[url], ["--probe", "often"], ["--from", "0"], ["--what"], ["ftp://x", "--genesis", genesis]]:
            tests.case(f"invalid arguments: {' '.join(wrong[:2])}", wrong, 2)

    yield from [one_killed, honest, one_faulty_validator, from_the_first, other_chain, no_validator]
    yield from [lambda: wrong_heights(-1), lambda: wrong_heights(10**12)]
    yield lambda: terminal.run(tests)
    yield lambda: fork.run(tests)


def other_protocols(tests, quorate, temporary):
    """Chains whose blocks have a certificate of their own, and whose members change."""

    def proved(events):
        return seen(events, block=5, proof=2)

    def from_the_first(events):
        return events_of(events, "block")[0]["height"] == 1 and all_verified(events)

    def abft():
        with testnet(quorate, temporary, "abft", ["--protocol", "abft"]) as found:
            validators, arguments = found["http"], ["--genesis", found["genesis"], *FREQUENT_PROBES]
            tests.case("ABFT", [*validators, *arguments, "--from", "1"], 0, from_the_first, proved)
            for field, expected in [("digest", "WRONG_CONTEXT"), ("certificate", "BAD_SIGNATURE")]:
                change, check = changed(BLOCK, field, flipped), codes(expected, "NOT_IN_SUBGROUP", "MALFORMED")
                with_proxy(tests, validators, f"ABFT: a changed {field}", change, arguments, 7, check)
            change = changed(PROOF, "proof", flipped)
            with_proxy(tests, validators, "ABFT: a changed proof", change, arguments, 7, lambda events: alarmed(events))

    def gosig():
        with testnet(quorate, temporary, "gosig", ["--protocol", "gosig", "--join", "2"]) as found:
            validators, genesis = found["http"][:4], found["genesis"]
            arguments = [*validators, "--genesis", genesis, *FREQUENT_PROBES]

            def after_the_change(events):
                begun = [number for number, event in enumerate(events) if event["event"] == "epoch"]
                return begun and seen(events[begun[0] :], block=5, proof=2)

            def check(events):
                epochs = [(event["epoch"], event["members"]) for event in events_of(events, "epoch")]
                return epochs[:1] == [(1, 5)] and from_the_first(events)

            tests.case("Gosig over a change of the members", [*arguments, "--from", "1"], 0, check, after_the_change)
            change = changed("/v1/epochs", "epochs", lambda epochs: [{**one, "payload": "00000000"} for one in epochs])
            name = "Gosig: a change of the members without its transactions"
            with_proxy(
                tests, validators, name, change, ["--genesis", genesis, *FREQUENT_PROBES], 7, codes("WRONG_CONTEXT")
            )

    yield from [abft, gosig]


def alarmed(events):
    return len(events_of(events, "alarm")) > 0


@contextmanager
def testnet(quorate, temporary, name, options):
    folder = Path(temporary) / name
    command = [quorate, "testnet", "--data", str(folder), "--rate", str(LOAD), *options]
    log = open(Path(temporary) / f"{name}.txt", "w+")
    environment = {**os.environ, "XDG_STATE_HOME": str(Path(temporary) / f"{name}-state")}
    network = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 120
        while not (folder / "testnet.json").exists():
            if time.monotonic() > deadline or network.poll() is not None:
                log.seek(0)
                sys.exit(f"the testnet did not start: {log.read()[-2000:]}")
            time.sleep(0.1)
        yield json.loads((folder / "testnet.json").read_text())
    finally:
        if network.poll() is None:
            network.send_signal(signal.SIGINT)
            try:
                network.wait(20)
            except subprocess.TimeoutExpired:
                network.kill()
                network.wait()


def commands(arguments):
    """Splits arguments at `--`."""
    found = []
    for argument in arguments:
        if argument == "--":
            found.append([])
        else:
            found[-1].append(argument)
    return found


def main():
    # A shell that starts this program in the background lets it ignore Ctrl-C, and its children would too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    quorate, watchers = sys.argv[1], commands(sys.argv[2:])
    restarts = ["--kill", f"2@{KILLED}", "--restart", f"2@{BACK}"]
    with tempfile.TemporaryDirectory() as temporary, testnet(quorate, temporary, "net", restarts) as found:
        tests = Tests(watchers, Path(temporary) / "net")
        validators, genesis = found["http"], found["genesis"]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            every = [*scenarios(tests, validators, genesis), *changed_responses(tests, validators, genesis)]
            every += failed_responses(tests, validators, genesis)
            every += other_protocols(tests, quorate, temporary)
            for future in [pool.submit(case) for case in every]:
                future.result()
    for failure in tests.failures:
        print(failure)
    print(f"{tests.passed} passed, {len(tests.failures)} failed")
    sys.exit(1 if tests.failures else 0)


if __name__ == "__main__":
    main()

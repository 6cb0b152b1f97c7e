"""The command line: `python -m ethereum_sync`, with the options and the output of the Rust program."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import beacon, text
from .beacon import Bootstrap, Update
from .client import LightClient, Proven, block
from .failure import HELP, Exit, Failure
from .generate import generate
from .network import FORKS, Network
from .ssz import BeaconBlockHeader, SyncCommittee, bytes32, root

U64 = (1 << 64) - 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program and returns its exit code."""
    options = command_line().parse_args(arguments)
    failure: Failure | None = None
    lines: list[str] = []
    try:
        if options.command == "generate":
            lines = generate(options.out, options.seed, options.fork, options.absent)
        else:
            lines, failure = verify(options)
    except Failure as found:
        failure = found
    try:
        for line in lines:
            print(line)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader closed the pipe; this prevents a second error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if failure is None:
        return 0
    print(f"ethereum-sync: {failure}", file=sys.stderr)
    return int(failure.exit)


def command_line() -> argparse.ArgumentParser:
    """The command-line parser."""
    described = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="ethereum-sync",
        description="Verify Ethereum light-client data: aggregate signatures of sync committees of 512, and the headers that they prove.",
        epilog=HELP,
        formatter_class=described,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    check = commands.add_parser("verify", help="verify updates in order, starting from a trusted committee")
    check.add_argument("updates", nargs="+", type=Path, metavar="UPDATE", help="the updates, oldest first")
    start = check.add_mutually_exclusive_group(required=True)
    start.add_argument("--bootstrap", type=Path, metavar="FILE", help="the bootstrap of a trusted block; needs --trusted-root")
    start.add_argument("--committee", type=Path, metavar="FILE", help="a trusted sync committee instead of a bootstrap; needs --period")
    check.add_argument("--trusted-root", metavar="ROOT", help="the root of that block, from a trusted source: 0x… or @FILE")
    check.add_argument("--period", type=unsigned, metavar="N", help="period of that committee: slot / 8192")
    check.add_argument("--network", type=Path, metavar="FILE", help="a network other than Ethereum's mainnet")
    check.add_argument("--now", type=unsigned, metavar="SLOT", help="the current slot, if this machine's clock is unreliable")
    check.add_argument("--json", action="store_true", help="print one JSON object")
    make = commands.add_parser("generate", help="generate a network's light-client data from a seed")
    make.add_argument("--out", type=Path, required=True, metavar="DIR", help="output directory, created if it does not exist")
    make.add_argument("--seed", type=unsigned, default=1, help="seed of the generated chain")
    make.add_argument("--fork", choices=FORKS, default="electra", help="the fork in which the updates are signed")
    make.add_argument("--absent", type=unsigned, default=12, metavar="N", help="number of the 512 members that do not sign")
    parser.set_defaults(check=check)
    return parser


def unsigned(given: str) -> int:
    """An integer of 64 bits."""
    try:
        return text.number(given)
    except text.InvalidValue as wrong:
        raise argparse.ArgumentTypeError(str(wrong)) from None


def verify(options: argparse.Namespace) -> tuple[list[str], Failure | None]:
    """Verifies the updates. Returns the lines to print, and the failure, if any."""
    needs = {"bootstrap": "trusted_root", "committee": "period"}
    for option, needed in needs.items():
        if (getattr(options, option) is None) != (getattr(options, needed) is None):
            options.check.error(f"--{option} and --{needed.replace('_', '-')} must be used together")
    network = Network.mainnet() if options.network is None else Network.read(options.network)
    now = network.slot_at(time.time()) if options.now is None else options.now
    proven: list[Proven] = []
    client: LightClient | None = None
    try:
        client = check(options, network, now, proven)
        failure = weakest(proven)
    except Failure as found:
        failure = found
    if options.json:
        report = json.dumps(
            to_report(network, proven, client, failure), sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )
        return [report], failure
    lines = [line(one) for one in proven]
    if client is not None and failure is None:
        lines.append(f"verified: final is slot {client.finalized.slot}, signed is slot {client.optimistic.slot}")
    return lines, failure


def check(options: argparse.Namespace, network: Network, now: int, proven: list[Proven]) -> LightClient:
    """Verifies all updates; valid ones are in `proven`, also after a failure."""
    path: Path = options.bootstrap or options.committee
    if options.bootstrap is not None:
        bootstrap = beacon.read_one(path, "bootstrap", Bootstrap.read)
        trusted = trusted_root(options.trusted_root)
    else:
        committee = beacon.read_one(path, "sync committee", SyncCommittee.read)
    try:
        if options.bootstrap is not None:
            client = LightClient.from_bootstrap(network, now, trusted, bootstrap)
        else:
            client = LightClient.from_committee(network, now, options.period, committee)
    except Failure as failure:
        raise failure.at(str(path)) from None
    for path in options.updates:
        for index, update in enumerate(beacon.read_all(path, "light-client update", Update.read)):
            try:
                proven.append(client.process(update))
            except Failure as failure:
                raise failure.at(f"{path}, item {index}" if index else str(path)) from None
    return client


def trusted_root(given: str) -> bytes:
    """The root that the command line names."""
    if given.startswith("@"):
        try:
            given = Path(given[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise Failure.input(f"{given[1:]}: {getattr(error, 'strerror', None) or error}") from None
    try:
        return bytes32(given.strip())
    except text.InvalidValue as wrong:
        raise Failure.input(f"--trusted-root: {wrong}") from None


def weakest(proven: list[Proven]) -> Failure | None:
    """The failure for a valid update that a light client does not apply."""
    weak = next((one for one in proven if not one.supermajority), None)
    if weak is None:
        return None
    signed = f"{weak.participants} of {weak.committee_size} signed slot {weak.attested.beacon.slot}"
    message = f"{signed}: the signatures are valid, but fewer than two thirds signed; wait for another update"
    return Failure(Exit.WEAK, "BELOW_TWO_THIRDS", message)


def line(proven: Proven) -> str:
    """Describes an update."""

    def describe(header: beacon.Header) -> str:
        about = block(header)
        if about["execution"] is None:
            return f"slot {about['slot']} ({short(about['root'])})"
        number, found = about["execution"]
        return f"slot {about['slot']} (block {number}, {short(found)})"

    words = f"{proven.kind}: {proven.participants} of {proven.committee_size} signed {describe(proven.attested)}"
    if proven.finalized is not None:
        words += f"; final: {describe(proven.finalized)}"
    if proven.next_committee_of is not None:
        words += f"; contains the committee of period {proven.next_committee_of}"
    return words


def short(text: str) -> str:
    """A shortened hash."""
    return f"{text[:10]}…"


def to_report(
    network: Network, proven: list[Proven], client: LightClient | None, failure: Failure | None
) -> dict[str, Any]:
    """What `--json` prints."""

    def header(found: BeaconBlockHeader) -> dict[str, Any]:
        return {"slot": int(found.slot), "root": text.to_hex(root(found))}

    return {
        "network": network.name,
        "updates": [one.to_json() for one in proven],
        "finalized": client and header(client.finalized),
        "optimistic": client and header(client.optimistic),
        "error": failure and {"code": failure.code, "message": failure.message},
    }


if __name__ == "__main__":
    sys.exit(main())

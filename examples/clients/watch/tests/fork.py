"""Forks that no faulty proxy can produce: validators with more than a third of the weight sign two blocks.

Needs the package `quorate`. A watcher must stop at once when two blocks of one view are certified, and name the members
that signed both, with evidence that any holder of the genesis file can verify; or when two blocks at one height are proven. Two
certified blocks at one height are no violation: the protocol allows them in different views, and commits one of them.
"""

import json
import sys
import time
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from itertools import count
from pathlib import Path

from proxy import BLOCK, COMMITS, PROOF, head, send, serving

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
from chain import TRANSACTIONS  # noqa: E402
from quorate import Conflict, LightClient, SecretKey, Suite, Suspects, Vote, VoteCollector  # noqa: E402
from quorate.wire import Writer, hash  # noqa: E402

BLOCKS, PROPOSAL, AVAILABLE = 1, 3, 4  # kinds of statements in spec/jolteon.md
MEMBERS, FORK, NEWEST = 4, 6, 12
FIRST, SECOND = (0, 1, 2), (1, 2, 3)  # signers of the two histories
PROVEN = 100  # height of the proven block


def run(tests):
    chain = Chain()
    file = tests.folder / "forked.toml"
    file.write_text(chain.text)

    def case(name, shift, exit_code, check, until=None):
        histories = chain.history(FIRST, 0), chain.history(SECOND, shift)
        with serving(validator(histories[0])) as one, serving(validator(histories[1])) as other:
            arguments = [one, other, "--genesis", str(file), "--probe", "0", "--from", "1"]
            tests.case(name, arguments, exit_code, check, until)

    def alarms(events):
        return [event for event in events if event["event"] == "alarm"]

    def names_signers(events):
        return len(alarms(events)) == 1 and is_evidence(alarms(events)[0]["evidence"], chain.voters)

    def followed(events):
        states = [validator["state"] for validator in events[-1]["validators"]]
        return len(alarms(events)) == 1 and "evidence" not in alarms(events)[0] and states == ["followed"] * 2

    def proven(events):
        return [alarm.get("evidence") for alarm in alarms(events)] == [""] and events[-1]["proofs"] == 1

    case("two blocks of one view", 0, 8, names_signers)
    case("two certified blocks at one height", NEWEST, 7, followed, alarms)
    with serving(validator(chain.history(FIRST, 0), chain.prover())) as url:
        arguments = [url, "--genesis", str(file), "--probe", "0.1"]
        tests.case("two proven blocks at one height", arguments, 8, proven)


def is_evidence(evidence, voters):
    """Returns true if the evidence names exactly the members that signed in both histories."""
    conflict = Conflict.decode(bytes.fromhex(evidence), voters).verify(voters).value
    return set(conflict.culprits) == set(FIRST) & set(SECOND)


class Chain:
    """A chain with known keys, which can sign contradicting blocks and proofs."""

    def __init__(self):
        self.secrets = [SecretKey.generate(Suite.MIN_SIG) for _ in range(MEMBERS)]
        self.names = [SecretKey.generate(Suite.ED25519) for _ in range(MEMBERS)]
        lines = ['chain = "forked"', 'scheme = "bls"']
        for index, (secret, name) in enumerate(zip(self.secrets, self.names)):
            lines += ["", "[[member]]", f'name = "node{index}"', f'address = "127.0.0.1:{index + 1}"', "weight = 1"]
            for kind, key in [("identity", name), ("voting", secret)]:
                lines.append(f'{kind}_key = "{key.public_key().encode().hex()}"')
                lines.append(f'{kind}_possession = "{key.prove_possession().encode().hex()}"')
        self.text = "\n".join(lines) + "\n"
        client = LightClient.from_genesis(self.text)
        self.voters, self.identities = client.voters(client.epoch()), client.identities(client.epoch())

    def history(self, signers, shift):
        """Returns blocks as a validator reports them. From FORK on, `signers` sign a branch of their own, `shift` views later."""
        blocks, parent, certificate, signed = {}, bytes(32), b"", []
        for height in range(1, NEWEST + 1):
            forked = height >= FORK
            members, view = (signers, height + shift) if forked else (FIRST, height)
            digest = sha256(f"{height} {members}".encode()).digest()
            blocks[height] = {
                "height": height,
                "view": view,
                "digest": digest.hex(),
                "author": height % MEMBERS,
                "transactions": 0,
                "parent": parent.hex(),
                "certificate": certificate.hex(),
                "signers": signed,
            }
            parent, certificate, signed = digest, self.certify(view, digest, members).encode(), list(members)
        return blocks

    def certify(self, view, digest, signers=FIRST):
        return collected(self.voters, self.secrets, self.voters.statement(BLOCKS, view, digest), signers)

    def prover(self):
        """Returns a function that proves each given transaction in a block of the same height, each time in another view."""
        views = count(PROVEN, 10)

        def prove(transaction):
            view, w = next(views), Writer()
            block, digest = self.block(view, PROVEN, bytes(32), [self.batch(transaction)])
            link, last = self.block(view + 1, PROVEN + 1, digest, [])
            w.bytes(transaction)
            for number in (0, 1):  # path: index 0 of 1 leaf
                w.u32(number)
            w.u16(0)
            w.raw(block)
            w.count(1)
            w.raw(link)
            w.raw(self.certify(view + 1, last).encode())
            found = {"id": TRANSACTIONS.leaf(transaction), "block": digest, "proof": w.into_bytes()}
            return {"height": PROVEN, **{name: value.hex() for name, value in found.items()}}

        return prove

    def block(self, view, height, parent, batches):
        """A block and its digest."""
        w = Writer()
        for number in (0, view, height):
            w.u64(number)
        w.u16(0)
        w.raw(parent)
        w.option(True)
        w.raw(self.certify(view - 1, parent).encode())
        w.option(False)
        w.count(len(batches))
        for batch in batches:
            w.raw(batch)
        w.raw(bytes(8 + 32 + 8))  # executed height, state root and time
        encoded = w.into_bytes()
        digest = hash("quorate-v1-jolteon-block", encoded)
        vote = Vote.sign_unguarded(self.names[0], self.identities, self.identities.statement(PROPOSAL, view, digest))
        return encoded + vote.signature.encode(), digest

    def batch(self, transaction):
        """A batch of one transaction, as a block names it."""
        w = Writer()
        w.u16(0)
        w.u64(1)
        w.u32(1)
        w.u32(len(transaction) + 1)
        w.raw(TRANSACTIONS.root([TRANSACTIONS.leaf(transaction)]))
        header = w.into_bytes()
        statement = self.identities.statement(AVAILABLE, 1, hash("quorate-v1-batch-id", header))
        return header + collected(self.identities, self.names, statement, FIRST).encode_detached()


def collected(committee, secrets, statement, signers):
    """Returns the certificate of the given signers."""
    collector = VoteCollector(committee, statement.kind, statement.view)
    for signer in signers:
        vote = Vote.sign_unguarded(secrets[signer], committee, statement)
        if found := collector.add(vote, Suspects()).certificate:
            return found.value
    raise AssertionError("too few signers")


def validator(blocks, prove=None):
    proofs = {}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            if self.path == COMMITS:
                head(self, 200, connection="close")
                for height in blocks:
                    self.wfile.write(f"event: commit\nid: {height}\ndata: {{}}\n\n".encode())
                while True:
                    self.wfile.write(b": alive\n\n")
                    time.sleep(0.2)
            if self.path.startswith(BLOCK):
                return self.answer(blocks.get(int(self.path.removeprefix(BLOCK))))
            return self.answer(proofs.get(self.path.removeprefix(PROOF).partition("?")[0]))

        def do_POST(self):
            found = prove(self.rfile.read(int(self.headers["content-length"])))
            proofs[found["id"]] = found
            self.answer({})

        def answer(self, found):
            send(self, 404 if found is None else 200, json.dumps(found or {"code": "NOT_FOUND"}).encode())

        def log_message(self, *arguments):
            pass

    return Handler

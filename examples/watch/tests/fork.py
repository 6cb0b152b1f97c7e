"""What no lying server can do: validators with more than a third of the weight sign two blocks.

Needs the package `quorate`. Two servers show different blocks at one height, both with good certificates. A watcher must stop at once and name who
signed both, with evidence that convinces everybody who has the genesis.
"""

import json
import sys
import time
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from liar import COMMITS, head, send, serving

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
import genesis  # noqa: E402
from quorate import Conflict, SecretKey, Suite, Suspects, Vote, VoteCollector  # noqa: E402

MEMBERS, FORK, NEWEST = 4, 6, 12
FIRST, SECOND = (0, 1, 2), (1, 2, 3)  # who signs in each of the two histories


def run(tests):
    secrets, text = new_chain()
    file = tests.folder / "forked.toml"
    file.write_text(text)
    voters = genesis.read(text).voters
    for name, shift, convincing in [("two blocks of one view", 0, True), ("two blocks at one height", 2, False)]:
        histories = [history(voters, secrets, FIRST, 0), history(voters, secrets, SECOND, shift)]

        def seen(events, convincing=convincing):
            evidence = [event.get("evidence") for event in events if event["event"] == "alarm"]
            return len(evidence) == 1 and (convicts(evidence[0], voters) if convincing else evidence == [""])

        with serving(validator(histories[0])) as one, serving(validator(histories[1])) as other:
            arguments = [one, other, "--genesis", str(file), "--probe", "0", "--from", "1"]
            tests.case(name, arguments, 8, seen)


def convicts(evidence, voters):
    """Whether it shows that the members who signed in both histories did so, and nobody else."""
    conflict = Conflict.decode(bytes.fromhex(evidence), voters).verify(voters).value
    return set(conflict.culprits) == set(FIRST) & set(SECOND)


def new_chain():
    """The voting keys of a chain and its genesis file."""
    secrets = [SecretKey.generate(Suite.MIN_SIG) for _ in range(MEMBERS)]
    lines = ['chain = "forked"', 'scheme = "bls"']
    for index, secret in enumerate(secrets):
        identity = SecretKey.generate(Suite.ED25519)
        lines += ["", "[[member]]", f'name = "node{index}"', f'address = "127.0.0.1:{index + 1}"', "weight = 1"]
        for kind, key in [("identity", identity), ("voting", secret)]:
            lines.append(f'{kind}_key = "{key.public_key().encode().hex()}"')
            lines.append(f'{kind}_possession = "{key.prove_possession().encode().hex()}"')
    return secrets, "\n".join(lines) + "\n"


def history(voters, secrets, signers, shift):
    """Blocks as a validator shows them. From FORK on those of `signers` are their own, `shift` views later."""
    blocks, parent, certificate, signed = {}, bytes(32), b"", []
    for height in range(1, NEWEST + 1):
        forked = height >= FORK
        who, view = (signers, height + shift) if forked else (FIRST, height)
        digest = sha256(f"{height} {who}".encode()).digest()
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
        parent, certificate, signed = digest, certify(voters, secrets, who, view, digest), list(who)
    return blocks


def certify(voters, secrets, signers, view, digest):
    collector, statement = VoteCollector(voters, 1, view), voters.statement(1, view, digest)
    for signer in signers:
        vote = Vote.sign_unguarded(secrets[signer], voters, statement)
        if found := collector.add(vote, Suspects()).certificate:
            return found.value.encode()
    raise AssertionError("too few signers")


def validator(blocks):
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
            found = blocks.get(int(self.path.rpartition("/")[2]))
            send(self, 200 if found else 404, json.dumps(found or {"code": "NOT_FOUND"}).encode())

        def log_message(self, *arguments):
            pass

    return Handler

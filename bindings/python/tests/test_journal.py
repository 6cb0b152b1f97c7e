"""A guard with a journal, and Ethereum's slashing protection, on the disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import quorate as q

ROOT = bytes([4]) * 32
CHAIN = q.ChainId.from_name("journal")


def secret(suite: q.Suite = q.Suite.ED25519, byte: int = 7) -> q.SecretKey:
    return q.SecretKey.from_bytes(suite, bytes([byte]) * 32)


def committee() -> q.Committee:
    return q.Committee(CHAIN, 0, [(q.UnverifiedKey.prove(secret()).verify(), 1)])


def statement(view: int, value: int) -> q.Statement:
    return committee().statement(1, view, bytes([value]) * 32)


def test_a_journal_survives_restarts(tmp_path: Path) -> None:
    directory = str(tmp_path / "key")
    with pytest.raises(q.JournalMissingError, match="create it only if the key has never signed"):
        q.JournaledGuard.open(directory, secret(), CHAIN)
    with q.JournaledGuard.create(directory, secret(), CHAIN) as guard:
        vote = guard.sign(committee(), statement(5, 1))
        assert guard.sign(committee(), statement(5, 1)) == vote and guard.last(1) == (0, 5)
        timeout = guard.sign_timeout(committee(), 2, 5, 4)
        assert timeout.value == 4 and guard.public_key == secret().public_key() and guard.chain == CHAIN
        with pytest.raises(q.JournalInUseError):
            q.JournaledGuard.open(directory, secret(), CHAIN)
    with pytest.raises(q.JournalExistsError):
        q.JournaledGuard.create(directory, secret(), CHAIN)
    with pytest.raises(q.WrongContextError):
        q.JournaledGuard.open(directory, secret(byte=8), CHAIN)
    with q.JournaledGuard.open(directory, secret(), CHAIN) as guard:
        with pytest.raises(q.ContradictionError):
            guard.sign(committee(), statement(5, 2))
        assert guard.sign(committee(), statement(5, 1)) == vote
        guard.sign(committee(), statement(6, 2))


def test_a_damaged_journal_names_its_offset_and_is_recovered(tmp_path: Path) -> None:
    directory = str(tmp_path)
    with q.JournaledGuard.create(directory, secret(), CHAIN) as guard:
        guard.sign(committee(), statement(5, 1))
    journal = tmp_path / "guard.journal"
    content = bytearray(journal.read_bytes())
    content[100] ^= 1
    journal.write_bytes(content)
    with pytest.raises(q.JournalDamagedError) as caught:
        q.JournaledGuard.open(directory, secret(), CHAIN)
    assert caught.value.details == {"offset": 96} and str(journal) in str(caught.value)
    with q.JournaledGuard.recover(directory, secret(), CHAIN, 10) as guard:
        assert guard.is_stale()
        with pytest.raises(q.ContradictionError):
            guard.sign(committee(), statement(10, 1))
        guard.sign(committee(), statement(11, 1))
    assert (tmp_path / "guard.journal.aside-1").exists()


OTHER = """
import sys
import quorate as q

secret = q.SecretKey.from_bytes(q.Suite.ED25519, bytes([7]) * 32)
try:
    q.JournaledGuard.open(sys.argv[1], secret, q.ChainId.from_name("journal"))
except q.JournalInUseError as error:
    print(error.code)
"""


def test_another_process_is_refused(tmp_path: Path) -> None:
    with q.JournaledGuard.create(str(tmp_path), secret(), CHAIN):
        other = subprocess.run([sys.executable, "-c", OTHER, str(tmp_path)], capture_output=True, text=True, check=True)
    assert other.stdout == "JOURNAL_IN_USE\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only Unix forks processes")
def test_a_fork_does_not_sign(tmp_path: Path) -> None:
    with q.JournaledGuard.create(str(tmp_path), secret(), CHAIN) as guard:
        child = os.fork()
        if child == 0:
            try:
                guard.sign(committee(), statement(5, 1))
            except q.JournalInUseError:
                os._exit(7)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        guard.sign(committee(), statement(5, 2))


def test_a_validator_moves_to_another_client(tmp_path: Path) -> None:
    key = secret(q.Suite.MIN_PK)
    public = key.public_key()
    with q.SlashingProtection.create(str(tmp_path / "old"), ROOT) as old:
        with pytest.raises(q.WrongContextError):
            old.sign_block(key, 1, ROOT)
        old.add_key(public)
        signature = old.sign_attestation(key, 3, 4, bytes(32))
        public.verify_with(q.Ciphersuite.proof_of_possession(), bytes(32), signature)
        old.sign_block(key, 9, bytes(32))
        for source, target, root in [(3, 4, ROOT), (2, 5, ROOT), (2, 4, bytes(32))]:
            with pytest.raises(q.ContradictionError):
                old.record_attestation(public, source, target, root)
        exported = old.export_interchange()
    assert json.loads(exported)["data"][0]["signed_blocks"] == [{"slot": "9", "signing_root": "0x" + "00" * 32}]
    with q.SlashingProtection.create(str(tmp_path / "new"), ROOT) as new:
        with pytest.raises(q.MalformedError):
            new.import_interchange(exported.encode()[1:])
        new.import_interchange(exported.encode())
        assert new.export_interchange() == exported
        with pytest.raises(q.ContradictionError):
            new.record_block(public, 9, ROOT)
        assert new.sign_block(key, 9, bytes(32)) == key.sign_with(q.Ciphersuite.proof_of_possession(), bytes(32))
        new.record_attestation(public, 4, 5, ROOT)
    with pytest.raises(q.WrongContextError):
        q.SlashingProtection.open(str(tmp_path / "new"), bytes(32))
    with q.SlashingProtection.recover(str(tmp_path / "lost"), ROOT, [public], 320, 10) as lost:
        with pytest.raises(q.ContradictionError):
            lost.record_block(public, 320, ROOT)
        lost.record_attestation(public, 10, 11, ROOT)

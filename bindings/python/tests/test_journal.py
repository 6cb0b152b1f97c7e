"""What only Python has of journals: messages, other processes and forks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import quorate as q

CHAIN = q.ChainId.from_name("journal")


def secret() -> q.SecretKey:
    return q.SecretKey.from_bytes(q.Suite.ED25519, bytes([7]) * 32)


def committee() -> q.Committee:
    return q.Committee(CHAIN, 0, [(q.UnverifiedKey.prove(secret()).verify(), 1)])


def statement(view: int, value: int) -> q.Statement:
    return committee().statement(1, view, bytes([value]) * 32)


def test_errors_say_what_to_do_and_where_the_damage_is(tmp_path: Path) -> None:
    with pytest.raises(q.JournalMissingError, match="create it only if the key has never signed"):
        q.JournaledGuard.open(str(tmp_path / "none"), secret(), CHAIN)
    with q.JournaledGuard.create(str(tmp_path), secret(), CHAIN) as guard:
        guard.sign(committee(), statement(5, 1))
    journal = tmp_path / "guard.journal"
    content = bytearray(journal.read_bytes())
    content[100] ^= 1
    journal.write_bytes(content)
    with pytest.raises(q.JournalDamagedError) as caught:
        q.JournaledGuard.open(str(tmp_path), secret(), CHAIN)
    assert caught.value.details == {"offset": 96} and str(journal) in str(caught.value)
    q.JournaledGuard.recover(str(tmp_path), secret(), CHAIN, 10).close()
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

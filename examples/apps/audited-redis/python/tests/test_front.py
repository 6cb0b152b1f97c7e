"""Commands through the real front: execution, log, answers, refusals, and restarts."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
from audited_redis import SUITES, Answer, BadFront, BadInput, Client, Lost, RedisError, Refused, Unreachable
from audited_redis.link import open_link
from audited_redis.resp import encode_command
from audited_redis.wire import Executed, Refusal, message, read_frame, signed_command
from deployment import Deployment, eventually, async_test

T = TypeVar("T")


async def reached(work: Callable[[], Awaitable[T]]) -> T:
    """Repeats work whose short time limit a busy machine may exceed."""
    until = time.monotonic() + 120
    while True:
        try:
            return await work()
        except Unreachable:
            assert time.monotonic() < until


@async_test
async def test_reads_and_writes_are_executed_logged_and_provable(deployment: Deployment) -> None:
    async with await deployment.client() as alice, await deployment.client("bob", scheme="eddsa") as bob:
        assert alice.store == deployment.store
        assert await alice.call("SET", "greeting", "hello") == Answer(1, 1, "OK")
        assert await bob.call("GET", "greeting") == Answer(1, 2, b"hello")
        assert (await bob.call("GET", "nothing")).reply is None
        assert (await bob.call("INCRBY", "n", -7)).reply == -7
        assert (await bob.call("KEYS", "no*")).reply == []
        large = bytes([0xA5]) * (1 << 20)
        await alice.call("SET", b"\0\r\n\xff", large)
        assert (await bob.call("GET", bytearray(b"\0\r\n\xff"))).reply == large
        with pytest.raises(RedisError) as caught:
            await alice.call("LPUSH", "greeting", "x")
        assert (caught.value.code, caught.value.sequence, caught.value.entry) == ("WRONGTYPE", 3, 8)
    assert deployment.redis_command("GET", "greeting") == b"hello" and deployment.audit()["entries"] == 8
    for entry, name in ((1, "alice"), (2, "bob")):
        assert deployment.run("prove", "audit.log", "--entry", str(entry), "--out", "proof").returncode == 0
        checked = deployment.run("check-proof", "--json", "proof", "--signer", deployment.public[name])
        assert checked.returncode == 0 and json.loads(checked.stdout)["command"][1] == "greeting"
        other = deployment.public["bob" if name == "alice" else "alice"]
        assert deployment.run("check-proof", "proof", "--signer", other).returncode == 6


@async_test
async def test_scripts_are_executed_only_if_the_configuration_enables_them(deployment: Deployment) -> None:
    code = "return {1, {err = 'OOPS inside'}, {'two', redis.call('INCR', 'n') == 0}}"
    script: tuple[str | int, ...] = ("EVAL", code, 0)
    others: list[tuple[str | int, ...]] = [("EVALSHA", "a" * 40, 0), ("SCRIPT", "LOAD", "return 1"), ("FCALL", "f", 0)]
    async with await deployment.client() as alice:
        for refused in [script, *others]:
            with pytest.raises(Refused) as caught:
                await alice.call(*refused)
            assert caught.value.code == "NOT_ALLOWED"
        assert await alice.call("GET", "n") == Answer(1, 1, None), "a refused script is neither executed nor logged"
        # Refusals are written in the background; a crash loses the waiting ones.
        eventually(lambda: deployment.refusals() == ["NOT_ALLOWED"] * 4)
        deployment.kill_front()
        deployment.scripts = True
        deployment.front = deployment.start_front()
        assert (await alice.call(*script)).reply == [1, RedisError("OOPS inside"), [b"two", None]]
        with pytest.raises(Refused):
            await alice.call("FCALL", "f", 0)
    assert deployment.redis_command("GET", "n") == b"1" and deployment.audit()["entries"] == 2
    eventually(lambda: deployment.refusals() == ["NOT_ALLOWED"] * 5)


@async_test
async def test_concurrent_commands_keep_their_order(deployment: Deployment) -> None:
    async with await deployment.client() as alice:
        # More commands than there are keys initially, and than a front accepts in flight.
        answers = await asyncio.gather(*(alice.call("RPUSH", "list", number) for number in range(1500)))
        assert [(answer.sequence, answer.reply) for answer in answers] == [(n, n) for n in range(1, 1501)]
        written = (await alice.call("LRANGE", "list", 0, -1)).reply
    assert written == [b"%d" % number for number in range(1500)]
    assert deployment.audit()["entries"] == 1501
    assert not (deployment.path / "refusals.jsonl").read_text(), "no command and no announcement was refused"


@async_test
async def test_every_suite_signs_and_programs_continue_the_sequence_numbers(deployment: Deployment) -> None:
    for number, suite in enumerate(SUITES, 1):
        async with await deployment.client(suite=suite) as alice:
            assert (await alice.call("INCR", "n")).sequence == number
    rust = deployment.run("call", "--json", "--front", deployment.listen, "--key", "alice.key", "INCR", "n")
    assert json.loads(rust.stdout)["sequence"] == 5
    async with await deployment.client(scheme="eddsa") as alice:
        assert await alice.call("GET", "n") == Answer(6, 6, b"5")
    assert deployment.audit()["entries"] == 6


@async_test
async def test_unknown_signers_other_stores_and_unknown_suites_are_refused(deployment: Deployment) -> None:
    with pytest.raises(Refused) as refused:
        await deployment.client("mallory")
    assert refused.value.code == "UNKNOWN_SIGNER" and refused.value.exit == 5
    with pytest.raises(BadFront) as other:
        await deployment.client(store=bytes(32))
    assert other.value.code == "OTHER_STORE" and deployment.store.hex() in str(other.value)
    alice, bob = deployment.key("alice"), deployment.key("bob")
    alice.public = bob.public
    with pytest.raises(Refused) as impostor:
        await open_link(deployment.listen, alice, None, asyncio.get_running_loop().time() + 60)
    assert impostor.value.code == "IMPOSTOR"
    for options in ({"scheme": "rsa"}, {"suite": "hors-f-blake3"}):
        with pytest.raises(BadInput, match="expected one of"):
            await deployment.client(**options)
    for address in ("127.0.0.1", "127.0.0.1:0", "127.0.0.1:٣", ":1", "127.0.0.1:65536"):
        with pytest.raises(BadInput, match="expected an address"):
            await Client.connect(address, alice)
    async with await deployment.client(store=deployment.store) as accepted:
        assert (await accepted.call("PING")).sequence == 1
    eventually(lambda: deployment.refusals() == ["UNKNOWN_SIGNER", "IMPOSTOR"])


@async_test
async def test_unsigned_replayed_and_forged_commands_are_refused(deployment: Deployment) -> None:
    async with await deployment.client(scheme="none") as unsigned:
        for _ in range(2):
            with pytest.raises(Refused) as caught:
                await unsigned.call("SET", "a", "1")
            assert (caught.value.code, caught.value.sequence) == ("UNSIGNED", 1)
    key = deployment.key("alice")
    link = await open_link(deployment.listen, key, None, asyncio.get_running_loop().time() + 60)

    async def ask(frame: bytes) -> object:
        link.writer.write(frame)
        return await read_frame(link.reader, 4096)

    now, command = time.time_ns() // 1000, encode_command(("INCR", "n"))
    signature = key.sign(message(link.store, 1, now, command))
    signed = signed_command(1, 1, now, signature, command)
    assert await ask(signed) == Executed(1, 1, b":1\r\n")
    again = await ask(signed)
    assert isinstance(again, Refusal) and again.reply.startswith(b"-REPLAYED ")
    forged = await ask(signed_command(1, 2, now, signature, command))
    assert isinstance(forged, Refusal) and forged.reply.startswith(b"-FORGED ")
    link.writer.close()
    assert deployment.redis_command("GET", "n") == b"1" and deployment.audit()["entries"] == 1
    eventually(lambda: deployment.refusals() == ["UNSIGNED", "UNSIGNED", "REPLAYED", "FORGED"])


@async_test
async def test_numbering_restarts_after_a_refusal(deployment: Deployment) -> None:
    async with await deployment.client() as alice:
        calls = [alice.call("INCR", "n"), alice.call("SELECT", 1), *(alice.call("INCR", "n") for _ in range(20))]
        first, select, *after = await asyncio.gather(*calls, return_exceptions=True)
        assert first == Answer(1, 1, 1)
        assert isinstance(select, Refused) and (select.code, select.sequence) == ("NOT_ALLOWED", 2)
        refused = [outcome for outcome in after if isinstance(outcome, Refused)]
        answers = [outcome for outcome in after if isinstance(outcome, Answer)]
        assert {outcome.code for outcome in refused} <= {"GAP"} and len(refused) + len(answers) == 20
        assert (await alice.call("INCR", "n")).sequence == len(answers) + 2
    assert deployment.audit()["entries"] == len(answers) + 2


@async_test
async def test_commands_missing_from_a_killed_fronts_log_are_sent_again(deployment: Deployment) -> None:
    async with await deployment.client() as alice:
        await alice.call("INCR", "n")
        deployment.freeze(deployment.front)
        calls = [asyncio.create_task(alice.call("INCR", "n")) for _ in range(300)]
        await asyncio.sleep(0.5)
        deployment.kill_front()
        deployment.front = await asyncio.to_thread(deployment.start_front)
        answers = await asyncio.gather(*calls)
        assert [(answer.sequence, answer.entry, answer.reply) for answer in answers] == [
            (number, number, number) for number in range(2, 302)
        ]
        assert (await alice.call("GET", "n")).reply == b"301"
    assert deployment.last("alice") == 302
    assert deployment.refusals() == []


@async_test
async def test_commands_in_a_killed_fronts_log_are_lost_and_never_sent_again(deployment: Deployment) -> None:
    async with await deployment.client() as alice:
        await alice.call("INCR", "n")
        deployment.freeze(deployment.redis)
        lost = asyncio.create_task(alice.call("INCR", "n"))
        log = deployment.path / "audit.log"
        size = log.stat().st_size
        await asyncio.to_thread(eventually, lambda: log.stat().st_size > size)
        deployment.kill_front()
        deployment.thaw(deployment.redis)
        deployment.front = await asyncio.to_thread(deployment.start_front)
        with pytest.raises(Lost) as caught:
            await lost
        assert caught.value.logged is True
        answer = await alice.call("INCR", "n")
        assert (answer.sequence, answer.entry) == (3, 3) and answer.reply in (2, 3)
    assert deployment.audit()["entries"] == 3


@async_test
async def test_every_command_has_an_outcome_if_the_front_is_killed_under_load(deployment: Deployment) -> None:
    async with await deployment.client() as alice:
        calls = [asyncio.create_task(alice.call("INCR", "n")) for _ in range(600)]
        await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        deployment.kill_front()
        deployment.front = await asyncio.to_thread(deployment.start_front)
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        answers = [outcome for outcome in outcomes if isinstance(outcome, Answer)]
        lost = [outcome for outcome in outcomes if isinstance(outcome, Lost)]
        assert len(answers) + len(lost) == 600 and all(outcome.logged for outcome in lost)
        executed = (await alice.call("GET", "n")).reply
    assert isinstance(executed, bytes) and len(answers) <= int(executed) <= 600
    assert deployment.last("alice") == 601


@async_test
async def test_an_unreachable_front_is_reported_and_found_after_its_restart(deployment: Deployment) -> None:
    async with await reached(lambda: deployment.client(connect_timeout=1.0)) as alice:
        await alice.call("INCR", "n")
        deployment.freeze(deployment.front)
        in_flight = asyncio.create_task(alice.call("INCR", "n"))
        await asyncio.sleep(0.2)
        deployment.kill_front()
        with pytest.raises(Lost) as caught:
            await in_flight
        assert caught.value.logged is None
        with pytest.raises(Unreachable):
            await alice.call("INCR", "n")
        deployment.front = await asyncio.to_thread(deployment.start_front)
        assert await reached(lambda: alice.call("INCR", "n")) == Answer(2, 2, 2)
    assert deployment.audit()["entries"] == 2


@async_test
async def test_a_second_program_with_the_same_key_is_reported(deployment: Deployment) -> None:
    async with await deployment.client() as one, await deployment.client() as other:
        await other.call("INCR", "n")
        with pytest.raises(Lost, match="another program uses this key"):
            await one.call("INCR", "n")
        with pytest.raises(Lost):
            await one.call("INCR", "n")
    assert deployment.redis_command("GET", "n") == b"1"


@async_test
async def test_a_cancelled_call_leaves_no_gap(deployment: Deployment) -> None:
    async with await deployment.client() as alice:
        calls = [asyncio.create_task(alice.call("INCR", "n")) for _ in range(900)]
        for pause in range(30):
            await asyncio.sleep(0)
            for call in calls[pause::30][::2]:
                call.cancel()
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert all(isinstance(outcome, Answer | asyncio.CancelledError) for outcome in outcomes)
        last = await alice.call("GET", "n")
        assert last.reply == b"%d" % (last.sequence - 1)
    with pytest.raises(Lost, match="was closed"):
        await alice.call("PING")
    assert deployment.audit()["entries"] == last.sequence

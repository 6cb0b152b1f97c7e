"""Commands through the real front: executed, logged, answered, refused, and across its restarts."""

from __future__ import annotations

import asyncio
import json
import time

import pytest
from audited_redis import SUITES, Answer, BadFront, BadInput, Client, Lost, RedisError, Refused, Unreachable
from audited_redis.link import greet
from audited_redis.resp import encode_command
from audited_redis.wire import Executed, Refusal, message, read_frame, signed_command
from house import House, eventually, in_a_loop


@in_a_loop
async def test_reads_and_writes_are_executed_logged_and_provable(house: House) -> None:
    async with await house.client() as alice, await house.client("bob", scheme="eddsa") as bob:
        assert alice.store == house.store
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
    assert house.ask("GET", "greeting") == b"hello" and house.audit()["entries"] == 8
    for entry, name in ((1, "alice"), (2, "bob")):
        assert house.run("prove", "audit.log", "--entry", str(entry), "--out", "proof").returncode == 0
        checked = house.run("check-proof", "--json", "proof", "--signer", house.public[name])
        assert checked.returncode == 0 and json.loads(checked.stdout)["command"][1] == "greeting"
        other = house.public["bob" if name == "alice" else "alice"]
        assert house.run("check-proof", "proof", "--signer", other).returncode == 6


@in_a_loop
async def test_scripts_are_executed_only_where_the_operator_says_so(house: House) -> None:
    script: tuple[str | int, ...] = ("EVAL", "return {1, {err = 'OOPS inside'}, {'two', redis.call('INCR', 'n') == 0}}", 0)
    others: list[tuple[str | int, ...]] = [("EVALSHA", "a" * 40, 0), ("SCRIPT", "LOAD", "return 1"), ("FCALL", "f", 0)]
    async with await house.client() as alice:
        for refused in [script, *others]:
            with pytest.raises(Refused) as caught:
                await alice.call(*refused)
            assert caught.value.code == "NOT_ALLOWED"
        assert await alice.call("GET", "n") == Answer(1, 1, None), "nothing of it was done or logged"
        # Refusals are written in the background; a crash loses the waiting ones.
        eventually(lambda: house.refusals() == ["NOT_ALLOWED"] * 4)
        house.kill_front()
        house.scripts = True
        house.front = house.start_front()
        assert (await alice.call(*script)).reply == [1, RedisError("OOPS inside"), [b"two", None]]
        with pytest.raises(Refused):
            await alice.call("FCALL", "f", 0)
    assert house.ask("GET", "n") == b"1" and house.audit()["entries"] == 2
    eventually(lambda: house.refusals() == ["NOT_ALLOWED"] * 5)


@in_a_loop
async def test_hundreds_of_commands_are_under_way_at_once_and_keep_their_order(house: House) -> None:
    async with await house.client() as alice:
        # More than there are keys at first, and than a front takes at once.
        answers = await asyncio.gather(*(alice.call("RPUSH", "list", number) for number in range(1500)))
        assert [(answer.sequence, answer.reply) for answer in answers] == [(n, n) for n in range(1, 1501)]
        written = (await alice.call("LRANGE", "list", 0, -1)).reply
    assert written == [b"%d" % number for number in range(1500)]
    assert house.audit()["entries"] == 1501
    assert not (house.path / "refusals.jsonl").read_text(), "neither commands nor announcements"


@in_a_loop
async def test_every_suite_signs_and_numbers_go_on_from_program_to_program(house: House) -> None:
    for number, suite in enumerate(SUITES, 1):
        async with await house.client(suite=suite) as alice:
            assert (await alice.call("INCR", "n")).sequence == number
    rust = house.run("call", "--json", "--front", house.listen, "--key", "alice.key", "INCR", "n")
    assert json.loads(rust.stdout)["sequence"] == 5
    async with await house.client(scheme="eddsa") as alice:
        assert await alice.call("GET", "n") == Answer(6, 6, b"5")
    assert house.audit()["entries"] == 6


@in_a_loop
async def test_strangers_other_stores_and_what_is_no_suite_are_refused(house: House) -> None:
    with pytest.raises(Refused) as stranger:
        await house.client("stranger")
    assert stranger.value.code == "UNKNOWN_SIGNER" and stranger.value.exit == 5
    with pytest.raises(BadFront) as other:
        await house.client(store=bytes(32))
    assert other.value.code == "OTHER_STORE" and house.store.hex() in str(other.value)
    alice, bob = house.key("alice"), house.key("bob")
    alice.public = bob.public
    with pytest.raises(Refused) as impostor:
        await greet(house.listen, alice, None, asyncio.get_running_loop().time() + 60)
    assert impostor.value.code == "IMPOSTOR"
    for options in ({"scheme": "rsa"}, {"suite": "hors-f-blake3"}):
        with pytest.raises(BadInput, match="is none of"):
            await house.client(**options)
    for address in ("127.0.0.1", "127.0.0.1:0", "127.0.0.1:٣", ":1", "127.0.0.1:65536"):
        with pytest.raises(BadInput, match="no address"):
            await Client.connect(address, alice)
    async with await house.client(store=house.store) as alice_herself:
        assert (await alice_herself.call("PING")).sequence == 1
    eventually(lambda: house.refusals() == ["UNKNOWN_SIGNER", "IMPOSTOR"])


@in_a_loop
async def test_unsigned_replayed_and_forged_commands_are_refused(house: House) -> None:
    async with await house.client(scheme="none") as unsigned:
        for _ in range(2):
            with pytest.raises(Refused) as caught:
                await unsigned.call("SET", "a", "1")
            assert (caught.value.code, caught.value.sequence) == ("UNSIGNED", 1)
    key = house.key("alice")
    link = await greet(house.listen, key, None, asyncio.get_running_loop().time() + 60)

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
    assert house.ask("GET", "n") == b"1" and house.audit()["entries"] == 1
    eventually(lambda: house.refusals() == ["UNSIGNED", "UNSIGNED", "REPLAYED", "FORGED"])


@in_a_loop
async def test_behind_a_refusal_numbers_begin_anew(house: House) -> None:
    async with await house.client() as alice:
        calls = [alice.call("INCR", "n"), alice.call("SELECT", 1), *(alice.call("INCR", "n") for _ in range(20))]
        first, select, *behind = await asyncio.gather(*calls, return_exceptions=True)
        assert first == Answer(1, 1, 1)
        assert isinstance(select, Refused) and (select.code, select.sequence) == ("NOT_ALLOWED", 2)
        refused = [outcome for outcome in behind if isinstance(outcome, Refused)]
        answers = [outcome for outcome in behind if isinstance(outcome, Answer)]
        assert {outcome.code for outcome in refused} <= {"GAP"} and len(refused) + len(answers) == 20
        assert (await alice.call("INCR", "n")).sequence == len(answers) + 2
    assert house.audit()["entries"] == len(answers) + 2


@in_a_loop
async def test_what_is_not_in_the_log_of_a_killed_front_is_sent_again(house: House) -> None:
    async with await house.client() as alice:
        await alice.call("INCR", "n")
        house.freeze(house.front)
        calls = [asyncio.create_task(alice.call("INCR", "n")) for _ in range(300)]
        await asyncio.sleep(0.5)
        house.kill_front()
        house.front = await asyncio.to_thread(house.start_front)
        answers = await asyncio.gather(*calls)
        assert [(answer.sequence, answer.entry, answer.reply) for answer in answers] == [
            (number, number, number) for number in range(2, 302)
        ]
        assert (await alice.call("GET", "n")).reply == b"301"
    assert house.last("alice") == 302
    assert house.refusals() == []


@in_a_loop
async def test_what_is_in_the_log_of_a_killed_front_is_reported_and_never_sent_again(house: House) -> None:
    async with await house.client() as alice:
        await alice.call("INCR", "n")
        house.freeze(house.redis)
        lost = asyncio.create_task(alice.call("INCR", "n"))
        log = house.path / "audit.log"
        size = log.stat().st_size
        await asyncio.to_thread(eventually, lambda: log.stat().st_size > size)
        house.kill_front()
        house.thaw(house.redis)
        house.front = await asyncio.to_thread(house.start_front)
        with pytest.raises(Lost) as caught:
            await lost
        assert caught.value.logged is True
        answer = await alice.call("INCR", "n")
        assert (answer.sequence, answer.entry) == (3, 3) and answer.reply in (2, 3)
    assert house.audit()["entries"] == 3


@in_a_loop
async def test_a_front_that_is_killed_under_load_leaves_no_gap_and_no_silence(house: House) -> None:
    async with await house.client() as alice:
        calls = [asyncio.create_task(alice.call("INCR", "n")) for _ in range(600)]
        await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        house.kill_front()
        house.front = await asyncio.to_thread(house.start_front)
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        answers = [outcome for outcome in outcomes if isinstance(outcome, Answer)]
        lost = [outcome for outcome in outcomes if isinstance(outcome, Lost)]
        assert len(answers) + len(lost) == 600 and all(outcome.logged for outcome in lost)
        executed = (await alice.call("GET", "n")).reply
    assert isinstance(executed, bytes) and len(answers) <= int(executed) <= 600
    assert house.last("alice") == 601


@in_a_loop
async def test_a_front_that_stays_away_is_reported_and_found_when_it_is_back(house: House) -> None:
    async with await house.client(patience=1.0) as alice:
        await alice.call("INCR", "n")
        house.freeze(house.front)
        under_way = asyncio.create_task(alice.call("INCR", "n"))
        await asyncio.sleep(0.2)
        house.kill_front()
        with pytest.raises(Lost) as caught:
            await under_way
        assert caught.value.logged is None
        with pytest.raises(Unreachable):
            await alice.call("INCR", "n")
        house.front = await asyncio.to_thread(house.start_front)
        assert await alice.call("INCR", "n") == Answer(2, 2, 2)
    assert house.audit()["entries"] == 2


@in_a_loop
async def test_two_programs_with_one_key_are_told_and_nothing_is_signed_twice(house: House) -> None:
    async with await house.client() as one, await house.client() as other:
        await other.call("INCR", "n")
        with pytest.raises(Lost, match="another program uses this key"):
            await one.call("INCR", "n")
        with pytest.raises(Lost):
            await one.call("INCR", "n")
    assert house.ask("GET", "n") == b"1"


@in_a_loop
async def test_a_cancelled_call_leaves_no_gap(house: House) -> None:
    async with await house.client() as alice:
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
    assert house.audit()["entries"] == last.sequence

"""Fronts that lie: each lie has its code, and nothing is believed or signed for that front afterwards."""

from __future__ import annotations

import asyncio
import os
import tracemalloc
from typing import cast

import pytest
from audited_redis import Answer, BadFront, Client, Failure, Key, Lost, RedisError, Refused, Unreachable
from house import in_a_loop
from liar import STORE, Liar, Visit, executed, frame, refusal, welcome


@pytest.fixture
def key() -> Key:
    return Key(bytearray(os.urandom(32)))


HELLO = {
    "plain Redis": (b"-ERR unknown command\r\n", "NO_FRONT"),
    "another version": (b"QAREDIS2" + bytes(64), "NO_FRONT"),
    "half a hello": (b"QAREDIS1" + bytes(63), "UNREACHABLE"),
    "nothing": (b"", "UNREACHABLE"),
    "an endless welcome": (b"QAREDIS1" + bytes(64) + b"\xff\xff\xff\xff\x81", "BAD_FRAME"),
    "an empty frame": (b"QAREDIS1" + bytes(64) + bytes(4), "BAD_FRAME"),
    "a long welcome": (b"QAREDIS1" + bytes(64) + frame(0x81, 1, 1), "BAD_FRAME"),
    "a short welcome": (b"QAREDIS1" + bytes(64) + frame(0x81, b"1234567"), "BAD_FRAME"),
    "an unknown kind": (b"QAREDIS1" + bytes(64) + frame(0x84, 1), "BAD_FRAME"),
    "a client's frame": (b"QAREDIS1" + bytes(64) + frame(0x02, bytes(99)), "BAD_FRAME"),
    "an answer": (b"QAREDIS1" + bytes(64) + executed(1, 1), "BAD_ORDER"),
    "a number at the end": (b"QAREDIS1" + bytes(64) + welcome((1 << 64) - 1), "BAD_ORDER"),
    "a refusal without error": (b"QAREDIS1" + bytes(64) + refusal(0, b"+OK\r\n"), "BAD_REPLY"),
    "a refusal without line": (b"QAREDIS1" + bytes(64) + refusal(0, b"-UNKNOWN"), "BAD_REPLY"),
}


@pytest.mark.parametrize("lie", HELLO)
@in_a_loop
async def test_lies_at_the_beginning(lie: str, key: Key) -> None:
    said, code = HELLO[lie]

    async def visit(visit: Visit) -> None:
        visit.writer.write(said)
        await visit.reader.readexactly(40 if len(said) < 72 else 104)

    async with Liar(visit) as address:
        with pytest.raises(Failure) as caught:
            await Client.connect(address, key, patience=60)
        assert caught.value.code == code, caught.value


ANSWERS = {
    "to what was not asked": (executed(2, 1), "BAD_ORDER"),
    "to what was answered": (executed(1, 1) + executed(1, 2), "BAD_ORDER"),
    "with an entry that is none": (executed(1, 0), "BAD_ORDER"),
    "a refusal of what was not asked": (refusal(2), "BAD_ORDER"),
    "a refusal and an answer": (refusal(1) + executed(1, 1), "BAD_ORDER"),
    "another welcome": (welcome(), "BAD_ORDER"),
    "an endless frame": (b"\xff\xff\xff\xff\x82", "BAD_FRAME"),
    "one byte too many": (b"\x41\x00\x00\x08\x82", "BAD_FRAME"),
    "an empty frame": (bytes(4), "BAD_FRAME"),
    "a short answer": (frame(0x82, 1, b"1234567"), "BAD_FRAME"),
    "a short refusal": (frame(0x83, b"1234567"), "BAD_FRAME"),
    "a client's frame": (frame(0x01, b""), "BAD_FRAME"),
    "a refusal that is none": (refusal(1, b":1\r\n"), "BAD_REPLY"),
    "the end of it": (refusal(0, b"-BAD_FRAME what you sent\r\n"), "BAD_FRAME"),
}


@pytest.mark.parametrize("lie", ANSWERS)
@in_a_loop
async def test_lies_later_on_end_the_connection_for_good(lie: str, key: Key) -> None:
    said, code = ANSWERS[lie]

    async def visit(visit: Visit) -> None:
        await visit.greet()
        await visit.command()
        visit.writer.write(said)
        await visit.reader.read()

    liar = Liar(visit)
    async with liar as address, await Client.connect(address, key, patience=60) as client:
        first = await client.send("PING")
        await asyncio.wait([first])
        for _ in range(2):
            with pytest.raises(Failure) as caught:
                await client.call("PING")
            assert caught.value.code == code, caught.value
        assert isinstance(first.exception() or first.result(), Answer | BadFront | Lost | Refused)
        assert len(liar.visits) == 1


@in_a_loop
async def test_replies_out_of_order_are_noticed(key: Key) -> None:
    for lie, code in (
        ([executed(2, 1)], "BAD_ORDER"),
        ([executed(1, 7), executed(2, 7)], "BAD_ORDER"),
        ([refusal(1), executed(2, 7)], "BAD_ORDER"),
        ([refusal(2), executed(1, 7)], "STALE"),
    ):

        async def visit(visit: Visit, said: bytes = b"".join(lie)) -> None:
            await visit.greet()
            await visit.command()
            await visit.command()
            visit.writer.write(said)
            await visit.reader.read()

        async with Liar(visit) as address, await Client.connect(address, key, patience=60) as client:
            answers = [await client.send("PING"), await client.send("PING")]
            await asyncio.wait(answers)
            with pytest.raises(Failure) as caught:
                await answers[1]
            assert caught.value.code == code, caught.value


@in_a_loop
async def test_garbage_instead_of_a_reply_is_reported(key: Key) -> None:
    garbage = [b"", b"\r\n", b"+OK", b"+OK\r\n+OK\r\n", b":1_0\r\n", b"*1\r\n" * 33 + b":1\r\n", b"*4294967295\r\n"]

    async def visit(visit: Visit) -> None:
        await visit.greet()
        for number, reply in enumerate([*garbage, b"+PONG\r\n"], 1):
            await visit.command()
            visit.writer.write(executed(number, number, reply))
        await visit.reader.read()

    async with Liar(visit) as address, await Client.connect(address, key, patience=60) as client:
        for number, reply in enumerate(garbage, 1):
            with pytest.raises(BadFront, match=f"entry {number} of the log") as caught:
                await client.call("PING")
            assert caught.value.code == "BAD_REPLY", reply
        assert (await client.call("PING")).reply == "PONG"


@in_a_loop
async def test_a_front_that_says_nothing_is_given_up(key: Key) -> None:
    async def silent(visit: Visit) -> None:
        await visit.reader.read()

    async with Liar(silent) as address:
        with pytest.raises(Unreachable, match="in time"):
            await Client.connect(address, key, patience=0.3)
    with pytest.raises(Unreachable, match="is the front running"):
        await Client.connect(address, key, patience=0.3)


@in_a_loop
async def test_a_front_that_comes_back_with_less_or_as_another_is_not_believed(key: Key) -> None:
    async def first(visit: Visit) -> None:
        await visit.greet()
        await visit.command()
        visit.writer.write(executed(1, 1))
        await visit.command()

    async def shorter(visit: Visit) -> None:
        await visit.greet(0)
        await visit.reader.read()

    async def other(visit: Visit) -> None:
        visit.writer.write(b"QAREDIS1" + bytes(64))
        await visit.reader.read()

    for second, code in ((shorter, "ROLLED_BACK"), (other, "OTHER_STORE")):
        liar = Liar(first, second)
        async with liar as address, await Client.connect(address, key, patience=60) as client:
            assert client.store == STORE and await client.call("PING") == Answer(1, 1, "OK")
            with pytest.raises(BadFront) as caught:
                await client.call("PING")
            assert caught.value.code == code and len(liar.visits) == 2


@in_a_loop
async def test_what_is_sent_again_is_the_same_and_what_is_logged_is_not_sent_again(key: Key) -> None:
    async def first(visit: Visit) -> None:
        await visit.greet(7)
        for _ in range(3):
            await visit.command()

    async def second(visit: Visit) -> None:
        await visit.greet(8)
        for number in (9, 10):
            await visit.command()
            visit.writer.write(executed(number, number))
        await visit.reader.read()

    liar = Liar(first, second)
    async with liar as address, await Client.connect(address, key, patience=60) as client:
        sent = [await client.send("INCR", word) for word in "abc"]
        with pytest.raises(Lost) as caught:
            await sent[0]
        assert caught.value.logged is True
        assert [(await answer).sequence for answer in sent[1:]] == [9, 10]
    before, after = liar.visits
    assert after.commands == before.commands[1:]
    assert after.announced, "what is sent again is verified fast too"


@in_a_loop
async def test_a_front_that_crashed_before_its_last_entries_were_on_disk_is_no_liar(key: Key) -> None:
    async def first(visit: Visit) -> None:
        await visit.greet(0)
        await visit.command()
        visit.writer.write(executed(1, 1))
        await visit.command()

    async def second(visit: Visit) -> None:
        await visit.greet(2)
        await visit.command()

    async def third(visit: Visit) -> None:
        await visit.greet(1)
        await visit.command()
        visit.writer.write(executed(2, 2))
        await visit.reader.read()

    async with Liar(first, second, third) as address, await Client.connect(address, key, patience=60) as client:
        await client.call("INCR", "a")
        for logged in (True, False):
            with pytest.raises(Lost) as caught:
                await client.call("INCR", "b")
            assert caught.value.logged is logged
        assert (await client.call("INCR", "c")).sequence == 2


@in_a_loop
async def test_behind_a_refusal_nothing_is_signed_before_the_next_number_is_known(key: Key) -> None:
    async def visit(visit: Visit) -> None:
        await visit.greet()
        await visit.command()
        await visit.command()
        visit.writer.write(refusal(1))
        await asyncio.sleep(0.3)
        visit.writer.write(refusal(2, b"-GAP number 2 is not the next\r\n"))
        number = int.from_bytes((await visit.command())[1:9], "little")
        visit.writer.write(executed(number, 1))
        await visit.reader.read()

    async with Liar(visit) as address, await Client.connect(address, key, patience=60) as client:
        refused, gap = await client.send("INCR", "a"), await client.send("INCR", "b")
        with pytest.raises(Refused):
            await refused
        assert (await client.call("INCR", "c")).sequence == 1
        with pytest.raises(Refused, match="GAP"):
            await gap


@in_a_loop
async def test_behind_a_refusal_nothing_is_sent_again(key: Key) -> None:
    async def first(visit: Visit) -> None:
        await visit.greet()
        for _ in range(3):
            await visit.command()
        visit.writer.write(refusal(1))

    async def second(visit: Visit) -> None:
        await visit.greet()
        await visit.command()
        visit.writer.write(executed(1, 1))
        await visit.reader.read()

    liar = Liar(first, second)
    async with liar as address, await Client.connect(address, key, patience=60) as client:
        refused, *behind = [await client.send("INCR", word) for word in "abc"]
        with pytest.raises(Refused):
            await refused
        for answer in behind:
            with pytest.raises(Lost) as caught:
                await answer
            assert caught.value.logged is False
        assert (await client.call("INCR", "d")).sequence == 1


@in_a_loop
async def test_a_batch_is_announced_before_a_signature_of_its_keys(key: Key) -> None:
    count = 400

    async def visit(visit: Visit) -> None:
        await visit.greet()
        for number in range(1, count + 1):
            # In the other scheme's byte come number, time and the signature.
            signature = (await visit.command())[17 : 17 + 1584]
            announced = signature[72:136] in {announcement[4:68] for announcement in visit.announced}
            visit.writer.write(executed(number, number) if announced else refusal(number, b"-UNANNOUNCED batch\r\n"))
        await visit.reader.read()

    async with Liar(visit) as address, await Client.connect(address, key, patience=60) as client:
        signer = client._signing._signer
        assert signer is not None
        # From here on this is the other thread, which is ahead of the event loop.
        write = client._signing._write
        client._signing.stop()
        client._signing._write = write
        signer.invalidate()
        for _ in range(count):
            if signer.ready == 0:
                signer.prepare()
            await client.call("PING")


@in_a_loop
async def test_one_large_frame_costs_no_more_than_it_has(key: Key) -> None:
    async def visit(visit: Visit) -> None:
        await visit.greet()
        await visit.command()
        visit.writer.write((134_217_792).to_bytes(4, "little") + b"\x82" + bytes(1000))
        await visit.reader.read()

    async with Liar(visit) as address, await Client.connect(address, key, patience=60) as client:
        tracemalloc.start()
        answer = await client.send("PING")
        await asyncio.wait([answer], timeout=0.5)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
        tracemalloc.stop()
        await client.close()
        with pytest.raises(Lost):
            await answer


@in_a_loop
async def test_no_more_are_under_way_than_a_front_takes(key: Key) -> None:
    async def visit(visit: Visit) -> None:
        await visit.greet()
        while True:
            await visit.command()

    liar = Liar(visit)
    async with liar as address, await Client.connect(address, key, patience=60) as client:
        calls = [asyncio.create_task(client.call("PING")) for _ in range(1100)]
        (there,) = liar.visits
        while len(there.commands) < 1024:
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.3)
        assert len(there.commands) == 1024
        await client.close()
        for outcome in await asyncio.gather(*calls, return_exceptions=True):
            assert isinstance(outcome, Lost)


@in_a_loop
async def test_closing_does_not_wait_for_a_front_that_does_not_read(key: Key) -> None:
    async def visit(visit: Visit) -> None:
        await visit.greet()
        cast(asyncio.ReadTransport, visit.writer.transport).pause_reading()
        await asyncio.sleep(1000)

    async with Liar(visit) as address:
        client = await Client.connect(address, key, patience=60, scheme="eddsa")
        calls = [asyncio.create_task(client.call("SET", "a", bytes(1 << 20))) for _ in range(40)]
        await asyncio.sleep(0.3)
        await client.close()
        for outcome in await asyncio.gather(*calls, return_exceptions=True):
            assert isinstance(outcome, Lost)


@in_a_loop
async def test_what_a_front_writes_cannot_command_a_terminal(key: Key, capsys: pytest.CaptureFixture[str]) -> None:
    from audited_redis.__main__ import shown, tell

    assert shown(RedisError("ERR \x1b[2J\nx")) == ["(error) ERR \\x1b[2J\\nx"]
    assert shown([b"a\xff'", "b\x07", 7, None]) == ["a\\xff\\'", "b\\x07", "7", "(nil)"]
    tell("it's \x1b[31m\r")
    assert capsys.readouterr().err == "it's \\x1b[31m\\r\n"

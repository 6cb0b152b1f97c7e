"""Fronts that violate the protocol: each violation has its code, and the client sends nothing to them afterwards."""

from __future__ import annotations

import asyncio
import os
import tracemalloc
from typing import cast

import pytest
from audited_redis import Answer, BadFront, Client, Failure, Key, Lost, RedisError, Refused, Unreachable
from deployment import async_test
from malicious_front import STORE, MaliciousFront, Session, executed, frame, refusal, welcome


@pytest.fixture
def key() -> Key:
    return Key(bytearray(os.urandom(32)))


HELLO = {
    "plain Redis": (b"-ERR unknown command\r\n", "NO_FRONT"),
    "another version": (b"QAREDIS2" + bytes(64), "NO_FRONT"),
    "a truncated hello": (b"QAREDIS1" + bytes(63), "UNREACHABLE"),
    "nothing": (b"", "UNREACHABLE"),
    "a welcome of 4 GiB": (b"QAREDIS1" + bytes(64) + b"\xff\xff\xff\xff\x81", "BAD_FRAME"),
    "an empty frame": (b"QAREDIS1" + bytes(64) + bytes(4), "BAD_FRAME"),
    "a long welcome": (b"QAREDIS1" + bytes(64) + frame(0x81, 1, 1), "BAD_FRAME"),
    "a short welcome": (b"QAREDIS1" + bytes(64) + frame(0x81, b"1234567"), "BAD_FRAME"),
    "an unknown frame type": (b"QAREDIS1" + bytes(64) + frame(0x84, 1), "BAD_FRAME"),
    "a client's frame": (b"QAREDIS1" + bytes(64) + frame(0x02, bytes(99)), "BAD_FRAME"),
    "an answer before the welcome": (b"QAREDIS1" + bytes(64) + executed(1, 1), "BAD_ORDER"),
    "the largest sequence number": (b"QAREDIS1" + bytes(64) + welcome((1 << 64) - 1), "BAD_ORDER"),
    "a refusal that is not an error": (b"QAREDIS1" + bytes(64) + refusal(0, b"+OK\r\n"), "BAD_REPLY"),
    "a refusal without a line end": (b"QAREDIS1" + bytes(64) + refusal(0, b"-UNKNOWN"), "BAD_REPLY"),
}


@pytest.mark.parametrize("case", HELLO)
@async_test
async def test_invalid_handshakes_are_reported(case: str, key: Key) -> None:
    data, code = HELLO[case]

    async def script(session: Session) -> None:
        session.writer.write(data)
        await session.reader.readexactly(40 if len(data) < 72 else 104)

    async with MaliciousFront(script) as address:
        with pytest.raises(Failure) as caught:
            await Client.connect(address, key, connect_timeout=60)
        assert caught.value.code == code, caught.value


ANSWERS = {
    "an answer to an unsent command": (executed(2, 1), "BAD_ORDER"),
    "a second answer to a command": (executed(1, 1) + executed(1, 2), "BAD_ORDER"),
    "an answer with entry 0": (executed(1, 0), "BAD_ORDER"),
    "a refusal of an unsent command": (refusal(2), "BAD_ORDER"),
    "a refusal and an answer to a command": (refusal(1) + executed(1, 1), "BAD_ORDER"),
    "a second welcome": (welcome(), "BAD_ORDER"),
    "a frame of 4 GiB": (b"\xff\xff\xff\xff\x82", "BAD_FRAME"),
    "a frame one byte above the limit": (b"\x41\x00\x00\x08\x82", "BAD_FRAME"),
    "an empty frame": (bytes(4), "BAD_FRAME"),
    "a short answer": (frame(0x82, 1, b"1234567"), "BAD_FRAME"),
    "a short refusal": (frame(0x83, b"1234567"), "BAD_FRAME"),
    "a client's frame": (frame(0x01, b""), "BAD_FRAME"),
    "a refusal that is not an error": (refusal(1, b":1\r\n"), "BAD_REPLY"),
    "a refusal of the connection": (refusal(0, b"-BAD_FRAME what you sent\r\n"), "BAD_FRAME"),
}


@pytest.mark.parametrize("case", ANSWERS)
@async_test
async def test_later_violations_close_the_client_permanently(case: str, key: Key) -> None:
    data, code = ANSWERS[case]

    async def script(session: Session) -> None:
        await session.accept()
        await session.command()
        session.writer.write(data)
        await session.reader.read()

    front = MaliciousFront(script)
    async with front as address, await Client.connect(address, key, connect_timeout=60) as client:
        first = await client.send("PING")
        await asyncio.wait([first])
        for _ in range(2):
            with pytest.raises(Failure) as caught:
                await client.call("PING")
            assert caught.value.code == code, caught.value
        assert isinstance(first.exception() or first.result(), Answer | BadFront | Lost | Refused)
        assert len(front.sessions) == 1


@async_test
async def test_replies_out_of_order_are_detected(key: Key) -> None:
    for frames, code in (
        ([executed(2, 1)], "BAD_ORDER"),
        ([executed(1, 7), executed(2, 7)], "BAD_ORDER"),
        ([refusal(1), executed(2, 7)], "BAD_ORDER"),
        ([refusal(2), executed(1, 7)], "STALE"),
    ):

        async def script(session: Session, data: bytes = b"".join(frames)) -> None:
            await session.accept()
            await session.command()
            await session.command()
            session.writer.write(data)
            await session.reader.read()

        async with MaliciousFront(script) as address, await Client.connect(address, key, connect_timeout=60) as client:
            answers = [await client.send("PING"), await client.send("PING")]
            await asyncio.wait(answers)
            with pytest.raises(Failure) as caught:
                await answers[1]
            assert caught.value.code == code, caught.value


@async_test
async def test_malformed_replies_are_reported(key: Key) -> None:
    garbage = [b"", b"\r\n", b"+OK", b"+OK\r\n+OK\r\n", b":1_0\r\n", b"*1\r\n" * 33 + b":1\r\n", b"*4294967295\r\n"]

    async def script(session: Session) -> None:
        await session.accept()
        for number, reply in enumerate([*garbage, b"+PONG\r\n"], 1):
            await session.command()
            session.writer.write(executed(number, number, reply))
        await session.reader.read()

    async with MaliciousFront(script) as address, await Client.connect(address, key, connect_timeout=60) as client:
        for number, reply in enumerate(garbage, 1):
            with pytest.raises(BadFront, match=f"entry {number} of the log") as caught:
                await client.call("PING")
            assert caught.value.code == "BAD_REPLY", reply
        assert (await client.call("PING")).reply == "PONG"


@async_test
async def test_connecting_to_a_silent_front_has_a_time_limit(key: Key) -> None:
    async def silent(session: Session) -> None:
        await session.reader.read()

    async with MaliciousFront(silent) as address:
        with pytest.raises(Unreachable, match="within the time limit"):
            await Client.connect(address, key, connect_timeout=0.3)
    with pytest.raises(Unreachable, match="is the front running"):
        await Client.connect(address, key, connect_timeout=0.3)


@async_test
async def test_a_shorter_log_or_another_store_is_refused_after_reconnecting(key: Key) -> None:
    async def first(session: Session) -> None:
        await session.accept()
        await session.command()
        session.writer.write(executed(1, 1))
        await session.command()

    async def shorter(session: Session) -> None:
        await session.accept(0)
        await session.reader.read()

    async def other(session: Session) -> None:
        session.writer.write(b"QAREDIS1" + bytes(64))
        await session.reader.read()

    for second, code in ((shorter, "ROLLED_BACK"), (other, "OTHER_STORE")):
        front = MaliciousFront(first, second)
        async with front as address, await Client.connect(address, key, connect_timeout=60) as client:
            assert client.store == STORE and await client.call("PING") == Answer(1, 1, "OK")
            with pytest.raises(BadFront) as caught:
                await client.call("PING")
            assert caught.value.code == code and len(front.sessions) == 2


@async_test
async def test_only_unlogged_commands_are_sent_again_and_unchanged(key: Key) -> None:
    async def first(session: Session) -> None:
        await session.accept(7)
        for _ in range(3):
            await session.command()

    async def second(session: Session) -> None:
        await session.accept(8)
        for number in (9, 10):
            await session.command()
            session.writer.write(executed(number, number))
        await session.reader.read()

    front = MaliciousFront(first, second)
    async with front as address, await Client.connect(address, key, connect_timeout=60) as client:
        sent = [await client.send("INCR", word) for word in "abc"]
        with pytest.raises(Lost) as caught:
            await sent[0]
        assert caught.value.logged is True
        assert [(await answer).sequence for answer in sent[1:]] == [9, 10]
    before, after = front.sessions
    assert after.commands == before.commands[1:]
    assert after.announced, "the batches of resent commands are announced again"


@async_test
async def test_a_log_that_lost_unanswered_entries_in_a_crash_is_accepted(key: Key) -> None:
    async def first(session: Session) -> None:
        await session.accept(0)
        await session.command()
        session.writer.write(executed(1, 1))
        await session.command()

    async def second(session: Session) -> None:
        await session.accept(2)
        await session.command()

    async def third(session: Session) -> None:
        await session.accept(1)
        await session.command()
        session.writer.write(executed(2, 2))
        await session.reader.read()

    front = MaliciousFront(first, second, third)
    async with front as address, await Client.connect(address, key, connect_timeout=60) as client:
        await client.call("INCR", "a")
        for logged in (True, False):
            with pytest.raises(Lost) as caught:
                await client.call("INCR", "b")
            assert caught.value.logged is logged
        assert (await client.call("INCR", "c")).sequence == 2


@async_test
async def test_after_a_refusal_signing_waits_for_the_next_sequence_number(key: Key) -> None:
    async def script(session: Session) -> None:
        await session.accept()
        await session.command()
        await session.command()
        session.writer.write(refusal(1))
        await asyncio.sleep(0.3)
        session.writer.write(refusal(2, b"-GAP number 2 is not the next\r\n"))
        number = int.from_bytes((await session.command())[1:9], "little")
        session.writer.write(executed(number, 1))
        await session.reader.read()

    async with MaliciousFront(script) as address, await Client.connect(address, key, connect_timeout=60) as client:
        refused, gap = await client.send("INCR", "a"), await client.send("INCR", "b")
        with pytest.raises(Refused):
            await refused
        assert (await client.call("INCR", "c")).sequence == 1
        with pytest.raises(Refused, match="GAP"):
            await gap


@async_test
async def test_commands_after_a_refusal_are_not_sent_again(key: Key) -> None:
    async def first(session: Session) -> None:
        await session.accept()
        for _ in range(3):
            await session.command()
        session.writer.write(refusal(1))

    async def second(session: Session) -> None:
        await session.accept()
        await session.command()
        session.writer.write(executed(1, 1))
        await session.reader.read()

    front = MaliciousFront(first, second)
    async with front as address, await Client.connect(address, key, connect_timeout=60) as client:
        refused, *later = [await client.send("INCR", word) for word in "abc"]
        with pytest.raises(Refused):
            await refused
        for answer in later:
            with pytest.raises(Lost) as caught:
                await answer
            assert caught.value.logged is False
        assert (await client.call("INCR", "d")).sequence == 1


@async_test
async def test_a_batch_is_announced_before_a_signature_of_its_keys(key: Key) -> None:
    count = 400

    async def script(session: Session) -> None:
        await session.accept()
        for number in range(1, count + 1):
            # The scheme's byte, sequence number and time precede the signature.
            signature = (await session.command())[17 : 17 + 1584]
            announced = signature[72:136] in {announcement[4:68] for announcement in session.announced}
            session.writer.write(executed(number, number) if announced else refusal(number, b"-UNANNOUNCED batch\r\n"))
        await session.reader.read()

    async with MaliciousFront(script) as address, await Client.connect(address, key, connect_timeout=60) as client:
        signer = client._signing._signer
        assert signer is not None
        # From here on this test makes the keys, as a thread that is ahead of the event loop.
        write = client._signing._write
        client._signing.stop()
        client._signing._write = write
        signer.invalidate()
        for _ in range(count):
            if signer.ready == 0:
                signer.prepare()
            await client.call("PING")


@async_test
async def test_a_large_frame_takes_memory_only_for_its_received_bytes(key: Key) -> None:
    async def script(session: Session) -> None:
        await session.accept()
        await session.command()
        session.writer.write((134_217_792).to_bytes(4, "little") + b"\x82" + bytes(1000))
        await session.reader.read()

    async with MaliciousFront(script) as address, await Client.connect(address, key, connect_timeout=60) as client:
        tracemalloc.start()
        answer = await client.send("PING")
        await asyncio.wait([answer], timeout=0.5)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
        tracemalloc.stop()
        await client.close()
        with pytest.raises(Lost):
            await answer


@async_test
async def test_commands_in_flight_are_limited(key: Key) -> None:
    async def script(session: Session) -> None:
        await session.accept()
        while True:
            await session.command()

    front = MaliciousFront(script)
    async with front as address, await Client.connect(address, key, connect_timeout=60) as client:
        calls = [asyncio.create_task(client.call("PING")) for _ in range(1100)]
        (session,) = front.sessions
        while len(session.commands) < 1024:
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.3)
        assert len(session.commands) == 1024
        await client.close()
        for outcome in await asyncio.gather(*calls, return_exceptions=True):
            assert isinstance(outcome, Lost)


@async_test
async def test_closing_does_not_wait_for_a_front_that_stops_reading(key: Key) -> None:
    async def script(session: Session) -> None:
        await session.accept()
        cast(asyncio.ReadTransport, session.writer.transport).pause_reading()
        await asyncio.sleep(1000)

    async with MaliciousFront(script) as address:
        client = await Client.connect(address, key, connect_timeout=60, scheme="eddsa")
        calls = [asyncio.create_task(client.call("SET", "a", bytes(1 << 20))) for _ in range(40)]
        await asyncio.sleep(0.3)
        await client.close()
        for outcome in await asyncio.gather(*calls, return_exceptions=True):
            assert isinstance(outcome, Lost)


@async_test
async def test_control_characters_of_replies_are_escaped(key: Key, capsys: pytest.CaptureFixture[str]) -> None:
    from audited_redis.__main__ import print_stderr, reply_lines

    assert reply_lines(RedisError("ERR \x1b[2J\nx")) == ["(error) ERR \\x1b[2J\\nx"]
    assert reply_lines([b"a\xff'", "b\x07", 7, None]) == ["a\\xff\\'", "b\\x07", "7", "(nil)"]
    print_stderr("it's \x1b[31m\r")
    assert capsys.readouterr().err == "it's \\x1b[31m\\r\n"

"""Key files, commands, replies and frames, without a front."""

from __future__ import annotations

import copy
import pickle
import random
from pathlib import Path
from typing import Any

import pytest
from audited_redis import BadInput, Key, RedisError, Reply, resp
from audited_redis.resp import MAX_COMMAND, MAX_DEPTH, MAX_LINE, Malformed, encode_command, parse_reply
from audited_redis.wire import Executed, Refusal, Welcome, decode
from quorate import PublicKey, Signature

SECRET = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
PUBLIC = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
FILE = f"# A comment.\nquorate-audited-redis-key 1\nsecret {SECRET}\npublic {PUBLIC}\n"


def write_key_file(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "key"
    path.unlink(missing_ok=True)
    path.touch(mode)
    path.write_text(text)
    return path


def test_key_files_are_parsed_as_by_the_rust_program(tmp_path: Path) -> None:
    upper = FILE.replace(SECRET, SECRET.upper())
    for text in (FILE, FILE.replace("\n", "\r\n"), FILE.rstrip(), f"\n{FILE}\n# end", upper):
        key = Key.load(write_key_file(tmp_path, text))
        assert key.public.hex() == PUBLIC
        signature = Signature.decode("ed25519", key.sign(b"m"))
        PublicKey.decode("ed25519", key.public).verify(b"m", signature)
    for text in (
        "",
        FILE.replace("key 1", "key 2"),
        FILE.replace("secret ", "secret 0"),
        FILE.replace("secret 9", "secret x"),
        FILE.replace("secret 9", "secret 8"),
        FILE.replace(PUBLIC, PUBLIC.upper()),
        FILE + "x",
        FILE.replace(f"public {PUBLIC}\n", ""),
        FILE + "#" * 4096,
    ):
        with pytest.raises(BadInput):
            Key.load(write_key_file(tmp_path, text))
    with pytest.raises(BadInput, match="chmod 600"):
        Key.load(write_key_file(tmp_path, FILE, 0o640))
    with pytest.raises(BadInput, match="keygen"):
        Key.load(tmp_path / "none")


def test_a_key_is_not_printed_or_copied_and_does_not_sign_after_close(tmp_path: Path) -> None:
    key = Key.load(write_key_file(tmp_path, FILE))
    assert SECRET not in repr(key) and PUBLIC in repr(key)
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot be pickled or copied"):
            copied(key)
    secret = key._secret
    key.close()
    assert secret == bytes(32)
    with pytest.raises(ValueError, match="was closed"):
        key.sign(b"m")


def test_commands_have_a_canonical_encoding() -> None:
    encoded = b"*4\r\n$3\r\nSET\r\n$3\r\n\0\r\n\r\n$1\r\n7\r\n$0\r\n\r\n"
    assert encode_command(("SET", b"\0\r\n", 7, bytearray(b""))) == encoded
    assert encode_command(("é",)) == b"*1\r\n$2\r\n\xc3\xa9\r\n"
    most = MAX_COMMAND - len(b"*1\r\n$8388590\r\n\r\n")
    assert len(encode_command((bytes(most),))) == MAX_COMMAND
    for words in ((), (bytes(most + 1),), ("x",) * ((1 << 16) + 1), (bytes(1 << 22),) * 3):
        with pytest.raises(BadInput):
            encode_command(words)
    wrong: Any
    for wrong in (True, 1.5, None, ["x"]):
        with pytest.raises(TypeError, match="str, bytes or int"):
            encode_command((wrong,))


REPLIES: dict[bytes, Reply] = {
    b"+OK\r\n": "OK",
    b"+\r\n": "",
    b"-ERR no\r\n": RedisError("ERR no"),
    b":-9223372036854775808\r\n": -(1 << 63),
    b":+7\r\n": 7,
    b"$-1\r\n": None,
    b"*-1\r\n": None,
    b"$0\r\n\r\n": b"",
    b"$4\r\n\r\n\0\xff\r\n": b"\r\n\0\xff",
    b"*0\r\n": [],
    b"*3\r\n*2\r\n:1\r\n*0\r\n$1\r\na\r\n*1\r\n*-1\r\n": [[1, []], b"a", [None]],
    b"*1\r\n-ERR inside\r\n": [RedisError("ERR inside")],
    b"+" + b"x" * (MAX_LINE - 1) + b"\r\n": "x" * (MAX_LINE - 1),
}


def test_replies_are_parsed_and_truncated_or_longer_ones_refused() -> None:
    for data, value in REPLIES.items():
        assert parse_reply(data) == value
        for cut in range(min(len(data), 100)):
            with pytest.raises(Malformed):
                parse_reply(data[:cut])
        with pytest.raises(Malformed):
            parse_reply(data + b"\r\n")


def test_malformed_and_oversized_replies_are_refused_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resp, "MAX_ITEMS", 1000)
    assert parse_reply(b"*999\r\n" + b":1\r\n" * 999) == [1] * 999
    deep = b"*1\r\n" * MAX_DEPTH
    value = parse_reply(deep + b":1\r\n")
    for _ in range(MAX_DEPTH):
        assert isinstance(value, list)
        (value,) = value
    assert value == 1
    for data in (
        b"*1\r\n" + deep + b":1\r\n",
        b"*1\r\n" * 100_000 + b":1\r\n",
        b"*4294967295\r\n:1\r\n",
        b"*" + b"9" * 19 + b"\r\n",
        b"*" + b"9" * 5000 + b"\r\n",
        b"$" + b"9" * 19 + b"\r\nx\r\n",
        b"$-2\r\n",
        b"$+1\r\nx\r\n",
        b"$1\r\nxy\r\n",
        b"$1\r\nxyz",
        b"*-2\r\n",
        b":\r\n",
        b":1.5\r\n",
        b": 1\r\n",
        b":9223372036854775808\r\n",
        b":" + b"1" * 5000 + b"\r\n",
        b"%1\r\n+a\r\n+b\r\n",
        b"_\r\n",
        b"+" + b"x" * MAX_LINE + b"\r\n",
        b"*1000\r\n" + b":1\r\n" * 1000,
    ):
        with pytest.raises(Malformed):
            parse_reply(data)


def test_arbitrary_bytes_are_parsed_or_refused() -> None:
    generator = random.Random(7)
    kinds = [*REPLIES, b"*2\r\n", b"$3\r\n", b"\r\n", b"-1", b"\0"]
    for _ in range(5_000):
        data = b"".join(generator.choices(kinds[:11] + kinds[13:], k=generator.randrange(5)))
        if data and generator.random() < 0.5:
            at = generator.randrange(len(data))
            data = data[:at] + bytes([generator.randrange(256)]) + data[at + 1 :]
        try:
            parse_reply(data)
        except Malformed:
            pass


def test_frames_have_exact_lengths() -> None:
    number = (7).to_bytes(8, "little")
    assert decode(b"\x81" + number) == Welcome(7)
    assert decode(b"\x82" + number + number + b"+OK\r\n") == Executed(7, 7, b"+OK\r\n")
    assert decode(b"\x83" + number) == Refusal(7, b"")
    short = (b"\x81" + bytes(7), b"\x82" + bytes(15), b"\x83" + bytes(7))
    for frame in (*short, b"\x81" + bytes(9), b"\x01", b"\x84"):
        with pytest.raises(Malformed):
            decode(frame)

"""A client of the audited Redis: signs every command, assigns sequence numbers, and matches answers to commands.

    async with await Client.connect("127.0.0.1:7379", Key.load("alice.key")) as client:
        answer = await client.call("SET", "greeting", "hello")
        print(answer.reply, "is entry", answer.entry, "of the log")

`python -m audited_redis --help` describes the command-line program.
"""

from .client import Client
from .failure import BadFront, BadInput, Failure, Lost, RedisError, Refused, Unreachable
from .keys import Key
from .pending import Answer
from .resp import Reply
from .signing import SCHEMES, SUITES

__all__ = [
    "SCHEMES",
    "SUITES",
    "Answer",
    "BadFront",
    "BadInput",
    "Client",
    "Failure",
    "Key",
    "Lost",
    "RedisError",
    "Refused",
    "Reply",
    "Unreachable",
]

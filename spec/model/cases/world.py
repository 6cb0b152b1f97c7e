"""A committee's signatures, and sessions of a member's pool and gossip."""

from ..aggregate import Aggregate
from ..certificate import Statement
from ..committee import SCHEMES
from ..operations import committee, statement_json
from ..operations.spreading import Session
from .common import CHAIN, NAMES, key_pair, members

EPOCH = 7
STATEMENT = Statement(1, EPOCH, 42, bytes(range(32)))
OTHER = Statement(1, EPOCH, 43, bytes(range(32)))
MILLISECOND = 1000


class World:
    """A committee, the signatures of its members, and sums of them."""

    def __init__(self, b, suite, label, weights):
        self.b, self.suite, self.scheme = b, suite, SCHEMES[suite]
        self.name = f"{NAMES[suite]}/{label}"
        if self.name not in b.committees:
            b.committee(self.name, suite, CHAIN, EPOCH, members(suite, len(weights), weights))
        self.c = committee(b.committees[self.name])
        self.signed = {}

    def signature(self, member, statement):
        if (member, statement) not in self.signed:
            secret = key_pair(self.suite, member)[1]
            self.signed[member, statement] = self.scheme.sign(secret, statement.signed_bytes(self.c.id))
        return self.signed[member, statement]

    def aggregate(self, counts, statement=STATEMENT, signed=None):
        """Encodes an aggregate with these counts (1 for each entry of a list). `signed` is the truly signed statement."""
        counts = counts if isinstance(counts, dict) else dict.fromkeys(counts, 1)
        group = self.scheme.sigs
        total = group.sum(group.mul(self.signature(i, signed or statement), count) for i, count in counts.items())
        return Aggregate(self.scheme, statement, counts, total).encode(self.c).hex()

    def bad(self, counts):
        return self.aggregate(counts, signed=OTHER)

    def pool(self, label, description, sums, results=None, me=0, **parameters):
        made = self.b.add(
            f"{self.name}/pool-{label}",
            description,
            "pool.session",
            committee=self.name,
            me=me,
            statement=statement_json(STATEMENT),
            parameters=parameters,
            aggregates=[one if isinstance(one, str) else self.aggregate(one) for one in sums],
        )
        found = [outcome["result"] for outcome in made["outcomes"]]
        assert results is None or found == results, (label, found)
        return made

    def session(self, label, description, steps, results, me=0, **parameters):
        """Adds a session. A step is a tuple of method and arguments; results other than `...` are asserted."""
        script = Script(self, me, parameters, [STATEMENT])
        for step in steps:
            script.write(*step)
        found = [outcome["result"] for outcome in script.end(label, description)["outcomes"]]
        for step, result, expected in zip(steps, found, results):
            assert expected is ... or result == expected, (label, step, result)
        assert len(results) == len(found), label

    def play(self, me=0, statements=(STATEMENT,), **parameters):
        return Play(self, me, parameters, statements)


class Microseconds(int):
    """A time of a step in microseconds. (A float is a time in milliseconds.)"""


class Draw(int):
    """The randomness of a step."""


class StatementIndex(int):
    """The index of the statement of a step."""


class Script:
    """The inputs and the steps of a session."""

    def __init__(self, world, me, parameters, statements):
        self.world, self.aggregates, self.steps = world, [], []
        self.inputs = {
            "committee": world.name,
            "me": me,
            "statements": [statement_json(one) for one in statements],
            "parameters": parameters,
            "aggregates": self.aggregates,
        }

    def write(self, what, *arguments):
        """Appends a step and returns it. Each sum is listed once."""
        step = {"do": what}
        for value in arguments:
            if isinstance(value, (str, dict, list)):
                data = value if isinstance(value, str) else self.world.aggregate(value)
                if data not in self.aggregates:
                    self.aggregates.append(data)
                step["aggregate"] = self.aggregates.index(data)
            elif isinstance(value, (float, Microseconds)):
                step["now"] = str(int(value) if isinstance(value, Microseconds) else int(value * MILLISECOND))
            elif isinstance(value, Draw):
                step["draw"] = str(int(value))
            else:
                step["statement" if isinstance(value, StatementIndex) else "peer"] = int(value)
        self.steps.append(step)
        return step

    def end(self, label, description):
        name = f"{self.world.name}/{label}"
        return self.world.b.add(name, description, "gossip.session", **self.inputs, steps=self.steps)


class Play(Script):
    """A session whose steps may depend on earlier results."""

    def __init__(self, world, me, parameters, statements):
        super().__init__(world, me, parameters, statements)
        self.session = Session({**self.inputs, "committee": world.b.committees[world.name]})

    def do(self, what, *arguments):
        return self.session.step(self.write(what, *arguments))["result"]

    def sends(self, members, total, *arguments):
        """Asserts that this sum is due to one of these members, and returns the member."""
        found = self.do("next", *arguments)
        assert found is not None and found["to"] in members, found
        total = total if isinstance(total, str) else self.world.aggregate(total)
        assert found["aggregate"] == total, found
        return found["to"]

    def is_silent(self, *arguments):
        assert self.do("next", *arguments) is None, self.steps

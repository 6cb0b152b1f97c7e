"""Collects the cases of one vector file. A case states the expected result, and the model must return it."""

import json

from .errors import Refused
from .operations import OPERATIONS


class Book:
    def __init__(self, block, description):
        self.block, self.description = block, description
        self.committees, self.setups, self.cases = {}, {}, []

    def committee(self, name, suite, chain, epoch, members, repeats=False):
        """Adds a named committee for the cases of this file; `members` as in the file."""
        self.committees[name] = {
            "suite": suite,
            "chain": chain.hex(),
            "epoch": str(epoch),
            "repeats": repeats,
            "members": members,
        }
        return name

    def add(self, name, description, operation, expect="ok", /, **inputs):
        """Runs the case and returns its output."""
        assert all(name != case["name"] for case in self.cases), name
        resolved = dict(inputs)
        for field in ("committee", "voters", "identities"):
            if isinstance(inputs.get(field), str):
                resolved[field] = self.committees[inputs[field]]
        if "setup" in inputs:
            resolved["setup"] = self.setups[inputs["setup"]]
        try:
            output, outcome = OPERATIONS[operation](resolved), "ok"
        except Refused as refused:
            output, outcome = None, refused.code
        assert outcome == expect, f"{self.block}: {name}: expected {expect}, got {outcome}"
        case = {"name": name, "description": description, "operation": operation, "input": inputs, "expect": expect}
        if output:
            case["output"] = output
        self.cases.append(case)
        return output

    def text(self):
        content = {"block": self.block, "description": self.description}
        if self.committees:
            content["committees"] = self.committees
        if self.setups:
            content["setups"] = self.setups
        content["cases"] = self.cases
        return json.dumps(content, indent=1) + "\n"

"""The operations by name, and what all of them use."""

OPERATIONS = {}


def operation(name):
    def register(function):
        OPERATIONS[name] = function
        return function

    return register


def raw(text):
    return bytes.fromhex(text)

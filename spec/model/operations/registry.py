"""The operations by name, and shared helpers."""

OPERATIONS = {}


def operation(name):
    def register(function):
        OPERATIONS[name] = function
        return function

    return register


def raw(text):
    return bytes.fromhex(text)

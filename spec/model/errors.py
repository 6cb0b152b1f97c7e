"""One exception, with the stable codes of the specification (`spec/wire.md`)."""

CODES = (
    "MALFORMED",
    "NON_CANONICAL",
    "TOO_LARGE",
    "NOT_IN_SUBGROUP",
    "INFINITY",
    "UNKNOWN_SIGNER",
    "DUPLICATE_SIGNER",
    "RELATED_KEYS",
    "BAD_COMMITTEE",
    "BAD_SHAPE",
    "BAD_ENCODING",
    "BELOW_QUORUM",
    "BAD_SIGNATURE",
    "BAD_POSSESSION",
    "BAD_SHARE",
    "BAD_CIPHERTEXT",
    "WRONG_CONTEXT",
    "CONTRADICTION",
    "NOT_EVIDENCE",
    "EXHAUSTED",
    "ONE_TIME_REUSE",
    "NOT_DRAWN",
    "RATE_LIMITED",
    "RNG",
)


class Refused(Exception):
    """An input that a conforming implementation refuses, with this code."""

    def __init__(self, code):
        assert code in CODES, code
        super().__init__(code)
        self.code = code

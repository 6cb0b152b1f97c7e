package org.quorate

import java.math.BigInteger
import org.quorate.internal.Detail
import org.quorate.internal.Failure

/**
 * Why something was refused. Match on the subclass, or on [code], which is the same in all languages and never changes
 * its meaning; the message says what to do.
 *
 * Unchecked: most of these come from bytes that somebody else sent, and where they are handled is the caller's choice.
 *
 * @property code one of [Quorate.CODES].
 * @property culprits the members whose fault it is, ascending, where the error names any.
 * @property details the error's fields by name: a `String`, a [BigInteger] or a `List<Int>`. The subclasses have
 * the same as properties.
 */
public sealed class QuorateException private constructor(
    public val code: String,
    message: String,
    public val culprits: List<Int>,
    public val details: Map<String, Any>,
) : RuntimeException(message) {

    private constructor(code: String, failure: Failure) : this(
        code,
        failure.text,
        failure.culprits.map { it.toInt() },
        failure.details.associate(::named),
    )

    /** The bytes are not an encoding of the thing at all: wrong length, unknown tag, not a point. */
    public class Malformed internal constructor(failure: Failure) : QuorateException("MALFORMED", failure) {
        /** What was being decoded. */
        public val what: String get() = text("what")
    }

    /** The bytes decode, but a different encoding of the same value is the only accepted one. */
    public class NonCanonical internal constructor(failure: Failure) : QuorateException("NON_CANONICAL", failure) {
        /** What was being decoded. */
        public val what: String get() = text("what")
    }

    /** A length or count is above its limit; nothing was allocated for it. */
    public class TooLarge internal constructor(failure: Failure) : QuorateException("TOO_LARGE", failure) {
        /** What was being decoded. */
        public val what: String get() = text("what")

        /** The largest accepted value. */
        public val limit: BigInteger get() = number("limit")
    }

    /** The point is on the curve but outside the prime-order subgroup. */
    public class NotInSubgroup internal constructor(failure: Failure) : QuorateException("NOT_IN_SUBGROUP", failure)

    /** A key, a signature or an aggregate is the point at infinity, or of small order. */
    public class Infinity internal constructor(failure: Failure) : QuorateException("INFINITY", failure)

    /** The index does not belong to the committee. */
    public class UnknownSigner internal constructor(failure: Failure) : QuorateException("UNKNOWN_SIGNER", failure) {
        /** The offending index. */
        public val index: Long get() = number("index").toLong()
    }

    /** The same member appears twice where each may appear once. */
    public class DuplicateSigner internal constructor(failure: Failure) :
        QuorateException("DUPLICATE_SIGNER", failure) {
        /** The repeated index. */
        public val index: Long get() = number("index").toLong()
    }

    /** Two members of a committee have the same key, or one has the negation of the other's. */
    public class RelatedKeys internal constructor(failure: Failure) : QuorateException("RELATED_KEYS", failure) {
        /** The member that came first. */
        public val first: Long get() = number("first").toLong()

        /** The member that repeats or negates it. */
        public val second: Long get() = number("second").toLong()
    }

    /** A committee was given no members, too many, or weights that are zero or too large in sum. */
    public class BadCommittee internal constructor(failure: Failure) : QuorateException("BAD_COMMITTEE", failure) {
        /** Which rule was broken. */
        public val rule: String get() = text("rule")
    }

    /** No erasure code makes so many shards, or has such parameters. */
    public class BadShape internal constructor(failure: Failure) : QuorateException("BAD_SHAPE", failure) {
        /** Which rule was broken. */
        public val rule: String get() = text("rule")
    }

    /** A sender committed to shards that are not those of one message; all who decode them come to this. */
    public class BadEncoding internal constructor(failure: Failure) : QuorateException("BAD_ENCODING", failure)

    /** The signers, or the shards, do not reach the threshold. */
    public class BelowQuorum internal constructor(failure: Failure) : QuorateException("BELOW_QUORUM", failure) {
        /** Weight of the signers. */
        public val signed: BigInteger get() = number("signed")

        /** Weight that is needed. */
        public val needed: BigInteger get() = number("needed")
    }

    /** A signature does not verify; [culprits] names the members whose signature is bad, where that is known. */
    public class BadSignature internal constructor(failure: Failure) : QuorateException("BAD_SIGNATURE", failure)

    /** A proof of possession does not verify for its key. */
    public class BadPossession internal constructor(failure: Failure) : QuorateException("BAD_POSSESSION", failure)

    /** Shares of a secret, a signature or a decryption are wrong; [culprits] names whose, where that is known. */
    public class BadShare internal constructor(failure: Failure) : QuorateException("BAD_SHARE", failure)

    /**
     * A threshold ciphertext's proof does not hold, or its payload is not what its label and its key say; treat it as
     * if it were empty.
     */
    public class BadCiphertext internal constructor(failure: Failure) : QuorateException("BAD_CIPHERTEXT", failure)

    /** The object is valid, but for another committee, chain, epoch, view or suite than the one at hand. */
    public class WrongContext internal constructor(failure: Failure) : QuorateException("WRONG_CONTEXT", failure) {
        /** What does not fit here. */
        public val what: String get() = text("what")
    }

    /** Signing this would contradict something that was signed before; nothing was signed. */
    public class Contradiction internal constructor(failure: Failure) : QuorateException("CONTRADICTION", failure) {
        /** The kind of statement. */
        public val kind: Int get() = number("kind").toInt()

        /** The view of the last statement of that kind. */
        public val signedView: ULong
            @JvmName("getSignedView")
            get() = number("signed_view").toLong().toULong()
    }

    /** Two objects that were offered as evidence do not contradict each other. */
    public class NotEvidence internal constructor(failure: Failure) : QuorateException("NOT_EVIDENCE", failure)

    /**
     * What signs once is used up; nothing was signed. No fresh one-time key is left: prepare a batch, and sign again. Or
     * the presignature is spent, burnt, or past its plan or epoch: sign under another tag.
     */
    public class Exhausted internal constructor(failure: Failure) : QuorateException("EXHAUSTED", failure)

    /** The signer used one one-time key for two different messages; refuse it from now on. */
    public class OneTimeReuse internal constructor(failure: Failure) : QuorateException("ONE_TIME_REUSE", failure)

    /** The ticket is not one that wins its lottery; a member who shows it is at fault. */
    public class NotDrawn internal constructor(failure: Failure) : QuorateException("NOT_DRAWN", failure)

    /** More announcements came from this signer than its allowance; the rest were not looked at. */
    public class RateLimited internal constructor(failure: Failure) : QuorateException("RATE_LIMITED", failure)

    /** The operating system's random number generator failed. */
    public class Rng internal constructor(failure: Failure) : QuorateException("RNG", failure)

    /** The object was closed, or handed over to a [Guard]. Only bindings report this. */
    public class Closed internal constructor(message: String) :
        QuorateException("CLOSED", message, emptyList(), emptyMap())

    protected fun text(name: String): String = details.getValue(name) as String

    protected fun number(name: String): BigInteger = details.getValue(name) as BigInteger

    internal companion object {
        @JvmSynthetic
        internal fun of(failure: Failure): QuorateException =
            when (failure.code) {
                "MALFORMED" -> Malformed(failure)
                "NON_CANONICAL" -> NonCanonical(failure)
                "TOO_LARGE" -> TooLarge(failure)
                "NOT_IN_SUBGROUP" -> NotInSubgroup(failure)
                "INFINITY" -> Infinity(failure)
                "UNKNOWN_SIGNER" -> UnknownSigner(failure)
                "DUPLICATE_SIGNER" -> DuplicateSigner(failure)
                "RELATED_KEYS" -> RelatedKeys(failure)
                "BAD_COMMITTEE" -> BadCommittee(failure)
                "BAD_SHAPE" -> BadShape(failure)
                "BAD_ENCODING" -> BadEncoding(failure)
                "BELOW_QUORUM" -> BelowQuorum(failure)
                "BAD_SIGNATURE" -> BadSignature(failure)
                "BAD_POSSESSION" -> BadPossession(failure)
                "BAD_SHARE" -> BadShare(failure)
                "BAD_CIPHERTEXT" -> BadCiphertext(failure)
                "WRONG_CONTEXT" -> WrongContext(failure)
                "CONTRADICTION" -> Contradiction(failure)
                "NOT_EVIDENCE" -> NotEvidence(failure)
                "EXHAUSTED" -> Exhausted(failure)
                "ONE_TIME_REUSE" -> OneTimeReuse(failure)
                "NOT_DRAWN" -> NotDrawn(failure)
                "RATE_LIMITED" -> RateLimited(failure)
                "RNG" -> Rng(failure)
                "CLOSED" -> Closed(failure.text)
                else -> error("no class for ${failure.code}: ${failure.text}")
            }

        private fun named(detail: Detail): Pair<String, Any> =
            when (detail) {
                is Detail.Text -> detail.name to detail.value
                is Detail.Number -> detail.name to detail.value
                is Detail.Members -> detail.name to detail.value.map { it.toInt() }
            }
    }
}

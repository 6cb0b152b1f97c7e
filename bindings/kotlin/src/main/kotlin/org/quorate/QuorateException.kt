@file:JvmSynthetic

package org.quorate

import java.math.BigInteger
import org.quorate.internal.Detail
import org.quorate.internal.Failure
import org.quorate.internal.InternalException
import org.quorate.internal.NativeFailure

/**
 * An error reported by quorate. Match on the subclass, or on [code], which is the same in all languages and never
 * changes its meaning; the message says what to do.
 *
 * Unchecked, because most of these errors come from bytes received from other parties, and the caller chooses where to
 * handle them.
 *
 * @property code one of [Quorate.CODES].
 * @property culprits the members at fault, in ascending order, if the error names any.
 * @property details the error's fields by name: a `String`, a [BigInteger] or a `List<Int>`. The subclasses expose the
 * same values as properties.
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

    /** The bytes are not an encoding of the expected type: wrong length, unknown tag, or not a point. */
    public class Malformed internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("MALFORMED", failure) {
        /** Type of the decoded value. */
        public val what: String get() = text("what")
    }

    /** The bytes decode, but they are not the canonical encoding of the value. */
    public class NonCanonical internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("NON_CANONICAL", failure) {
        /** Type of the decoded value. */
        public val what: String get() = text("what")
    }

    /** A length or count exceeds its limit; no memory was allocated for it. */
    public class TooLarge internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("TOO_LARGE", failure) {
        /** Type of the decoded value. */
        public val what: String get() = text("what")

        /** Maximum accepted value. */
        public val limit: BigInteger get() = number("limit")
    }

    /** The point is on the curve but outside the prime-order subgroup. */
    public class NotInSubgroup internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("NOT_IN_SUBGROUP", failure)

    /** A key, signature or aggregate is the point at infinity, or has small order. */
    public class Infinity internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("INFINITY", failure)

    /** The index does not belong to the committee. */
    public class UnknownSigner internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("UNKNOWN_SIGNER", failure) {
        /** The unknown index. */
        public val index: Long get() = number("index").toLong()
    }

    /** The same member appears twice where it may appear only once. */
    public class DuplicateSigner internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("DUPLICATE_SIGNER", failure) {
        /** The repeated index. */
        public val index: Long get() = number("index").toLong()
    }

    /** Two members of a committee have the same key, or the key of one is the negation of the other's. */
    public class RelatedKeys internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("RELATED_KEYS", failure) {
        /** The first of the two members. */
        public val first: Long get() = number("first").toLong()

        /** The member whose key repeats or negates it. */
        public val second: Long get() = number("second").toLong()
    }

    /** The committee has no members, too many members, a weight of zero, or a total weight above the limit. */
    public class BadCommittee internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("BAD_COMMITTEE", failure) {
        /** The violated rule. */
        public val rule: String get() = text("rule")
    }

    /** No erasure code supports this number of shards or these parameters. */
    public class BadShape internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("BAD_SHAPE", failure) {
        /** The violated rule. */
        public val rule: String get() = text("rule")
    }

    /**
     * The sender committed to shards that do not encode one message; every member that decodes them gets this error.
     */
    public class BadEncoding internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("BAD_ENCODING", failure)

    /** The signers, or the shards, are below the threshold. */
    public class BelowQuorum internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("BELOW_QUORUM", failure) {
        /** Weight of the signers. */
        public val signed: BigInteger get() = number("signed")

        /** Weight needed. */
        public val needed: BigInteger get() = number("needed")
    }

    /** A signature does not verify; [culprits] lists the members with invalid signatures, if known. */
    public class BadSignature internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("BAD_SIGNATURE", failure)

    /** A proof of possession does not verify for its key. */
    public class BadPossession internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("BAD_POSSESSION", failure)

    /** Shares of a key, a signature or a decryption are wrong; [culprits] lists the members at fault, if known. */
    public class BadShare internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("BAD_SHARE", failure)

    /**
     * The proof of a threshold ciphertext does not verify, or its payload does not match its label and key; treat it as
     * empty.
     */
    public class BadCiphertext internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("BAD_CIPHERTEXT", failure)

    /** The object is valid, but for another committee, chain, epoch, view or suite. */
    public class WrongContext internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("WRONG_CONTEXT", failure) {
        /** The value that does not match. */
        public val what: String get() = text("what")
    }

    /** Signing this would contradict an earlier signature; nothing was signed. */
    public class Contradiction internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("CONTRADICTION", failure) {
        /** The kind of statement. */
        public val kind: Int get() = number("kind").toInt()

        /** The view of the last statement of that kind. */
        public val signedView: ULong
            @JvmName("getSignedView")
            get() = number("signed_view").toLong().toULong()
    }

    /** Two objects submitted as evidence do not contradict each other. */
    public class NotEvidence internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("NOT_EVIDENCE", failure)

    /**
     * The one-time key or presignature is not available; nothing was signed. Either no fresh one-time key is left:
     * prepare a batch and sign again. Or the presignature is spent, burnt, or outside its plan or epoch: sign under
     * another tag.
     */
    public class Exhausted internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("EXHAUSTED", failure)

    /** The signer used one one-time key for two different messages; reject its signatures from now on. */
    public class OneTimeReuse internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("ONE_TIME_REUSE", failure)

    /** The ticket does not win its lottery; a member that presents it is at fault. */
    public class NotDrawn internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("NOT_DRAWN", failure)

    /** The signer sent more announcements than its allowance; the excess was not examined. */
    public class RateLimited internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("RATE_LIMITED", failure)

    /** The operating system's random number generator failed. */
    public class Rng internal constructor(failure: Failure, hidden: Hidden = Hidden()) :
        QuorateException("RNG", failure)

    /** The object was closed, or a [Guard] took ownership of it. Only the bindings report this. */
    public class Closed internal constructor(message: String) :
        QuorateException("CLOSED", message, emptyList(), emptyMap())

    protected fun text(name: String): String = details.getValue(name) as String

    protected fun number(name: String): BigInteger = details.getValue(name) as BigInteger

    internal companion object {
        @JvmSynthetic
        internal fun fromNative(failure: Failure): QuorateException =
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

/** Runs native code and converts its errors. */
internal inline fun <T> translated(work: () -> T): T =
    try {
        work()
    } catch (refusal: NativeFailure.Failed) {
        throw QuorateException.fromNative(refusal.failure)
    } catch (panic: InternalException) {
        throw IllegalStateException("quorate has a bug; please report it: ${panic.message}", panic)
    }

@file:JvmName("ThresholdBls")

package org.quorate.threshold.bls

import org.quorate.Cell
import org.quorate.CommitteeId
import org.quorate.EncodedObject
import org.quorate.Hidden
import org.quorate.NativeObject
import org.quorate.PublicKey
import org.quorate.QuorateException
import org.quorate.Signature
import org.quorate.Suite
import org.quorate.borrowed
import org.quorate.bytes
import org.quorate.hex
import org.quorate.internal.BlsCombiner as NativeCombiner
import org.quorate.internal.BlsGroupKey as NativeGroupKey
import org.quorate.internal.BlsKeyShare as NativeKeyShare
import org.quorate.internal.BlsShareFault as NativeShareFault
import org.quorate.internal.BlsSignatureShare as NativeSignatureShare
import org.quorate.internal.blsBeacon
import org.quorate.internal.blsDeal
import org.quorate.threshold.Agreement
import org.quorate.threshold.Attested
import org.quorate.threshold.Cache
import org.quorate.threshold.Counts
import org.quorate.threshold.Fault
import org.quorate.threshold.Outcome
import org.quorate.threshold.Threshold
import org.quorate.threshold.Tolerance
import org.quorate.threshold.culprit
import org.quorate.translated
import org.quorate.u16

/**
 * Generates a key and shares it. **The process that runs this knows the key**: run it once, offline, and give each
 * member only its own share. Ed25519 has no shares: it throws [QuorateException.WrongContext].
 */
public fun deal(suite: Suite, committee: CommitteeId, tolerance: Tolerance, agreement: Agreement): List<KeyShare> =
    translated { blsDeal(suite.native, committee.raw, tolerance.native, agreement == Agreement.AGREED).map(::KeyShare) }

/** Returns 32 bytes that were unpredictable before enough members had signed. **Verify the signature first.** */
public fun beacon(signature: Signature): ByteArray = signature.cell.call { blsBeacon(it) }

/** Public part of a shared key. */
public class GroupKey private constructor(@get:JvmSynthetic internal val cell: Cell<NativeGroupKey>) :
    EncodedObject(cell) {
    internal constructor(native: NativeGroupKey, hidden: Hidden = Hidden()) : this(Cell(native, "GroupKey"))

    /** The signature scheme. */
    public val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    /** Identifier of 32 bytes, which every share contains. */
    public val id: ByteArray get() = cell.call { it.id() }

    /** Committee of the key. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    /** Number of parties, and the maximum number of faulty ones. */
    public val tolerance: Tolerance get() = cell.call { Tolerance.fromNative(it.tolerance()) }

    /** Number of shares that a signature needs. */
    public val threshold: Threshold get() = cell.call { Threshold.fromNative(it.threshold()) }

    /** Key under which the signatures verify. */
    public val public: PublicKey get() = cell.call { PublicKey(it.publicKey()) }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** Verification key of one party's shares; null if there is no such party. */
    public fun party(member: Int): PublicKey? = cell.call { key -> key.party(member.u16("member"))?.let(::PublicKey) }

    override fun toString(): String = shown { "GroupKey($suite, ${id.hex()})" }

    public companion object {
        /** Decodes a key of that suite. Cost: a square root and a subgroup check for each party. */
        @JvmStatic
        public fun decode(suite: Suite, bytes: ByteArray): GroupKey =
            GroupKey(translated { NativeGroupKey.decode(suite.native, bytes) })
    }
}

/** One party's share of the key. Close it to wipe it. It cannot be printed, compared, copied or serialized. */
public class KeyShare private constructor(private val cell: Cell<NativeKeyShare>) : NativeObject(cell) {
    internal constructor(native: NativeKeyShare, hidden: Hidden = Hidden()) : this(Cell(native, "KeyShare"))

    /** The signature scheme. */
    public val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    /** Index of its party. */
    public val member: Int get() = cell.call { it.member().toInt() }

    /** Public part of the key. */
    public val key: GroupKey get() = cell.call { GroupKey(it.key()) }

    /** Returns the whole share, to be sealed for its party. Fill the array with zeros after use. */
    public fun toBytes(): ByteArray = cell.call { it.toBytes().bytes() }

    /** Signs. The caller decides whether the message may be signed: nothing is recorded. */
    public fun sign(message: ByteArray): SignatureShare = cell.call { SignatureShare(it.sign(message)) }

    override fun toString(): String = shown { "KeyShare($suite, member $member)" }

    public companion object {
        /** Decodes the result of [toBytes] for that suite. The caller keeps the array and overwrites it with zeros. */
        @JvmStatic
        public fun fromBytes(suite: Suite, bytes: ByteArray): KeyShare =
            KeyShare(translated { bytes.borrowed { NativeKeyShare.fromBytes(suite.native, it) } })
    }
}

/** One party's part of a signature. */
public class SignatureShare private constructor(@get:JvmSynthetic internal val cell: Cell<NativeSignatureShare>) :
    EncodedObject(cell) {
    internal constructor(native: NativeSignatureShare, hidden: Hidden = Hidden()) : this(Cell(native, "SignatureShare"))

    /** The signature scheme. */
    public val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    /** Index of the party that the share names. Compare it with the sender. */
    public val member: Int get() = cell.call { it.member().toInt() }

    /** A hash of the key and the message. */
    public val digest: ByteArray get() = cell.call { it.digest() }

    /** The party's signature on [attestedBytes]; empty if there is none. */
    public val attestation: ByteArray get() = cell.call { it.attestation() }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** Returns the bytes that a party signs so that a wrong share can be attributed to it. */
    public fun attestedBytes(): ByteArray = cell.call { it.attestedBytes() }

    /** Returns the share with the party's signature, of at most 8,192 bytes. */
    public fun attest(attestation: ByteArray): SignatureShare = cell.call { SignatureShare(it.attest(attestation)) }

    override fun toString(): String = shown { "SignatureShare($suite, member $member)" }

    public companion object {
        /** Decodes a share of that suite. */
        @JvmStatic
        public fun decode(suite: Suite, bytes: ByteArray): SignatureShare =
            SignatureShare(translated { NativeSignatureShare.decode(suite.native, bytes) })
    }
}

/**
 * Combines shares into a signature: optimistically at first; only if that fails, it checks each share and identifies
 * the wrong ones.
 */
public class Combiner private constructor(private val cell: Cell<NativeCombiner>) : NativeObject(cell) {
    /**
     * A combiner for a message, which is signed without any framing: it must contain everything that the signature is
     * to bind.
     *
     * @param cache combiners that share one reuse the Lagrange coefficients of recent sets of members.
     */
    @JvmOverloads
    public constructor(key: GroupKey, message: ByteArray, cache: Cache? = null) : this(
        Cell(key.cell.call { of -> Cache.with(cache) { NativeCombiner(of, message, it) } }, "Combiner"),
    )

    /** The signature, once it exists. */
    public val signature: Signature? get() = cell.call { it.signature()?.let(::Signature) }

    /** Work done so far. */
    public val counts: Counts get() = cell.call { Counts.fromNative(it.counts()) }

    /**
     * Adds a share received over a link that authenticates [sender]. Throws [QuorateException.WrongContext] for a share
     * of another message or of another party than the sender, and [QuorateException.UnknownSigner]. It never requests
     * openings.
     */
    public fun add(sender: Int, share: SignatureShare): Outcome<Signature, ShareFault> =
        cell.call { combiner ->
            val native = share.cell.call { combiner.add(sender.u16("sender"), it) }
            val faults = native.faults.map { Fault(it.culprit.toInt(), ShareFault(it.evidence)) }
            Outcome(native.signature?.let(::Signature), emptyList(), faults)
        }

    override fun toString(): String = shown { "Combiner(done: ${signature != null})" }
}

/**
 * A wrong share, with the message that it was to sign. Every holder of the key can verify it, if the share is attested.
 */
public class ShareFault private constructor(private val cell: Cell<NativeShareFault>) : EncodedObject(cell) {
    internal constructor(native: NativeShareFault, hidden: Hidden = Hidden()) : this(Cell(native, "ShareFault"))

    /** The signature scheme. */
    public val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    /** The wrong share. */
    public val share: SignatureShare get() = cell.call { SignatureShare(it.share()) }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /**
     * Verifies the evidence and returns the culprit. Throws [QuorateException.NotEvidence] if it is not [attested] or
     * if the share is right, and whatever [attested] throws.
     */
    public fun verify(key: GroupKey, attested: Attested): Int =
        cell.call { fault -> key.cell.call { fault.verdict(it) } }.culprit(attested)

    override fun toString(): String = shown { "ShareFault($share)" }

    public companion object {
        /** Decodes unverified evidence of that suite. */
        @JvmStatic
        public fun decode(suite: Suite, bytes: ByteArray): ShareFault =
            ShareFault(translated { NativeShareFault.decode(suite.native, bytes) })
    }
}

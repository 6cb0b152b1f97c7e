@file:JvmName("ThresholdBls")

package org.quorate.threshold.bls

import org.quorate.Cell
import org.quorate.CommitteeId
import org.quorate.EncodedObject
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
 * Makes a key and shares it. **Whoever runs this knows the key**: run it once, away from the network, and give each member
 * its share alone. Ed25519 has no shares: there it is [QuorateException.WrongContext].
 */
public fun deal(suite: Suite, committee: CommitteeId, tolerance: Tolerance, agreement: Agreement): List<KeyShare> =
    translated { blsDeal(suite.native, committee.raw, tolerance.native, agreement == Agreement.AGREED).map(::KeyShare) }

/** 32 bytes that nobody knew before enough members had signed. **Verify the signature first.** */
public fun beacon(signature: Signature): ByteArray = signature.cell.call { blsBeacon(it) }

/** The public side of a shared key. */
public class GroupKey private constructor(@get:JvmSynthetic internal val cell: Cell<NativeGroupKey>) :
    EncodedObject(cell) {
    internal constructor(native: NativeGroupKey) : this(Cell(native, "GroupKey"))

    /** The signature scheme. */
    public val suite: Suite get() = cell.call { Suite.of(it.suite()) }

    /** Its name of 32 bytes, which every share binds. */
    public val id: ByteArray get() = cell.call { it.id() }

    /** Whose key it is. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    /** How many parties there are and how many may be faulty. */
    public val tolerance: Tolerance get() = cell.call { Tolerance.of(it.tolerance()) }

    /** How many shares make a signature. */
    public val threshold: Threshold get() = cell.call { Threshold.of(it.threshold()) }

    /** The key that the signatures verify under. */
    public val public: PublicKey get() = cell.call { PublicKey(it.publicKey()) }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** The key of one party's shares; null if there is no such party. */
    public fun party(member: Int): PublicKey? = cell.call { key -> key.party(member.u16("member"))?.let(::PublicKey) }

    override fun toString(): String = shown { "GroupKey($suite, ${id.hex()})" }

    public companion object {
        /** Reads a key of that suite. Cost: a square root and a subgroup check for each party. */
        @JvmStatic
        public fun decode(suite: Suite, bytes: ByteArray): GroupKey =
            GroupKey(translated { NativeGroupKey.decode(suite.native, bytes) })
    }
}

/** One party's share of the key. Close it: that wipes it. It cannot be printed, compared, copied or serialized. */
public class KeyShare private constructor(private val cell: Cell<NativeKeyShare>) : NativeObject(cell) {
    internal constructor(native: NativeKeyShare) : this(Cell(native, "KeyShare"))

    /** The signature scheme. */
    public val suite: Suite get() = cell.call { Suite.of(it.suite()) }

    /** Whose it is. */
    public val member: Int get() = cell.call { it.member().toInt() }

    /** The public side. */
    public val key: GroupKey get() = cell.call { GroupKey(it.key()) }

    /** All of it, to be sealed for its party. Fill the array with zeros after use. */
    public fun toBytes(): ByteArray = cell.call { it.toBytes().bytes() }

    /** Signs. Whether the message may be signed is for the caller to know: nothing is noted. */
    public fun sign(message: ByteArray): SignatureShare = cell.call { SignatureShare(it.sign(message)) }

    override fun toString(): String = shown { "KeyShare($suite, member $member)" }

    public companion object {
        /** Reads [toBytes] for that suite. The array stays yours to fill with zeros. */
        @JvmStatic
        public fun fromBytes(suite: Suite, bytes: ByteArray): KeyShare =
            KeyShare(translated { bytes.borrowed { NativeKeyShare.fromBytes(suite.native, it) } })
    }
}

/** One party's part of a signature. */
public class SignatureShare private constructor(@get:JvmSynthetic internal val cell: Cell<NativeSignatureShare>) :
    EncodedObject(cell) {
    internal constructor(native: NativeSignatureShare) : this(Cell(native, "SignatureShare"))

    /** The signature scheme. */
    public val suite: Suite get() = cell.call { Suite.of(it.suite()) }

    /** Whose it claims to be. Compare it with the sender. */
    public val member: Int get() = cell.call { it.member().toInt() }

    /** A hash of the key and the message. */
    public val digest: ByteArray get() = cell.call { it.digest() }

    /** The party's signature of [attestedBytes]; empty if there is none. */
    public val attestation: ByteArray get() = cell.call { it.attestation() }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** What a party signs so that a wrong share can be proven to be its. */
    public fun attestedBytes(): ByteArray = cell.call { it.attestedBytes() }

    /** The share with the party's signature, of at most 8,192 bytes. */
    public fun attest(attestation: ByteArray): SignatureShare = cell.call { SignatureShare(it.attest(attestation)) }

    override fun toString(): String = shown { "SignatureShare($suite, member $member)" }

    public companion object {
        /** Reads a share of that suite. */
        @JvmStatic
        public fun decode(suite: Suite, bytes: ByteArray): SignatureShare =
            SignatureShare(translated { NativeSignatureShare.decode(suite.native, bytes) })
    }
}

/**
 * Shares come in, a signature goes out: combined on trust first, and only if that fails each share is checked and the wrong
 * ones are named.
 */
public class Combiner private constructor(private val cell: Cell<NativeCombiner>) : NativeObject(cell) {
    /**
     * A combiner for a message, as it is: what the signature must bind, the message must say.
     *
     * @param cache those who share one spare each other the coefficients of their sets of members.
     */
    @JvmOverloads
    public constructor(key: GroupKey, message: ByteArray, cache: Cache? = null) : this(
        Cell(key.cell.call { of -> Cache.with(cache) { NativeCombiner(of, message, it) } }, "Combiner"),
    )

    /** The signature, once there is one. */
    public val signature: Signature? get() = cell.call { it.signature()?.let(::Signature) }

    /** What was done so far. */
    public val counts: Counts get() = cell.call { Counts.of(it.counts()) }

    /**
     * Takes a share that came over a link that authenticates [sender]. Throws [QuorateException.WrongContext] for a share of
     * something else, or of somebody else than the sender, and [QuorateException.UnknownSigner]. No opening is ever wanted.
     */
    public fun add(sender: Int, share: SignatureShare): Outcome<Signature, ShareFault> =
        cell.call { combiner ->
            val native = share.cell.call { combiner.add(sender.u16("sender"), it) }
            val faults = native.faults.map { Fault(it.culprit.toInt(), ShareFault(it.evidence)) }
            Outcome(native.signature?.let(::Signature), emptyList(), faults)
        }

    override fun toString(): String = shown { "Combiner(done: ${signature != null})" }
}

/** A wrong share and what it was to sign. Anybody who has the key can judge it, if the share is attested. */
public class ShareFault private constructor(private val cell: Cell<NativeShareFault>) : EncodedObject(cell) {
    internal constructor(native: NativeShareFault) : this(Cell(native, "ShareFault"))

    /** The signature scheme. */
    public val suite: Suite get() = cell.call { Suite.of(it.suite()) }

    /** The wrong share. */
    public val share: SignatureShare get() = cell.call { SignatureShare(it.share()) }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /**
     * Checks it and returns the culprit. Throws [QuorateException.NotEvidence] if it is not [attested], or the share is
     * right, and what [attested] throws.
     */
    public fun verify(key: GroupKey, attested: Attested): Int =
        cell.call { fault -> key.cell.call { fault.judge(it) } }.culprit(attested)

    override fun toString(): String = shown { "ShareFault($share)" }

    public companion object {
        /** Reads evidence of that suite, which is still to be verified. */
        @JvmStatic
        public fun decode(suite: Suite, bytes: ByteArray): ShareFault =
            ShareFault(translated { NativeShareFault.decode(suite.native, bytes) })
    }
}

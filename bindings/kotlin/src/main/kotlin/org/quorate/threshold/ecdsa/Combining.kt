package org.quorate.threshold.ecdsa

import org.quorate.Cell
import org.quorate.EncodedObject
import org.quorate.Hidden
import org.quorate.NativeObject
import org.quorate.QuorateException
import org.quorate.internal.EcdsaCombiner as NativeCombiner
import org.quorate.internal.EcdsaOutcome as NativeOutcome
import org.quorate.internal.EcdsaShareFault as NativeShareFault
import org.quorate.internal.EcdsaSignatureShare as NativeSignatureShare
import org.quorate.internal.Opening as NativeOpening
import org.quorate.internal.Signing as NativeSigning
import org.quorate.threshold.Attested
import org.quorate.threshold.Cache
import org.quorate.threshold.Counts
import org.quorate.threshold.Fault
import org.quorate.threshold.Group
import org.quorate.threshold.Outcome
import org.quorate.threshold.culprit
import org.quorate.translated
import org.quorate.u16

/** One party's part of a signature. It names its key, epoch, index and message. */
public class SignatureShare private constructor(@get:JvmSynthetic internal val cell: Cell<NativeSignatureShare>) :
    EncodedObject(cell) {
    internal constructor(native: NativeSignatureShare, hidden: Hidden = Hidden()) : this(Cell(native, "SignatureShare"))

    /** Its group. */
    public val group: Group get() = cell.call { Group.fromNative(it.group()) }

    /** Index of the party that the share names. Compare it with the sender. */
    public val member: Int get() = cell.call { it.member().toInt() }

    /** Epoch of the presignature. */
    public val epoch: ULong
        @JvmName("getEpoch")
        get() = cell.call { it.epoch() }

    /** Index of the presignature. */
    public val index: Long get() = cell.call { it.index().toLong() }

    /** A hash of the signed message. */
    public val digest: ByteArray get() = cell.call { it.digest() }

    /** The party's signature on [attestedBytes]; empty if there is none. */
    public val attestation: ByteArray get() = cell.call { it.attestation() }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** Returns the bytes that a party signs so that a wrong share can be attributed to it. */
    public fun attestedBytes(): ByteArray = cell.call { it.attestedBytes() }

    /** Returns the share with the party's signature, of at most 8,192 bytes. */
    public fun attest(attestation: ByteArray): SignatureShare = cell.call { SignatureShare(it.attest(attestation)) }

    override fun toString(): String = shown { "SignatureShare($group, member $member, epoch $epoch, index $index)" }

    public companion object {
        /** Decodes a share over that group. */
        @JvmStatic
        public fun decode(group: Group, bytes: ByteArray): SignatureShare =
            SignatureShare(translated { NativeSignatureShare.decode(group.native, bytes) })
    }
}

/** An opening, which lets the other members check a party's share. */
public class Opening private constructor(@get:JvmSynthetic internal val cell: Cell<NativeOpening>) :
    EncodedObject(cell) {
    internal constructor(native: NativeOpening, hidden: Hidden = Hidden()) : this(Cell(native, "Opening"))

    /** Its group. */
    public val group: Group get() = cell.call { Group.fromNative(it.group()) }

    /** Index of its party. */
    public val member: Int get() = cell.call { it.member().toInt() }

    /** Index of the presignature that it opens. */
    public val index: Long get() = cell.call { it.index().toLong() }

    override fun encode(): ByteArray = cell.call { it.encode() }

    override fun toString(): String = shown { "Opening($group, member $member, index $index)" }

    public companion object {
        /** Decodes an opening over that group. */
        @JvmStatic
        public fun decode(group: Group, bytes: ByteArray): Opening =
            Opening(translated { NativeOpening.decode(group.native, bytes) })
    }
}

/** A message under a tag: the subject of a combiner. */
public class Signing private constructor(@get:JvmSynthetic internal val cell: Cell<NativeSigning>) :
    NativeObject(cell) {
    internal constructor(native: NativeSigning, hidden: Hidden = Hidden()) : this(Cell(native, "Signing"))

    /**
     * For a combiner without a party's file; parties call [Presignatures.signing]. A wrong nonce makes every
     * combination fail.
     */
    public constructor(key: GroupKey, deal: Deal, nonce: ByteArray, tag: Tag, message: ByteArray) : this(
        key.cell.call { of ->
            deal.cell.call { dealt -> tag.cell.call { NativeSigning(of, dealt, nonce, it, message) } }
        },
    )

    /** Its group. */
    public val group: Group get() = cell.call { Group.fromNative(it.group()) }

    /** The message. */
    public val message: ByteArray get() = cell.call { it.message() }

    /** Public part of the presignature, which all signings of this tag share. */
    public val nonce: ByteArray get() = cell.call { it.nonce() }

    /** Its tag. */
    public val tag: Tag get() = cell.call { Tag(it.tag()) }

    override fun toString(): String = shown { "Signing($group, $tag)" }
}

/**
 * Combines shares into a signature: optimistically at first; only if that fails, it checks each share and identifies
 * the wrong ones.
 */
public class Combiner private constructor(private val cell: Cell<NativeCombiner>) : NativeObject(cell) {
    /**
     * A combiner without shares.
     *
     * @param cache combiners that share one reuse the Lagrange coefficients of recent sets of members.
     */
    @JvmOverloads
    public constructor(signing: Signing, cache: Cache? = null) : this(
        Cell(signing.cell.call { of -> Cache.with(cache) { NativeCombiner(of, it) } }, "Combiner"),
    )

    /** The signing whose shares it collects. */
    public val signing: Signing get() = cell.call { Signing(it.signing()) }

    /** The signature, once it exists. */
    public val signature: Signature? get() = cell.call { it.signature()?.let(::made) }

    /** Work done so far. */
    public val counts: Counts get() = cell.call { Counts.fromNative(it.counts()) }

    /**
     * Adds a share received over a link that authenticates [sender]. Throws [QuorateException.WrongContext] for a share
     * of another message or of another party than the sender, and [QuorateException.UnknownSigner].
     */
    public fun add(sender: Int, share: SignatureShare): Outcome<Signature, ShareFault> =
        cell.call { combiner -> share.cell.call { outcome(combiner.add(sender.u16("sender"), it)) } }

    /** Adds the opening of [member]'s share, from any sender. It is ignored unless it was requested. */
    public fun open(member: Int, opening: Opening): Outcome<Signature, ShareFault> =
        cell.call { combiner -> opening.cell.call { outcome(combiner.open(member.u16("member"), it)) } }

    private fun made(raw: ByteArray) = signing.use { Signature(it.group, raw) }

    private fun outcome(native: NativeOutcome) =
        Outcome(
            native.signature?.let(::made),
            native.wanted.map { it.toInt() },
            native.faults.map { Fault(it.culprit.toInt(), ShareFault(it.evidence)) },
        )

    override fun toString(): String = shown { "Combiner($signing, done: ${signature != null})" }
}

/** A wrong share, with the evidence against it. Every holder of the deal can verify it, if the share is attested. */
public class ShareFault private constructor(private val cell: Cell<NativeShareFault>) : EncodedObject(cell) {
    internal constructor(native: NativeShareFault, hidden: Hidden = Hidden()) : this(Cell(native, "ShareFault"))

    /** Its group. */
    public val group: Group get() = cell.call { Group.fromNative(it.group()) }

    /** The wrong share. */
    public val share: SignatureShare get() = cell.call { SignatureShare(it.share()) }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /**
     * Verifies the evidence and returns the culprit. [attested] is called for every share of the evidence. Throws
     * [QuorateException.NotEvidence] if one is not attested or if the share is right, and whatever [attested] throws.
     */
    public fun verify(key: GroupKey, deal: Deal, attested: Attested): Int {
        val verdict = cell.call { fault -> key.cell.call { of -> deal.cell.call { fault.verdict(of, it) } } }
        return verdict.culprit(attested)
    }

    override fun toString(): String = shown { "ShareFault($share)" }

    public companion object {
        /** Decodes unverified evidence over that group. */
        @JvmStatic
        public fun decode(group: Group, bytes: ByteArray): ShareFault =
            ShareFault(translated { NativeShareFault.decode(group.native, bytes) })
    }
}

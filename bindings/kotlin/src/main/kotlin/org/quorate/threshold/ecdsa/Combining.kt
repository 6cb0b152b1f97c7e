package org.quorate.threshold.ecdsa

import org.quorate.Cell
import org.quorate.EncodedObject
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

/** One party's part of a signature. It names the key, the epoch, the index and the message that it is for. */
public class SignatureShare private constructor(@get:JvmSynthetic internal val cell: Cell<NativeSignatureShare>) :
    EncodedObject(cell) {
    internal constructor(native: NativeSignatureShare) : this(Cell(native, "SignatureShare"))

    /** Over which group it is. */
    public val group: Group get() = cell.call { Group.of(it.group()) }

    /** Whose it claims to be. Compare it with the sender. */
    public val member: Int get() = cell.call { it.member().toInt() }

    /** The epoch of the presignature. */
    public val epoch: ULong
        @JvmName("getEpoch")
        get() = cell.call { it.epoch() }

    /** The index of the presignature. */
    public val index: Long get() = cell.call { it.index().toLong() }

    /** A hash of what it signs. */
    public val digest: ByteArray get() = cell.call { it.digest() }

    /** The party's signature of [attestedBytes]; empty if there is none. */
    public val attestation: ByteArray get() = cell.call { it.attestation() }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** What a party signs so that a wrong share can be proven to be its. */
    public fun attestedBytes(): ByteArray = cell.call { it.attestedBytes() }

    /** The share with the party's signature, of at most 8,192 bytes. */
    public fun attest(attestation: ByteArray): SignatureShare = cell.call { SignatureShare(it.attest(attestation)) }

    override fun toString(): String = shown { "SignatureShare($group, member $member, epoch $epoch, index $index)" }

    public companion object {
        /** Reads a share over that group. */
        @JvmStatic
        public fun decode(group: Group, bytes: ByteArray): SignatureShare =
            SignatureShare(translated { NativeSignatureShare.decode(group.native, bytes) })
    }
}

/** What lets others check a party's share. */
public class Opening private constructor(@get:JvmSynthetic internal val cell: Cell<NativeOpening>) :
    EncodedObject(cell) {
    internal constructor(native: NativeOpening) : this(Cell(native, "Opening"))

    /** Over which group it is. */
    public val group: Group get() = cell.call { Group.of(it.group()) }

    /** Whose it is. */
    public val member: Int get() = cell.call { it.member().toInt() }

    /** Which presignature it opens. */
    public val index: Long get() = cell.call { it.index().toLong() }

    override fun encode(): ByteArray = cell.call { it.encode() }

    override fun toString(): String = shown { "Opening($group, member $member, index $index)" }

    public companion object {
        /** Reads an opening over that group. */
        @JvmStatic
        public fun decode(group: Group, bytes: ByteArray): Opening =
            Opening(translated { NativeOpening.decode(group.native, bytes) })
    }
}

/** A message under a tag: what a combiner collects shares for. */
public class Signing private constructor(@get:JvmSynthetic internal val cell: Cell<NativeSigning>) :
    NativeObject(cell) {
    internal constructor(native: NativeSigning) : this(Cell(native, "Signing"))

    /**
     * For whoever combines without a party's file; parties call [Presignatures.signing]. A wrong nonce makes every
     * combination fail.
     */
    public constructor(key: GroupKey, deal: Deal, nonce: ByteArray, tag: Tag, message: ByteArray) : this(
        key.cell.call { of ->
            deal.cell.call { dealt -> tag.cell.call { NativeSigning(of, dealt, nonce, it, message) } }
        },
    )

    /** Over which group it is. */
    public val group: Group get() = cell.call { Group.of(it.group()) }

    /** What is signed. */
    public val message: ByteArray get() = cell.call { it.message() }

    /** The presignature's public half: what every signing of this tag has in common. */
    public val nonce: ByteArray get() = cell.call { it.nonce() }

    /** Under which tag. */
    public val tag: Tag get() = cell.call { Tag(it.tag()) }

    override fun toString(): String = shown { "Signing($group, $tag)" }
}

/**
 * Shares come in, a signature goes out: combined on trust first, and only if that fails each share is checked and the wrong
 * ones are named.
 */
public class Combiner private constructor(private val cell: Cell<NativeCombiner>) : NativeObject(cell) {
    /**
     * A combiner without shares.
     *
     * @param cache those who share one spare each other the coefficients of their sets of members.
     */
    @JvmOverloads
    public constructor(signing: Signing, cache: Cache? = null) : this(
        Cell(signing.cell.call { of -> Cache.with(cache) { NativeCombiner(of, it) } }, "Combiner"),
    )

    /** What it collects shares for. */
    public val signing: Signing get() = cell.call { Signing(it.signing()) }

    /** The signature, once there is one. */
    public val signature: Signature? get() = cell.call { it.signature()?.let(::made) }

    /** What was done so far. */
    public val counts: Counts get() = cell.call { Counts.of(it.counts()) }

    /**
     * Takes a share that came over a link that authenticates [sender]. Throws [QuorateException.WrongContext] for a share of
     * something else, or of somebody else than the sender, and [QuorateException.UnknownSigner].
     */
    public fun add(sender: Int, share: SignatureShare): Outcome<Signature, ShareFault> =
        cell.call { combiner -> share.cell.call { outcome(combiner.add(sender.u16("sender"), it)) } }

    /** Takes the opening of a share of [member]'s, from whomever it came. It is ignored unless it was asked for. */
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

/** A wrong share, with what shows that it is wrong. Anybody who holds the deal can judge it, if the share is attested. */
public class ShareFault private constructor(private val cell: Cell<NativeShareFault>) : EncodedObject(cell) {
    internal constructor(native: NativeShareFault) : this(Cell(native, "ShareFault"))

    /** Over which group it is. */
    public val group: Group get() = cell.call { Group.of(it.group()) }

    /** The wrong share. */
    public val share: SignatureShare get() = cell.call { SignatureShare(it.share()) }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /**
     * Checks it and returns the culprit. [attested] is asked for every share of the evidence. Throws
     * [QuorateException.NotEvidence] if one is not attested, or the share is right, and what [attested] throws.
     */
    public fun verify(key: GroupKey, deal: Deal, attested: Attested): Int {
        val judgement = cell.call { fault -> key.cell.call { of -> deal.cell.call { fault.judge(of, it) } } }
        return judgement.culprit(attested)
    }

    override fun toString(): String = shown { "ShareFault($share)" }

    public companion object {
        /** Reads evidence over that group, which is still to be verified. */
        @JvmStatic
        public fun decode(group: Group, bytes: ByteArray): ShareFault =
            ShareFault(translated { NativeShareFault.decode(group.native, bytes) })
    }
}

package org.quorate

import java.math.BigInteger
import org.quorate.internal.AttestedMember as NativeAttestedMember
import org.quorate.internal.Committee as NativeCommittee
import org.quorate.internal.Member as NativeMember

/** A member of a committee to be: a key whose owner proved to hold the secret, and its weight. */
public class Member(public val key: VerifiedKey, public val weight: BigInteger) {
    public constructor(key: VerifiedKey, weight: Long) : this(key, BigInteger.valueOf(weight))
}

/** A member whose possession proof somebody else checked, as a chain does when a validator registers. */
public class AttestedMember(public val key: PublicKey, public val weight: BigInteger) {
    public constructor(key: PublicKey, weight: Long) : this(key, BigInteger.valueOf(weight))
}

/**
 * The members of one epoch of one chain, in their order, with what verification needs already computed. Make it once
 * per epoch and share it. In Java: `Committee.of(…)`.
 */
public class Committee private constructor(@get:JvmSynthetic internal val cell: Cell<NativeCommittee>) :
    NativeObject(cell) {
    internal constructor(native: NativeCommittee) : this(Cell(native, "Committee"))

    /** The signature scheme of its keys. */
    public val suite: Suite get() = cell.call { Suite.of(it.suite()) }

    /** What every signed statement names, so that it cannot be replayed elsewhere. */
    public val id: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.id()) }

    /** The chain that this committee belongs to. */
    public val chain: ChainId get() = cell.call { ChainId.fromBytes(it.chain()) }

    /** The epoch that this committee decides. */
    public val epoch: ULong
        @JvmName("getEpoch")
        get() = cell.call { it.epoch() }

    /** How many members there are. */
    public val size: Int get() = cell.call { it.size().toInt() }

    /** The sum of all weights. */
    public val totalWeight: BigInteger get() = cell.call { it.totalWeight() }

    /** The smallest weight above two thirds of the total. */
    public val quorumWeight: BigInteger get() = cell.call { it.quorumWeight() }

    /** The smallest weight above one third of the total: at least one of them is honest. */
    public val honestWeight: BigInteger get() = cell.call { it.honestWeight() }

    /** All keys in the members' order. */
    public val keys: List<PublicKey> get() = cell.call { committee -> committee.keys().map(::PublicKey) }

    /** A member's weight, or null if there is no such member. */
    public fun weight(index: Int): BigInteger? = cell.call { it.weight(index.u16("index")) }

    /** A member's key, or null if there is no such member. */
    public fun key(index: Int): PublicKey? = cell.call { it.key(index.u16("index"))?.let(::PublicKey) }

    /** Whose key this is; the first of them where a key is repeated; null if nobody's. */
    public fun position(key: PublicKey): Int? =
        cell.call { committee -> key.cell.call { committee.position(it)?.toInt() } }

    /** The weight of a set; members that the committee does not have weigh nothing. */
    public fun weightOf(signers: SignerSet): BigInteger =
        cell.call { committee -> signers.cell.call { committee.weightOf(it) } }

    /** Whether a set weighs at least [quorumWeight]. */
    public fun hasQuorum(signers: SignerSet): Boolean =
        cell.call { committee -> signers.cell.call { committee.hasQuorum(it) } }

    /** Throws [QuorateException.BelowQuorum] unless a set has a quorum. */
    public fun requireQuorum(signers: SignerSet): Unit =
        cell.call { committee -> signers.cell.call { committee.requireQuorum(it) } }

    /** Reads a list of indices (32 bits, unsigned), in any order, each once. */
    public fun signerSet(indices: Iterable<Long>): SignerSet {
        // More than the committee has cannot all be different members; the core says which one is not.
        val listed = indices.take(size + 1).map { it.u32("index") }
        return cell.call { SignerSet(it.signersByIndex(listed)) }
    }

    /** Reads a bitmap of exactly ⌈n/8⌉ bytes, member 0 in the lowest bit of the first byte. */
    public fun signerSetLsbFirst(bitmap: ByteArray): SignerSet = cell.call { SignerSet(it.signersLsbFirst(bitmap)) }

    /** Reads a bitmap of exactly ⌈n/8⌉ bytes, member 0 in the highest bit of the first byte. */
    public fun signerSetMsbFirst(bitmap: ByteArray): SignerSet = cell.call { SignerSet(it.signersMsbFirst(bitmap)) }

    /**
     * Checks that [signers] signed [message] as it is, for chains that frame and sign in their own way, and returns
     * the signers' weight: **compare it with your threshold**.
     */
    public fun verifyRaw(message: ByteArray, signers: SignerSet, proof: ByteArray): BigInteger =
        cell.call { committee -> signers.cell.call { committee.verifyRaw(message, it, proof) } }

    /** A statement in this committee's epoch. */
    @JvmName("statement")
    public fun statement(kind: Int, view: ULong, digest: ByteArray): Statement =
        cell.call { Statement(it.statement(kind.u8("kind"), view, digest)) }

    /** Whether [id] is the same, which means equal chain, epoch, suite, keys and weights. */
    override fun equals(other: Any?): Boolean = this === other || other is Committee && id == other.id

    override fun hashCode(): Int = id.hashCode()

    override fun toString(): String = shown { "Committee($size members of $suite, epoch $epoch, $id)" }

    public companion object {
        /** A committee of members whose possession was checked. */
        @JvmStatic
        @JvmName("of")
        public operator fun invoke(chain: ChainId, epoch: ULong, members: List<Member>): Committee {
            val listed = members.toList()
            val weights = listed.map { it.weight.u128("weight") }
            return callAll(listed.map { it.key.cell }) { keys ->
                Committee(NativeCommittee(chain.raw, epoch, keys.zip(weights, ::NativeMember)))
            }
        }

        /**
         * A committee whose possession proofs **somebody else checked**: with a single unproven key in it, its owner
         * can sign alone for everybody. With [allowRepeats] the same key may stand in it more than once, as in
         * Ethereum's sync committees.
         */
        @JvmStatic
        @JvmOverloads
        @JvmName("fromAttested")
        public fun fromAttested(
            chain: ChainId,
            epoch: ULong,
            members: List<AttestedMember>,
            allowRepeats: Boolean = false,
        ): Committee {
            val listed = members.toList()
            val weights = listed.map { it.weight.u128("weight") }
            return callAll(listed.map { it.key.cell }) { keys ->
                val natives = keys.zip(weights, ::NativeAttestedMember)
                Committee(NativeCommittee.fromAttested(chain.raw, epoch, natives, allowRepeats))
            }
        }
    }
}

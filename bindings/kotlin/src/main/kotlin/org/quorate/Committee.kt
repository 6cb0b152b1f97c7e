package org.quorate

import java.math.BigInteger
import org.quorate.internal.AttestedMember as NativeAttestedMember
import org.quorate.internal.Committee as NativeCommittee
import org.quorate.internal.Member as NativeMember

/** A prospective member of a committee: a key whose owner proved possession of the secret, and its weight. */
public class Member(public val key: VerifiedKey, public val weight: BigInteger) {
    public constructor(key: VerifiedKey, weight: Long) : this(key, BigInteger.valueOf(weight))
}

/** A member whose proof of possession was verified elsewhere, as a chain does when a validator registers. */
public class AttestedMember(public val key: PublicKey, public val weight: BigInteger) {
    public constructor(key: PublicKey, weight: Long) : this(key, BigInteger.valueOf(weight))
}

/**
 * The members of one epoch of one chain, in order, with precomputed data for verification. Create it once per epoch and
 * share it. In Java: `Committee.of(…)`.
 */
public class Committee private constructor(@get:JvmSynthetic internal val cell: Cell<NativeCommittee>) :
    NativeObject(cell) {
    internal constructor(native: NativeCommittee) : this(Cell(native, "Committee"))

    /** The signature scheme of its keys. */
    public val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    /** Identifier that every signed statement contains, which prevents replay in another context. */
    public val id: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.id()) }

    /** The chain of this committee. */
    public val chain: ChainId get() = cell.call { ChainId.fromBytes(it.chain()) }

    /** The epoch of this committee. */
    public val epoch: ULong
        @JvmName("getEpoch")
        get() = cell.call { it.epoch() }

    /** Number of members. */
    public val size: Int get() = cell.call { it.size().toInt() }

    /** The sum of all weights. */
    public val totalWeight: BigInteger get() = cell.call { it.totalWeight() }

    /** The smallest weight above two thirds of the total. */
    public val quorumWeight: BigInteger get() = cell.call { it.quorumWeight() }

    /** The smallest weight above one third of the total: signers of this weight include at least one honest member. */
    public val honestWeight: BigInteger get() = cell.call { it.honestWeight() }

    /** All keys, in the order of the members. */
    public val keys: List<PublicKey> get() = cell.call { committee -> committee.keys().map(::PublicKey) }

    /** Returns a member's weight, or null if there is no such member. */
    public fun weight(index: Int): BigInteger? = cell.call { it.weight(index.u16("index")) }

    /** Returns a member's key, or null if there is no such member. */
    public fun key(index: Int): PublicKey? = cell.call { it.key(index.u16("index"))?.let(::PublicKey) }

    /** Index of the member with this key; the first one if the key is repeated; null if no member has it. */
    public fun position(key: PublicKey): Int? =
        cell.call { committee -> key.cell.call { committee.position(it)?.toInt() } }

    /** Weight of a set; indices outside the committee weigh nothing. */
    public fun weightOf(signers: SignerSet): BigInteger =
        cell.call { committee -> signers.cell.call { committee.weightOf(it) } }

    /** Returns true if the set weighs at least [quorumWeight]. */
    public fun hasQuorum(signers: SignerSet): Boolean =
        cell.call { committee -> signers.cell.call { committee.hasQuorum(it) } }

    /** Throws [QuorateException.BelowQuorum] unless the set has a quorum. */
    public fun requireQuorum(signers: SignerSet): Unit =
        cell.call { committee -> signers.cell.call { committee.requireQuorum(it) } }

    /** Reads a list of indices (32 bits, unsigned), in any order and without duplicates. */
    public fun signerSet(indices: Iterable<Long>): SignerSet {
        // One index more than the committee's size suffices: the core reports the duplicate or unknown one.
        val listed = indices.take(size + 1).map { it.u32("index") }
        return cell.call { SignerSet(it.signersByIndex(listed)) }
    }

    /** Reads a bitmap of exactly ⌈n/8⌉ bytes, member 0 in the lowest bit of the first byte. */
    public fun signerSetLsbFirst(bitmap: ByteArray): SignerSet = cell.call { SignerSet(it.signersLsbFirst(bitmap)) }

    /** Reads a bitmap of exactly ⌈n/8⌉ bytes, member 0 in the highest bit of the first byte. */
    public fun signerSetMsbFirst(bitmap: ByteArray): SignerSet = cell.call { SignerSet(it.signersMsbFirst(bitmap)) }

    /**
     * Verifies that [signers] signed exactly the bytes of [message], for chains with their own framing, and returns the
     * signers' weight: **compare it with your threshold**.
     */
    public fun verifyRaw(message: ByteArray, signers: SignerSet, proof: ByteArray): BigInteger =
        cell.call { committee -> signers.cell.call { committee.verifyRaw(message, it, proof) } }

    /** Creates a statement in this committee's epoch. */
    @JvmName("statement")
    public fun statement(kind: Int, view: ULong, digest: ByteArray): Statement =
        cell.call { Statement(it.statement(kind.u8("kind"), view, digest)) }

    /** Returns true if [id] is equal, which means equal chain, epoch, suite, keys and weights. */
    override fun equals(other: Any?): Boolean = this === other || other is Committee && id == other.id

    override fun hashCode(): Int = id.hashCode()

    override fun toString(): String = shown { "Committee($size members of $suite, epoch $epoch, $id)" }

    public companion object {
        /** Creates a committee of members whose proofs of possession were verified. */
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
         * Creates a committee whose proofs of possession **were verified elsewhere**. The owner of a single unproven
         * key can forge signatures in the name of all members. With [allowRepeats], repeated keys are accepted, as in
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

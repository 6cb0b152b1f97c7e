package org.quorate

import java.math.BigInteger
import org.quorate.internal.AttestedMember as NativeAttestedMember
import org.quorate.internal.Committee as NativeCommittee
import org.quorate.internal.Member as NativeMember
import org.quorate.internal.MemberMessage as NativeMemberMessage

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
    internal constructor(native: NativeCommittee, hidden: Hidden = Hidden()) : this(Cell(native, "Committee"))

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
     * Returns a committee of the same members, which sign the messages of another chain under this ciphersuite: it
     * selects the signatures that [verifyRaw], [verifyRawEach] and [verifyRawBatch] accept. Statements are not
     * affected, and the ids are equal: votes and certificates verify under both committees. This committee stays
     * usable. Cost: a copy of the keys and of the precomputed data.
     *
     * Throws [QuorateException.WrongContext] for another ciphersuite than the default if the suite is neither
     * [Suite.MIN_SIG] nor [Suite.MIN_PK].
     */
    public fun withCiphersuite(ciphersuite: Ciphersuite): Committee =
        cell.call { Committee(it.withCiphersuite(ciphersuite.raw)) }

    /**
     * Verifies that [signers] signed exactly the bytes of [message], for chains with their own framing, and returns the
     * signers' weight: **compare it with your threshold**. [proof] is the encoded aggregate (BLS), or the signatures in
     * ascending order of the signers (Ed25519).
     *
     * Cost (BLS): two pairings, one hash to the curve, one subgroup check, and one addition for each absent member (or
     * each present member, if those are fewer); under message augmentation, one hash to the curve and one pairing for
     * each signer. Throws [QuorateException.BelowQuorum] for an empty set, [QuorateException.WrongContext] for a set of
     * another committee size, and [QuorateException.BadSignature], whose culprits are known for Ed25519.
     */
    public fun verifyRaw(message: ByteArray, signers: SignerSet, proof: ByteArray): BigInteger =
        cell.call { committee -> signers.cell.call { committee.verifyRaw(message, it, proof) } }

    /**
     * Verifies that each member signed its own message, as in a commit of CometBFT, where the signed bytes of a vote
     * contain its time, and returns the members' weight: **compare it with your threshold**. [signed] are pairs of a
     * member and its message, in ascending order of the members; [proof] is that of [verifyRaw].
     *
     * Cost (BLS): one hash to the curve and one pairing for each member, one more pairing, one subgroup check. Throws
     * [QuorateException.UnknownSigner], [QuorateException.DuplicateSigner] (also for members that are not in ascending
     * order), [QuorateException.BelowQuorum] without members, and [QuorateException.BadSignature], whose culprits are
     * known for Ed25519.
     */
    public fun verifyRawEach(signed: Iterable<Pair<Int, ByteArray>>, proof: ByteArray): BigInteger {
        // One member more than the committee's size suffices: the core reports the duplicate or unknown one.
        val listed = signed.take(size + 1).map { (member, text) -> NativeMemberMessage(member.u16("member"), text) }
        return cell.call { it.verifyRawEach(listed, proof) }
    }

    /**
     * Verifies several claims at once, which costs less than [verifyRaw] of each: claims with the same signers share a
     * pairing. Each gets the verdict that it would get alone, in input order. **Compare each weight with your
     * threshold.**
     */
    public fun verifyRawBatch(claims: List<RawClaim>): List<RawVerdict> {
        // Reads the list once: a list that changes meanwhile must not separate messages from their signers.
        val listed = claims.toList()
        return callAll(listed.map { it.signers.cell }) { sets ->
            val natives = listed.zip(sets) { claim, signers -> claim.native(signers) }
            cell.call { RawVerdict.fromNative(it.verifyRawBatch(natives)) }
        }
    }

    /** Creates a statement in this committee's epoch. */
    @JvmName("statement")
    public fun statement(kind: Int, view: ULong, digest: ByteArray): Statement =
        cell.call { Statement(it.statement(kind.u8("kind"), view, digest)) }

    /** Returns true if [id] is equal, which means equal chain, epoch, suite, keys and weights. */
    override fun equals(other: Any?): Boolean =
        this === other || other is Committee && compared { id == other.id }

    override fun hashCode(): Int = hashed { id.hashCode() }

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

package org.quorate.sortition

import java.util.Arrays
import org.quorate.Cell
import org.quorate.ChainId
import org.quorate.Committee
import org.quorate.CommitteeId
import org.quorate.Hidden
import org.quorate.NativeObject
import org.quorate.NativeValue
import org.quorate.QuorateException
import org.quorate.SecretKey
import org.quorate.Signature
import org.quorate.Suite
import org.quorate.hex
import org.quorate.internal.Lottery as NativeLottery
import org.quorate.internal.Seed as NativeSeed
import org.quorate.internal.SeedProof as NativeSeedProof
import org.quorate.internal.Ticket as NativeTicket
import org.quorate.internal.VerifiedTicket as NativeVerifiedTicket
import org.quorate.internal.expectedWinners
import org.quorate.internal.seedDecode
import org.quorate.internal.seedEncode
import org.quorate.internal.seedGenesis
import org.quorate.internal.seedNext
import org.quorate.translated
import org.quorate.u16

/**
 * Randomness of the lotteries, renewed with each block. Members whose chains agree up to its height have the same seed.
 * In Java: `Seed.genesis(…)`.
 */
public class Seed internal constructor(@get:JvmSynthetic internal val native: NativeSeed, hidden: Hidden = Hidden()) {
    /** Number of proofs that precede it. */
    public val height: ULong
        @JvmName("getHeight")
        get() = native.height

    /** Its 32 bytes. */
    public val value: ByteArray get() = native.value.clone()

    /** Returns the 40 bytes. */
    public fun encode(): ByteArray = translated { seedEncode(native) }

    /**
     * Derives the next seed: the hash of the proof. **The protocol determines the prover**, usually the proposer of the
     * block: compare [SeedProof.signer]. Throws [QuorateException.UnknownSigner] and [QuorateException.BadSignature].
     * Cost: one subgroup check, one hash to the curve, two pairings.
     */
    public fun next(proof: SeedProof, committee: Committee): Seed =
        proof.cell.call { signed -> committee.cell.call { Seed(seedNext(native, signed, it)) } }

    override fun equals(other: Any?): Boolean =
        other is Seed && native.height == other.native.height && native.value.contentEquals(other.native.value)

    override fun hashCode(): Int = native.value.contentHashCode()

    override fun toString(): String = "Seed($height, ${native.value.hex()})"

    public companion object {
        /**
         * Returns the first seed of a chain, from bytes that **no member chose and that were unknown when the keys were
         * fixed**: control over them is control over the first proposers.
         */
        @JvmStatic
        public fun genesis(chain: ChainId, bytes: ByteArray): Seed = Seed(translated { seedGenesis(chain.raw, bytes) })

        /** Decodes the 40 bytes. */
        @JvmStatic
        public fun decode(bytes: ByteArray): Seed = Seed(translated { seedDecode(bytes) })
    }
}

/**
 * A member's signature on a [Seed]; its hash is the next seed. It is unique: the member's only choice is whether to
 * publish it. Until it is published, no other member knows the next seed.
 */
public class SeedProof private constructor(@get:JvmSynthetic internal val cell: Cell<NativeSeedProof>) :
    NativeValue(cell) {
    internal constructor(native: NativeSeedProof, hidden: Hidden = Hidden()) : this(Cell(native, "SeedProof"))

    /** Creates a proof from its parts. Nothing is verified. */
    public constructor(signer: Int, signature: Signature) : this(
        signature.cell.call { NativeSeedProof(signer.u16("signer"), it) },
    )

    override val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    /** The signer that the proof names. */
    public val signer: Int get() = cell.call { it.signer().toInt() }

    /** The signature. */
    public val signature: Signature get() = cell.call { Signature(it.signature()) }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** Returns the signature alone, for formats that contain the rest already. */
    public fun encodeDetached(): ByteArray = cell.call { it.encodeDetached() }

    override fun toString(): String = shown { "SeedProof(member $signer)" }

    public companion object {
        /**
         * Signs a seed: this member's proof. Throws [QuorateException.WrongContext] if the key belongs to no member,
         * and for Ed25519, whose signatures are not unique.
         */
        @JvmStatic
        public fun sign(secret: SecretKey, committee: Committee, seed: Seed): SeedProof =
            secret.call { key -> committee.cell.call { SeedProof(NativeSeedProof.sign(key, it, seed.native)) } }

        /** Decodes a proof of that suite. */
        @JvmStatic
        public fun decode(suite: Suite, bytes: ByteArray): SeedProof =
            SeedProof(translated { NativeSeedProof.decode(suite.native, bytes) })

        /** Decodes the signature, where the signer is known. */
        @JvmStatic
        public fun decodeDetached(suite: Suite, bytes: ByteArray, signer: Int): SeedProof =
            SeedProof(translated { NativeSeedProof.decodeDetached(suite.native, bytes, signer.u16("signer")) })
    }
}

/**
 * One round's lottery among the members of a committee. Each member plays in secret, and a winner can prove that it
 * won. Every member has the same chance, whatever its weight. It needs unique signatures: any suite but Ed25519. In
 * Java: `Lottery.of(…)`.
 */
public class Lottery private constructor(@get:JvmSynthetic internal val cell: Cell<NativeLottery>) :
    NativeObject(cell) {
    /**
     * Returns this member's ticket, if it won. Throws [QuorateException.WrongContext] if the key belongs to no member.
     */
    public fun draw(secret: SecretKey): VerifiedTicket? =
        cell.call { lottery -> secret.call { lottery.draw(it)?.let(::VerifiedTicket) } }

    /** The participating committee. */
    public val committee: Committee get() = cell.call { Committee(it.committee()) }

    /** The seed. */
    public val seed: Seed get() = cell.call { Seed(it.seed()) }

    /** The round. */
    public val round: ULong
        @JvmName("getRound")
        get() = cell.call { it.round() }

    /** Average number of winners. */
    public val expected: Int get() = cell.call { it.expected().toInt() }

    override fun toString(): String = shown { "Lottery(round $round, $seed, expected $expected)" }

    public companion object {
        /** Default average number of winners. */
        @JvmField
        public val EXPECTED_WINNERS: Int = translated { expectedWinners() }.toInt()

        /** Returns the lottery of [round], in which [expected] members win on average. */
        @JvmStatic
        @JvmOverloads
        @JvmName("of")
        public operator fun invoke(
            committee: Committee,
            seed: Seed,
            round: ULong,
            expected: Int = EXPECTED_WINNERS,
        ): Lottery {
            require(expected in 1..0xffff) { "expected must be from 1 to 65535, not $expected" }
            val native = committee.cell.call { NativeLottery(it, seed.native, round, expected.toUShort()) }
            return Lottery(Cell(native, "Lottery"))
        }
    }
}

/** A member's claim to have won. A decoded ticket is not verified yet. In Java: `Ticket.of(…)`. */
public class Ticket private constructor(@get:JvmSynthetic internal val cell: Cell<NativeTicket>) : NativeValue(cell) {
    internal constructor(native: NativeTicket, hidden: Hidden = Hidden()) : this(Cell(native, "Ticket"))

    override val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    /** Round of the lottery. */
    public val round: ULong
        @JvmName("getRound")
        get() = cell.call { it.round() }

    /** Member that the ticket names. */
    public val member: Int get() = cell.call { it.member().toInt() }

    /** The proof. */
    public val signature: Signature get() = cell.call { Signature(it.signature()) }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** Returns the signature alone, for formats that contain the rest already. */
    public fun encodeDetached(): ByteArray = cell.call { it.encodeDetached() }

    /**
     * Verifies that this member won this lottery. Throws [QuorateException.NotDrawn] for a ticket that does not win,
     * before any pairing. Cost: one subgroup check and a hash; for a winning ticket, also one hash to the curve and two
     * pairings.
     */
    public fun verify(lottery: Lottery): VerifiedTicket =
        cell.call { ticket -> lottery.cell.call { VerifiedTicket(ticket.verify(it)) } }

    override fun toString(): String = shown { "Ticket(round $round, member $member)" }

    public companion object {
        /** Creates a ticket from its parts. Nothing is verified. */
        @JvmStatic
        @JvmName("of")
        public operator fun invoke(round: ULong, member: Int, signature: Signature): Ticket =
            Ticket(signature.cell.call { NativeTicket(round, member.u16("member"), it) })

        /** Decodes a ticket of that suite. */
        @JvmStatic
        public fun decode(suite: Suite, bytes: ByteArray): Ticket =
            Ticket(translated { NativeTicket.decode(suite.native, bytes) })

        /** Decodes the signature of a ticket whose round and member are known. */
        @JvmStatic
        @JvmName("decodeDetached")
        public fun decodeDetached(suite: Suite, bytes: ByteArray, round: ULong, member: Int): Ticket =
            Ticket(translated { NativeTicket.decodeDetached(suite.native, bytes, round, member.u16("member")) })
    }
}

/** A verified winning ticket. Only verification, or the draw itself, creates one. */
public class VerifiedTicket
private constructor(private val cell: Cell<NativeVerifiedTicket>) : NativeObject(cell) {
    internal constructor(native: NativeVerifiedTicket, hidden: Hidden = Hidden()) : this(Cell(native, "VerifiedTicket"))

    /** The ticket. */
    public val value: Ticket get() = cell.call { Ticket(it.value()) }

    /** Committee against which it was verified. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    /** Score of the ticket: the **smallest** score ranks first. */
    public val score: Score get() = cell.call { Score(it.score()) }

    override fun equals(other: Any?): Boolean =
        this === other ||
            other is VerifiedTicket && compared { committee == other.committee && value == other.value }

    override fun hashCode(): Int = hashed { value.hashCode() }

    override fun toString(): String = shown { "Verified($value)" }
}

/** Score of a winning ticket: 32 pseudorandom bytes. The smallest score ranks first. */
public class Score internal constructor(private val raw: ByteArray) : Comparable<Score> {
    /** The 32 bytes. */
    public val bytes: ByteArray get() = raw.clone()

    override fun compareTo(other: Score): Int = Arrays.compareUnsigned(raw, other.raw)

    override fun equals(other: Any?): Boolean = other is Score && raw.contentEquals(other.raw)

    override fun hashCode(): Int = raw.contentHashCode()

    /** 64 hex digits. */
    override fun toString(): String = raw.hex()
}

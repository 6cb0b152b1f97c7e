package org.quorate.erasure

import org.quorate.Cell
import org.quorate.EncodedObject
import org.quorate.NativeObject
import org.quorate.QuorateException
import org.quorate.callAll
import org.quorate.hex
import org.quorate.internal.CheckedShard as NativeShard
import org.quorate.internal.Coder as NativeCoder
import org.quorate.internal.Dispersal as NativeDispersal
import org.quorate.internal.ErasureCommitment as NativeCommitment
import org.quorate.internal.ErasureRow as NativeRow
import org.quorate.internal.ErasureTable as NativeTable
import org.quorate.internal.erasureCommitmentDecode
import org.quorate.internal.erasureConstants
import org.quorate.internal.erasureMaxEncodedLen
import org.quorate.natural
import org.quorate.translated

/**
 * All that decides what a message's shards are: code, shape, length, and the root of the tree over all shards. Who receives
 * the same commitment decodes the same message or, with everybody else, none.
 */
public class Commitment internal constructor(private val native: NativeCommitment) {
    /** The code. */
    public val suite: Suite get() = Suite.decode(native.suite)

    /** How many shards. */
    public val shape: Shape get() = Shape.of(native.shape)

    /** Bytes of the message. */
    public val messageLen: Int get() = native.messageLen.toInt()

    /** The root of the tree over the shards. It fixes neither code nor length: to name a message, use [identity]. */
    public val root: ByteArray get() = native.root.clone()

    /** What votes and certificates name the message by: 32 bytes. */
    public fun identity(): ByteArray = native.identity.clone()

    /** The 43 bytes. */
    public fun encode(): ByteArray = native.bytes.clone()

    override fun equals(other: Any?): Boolean = other is Commitment && native.bytes.contentEquals(other.native.bytes)

    override fun hashCode(): Int = native.bytes.contentHashCode()

    override fun toString(): String = "Commitment(${native.root.hex()}, $messageLen bytes)"

    public companion object {
        /** Reads a commitment of that coding. */
        @JvmStatic
        public fun decode(bytes: ByteArray, coding: Coding): Commitment =
            Commitment(translated { erasureCommitmentDecode(bytes, coding.native) })
    }
}

/**
 * A shard whose path leads to the root of its commitment: decoding it checks it, and nothing else can be decoded to a
 * message.
 */
public class CheckedShard private constructor(@get:JvmSynthetic internal val cell: Cell<NativeShard>) :
    EncodedObject(cell) {
    internal constructor(native: NativeShard) : this(Cell(native, "CheckedShard"))

    /** What it belongs to. */
    public val commitment: Commitment get() = cell.call { Commitment(it.commitment()) }

    /** Its place: the data shards come first. */
    public val index: Int get() = cell.call { it.index().toInt() }

    /** The shard's own bytes. */
    public val bytes: ByteArray get() = cell.call { it.bytes() }

    override fun encode(): ByteArray = cell.call { it.encode() }

    override fun toString(): String = shown { "CheckedShard($index of $commitment)" }

    public companion object {
        /** The most bytes that an encoded shard of this coding has: what a link should let through. */
        @JvmStatic
        public fun maxEncodedLen(coding: Coding): Int = translated { erasureMaxEncodedLen(coding.native) }.toInt()

        /** Reads a shard of that coding and checks it. Cost: the hash of the shard. */
        @JvmStatic
        public fun decode(bytes: ByteArray, coding: Coding): CheckedShard =
            CheckedShard(translated { NativeShard.decode(bytes, coding.native) })
    }
}

/**
 * Makes shards of messages and messages of shards, for one coding. It keeps tables and working memory, up to twice the size
 * of the largest message so far: keep it. Threads that share one take turns.
 */
public class Coder private constructor(
    private val cell: Cell<NativeCoder>,
    /** What it codes. */
    public val coding: Coding,
) : NativeObject(cell) {
    /** A coder; throws [QuorateException.BadShape] if this build does not have the code. */
    public constructor(coding: Coding) : this(Cell(translated { NativeCoder(coding.native) }, "Coder"), coding)

    /** Makes all shards of a message and commits to them. Cost: making the parity shards, and hashing all shards. */
    public fun disperse(message: ByteArray): Dispersal = cell.call { Dispersal(it.disperse(message)) }

    /**
     * Restores the message, and all shards, from as many shards of one commitment as there are data shards, or more.
     * **Everybody who decodes shards of this commitment comes to the same verdict**: a sender who committed to shards that
     * are not of one message is found out by all, with [QuorateException.BadEncoding], and the shards are the evidence.
     * Throws [QuorateException.WrongContext] for shards of several commitments, [QuorateException.DuplicateSigner], and
     * [QuorateException.BelowQuorum] for too few.
     */
    public fun decode(shards: List<CheckedShard>): Dispersal =
        cell.call { coder -> callAll(shards.map { it.cell }) { Dispersal(coder.decode(it)) } }

    override fun toString(): String = "Coder($coding)"
}

/** A message, all its shards, and the tree over them. */
public class Dispersal private constructor(private val cell: Cell<NativeDispersal>) : NativeObject(cell) {
    internal constructor(native: NativeDispersal) : this(Cell(native, "Dispersal"))

    /** What the sender commits to. */
    public val commitment: Commitment get() = cell.call { Commitment(it.commitment()) }

    /** The message, a new array each time. */
    public val message: ByteArray get() = cell.call { it.message() }

    /** The shard at this place, for the member at this place. */
    public fun shard(index: Int): CheckedShard = cell.call { CheckedShard(it.shard(index.natural("index"))) }

    /** All of them, in order. */
    public fun shards(): List<CheckedShard> = List(commitment.shape.shards) { shard(it) }

    override fun toString(): String = shown { "Dispersal($commitment)" }
}

/**
 * What was found for a shape, a length and a suite: encoding a message of so many bytes and decoding it with f and with 2f
 * shards lost takes [cost] nanoseconds in all.
 */
public class Row internal constructor(private val native: NativeRow) {
    /** How many shards. */
    public val shape: Shape get() = Shape.of(native.shape)

    /** The message's length. */
    public val message: Int get() = native.message.toInt()

    /** The suite, with its parameters. */
    public val suite: Suite get() = Suite.decode(native.suite)

    /** Nanoseconds. */
    public val cost: ULong
        @JvmName("getCost")
        get() = native.cost

    override fun equals(other: Any?): Boolean =
        other is Row && shape == other.shape && message == other.message && suite == other.suite && cost == other.cost

    override fun hashCode(): Int = (shape.hashCode() * 31 + message) * 31 + cost.hashCode()

    override fun toString(): String = "Row($shape, message $message, $suite, cost $cost)"
}

/** Says which suites may be chosen. */
public fun interface Allow {
    /** Whether this one may. */
    public fun allows(suite: Suite): Boolean
}

/**
 * Rows by shape, length and suite, one of each: what `quorate tune-erasure` found to be fastest. Members of a committee use
 * one table, or one row of it: the suite decides the bytes of the shards.
 */
public class Table private constructor(private val cell: Cell<NativeTable>) : EncodedObject(cell) {
    private constructor(native: NativeTable) : this(Cell(native, "Table"))

    /** All rows, ascending by shape, length and suite. */
    public val rows: List<Row> get() = cell.call { it.rows().map(::Row) }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /**
     * The fastest of the suites that [allow] says yes to, for shards of this shape, as measured with the length nearest to
     * [message] as a ratio. Null if nothing was measured for this shape. Without [allow] it is whichever this build can run;
     * a committee whose members have other builds says what all can.
     */
    @JvmOverloads
    public fun best(shape: Shape, message: Long, allow: Allow = Allow { it.isAvailable }): Row? {
        val suites = rows.filter { it.shape == shape }.map { it.suite }.distinct()
        val allowed = suites.filter(allow::allows).map { it.raw }
        return cell.call { table -> table.best(shape.native, message.natural("message"), allowed)?.let(::Row) }
    }

    override fun toString(): String = shown { "Table(${rows.size} rows)" }

    public companion object {
        /** The most rows of a table. */
        @JvmField
        public val MAX_ROWS: Int = erasureConstants().maxRows.toInt()

        /** Reads a file of the tuner. */
        @JvmStatic
        public fun decode(bytes: ByteArray): Table = Table(translated { NativeTable.decode(bytes) })
    }
}

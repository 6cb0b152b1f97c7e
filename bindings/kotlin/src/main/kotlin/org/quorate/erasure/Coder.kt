package org.quorate.erasure

import org.quorate.Cell
import org.quorate.EncodedObject
import org.quorate.Hidden
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
 * Everything that determines a message's shards: code, shape, length, and the root of the tree over all shards. All
 * receivers of the same commitment decode the same message, or all decode none.
 */
public class Commitment internal constructor(private val native: NativeCommitment, hidden: Hidden = Hidden()) {
    /** The erasure code. */
    public val suite: Suite get() = Suite.decode(native.suite)

    /** Number of data and parity shards. */
    public val shape: Shape get() = Shape.fromNative(native.shape)

    /** Length of the message in bytes. */
    public val messageLen: Int get() = native.messageLen.toInt()

    /** Root of the tree over the shards. It binds neither code nor length: to identify a message, use [identity]. */
    public val root: ByteArray get() = native.root.clone()

    /** Identifier of the message in votes and certificates: 32 bytes. */
    public fun identity(): ByteArray = native.identity.clone()

    /** Returns the 43 bytes. */
    public fun encode(): ByteArray = native.bytes.clone()

    override fun equals(other: Any?): Boolean = other is Commitment && native.bytes.contentEquals(other.native.bytes)

    override fun hashCode(): Int = native.bytes.contentHashCode()

    override fun toString(): String = "Commitment(${native.root.hex()}, $messageLen bytes)"

    public companion object {
        /** Decodes a commitment of that coding. */
        @JvmStatic
        public fun decode(bytes: ByteArray, coding: Coding): Commitment =
            Commitment(translated { erasureCommitmentDecode(bytes, coding.native) })
    }
}

/**
 * A shard whose path leads to the root of its commitment. Decoding a shard checks it, and only checked shards can be
 * decoded into a message.
 */
public class CheckedShard private constructor(@get:JvmSynthetic internal val cell: Cell<NativeShard>) :
    EncodedObject(cell) {
    internal constructor(native: NativeShard, hidden: Hidden = Hidden()) : this(Cell(native, "CheckedShard"))

    /** The commitment that it belongs to. */
    public val commitment: Commitment get() = cell.call { Commitment(it.commitment()) }

    /** Index of the shard; the data shards come first. */
    public val index: Int get() = cell.call { it.index().toInt() }

    /** The shard's own bytes. */
    public val bytes: ByteArray get() = cell.call { it.bytes() }

    override fun encode(): ByteArray = cell.call { it.encode() }

    override fun toString(): String = shown { "CheckedShard($index of $commitment)" }

    public companion object {
        /** Maximum length of an encoded shard of this coding: the limit for a link. */
        @JvmStatic
        public fun maxEncodedLen(coding: Coding): Int = translated { erasureMaxEncodedLen(coding.native) }.toInt()

        /** Decodes a shard of that coding and checks it. Cost: hashing the shard. */
        @JvmStatic
        public fun decode(bytes: ByteArray, coding: Coding): CheckedShard =
            CheckedShard(translated { NativeShard.decode(bytes, coding.native) })
    }
}

/**
 * Encodes messages into shards and decodes them, for one coding. It holds tables and working memory, up to twice the
 * size of the largest message so far: reuse it. Threads that share one are serialised.
 */
public class Coder private constructor(
    private val cell: Cell<NativeCoder>,
    /** Its coding. */
    public val coding: Coding,
) : NativeObject(cell) {
    /** Creates a coder; throws [QuorateException.BadShape] if this build does not support the code. */
    public constructor(coding: Coding) : this(Cell(translated { NativeCoder(coding.native) }, "Coder"), coding)

    /**
     * Encodes a message into all its shards and commits to them. Cost: computing the parity shards, and hashing all
     * shards.
     */
    public fun disperse(message: ByteArray): Dispersal = cell.call { Dispersal(it.disperse(message)) }

    /**
     * Restores the message and all shards from at least as many shards of one commitment as there are data shards.
     * **All members that decode shards of this commitment reach the same verdict**: if the sender committed to shards
     * that do not encode one message, every decoder throws [QuorateException.BadEncoding], and the shards are the
     * evidence. Throws [QuorateException.WrongContext] for shards of several commitments,
     * [QuorateException.DuplicateSigner], and [QuorateException.BelowQuorum] for too few.
     */
    public fun decode(shards: List<CheckedShard>): Dispersal =
        cell.call { coder -> callAll(shards.map { it.cell }) { Dispersal(coder.decode(it)) } }

    override fun toString(): String = "Coder($coding)"
}

/** A message, all its shards, and the tree over them. */
public class Dispersal private constructor(private val cell: Cell<NativeDispersal>) : NativeObject(cell) {
    internal constructor(native: NativeDispersal, hidden: Hidden = Hidden()) : this(Cell(native, "Dispersal"))

    /** The sender's commitment. */
    public val commitment: Commitment get() = cell.call { Commitment(it.commitment()) }

    /** The message, a new array each time. */
    public val message: ByteArray get() = cell.call { it.message() }

    /** Returns the shard at this index, for the member with this index. */
    public fun shard(index: Int): CheckedShard = cell.call { CheckedShard(it.shard(index.natural("index"))) }

    /** Returns all shards, in order. */
    public fun shards(): List<CheckedShard> = List(commitment.shape.shards) { shard(it) }

    override fun toString(): String = shown { "Dispersal($commitment)" }
}

/**
 * Measurement for a shape, a length and a suite: encoding a message of this length and decoding it with f and with 2f
 * lost shards takes [cost] nanoseconds in total.
 */
public class Row internal constructor(private val native: NativeRow, hidden: Hidden = Hidden()) {
    /** Number of data and parity shards. */
    public val shape: Shape get() = Shape.fromNative(native.shape)

    /** Length of the message in bytes. */
    public val message: Int get() = native.message.toInt()

    /** The suite, with its parameters. */
    public val suite: Suite get() = Suite.decode(native.suite)

    /** Cost in nanoseconds. */
    public val cost: ULong
        @JvmName("getCost")
        get() = native.cost

    override fun equals(other: Any?): Boolean =
        other is Row && shape == other.shape && message == other.message && suite == other.suite && cost == other.cost

    override fun hashCode(): Int = (shape.hashCode() * 31 + message) * 31 + cost.hashCode()

    override fun toString(): String = "Row($shape, message $message, $suite, cost $cost)"
}

/** Selects the suites that may be chosen. */
public fun interface Allow {
    /** Returns true if this suite may be chosen. */
    public fun allows(suite: Suite): Boolean
}

/**
 * Rows by shape, length and suite, without duplicates: the results of `quorate tune-erasure`. All members of a
 * committee must use one table, or one row of it, because the suite determines the bytes of the shards.
 */
public class Table private constructor(private val cell: Cell<NativeTable>) : EncodedObject(cell) {
    private constructor(native: NativeTable) : this(Cell(native, "Table"))

    /** All rows, ascending by shape, length and suite. */
    public val rows: List<Row> get() = cell.call { it.rows().map(::Row) }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /**
     * Returns the fastest suite that [allow] accepts for shards of this shape, measured with the length nearest to
     * [message] as a ratio. Null if this shape was not measured. By default, [allow] accepts the suites of this build;
     * a committee whose members have different builds passes the suites that all support.
     */
    @JvmOverloads
    public fun best(shape: Shape, message: Long, allow: Allow = Allow { it.isAvailable }): Row? {
        val suites = rows.filter { it.shape == shape }.map { it.suite }.distinct()
        val allowed = suites.filter(allow::allows).map { it.raw }
        return cell.call { table -> table.best(shape.native, message.natural("message"), allowed)?.let(::Row) }
    }

    override fun toString(): String = shown { "Table(${rows.size} rows)" }

    public companion object {
        /** Maximum number of rows. */
        @JvmField
        public val MAX_ROWS: Int = erasureConstants().maxRows.toInt()

        /** Decodes a file of the tuner. */
        @JvmStatic
        public fun decode(bytes: ByteArray): Table = Table(translated { NativeTable.decode(bytes) })
    }
}

package org.quorate

import org.quorate.internal.Guard as NativeGuard
import org.quorate.internal.guardRecordDecode

/**
 * A guard's record of the last statement that it signed, or of spent presignatures. Write it to disk **before** the
 * vote or the share leaves.
 */
public class GuardRecord private constructor(@get:JvmSynthetic internal val raw: ByteArray) {
    private val fields = translated { guardRecordDecode(raw) }

    /** Kind of the statement, or of the record about presignatures. */
    public val kind: Int get() = fields.kind.toInt()

    /** Epoch of the statement or of the presignatures. */
    public val epoch: ULong
        @JvmName("getEpoch")
        get() = fields.epoch

    /** View of the statement, or position of the presignatures. */
    public val view: ULong
        @JvmName("getView")
        get() = fields.view

    /** Returns the bytes to store. */
    public fun encode(): ByteArray = raw.clone()

    override fun equals(other: Any?): Boolean = other is GuardRecord && raw.contentEquals(other.raw)

    override fun hashCode(): Int = raw.contentHashCode()

    override fun toString(): String = "GuardRecord(kind $kind, epoch $epoch, view $view)"

    public companion object {
        /** Decodes a record. */
        @JvmStatic
        public fun decode(bytes: ByteArray): GuardRecord = GuardRecord(bytes.clone())
    }
}

/** A vote and the record that must be durable before it leaves. */
public data class Signed<out V>(public val vote: V, public val record: GuardRecord)

/** Epoch and view of a statement. */
public class Place internal constructor(epoch: ULong, view: ULong) {
    /** The epoch. */
    public val epoch: ULong = epoch
        @JvmName("getEpoch")
        get() = field

    /** The view. */
    public val view: ULong = view
        @JvmName("getView")
        get() = field

    override fun equals(other: Any?): Boolean = other is Place && epoch == other.epoch && view == other.view

    override fun hashCode(): Int = epoch.hashCode() * 31 + view.hashCode()

    override fun toString(): String = "Place(epoch $epoch, view $view)"
}

/**
 * Signs only statements that do not contradict earlier ones. It owns the secret key: the [SecretKey] that it was
 * created from is closed afterwards, even if this fails. Close the guard to wipe the key.
 */
public class Guard private constructor(@get:JvmSynthetic internal val cell: Cell<NativeGuard>) : NativeObject(cell) {
    private constructor(native: NativeGuard) : this(Cell(native, "Guard"))

    /** A guard without records, for a key that never signed. After a restart use [restore]. */
    public constructor(secret: SecretKey, chain: ChainId) : this(secret.handOver { NativeGuard(it, chain.raw) })

    /** The signature scheme of the key. */
    public val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    /** The public key. */
    public val publicKey: PublicKey get() = cell.call { PublicKey(it.publicKey()) }

    /** The chain that the guard signs for. */
    public val chain: ChainId get() = cell.call { ChainId.fromBytes(it.chain()) }

    /**
     * The last record of each kind, and the spent presignatures of open epochs: all that a compacted log must contain.
     */
    public val records: List<GuardRecord> get() = cell.call { it.records().map(GuardRecord::decode) }

    /** Epoch and view of the last statement of a kind. */
    public fun last(kind: Int): Place? = cell.call { guard -> guard.last(kind.u8("kind"))?.let { Place(it.epoch, it.view) } }

    /** Signs a statement. Throws [QuorateException.Contradiction] if it contradicts an earlier one. */
    public fun sign(committee: Committee, statement: Statement): Signed<Vote> =
        cell.call { guard ->
            val signed = committee.cell.call { guard.sign(it, statement.native) }
            Signed(Vote(signed.vote), GuardRecord.decode(signed.record))
        }

    /** Signs a timeout vote. Throws [QuorateException.Contradiction] if it contradicts an earlier one. */
    @JvmName("signTimeout")
    public fun signTimeout(committee: Committee, kind: Int, view: ULong, value: ULong): Signed<TimeoutVote> =
        cell.call { guard ->
            val signed = committee.cell.call { guard.signTimeout(it, kind.u8("kind"), view, value) }
            Signed(TimeoutVote(signed.vote), GuardRecord.decode(signed.record))
        }

    /**
     * Reserves the block of a threshold key's presignatures that contains [index]. Once the record is durable and
     * confirmed, signing with them needs no further record. **After a crash the whole block is burnt**, spent or not.
     * Throws [QuorateException.Exhausted] if it is burnt already, or its epoch is closed.
     */
    @JvmName("reserve")
    public fun reserve(key: ByteArray, epoch: ULong, index: Long): GuardRecord {
        val place = index.u32("index")
        return GuardRecord.decode(cell.call { it.reserve(key, epoch, place) })
    }

    /**
     * Confirms that the record of a reservation is durable; throws [QuorateException.WrongContext] for any other
     * record.
     */
    public fun confirm(reservation: GuardRecord): Unit = cell.call { it.confirm(reservation.raw) }

    /** Closes an epoch of a threshold key and all earlier ones: their remaining presignatures never sign. */
    @JvmName("closeEpoch")
    public fun closeEpoch(key: ByteArray, epoch: ULong): GuardRecord =
        GuardRecord.decode(cell.call { it.closeEpoch(key, epoch) })

    override fun toString(): String = shown { "Guard($suite, chain $chain)" }

    public companion object {
        /** Returns a guard with the durable records from before a restart, at most 4,194,304. */
        @JvmStatic
        public fun restore(secret: SecretKey, chain: ChainId, records: Iterable<GuardRecord>): Guard =
            Guard(
                secret.handOver { key ->
                    val listed = records.asSequence().map { it.raw }.take(MOST_RECORDS + 1).toList()
                    require(listed.size <= MOST_RECORDS) { "records: more than $MOST_RECORDS" }
                    NativeGuard.restore(key, chain.raw, listed)
                },
            )

        private const val MOST_RECORDS = 1 shl 22
    }
}

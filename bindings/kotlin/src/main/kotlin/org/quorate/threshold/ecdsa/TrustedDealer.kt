package org.quorate.threshold.ecdsa

import org.quorate.Cell
import org.quorate.CommitteeId
import org.quorate.NativeObject
import org.quorate.borrowed
import org.quorate.bytes
import org.quorate.internal.TrustedDealer as NativeDealer
import org.quorate.threshold.Group
import org.quorate.threshold.Tolerance
import org.quorate.translated

/**
 * Generates a key and deals its presignatures. **It knows the key**: it can sign alone, and so can an attacker that
 * compromises it. Run it offline, seal each party's file, and wipe the machine. Close it to wipe the key.
 */
public class TrustedDealer private constructor(private val cell: Cell<NativeDealer>) : NativeObject(cell) {
    private constructor(native: NativeDealer) : this(Cell(native, "TrustedDealer"))

    /** The dealer of a new key for a committee. */
    public constructor(group: Group, committee: CommitteeId, tolerance: Tolerance) : this(
        translated { NativeDealer(group.native, committee.raw, tolerance.native) },
    )

    /** The public key. */
    public val key: GroupKey get() = cell.call { GroupKey(it.key()) }

    /** Returns the secret key, 32 bytes, to deal for further epochs. Fill the array with zeros after use. */
    public fun toBytes(): ByteArray = cell.call { it.toBytes().bytes() }

    /**
     * Deals the presignatures of one epoch: one file for each party, in the parties' order. **Never deal an epoch
     * twice.** Cost: 0.1 ms per presignature and party.
     */
    @JvmName("deal")
    public fun deal(epoch: ULong, plan: Plan): List<Presignatures> =
        cell.call { dealer -> dealer.deal(epoch, plan.raw).map(::Presignatures) }

    override fun toString(): String = shown { "TrustedDealer($key)" }

    public companion object {
        /** Returns the dealer of a stored key. The caller keeps the array and overwrites it with zeros. */
        @JvmStatic
        public fun fromBytes(group: Group, committee: CommitteeId, tolerance: Tolerance, bytes: ByteArray): TrustedDealer =
            TrustedDealer(
                translated {
                    bytes.borrowed { NativeDealer.fromBytes(group.native, committee.raw, tolerance.native, it) }
                },
            )
    }
}

package org.quorate

import org.quorate.internal.Certificate as NativeCertificate
import org.quorate.internal.Verdict as NativeVerdict
import org.quorate.internal.VerifiedCertificate as NativeVerifiedCertificate
import org.quorate.internal.verifyBatch as nativeVerifyBatch
import org.quorate.internal.verifyBatchDerived as nativeVerifyBatchDerived

/** A quorum's certificate for one statement. Decoding checks form and quorum; [verify] checks the signatures. */
public class Certificate private constructor(@get:JvmSynthetic internal val cell: Cell<NativeCertificate>) :
    NativeValue(cell) {
    internal constructor(native: NativeCertificate, hidden: Hidden = Hidden()) : this(Cell(native, "Certificate"))

    override val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    /** The certified statement. */
    public val statement: Statement get() = cell.call { Statement(it.statement()) }

    /** The signers. */
    public val signers: SignerSet get() = cell.call { SignerSet(it.signers()) }

    /** The aggregate, or the signatures in ascending order of signers. */
    public val proof: ByteArray get() = cell.call { it.proof() }

    /** Length of the encoding in bytes. */
    public val encodedLen: Int get() = cell.call { it.encodedLen().toInt() }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** Returns the form without the statement, for use where it is known. */
    public fun encodeDetached(): ByteArray = cell.call { it.encodeDetached() }

    /** Verifies the signatures. */
    public fun verify(committee: Committee): VerifiedCertificate =
        cell.call { certificate -> committee.cell.call { VerifiedCertificate(certificate.verify(it)) } }

    override fun toString(): String =
        shown { signers.use { "Certificate(${it.size} of ${it.committeeLen}, $statement)" } }

    public companion object {
        /** Decodes a certificate of this committee. */
        @JvmStatic
        public fun decode(bytes: ByteArray, committee: Committee): Certificate =
            committee.cell.call { Certificate(NativeCertificate.decode(bytes, it)) }

        /** Decodes the form that [encodeDetached] returns. */
        @JvmStatic
        public fun decodeDetached(bytes: ByteArray, statement: Statement, committee: Committee): Certificate =
            committee.cell.call { Certificate(NativeCertificate.decodeDetached(bytes, statement.native, it)) }

        /**
         * Verifies several at once, which costs less. Each gets the verdict that it would get alone, in input order.
         */
        @JvmStatic
        public fun verifyBatch(committee: Committee, certificates: List<Certificate>): List<Verdict> =
            callAll(certificates.map { it.cell }) { natives ->
                committee.cell.call { Verdict.fromNative(nativeVerifyBatch(it, natives)) }
            }

        /** As [verifyBatch], with coefficients derived from the input instead of random ones. */
        @JvmStatic
        public fun verifyBatchDerived(committee: Committee, certificates: List<Certificate>): List<Verdict> =
            callAll(certificates.map { it.cell }) { natives ->
                committee.cell.call { Verdict.fromNative(nativeVerifyBatchDerived(it, natives)) }
            }
    }
}

/** A verified certificate. Only verification creates one. */
public class VerifiedCertificate
private constructor(@get:JvmSynthetic internal val cell: Cell<NativeVerifiedCertificate>) : NativeObject(cell) {
    internal constructor(native: NativeVerifiedCertificate, hidden: Hidden = Hidden()) :
        this(Cell(native, "VerifiedCertificate"))

    /** The certificate. */
    public val value: Certificate get() = cell.call { Certificate(it.value()) }

    /** Committee against which it was verified. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    override fun equals(other: Any?): Boolean =
        this === other ||
            other is VerifiedCertificate && compared { committee == other.committee && value == other.value }

    override fun hashCode(): Int = hashed { value.hashCode() }

    override fun toString(): String = shown { "Verified($value)" }
}

/** Verdict on one certificate of a batch. */
public sealed class Verdict {
    /** Returns the certificate, or throws its error. */
    public abstract fun getOrThrow(): VerifiedCertificate

    /** It verifies. */
    public class Valid internal constructor(public val certificate: VerifiedCertificate) : Verdict() {
        override fun getOrThrow(): VerifiedCertificate = certificate
    }

    /** It does not verify. */
    public class Invalid internal constructor(public val error: QuorateException) : Verdict() {
        override fun getOrThrow(): VerifiedCertificate = throw error
    }

    internal companion object {
        @JvmSynthetic
        internal fun fromNative(verdicts: List<NativeVerdict>): List<Verdict> = verdicts.map {
            when (it) {
                is NativeVerdict.Valid -> Valid(VerifiedCertificate(it.certificate))
                is NativeVerdict.Invalid -> Invalid(QuorateException.fromNative(it.error))
            }
        }
    }
}

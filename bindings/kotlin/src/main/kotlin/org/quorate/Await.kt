@file:JvmName("Await")

package org.quorate

import java.math.BigInteger
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asExecutor
import kotlinx.coroutines.suspendCancellableCoroutine

// The checks off the calling thread, on the pool that coroutines keep for computing. Cancelling returns at once; a
// check that did not start yet is then never made. From Java use `CompletableFuture.supplyAsync` with the plain calls.

/** [UnverifiedKey.verify] off the calling thread. */
public suspend fun UnverifiedKey.awaitVerify(): VerifiedKey = offThread { verify() }

/** [PublicKey.verify] off the calling thread. */
public suspend fun PublicKey.awaitVerify(message: ByteArray, signature: Signature): Unit =
    offThread { verify(message, signature) }

/** [PublicKey.verifyPossession] off the calling thread. */
public suspend fun PublicKey.awaitVerifyPossession(possession: Signature): Unit =
    offThread { verifyPossession(possession) }

/** [Vote.verify] off the calling thread. */
public suspend fun Vote.awaitVerify(committee: Committee): VerifiedVote = offThread { verify(committee) }

/** [TimeoutVote.verify] off the calling thread. */
public suspend fun TimeoutVote.awaitVerify(committee: Committee): VerifiedTimeoutVote = offThread { verify(committee) }

/** [Certificate.verify] off the calling thread. */
public suspend fun Certificate.awaitVerify(committee: Committee): VerifiedCertificate = offThread { verify(committee) }

/** [TimeoutCertificate.verify] off the calling thread. */
public suspend fun TimeoutCertificate.awaitVerify(committee: Committee): VerifiedTimeoutCertificate =
    offThread { verify(committee) }

/** [Equivocation.verify] off the calling thread. */
public suspend fun Equivocation.awaitVerify(committee: Committee): VerifiedEquivocation =
    offThread { verify(committee) }

/** [Conflict.verify] off the calling thread. */
public suspend fun Conflict.awaitVerify(committee: Committee): VerifiedConflict = offThread { verify(committee) }

/** [Certificate.verifyBatch] off the calling thread. */
public suspend fun Certificate.Companion.awaitVerifyBatch(
    committee: Committee,
    certificates: List<Certificate>,
): List<Verdict> = offThread { verifyBatch(committee, certificates) }

/** [Certificate.verifyBatchDerived] off the calling thread. */
public suspend fun Certificate.Companion.awaitVerifyBatchDerived(
    committee: Committee,
    certificates: List<Certificate>,
): List<Verdict> = offThread { verifyBatchDerived(committee, certificates) }

/** [Committee.verifyRaw] off the calling thread. */
public suspend fun Committee.awaitVerifyRaw(message: ByteArray, signers: SignerSet, proof: ByteArray): BigInteger =
    offThread { verifyRaw(message, signers, proof) }

/** [Bls.fastAggregateVerify] off the calling thread. */
public suspend fun Bls.awaitFastAggregateVerify(
    keys: List<VerifiedKey>,
    message: ByteArray,
    signature: Signature,
): Unit = offThread { fastAggregateVerify(keys, message, signature) }

/** [Bls.aggregateVerify] off the calling thread. */
public suspend fun Bls.awaitAggregateVerify(signed: List<Pair<VerifiedKey, ByteArray>>, signature: Signature): Unit =
    offThread { aggregateVerify(signed, signature) }

/**
 * [Dsig.Signer.prepare] off the calling thread. A batch that was being made when the call was cancelled is among
 * [Dsig.Signer.announcements].
 */
public suspend fun Dsig.Signer.awaitPrepare(now: ULong = Dsig.now()): Dsig.Announced? = offThread { prepare(now) }

/** [Dsig.verifyAll] off the calling thread. */
public suspend fun Dsig.awaitVerifyAll(suite: Dsig.Suite, entries: List<Dsig.Entry>): List<QuorateException?> =
    offThread { verifyAll(suite, entries) }

private suspend fun <T> offThread(work: () -> T): T = suspendCancellableCoroutine { continuation ->
    Dispatchers.Default.asExecutor().execute {
        if (continuation.isActive) continuation.resumeWith(runCatching(work))
    }
}

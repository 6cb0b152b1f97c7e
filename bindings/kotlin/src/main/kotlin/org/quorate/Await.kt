@file:JvmName("Await")

package org.quorate

import java.math.BigInteger
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asExecutor
import kotlinx.coroutines.suspendCancellableCoroutine
import org.quorate.erasure.CheckedShard
import org.quorate.erasure.Coder
import org.quorate.erasure.Dispersal
import org.quorate.gossip.Aggregate
import org.quorate.gossip.VerifiedAggregate
import org.quorate.sortition.Lottery
import org.quorate.sortition.Ticket
import org.quorate.sortition.VerifiedTicket
import org.quorate.threshold.coin.Checked as CheckedCoinShares
import org.quorate.threshold.coin.Coin
import org.quorate.threshold.coin.CoinShare
import org.quorate.threshold.coin.PublicKeys as CoinKeys
import org.quorate.threshold.ecdsa.Plan
import org.quorate.threshold.ecdsa.Presignatures
import org.quorate.threshold.ecdsa.TrustedDealer
import org.quorate.threshold.tdh2.Checked as CheckedDecryptionShares
import org.quorate.threshold.tdh2.Ciphertext
import org.quorate.threshold.tdh2.DecryptionShare
import org.quorate.threshold.tdh2.EncryptionKey
import org.quorate.threshold.tdh2.PublicKeys as Tdh2Keys
import org.quorate.threshold.tdh2.ValidCiphertext

// Verification off the calling thread, on the dispatcher that coroutines use for computation. Cancellation returns at
// once; a verification that has not started is then skipped. From Java use `CompletableFuture.supplyAsync` with the
// blocking calls.

/** [UnverifiedKey.verify] off the calling thread. */
public suspend fun UnverifiedKey.awaitVerify(): VerifiedKey = offThread { verify() }

/** [PublicKey.verify] off the calling thread. */
public suspend fun PublicKey.awaitVerify(message: ByteArray, signature: Signature): Unit =
    offThread { verify(message, signature) }

/** [PublicKey.verifyWith] off the calling thread. */
public suspend fun PublicKey.awaitVerifyWith(
    ciphersuite: Ciphersuite,
    message: ByteArray,
    signature: Signature,
): Unit = offThread { verifyWith(ciphersuite, message, signature) }

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
): List<Verdict<VerifiedCertificate>> = offThread { verifyBatch(committee, certificates) }

/** [Certificate.verifyBatchDerived] off the calling thread. */
public suspend fun Certificate.Companion.awaitVerifyBatchDerived(
    committee: Committee,
    certificates: List<Certificate>,
): List<Verdict<VerifiedCertificate>> = offThread { verifyBatchDerived(committee, certificates) }

/** [Committee.verifyRaw] off the calling thread. */
public suspend fun Committee.awaitVerifyRaw(message: ByteArray, signers: SignerSet, proof: ByteArray): BigInteger =
    offThread { verifyRaw(message, signers, proof) }

/** [Committee.verifyRawEach] off the calling thread. */
public suspend fun Committee.awaitVerifyRawEach(signed: Iterable<Pair<Int, ByteArray>>, proof: ByteArray): BigInteger =
    offThread { verifyRawEach(signed, proof) }

/** [Committee.verifyRawBatch] off the calling thread. */
public suspend fun Committee.awaitVerifyRawBatch(claims: List<RawClaim>): List<Verdict<BigInteger>> =
    offThread { verifyRawBatch(claims) }

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
 * [Dsig.Signer.prepare] off the calling thread. A batch that was in progress when the call was cancelled appears in
 * [Dsig.Signer.announcements].
 */
public suspend fun Dsig.Signer.awaitPrepare(now: ULong = now()): Dsig.Announced? = offThread { prepare(now) }

/** [Dsig.verifyAll] off the calling thread. */
public suspend fun Dsig.awaitVerifyAll(suite: Dsig.Suite, entries: List<Dsig.Entry>): List<QuorateException?> =
    offThread { verifyAll(suite, entries) }

/** [TrustedDealer.deal] off the calling thread. */
public suspend fun TrustedDealer.awaitDeal(epoch: ULong, plan: Plan): List<Presignatures> =
    offThread { deal(epoch, plan) }

/** [Ciphertext.check] off the calling thread. */
public suspend fun Ciphertext.awaitCheck(key: EncryptionKey, epoch: ULong, proposer: Int): ValidCiphertext =
    offThread { check(key, epoch, proposer) }

/** [Tdh2Keys.verifyShares] off the calling thread. */
public suspend fun Tdh2Keys.awaitVerifyShares(
    instance: ValidCiphertext,
    shares: List<DecryptionShare>,
): CheckedDecryptionShares = offThread { verifyShares(instance, shares) }

/** [CoinKeys.verifyShares] off the calling thread. */
public suspend fun CoinKeys.awaitVerifyShares(instance: Coin, shares: List<CoinShare>): CheckedCoinShares =
    offThread { verifyShares(instance, shares) }

/** [Coder.disperse] off the calling thread. */
public suspend fun Coder.awaitDisperse(message: ByteArray): Dispersal = offThread { disperse(message) }

/** [Coder.decode] off the calling thread. */
public suspend fun Coder.awaitDecode(shards: List<CheckedShard>): Dispersal = offThread { decode(shards) }

/** [Aggregate.verify] off the calling thread. */
public suspend fun Aggregate.awaitVerify(committee: Committee): VerifiedAggregate = offThread { verify(committee) }

/** [Aggregate.verifyBatch] off the calling thread. */
public suspend fun Aggregate.Companion.awaitVerifyBatch(
    committee: Committee,
    aggregates: List<Aggregate>,
): List<Verdict<VerifiedAggregate>> = offThread { verifyBatch(committee, aggregates) }

/** [Aggregate.verifyBatchDerived] off the calling thread. */
public suspend fun Aggregate.Companion.awaitVerifyBatchDerived(
    committee: Committee,
    aggregates: List<Aggregate>,
): List<Verdict<VerifiedAggregate>> = offThread { verifyBatchDerived(committee, aggregates) }

/** [Ticket.verify] off the calling thread. */
public suspend fun Ticket.awaitVerify(lottery: Lottery): VerifiedTicket = offThread { verify(lottery) }

private suspend fun <T> offThread(work: () -> T): T = suspendCancellableCoroutine { continuation ->
    Dispatchers.Default.asExecutor().execute {
        if (continuation.isActive) continuation.resumeWith(runCatching(work))
    }
}

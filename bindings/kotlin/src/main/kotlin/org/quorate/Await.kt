@file:JvmName("Await")
@file:JvmMultifileClass

package org.quorate

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asExecutor
import kotlinx.coroutines.suspendCancellableCoroutine

// Verification off the calling thread, on the dispatcher that coroutines use for computation. Cancellation returns at
// once; a verification that has not started is then skipped. From Java use `CompletableFuture.supplyAsync` with the
// blocking calls.

/**
 * [Dsig.Signer.prepare] off the calling thread. A batch that was in progress when the call was cancelled appears in
 * [Dsig.Signer.announcements].
 */
public suspend fun Dsig.Signer.awaitPrepare(now: ULong = now()): Dsig.Announced? = offThread { prepare(now) }

/** [Dsig.verifyAll] off the calling thread. */
public suspend fun Dsig.awaitVerifyAll(suite: Dsig.Suite, entries: List<Dsig.Entry>): List<QuorateException?> =
    offThread { verifyAll(suite, entries) }

@JvmSynthetic
internal suspend fun <T> offThread(work: () -> T): T = suspendCancellableCoroutine { continuation ->
    Dispatchers.Default.asExecutor().execute {
        if (continuation.isActive) continuation.resumeWith(runCatching(work))
    }
}

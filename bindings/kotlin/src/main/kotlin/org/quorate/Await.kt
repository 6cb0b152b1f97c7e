@file:JvmSynthetic

package org.quorate

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asExecutor
import kotlinx.coroutines.suspendCancellableCoroutine

/**
 * Runs a long call off the calling thread, on the dispatcher that coroutines use for computation. Cancellation returns at
 * once; a call that has not started is then skipped. From Java use `CompletableFuture.supplyAsync` with the blocking
 * calls.
 */
internal suspend fun <T> offThread(work: () -> T): T = suspendCancellableCoroutine { continuation ->
    Dispatchers.Default.asExecutor().execute {
        if (continuation.isActive) continuation.resumeWith(runCatching(work))
    }
}

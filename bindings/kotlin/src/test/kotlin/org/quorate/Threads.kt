package org.quorate

import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutionException
import java.util.concurrent.Executors
import java.util.concurrent.Future

/** Starts the work in all threads at the same time, and returns the results; an exception in one is thrown here. */
internal fun <T> together(threads: Int, work: (Int) -> T): List<T> {
    val start = CountDownLatch(1)
    val running = List(threads) { number ->
        background {
            start.await()
            work(number)
        }
    }
    start.countDown()
    return running.map { it.result() }
}

/** Starts the work in another thread. */
internal fun <T> background(work: () -> T): Future<T> {
    val executor = Executors.newSingleThreadExecutor()
    return executor.submit<T> { work() }.also { executor.shutdown() }
}

internal fun <T> Future<T>.result(): T =
    try {
        get()
    } catch (failed: ExecutionException) {
        throw failed.cause ?: failed
    }

/** The code of the error that the call throws; otherwise `ok`. */
internal fun codeOf(call: () -> Unit): String =
    try {
        call()
        "ok"
    } catch (refused: QuorateException) {
        refused.code
    }

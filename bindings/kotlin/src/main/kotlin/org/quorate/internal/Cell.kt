@file:JvmSynthetic

package org.quorate.internal

import java.util.concurrent.atomic.AtomicInteger
import org.quorate.QuorateException
import org.quorate.translated

/**
 * A native object with a count of the calls that use it as receiver or argument. uniffi counts for the receiver only:
 * an argument that another thread closes at that moment would be used after it was freed.
 */
internal class Cell<N : Disposable>(@PublishedApi internal val native: N, private val name: String) {
    /** Calls in progress; [CLOSED] more once the object is closed. */
    private val calls = AtomicInteger()

    /** Runs [work] with the native object, which stays alive meanwhile. */
    inline fun <T> call(work: (N) -> T): T {
        enter()
        try {
            return translated { work(native) }
        } finally {
            leave()
        }
    }

    fun close() {
        if (calls.getAndUpdate { if (it < 0) it else it + CLOSED } == 0) native.destroy()
    }

    fun enter() {
        while (true) {
            val before = calls.get()
            if (before < 0) throw QuorateException.Closed("this $name was closed or consumed")
            if (calls.compareAndSet(before, before + 1)) return
        }
    }

    fun leave() {
        if (calls.decrementAndGet() == CLOSED) native.destroy()
    }

    private companion object {
        const val CLOSED = Int.MIN_VALUE
    }
}

/** Lets [work] take the secret out of the object, which is closed in any case. */
internal inline fun <N : Disposable, T> Cell<N>.handOver(work: (N) -> T): T =
    try {
        call(work)
    } finally {
        close()
    }

/** Runs [work] with all native objects, which stay alive meanwhile. */
internal inline fun <N : Disposable, T> callAll(cells: List<Cell<N>>, work: (List<N>) -> T): T {
    var entered = 0
    try {
        for (cell in cells) {
            cell.enter()
            entered++
        }
        return translated { work(cells.map { it.native }) }
    } finally {
        for (cell in cells.subList(0, entered)) cell.leave()
    }
}

/** Runs [work] with the native object, if there is one, which stays alive meanwhile. */
internal inline fun <N : Disposable, T> callOptional(cell: Cell<N>?, work: (N?) -> T): T {
    cell?.enter()
    try {
        return translated { work(cell?.native) }
    } finally {
        cell?.leave()
    }
}

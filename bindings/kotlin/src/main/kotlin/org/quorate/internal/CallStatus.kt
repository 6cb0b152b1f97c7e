@file:JvmSynthetic

package org.quorate.internal

/**
 * One status per thread instead of one per call: creating one is expensive, and the verification of a certificate takes
 * three calls.
 *
 * JNA does not synchronise the fields with the native memory. While it reads or writes a structure, the structure is in
 * a set of the thread; a stack overflow leaves it there, and JNA then skips it for the rest of the thread's life. Every
 * later error of the thread would be lost.
 */
private val statuses = ThreadLocal.withInitial { UniffiRustCallStatus().apply { setAutoSynch(false) } }

/** Returns the thread's status for a call. Rust writes it only if the call fails, so the code is cleared here. */
internal fun callStatus(): UniffiRustCallStatus = statuses.get().also { it.pointer.setByte(0, UNIFFI_CALL_SUCCESS) }

/**
 * Returns the error that Rust wrote into the native memory of the status; `null` if the call succeeded. The error is a
 * new structure at a new address, which JNA cannot skip.
 */
internal fun UniffiRustCallStatus.failure(): UniffiRustCallStatus? {
    if (pointer.getByte(0) == UNIFFI_CALL_SUCCESS) return null
    val copy = UniffiRustCallStatus()
    copy.pointer.write(0, pointer.getByteArray(0, size()), 0, size())
    // The message belongs to the copy: a later call must find no buffer that is freed.
    pointer.clear(size().toLong())
    copy.read()
    return copy
}

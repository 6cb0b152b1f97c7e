package org.quorate

import com.sun.jna.Structure
import java.util.concurrent.FutureTask
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.quorate.internal.callStatus

/** A [StackOverflowError] inside a native call ends that call only: later calls of the thread report their errors. */
class OverflowTest {
    private val example = Example(Suite.ED25519)
    private val valid = example.votes[0]
    private val invalid = Vote(example.statement, 1, example.secrets[0].sign(ByteArray(0)))
    private var overflows = 0

    /** The state that an overflow leaves: see `CallStatus.kt`. JNA has no public function to reach it. */
    @Test
    fun `errors are reported if JNA takes the status for being read`() {
        background {
            val busy = Structure::class.java.getDeclaredMethod("busy").apply { isAccessible = true }.invoke(null)
            @Suppress("UNCHECKED_CAST") (busy as MutableSet<Structure>).add(callStatus())
            repeat(3) { check("call $it") }
        }.result()
    }

    @Test
    fun `errors are reported after stack overflows at many depths`() {
        val task = FutureTask {
            for (round in 0..<ROUNDS) {
                check("round $round")
                below(round % OFFSETS) { descend() }
            }
            check("end")
        }
        Thread(null, task, "small stack", STACK_BYTES).start()
        task.result()
        assertTrue(overflows > ROUNDS, "$overflows overflows in $ROUNDS rounds")
    }

    private fun check(moment: String) {
        assertEquals("BAD_SIGNATURE", codeOf { invalid.verify(example.committee) }, moment)
        assertEquals("ok", codeOf { valid.verify(example.committee) }, moment)
        assertEquals(4, example.committee.size, moment)
    }

    /**
     * Fills the stack, then tries a call in each frame on the way back until it completes: each attempt has the stack
     * of one frame more, so overflows hit many places in the call. The call has neither an argument nor a result in
     * a structure: JNA's native code crashes the JVM if such a call overflows.
     */
    private fun descend(): Boolean =
        attempt { descend() } ||
            attempt {
                example.committee.size
                true
            }

    private inline fun attempt(work: () -> Boolean): Boolean =
        try {
            work()
        } catch (_: StackOverflowError) {
            overflows++
            false
        }

    /** Moves the frames of [work] by a number of frames of another size. */
    private fun below(frames: Int, work: () -> Unit): Unit = if (frames == 0) work() else below(frames - 1, work)

    private companion object {
        const val ROUNDS = 60
        const val OFFSETS = 40
        const val STACK_BYTES = 256L * 1024
    }
}

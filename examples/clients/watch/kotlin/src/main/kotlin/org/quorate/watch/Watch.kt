// Follows the validators of a chain and verifies everything they report.
package org.quorate.watch

import com.google.gson.JsonArray
import com.google.gson.JsonObject
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Job
import kotlinx.coroutines.cancelChildren
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeoutOrNull
import org.quorate.QuorateException

// Exit codes.
const val USAGE = 2
const val NO_GENESIS = 3
const val NOTHING_VERIFIED = 4
private const val NOT_PROVED = 6
private const val INVALID_REPORT = 7
private const val FORK = 8

private val MIN_PAUSE = 250.milliseconds
private val MAX_PAUSE = 5.seconds
private val PROOF_WAIT = 5.seconds
private const val MAX_BLOCK = 4 shl 20
private const val MAX_PROOF = 16 shl 20
private const val MAX_TICKET = 64 shl 10
private const val MAX_EPOCHS = 160 shl 20
private val HEIGHT = Regex("id: ?([0-9]{1,15})")

/** Parsed command line. */
class WatchOptions(
    val from: Long,
    val probe: Duration,
    val timeout: Duration,
    val duration: Duration?,
)

/** Coordinates the followers and reports events. Not thread-safe. */
class Watcher(val chain: Chain, links: List<Link>, val options: WatchOptions, private val printer: Printer) {
    private val followers = links.map { Follower(this, it) }
    private val done = CompletableDeferred<Unit>()
    private val disputed = mutableSetOf<String>()
    private var worst = 0
    private var lost = 0
    private var late = 0
    private var alarms = 0

    /** Watches until stopped, and returns the exit code. */
    suspend fun run(): Int = coroutineScope {
        val following = followers.map { follower -> launch { follower.run() } }
        launch {
            following.forEach { it.join() }
            stop()
        }
        if (options.probe > Duration.ZERO) launch { probe() }
        withTimeoutOrNull(options.duration ?: Duration.INFINITE) { done.await() }
        coroutineContext.cancelChildren()
        summary()
        code()
    }

    /** Safe to call from any thread. */
    fun stop() {
        done.complete(Unit)
    }

    /** Submits a transaction at intervals, to each validator in turn. */
    private suspend fun probe() {
        var number = 0
        while (true) {
            delay(options.probe)
            // A proof leads to the newest epoch, from which blocks of many epochs before cannot be verified.
            if (chain.client.protocol == "gosig" && followers.none { it.caughtUp }) continue
            val value = "${System.currentTimeMillis()}-${System.nanoTime()}"
            val transaction = "put watch-${ProcessHandle.current().pid()} $value"
            prove(transaction.toByteArray(), number++)
        }
    }

    /** Asks the validators in turn until one proves that the transaction is committed. */
    private suspend fun prove(transaction: ByteArray, first: Int) {
        val wanted = hex(TRANSACTIONS.leaf(transaction))
        var code = "UNREACHABLE"
        for (number in followers.indices) {
            val follower = followers[(first + number) % followers.size]
            if (follower.state == "refused") continue
            try {
                if (follower.prove(transaction, wanted)) return
            } catch (error: Lost) {
                currentCoroutineContext().ensureActive()
                code = error.code
            }
        }
        late += 1
        say("late", "${short(wanted)}  no validator proved it in time ($code)", "transaction" to wanted, "code" to code)
    }

    fun alarm(url: String, error: RuntimeException, of: String) {
        alarms += 1
        worst = maxOf(worst, if (error is Contradiction) FORK else INVALID_REPORT)
        val code = codeOf(error) ?: throw error
        val fields = mutableListOf<Pair<String, Any?>>()
        fields += listOf("validator" to url, "code" to code, "message" to "$of: ${error.message}")
        if (error is Contradiction) fields += "evidence" to hex(error.evidence)
        say("alarm", "$url: $of: ${error.message} ($code)", *fields.toTypedArray())
        if (error is Contradiction) stop()
    }

    /** Reports two validators with different blocks at one height and no proof. Each is named once. */
    fun dispute(height: Long, url: String, other: String) {
        if (url in disputed || other in disputed) return
        val message = "$other reports a different block, and no proof decides between them"
        alarm(url, Refused("WRONG_CONTEXT", message), "block $height")
        disputed += listOf(url, other)
    }

    /** Refuses the validators whose earlier reports a proof contradicts. */
    fun refuseRefuted(proven: Proven) {
        val refuted = chain.refutedBy(proven.height, proven.digest)
        val what = "block ${proven.height} is ${short(proven.digest)}"
        val refusal = Refused("WRONG_CONTEXT", "a proof shows that $what, unlike the earlier report")
        followers.filter { it.link.url in refuted }.forEach { it.refuseOnce(refusal) }
    }

    fun lost(url: String, lost: Lost, pause: Duration) {
        this.lost += 1
        val line = "$url: ${lost.message} (${lost.code}); next attempt in ${seconds(pause)} s"
        say("lost", line, "validator" to url, "code" to lost.code, "message" to lost.message)
    }

    fun say(event: String, line: String, vararg fields: Pair<String, Any?>) = printer.say(event, line, fields.toList())

    private fun summary() {
        val blocks = followers.sumOf { it.blocks }
        val followed = followers.count { it.blocks > 0 }
        val validators = JsonArray()
        for (follower in followers) {
            val entry = JsonObject()
            entry.addProperty("validator", follower.link.url)
            entry.addProperty("blocks", follower.blocks)
            entry.addProperty("state", follower.state)
            validators.add(entry)
        }
        say(
            "summary",
            "${chain.certificates} certificates and ${chain.proofs} proofs verified; $blocks blocks of $followed of " +
                "${followers.size} validators agree; lost $lost, late $late, alarms $alarms",
            "certificates" to chain.certificates,
            "proofs" to chain.proofs,
            "view" to chain.view,
            "lost" to lost,
            "late" to late,
            "alarms" to alarms,
            "code" to code(),
            "validators" to validators,
        )
    }

    private fun code(): Int = when {
        worst > 0 -> worst
        followers.all { it.blocks == 0 } -> NOTHING_VERIFIED
        late > 0 -> NOT_PROVED
        else -> 0
    }
}

/** Follows one validator: reconnects after a failure, and stops once it is refused. */
class Follower(private val watcher: Watcher, val link: Link) {
    var blocks = 0
        private set
    var state = "silent"
        private set
    var caughtUp = false
        private set
    private var next = watcher.options.from
    private var pause = MIN_PAUSE
    private var last: Claim? = null
    private var job: Job? = null

    suspend fun run() = coroutineScope {
        job = launch {
            while (state != "refused") {
                try {
                    follow()
                } catch (error: Lost) {
                    ensureActive() // no event follows the summary
                    wait(error)
                } catch (error: RuntimeException) {
                    ensureActive()
                    refuse(error, "block $next")
                }
            }
        }
    }

    private suspend fun follow() = link.lines("/v1/commits").collect { line ->
        if (!line.startsWith("id:")) return@collect
        val found = HEIGHT.matchEntire(line) ?: throw Refused("MALFORMED", "malformed stream: expected a height after `id:`")
        val height = found.groupValues[1].toLong()
        if (next == 0L) next = maxOf(height, 1)
        // Read the blocks missed while disconnected; the stream waits meanwhile.
        while (next <= height) block(next)
        caughtUp = true
    }

    private suspend fun block(height: Long) {
        val answer = link.get("/v1/blocks/$height", MAX_BLOCK)
        val epoch = watcher.chain.claimedEpoch(answer)
        handOver(epoch)
        val found = try {
            watcher.chain.certified(last, height, answer)
        } catch (error: QuorateException) {
            if (!watcher.chain.isForgotten(epoch)) throw error
            next = 0
            last = null
            val message = "block $height is of epoch $epoch, which is too old to be verified; the newest block is next"
            throw Lost(error.code, message)
        }
        last = found.claim
        next = height + 1
        val certified = found.block ?: return
        if (blocks == 0) {
            watcher.chain.firstMissed(certified)?.let {
                next = it
                last = null
                return
            }
        }
        watcher.chain.agree(certified, link.url)?.let { watcher.dispute(certified.height, link.url, it) }
        if (state == "lost") {
            val line = "${link.url}: followed again from block ${certified.height}"
            watcher.say("back", line, "validator" to link.url, "height" to certified.height)
        }
        blocks += 1
        state = "followed"
        pause = MIN_PAUSE
        if (watcher.chain.newest(certified)) say(certified, found.signers)
    }

    private fun say(block: Claim, signers: List<Int>) {
        val list = JsonArray()
        signers.forEach(list::add)
        watcher.say(
            "block",
            "${block.height.toString().padStart(7)}  view ${block.view}  ${short(block.digest)}  by ${block.author ?: "all"}  " +
                "${block.transactions} transactions  signed by ${signers.joinToString(" ")}  ${link.url}",
            "height" to block.height,
            "view" to block.view,
            "digest" to block.digest,
            "author" to block.author,
            "transactions" to block.transactions,
            "signers" to list,
            "validator" to link.url,
        )
    }

    /** Follows the changes of the members up to an epoch, as far as this validator knows them. */
    private suspend fun handOver(needed: ULong) {
        val client = watcher.chain.client
        var reached: ULong? = null
        while (client.epoch < needed && client.epoch != reached) {
            reached = client.epoch
            val answer = link.get("/v1/epochs?from=${reached + 1u}", MAX_EPOCHS)
            for (epoch in watcher.chain.handOver(answer, needed)) {
                val members = client.voters(epoch).size
                val line = "${epoch.toString().padStart(7)}  $members members  ${link.url}"
                watcher.say("epoch", line, "epoch" to epoch.toLong(), "members" to members, "validator" to link.url)
            }
        }
    }

    /** Submits a transaction and returns true if this validator proves its commit. */
    suspend fun prove(transaction: ByteArray, wanted: String): Boolean {
        link.post("/v1/transactions", transaction, MAX_TICKET)
        val answer = link.get("/v1/transactions/$wanted?wait=${PROOF_WAIT.inWholeSeconds}", MAX_PROOF, PROOF_WAIT)
        val found = try {
            if (watcher.chain.client.protocol == "gosig") handOver(ULong.MAX_VALUE)
            watcher.chain.proof(wanted, answer)
        } catch (error: RuntimeException) {
            currentCoroutineContext().ensureActive() // the program may have stopped while another thread verified the proof
            refuse(error, "proof of ${short(wanted)}")
            return false
        }
        watcher.say(
            "proof",
            "${short(wanted)}  is in block ${found.height}, ${short(found.digest)}  ${link.url}",
            "transaction" to wanted,
            "height" to found.height,
            "digest" to found.digest,
            "validator" to link.url,
        )
        watcher.refuseRefuted(found)
        return true
    }

    fun refuseOnce(refusal: Refused) {
        if (state != "refused") refuse(refusal, "block $next")
    }

    private suspend fun wait(lost: Lost) {
        state = "lost"
        watcher.lost(link.url, lost, pause)
        delay(pause)
        pause = minOf(pause * 2, MAX_PAUSE)
    }

    private fun refuse(error: RuntimeException, of: String) {
        if (codeOf(error) == null) throw error
        state = "refused"
        watcher.chain.forget(link.url)
        watcher.alarm(link.url, error, of)
        job?.cancel()
    }
}

/** The code for refusing a validator; null for an internal error or a cancellation. */
private fun codeOf(error: RuntimeException): String? = when (error) {
    is CancellationException -> null
    is QuorateException -> error.code
    is Refused -> error.code
    is Contradiction -> "CONTRADICTION"
    else -> null
}

fun seconds(time: Duration): String = (time.inWholeMilliseconds / 1000.0).toString().removeSuffix(".0")

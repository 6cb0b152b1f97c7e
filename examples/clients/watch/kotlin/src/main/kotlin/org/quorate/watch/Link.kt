// HTTP with untrusted servers: every response has a deadline and a maximum size, and redirects are not followed.
package org.quorate.watch

import com.google.gson.JsonElement
import com.google.gson.JsonNull
import com.google.gson.JsonParser
import com.google.gson.JsonParseException
import com.google.gson.Strictness
import com.google.gson.stream.JsonReader
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.StringReader
import java.net.URI
import java.net.URISyntaxException
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse
import java.net.http.HttpResponse.BodyHandler
import java.net.http.HttpResponse.BodyHandlers
import java.net.http.HttpResponse.BodySubscriber
import java.nio.ByteBuffer
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException
import java.util.concurrent.CompletionStage
import java.util.concurrent.Flow
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlin.time.DurationUnit
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.getOrElse
import kotlinx.coroutines.flow.Flow as Lines
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.future.await
import kotlinx.coroutines.withTimeout

private const val MAX_LINE = 64 shl 10
private const val MAX_PIECES = 1 shl 16
private val KEEP_ALIVE = 10.seconds // a validator sends a keep-alive line at least this often
private val CLIENT: HttpClient = HttpClient.newBuilder()
    .version(HttpClient.Version.HTTP_1_1)
    .followRedirects(HttpClient.Redirect.NEVER)
    .proxy(HttpClient.Builder.NO_PROXY)
    .build()

/** A failed request. This is no evidence of a fault: the validator may be down, busy or slow. */
class Lost(val code: String, message: String) : IOException(message)

/** A validator's HTTP interface. */
class Link(val url: String, private val timeout: Duration) {
    private val base = url.trimEnd('/')

    init {
        val parts = try {
            URI(url)
        } catch (_: URISyntaxException) {
            null
        }
        val usable = parts?.scheme in listOf("http", "https") && parts?.host != null && parts.userInfo == null
        require(usable && parts.query == null && parts.fragment == null) {
            "$url is not a validator's address; write it like http://127.0.0.1:8100"
        }
    }

    /** Returns the JSON of a response of at most [maxBytes] bytes. */
    suspend fun get(path: String, maxBytes: Int, wait: Duration = Duration.ZERO): JsonElement =
        ask(request(path).build(), maxBytes, wait)

    suspend fun post(path: String, body: ByteArray, maxBytes: Int): JsonElement {
        val request = request(path).header("content-type", "application/octet-stream")
        return ask(request.POST(BodyPublishers.ofByteArray(body)).build(), maxBytes, Duration.ZERO)
    }

    /** Yields the lines of an endless stream. Each line must be complete before its deadline. */
    fun lines(path: String): Lines<String> = flow {
        val response = within(timeout) { CLIENT.sendAsync(request(path).build(), BodyHandlers.ofPublisher()).await() }
        val pieces = Pieces()
        response.body().subscribe(pieces)
        try {
            if (response.statusCode() != 200) throw Lost("REFUSED", "unexpected status HTTP ${response.statusCode()}")
            var rest = ByteArray(0)
            while (true) {
                within(timeout + KEEP_ALIVE) {
                    while (NEWLINE !in rest) {
                        if (rest.size > MAX_LINE) throw Lost("TOO_LARGE", "line too long: more than $MAX_LINE bytes")
                        rest += pieces.next()
                    }
                }
                val end = rest.lastIndexOf(NEWLINE)
                val lines = String(rest, 0, end, Charsets.ISO_8859_1)
                rest = rest.copyOfRange(end + 1, rest.size)
                for (line in lines.split('\n')) emit(line.removeSuffix("\r"))
            }
        } finally {
            pieces.cancel()
        }
    }

    private fun request(path: String): HttpRequest.Builder = HttpRequest.newBuilder(URI("$base$path"))

    private suspend fun ask(request: HttpRequest, maxBytes: Int, wait: Duration): JsonElement = within(timeout + wait) {
        val response = CLIENT.sendAsync(request, atMost(maxBytes)).await()
        val answer = parsed(response.body())
        if (response.statusCode() !in listOf(200, 202)) {
            throw Lost(refusal(answer), "unexpected status HTTP ${response.statusCode()}")
        }
        answer
    }
}

private const val NEWLINE = '\n'.code.toByte()

/** Runs a network operation with a deadline, and converts its failures to [Lost]. */
private suspend fun <T> within(time: Duration, work: suspend () -> T): T =
    try {
        withTimeout(time) { work() }
    } catch (_: TimeoutCancellationException) {
        val seconds = time.toDouble(DurationUnit.SECONDS).toString().removeSuffix(".0")
        throw Lost("TIMEOUT", "no complete response within $seconds s")
    } catch (error: IOException) {
        throw lost(error)
    } catch (error: CompletionException) {
        throw lost(error)
    }

private fun lost(error: Throwable): Lost =
    generateSequence(error) { it.cause }.filterIsInstance<Lost>().firstOrNull()?.let { Lost(it.code, it.message ?: "") }
        ?: Lost("UNREACHABLE", "no connection")

/** Reads a body of limited size. */
private fun atMost(maxBytes: Int): BodyHandler<ByteArray> = BodyHandler { response ->
    LimitedBody(response.headers().firstValueAsLong("content-length").orElse(-1), maxBytes)
}

private class LimitedBody(private val length: Long, private val maxBytes: Int) : BodySubscriber<ByteArray> {
    private val whole = CompletableFuture<ByteArray>()
    private val found = ByteArrayOutputStream()
    private var number = 0
    private lateinit var subscription: Flow.Subscription

    override fun getBody(): CompletionStage<ByteArray> = whole

    override fun onSubscribe(subscription: Flow.Subscription) {
        this.subscription = subscription
        if (length > maxBytes) fail("TOO_LARGE", "response too large: at most $maxBytes bytes, got $length")
        else subscription.request(1)
    }

    override fun onNext(pieces: List<ByteBuffer>) {
        number += pieces.size
        if (number > MAX_PIECES) return fail("TOO_LARGE", "response too large: more than $MAX_PIECES pieces")
        for (piece in pieces) {
            if (found.size() + piece.remaining() > maxBytes) return fail("TOO_LARGE", "response too large: more than $maxBytes bytes")
            val bytes = ByteArray(piece.remaining())
            piece.get(bytes)
            found.write(bytes, 0, bytes.size)
        }
        subscription.request(1)
    }

    override fun onError(error: Throwable) {
        if (length >= 0) fail("TRUNCATED", "truncated response: ended after ${found.size()} of $length bytes")
        else fail("ENDED", "the connection ended")
    }

    override fun onComplete() {
        whole.complete(found.toByteArray())
    }

    private fun fail(code: String, message: String) {
        subscription.cancel()
        whole.completeExceptionally(Lost(code, message))
    }
}

/** The pieces of a stream with backpressure: the next piece is read once the last one was consumed. */
private class Pieces : Flow.Subscriber<List<ByteBuffer>> {
    private val waiting = Channel<ByteArray>(1)
    private val subscribed = CompletableFuture<Flow.Subscription>()

    suspend fun next(): ByteArray {
        subscribed.await().request(1)
        return waiting.receiveCatching().getOrElse { throw Lost("ENDED", "the stream ended") }
    }

    fun cancel() {
        subscribed.thenAccept { it.cancel() }
        waiting.close()
    }

    override fun onSubscribe(subscription: Flow.Subscription) {
        subscribed.complete(subscription)
    }

    override fun onNext(pieces: List<ByteBuffer>) {
        val whole = ByteArrayOutputStream()
        for (piece in pieces) ByteArray(piece.remaining()).also { piece.get(it) }.let { whole.write(it, 0, it.size) }
        waiting.trySend(whole.toByteArray())
    }

    override fun onError(error: Throwable) {
        waiting.close()
    }

    override fun onComplete() {
        waiting.close()
    }
}

private fun parsed(content: ByteArray): JsonElement =
    try {
        val reader = JsonReader(StringReader(content.toString(Charsets.UTF_8)))
        reader.strictness = Strictness.STRICT
        JsonParser.parseReader(reader)
    } catch (_: JsonParseException) {
        JsonNull.INSTANCE // the caller reports the missing field
    }

/** Returns the code of an error response, if it is well-formed: untrusted text is never printed unchecked. */
private fun refusal(answer: JsonElement): String =
    textOrNull(answer, "code")?.takeIf { Regex("[A-Z_]{1,32}").matches(it) } ?: "REFUSED"

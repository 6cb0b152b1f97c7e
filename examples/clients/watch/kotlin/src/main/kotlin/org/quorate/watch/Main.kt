package org.quorate.watch

import com.google.gson.JsonParseException
import com.google.gson.JsonParser
import java.io.IOException
import java.nio.file.Path
import kotlin.concurrent.thread
import kotlin.io.path.readText
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.runBlocking
import org.quorate.LightClient
import org.quorate.QuorateException

private val WITH_VALUE = setOf("--genesis", "--from", "--probe", "--timeout", "--duration")
private val SECONDS = Regex("""[0-9]{1,9}(\.[0-9]{1,9})?""")
private val ALONE = setOf("--json", "--help")

/** A reason to stop, with its exit code. */
private class ExitError(val code: Int, message: String) : RuntimeException(message)

fun main(arguments: Array<String>) {
    var code = 1
    try {
        code = run(CommandLine.parse(arguments.toList()))
    } catch (stop: ExitError) {
        Printer(false) {}.printError("watch: ${stop.message}")
        code = stop.code
    } catch (error: Throwable) {
        error.printStackTrace()
    } finally {
        // Exits without waiting for open connections or for the hook below.
        Runtime.getRuntime().halt(code)
    }
}

private fun run(line: CommandLine): Int {
    val printer = Printer(line.json) { Runtime.getRuntime().halt(0) }
    if (line.help) {
        val text = CommandLine::class.java.getResource("/help.txt") ?: throw ExitError(1, "help.txt is missing")
        printer.print(text.readText().replace("{program}", "./watch.sh"))
        return 0
    }
    val (urls, genesis) = if (line.urls.isEmpty()) testnet() else Pair(line.urls, line.genesis.orEmpty())
    val chain = Chain(lightClient(line.genesis ?: genesis))
    val links = try {
        urls.map { Link(it, line.options.timeout) }
    } catch (error: IllegalArgumentException) {
        throw ExitError(USAGE, error.message.orEmpty())
    }
    val watcher = Watcher(chain, links, line.options, printer)
    // On Ctrl-C the summary is still printed; the end of the program ends the hook.
    Runtime.getRuntime().addShutdownHook(
        thread(start = false) {
            watcher.stop()
            Thread.sleep(60_000)
        },
    )
    return runBlocking { watcher.run() }
}

private fun lightClient(file: String): LightClient =
    try {
        LightClient.fromGenesis(Path.of(file).readText())
    } catch (error: IOException) {
        throw ExitError(NO_GENESIS, "cannot read $file")
    } catch (error: QuorateException) {
        throw ExitError(NO_GENESIS, "$file: ${error.message}")
    }

/** The most recently started testnet, as the program `quorate` finds it. */
private fun testnet(): Pair<List<String>, String> {
    val state = System.getenv("XDG_STATE_HOME")?.ifEmpty { null } ?: "${System.getProperty("user.home")}/.local/state"
    val file = System.getenv("QUORATE_TESTNET")?.ifEmpty { null }?.let { Path.of(it, "testnet.json") }
        ?: Path.of(state, "quorate/testnet.json")
    try {
        val found = JsonParser.parseString(file.readText()).asJsonObject
        return Pair(found["http"].asJsonArray.map { it.asString }, found["genesis"].asString)
    } catch (_: IOException) {
        // reported below
    } catch (_: JsonParseException) {
        // reported below
    }
    throw ExitError(NOTHING_VERIFIED, "no testnet is running; start one with `quorate testnet`, or name validators and --genesis")
}

private class CommandLine(
    val urls: List<String>,
    val genesis: String?,
    val json: Boolean,
    val help: Boolean,
    val options: WatchOptions,
) {
    companion object {
        fun parse(arguments: List<String>): CommandLine {
            val urls = mutableListOf<String>()
            val found = mutableMapOf<String, String>()
            val left = ArrayDeque(arguments)
            while (left.isNotEmpty()) {
                val word = left.removeFirst()
                val name = word.substringBefore('=')
                when {
                    !word.startsWith("-") -> urls += word
                    word in ALONE -> found[word] = ""
                    name !in WITH_VALUE -> wrong("unknown option $word")
                    word != name -> found[name] = word.substringAfter('=')
                    else -> found[name] = left.removeFirstOrNull() ?: wrong("missing value of $name")
                }
            }
            if (urls.isNotEmpty() && "--genesis" !in found) wrong("validators on the command line need --genesis FILE")
            val options = WatchOptions(
                from = found["--from"]?.let(::height) ?: 0,
                probe = seconds(found["--probe"] ?: "1", 0.0),
                timeout = seconds(found["--timeout"] ?: "10", 0.001),
                duration = found["--duration"]?.let { seconds(it, 0.001) },
            )
            return CommandLine(urls, found["--genesis"], "--json" in found, "--help" in found, options)
        }

        private fun height(text: String): Long =
            text.takeIf { Regex("[0-9]{1,15}").matches(it) }?.toLong()?.takeIf { it > 0 }
                ?: wrong("invalid height '$text': expected an integer from 1")

        private fun seconds(text: String, least: Double): Duration =
            text.takeIf { SECONDS.matches(it) }?.toDouble()?.takeIf { it >= least }?.seconds
                ?: wrong("invalid duration '$text': expected a number of seconds")

        private fun wrong(what: String): Nothing = throw ExitError(USAGE, "$what; see --help")
    }
}

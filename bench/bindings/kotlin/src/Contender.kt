// quorate in Kotlin. The protocol is that of `bench/src/bindings/contender.rs`: one line in, one line out.

import com.google.gson.JsonArray
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import java.io.File
import java.lang.management.ManagementFactory
import java.math.BigInteger
import java.util.HexFormat
import org.quorate.AttestedMember
import org.quorate.Certificate
import org.quorate.ChainId
import org.quorate.Committee
import org.quorate.Dsig
import org.quorate.PublicKey
import org.quorate.Quorate
import org.quorate.QuorateException
import org.quorate.Suite

private typealias Operations = Map<String, () -> Unit>

/** Number of calls after which the compiler has fully optimised a method. */
private const val WARM_UP_CALLS = 12_000

private val chain = ChainId.fromName("bench")
private val clock = ManagementFactory.getThreadMXBean()

fun main(arguments: Array<String>) {
    val world = JsonParser.parseString(File(arguments.single()).readText()).asJsonObject
    val given = world.getAsJsonObject("certificates")
    // Warms up with a committee of four, because certificates of a hundred would take half a minute.
    val small = certificates(Suite.ED25519, "small", given.getAsJsonObject("small"))
    val oneTime = oneTime(world.getAsJsonObject("dsig"))
    repeat(WARM_UP_CALLS) { (small + oneTime).values.forEach { it() } }
    val operations = suites.flatMap { (name, suite) -> certificates(suite, name, given.getAsJsonObject(name)).entries }
        .associate { it.toPair() } + sync(world.getAsJsonObject("sync")) + oneTime
    val about = "quorate ${Quorate.VERSION}, Java ${Runtime.version().feature()}, Kotlin ${KotlinVersion.CURRENT}"
    val names = operations.keys.joinToString { "\"$it\"" }
    println("""{"about": "$about", "operations": [$names]}""")
    generateSequence(::readLine).forEach { line ->
        val (name, runs, warmUps) = line.split(' ')
        val work = operations.getValue(name)
        repeat(warmUps.toInt()) { work() }
        val began = clock.currentThreadCpuTime
        repeat(runs.toInt()) { work() }
        println(clock.currentThreadCpuTime - began)
    }
}

private val suites = mapOf("min-sig" to Suite.MIN_SIG, "min-pk" to Suite.MIN_PK, "ed25519" to Suite.ED25519)

/** The operations close their results, so that the figures include freeing them. */
private fun certificates(suite: Suite, name: String, given: JsonObject): Operations {
    val members = given.bytesOf("keys").map { AttestedMember(PublicKey.decode(suite, it), 1) }
    val committee = Committee.fromAttested(chain, 1uL, members)
    val encoded = given.bytes("certificate")
    val certificate = Certificate.decode(encoded, committee)
    require(certificate.verify(committee).value == certificate) { name }
    require(refuses { Certificate.decode(given.bytes("forged"), committee).verify(committee) }) { "$name, forged" }
    return mapOf(
        "verify-$name" to { certificate.verify(committee).close() },
        "decode-$name" to { Certificate.decode(encoded, committee).use { it.verify(committee).close() } },
    )
}

private fun sync(given: JsonObject): Operations {
    val (message, proof, forged) = listOf("message", "signature", "forged").map(given::bytes)
    val indices = given.getAsJsonArray("signers").map { it.asLong }
    val encoded = given.bytesOf("keys")
    val committeeOfBytes = {
        val keys = encoded.map { PublicKey.decode(Suite.MIN_PK, it) }
        val committee = Committee.fromAttested(chain, 1uL, keys.map { AttestedMember(it, 1) }, allowRepeats = true)
        keys.forEach { it.close() }
        committee
    }
    val committee = committeeOfBytes()
    val signers = committee.signerSet(indices)
    require(committee.verifyRaw(message, signers, proof) == BigInteger.valueOf(indices.size.toLong())) { "cached" }
    require(refuses { committee.verifyRaw(message, signers, forged) }) { "cached, forged" }
    return mapOf(
        "sync-cached" to { committee.verifyRaw(message, signers, proof) },
        "sync-bytes" to {
            committeeOfBytes().use { fresh -> fresh.signerSet(indices).use { fresh.verifyRaw(message, it, proof) } }
        },
    )
}

private fun oneTime(given: JsonObject): Operations {
    val signer = PublicKey.decode(Suite.ED25519, given.bytes("signer"))
    val (message, other) = given.bytes("message") to given.bytes("other")
    val signatures = given.bytesOf("signatures")
    val verifier = Dsig.Verifier()
    verifier.admit(signer)
    verifier.announce(signer, given.bytes("announcement"), given.get("now").asLong.toULong())
    require(verifier.canVerifyFast(signer, signatures[0])) { "DSig, announced" }
    require(refuses { verifier.verify(signer, other, signatures[0]) }) { "DSig, forged" }
    var turn = 0
    return mapOf("dsig-verify" to { verifier.verify(signer, message, signatures[turn++ % signatures.size]) })
}

private fun refuses(work: () -> Unit): Boolean =
    try {
        work()
        false
    } catch (_: QuorateException) {
        true
    }

private fun JsonObject.bytes(name: String): ByteArray = HexFormat.of().parseHex(get(name).asString)

private fun JsonObject.bytesOf(name: String): List<ByteArray> =
    (get(name) as JsonArray).map { HexFormat.of().parseHex(it.asString) }

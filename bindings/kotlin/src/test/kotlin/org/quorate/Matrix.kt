package org.quorate

import com.google.gson.GsonBuilder
import com.google.gson.JsonElement
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import java.math.BigInteger
import java.nio.file.Path
import kotlin.io.path.extension
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.readText
import kotlin.io.path.writeText
import kotlin.system.exitProcess

/**
 * One corner of the matrix over languages: writes a file of fresh objects per suite, and checks everybody's files.
 *
 *     java -cp … org.quorate.Matrix write DIR
 *     java -cp … org.quorate.Matrix read DIR
 */
internal object Matrix {
    private const val KIND = 1
    private const val VIEW = 9uL

    @JvmStatic
    fun main(arguments: Array<String>) {
        val (mode, folder) = if (arguments.size == 2) arguments else arrayOf("", "")
        when (mode) {
            "write" -> Suite.entries.forEach { write(it, Path.of(folder)) }
            "read" -> println("${readAll(Path.of(folder))} files read")
            else -> {
                System.err.println("usage: Matrix write|read DIR")
                exitProcess(2)
            }
        }
    }

    fun write(suite: Suite, folder: Path) {
        val secrets = List(7) { SecretKey.generate(suite) }
        val keys = secrets.map { UnverifiedKey.prove(it) }
        val chain = ChainId.fromName("matrix")
        val committee = Committee(chain, 3u, keys.mapIndexed { i, key -> Member(key.verify(), i + 1L) })
        val statement = committee.statement(KIND, VIEW, ByteArray(32) { 7 })
        val votes = secrets.map { Vote.signUnguarded(it, committee, statement) }
        val timeouts =
            secrets.mapIndexed { i, secret ->
                TimeoutVote.signUnguarded(secret, committee, KIND, VIEW, (i + 4).toULong() / 2u)
            }
        val suspects = Suspects()
        val collector = VoteCollector(committee, KIND, VIEW)
        val certificate = votes.firstNotNullOf { collector.add(it, suspects).certificate }.value
        val timeoutCollector = TimeoutCollector(committee, KIND, VIEW)
        val timeout = timeouts.firstNotNullOf { timeoutCollector.add(it, suspects).certificate }.value
        val other = Vote.signUnguarded(secrets[2], committee, committee.statement(KIND, VIEW, ByteArray(32) { 8 }))
        val guard = Guard(SecretKey.fromBytes(suite, secrets[0].toBytes()), chain)
        val file =
            json(
                "suite" to suite,
                "chain" to "matrix",
                "epoch" to committee.epoch,
                "members" to keys.mapIndexed { i, key -> json("key" to key.encode(), "weight" to "${i + 1}") },
                "committee_id" to committee.id,
                "statement" to statement.encode(),
                "votes" to votes.map { it.encode() },
                "link_votes" to votes.map { it.encodeLink() },
                "certificate" to certificate.encode(),
                "timeout_votes" to timeouts.map { it.encode() },
                "timeout_certificate" to timeout.encode(),
                "equivocation" to Equivocation(votes[2], other).encode(),
                "guard_record" to guard.use { it.sign(committee, statement).record.encode() },
                "merkle" to merkle(),
            )
        folder.resolve("kotlin-$suite.json").writeText(GsonBuilder().setPrettyPrinting().create().toJson(file))
        secrets.forEach { it.close() }
    }

    private fun merkle(): JsonElement {
        val tree = Merkle("quorate-matrix-leaf", "quorate-matrix-node")
        val items = List(5) { "item $it".toByteArray() }
        val leaves = tree.leaves(items)
        return json(
            "leaf_domain" to tree.leafDomain,
            "node_domain" to tree.nodeDomain,
            "items" to items,
            "root" to tree.root(leaves),
            "path" to tree.path(leaves, 4).encode(),
        )
    }

    /** Checks every file there and answers with how many there are. */
    fun readAll(folder: Path): Int {
        val files = folder.listDirectoryEntries().filter { it.extension == "json" }.sorted()
        for (file in files) {
            println(file)
            read(JsonParser.parseString(file.readText()).asJsonObject)
        }
        return files.size
    }

    private fun read(file: JsonObject) {
        val suite = Suite.fromName(file.text("suite"))
        val members =
            file.list("members").map { it.asJsonObject }.map {
                Member(UnverifiedKey.decode(suite, it.bytes("key")).verify(), BigInteger(it.text("weight")))
            }
        val committee = Committee(ChainId.fromName(file.text("chain")), file.text("epoch").toULong(), members)
        equal(committee.id.toString(), file.text("committee_id"))
        val statement = Statement.decode(file.bytes("statement"))
        equal(statement.encode().asHex(), file.text("statement"))
        file.list("votes").forEachIndexed { signer, encoded ->
            val vote = same(encoded) { Vote.decode(suite, it) }
            val link = file.list("link_votes")[signer].asString
            equal(signer, vote.signer)
            equal(statement, vote.statement)
            equal(vote.encodeLink().asHex(), link)
            equal(vote, Vote.decodeLink(suite, link.unhex()))
            vote.verify(committee)
        }
        val certificate = same(file["certificate"]) { Certificate.decode(it, committee) }
        equal(statement, certificate.verify(committee).value.statement)
        file.list("timeout_votes").forEach { same(it) { vote -> TimeoutVote.decode(suite, vote) }.verify(committee) }
        same(file["timeout_certificate"]) { TimeoutCertificate.decode(it, committee) }.verify(committee)
        same(file["equivocation"]) { Equivocation.decode(suite, it) }.verify(committee)
        equal(GuardRecord.decode(file.bytes("guard_record")).encode().asHex(), file.text("guard_record"))
        readMerkle(file["merkle"].asJsonObject)
    }

    private fun readMerkle(file: JsonObject) {
        val tree = Merkle(file.text("leaf_domain"), file.text("node_domain"))
        val items = file.list("items").map { it.asString.unhex() }
        val root = tree.root(tree.leaves(items))
        equal(root.asHex(), file.text("root"))
        val path = Merkle.Path.decode(file.bytes("path"))
        equal(path.encode().asHex(), file.text("path"))
        tree.verify(root, tree.leaf(items[path.index.toInt()]), path)
    }

    private fun <T : NativeValue> same(encoded: JsonElement, decode: (ByteArray) -> T): T =
        decode(encoded.asString.unhex()).also { equal(it.encode().asHex(), encoded.asString) }

    private fun equal(found: Any?, expected: Any?) = check(found == expected) { "found $found instead of $expected" }
}

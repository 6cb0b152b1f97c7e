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
import org.quorate.gossip.Aggregate
import org.quorate.sortition.Lottery
import org.quorate.sortition.Seed
import org.quorate.sortition.SeedProof
import org.quorate.sortition.Ticket

/**
 * One language of the cross-language matrix: writes a file of new objects per suite, and checks the files of all
 * languages.
 *
 *     java -cp … org.quorate.Matrix write DIR java -cp … org.quorate.Matrix read DIR
 */
internal object Matrix {
    private const val KIND = 1
    private const val VIEW = 9uL
    private val COUNTED = setOf(Suite.MIN_SIG_COUNTED, Suite.MIN_PK_COUNTED)

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
            ).asJsonObject
        if (suite in COUNTED) file.add("gossip", gossip(votes, committee))
        if (suite != Suite.ED25519) file.add("sortition", sortition(secrets, committee))
        folder.resolve("kotlin-$suite.json").writeText(GsonBuilder().setPrettyPrinting().create().toJson(file))
        secrets.forEach { it.close() }
    }

    /** A sum that contains one signature twice, and a certificate that contains two of them twice. */
    private fun gossip(votes: List<Vote>, committee: Committee): JsonElement {
        val of = { member: Int -> Aggregate.fromVote(votes[member].verify(committee), committee) }
        val sum = { members: List<Int> -> members.map(of).reduce { one, two -> one.merge(two) } }
        return json(
            "aggregate" to sum(listOf(1, 2, 2, 4)).value.encode(),
            "certificate" to sum(listOf(3, 4, 5, 6, 3, 4)).certificate(committee)!!.value.encode(),
        )
    }

    /** The expected number of winners is the number of members, so all win. */
    private fun sortition(secrets: List<SecretKey>, committee: Committee): JsonElement {
        val seed = Seed.genesis(committee.chain, "matrix".toByteArray())
        val ticket = Lottery(committee, seed, VIEW).draw(secrets[5])!!
        val proof = SeedProof.sign(secrets[2], committee, seed)
        return json(
            "seed" to seed.encode(),
            "ticket" to ticket.value.encode(),
            "score" to ticket.score.toString(),
            "seed_proof" to proof.encode(),
            "next_seed" to seed.next(proof, committee).encode(),
        )
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

    /** Checks every file in the folder and returns their number. */
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
        if (suite in COUNTED) readGossip(file["gossip"].asJsonObject, statement, committee)
        if (suite != Suite.ED25519) readSortition(file["sortition"].asJsonObject, committee)
    }

    private fun readGossip(file: JsonObject, statement: Statement, committee: Committee) {
        val counts = { aggregate: Aggregate -> List(7) { aggregate.count(it) } }
        val aggregate = same(file["aggregate"]) { Aggregate.decode(it, committee) }.verify(committee).value
        equal(aggregate.statement, statement)
        equal(counts(aggregate), listOf(0, 1, 2, 0, 1, 0, 0))
        val certificate = same(file["certificate"]) { Certificate.decode(it, committee) }.verify(committee)
        val whole = Aggregate.fromCertificate(certificate).value
        equal(whole.statement, statement)
        equal(counts(whole), listOf(0, 0, 0, 2, 2, 1, 1))
    }

    private fun readSortition(file: JsonObject, committee: Committee) {
        val seed = Seed.decode(file.bytes("seed"))
        equal(seed.encode().asHex(), file.text("seed"))
        val ticket = sameObject(file["ticket"]) { Ticket.decode(committee.suite, it) }
        equal(ticket.round to ticket.member, VIEW to 5)
        equal(ticket.verify(Lottery(committee, seed, VIEW)).score.toString(), file.text("score"))
        val proof = sameObject(file["seed_proof"]) { SeedProof.decode(committee.suite, it) }
        equal(proof.signer, 2)
        equal(seed.next(proof, committee).encode().asHex(), file.text("next_seed"))
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

    private fun <T : EncodedObject> sameObject(encoded: JsonElement, decode: (ByteArray) -> T): T =
        decode(encoded.asString.unhex()).also { equal(it.encode().asHex(), encoded.asString) }

    private fun equal(found: Any?, expected: Any?) = check(found == expected) { "found $found instead of $expected" }
}

package org.quorate

import com.google.gson.JsonElement
import com.google.gson.JsonNull
import com.google.gson.JsonObject
import java.math.BigInteger
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue

/** The vector operations: an `input` object in, the `output` object or an exception out. */
internal object Operations {
    fun run(operation: String, input: JsonObject): JsonElement =
        when (operation.substringBefore('.')) {
            "wire" -> wire(operation, input)
            "merkle" -> merkle(operation, input)
            "chain_id" -> json("chain" to ChainId.fromName(input.text("name")))
            "bls" -> bls(operation, input)
            "committee" -> committees(operation, input)
            "ciphersuite", "header" -> RawOperations.decoded(operation, input)
            "statement", "vote", "certificate" -> certificates(operation, input)
            "timeout_vote", "timeout_certificate" -> timeouts(operation, input)
            "equivocation", "conflict" -> evidence(operation, input)
            "guard" -> guards(operation, input)
            "aggregate" ->
                GossipOperations.aggregates(operation, input, committee(input["committee"].asJsonObject))
            "pool", "gossip" -> {
                val run = if (operation == "pool.session") SpreadingOperations::pool else SpreadingOperations::gossip
                run(input, committee(input["committee"].asJsonObject), ::statement)
            }
            "peers" -> SpreadingOperations.peers(input)
            "seed", "ticket" ->
                GossipOperations.sortition(operation, input) { committee(input["committee"].asJsonObject) }
            "dsig" -> DsigOperations.run(operation, input)
            "tdh2", "coin" -> DleqOperations.run(operation, input)
            "ecdsa", "shared_bls", "spending", "seal" -> ThresholdOperations.run(operation, input)
            "erasure" -> ErasureOperations.run(operation, input)
            else -> keys(operation, input)
        }

    // Decodes a value and checks that it encodes to the same bytes.
    private fun <T> again(bytes: ByteArray, value: T, encode: (T) -> ByteArray): T {
        assertArrayEquals(bytes, encode(value), "decoded, but encodes to something else")
        return value
    }

    private fun <T : NativeValue> JsonObject.decoded(name: String, decode: (ByteArray) -> T): T =
        again(bytes(name), decode(bytes(name))) { it.encode() }

    private fun suite(input: JsonObject): Suite =
        Suite.fromNumber((input["suite"] ?: input["committee"].asJsonObject["suite"]).asInt)

    private fun wire(operation: String, input: JsonObject): JsonElement {
        val data = input.bytes("bytes")
        if (operation == "wire.hash") {
            val domain = input.text("domain")
            assertTrue(domain in Wire.DOMAINS)
            return json("hash" to Wire.hash(domain, data))
        }
        val reader = Wire.Reader(data)
        val writer = Wire.Writer()
        val value: Any? =
            when (operation) {
                "wire.uint" ->
                    when (input["width"].asInt) {
                        1 -> reader.u8().also(writer::u8).toString()
                        2 -> reader.u16().also(writer::u16).toString()
                        4 -> reader.u32().also(writer::u32).toString()
                        8 -> reader.u64().also(writer::u64).toString()
                        16 -> reader.u128().also(writer::u128).toString()
                        else -> error("no such width")
                    }
                "wire.varint" -> reader.varint().also(writer::varint).toString()
                "wire.bytes" -> reader.bytes(input["cap"].asInt).also(writer::bytes)
                "wire.list" -> {
                    val count = reader.count(input["cap"].asInt)
                    writer.count(count.toLong())
                    List(count) { reader.u64().also(writer::u64).toString() }
                }
                "wire.option" -> {
                    val some = reader.option()
                    writer.option(some)
                    if (some) reader.u64().also(writer::u64).toString() else null
                }
                else -> error("no operation $operation")
            }
        reader.finish()
        assertArrayEquals(data, writer.intoBytes(), "decoded, but encodes to something else")
        return json("value" to value)
    }

    private fun merkle(operation: String, input: JsonObject): JsonElement {
        val tree = Merkle("quorate-v1-transaction", "quorate-v1-batch-node")
        val leaves = { tree.leaves(input.list("items").map { it.asString.unhex() }) }
        return when (operation) {
            "merkle.root" -> json("root" to tree.root(leaves()))
            "merkle.path" -> json("path" to tree.path(leaves(), input["index"].asInt).encode())
            "merkle.verify" -> {
                val bytes = input.bytes("path")
                val path = again(bytes, Merkle.Path.decode(bytes)) { it.encode() }
                tree.verify(input.bytes("root"), tree.leaf(input.bytes("item")), path)
                json("index" to path.index, "count" to path.count)
            }
            else -> error("no operation $operation")
        }
    }

    private fun keys(operation: String, input: JsonObject): JsonElement {
        val suite = suite(input)
        val key = { input.decoded("public_key") { PublicKey.decode(suite, it) } }
        val signature = { input.decoded("signature") { Signature.decode(suite, it) } }
        val secret = {
            val bytes = input.bytes("secret")
            again(bytes, SecretKey.fromBytes(suite, bytes)) { it.toBytes() }
        }
        return when (operation) {
            "secret_key.decode" -> json("public_key" to secret().publicKey.encode())
            "public_key.decode" -> json("public_key" to key().encode())
            "signature.decode" -> json("link" to signature().encodeLink())
            "signature.decode_link" -> {
                val link = input.bytes("link")
                json("signature" to again(link, Signature.decodeLink(suite, link)) { it.encodeLink() }.encode())
            }
            "sign" -> json("signature" to secret().sign(input.bytes("message")).encode())
            "verify" -> {
                key().verify(input.bytes("message"), signature())
                JsonNull.INSTANCE
            }
            "signature.verify_with" -> {
                key().verifyWith(RawOperations.ciphersuite(input), input.bytes("message"), signature())
                JsonNull.INSTANCE
            }
            "possession.prove" -> json("possession" to secret().provePossession().encode())
            "possession.verify" -> {
                verifiedKey(suite, input)
                JsonNull.INSTANCE
            }
            else -> error("no operation $operation")
        }
    }

    private fun verifiedKey(suite: Suite, input: JsonObject): VerifiedKey {
        val bytes = input.bytes("public_key") + input.bytes("possession")
        return again(bytes, UnverifiedKey.decode(suite, bytes)) { it.encode() }.verify()
    }

    private fun bls(operation: String, input: JsonObject): JsonElement {
        val suite = suite(input)
        val keys = { input.list("keys").map { verifiedKey(suite, it.asJsonObject) } }
        val signature = { input.decoded("signature") { Signature.decode(suite, it) } }
        when (operation) {
            "bls.aggregate" -> {
                val signatures = input.list("signatures").map {
                    val bytes = it.asString.unhex()
                    again(bytes, Signature.decode(suite, bytes)) { signature -> signature.encode() }
                }
                return json("signature" to Bls.aggregate(signatures).encode())
            }
            "bls.fast_aggregate_verify" ->
                Bls.fastAggregateVerify(keys(), input.bytes("message"), signature())
            "bls.aggregate_verify" -> {
                val messages = input.list("keys").map { it.asJsonObject.bytes("message") }
                Bls.aggregateVerify(keys().zip(messages), signature())
            }
            else -> error("no operation $operation")
        }
        return JsonNull.INSTANCE
    }

    private fun committee(definition: JsonObject): Committee {
        val suite = suite(definition)
        val members = definition.list("members").flatMap {
            val member = it.asJsonObject
            val key = PublicKey.decode(suite, member.bytes("public_key"))
            List(member["times"]?.asInt ?: 1) { AttestedMember(key, BigInteger(member.text("weight"))) }
        }
        val repeats = definition["repeats"]?.asBoolean ?: false
        val chain = ChainId.fromBytes(definition.bytes("chain"))
        return Committee.fromAttested(chain, definition.text("epoch").toULong(), members, repeats)
    }

    private fun committees(operation: String, input: JsonObject): JsonElement {
        if (operation == "committee.new") {
            val suite = suite(input)
            val members = input.list("members").map {
                val member = it.asJsonObject
                Member(verifiedKey(suite, member), BigInteger(member.text("weight")))
            }
            val chain = ChainId.fromBytes(input.bytes("chain"))
            return figures(Committee(chain, input.text("epoch").toULong(), members))
        }
        val committee = committee(input["committee"].asJsonObject)
        return when (operation) {
            "committee.from_attested" -> figures(committee)
            "committee.signers" -> {
                val signers = RawOperations.signers(committee, input)
                json("signers" to signers, "weight" to committee.weightOf(signers))
            }
            "committee.verify_raw" -> RawOperations.same(committee, input)
            "committee.verify_raw_each" -> RawOperations.each(committee, input)
            else -> error("no operation $operation")
        }
    }

    private fun figures(committee: Committee) = json(
        "id" to committee.id,
        "total_weight" to committee.totalWeight,
        "quorum_weight" to committee.quorumWeight,
        "honest_weight" to committee.honestWeight,
    )

    private fun statement(value: JsonObject) = Statement(
        value["kind"].asInt,
        value.text("epoch").toULong(),
        value.text("view").toULong(),
        value.bytes("digest"),
    )

    private fun statementJson(statement: Statement) = json(
        "kind" to statement.kind,
        "epoch" to statement.epoch,
        "view" to statement.view,
        "digest" to statement.digest,
    )

    private fun certificateJson(certificate: Certificate) =
        json("statement" to statementJson(certificate.statement), "signers" to certificate.signers)

    private fun vote(suite: Suite, input: JsonObject): Vote {
        if (!input.has("link")) return input.decoded("vote") { Vote.decode(suite, it) }
        val link = input.bytes("link")
        return again(link, Vote.decodeLink(suite, link)) { it.encodeLink() }
    }

    private fun belowQuorum(committee: Committee): Nothing {
        committee.requireQuorum(SignerSet(committee.size))
        error("the empty set cannot be a quorum")
    }

    private fun certificates(operation: String, input: JsonObject): JsonElement {
        val suite = suite(input)
        val committee = committee(input["committee"].asJsonObject)
        return when (operation) {
            "statement.encode" -> {
                val statement = statement(input["statement"].asJsonObject)
                val bytes = statement.encode()
                assertEquals(statement, again(bytes, Statement.decode(bytes)) { it.encode() })
                json(
                    "bytes" to bytes,
                    "signed_bytes" to statement.signedBytes(committee.id),
                    "identity" to statement.identity(committee.id),
                )
            }
            "vote.sign" -> {
                val secret = SecretKey.fromBytes(suite, input.bytes("secret"))
                val vote = Vote.signUnguarded(secret, committee, statement(input["statement"].asJsonObject))
                json("vote" to vote.encode(), "link" to vote.encodeLink())
            }
            "vote.verify" -> {
                val verified = vote(suite, input).verify(committee)
                assertEquals(committee.id, verified.committee)
                json("statement" to statementJson(verified.value.statement), "signer" to verified.value.signer)
            }
            "certificate.collect" -> {
                val votes = input.list("votes").map { Vote.decode(suite, it.asString.unhex()) }
                val first = votes.first().statement
                val collector = VoteCollector(committee, first.kind, first.view)
                var certificate: Certificate? = null
                for (vote in votes) {
                    val collected = collector.add(vote, Suspects())
                    assertTrue(collected.faults.isEmpty())
                    certificate = certificate ?: collected.certificate?.value
                }
                if (certificate == null) belowQuorum(committee)
                json(
                    "certificate" to certificate.encode(),
                    "detached" to certificate.encodeDetached(),
                    "signers" to certificate.signers,
                )
            }
            "certificate.decode" ->
                certificateJson(input.decoded("certificate") { Certificate.decode(it, committee) })
            "certificate.verify" -> {
                val certificate = input.decoded("certificate") { Certificate.decode(it, committee) }
                assertEquals(input.bytes("certificate").size, certificate.encodedLen)
                val single = runCatching { certificate.verify(committee) }
                val twice = listOf(certificate, certificate)
                val batches = listOf(Certificate.verifyBatch(committee, twice), Certificate.verifyBatchDerived(committee, twice))
                for (batched in batches.flatten()) {
                    val code = (batched as? Verdict.Invalid)?.error?.code
                    assertEquals((single.exceptionOrNull() as QuorateException?)?.code, code)
                    if (code == null) assertEquals(single.getOrThrow(), batched.getOrThrow())
                }
                certificateJson(single.getOrThrow().value)
            }
            "certificate.verify_detached" -> {
                val bytes = input.bytes("detached")
                val statement = statement(input["statement"].asJsonObject)
                val certificate = again(bytes, Certificate.decodeDetached(bytes, statement, committee)) { it.encodeDetached() }
                json("signers" to certificate.verify(committee).value.signers)
            }
            else -> error("no operation $operation")
        }
    }

    private fun timeoutVote(suite: Suite, input: JsonObject): TimeoutVote {
        if (!input.has("link")) return input.decoded("vote") { TimeoutVote.decode(suite, it) }
        val link = input.bytes("link")
        return again(link, TimeoutVote.decodeLink(suite, link)) { it.encodeLink() }
    }

    private fun timeouts(operation: String, input: JsonObject): JsonElement {
        val suite = suite(input)
        val committee = committee(input["committee"].asJsonObject)
        return when (operation) {
            "timeout_vote.sign" -> {
                val secret = SecretKey.fromBytes(suite, input.bytes("secret"))
                val (kind, view, value) =
                    Triple(input["kind"].asInt, input.text("view").toULong(), input.text("value").toULong())
                val vote = TimeoutVote.signUnguarded(secret, committee, kind, view, value)
                val statement = TimeoutVote.statementOf(kind, committee.epoch, view, value)
                assertEquals(statement, vote.asVote().statement)
                assertEquals(vote, TimeoutVote(kind, committee.epoch, view, value, vote.signer, vote.signature))
                json(
                    "vote" to vote.encode(),
                    "link" to vote.encodeLink(),
                    "signed_bytes" to statement.signedBytes(committee.id),
                )
            }
            "timeout_vote.verify" -> {
                val vote = timeoutVote(suite, input).verify(committee).value
                json("kind" to vote.kind, "view" to vote.view, "value" to vote.value, "signer" to vote.signer)
            }
            "timeout_certificate.collect" -> {
                val votes = input.list("votes").map { TimeoutVote.decode(suite, it.asString.unhex()) }
                val collector = TimeoutCollector(committee, votes.first().kind, votes.first().view)
                var certificate: TimeoutCertificate? = null
                for (vote in votes) {
                    val collected = collector.add(vote, Suspects())
                    assertTrue(collected.faults.isEmpty())
                    certificate = certificate ?: collected.certificate?.value
                }
                if (certificate == null) belowQuorum(committee)
                json("certificate" to certificate.encode())
            }
            "timeout_certificate.decode", "timeout_certificate.verify" -> {
                val certificate = input.decoded("certificate") { TimeoutCertificate.decode(it, committee) }
                assertEquals(input.bytes("certificate").size, certificate.encodedLen)
                if (operation.endsWith("verify")) certificate.verify(committee)
                val groups = certificate.groups.map { json("value" to it.value, "signers" to it.signers) }
                json("kind" to certificate.kind, "view" to certificate.view, "groups" to groups)
            }
            else -> error("no operation $operation")
        }
    }

    private fun evidence(operation: String, input: JsonObject): JsonElement {
        val suite = suite(input)
        val committee = committee(input["committee"].asJsonObject)
        return when (operation) {
            "equivocation.new" -> {
                val (first, second) = input.list("votes").map { Vote.decode(suite, it.asString.unhex()) }
                json("evidence" to Equivocation(first, second).verify(committee).value.encode())
            }
            "equivocation.verify" -> {
                val evidence = input.decoded("evidence") { Equivocation.decode(suite, it) }
                json("culprits" to evidence.verify(committee).value.culprits)
            }
            "conflict.verify" -> {
                val evidence = input.decoded("evidence") { Conflict.decode(it, committee) }
                val culprits = evidence.verify(committee).value.culprits
                assertTrue(committee.weightOf(culprits) >= committee.honestWeight)
                json("culprits" to culprits)
            }
            else -> error("no operation $operation")
        }
    }

    private fun guards(operation: String, input: JsonObject): JsonElement {
        val committee = committee(input["committee"].asJsonObject)
        val secret = SecretKey.fromBytes(suite(input), input.bytes("secret"))
        val records = input.list("records").map {
            val bytes = it.asString.unhex()
            again(bytes, GuardRecord.decode(bytes)) { record -> record.encode() }
        }
        val guard = Guard.restore(secret, committee.chain, records)
        return when (operation) {
            "guard.restore" -> json("records" to guard.records.map { it.encode() })
            "guard.sign" -> {
                val (vote, record) = guard.sign(committee, statement(input["statement"].asJsonObject))
                assertEquals(81, record.encode().size)
                json("vote" to vote.encode(), "record" to record.encode())
            }
            else -> error("no operation $operation")
        }
    }
}

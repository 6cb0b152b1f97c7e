package org.quorate

import com.google.gson.JsonElement
import com.google.gson.JsonObject
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.quorate.gossip.Aggregate
import org.quorate.gossip.VerifiedAggregate
import org.quorate.sortition.Lottery
import org.quorate.sortition.Seed
import org.quorate.sortition.SeedProof
import org.quorate.sortition.Ticket

/** Vector operations of aggregates, seeds and tickets. */
internal object GossipOperations {
    fun aggregates(operation: String, input: JsonObject, committee: Committee): JsonElement {
        val all = { name: String -> input.list(name).map { verified(it.asString.unhex(), committee) } }
        return when (operation) {
            "aggregate.of_vote" -> {
                val vote = Vote.decode(committee.suite, input.bytes("vote")).verify(committee)
                json("aggregate" to Aggregate.fromVote(vote, committee).value.encode())
            }
            "aggregate.decode" -> shown(decoded(input.bytes("aggregate"), committee))
            "aggregate.verify" -> shown(verified(input.bytes("aggregate"), committee).value)
            "aggregate.merge" -> {
                val limit = input["limit"].asInt
                val merged = all("aggregates").reduce { one, two ->
                    one.merge(two, limit).also { assertEquals(it, two.merge(one, limit), "the order matters") }
                }
                json("aggregate" to merged.value.encode())
            }
            "aggregate.normalise" -> {
                val normalised = verified(input.bytes("aggregate"), committee).normalised(all("parts")).value
                normalised.verify(committee)
                json("aggregate" to normalised.encode())
            }
            "aggregate.certificate" -> {
                val aggregate = verified(input.bytes("aggregate"), committee)
                val certificate = aggregate.certificate(committee)
                certificate?.let { assertEquals(aggregate, Aggregate.fromCertificate(it)) }
                json("certificate" to certificate?.value?.encode())
            }
            else -> error("no operation $operation")
        }
    }

    private fun decoded(bytes: ByteArray, committee: Committee): Aggregate {
        val aggregate = Aggregate.decode(bytes, committee)
        assertArrayEquals(bytes, aggregate.encode(), "decoded, but encodes to something else")
        assertEquals(bytes.size, aggregate.encodedLen)
        return aggregate
    }

    private fun verified(bytes: ByteArray, committee: Committee): VerifiedAggregate {
        val twice = List(2) { decoded(bytes, committee) }
        val single = runCatching { twice.first().verify(committee) }
        for (batched in Aggregate.verifyBatchDerived(committee, twice) + Aggregate.verifyBatch(committee, twice)) {
            val code = (batched as? Verdict.Invalid)?.error?.code
            assertEquals((single.exceptionOrNull() as QuorateException?)?.code, code)
            if (code == null) assertEquals(single.getOrThrow(), batched.getOrThrow())
        }
        return single.getOrThrow()
    }

    private fun shown(aggregate: Aggregate): JsonElement {
        val statement = aggregate.statement
        assertEquals(aggregate.signers.map(aggregate::count), aggregate.counts)
        return json(
            "statement" to
                json(
                    "kind" to statement.kind,
                    "epoch" to statement.epoch,
                    "view" to statement.view,
                    "digest" to statement.digest,
                ),
            "signers" to aggregate.signers,
            "counts" to aggregate.counts,
        )
    }

    fun sortition(operation: String, input: JsonObject, committee: () -> Committee): JsonElement {
        if (operation == "seed.genesis") {
            return json("seed" to Seed.genesis(ChainId.fromBytes(input.bytes("chain")), input.bytes("bytes")).encode())
        }
        val among = committee()
        val seed = Seed.decode(input.bytes("seed"))
        assertArrayEquals(input.bytes("seed"), seed.encode())
        val secret = { SecretKey.fromBytes(among.suite, input.bytes("secret")) }
        val lottery = { Lottery(among, seed, input.text("round").toULong(), input["expected"].asInt) }
        return when (operation) {
            "seed.prove" -> json("proof" to SeedProof.sign(secret(), among, seed).encode())
            "seed.next" -> {
                val bytes = input.bytes("proof")
                val proof = SeedProof.decode(among.suite, bytes)
                assertArrayEquals(bytes, proof.encode())
                assertEquals(proof, SeedProof.decodeDetached(among.suite, proof.encodeDetached(), proof.signer))
                assertEquals(proof, SeedProof(proof.signer, proof.signature))
                json("seed" to seed.next(proof, among).encode())
            }
            "ticket.draw" -> {
                val drawn = lottery().draw(secret())
                json("ticket" to drawn?.value?.encode(), "score" to drawn?.score?.bytes)
            }
            "ticket.verify" -> {
                val bytes = input.bytes("ticket")
                val ticket = Ticket.decode(among.suite, bytes)
                assertArrayEquals(bytes, ticket.encode())
                val signature = ticket.encodeDetached()
                assertEquals(ticket, Ticket.decodeDetached(among.suite, signature, ticket.round, ticket.member))
                assertEquals(ticket, Ticket(ticket.round, ticket.member, ticket.signature))
                val won = ticket.verify(lottery())
                json("round" to won.value.round, "member" to won.value.member, "score" to won.score)
            }
            else -> error("no operation $operation")
        }
    }
}

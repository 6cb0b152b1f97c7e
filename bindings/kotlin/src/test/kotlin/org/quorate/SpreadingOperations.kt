package org.quorate

import com.google.gson.JsonElement
import com.google.gson.JsonObject
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.quorate.gossip.Aggregate
import org.quorate.gossip.Checked
import org.quorate.gossip.Gossip
import org.quorate.gossip.Parameters
import org.quorate.gossip.Peers
import org.quorate.gossip.Pool

/** Vector sessions of pools, of peers and of one member's gossip. */
internal object SpreadingOperations {
    fun pool(input: JsonObject, committee: Committee, statement: (JsonObject) -> Statement): JsonElement {
        val signed = statement(input["statement"].asJsonObject)
        val pool = Pool(committee, input["me"].asInt, signed, parameters(input))
        val outcomes = input.list("aggregates").map {
            val aggregate = decoded(it, committee).verify(committee)
            val wanted = outcome { pool.wants(aggregate.value) }
            val result = outcome { pool.insert(aggregate) }
            assertEquals(wanted, result, "what is wanted is taken in")
            json("result" to result, "signers" to pool.signers, "best" to pool.best?.value?.encode())
        }
        return json(
            "outcomes" to outcomes,
            "aggregates" to pool.aggregates.map { it.value.encode() },
            "certificate" to pool.certificate?.value?.encode(),
        )
    }

    fun peers(input: JsonObject): JsonElement {
        val peers = Peers(input["me"].asInt, input["members"].asInt, parameters(input))
        return json("outcomes" to steps(input).map { outcome { ask(peers, it) } })
    }

    fun gossip(input: JsonObject, committee: Committee, statement: (JsonObject) -> Statement): JsonElement {
        val gossips = input.list("statements").map {
            Gossip(committee, input["me"].asInt, statement(it.asJsonObject), parameters(input))
        }
        val peers = Peers(input["me"].asInt, committee.size, parameters(input))
        val sum = { step: JsonObject -> decoded(input.list("aggregates")[step["aggregate"].asInt], committee) }
        val outcomes = steps(input).map { step ->
            val gossip = gossips[step["statement"]?.asInt ?: 0]
            val result = outcome {
                when (step.text("do")) {
                    "adopt" -> gossip.adopt(sum(step).verify(committee))
                    "receive" -> name(gossip.receive(step["peer"].asInt, sum(step), peers, now(step)))
                    "check" -> shown(gossip.check(peers, now = now(step)))
                    "next" ->
                        gossip.next(peers, step["draw"]?.asString?.toULong() ?: 0u, now(step))?.let {
                            json("to" to it.to, "aggregate" to it.aggregate.encode())
                        }
                    "offer" -> gossip.offer(step["peer"].asInt)?.encode()
                    else -> ask(peers, step)
                }
            }
            json("result" to result, "signers" to gossip.signers, "waiting" to gossip.waiting)
        }
        return json("outcomes" to outcomes, "certificates" to gossips.map { it.certificate?.value?.encode() })
    }

    /** A step that uses only [Peers]. */
    private fun ask(peers: Peers, step: JsonObject): Any? {
        val peer = step["peer"]?.asInt ?: 0
        return when (step.text("do")) {
            "begin" -> done { peers.begin(peer, now(step)) }
            "left" -> done { peers.left(peer) }
            "sent" -> done { peers.sent(peer) }
            "heard" -> done { peers.heard(peer) }
            "failed" -> done { peers.failed(peer, now(step)) }
            "accuse" -> done { peers.accuse(peer, now(step)) }
            "is_available" -> peers.isAvailable(peer, now(step))
            "is_refused" -> peers.isRefused(peer, now(step))
            "has_room" -> peers.hasRoom(now(step))
            "next_free" -> peers.nextFree()?.toString()
            else -> error("no step $step")
        }
    }

    private fun done(tell: () -> Unit): Any? {
        tell()
        return null
    }

    /** The result of a step, or the code of its error. */
    private fun outcome(step: () -> Any?): Any? =
        try {
            step().let { if (it is Boolean) yes(it) else it }
        } catch (refused: QuorateException) {
            refused.code
        }

    private fun yes(holds: Boolean) = if (holds) "yes" else "no"

    private fun name(received: Enum<*>) = received.name.lowercase().replace('_', '-')

    private fun shown(checked: Checked) =
        json(
            "aggregates" to checked.aggregates,
            "signers" to checked.signers,
            "grew" to yes(checked.grew),
            "faults" to checked.faults.map { json("culprit" to it.culprit, "code" to it.evidence.code) },
        )

    private fun decoded(text: JsonElement, committee: Committee): Aggregate {
        val bytes = text.asString.unhex()
        return Aggregate.decode(bytes, committee).also { assertArrayEquals(bytes, it.encode()) }
    }

    private fun parameters(input: JsonObject): Parameters {
        val (given, usual) = input["parameters"].asJsonObject to Parameters()
        return Parameters(
            limit = given["limit"]?.asInt ?: usual.limit,
            preferred = given["preferred"]?.asInt ?: usual.preferred,
            batch = given["batch"]?.asInt ?: usual.batch,
            fanOut = given["fan_out"]?.asInt ?: usual.fanOut,
        )
    }

    private fun now(step: JsonObject): ULong = step["now"]?.asString?.toULong() ?: 0u

    private fun steps(input: JsonObject): List<JsonObject> = input.list("steps").map { it.asJsonObject }
}

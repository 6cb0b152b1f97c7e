package org.quorate

/** A committee of four members of weight 1, with keys and votes. */
internal class Example(val suite: Suite) : AutoCloseable {
    val secrets = List(4) { SecretKey.generate(suite) }
    val keys = secrets.map { UnverifiedKey.prove(it) }
    val chain = ChainId.fromName("example")
    val committee = Committee(chain, 0u, keys.map { Member(it.verify(), 1) })
    val statement = committee.statement(1, 7u, ByteArray(32))
    val votes = secrets.map { Vote.signUnguarded(it, committee, statement) }
    val timeouts = secrets.map { TimeoutVote.signUnguarded(it, committee, 1, 7u, 5u) }
    val certificate = Suspects().let { suspects ->
        val collector = VoteCollector(committee, 1, 7u)
        votes.firstNotNullOf { collector.add(it, suspects).certificate }.value
    }
    val timeout = Suspects().let { suspects ->
        val collector = TimeoutCollector(committee, 1, 7u)
        timeouts.firstNotNullOf { collector.add(it, suspects).certificate }.value
    }
    val other = Vote.signUnguarded(secrets[1], committee, committee.statement(1, 7u, ByteArray(32) { 1 }))
    val equivocation = Equivocation(votes[1], other)

    override fun close(): Unit = secrets.forEach { it.close() }
}

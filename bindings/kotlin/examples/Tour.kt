// Five steps: keys, a committee, votes including a forged one, a certificate, and its verification by a recipient.
import org.quorate.*

fun main() {
    val (kind, view) = 1 to 7UL

    // 1. Each member generates a key and submits it with a proof of possession.
    val secrets = List(4) { SecretKey.generate(Suite.MIN_SIG) }
    val submitted = secrets.map { UnverifiedKey.prove(it).encode() }

    // 2. The committee's creator verifies the proofs. Each member has weight 1; three of four are a quorum.
    val keys = submitted.map { UnverifiedKey.decode(Suite.MIN_SIG, it).verify() }
    val committee = Committee(ChainId.fromName("example"), 0UL, keys.map { Member(it, 1) })

    // 3. The members vote. The vote of member 1 carries another member's signature.
    val statement = committee.statement(kind, view, ByteArray(32))
    val votes = secrets.map { Vote.signUnguarded(it, committee, statement) }.toMutableList()
    votes[1] = Vote(statement, 1, votes[0].signature)

    // 4. The collector finds the forgery and makes a certificate from the remaining votes.
    val (collector, suspects) = VoteCollector(committee, kind, view) to Suspects()
    val collected = votes.map { collector.add(it, suspects) }
    val forged = collected.flatMap { it.faults }.map { it.signer }
    val bytes = collected.firstNotNullOf { it.certificate }.value.encode()
    println("forged: $forged; certificate of ${bytes.size} bytes")

    // 5. The recipient: decoding checks form and quorum, `verify` checks the signatures.
    val received = Certificate.decode(bytes, committee).verify(committee)
    println("signed by ${received.value.signers.toList()}")
}

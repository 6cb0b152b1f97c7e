// Five steps: keys, a committee, votes with a forged one among them, a certificate, and its check elsewhere.
import org.quorate.*

fun main() {
    val (kind, view) = 1 to 7UL

    // 1. Each member makes a key and hands it in with a proof that it holds it.
    val secrets = List(4) { SecretKey.generate(Suite.MIN_SIG) }
    val handedIn = secrets.map { UnverifiedKey.prove(it).encode() }

    // 2. Whoever makes the committee checks the proofs. Each member weighs 1; three of four are a quorum.
    val keys = handedIn.map { UnverifiedKey.decode(Suite.MIN_SIG, it).verify() }
    val committee = Committee(ChainId.fromName("example"), 0UL, keys.map { Member(it, 1) })

    // 3. Members vote. Member 1's vote is signed by somebody else.
    val statement = committee.statement(kind, view, ByteArray(32))
    val votes = secrets.map { Vote.signUnguarded(it, committee, statement) }.toMutableList()
    votes[1] = Vote(statement, 1, votes[0].signature)

    // 4. The collector finds the forgery and makes a certificate of the others.
    val (collector, suspects) = VoteCollector(committee, kind, view) to Suspects()
    val collected = votes.map { collector.add(it, suspects) }
    val forged = collected.flatMap { it.faults }.map { it.signer }
    val bytes = collected.firstNotNullOf { it.certificate }.value.encode()
    println("forged: $forged; certificate of ${bytes.size} bytes")

    // 5. Elsewhere: decoding checks form and quorum, `verify` the signatures.
    val received = Certificate.decode(bytes, committee).verify(committee)
    println("signed by ${received.value.signers.toList()}")
}

// The five steps with the installed package.
import org.quorate.*
import org.quorate.faults.VoteFault

fun main() {
    // 1. Keys. Each member proves possession of its key.
    val secrets = List(4) { SecretKey.generate(Suite.MIN_SIG) }
    val submitted = secrets.map { UnverifiedKey.prove(it).encode() }

    // 2. A committee.
    fun newCommittee(): Committee {
        val members = submitted.map { Member(UnverifiedKey.decode(Suite.MIN_SIG, it).verify(), 1) }
        return Committee(ChainId.fromName("smoke"), 1u, members)
    }
    val committee = newCommittee()

    // 3. Votes, one of them forged: it carries another member's signature.
    val statement = committee.statement(kind = 1, view = 7u, digest = ByteArray(32) { 42 })
    val votes = secrets.map { Vote.signUnguarded(it, committee, statement) }.toMutableList()
    votes[1] = Vote(statement, 1, votes[2].signature)
    val (collector, suspects) = VoteCollector(committee, 1, 7u) to Suspects()
    val collected = votes.map { collector.add(it, suspects) }
    val fault = collected.flatMap { it.faults }.single()
    check(fault is VoteFault.BadSignature && fault.signer == 1) { "expected a fault of the forger alone: $fault" }

    // 4. The certificate of the other three.
    val certificate = collected.mapNotNull { it.certificate }.single()
    val bytes = certificate.value.encode()

    // 5. The receiver decodes and verifies the certificate from its bytes alone.
    val theirs = newCommittee()
    val verified = Certificate.decode(bytes, theirs).verify(theirs)
    check(verified.committee == committee.id) { "the certificate belongs to this committee" }
    check(verified.value.signers.toList() == listOf(0, 2, 3)) { "the certificate names the three signers" }

    // An error has a code and names the culprit.
    val error = runCatching { votes[1].verify(theirs) }.exceptionOrNull()
    check(error is QuorateException.BadSignature && error.code == "BAD_SIGNATURE" && error.culprits == listOf(1)) { "$error" }
    println("tour of ${Quorate.VERSION}: ${bytes.size} bytes")
}

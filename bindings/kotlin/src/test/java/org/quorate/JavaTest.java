package org.quorate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import kotlin.Pair;
import kotlin.Triple;
import org.junit.jupiter.api.Test;
import org.quorate.faults.Collected;
import org.quorate.faults.VoteFault;

/** The whole library from Java, in idiomatic code. */
class JavaTest {
    private static final byte[] DIGEST = new byte[32];
    private final ChainId chain = ChainId.fromName("java");
    private final List<SecretKey> secrets = new ArrayList<>();
    private final Committee committee;
    private final Statement statement;

    JavaTest() {
        List<Pair<VerifiedKey, BigInteger>> members = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            secrets.add(SecretKey.generate(Suite.MIN_PK));
            byte[] handedIn = UnverifiedKey.prove(secrets.get(i)).encode();
            members.add(Members.of(UnverifiedKey.decode(Suite.MIN_PK, handedIn).verify(), 1));
        }
        committee = Committee.of(chain, 0, members);
        statement = committee.statement(1, 7, DIGEST);
    }

    @Test
    void votesBecomeACertificateAndTheForgedOneIsFound() {
        List<VoteFault> faults = new ArrayList<>();
        byte[] sent = null;
        try (VoteCollector collector = VoteCollector.of(committee, 1, 7); Suspects suspects = new Suspects()) {
            for (int i = 0; i < 4; i++) {
                Vote vote = Vote.signUnguarded(secrets.get(i), committee, statement);
                if (i == 1) {
                    vote = new Vote(statement, 1, secrets.get(0).sign(DIGEST));
                }
                Collected collected = collector.add(vote, suspects);
                faults.addAll(collected.getFaults());
                if (collected.getCertificate() != null) {
                    sent = collected.getCertificate().getValue().encode();
                }
            }
            assertTrue(collector.isDone());
            assertTrue(suspects.contains(1));
        }
        assertEquals(1, faults.size());
        assertEquals(1, assertInstanceOf(VoteFault.BadSignature.class, faults.get(0)).getSigner());
        assertNotNull(sent);
        VerifiedCertificate verified = Certificate.decode(sent, committee).verify(committee);
        assertEquals(committee.getId(), verified.getCommittee());
        List<Integer> signers = new ArrayList<>();
        verified.getValue().getSigners().forEach(signers::add);
        assertEquals(List.of(0, 2, 3), signers);
        for (Verdict<VerifiedCertificate> verdict : Certificate.verifyBatch(committee, List.of(verified.getValue()))) {
            assertEquals(verified, verdict.getOrThrow());
        }
    }

    @Test
    void numbersOf64BitsAreLongAndReadAsUnsigned() {
        Committee last = Committee.of(chain, -1L, List.of(new Pair<>(VerifiedKey.fromSecret(secrets.get(0)), BigInteger.TEN)));
        assertEquals("18446744073709551615", Long.toUnsignedString(last.getEpoch()));
        Statement at = Statement.of(2, 0L, Long.MIN_VALUE, DIGEST);
        assertEquals(Long.MIN_VALUE, Statement.decode(at.encode()).getView());
        assertEquals(at, Statement.of(2, 0L, Long.MIN_VALUE, DIGEST));
        assertEquals(BigInteger.TEN, last.getTotalWeight());
        assertEquals(0, last.position(secrets.get(0).getPublicKey()));
        assertNull(last.weight(1));
    }

    @Test
    void signaturesOfOtherChains() {
        Ciphersuite basic = Ciphersuite.basic();
        Committee chain = committee.withCiphersuite(basic);
        Signature one = secrets.get(1).signWith(basic, DIGEST);
        secrets.get(1).getPublicKey().verifyWith(basic, DIGEST, one);
        SignerSet signers = new SignerSet(4, List.of(1));
        assertEquals(BigInteger.ONE, chain.verifyRaw(DIGEST, signers, one.encode()));
        assertEquals(BigInteger.ONE, chain.verifyRawEach(List.of(new Pair<>(1, DIGEST)), one.encode()));
        for (Verdict<BigInteger> verdict : chain.verifyRawBatch(List.of(new Triple<>(DIGEST, signers, one.encode())))) {
            assertEquals(BigInteger.ONE, assertInstanceOf(Verdict.Valid.class, verdict).getValue());
        }
        Vote vote = Vote.signUnguarded(secrets.get(1), committee, statement);
        UntrustedHeader header = UntrustedHeader.peek(vote.encode());
        assertEquals(Suite.MIN_PK, header.getSuite());
        assertEquals(1, header.getKind());
        assertEquals(0L, header.getEpoch());
        assertEquals(7L, header.getView());
    }

    @Test
    void timeoutsEvidenceAndGuard() {
        List<TimeoutVote> votes = new ArrayList<>();
        secrets.forEach(secret -> votes.add(TimeoutVote.signUnguarded(secret, committee, 2, 7, 5)));
        TimeoutCertificate certificate = null;
        Suspects suspects = new Suspects();
        try (TimeoutCollector collector = TimeoutCollector.of(committee, 2, 7, 2)) {
            for (TimeoutVote vote : votes.subList(0, 3)) {
                VerifiedTimeoutCertificate made = collector.add(vote.verify(committee), suspects).getCertificate();
                certificate = made == null ? certificate : made.getValue();
            }
        }
        assertNotNull(certificate);
        assertEquals(5L, certificate.getHighestValue());
        assertEquals(5L, certificate.getGroups().get(0).getValue());
        TimeoutVote again = TimeoutVote.of(2, 0, 7, 5, 0, votes.get(0).getSignature());
        assertEquals(votes.get(0), again);
        assertEquals(again.asVote().getStatement(), TimeoutVote.statementOf(2, 0, 7, 5));

        byte[] own = secrets.get(0).toBytes();
        GuardRecord record;
        Vote vote;
        try (Guard guard = new Guard(SecretKey.fromBytes(Suite.MIN_PK, own), chain)) {
            SignedVote signed = guard.sign(committee, statement);
            vote = signed.getVote();
            record = GuardRecord.decode(signed.getRecord().encode());
            assertEquals(8, guard.signTimeout(committee, 2, 8, 7).getRecord().getView());
        }
        Statement other = committee.statement(1, 7, new byte[] {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
        try (Guard guard = Guard.restore(SecretKey.fromBytes(Suite.MIN_PK, own), chain, List.of(record))) {
            QuorateException.Contradiction refused =
                    assertThrows(QuorateException.Contradiction.class, () -> guard.sign(committee, other));
            assertEquals(7L, refused.getSignedView());
            Place last = guard.last(1);
            assertEquals(7L, last.getView());
        }
        Vote second = Vote.signUnguarded(secrets.get(0), committee, other);
        Equivocation evidence = new Equivocation(vote, second);
        assertEquals(List.of(0), evidence.verify(committee).getValue().getCulprits());
        assertEquals(vote, evidence.getVotes().get(0));
    }

    @Test
    void bytesHashesAndTrees() {
        try (Wire.Writer writer = new Wire.Writer()) {
            writer.u64(-1L);
            writer.varint(300);
            writer.bytes(new byte[] {1, 2});
            try (Wire.Reader reader = new Wire.Reader(writer.intoBytes())) {
                assertEquals(-1L, reader.u64());
                assertEquals(300, reader.varint());
                assertArrayEquals(new byte[] {1, 2}, reader.bytes(10));
                reader.finish();
            }
        }
        Merkle tree = new Merkle("java-leaf", "java-node");
        List<byte[]> leaves = tree.leaves(List.of(new byte[] {1}, new byte[] {2}, new byte[] {3}));
        Merkle.Path path = Merkle.Path.decode(tree.path(leaves, 2).encode());
        tree.verify(tree.root(leaves), tree.leaf(new byte[] {3}), path);
        assertEquals(32, Wire.hash(Wire.DOMAINS.get(0), new byte[0]).length);
        assertTrue(Quorate.CODES.contains("CLOSED") && Committee.MAX_MEMBERS > 0 && !Quorate.VERSION.isEmpty());
    }

    @Test
    void aggregatesWithoutVotes() {
        byte[] message = {1, 2, 3};
        List<Signature> signatures = secrets.stream().map(secret -> secret.sign(message)).toList();
        List<VerifiedKey> keys = secrets.stream().map(VerifiedKey::fromSecret).toList();
        Signature sum = Bls.aggregate(signatures);
        Bls.fastAggregateVerify(keys, message, sum);
        Bls.aggregateVerify(keys.stream().map(key -> new Pair<>(key, message)).toList(), sum);
        List<Pair<PublicKey, BigInteger>> members =
                keys.stream().map(key -> Members.of(key.getPublic(), 1)).toList();
        Committee attested = Committee.fromAttested(chain, 0, members);
        SignerSet all = attested.signerSet(List.of(0L, 1L, 2L, 3L));
        assertEquals(attested.getTotalWeight(), attested.verifyRaw(message, all, sum.encode()));
        assertEquals(SignerSet.full(4), all);
        assertEquals(Suite.fromName(Suite.MIN_PK.toString()), Suite.fromNumber(2));
        assertTrue(Committee.fromAttested(chain, 0, members, true).hasQuorum(new SignerSet(4, List.of(0, 1, 2))));
    }

    @Test
    void checksRunOnAnyExecutor() {
        Vote vote = Vote.signUnguarded(secrets.get(3), committee, statement);
        assertEquals(3, CompletableFuture.supplyAsync(() -> vote.verify(committee)).join().getValue().getSigner());
    }

    @Test
    void nullIsRefusedByName() {
        Runnable[] calls = {
            () -> SecretKey.generate(null),
            () -> SecretKey.fromBytes(Suite.MIN_SIG, null),
            () -> PublicKey.decode(null, DIGEST),
            () -> Certificate.decode(null, committee),
            () -> Certificate.decode(DIGEST, null),
            () -> Vote.signUnguarded(secrets.get(0), null, statement),
            () -> committee.statement(1, 7, null),
            () -> committee.signerSet(null),
            () -> committee.signerSet(Arrays.asList(1L, null)),
            () -> Committee.of(null, 0, List.of()),
            () -> Committee.of(chain, 0, Arrays.asList((Pair<VerifiedKey, BigInteger>) null)),
            () -> Members.of((VerifiedKey) null, 1),
            () -> new Guard(null, chain),
            () -> Bls.aggregate(Arrays.asList((Signature) null)),
            () -> new Merkle("leaf", null),
            () -> new Wire.Reader(null),
            () -> new SignerSet(4).union(null),
            () -> VoteCollector.of(committee, 1, 7).add((Vote) null, new Suspects()),
        };
        for (int i = 0; i < calls.length; i++) {
            assertThrows(NullPointerException.class, calls[i]::run, "call " + i);
        }
        assertFalse(committee.equals(null));
    }

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"})
    void whatRawTypesSmuggleInIsRefused() {
        List wrong = List.of("not a signature");
        assertThrows(ClassCastException.class, () -> Bls.aggregate(wrong));
        assertThrows(ClassCastException.class, () -> Committee.of(chain, 0, wrong));
        assertThrows(ClassCastException.class, () -> Certificate.verifyBatch(committee, wrong));
        assertThrows(ClassCastException.class, () -> committee.signerSet(wrong));
        assertThrows(ClassCastException.class, () -> new Merkle("leaf", "node").root(wrong));
    }
}

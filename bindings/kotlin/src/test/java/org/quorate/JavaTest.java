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
import org.quorate.erasure.CheckedShard;
import org.quorate.erasure.Coder;
import org.quorate.erasure.Coding;
import org.quorate.erasure.Dispersal;
import org.quorate.erasure.Shape;
import org.quorate.faults.Collected;
import org.quorate.faults.VoteFault;
import org.quorate.threshold.Threshold;
import org.quorate.threshold.coin.Coin;
import org.quorate.threshold.coin.CoinName;
import org.quorate.threshold.coin.KeyShare;
import org.quorate.threshold.coin.PublicKeys;

/** The forms that the library has in Java; `SurfaceTest` shows that every function has them. */
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
    void constructorsWithUnsignedNumbersAreFunctionsOf() {
        TimeoutVote vote = TimeoutVote.signUnguarded(secrets.get(0), committee, 2, 7, 5);
        TimeoutVote again = TimeoutVote.of(2, 0, 7, 5, 0, vote.getSignature());
        assertEquals(vote, again);
        assertEquals(again.asVote().getStatement(), TimeoutVote.statementOf(2, 0, 7, 5));
        try (Guard guard = new Guard(secrets.get(0), chain)) {
            SignedVote signed = guard.sign(committee, statement);
            assertEquals(7L, signed.getRecord().getView());
            Statement other = committee.statement(1, 7, signed.getVote().getStatement().identity(committee.getId()));
            QuorateException.Contradiction refused =
                    assertThrows(QuorateException.Contradiction.class, () -> guard.sign(committee, other));
            assertEquals(7L, refused.getSignedView());
            Place last = guard.last(1);
            assertEquals(7L, last.getView());
        }
    }

    @Test
    void verdictsAreValues() {
        SignerSet signers = new SignerSet(4, List.of(1));
        byte[] proof = secrets.get(1).sign(DIGEST).encode();
        assertEquals(BigInteger.ONE, committee.verifyRawEach(List.of(new Pair<>(1, DIGEST)), proof));
        for (Verdict<BigInteger> verdict : committee.verifyRawBatch(List.of(new Triple<>(DIGEST, signers, proof)))) {
            assertEquals(BigInteger.ONE, assertInstanceOf(Verdict.Valid.class, verdict).getValue());
        }
        for (Verdict<BigInteger> verdict : committee.verifyRawBatch(List.of(new Triple<>(proof, signers, proof)))) {
            assertEquals("BAD_SIGNATURE", assertInstanceOf(Verdict.Invalid.class, verdict).getError().getCode());
        }
    }

    @Test
    void modulesArePackages() {
        Coding coding = new Coding(Shape.forCommittee(7, 2), 1 << 20);
        try (Coder coder = new Coder(coding); Dispersal sent = coder.disperse(DIGEST)) {
            List<CheckedShard> received =
                    sent.shards().stream().skip(4).map(shard -> CheckedShard.decode(shard.encode(), coding)).toList();
            assertArrayEquals(DIGEST, coder.decode(received).getMessage());
        }
        // Two modules have a class of this name.
        org.quorate.threshold.coin.Dealt dealt = PublicKeys.deal(committee.getId(), new Threshold(2, 4));
        Coin coin = Coin.fromName(dealt.getKeys(), CoinName.of(1, 12, 3, 0));
        for (KeyShare share : dealt.getShares()) {
            assertTrue(dealt.getKeys().verifyShare(coin, share.coinShare(coin)).getMember() < 4);
        }
        assertTrue(Quorate.CODES.contains("CLOSED") && Committee.MAX_MEMBERS > 0 && !Quorate.VERSION.isEmpty());
        assertEquals(32, Wire.hash(Wire.DOMAINS.get(0), new byte[0]).length);
    }

    @Test
    void defaultsAreOverloads() {
        List<VerifiedKey> keys = secrets.stream().map(VerifiedKey::fromSecret).toList();
        List<Pair<PublicKey, BigInteger>> members =
                keys.stream().map(key -> Members.of(key.getPublic(), 1)).toList();
        Committee attested = Committee.fromAttested(chain, 0, members);
        assertEquals(SignerSet.full(4), attested.signerSet(List.of(0L, 1L, 2L, 3L)));
        assertTrue(Committee.fromAttested(chain, 0, members, true).hasQuorum(new SignerSet(4, List.of(0, 1, 2))));
        assertEquals(Suite.fromName(Suite.MIN_PK.toString()), Suite.fromNumber(2));
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
            () -> new Coder((Coding) null),
            () -> new Dsig.Signer(null),
            () -> Dsig.verifyAll(Dsig.Suite.WOTS_BLAKE3, Arrays.asList((Triple<PublicKey, byte[], byte[]>) null)),
            () -> Dsig.verifyAll(Dsig.Suite.WOTS_BLAKE3, List.of(new Triple<>(secrets.get(0).getPublicKey(), null, DIGEST))),
            () -> Dsig.reuse(secrets.get(0).getPublicKey(), null, null),
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

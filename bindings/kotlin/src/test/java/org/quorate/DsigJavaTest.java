package org.quorate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import kotlin.Pair;
import kotlin.Triple;
import org.junit.jupiter.api.Test;

/** DSig from Java, in idiomatic code. */
class DsigJavaTest {
    private static final byte[] MESSAGE = {1, 2, 3};

    @Test
    void signsAndVerifies() {
        SecretKey secret = SecretKey.generate(Suite.ED25519);
        List<Set<Integer>> groups = List.of(Set.of(1, 2));
        try (Dsig.Signer signer =
                        new Dsig.Signer(secret, Dsig.Suite.WOTS_BLAKE3, groups, 2, 1, Duration.ofSeconds(10));
                Dsig.Verifier verifier = new Dsig.Verifier();
                Dsig.Auditor auditor = new Dsig.Auditor(Dsig.Suite.WOTS_BLAKE3, 16)) {
            PublicKey key = signer.getPublicKey();
            verifier.admit(key);
            for (Dsig.Announced each = signer.prepare(); each != null; each = signer.prepare()) {
                verifier.announce(key, each.getAnnouncement());
                assertTrue(each.getTo() == null || each.getTo().equals(List.of(1, 2)));
            }
            byte[] signature = signer.sign(MESSAGE, Set.of(2));
            assertTrue(verifier.canVerifyFast(key, signature));
            verifier.verify(key, MESSAGE, signature);
            auditor.check(key, MESSAGE, signature);
            Dsig.verify(key, MESSAGE, signature);
            Triple<PublicKey, byte[], byte[]> entry = new Triple<>(key, MESSAGE, signature);
            assertEquals(Arrays.asList(null, null), Dsig.verifyAll(signer.getSuite(), List.of(entry, entry)));
            Pair<byte[], byte[]> signed = new Pair<>(MESSAGE, signature);
            assertThrows(QuorateException.NotEvidence.class, () -> Dsig.reuse(key, signed, signed));
            assertEquals(7, signer.getReady());
            assertEquals(2, signer.announcements().size());
        }
    }

    @Test
    void hooksAreFunctionsOfJava() {
        AtomicLong generation = new AtomicLong(1);
        Set<PublicKey> revoked = ConcurrentHashMap.newKeySet();
        try (Dsig.Signer signer = new Dsig.Signer(SecretKey.generate(Suite.ED25519));
                Dsig.Verifier verifier = new Dsig.Verifier()) {
            PublicKey key = signer.getPublicKey();
            signer.detectCopies(generation::get);
            verifier.checkRevocation(revoked::contains);
            verifier.admit(key);
            signer.prepare();
            byte[] signature = signer.sign(MESSAGE);
            verifier.verify(key, MESSAGE, signature);
            generation.set(-1);
            assertThrows(QuorateException.Exhausted.class, () -> signer.sign(MESSAGE));
            revoked.add(key);
            assertThrows(QuorateException.WrongContext.class, () -> verifier.verify(key, MESSAGE, signature));
            assertThrows(NullPointerException.class, () -> signer.detectCopies(null));
            assertThrows(NullPointerException.class, () -> verifier.checkRevocation(null));
        }
    }

    @Test
    void timeIsALongOfMicroseconds() {
        try (Dsig.Signer signer = new Dsig.Signer(SecretKey.generate(Suite.ED25519))) {
            assertEquals(68 + 128 * 32, signer.prepare(5L).getAnnouncement().length);
            assertEquals(Dsig.signatureLen(signer.getSuite()), signer.sign(MESSAGE, Set.of(), 6L).length);
            signer.sign(MESSAGE, Set.of(), 4L);
            assertThrows(QuorateException.Exhausted.class, () -> signer.sign(MESSAGE));
            assertEquals(Dsig.Suite.WOTS_BLAKE3, Dsig.Suite.fromName("wots-blake3"));
        }
    }
}

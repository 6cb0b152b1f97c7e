package org.quorate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.quorate.erasure.CheckedShard;
import org.quorate.erasure.Coder;
import org.quorate.erasure.Coding;
import org.quorate.erasure.Dispersal;
import org.quorate.erasure.Shape;
import org.quorate.threshold.Agreement;
import org.quorate.threshold.Cache;
import org.quorate.threshold.Group;
import org.quorate.threshold.Threshold;
import org.quorate.threshold.Tolerance;
import org.quorate.threshold.bls.Bls;
import org.quorate.threshold.coin.Coin;
import org.quorate.threshold.coin.CoinCombiner;
import org.quorate.threshold.coin.CoinName;
import org.quorate.threshold.coin.CoinValue;
import org.quorate.threshold.ecdsa.Combiner;
import org.quorate.threshold.ecdsa.Outcome;
import org.quorate.threshold.ecdsa.Plan;
import org.quorate.threshold.ecdsa.Presignature;
import org.quorate.threshold.ecdsa.Presignatures;
import org.quorate.threshold.ecdsa.Signed;
import org.quorate.threshold.ecdsa.Tag;
import org.quorate.threshold.ecdsa.TrustedDealer;
import org.quorate.threshold.tdh2.Ciphertext;
import org.quorate.threshold.tdh2.Collected;
import org.quorate.threshold.tdh2.Dealt;
import org.quorate.threshold.tdh2.Decryption;
import org.quorate.threshold.tdh2.EncryptionKey;
import org.quorate.threshold.tdh2.KeyShare;
import org.quorate.threshold.tdh2.PublicKeys;
import org.quorate.threshold.tdh2.ValidCiphertext;

/** Threshold blocks and erasure coding from Java, in idiomatic code. */
class ThresholdJavaTest {
    private static final byte[] MESSAGE = {1, 2, 3};
    private static final CommitteeId COMMITTEE = CommitteeId.fromBytes(new byte[32]);
    private static final Tolerance TOLERANCE = new Tolerance(4, 1);

    @Test
    void manySign() {
        Plan plan = Plan.forUnagreed(4);
        List<Presignatures> parties;
        try (TrustedDealer dealer = new TrustedDealer(Group.SECP256K1, COMMITTEE, TOLERANCE)) {
            parties = dealer.deal(1, plan);
        }
        Tag tag = plan.unagreed(1, 0);
        assertEquals(1, tag.getEpoch());
        org.quorate.threshold.ecdsa.Signature signature = null;
        try (Combiner combiner = new Combiner(parties.get(0).signing(tag, MESSAGE), new Cache())) {
            for (Presignatures party : parties) {
                try (Guard guard = new Guard(SecretKey.generate(Suite.ED25519), ChainId.fromName("x"));
                        Presignature presignature = party.take(tag)) {
                    Signed signed = presignature.sign(guard, MESSAGE);
                    assertNotNull(signed.getRecord());
                    assertThrows(QuorateException.Exhausted.class, () -> presignature.sign(guard, MESSAGE));
                    Outcome outcome = combiner.add(party.getMember(), signed.getShare());
                    if (outcome.getSignature() != null) signature = outcome.getSignature();
                    assertEquals(81, guard.reserve(party.getKey().getId(), 2, 0).encode().length);
                    assertTrue(outcome.getFaults().isEmpty() && outcome.getWanted().isEmpty());
                }
            }
        }
        parties.get(0).getKey().verifyMessage(MESSAGE, signature);
        List<org.quorate.threshold.bls.KeyShare> shares =
                Bls.deal(Suite.MIN_SIG, COMMITTEE, TOLERANCE, Agreement.AGREED);
        try (org.quorate.threshold.bls.Combiner combiner =
                new org.quorate.threshold.bls.Combiner(shares.get(0).getKey(), MESSAGE)) {
            for (org.quorate.threshold.bls.KeyShare share : shares) combiner.add(share.getMember(), share.sign(MESSAGE));
            assertEquals(32, Bls.beacon(combiner.getSignature()).length);
        }
    }

    @Test
    void manyDecryptAndToss() {
        Dealt dealt = PublicKeys.deal(COMMITTEE, new Threshold(2, 4));
        EncryptionKey key = EncryptionKey.fromPublicKeys(dealt.getKeys());
        ValidCiphertext ciphertext = Ciphertext.decode(key.encrypt(12, 3, MESSAGE).encode()).check(key, 12, 3);
        byte[] output = null;
        try (Decryption decryption = new Decryption(dealt.getKeys(), ciphertext)) {
            for (KeyShare share : dealt.getShares()) {
                Collected got = decryption.add(share.decryptionShare(ciphertext));
                if (got.getOutput() != null) output = got.getOutput();
            }
        }
        assertArrayEquals(MESSAGE, output);
        org.quorate.threshold.coin.Dealt coins =
                org.quorate.threshold.coin.PublicKeys.deal(COMMITTEE, new Threshold(2, 4));
        Coin coin = Coin.fromName(coins.getKeys(), CoinName.of(1, 12, 3, 0));
        CoinValue value = null;
        try (CoinCombiner toss = new CoinCombiner(coins.getKeys(), coin)) {
            for (org.quorate.threshold.coin.KeyShare share : coins.getShares()) {
                CoinValue got = toss.add(share.coinShare(coin)).getOutput();
                if (got != null) value = got;
            }
        }
        assertTrue(value.below(7) < 7);
        assertEquals(12, coin.getName().getEpoch());
    }

    @Test
    void shardsRestoreAMessage() {
        Coding coding = new Coding(Shape.forCommittee(7, 2), 1 << 20);
        try (Coder coder = new Coder(coding); Dispersal sent = coder.disperse(MESSAGE)) {
            List<CheckedShard> received =
                    sent.shards().stream().skip(4).map(shard -> CheckedShard.decode(shard.encode(), coding)).toList();
            assertArrayEquals(MESSAGE, coder.decode(received).getMessage());
        }
    }

    @Test
    void nullIsRefusedByName() {
        Runnable[] calls = {
            () -> new TrustedDealer(null, COMMITTEE, TOLERANCE),
            () -> PublicKeys.deal(null, new Threshold(1, 1)),
            () -> Ciphertext.decode(null),
            () -> new Coder((Coding) null),
            () -> CoinName.decode(null),
            () -> CheckedShard.decode(null, null),
            () -> Presignatures.fromBytes(Group.SECP256K1, null),
        };
        for (int i = 0; i < calls.length; i++) {
            assertThrows(NullPointerException.class, calls[i]::run, "call " + i);
        }
    }
}

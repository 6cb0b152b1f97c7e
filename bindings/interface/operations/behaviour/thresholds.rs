//! Numbers of parties and shares, and seals.

pub mod threshold {
    pub fn numbers_of_parties_and_shares_are_checked() {
        let tolerance = Tolerance::new(7, 2);
        check!(tolerance.threshold(Agreement::Agreed) == Threshold::new(3, 7));
        check!(tolerance.threshold(Agreement::Unagreed) == Threshold::new(5, 7));
        check!(tolerance == Tolerance::new(7, 2) && tolerance != Tolerance::new(7, 1));
        check!(threshold::MAX_PARTIES == 1024);
        for needed in [0, 5] {
            refuses!(BAD_COMMITTEE, Threshold::new(needed, 4));
        }
        refuses!(BAD_COMMITTEE, Threshold::new(1, 1025), Tolerance::new(0, 0), Tolerance::new(3, 1));
        refuses!(BAD_COMMITTEE, Tolerance::new(1025, 1));
        out_of_range!(needed, Threshold::new(-1, 4));
        out_of_range!(parties, Tolerance::new(65536, 1));
        out_of_range!(faulty, Tolerance::new(4, -1));
        out_of_range!(capacity, Cache::new(-1));
    }
}

pub mod seal {
    pub fn only_the_recipient_opens_a_sealed_file() {
        let bob = seal::SealingKey::generate();
        let sealed = bob.public().seal(b"epoch 7", b"the shares");
        check!(seal::SealingPublicKey::decode(bob.public().encode()) == bob.public());
        check!(sealed.len() == b"the shares".len() + seal::OVERHEAD);
        check!(bob.open(b"epoch 7", sealed) == b"the shares");
        check!(seal::SealingKey::from_bytes(bob.to_bytes()).open(b"epoch 7", sealed) == b"the shares");
        refuses!(WRONG_CONTEXT, seal::SealingKey::generate().open(b"epoch 7", sealed));
        refuses!(WRONG_CONTEXT, bob.open(b"epoch 8", sealed));
        for at in range(sealed.len()) {
            refuses!(WRONG_CONTEXT, bob.open(b"epoch 7", flipped(sealed, at)));
        }
        for length in [0, 31, 47] {
            refuses!(MALFORMED, bob.open(b"epoch 7", slice(sealed, 0, length)));
        }
        refuses!(INFINITY, seal::SealingPublicKey::decode(zeros(32)).seal(b"", b""));
        refuses!(TOO_LARGE, bob.public().seal(b"", zeros(seal::MAX_CONTENT + 1)));
        for length in [0, 31, 33] {
            refuses!(MALFORMED, seal::SealingKey::from_bytes(zeros(length)));
            refuses!(MALFORMED, seal::SealingPublicKey::decode(zeros(length)));
        }
    }

    pub fn a_closed_key_refuses_every_use() {
        let key = seal::SealingKey::generate();
        closes(key, key.to_bytes());
        refuses!(CLOSED, key.open(b"", zeros(48)));
    }
}

//! Signatures of other chains: their ciphersuites, a message per member, batches. Headers of encodings.

fn ciphersuites() -> Vec<Ciphersuite> {
    [
        Ciphersuite::basic(),
        Ciphersuite::message_augmentation(),
        Ciphersuite::proof_of_possession(),
        Ciphersuite::custom(b"CHAIN_V1"),
    ]
}

/// The proof of `verify_raw`: an aggregate, or a list of signatures.
fn proof_of(signatures: Vec<Signature>) -> Bytes {
    if signatures[0].suite() == Suite::Ed25519 {
        return joined(signatures.map(|signature| signature.encode()));
    }
    bls::aggregate(signatures).encode()
}

/// The proof that these members signed one message.
fn signed_with(ciphersuite: Ciphersuite, suite: Suite, members: Vec<u16>, message: Bytes) -> Bytes {
    proof_of(members.map(|member| four_secrets(suite)[member].sign_with(ciphersuite, message)))
}

fn bls_suites() -> Vec<Suite> { [Suite::MinSig, Suite::MinPk] }
fn plain_suites() -> Vec<Suite> { [Suite::MinSig, Suite::MinPk, Suite::Ed25519] }

/// The members at fault that a bad proof of a suite names.
fn named_by(suite: Suite, members: Vec<u16>) -> Vec<u16> {
    if suite == Suite::Ed25519 { members } else { slice(members, 0, 0) }
}

pub mod ciphersuite {
    pub fn a_signature_is_valid_under_its_own_only(suite: BlsSuite) {
        let plain = four_members(suite);
        let secret = four_secrets(suite)[0];
        let signers = SignerSet::new(4, [0, 2, 3]);
        for ciphersuite in ciphersuites() {
            let signature = secret.sign_with(ciphersuite, b"m");
            let proof = signed_with(ciphersuite, suite, [0, 2, 3], b"m");
            let is_default = ciphersuite == Ciphersuite::proof_of_possession();
            check!((signature == secret.sign(b"m")) == is_default);
            for other in ciphersuites() {
                let committee = plain.with_ciphersuite(other);
                check!(committee == plain);
                if other == ciphersuite {
                    secret.public_key().verify_with(other, b"m", signature);
                    check!(committee.verify_raw(b"m", signers, proof) == 3u128);
                } else {
                    refuses!(BAD_SIGNATURE, secret.public_key().verify_with(other, b"m", signature));
                    refuses!(BAD_SIGNATURE, committee.verify_raw(b"m", signers, proof));
                }
            }
            // The first committee is still usable and has the default.
            if !is_default {
                refuses!(BAD_SIGNATURE, plain.verify_raw(b"m", signers, proof));
            }
            let stranger = four_secrets(suite)[1].public_key();
            refuses!(BAD_SIGNATURE, stranger.verify_with(ciphersuite, b"m", signature));
        }
    }

    pub fn votes_are_not_affected(suite: BlsSuite) {
        let committee = four_members(suite);
        let basic = committee.with_ciphersuite(Ciphersuite::basic());
        vote_by(committee, 0, 7).verify(basic);
        let certificate = Certificate::decode(certified(committee, 7).encode(), basic).verify(basic);
        check!(certificate.committee() == committee.id());
        // A signature of another chain is never a vote.
        let statement = statement_with(committee, 7);
        let signed = statement.signed_bytes(committee.id());
        let signature = four_secrets(suite)[0].sign_with(Ciphersuite::basic(), signed);
        refuses!(BAD_SIGNATURE, [0], Vote::new(statement, 0, signature).verify(basic));
    }

    pub fn sums_of_groups_change_no_verdict(suite: BlsSuite) {
        let committee = four_members(suite);
        let summed = committee.with_group_sums();
        check!(summed == committee);
        Certificate::decode(certified(committee, 7).encode(), summed).verify(summed);
        let proof = signed_with(Ciphersuite::basic(), suite, [0, 2, 3], b"m");
        let foreign = summed.with_ciphersuite(Ciphersuite::basic());
        check!(foreign.verify_raw(b"m", SignerSet::new(4, [0, 2, 3]), proof) == 3u128);
        refuses!(BAD_SIGNATURE, foreign.verify_raw(b"m", SignerSet::new(4, [0, 1, 3]), proof));
    }

    pub fn only_bls_has_several() {
        for suite in suites().filter(|one| !bls_suites().contains(one)) {
            let committee = four_members(suite);
            let secret = four_secrets(suite)[0];
            let basic = Ciphersuite::basic();
            let usual = Ciphersuite::proof_of_possession();
            refuses!(WRONG_CONTEXT, committee.with_ciphersuite(basic), secret.sign_with(basic, b"m"));
            let signature = secret.sign_with(usual, b"m");
            secret.public_key().verify_with(usual, b"m", signature);
            refuses!(WRONG_CONTEXT, secret.public_key().verify_with(basic, b"m", signature));
            check!(committee.with_ciphersuite(usual) == committee);
        }
    }

    pub fn they_are_values() {
        let known = ciphersuites();
        check!(known[1].to_string() == "Ciphersuite(message-augmentation)");
        check!(known[3].to_string() == "Ciphersuite(custom \"CHAIN_V1\")");
        for one in range(4) {
            check!(Ciphersuite::decode(known[one].encode()) == known[one]);
            check!(range(one).all(|other| known[other] != known[one]));
        }
        refuses!(MALFORMED, Ciphersuite::custom(b""));
        refuses!(TOO_LARGE, Ciphersuite::custom(zeros(256)));
        // Under these tags votes are signed.
        refuses!(NON_CANONICAL, Ciphersuite::custom(b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_POP_"));
        refuses!(NON_CANONICAL, Ciphersuite::custom(b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_"));
        for bad in [zeros(0), filled(4, 1), zeros(2), joined([filled(3, 1), zeros(1)])] {
            refuses!(MALFORMED, Ciphersuite::decode(bad));
        }
    }
}

pub mod raw {
    fn signed_by(suite: Suite, members: Vec<u16>, messages: Vec<Bytes>) -> Bytes {
        proof_of(range(members.len()).map(|at| four_secrets(suite)[members[at]].sign(messages[at])))
    }

    pub fn each_member_signs_its_own_message(suite: PlainSuite) {
        let committee = four_members(suite);
        let proof = signed_by(suite, [0, 2, 3], [b"vote 0", b"vote 2", b"vote 3"]);
        let votes = [(0, b"vote 0"), (2, b"vote 2"), (3, b"vote 3")];
        check!(committee.verify_raw_each(votes, proof) == 3u128);
        let swapped = [(0, b"vote 0"), (2, b"vote 3"), (3, b"vote 2")];
        let named = named_by(suite, [2, 3]);
        refuses!(BAD_SIGNATURE, named, committee.verify_raw_each(swapped, proof));
        out_of_range!(signed, committee.verify_raw_each([(-1, b"m")], proof));
    }

    pub fn a_batch_gives_each_item_its_own_verdict(suite: PlainSuite) {
        let committee = four_members(suite);
        let usual = Ciphersuite::proof_of_possession();
        let three = SignerSet::new(4, [0, 1, 2]);
        let good = signed_with(usual, suite, [0, 1, 2], b"a");
        let other = signed_with(usual, suite, [0, 1, 2], b"c");
        let two = signed_with(usual, suite, [1, 3], b"b");
        let none = if suite == Suite::Ed25519 { zeros(0) } else { good };
        let items = [
            (b"a", three, good),
            (b"x", three, other),
            (b"a", SignerSet::full(3), good),
            (b"a", SignerSet::new(4), none),
            (b"a", three, b"garbage"),
            (b"b", SignerSet::new(4, [1, 3]), two),
        ];
        let verdicts = committee.verify_raw_batch(items).map(|one| one.attempt());
        check!(
            verdicts.map(|one| refused(one))
                == [None, "BAD_SIGNATURE", "WRONG_CONTEXT", "BELOW_QUORUM", "MALFORMED", None]
        );
        check!(verdicts[0].unwrap() == 3u128 && verdicts[5].unwrap() == 2u128);
        let named = named_by(suite, [0, 1, 2]);
        refuses!(BAD_SIGNATURE, named, verdicts[1].unwrap());
        check!(committee.verify_raw_batch([]).is_empty());
        if bls_suites().contains(suite) {
            let basic = Ciphersuite::basic();
            let raw = (b"m", three, signed_with(basic, suite, [0, 1, 2], b"m"));
            let verdicts = committee.with_ciphersuite(basic).verify_raw_batch([raw, raw]);
            check!(verdicts.map(|one| one.unwrap()) == [3u128, 3u128]);
            refuses!(BAD_SIGNATURE, committee.verify_raw_batch([raw])[0].unwrap());
        }
    }
}

pub mod header {
    pub fn it_says_which_committee_an_encoding_names(suite: Suite) {
        let committee = four_members(suite);
        let evidence = Equivocation::new(vote_by(committee, 0, 7), vote_by(committee, 0, 8)).encode();
        let timeout = timeout_by(committee, 0, 4u64).encode();
        let encodings =
            [vote_by(committee, 0, 7).encode(), certified(committee, 7).encode(), evidence, timeout];
        for encoded in encodings {
            let header = UntrustedHeader::peek(encoded);
            check!(header.suite() == suite && header.epoch() == 5u64 && header.view() == 9u64);
            check!(header.encode() == slice(encoded, 0, 18));
            check!(UntrustedHeader::decode(slice(encoded, 0, 18)) == header);
            let foreign = joined([filled(255, 1), slice(encoded, 1, encoded.len())]);
            refuses!(WRONG_CONTEXT, UntrustedHeader::peek(foreign));
        }
        let shown = UntrustedHeader::peek(encodings[0]).to_string();
        check!(suite != Suite::MinSig || shown == "UntrustedHeader(bls-min-sig, kind 1, epoch 5, view 9)");
        check!(UntrustedHeader::peek(encodings[0]).kind() == 1);
        check!(UntrustedHeader::peek(timeout).kind() == 2);
    }
}

//! Invalid input: wrong lengths, large lengths, sets and committees that cannot be.

pub mod lengths {
    pub fn wrong_ones_of_digests_are_malformed() {
        let committee = four_members(Suite::Ed25519);
        let tree = Merkle::new("a", "b");
        let leaf = tree.leaf(b"item");
        let path = tree.path([leaf], 0);
        for length in [0u32, 1u32, 31u32, 33u32, 1048576u32] {
            let bad = zeros(length);
            refuses!(MALFORMED, Statement::new(1, 1u64, 1u64, bad), committee.statement(1, 1u64, bad));
            refuses!(MALFORMED, tree.root([bad]), tree.verify(tree.root([leaf]), bad, path));
        }
    }

    pub fn integers_out_of_range_name_the_argument() {
        let committee = four_members(Suite::Ed25519);
        let vote = vote_by(committee, 0, 7);
        out_of_range!(kind, Statement::new(256, 1u64, 1u64, zeros(32)));
        out_of_range!(kind, committee.statement(-1, 1u64, zeros(32)));
        out_of_range!(index, committee.weight(-1));
        out_of_range!(signer, Vote::new(vote.statement(), 65536, vote.signature()));
        out_of_range!(cap, Reader::new(zeros(4)).bytes(-1));
        out_of_range!(n, Reader::new(zeros(4)).raw(-1));
        check!(committee.weight(4).is_none() && committee.key(65535).is_none());
    }
}

pub mod wire {
    pub fn large_lengths_cost_nothing() {
        for claim in [filled(255, 4), joined([filled(255, 3), filled(127, 1), zeros(8)])] {
            refuses!(TOO_LARGE, Reader::new(claim).bytes(1000));
            refuses!(any, Reader::new(claim).bytes(2147483647), Reader::new(claim).count(1000));
        }
        refuses!(MALFORMED, Reader::new(zeros(8)).raw(2147483647), Reader::new(zeros(3)).u32());
        refuses!(MALFORMED, Reader::new(zeros(3)).finish());
    }

    pub fn a_writer_is_empty_after_into_bytes() {
        let writer = Writer::new();
        writer.u8(1);
        check!(writer.size() == 1 && writer.into_bytes() == filled(1, 1));
        check!(writer.size() == 0 && writer.into_bytes() == zeros(0));
        writer.u8(2);
        check!(writer.into_bytes() == filled(2, 1));
    }

    pub fn messages_have_no_maximum_length() {
        let secret = four_secrets(Suite::Ed25519)[0];
        let message = zeros(5000000);
        secret.public_key().verify(message, secret.sign(message));
        refuses!(BAD_SIGNATURE, secret.public_key().verify(message, secret.sign(b"m")));
        check!(wire::hash("quorate test", message).len() == 32);
        check!(ChainId::from_name("").bytes().len() == 32);
    }
}

pub mod merkle {
    pub fn paths_lead_to_their_leaves_only() {
        let tree = Merkle::new("leaf", "node");
        let leaves = tree.leaves([b"one", b"two", b"three"]);
        let root = tree.root(leaves);
        for at in range(3) {
            let path = tree.path(leaves, at);
            tree.verify(root, leaves[at], path);
            for other in range(at) {
                refuses!(any, tree.verify(root, leaves[other], path));
            }
        }
        refuses!(any, tree.path(leaves, 3), tree.path(leaves, 2147483647));
        check!(tree == Merkle::new("leaf", "node") && tree != Merkle::new("leaf", "other"));
    }
}

pub mod signer_set {
    pub fn it_is_a_set_of_one_committee() {
        let signers = SignerSet::new(5, [3, 1]);
        check!(signers.members() == [1, 3] && signers.size() == 2);
        check!(signers.contains(3) && !signers.contains(2));
        check!(!signers.insert(3) && !signers.insert(5) && signers.insert(4));
        let others = signers.complement();
        check!(others.members() == [0, 2] && signers.is_disjoint(others));
        check!(signers.union(others) == SignerSet::full(5));
        check!(signers.intersection(others).members().is_empty());
        refuses!(UNKNOWN_SIGNER, SignerSet::new(5, [5]));
        refuses!(DUPLICATE_SIGNER, SignerSet::new(5, [1, 1]));
        out_of_range!(members, SignerSet::new(5, [65536]));
        check!(SignerSet::new(4).members().is_empty());
    }

    pub fn committees_read_lists_and_bitmaps() {
        let committee = four_members(Suite::Ed25519);
        check!(committee.signer_set([0u32, 2u32]).members() == [0, 2]);
        check!(committee.signer_set_lsb_first(filled(5, 1)).members() == [0, 2]);
        check!(committee.signer_set_msb_first(filled(160, 1)).members() == [0, 2]);
        refuses!(BELOW_QUORUM, committee.require_quorum(SignerSet::new(4, [0, 1])));
        committee.require_quorum(SignerSet::new(4, [0, 1, 2]));
        check!(committee.weight_of(SignerSet::full(4)) == 4u128);
    }
}

pub mod committee {
    pub fn impossible_ones_are_refused(suite: Suite) {
        let chain = ChainId::from_name("x");
        let secret = four_secrets(suite)[0];
        let key = VerifiedKey::from_secret(secret);
        let heavy = (key, committee::MAX_TOTAL_WEIGHT + 1u128);
        refuses!(BAD_COMMITTEE, Committee::new(chain, 0u64, [heavy]));
        let own = secret.public_key();
        let twice = Committee::from_attested(chain, 1u64, [(own, 5u128), (own, 7u128)], true);
        check!(range(2).map(|index| twice.weight(index).unwrap()) == [5u128, 7u128]);
        check!(twice.total_weight() == 12u128 && twice.position(own).unwrap() == 0);
    }

    pub fn they_are_equal_if_their_ids_are(suite: Suite) {
        let committee = four_members(suite);
        let members = four_secrets(suite).map(|secret| (VerifiedKey::from_secret(secret), 1u128));
        check!(committee == Committee::new(committee.chain(), 5u64, members));
        check!(committee != Committee::new(committee.chain(), 6u64, members));
        check!(VoteCollector::new(committee, 1, 9u64).committee() == committee);
        check!(TimeoutCollector::new(committee, 1, 9u64).committee() == committee);
        check!(committee.keys() == four_secrets(suite).map(|secret| secret.public_key()));
    }
}

pub mod secret_key {
    pub fn keys_and_guards_close(suite: Suite) {
        let secret = four_secrets(suite)[0];
        let hidden = secret.to_bytes();
        let guard = Guard::new(SecretKey::from_bytes(suite, hidden), ChainId::from_name("x"));
        for one in [secret, guard] {
            closes(one, hidden);
        }
        let committee = four_members(suite);
        refuses!(CLOSED, secret.sign(b"m"), guard.sign(committee, statement_with(committee, 7)));
    }
}

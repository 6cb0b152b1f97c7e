//! Several threads use one object; in JavaScript, where an object belongs to one thread, the same calls in turn.

pub mod threads {
    fn certificates_of(collector: VoteCollector, votes: Vec<Vote>, suspects: Suspects) -> usize {
        votes.map(|vote| collector.add(vote, suspects)).filter(|one| one.certificate.is_some()).len()
    }

    pub fn a_collector_hands_out_one_certificate() {
        for suite in suites() {
            let committee = four_members(suite);
            let votes = range(4).map(|member| vote_by(committee, member, 7));
            let collector = VoteCollector::new(committee, 1, 9u64);
            let suspects = Suspects::new();
            let made = together(8, |_| certificates_of(collector, votes, suspects));
            check!(made.reduce(|one, two| one + two) == 1);
        }
    }

    pub fn a_set_inserts_each_member_once() {
        let signers = SignerSet::new(200);
        let inserted = together(8, |_| range(200).filter(|member| signers.insert(member)).len());
        check!(inserted.reduce(|one, two| one + two) == 200 && signers == SignerSet::full(200));
    }

    pub fn a_guard_never_contradicts_itself() {
        for suite in suites() {
            let committee = four_members(suite);
            let guard = Guard::new(four_secrets(suite)[0], committee.chain());
            for view in range(20) {
                let statements = range(8).map(|at| committee.statement(1, view as u64, filled(at, 32)));
                let codes =
                    together(8, |at| refused(attempt(|| guard.sign(committee, statements[at]))));
                check!(codes.filter(|code| code == "CONTRADICTION").len() == 7);
            }
        }
    }

    pub fn a_presignature_signs_once() {
        let dealer = ecdsa::TrustedDealer::new(Group::Secp256k1, dealing_committee(), Tolerance::new(4, 1));
        let party = dealer.deal(3u64, ecdsa::Plan::for_agreed(20))[0];
        let guard = new_guard();
        for number in range(20) {
            let presignature = party.take(party.deal().plan().agreed(3u64, number));
            let codes = together(4, |at| refused(attempt(|| presignature.sign(guard, filled(at, 1)))));
            check!(codes.filter(|code| code == "EXHAUSTED").len() == 3);
        }
    }

    fn outputs_of(made: coin::Dealt, cache: threshold::Cache, round: u64) -> usize {
        let coin = coin_named(made.keys, round);
        let collector = coin::CoinCombiner::new(made.keys, coin, cache);
        let added = made.shares.map(|share| collector.add(share.coin_share(coin)));
        added.filter(|one| one.output.is_some()).len()
    }

    pub fn coins_share_a_cache() {
        let made = coin::PublicKeys::deal(dealing_committee(), Threshold::new(3, 7));
        let cache = Cache::new(2);
        let rounds = [0u64, 1u64, 2u64, 3u64, 4u64, 5u64, 6u64, 7u64];
        check!(together(8, |at| outputs_of(made, cache, rounds[at])).all(|count| count == 1));
    }

    fn is_restored(coder: erasure::Coder, message: Bytes) -> bool {
        coder.decode(slice(coder.disperse(message).shards(), 4, 7)).message() == message
    }

    pub fn a_coder_restores_messages_of_all() {
        let coder = erasure::Coder::new(erasure::Coding::new(erasure::Shape::new(3, 4), 65536));
        for round in range(20) {
            check!(together(6, |at| is_restored(coder, filled(at, 1000 + round))).all(|one| one));
        }
    }
}

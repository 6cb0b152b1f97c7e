//! Several threads use one object; in JavaScript, where an object belongs to one thread, the same calls in turn.

pub mod threads {
    fn certificates_of(collector: VoteCollector, votes: Vec<Vote>, suspects: Suspects) -> usize {
        votes.map(|vote| collector.add(vote, suspects)).filter(|one| one.certificate.is_some()).len()
    }

    pub fn a_collector_hands_out_one_certificate(suite: Suite) {
        let committee = four_members(suite);
        let votes = range(4).map(|member| vote_by(committee, member, 7));
        let collector = VoteCollector::new(committee, 1, 9u64);
        let suspects = Suspects::new();
        let made = together(8, |_| certificates_of(collector, votes, suspects));
        check!(made.reduce(|one, two| one + two) == 1);
    }

    pub fn a_set_inserts_each_member_once() {
        let signers = SignerSet::new(200);
        let inserted = together(8, |_| range(200).filter(|member| signers.insert(member)).len());
        check!(inserted.reduce(|one, two| one + two) == 200 && signers == SignerSet::full(200));
    }

    pub fn a_guard_never_contradicts_itself(suite: Suite) {
        let committee = four_members(suite);
        let guard = Guard::new(four_secrets(suite)[0], committee.chain());
        for view in range(20) {
            let statements = range(8).map(|at| committee.statement(1, view as u64, filled(at, 32)));
            let codes = together(8, |at| refused(attempt(|| guard.sign(committee, statements[at]))));
            check!(codes.filter(|code| code == "CONTRADICTION").len() == 7);
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

    fn slow_signer() -> dsig::Signer {
        dsig::Signer::new(four_secrets(Suite::Ed25519)[0], dsig::Suite::HorsMSha256, None, 4, 32)
    }

    /// One thread prepares; the other one signs with all keys, and returns how many there are afterwards.
    fn prepares_or_signs(signer: dsig::Signer, thread: u16) -> usize {
        if thread == 0 {
            signer.prepare(0u64);
            return 0;
        }
        for round in range(16) {
            signer.sign(b"m", None, 0u64);
        }
        signer.ready()
    }

    /// True if the batch was not complete when the keys were used up.
    fn signs_meanwhile(signer: dsig::Signer) -> bool {
        signer.prepare(0u64);
        let ready = together(2, |thread| prepares_or_signs(signer, thread));
        check!(signer.ready() == 16);
        ready[1] == 0
    }

    /// A busy machine may run the second thread late.
    pub fn signing_does_not_wait_for_prepare() {
        check!(range(20).any(|_| signs_meanwhile(slow_signer())) == has_threads());
    }

    /// The first thread announces, the second one verifies what was announced before.
    fn announces_or_verifies(
        signer: dsig::Signer,
        verifier: dsig::Verifier,
        thread: u16,
        signed: Vec<Bytes>,
    ) {
        let key = signer.public_key();
        if thread == 0 {
            for announced in signer.announcements() {
                verifier.announce(key, announced.announcement, 0u64);
            }
            return;
        }
        for signature in signed {
            check!(verifier.can_verify_fast(key, signature));
            verifier.verify(key, b"m", signature);
        }
    }

    pub fn verifying_does_not_wait_for_announcements() {
        let signer = dsig::Signer::new(four_secrets(Suite::Ed25519)[0], None, None, 5, 250);
        let verifier = dsig::Verifier::new(signer.suite());
        verifier.admit(signer.public_key());
        verifier.announce(signer.public_key(), signer.prepare(0u64).unwrap().announcement, 0u64);
        let signed = range(31).map(|_| signer.sign(b"m", None, 0u64));
        check!(range(9).filter(|_| signer.prepare(0u64).is_some()).len() == 8);
        together(2, |thread| announces_or_verifies(signer, verifier, thread, signed));
        let rest = range(signer.ready()).map(|_| signer.sign(b"m", None, 0u64));
        check!(rest.len() > 200 && rest.all(|one| verifier.can_verify_fast(signer.public_key(), one)));
    }

    /// Signs messages of its own. The auditor refuses two signatures of one key.
    fn signs_audited(signer: dsig::Signer, auditor: dsig::Auditor, thread: u16) {
        for round in range(50) {
            signer.prepare(0u64);
            let message = joined([filled(thread, 1), filled(round, 1)]);
            auditor.check(signer.public_key(), message, signer.sign(message, None, 0u64));
        }
    }

    pub fn threads_share_a_signer_and_no_key_signs_twice() {
        let signer = dsig::Signer::new(four_secrets(Suite::Ed25519)[0], None, None, 3, 32);
        let auditor = dsig::Auditor::new();
        together(4, |thread| signs_audited(signer, auditor, thread));
    }
}

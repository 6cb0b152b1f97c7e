//! Votes in, certificates and faults out; evidence and guards.

fn four_secrets(suite: Suite) -> Vec<SecretKey> {
    range(4).map(|at| SecretKey::from_bytes(suite, joined([filled(2, 31), filled(at + 1, 1)])))
}

fn four_members(suite: Suite) -> Committee { members_with(four_secrets(suite)) }

fn statement_with(committee: Committee, digest: u8) -> Statement {
    committee.statement(1, 9u64, filled(digest, 32))
}

/// The vote of a member for the statement with a digest of one byte.
fn vote_by(committee: Committee, member: u16, digest: u8) -> Vote {
    Vote::sign_unguarded(
        four_secrets(committee.suite())[member],
        committee,
        statement_with(committee, digest),
    )
}

fn timeout_by(committee: Committee, member: u16, value: u64) -> TimeoutVote {
    TimeoutVote::sign_unguarded(four_secrets(committee.suite())[member], committee, 2, 9u64, value)
}

/// The certificate of the first three members.
fn certified(committee: Committee, digest: u8) -> Certificate {
    certificate_of(range(4).map(|member| vote_by(committee, member, digest)), committee)
}

fn timed_out(committee: Committee) -> TimeoutCertificate {
    let votes =
        [timeout_by(committee, 0, 0u64), timeout_by(committee, 1, 0u64), timeout_by(committee, 2, 1u64)];
    timeout_certificate_of(votes, committee)
}

pub mod vote_collector {
    pub fn a_forged_vote_is_reported_and_does_not_stop_the_quorum(suite: Suite) {
        let committee = four_members(suite);
        let collector = VoteCollector::new(committee, 1, 9u64, 2);
        let suspects = Suspects::new();
        let forged = Vote::new(statement_with(committee, 7), 0, vote_by(committee, 1, 7).signature());
        let votes = [forged, vote_by(committee, 1, 7), vote_by(committee, 2, 7), vote_by(committee, 3, 7)];
        let collected = votes.map(|vote| collector.add(vote, suspects));
        let found = collected.filter(|one| !one.faults.is_empty());
        check!(found.len() == 1 && found[0].faults.map(|fault| fault.signer) == [0]);
        check!(found[0].faults[0].error.is_none() && found[0].faults[0].evidence.is_none());
        check!(suspects.members() == [0] && suspects.contains(0) && !suspects.contains(1));
        let certificate = collected[3].certificate.unwrap();
        check!(certificate.value().signers().members() == [1, 2, 3]);
        check!(certificate.committee() == committee.id() && collector.is_done());
        let read = Certificate::decode(certificate.value().encode(), committee);
        check!(read.verify(committee) == certificate);
        refuses!(BAD_SIGNATURE, [0], forged.verify(committee));
        check!(collector.add(vote_by(committee, 0, 7), suspects).certificate.is_none());
    }

    pub fn equivocations_and_strays_are_reported_as_faults(suite: Suite) {
        let committee = four_members(suite);
        let collector = VoteCollector::new(committee, 1, 9u64);
        let suspects = Suspects::new();
        let first = collector.add(vote_by(committee, 0, 7).verify(committee).value(), suspects);
        check!(first.certificate.is_none() && first.faults.is_empty());
        let second = collector.add(vote_by(committee, 0, 8), suspects).faults;
        check!(second.map(|fault| fault.signer) == [0] && second[0].error.is_none());
        let evidence = second[0].evidence.unwrap();
        check!(evidence.value().culprits() == [0]);
        check!(Equivocation::decode(suite, evidence.value().encode()).verify(committee) == evidence);
        let elsewhere = committee.statement(2, 9u64, zeros(32));
        let stray = Vote::sign_unguarded(four_secrets(suite)[1], committee, elsewhere);
        let third = collector.add(stray, suspects).faults;
        check!(third.map(|fault| fault.signer) == [1] && third[0].evidence.is_none());
        check!(third[0].error.unwrap().code() == "WRONG_CONTEXT");
        check!(collector.topic().kind == 1 && collector.topic().view == 9u64 && !collector.is_done());
        check!(collector.weight_for(filled(7, 32)) == 1u128 && collector.committee() == committee);
        let others = suites().filter(|other| other != suite);
        refuses!(WRONG_CONTEXT, collector.add(vote_by(four_members(others[0]), 0, 7), suspects));
    }

    pub fn a_verified_vote_is_bound_to_its_committee() {
        let committee = four_members(Suite::Ed25519);
        let verified = vote_by(committee, 0, 7).verify(committee);
        let elsewhere = Committee::new(
            ChainId::from_name("elsewhere"),
            5u64,
            [(VerifiedKey::from_secret(four_secrets(Suite::Ed25519)[0]), 5u128)],
        );
        let collected = VoteCollector::new(elsewhere, 1, 9u64).add_verified(verified, Suspects::new());
        check!(collected.certificate.is_none() && collected.faults.len() == 1);
        let own = VoteCollector::new(committee, 1, 9u64).add_verified(verified, Suspects::new());
        check!(own.certificate.is_none() && own.faults.is_empty());
    }

    pub fn integers_out_of_range_name_the_argument() {
        let committee = four_members(Suite::Ed25519);
        out_of_range!(kind, VoteCollector::new(committee, -1, 1u64));
        out_of_range!(batch_threshold, VoteCollector::new(committee, 1, 1u64, -1));
        out_of_range!(failure_limit, TimeoutCollector::new(committee, 1, 1u64, 2, -1));
        out_of_range!(member, Suspects::new().accuse(65536));
    }
}

pub mod timeout_collector {
    pub fn a_quorum_of_timeouts_makes_a_certificate(suite: Suite) {
        let committee = four_members(suite);
        let collector = TimeoutCollector::new(committee, 2, 9u64);
        let suspects = Suspects::new();
        check!(collector.add(timeout_by(committee, 0, 0u64), suspects).certificate.is_none());
        check!(!collector.has_honest());
        check!(collector.add(timeout_by(committee, 1, 0u64), suspects).certificate.is_none());
        check!(collector.has_honest() && collector.weight() == 2u128);
        let checked = collector.verify_honest(suspects);
        check!(checked.honest && checked.faults.is_empty());
        let certificate = collector.add(timeout_by(committee, 2, 1u64), suspects).certificate.unwrap();
        check!(collector.is_done() && certificate.value().highest_value() == 1u64);
        let read = TimeoutCertificate::decode(certificate.value().encode(), committee);
        check!(read.groups().map(|group| group.value) == [0u64, 1u64]);
        check!(read.groups().map(|group| group.signers.members()) == [[0, 1], [2]]);
        check!(read.signers().members() == [0, 1, 2]);
        check!(read.verify(committee) == certificate && certificate.committee() == committee.id());
    }
}

pub mod certificate {
    pub fn a_batch_returns_a_verdict_for_each_item(suite: Suite) {
        let committee = four_members(suite);
        let good = certified(committee, 7);
        let proof = certified(committee, 8).encode_detached();
        let bad = Certificate::decode_detached(proof, statement_with(committee, 7), committee);
        let batch = [good, bad, good];
        let verdicts = Certificate::verify_batch(committee, batch).map(|one| one.attempt());
        let derived = Certificate::verify_batch_derived(committee, batch).map(|one| one.attempt());
        for found in [verdicts, derived] {
            check!(found.map(|one| refused(one)) == [None, "BAD_SIGNATURE", None]);
            check!(found[0].unwrap() == good.verify(committee));
        }
        check!(Certificate::verify_batch(committee, []).is_empty());
    }

    pub fn modified_ones_are_refused(suite: Suite) {
        let committee = four_members(suite);
        let encoded = certified(committee, 7).encode();
        for at in range(encoded.len()) {
            refuses!(any, Certificate::decode(flipped(encoded, at), committee).verify(committee));
        }
    }
}

pub mod evidence {
    pub fn it_contradicts_and_names_culprits(suite: Suite) {
        let committee = four_members(suite);
        refuses!(NOT_EVIDENCE, Conflict::new(certified(committee, 7), certified(committee, 7)));
        let conflict = Conflict::new(certified(committee, 7), certified(committee, 8));
        check!(conflict.verify(committee).value().culprits().members() == [0, 1, 2]);
        check!(Conflict::decode(conflict.encode(), committee) == conflict);
        let evidence = Equivocation::new(vote_by(committee, 2, 7), vote_by(committee, 2, 8));
        check!(evidence.verify(committee).value() == evidence && evidence.signer() == 2);
        check!(Equivocation::decode(suite, evidence.encode()) == evidence);
    }
}

pub mod guard {
    pub fn contradictions_are_refused_also_after_a_crash(suite: Suite) {
        let committee = four_members(suite);
        let secret = four_secrets(suite)[0];
        let guard = Guard::new(secret, committee.chain());
        // It takes the secret.
        check!(is_closed(secret));
        refuses!(CLOSED, secret.sign(b"m"), Guard::new(secret, committee.chain()));
        check!(guard.public_key() == four_secrets(suite)[0].public_key() && guard.last(1).is_none());
        let signed = guard.sign(committee, statement_with(committee, 1));
        check!(signed.vote.verify(committee).value() == signed.vote);
        refuses!(CONTRADICTION, guard.sign(committee, statement_with(committee, 2)));
        let place = guard.last(1).unwrap();
        check!(place.epoch == 5u64 && place.view == 9u64 && guard.last(2).is_none());
        let timeout = guard.sign_timeout(committee, 2, 9u64, 5u64).vote;
        check!(timeout.verify(committee).value().value() == 5u64);
        let log = GuardRecord::decode(signed.record.encode());
        check!(guard.records().contains(log));
        let restored = Guard::restore(four_secrets(suite)[0], committee.chain(), [log]);
        refuses!(CONTRADICTION, restored.sign(committee, statement_with(committee, 2)));
        check!(restored.sign(committee, statement_with(committee, 1)).record == log);
        restored.close();
        refuses!(CLOSED, restored.sign(committee, statement_with(committee, 1)));
        // A secret that the records do not fit is taken too.
        let other = four_secrets(suite)[1];
        refuses!(WRONG_CONTEXT, Guard::restore(other, committee.chain(), [log]));
        check!(is_closed(other));
    }
}

pub mod secret_key {
    pub fn a_closed_one_refuses_every_use(suite: Suite) {
        let committee = four_members(suite);
        let secret = SecretKey::generate(suite);
        secret.close();
        refuses!(CLOSED, secret.sign(b"message"), UnverifiedKey::prove(secret));
        refuses!(CLOSED, VerifiedKey::from_secret(secret));
        refuses!(CLOSED, Vote::sign_unguarded(secret, committee, statement_with(committee, 7)));
        refuses!(CLOSED, Guard::new(secret, committee.chain()));
    }

    pub fn objects_of_different_suites_do_not_mix(suite: Suite) {
        let committee = four_members(suite);
        let mine = four_secrets(suite)[0];
        let other = suites().filter(|one| one != suite)[0];
        let foreign = SecretKey::generate(other);
        refuses!(WRONG_CONTEXT, mine.public_key().verify(b"x", foreign.sign(b"x")));
        refuses!(WRONG_CONTEXT, UnverifiedKey::new(mine.public_key(), foreign.prove_possession()));
        refuses!(WRONG_CONTEXT, Vote::sign_unguarded(foreign, committee, statement_with(committee, 7)));
        refuses!(WRONG_CONTEXT, members_with([mine, foreign]));
        refuses!(WRONG_CONTEXT, Vote::decode(other, vote_by(committee, 0, 7).encode()));
        refuses!(WRONG_CONTEXT, vote_by(committee, 0, 7).verify(four_members(other)));
        if suite == Suite::Ed25519 {
            refuses!(WRONG_CONTEXT, bls::aggregate([mine.sign(b"x")]));
        }
    }

    pub fn it_signs_the_same_under_its_bytes(suite: Suite) {
        let one = SecretKey::from_bytes(suite, filled(7, 32));
        let two = SecretKey::from_bytes(suite, filled(7, 32));
        check!(one.public_key() == two.public_key() && one.sign(b"x") == two.sign(b"x"));
        check!(UnverifiedKey::prove(one).verify().public() == two.public_key());
        one.public_key().verify(b"x", two.sign(b"x"));
        one.public_key().verify_possession(two.prove_possession());
        refuses!(BAD_SIGNATURE, one.public_key().verify(b"y", one.sign(b"x")));
        refuses!(BAD_POSSESSION, one.public_key().verify_possession(one.sign(b"x")));
    }
}

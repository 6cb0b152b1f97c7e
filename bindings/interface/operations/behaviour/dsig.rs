//! One-time signatures: each key signs once, and what others send is checked.

pub mod dsig {
    fn now() -> u64 { 1000000u64 }
    fn secret() -> SecretKey { SecretKey::from_bytes(Suite::Ed25519, filled(9, 32)) }
    fn foreign_key() -> PublicKey { SecretKey::generate(Suite::MinPk).public_key() }

    /// A signer with two to the power of `log2` keys.
    fn signer_of(suite: dsig::Suite, log2: u8) -> dsig::Signer {
        let signer = dsig::Signer::new(secret(), suite, None, log2, 1);
        signer.prepare(now());
        signer
    }

    fn usual_signer() -> dsig::Signer { signer_of(dsig::suites()[2], 2) }
    fn announced_by(signer: dsig::Signer) -> Bytes { signer.announcements()[0].announcement }

    fn knows(verifier: dsig::Verifier, signer: dsig::Signer, signature: Bytes) -> bool {
        verifier.can_verify_fast(signer.public_key(), signature)
    }

    pub fn every_suite_signs_and_verifies() {
        for suite in dsig::suites() {
            let signer = dsig::Signer::new(secret(), suite, None, 1, 1);
            let key = signer.public_key();
            let announced = signer.prepare(now()).unwrap();
            check!(announced.to.is_none() && signer.suite() == suite && signer.ready() == 2);
            check!(signer.announcements() == [announced] && signer.prepare(now()).is_none());
            check!(announced.announcement.len() == 68 + 2 * 32);
            let told = verifier_of(suite, key);
            let untold = verifier_of(suite, key);
            let auditor = dsig::Auditor::new(suite);
            check!(told.suite() == suite && auditor.suite() == suite);
            told.announce(key, announced.announcement, now());
            let signature = signer.sign(b"message", None, now());
            check!(signature.len() == dsig::signature_len(suite) && signer.ready() == 1);
            check!(knows(told, signer, signature) && !knows(untold, signer, signature));
            for verifier in [told, untold] {
                verifier.verify(key, b"message", signature);
                refuses!(BAD_SIGNATURE, verifier.verify(key, b"another", signature));
            }
            check!(knows(untold, signer, signature));
            dsig::verify(key, b"message", signature);
            refuses!(BAD_SIGNATURE, dsig::verify(key, b"another", signature));
            auditor.check(key, b"message", signature);
            refuses!(BAD_SIGNATURE, auditor.check(key, b"another", signature));
            let stranger = SecretKey::generate(Suite::Ed25519).public_key();
            refuses!(BAD_SIGNATURE, dsig::verify(stranger, b"message", signature));
            let second = signer.sign(b"message", None, now());
            refuses!(NOT_EVIDENCE, dsig::reuse(key, (b"message", signature), (b"message", second)));
            refuses!(EXHAUSTED, signer.sign(b"message", None, now()));
            check!(signer.announcements().is_empty() && signer.ready() == 0);
        }
    }

    pub fn messages_have_any_length() {
        let signer = usual_signer();
        for message in [b"", b"m", zeros(1048576)] {
            dsig::verify(signer.public_key(), message, signer.sign(message, None, now()));
        }
    }

    pub fn the_clock_of_the_system_is_the_default() {
        let signer = dsig::Signer::new(secret(), None, None, 1, 1);
        let verifier = verifier_of(signer.suite(), signer.public_key());
        verifier.announce(signer.public_key(), signer.prepare().unwrap().announcement);
        check!(knows(verifier, signer, signer.sign(b"m")));
        // A clock that went back.
        refuses!(EXHAUSTED, signer.sign(b"m", None, now()));
        check!(dsig::Signer::new(secret()).prepare().unwrap().announcement.len() == 68 + 128 * 32);
    }

    /// The group whose verifiers alone would verify the next signature fast.
    fn group_of(hint: Vec<u16>) -> Option<Vec<u16>> {
        let groups = [[0, 1, 2], [0, 1], [7]];
        let signer = dsig::Signer::new(secret(), None, groups, 0, 1);
        let announced = range(4).map(|_| signer.prepare(now()).unwrap());
        check!(signer.prepare(now()).is_none() && signer.ready() == 4);
        let signature = signer.sign(b"m", hint, now());
        let fast = announced.filter(|one| is_of(signer, one.announcement, signature));
        check!(fast.len() == 1);
        fast[0].to
    }

    fn is_of(signer: dsig::Signer, announcement: Bytes, signature: Bytes) -> bool {
        let verifier = verifier_of(signer.suite(), signer.public_key());
        verifier.announce(signer.public_key(), announcement, now());
        knows(verifier, signer, signature)
    }

    pub fn the_hint_picks_the_smallest_group() {
        check!(group_of([1]) == [0, 1]);
        check!(group_of([2, 0]) == [0, 1, 2]);
        check!(group_of([7]) == [7]);
        check!(group_of([0, 7]).is_none());
        check!(group_of([]).is_none());
    }

    pub fn a_group_without_keys_is_passed_over() {
        let signer = dsig::Signer::new(secret(), None, [[1, 3, 1]], 0, 1);
        let own = signer.prepare(now()).unwrap();
        let every = signer.prepare(now()).unwrap();
        check!(own.to == [1, 3] && every.to.is_none());
        check!(is_of(signer, own.announcement, signer.sign(b"m", [3], now())));
        check!(is_of(signer, every.announcement, signer.sign(b"m", [3], now())));
        refuses!(EXHAUSTED, signer.sign(b"m", [3], now()));
    }

    pub fn keys_expire_and_are_wiped_on_demand() {
        let signer = dsig::Signer::new(secret(), None, None, 2, 1, microseconds(50));
        refuses!(EXHAUSTED, signer.sign(b"m", None, now()));
        check!(signer.announcements().is_empty());
        for then in [now() + 50u64, now() - 50u64] {
            signer.prepare(now());
            check!(signer.prepare(now()).is_none());
            signer.sign(b"m", None, now() + 49u64);
            signer.sign(b"m", None, now() - 49u64);
            refuses!(EXHAUSTED, signer.sign(b"m", None, then));
            check!(signer.ready() == 0);
        }
        signer.prepare(now());
        signer.invalidate();
        check!(signer.ready() == 0);
        refuses!(EXHAUSTED, signer.sign(b"m", None, now()));
    }

    pub fn a_signer_takes_the_secret() {
        let given = secret();
        let key = given.public_key();
        let signer = dsig::Signer::new(given);
        check!(is_closed(given) && signer.public_key() == key);
        refuses!(CLOSED, dsig::Signer::new(given));
        let refused = secret();
        refuses!(TOO_LARGE, dsig::Signer::new(refused, None, None, 8));
        check!(is_closed(refused));
        refuses!(WRONG_CONTEXT, dsig::Signer::new(SecretKey::generate(Suite::MinPk)));
        check!(signer.to_string() == "Signer(wots-blake3, 0 keys ready)");
        closes(signer, secret().to_bytes());
        check!(signer.to_string() == "Signer(closed)");
        refuses!(CLOSED, signer.prepare(), signer.sign(b"m"), signer.sign(zeros(1048576)));
    }

    pub fn unknown_and_revoked_signers_are_refused() {
        let signer = usual_signer();
        let key = signer.public_key();
        let stranger = SecretKey::generate(Suite::Ed25519).public_key();
        let verifier = verifier_of(signer.suite(), key);
        let signature = signer.sign(b"m", None, now());
        refuses!(WRONG_CONTEXT, verifier.announce(stranger, announced_by(signer), now()));
        refuses!(WRONG_CONTEXT, verifier.verify(stranger, b"m", signature));
        refuses!(WRONG_CONTEXT, dsig::Verifier::new(dsig::suites()[0]).can_verify_fast(key, signature));
        verifier.announce(key, announced_by(signer), now());
        check!(!verifier.revoke(stranger) && verifier.revoke(key) && !verifier.revoke(key));
        check!(!knows(verifier, signer, signature));
        refuses!(WRONG_CONTEXT, verifier.verify(key, b"m", signature));
        let other = foreign_key();
        refuses!(WRONG_CONTEXT, verifier.admit(other));
        refuses!(WRONG_CONTEXT, verifier.revoke(other));
        refuses!(WRONG_CONTEXT, verifier.announce(other, b"m"));
        refuses!(WRONG_CONTEXT, verifier.can_verify_fast(other, b"m"));
        refuses!(WRONG_CONTEXT, verifier.verify(other, b"m", b"m"));
        refuses!(WRONG_CONTEXT, dsig::verify(other, b"m", b"m"));
        refuses!(WRONG_CONTEXT, dsig::verify_all(signer.suite(), [(other, b"m", b"m")]));
        refuses!(WRONG_CONTEXT, dsig::reuse(other, (b"m", b"m"), (b"m", b"m")));
        refuses!(WRONG_CONTEXT, dsig::Auditor::new().check(other, b"m", b"m"));
    }

    pub fn announcements_are_limited() {
        let signer = usual_signer();
        let key = signer.public_key();
        let announcement = announced_by(signer);
        let verifier = dsig::Verifier::new(None, 1, 1, 2, microseconds(100));
        verifier.admit(key);
        verifier.announce(key, announcement, now());
        refuses!(BAD_SIGNATURE, verifier.announce(key, flipped(announcement, 100), now()));
        refuses!(RATE_LIMITED, verifier.announce(key, announcement, now() + 99u64));
        verifier.announce(key, announcement, now() + 100u64);
        verifier.announce(key, announcement);
    }

    pub fn other_bytes_are_refused() {
        let signer = usual_signer();
        let key = signer.public_key();
        let announcement = announced_by(signer);
        let verifier = verifier_of(signer.suite(), key);
        verifier.announce(key, announcement, now());
        let signature = signer.sign(b"message", None, now());
        for part in range(signature.len() / 11) {
            refuses!(MALFORMED, verifier.verify(key, b"message", slice(signature, 0, part * 11)));
            refuses!(MALFORMED, dsig::verify(key, b"message", slice(signature, 0, part * 11)));
        }
        // Every byte of the fields; the core's tests also change every byte of the hashes.
        for at in range(136) {
            refuses!(any, verifier.verify(key, b"message", flipped(signature, at)));
            refuses!(any, dsig::verify(key, b"message", flipped(signature, at)));
        }
        for part in range((signature.len() - 136) / 29) {
            refuses!(any, verifier.verify(key, b"message", flipped(signature, 136 + part * 29)));
            refuses!(any, dsig::verify(key, b"message", flipped(signature, 136 + part * 29)));
        }
        for part in range(announcement.len() / 7) {
            let other = verifier_of(signer.suite(), key);
            refuses!(MALFORMED, other.announce(key, slice(announcement, 0, part * 7), now()));
        }
        for data in [b"", zeros(5000000), joined([signature, b"0"])] {
            refuses!(any, verifier.can_verify_fast(key, data));
            refuses!(any, verifier.verify(key, b"message", data));
            refuses!(any, verifier.announce(key, data));
            refuses!(any, dsig::verify(key, b"message", data));
            refuses!(any, dsig::verify_reuse(signer.suite(), data));
            refuses!(any, dsig::reuse(key, (b"1", data), (b"2", data)));
        }
        refuses!(TOO_LARGE, dsig::reuse(key, (zeros(16777217), signature), (b"2", signature)));
        check!(signer.ready() == 3);
    }

    pub fn numbers_and_lists_have_limits() {
        let signer = usual_signer();
        out_of_range!(log2_batch, dsig::Signer::new(secret(), None, None, 256));
        out_of_range!(low_water, dsig::Signer::new(secret(), None, None, 7, -1));
        out_of_range!(groups, dsig::Signer::new(secret(), None, [[65536]]));
        out_of_range!(hint, signer.sign(b"m", [-1]));
        out_of_range!(announced, dsig::Verifier::new(None, -1));
        out_of_range!(checked, dsig::Verifier::new(None, 0, -1));
        out_of_range!(burst, dsig::Verifier::new(None, 0, 0, -1));
        out_of_range!(roots, dsig::Auditor::new(None, -1));
        refuses!(TOO_LARGE, signer.sign(b"m", range(65536), now()));
        refuses!(TOO_LARGE, dsig::Signer::new(secret(), None, [range(65536)]));
        refuses!(TOO_LARGE, dsig::Signer::new(secret(), None, range(65536).map(|_| [1])));
        dsig::Verifier::new(None, 2147483647, 0, 0, microseconds(0)).admit(signer.public_key());
    }

    pub fn logs_are_verified_one_by_one_and_at_once() {
        for suite in dsig::suites() {
            let signer = signer_of(suite, 1);
            let key = signer.public_key();
            let one = signer.sign(b"one", None, now());
            let two = signer.sign(b"two", None, now());
            let auditor = dsig::Auditor::new(suite);
            for round in range(2) {
                auditor.check(key, b"one", one);
                auditor.check(key, b"two", two);
            }
            refuses!(BAD_SIGNATURE, auditor.check(key, b"three", one));
            let entries = [
                (key, b"one", one),
                (key, b"three", one),
                (key, b"two", two),
                (key, b"one", slice(one, 0, 9)),
            ];
            let codes = dsig::verify_all(suite, entries).map(|error| error.map(|error| error.code()));
            check!(codes == [None, "BAD_SIGNATURE", None, "MALFORMED"]);
        }
        check!(dsig::verify_all(dsig::suites()[2], []).is_empty());
    }

    pub fn an_auditor_has_room_for_one_batch() {
        let auditor = dsig::Auditor::new(None, 0);
        let signers = range(2).map(|_| dsig::Signer::new(SecretKey::generate(Suite::Ed25519)));
        let signed = signers.map(|signer| first_signature(signer));
        for round in range(2) {
            for at in range(2) {
                auditor.check(signers[at].public_key(), b"m", signed[at]);
            }
        }
    }

    fn first_signature(signer: dsig::Signer) -> Bytes {
        signer.prepare(now());
        signer.sign(b"m", None, now())
    }
}

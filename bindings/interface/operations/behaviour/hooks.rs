//! Functions that users set on signers and verifiers of one-time signatures: their answers take effect, and they may use
//! the object that calls them.

pub mod dsig {
    fn another_signer() -> dsig::Signer {
        let signer = dsig::Signer::new(SecretKey::generate(Suite::Ed25519), None, None, 2, 1);
        signer.prepare(now());
        signer
    }

    pub fn a_new_answer_of_the_hook_wipes_the_keys() {
        let signer = usual_signer();
        let changes = SignerSet::new(4);
        // The first answer is no change.
        signer.detect_copies(|| changes.size() as u64);
        check!(signer.ready() == 4);
        signer.sign(b"m", None, now());
        for change in range(3) {
            let before = signer.announcements()[0];
            changes.insert(change);
            refuses!(EXHAUSTED, signer.sign(b"m", None, now()));
            check!(signer.ready() == 0 && signer.announcements().is_empty());
            check!(signer.prepare(now()).unwrap() != before);
            signer.sign(b"m", None, now());
        }
        // Preparing detects a change too, and generates new keys although there were enough.
        check!(signer.prepare(now()).is_none());
        changes.insert(3);
        check!(signer.prepare(now()).is_some() && signer.ready() == 4);
        // Another hook is no copy, and an answer has 64 bits.
        signer.detect_copies(|| 18446744073709551615u64);
        check!(signer.ready() == 4);
        signer.sign(b"m", None, now());
    }

    /// Counts the calls of a hook.
    fn counted(calls: SignerSet) -> usize {
        calls.insert(calls.size());
        calls.size()
    }

    pub fn a_hook_with_ever_new_answers_never_lets_the_signer_sign() {
        let signer = usual_signer();
        let calls = SignerSet::new(100);
        signer.detect_copies(|| counted(calls) as u64);
        for round in range(4) {
            signer.prepare(now());
            refuses!(EXHAUSTED, signer.sign(b"m", None, now()));
        }
    }

    /// Signs within the second call.
    fn signing(signer: dsig::Signer, calls: SignerSet) -> u64 {
        if counted(calls) == 2 {
            check!(signer.ready() == 4 && signer.announcements().len() == 1 && !is_closed(signer));
            check!(signer.to_string() == "Signer(wots-blake3, 4 keys ready)");
            dsig::verify(signer.public_key(), b"within", signer.sign(b"within", None, now()));
            check!(signer.prepare(now()).is_none());
        }
        1u64
    }

    fn invalidating(signer: dsig::Signer, calls: SignerSet) -> u64 {
        if counted(calls) == 2 {
            signer.invalidate();
        }
        1u64
    }

    fn closing(signer: dsig::Signer, calls: SignerSet) -> u64 {
        if counted(calls) == 2 {
            signer.close();
        }
        1u64
    }

    pub fn a_hook_may_use_its_signer() {
        let signer = usual_signer();
        let calls = [SignerSet::new(20), SignerSet::new(20), SignerSet::new(20)];
        signer.detect_copies(|| signing(signer, calls[0]));
        dsig::verify(signer.public_key(), b"m", signer.sign(b"m", None, now()));
        check!(signer.ready() == 2);
        signer.detect_copies(|| invalidating(signer, calls[1]));
        refuses!(EXHAUSTED, signer.sign(b"m", None, now()));
        signer.detect_copies(|| closing(signer, calls[2]));
        refuses!(CLOSED, signer.sign(b"m", None, now()));
        refuses!(CLOSED, signer.sign(b"m", None, now()), signer.prepare(now()));
        refuses!(CLOSED, signer.detect_copies(|| 1u64));
    }

    /// Fails while the set has one member.
    fn failing(changes: SignerSet) -> u64 {
        if changes.size() == 1 {
            own_error();
        }
        1u64
    }

    pub fn an_error_of_a_signer_s_hook_refuses_to_sign() {
        let signer = usual_signer();
        throws!(own, signer.detect_copies(|| own_error()));
        signer.sign(b"m", None, now());
        let changes = SignerSet::new(2);
        signer.detect_copies(|| failing(changes));
        changes.insert(0);
        throws!(own, signer.sign(b"m", None, now()), signer.prepare(now()));
        check!(signer.ready() == 3);
        changes.insert(1);
        signer.sign(b"m", None, now());
    }

    pub fn an_error_of_a_verifier_s_hook_refuses_to_verify() {
        let signer = usual_signer();
        let key = signer.public_key();
        let verifier = verifier_of(signer.suite(), key);
        let signature = signer.sign(b"m", None, now());
        verifier.check_revocation(|_| own_error());
        throws!(own, verifier.verify(key, b"m", signature), verifier.can_verify_fast(key, signature));
        throws!(own, verifier.announce(key, announced_by(signer), now()));
        verifier.check_revocation(|_| false);
        check!(!knows(verifier, signer, signature));
        verifier.verify(key, b"m", signature);
    }

    fn recursing(signer: dsig::Signer) -> u64 {
        signer.sign(b"m", None, now());
        1u64
    }

    pub fn endless_recursion_in_a_hook_is_reported() {
        let signer = usual_signer();
        let key = signer.public_key();
        let verifier = verifier_of(signer.suite(), key);
        let signature = signer.sign(b"m", None, now());
        // It is asked before it is set, and signs once.
        signer.detect_copies(|| recursing(signer));
        throws!(recursion, signer.sign(b"m", None, now()));
        check!(signer.ready() == 2);
        verifier.check_revocation(|asked| verifier.can_verify_fast(asked, signature));
        throws!(recursion, verifier.verify(key, b"m", signature));
    }

    pub fn a_revoked_key_is_refused_as_soon_as_the_hook_says_so() {
        let signer = usual_signer();
        let other = another_signer();
        let key = signer.public_key();
        let verifier = verifier_of(signer.suite(), key);
        verifier.admit(other.public_key());
        let signature = signer.sign(b"m", None, now());
        let changes = SignerSet::new(2);
        verifier.check_revocation(|asked| is_same(asked, key) && changes.size() == 1);
        verifier.verify(key, b"m", signature);
        verifier.announce(key, announced_by(signer), now());
        check!(verifier.can_verify_fast(key, signature));
        changes.insert(0);
        refuses!(WRONG_CONTEXT, verifier.verify(key, b"m", signature));
        refuses!(WRONG_CONTEXT, verifier.announce(key, announced_by(signer), now()));
        check!(!verifier.can_verify_fast(key, signature));
        verifier.verify(other.public_key(), b"m", other.sign(b"m", None, now()));
        changes.insert(1);
        verifier.verify(key, b"m", signature);
    }

    /// Verifies, and sets hooks before and after.
    fn replacing(verifier: dsig::Verifier, key: PublicKey, signature: Bytes) -> bool {
        verifier.check_revocation(|_| false);
        verifier.verify(key, b"m", signature);
        check!(verifier.can_verify_fast(key, signature));
        verifier.check_revocation(|_| true);
        false
    }

    pub fn a_hook_may_use_its_verifier() {
        let signer = usual_signer();
        let key = signer.public_key();
        let verifier = verifier_of(signer.suite(), key);
        let signature = signer.sign(b"m", None, now());
        verifier.check_revocation(|_| replacing(verifier, key, signature));
        verifier.verify(key, b"m", signature);
        check!(detail(attempt(|| verifier.verify(key, b"m", signature)), "what") == "revoked signer");
        verifier.check_revocation(|asked| !verifier.revoke(asked));
        check!(detail(attempt(|| verifier.verify(key, b"m", signature)), "what") == "signer");
        check!(!verifier.revoke(key));
    }

    fn freeing_key(key: PublicKey) -> bool {
        free(key);
        false
    }

    fn freeing_verifier(verifier: dsig::Verifier) -> bool {
        free(verifier);
        false
    }

    pub fn a_hook_may_free_the_objects_of_its_call() {
        if may_free() {
            let signer = usual_signer();
            let verifier = verifier_of(signer.suite(), signer.public_key());
            let signature = signer.sign(b"m", None, now());
            verifier.check_revocation(|asked| freeing_key(asked));
            let key = PublicKey::decode(Suite::Ed25519, signer.public_key().encode());
            refuses!(CLOSED, verifier.verify(key, b"m", signature));
            verifier.check_revocation(|_| freeing_verifier(verifier));
            refuses!(CLOSED, verifier.verify(signer.public_key(), b"m", signature));
        }
    }
}

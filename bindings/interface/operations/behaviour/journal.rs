//! Guards with a journal, and Ethereum's slashing protection, in a directory.

pub mod journal {
    fn journal_secret(byte: u8) -> SecretKey { SecretKey::from_bytes(Suite::Ed25519, filled(byte, 32)) }
    fn journal_chain() -> ChainId { ChainId::from_name("journal") }

    fn journal_committee() -> Committee {
        Committee::new(journal_chain(), 0u64, [(VerifiedKey::from_secret(journal_secret(7)), 1u128)])
    }

    fn statement_at(view: u64, digest: u8) -> Statement {
        journal_committee().statement(1, view, filled(digest, 32))
    }

    fn opened(path: String) -> JournaledGuard {
        JournaledGuard::open(path, journal_secret(7), journal_chain())
    }

    pub fn it_survives_restarts() {
        let path = missing_folder();
        let committee = journal_committee();
        refuses!(JOURNAL_MISSING, opened(path));
        let guard = JournaledGuard::create(path, journal_secret(7), journal_chain());
        let vote = guard.sign(committee, statement_at(5u64, 1));
        check!(guard.sign(committee, statement_at(5u64, 1)) == vote);
        check!(guard.sign_timeout(committee, 2, 5u64, 4u64).value() == 4u64);
        check!(guard.public_key() == journal_secret(7).public_key() && guard.chain() == journal_chain());
        let place = guard.last(1).unwrap();
        check!(place.epoch == 0u64 && place.view == 5u64 && !guard.is_stale());
        refuses!(JOURNAL_IN_USE, opened(path));
        guard.close();
        refuses!(CLOSED, guard.sign(committee, statement_at(6u64, 1)));
        refuses!(JOURNAL_EXISTS, JournaledGuard::create(path, journal_secret(7), journal_chain()));
        refuses!(WRONG_CONTEXT, JournaledGuard::open(path, journal_secret(8), journal_chain()));
        let reopened = opened(path);
        refuses!(CONTRADICTION, reopened.sign(committee, statement_at(5u64, 2)));
        check!(reopened.sign(committee, statement_at(5u64, 1)) == vote);
        reopened.sign(committee, statement_at(6u64, 2));
        reopened.close();
    }

    pub fn a_damaged_one_is_recovered() {
        let path = missing_folder();
        let committee = journal_committee();
        let guard = JournaledGuard::create(path, journal_secret(7), journal_chain());
        guard.sign(committee, statement_at(5u64, 1));
        guard.close();
        damage_journal(path);
        refuses!(JOURNAL_DAMAGED, opened(path));
        check!(detail(attempt(|| opened(path)), "offset") == "96");
        let recovered = JournaledGuard::recover(path, journal_secret(7), journal_chain(), 10u64);
        check!(recovered.is_stale());
        refuses!(CONTRADICTION, recovered.sign(committee, statement_at(10u64, 1)));
        recovered.sign(committee, statement_at(11u64, 1));
        recovered.close();
    }
}

pub mod slashing_protection {
    pub fn a_validator_moves_to_another_client() {
        let root = filled(4, 32);
        let secret = SecretKey::from_bytes(Suite::MinPk, filled(7, 32));
        let key = secret.public_key();
        let path = missing_folder();
        let old = SlashingProtection::create(path, root);
        refuses!(WRONG_CONTEXT, old.sign_block(secret, 1u64, root));
        old.add_key(key);
        let signature = old.sign_attestation(secret, 3u64, 4u64, zeros(32));
        key.verify_with(Ciphersuite::proof_of_possession(), zeros(32), signature);
        old.sign_block(secret, 9u64, zeros(32));
        refuses!(CONTRADICTION, old.record_attestation(key, 3u64, 4u64, root));
        refuses!(CONTRADICTION, old.record_attestation(key, 2u64, 5u64, root));
        refuses!(CONTRADICTION, old.record_attestation(key, 2u64, 4u64, zeros(32)));
        let exported = old.export_interchange();
        old.close();
        let moved = SlashingProtection::create(missing_folder(), root);
        refuses!(MALFORMED, moved.import_interchange(b"{}"));
        moved.import_interchange(utf8(exported));
        check!(moved.export_interchange() == exported);
        refuses!(CONTRADICTION, moved.record_block(key, 9u64, root));
        let ciphersuite = Ciphersuite::proof_of_possession();
        check!(moved.sign_block(secret, 9u64, zeros(32)) == secret.sign_with(ciphersuite, zeros(32)));
        moved.record_attestation(key, 4u64, 5u64, root);
        moved.close();
        refuses!(WRONG_CONTEXT, SlashingProtection::open(path, zeros(32)));
        let lost = SlashingProtection::recover(missing_folder(), root, [key], 320u64, 10u64);
        refuses!(CONTRADICTION, lost.record_block(key, 320u64, root));
        lost.record_attestation(key, 10u64, 11u64, root);
        lost.close();
    }
}

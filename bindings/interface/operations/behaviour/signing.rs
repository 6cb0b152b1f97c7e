//! Threshold signatures: presignatures sign once, and senders of wrong shares are identified.

fn new_guard() -> Guard {
    Guard::restore(SecretKey::from_bytes(Suite::Ed25519, filled(1, 32)), ChainId::from_name("tests"), [])
}

fn guard_after(record: GuardRecord) -> Guard {
    Guard::restore(
        SecretKey::from_bytes(Suite::Ed25519, filled(1, 32)),
        ChainId::from_name("tests"),
        [record],
    )
}

fn groups() -> Vec<threshold::Group> { [Group::Ristretto255, Group::Secp256k1] }

pub mod ecdsa {
    fn dealer_in(group: threshold::Group) -> ecdsa::TrustedDealer {
        ecdsa::TrustedDealer::new(group, dealing_committee(), Tolerance::new(4, 1))
    }

    fn parties_in(group: threshold::Group, plan: ecdsa::Plan) -> Vec<ecdsa::Presignatures> {
        dealer_in(group).deal(3u64, plan)
    }

    fn parties() -> Vec<ecdsa::Presignatures> { parties_in(Group::Secp256k1, ecdsa::Plan::for_unagreed(4)) }

    fn copy_of(party: ecdsa::Presignatures, file: Bytes) -> ecdsa::Presignatures {
        ecdsa::Presignatures::from_bytes(party.group(), file)
    }

    fn signs(group: threshold::Group, plan: ecdsa::Plan, tag: ecdsa::Tag, needed: u16) {
        let dealer = dealer_in(group);
        let parties = dealer.deal(3u64, plan);
        let key = parties[0].key();
        let signing = parties[0].signing(tag, b"pay 5");
        let combiner = ecdsa::Combiner::new(signing, Cache::new());
        for party in parties {
            let signed = party.take(tag).sign(new_guard(), b"pay 5");
            check!(signed.record.is_some() && signed.share.member() == party.member());
            check!(signed.opener.open().member() == party.member());
            if party.member() < needed {
                let share = ecdsa::SignatureShare::decode(group, signed.share.encode());
                let outcome = combiner.add(party.member(), share);
                check!(outcome.faults.is_empty() && outcome.wanted.is_empty());
                check!(outcome.signature.is_some() == (party.member() + 1 == needed));
            }
        }
        let signature = combiner.signature().unwrap();
        let counts = combiner.counts();
        check!(counts.combinations == 1 && counts.share_checks == 0 && counts.decodings == 0);
        check!(combiner.signing().message() == b"pay 5" && signature.group() == group);
        key.verify(tag, b"pay 5", signature);
        refuses!(BAD_SIGNATURE, key.verify(tag, b"pay 6", signature));
        check!(ecdsa::Signature::decode(group, signature.encode()) == signature);
        check!(ecdsa::GroupKey::decode(group, key.encode()) == key);
        check!(ecdsa::Signing::new(key, parties[1].deal(), signing.nonce(), tag, b"pay 5").tag() == tag);
        check!(parties[0].left() == 3);
        let tolerance = Tolerance::new(4, 1);
        let twin =
            ecdsa::TrustedDealer::from_bytes(group, dealing_committee(), tolerance, dealer.to_bytes()).key();
        check!(twin == key && twin.committee() == dealing_committee() && twin.tolerance() == tolerance);
        if group == Group::Secp256k1 {
            key.verify_message(b"pay 5", signature);
            check!(
                key.to_spki_der().len() == 56 && key.to_spki_der()[0] == 48 && signature.to_der()[0] == 48
            );
            return;
        }
        refuses!(
            WRONG_CONTEXT,
            key.verify_message(b"pay 5", signature),
            key.to_spki_der(),
            signature.to_der()
        );
    }

    pub fn parties_sign_together(group: Group) {
        let agreed = ecdsa::Plan::for_agreed(4);
        let unagreed = ecdsa::Plan::for_unagreed(4);
        signs(group, agreed, agreed.agreed(3u64, 0), 2);
        signs(group, unagreed, unagreed.unagreed(3u64, 0), 3);
    }

    pub fn a_presignature_signs_only_once() {
        let party = parties()[0];
        let file = party.to_bytes();
        let guard = new_guard();
        let tag = party.deal().plan().unagreed(3u64, 1);
        let presignature = party.take(tag);
        check!(presignature.group() == Group::Secp256k1 && presignature.agreement() == Agreement::Unagreed);
        check!(!is_closed(presignature) && party.left() == 3);
        let signed = presignature.sign(guard, b"one");
        check!(is_closed(presignature));
        // Neither the object, nor the presignatures, nor a copy of their file signs again.
        refuses!(EXHAUSTED, presignature.sign(guard, b"one"), presignature.sign(guard, b"two"));
        refuses!(EXHAUSTED, party.take(tag), party.to_bytes());
        check!(copy_of(party, file).take(tag).sign(guard, b"one").share == signed.share);
        // A failure consumes it too.
        let failed = copy_of(party, file).take(tag);
        refuses!(CONTRADICTION, failed.sign(guard, b"two"));
        refuses!(EXHAUSTED, failed.sign(guard, b"one"));
    }

    pub fn a_closed_guard_consumes_no_presignature() {
        let party = parties()[0];
        let guard = new_guard();
        let presignature = party.take(party.deal().plan().unagreed(3u64, 2));
        guard.close();
        refuses!(CLOSED, presignature.sign(guard, b"m"));
        check!(!is_closed(presignature));
        presignature.sign(new_guard(), b"m");
        check!(is_closed(presignature));
        refuses!(EXHAUSTED, presignature.sign(new_guard(), b"m"));
    }

    pub fn after_a_crash_the_journal_lists_spent_presignatures() {
        let party = parties()[0];
        let file = party.to_bytes();
        let tag = party.deal().plan().unagreed(3u64, 1);
        let first = party.take(tag).sign(new_guard(), b"one");
        let log = GuardRecord::decode(first.record.unwrap().encode());
        let twin = copy_of(party, file).take(tag).sign(guard_after(log), b"one");
        check!(twin.record.unwrap() == log && twin.share == first.share);
        refuses!(CONTRADICTION, copy_of(party, file).take(tag).sign(guard_after(log), b"two"));
    }

    pub fn a_reserved_block_needs_no_records_and_a_crash_burns_it() {
        let party = parties()[0];
        let file = party.to_bytes();
        let guard = new_guard();
        let plan = party.deal().plan();
        let key = party.key().id();
        let reservation = guard.reserve(key, 3u64, 0);
        // It is not confirmed yet.
        check!(party.take(plan.unagreed(3u64, 0)).sign(guard, b"m").record.is_some());
        guard.confirm(reservation);
        check!(party.take(plan.unagreed(3u64, 1)).sign(guard, b"m").record.is_none());
        let afterwards = copy_of(party, file).take(plan.unagreed(3u64, 2));
        refuses!(EXHAUSTED, afterwards.sign(guard_after(reservation), b"m"));
        refuses!(WRONG_CONTEXT, guard.confirm(guard.close_epoch(key, 3u64)));
        refuses!(EXHAUSTED, guard.reserve(key, 3u64, 0));
        for length in [0, 31, 33] {
            refuses!(MALFORMED, guard.reserve(zeros(length), 3u64, 0));
        }
        out_of_range!(index, guard.reserve(key, 1u64, -1));
    }

    pub fn a_destroyed_epoch_never_signs_again() {
        let party = parties()[0];
        let file = party.to_bytes();
        let guard = new_guard();
        let tag = party.deal().plan().unagreed(3u64, 0);
        let record = party.destroy(guard);
        check!(is_closed(party) && guard.records().contains(record));
        refuses!(EXHAUSTED, party.take(tag), party.left(), party.destroy(guard));
        refuses!(EXHAUSTED, copy_of(party, file).take(tag).sign(guard_after(record), b"m"));
    }

    pub fn presignatures_fit_their_epoch_and_plan_only() {
        let party = parties()[0];
        let plan = party.deal().plan();
        refuses!(WRONG_CONTEXT, party.take(plan.unagreed(2u64, 1)));
        refuses!(WRONG_CONTEXT, party.take(ecdsa::Plan::for_agreed(4).agreed(3u64, 1)));
        party.audit(3);
        refuses!(EXHAUSTED, party.audit(4));
        out_of_range!(index, party.audit(-1));
    }

    /// The same share under another index.
    fn altered(share: ecdsa::SignatureShare) -> ecdsa::SignatureShare {
        let encoded = share.encode();
        ecdsa::SignatureShare::decode(share.group(), flipped(encoded, encoded.len() - 5))
    }

    pub fn the_sender_of_a_wrong_share_is_identified(group: Group) {
        let parties = parties_in(group, ecdsa::Plan::for_unagreed(4));
        let deal = parties[0].deal();
        let key = parties[0].key();
        let tag = deal.plan().unagreed(3u64, 0);
        let signed = parties.map(|party| party.take(tag).sign(new_guard(), b"m"));
        let bad = altered(signed[1].share).attest(b"by member 1");
        check!(bad.attestation() == b"by member 1" && signed[1].share.attestation().len() == 0);
        check!(bad != signed[1].share);
        let combiner = ecdsa::Combiner::new(parties[0].signing(tag, b"m"));
        // Another party's share.
        refuses!(WRONG_CONTEXT, combiner.add(0, signed[2].share));
        check!(combiner.add(0, signed[0].share).wanted.is_empty());
        check!(combiner.add(1, bad).wanted.is_empty());
        let outcome = combiner.add(2, signed[2].share);
        check!(outcome.signature.is_none() && outcome.wanted == [0, 1, 2]);
        let opened = range(3).map(|member| combiner.open(member, signed[member].opener.open()).faults);
        let found = opened.filter(|faults| !faults.is_empty());
        check!(found.len() == 1 && found[0].map(|fault| fault.culprit) == [1]);
        // The combiner continues with the other shares.
        refuses!(BAD_SHARE, [1], combiner.add(1, signed[1].share));
        combiner.add(3, signed[3].share);
        check!(combiner.counts().combinations == 2);
        key.verify(tag, b"m", combiner.signature().unwrap());
        refuses!(DUPLICATE_SIGNER, combiner.add(2, signed[2].share));
        let evidence = ecdsa::ShareFault::decode(group, found[0][0].evidence.encode());
        check!(evidence == found[0][0].evidence && evidence.share() == bad);
        let culprit =
            evidence.verify(key, ecdsa::Deal::decode(deal.encode()), |member, data, attestation| {
                member == 1 && data == bad.attested_bytes() && attestation == b"by member 1"
            });
        check!(culprit == 1);
        refuses!(NOT_EVIDENCE, evidence.verify(key, deal, |_, _, _| false));
        throws!(own, evidence.verify(key, deal, |_, _, _| own_error()));
        refuses!(WRONG_CONTEXT, evidence.verify(dealer_in(group).key(), deal, |_, _, _| true));
        refuses!(TOO_LARGE, bad.attest(zeros(ecdsa::MAX_ATTESTATION + 1)));
    }

    pub fn plans_list_tags() {
        let plan = ecdsa::Plan::for_agreement(4);
        check!(plan.count() == 344 && ecdsa::Plan::ROUNDS == 20);
        check!(ecdsa::Plan::for_agreement(4, 1).count() == 21);
        check!(ecdsa::Plan::decode(plan.encode()) == plan);
        let tags = [plan.prbc(3u64, 2), plan.promotion(3u64, 1, 2, 4), plan.completion(3u64, 0)];
        check!(tags.map(|tag| tag.index()) == [2u32, 32u32, 20u32]);
        check!(
            tags.map(|tag| tag.agreement()) == [Agreement::Agreed, Agreement::Unagreed, Agreement::Agreed]
        );
        for tag in tags {
            check!(plan.agreement(tag.index()).unwrap() == tag.agreement());
        }
        check!(plan.agreement(plan.count()).is_none());
        check!(tags[0] == plan.prbc(3u64, 2) && tags[0] != tags[2]);
        let dealer = dealer_in(Group::Secp256k1);
        refuses!(MALFORMED, dealer.deal(1u64, ecdsa::Plan::for_agreed(0)));
        refuses!(TOO_LARGE, dealer.deal(1u64, ecdsa::Plan::for_agreed(ecdsa::Plan::MAX_COUNT + 1)));
        refuses!(TOO_LARGE, dealer.deal(1u64, ecdsa::Plan::for_agreed(4294967295u32)));
        refuses!(WRONG_CONTEXT, dealer.deal(1u64, ecdsa::Plan::for_agreement(1024, 65535)));
        refuses!(WRONG_CONTEXT, dealer.deal(1u64, ecdsa::Plan::for_agreement(5)));
        out_of_range!(count, ecdsa::Plan::for_agreed(4294967296u32));
        out_of_range!(rounds, ecdsa::Plan::for_agreement(4, -1));
    }

    pub fn closed_secrets_refuse_every_use() {
        let made = dealer_in(Group::Secp256k1);
        let secret = made.to_bytes();
        let tolerance = Tolerance::new(4, 1);
        let dealer =
            ecdsa::TrustedDealer::from_bytes(Group::Secp256k1, dealing_committee(), tolerance, secret);
        check!(dealer.key() == made.key());
        let party = dealer.deal(3u64, ecdsa::Plan::for_agreed(3))[0];
        let tag = party.deal().plan().agreed(3u64, 0);
        let opener = party.take(party.deal().plan().agreed(3u64, 1)).sign(new_guard(), b"m").opener;
        let presignature = party.take(party.deal().plan().agreed(3u64, 2));
        for one in [dealer, party, opener, presignature] {
            closes(one, secret);
        }
        refuses!(CLOSED, dealer.deal(4u64, ecdsa::Plan::for_agreed(1)), opener.open(), party.audit(1));
        refuses!(CLOSED, party.take(tag), party.signing(tag, b"m"), party.destroy(new_guard()));
        refuses!(CLOSED, presignature.sign(new_guard(), b"m"));
    }
}

pub mod shared_bls {
    fn shares_in(suite: Suite) -> Vec<threshold::bls::KeyShare> {
        threshold::bls::deal(suite, dealing_committee(), Tolerance::new(4, 1), Agreement::Agreed)
    }

    fn another(suite: Suite) -> Suite { if suite == Suite::MinSig { Suite::MinPk } else { Suite::MinSig } }

    pub fn two_of_four_sign_and_wrong_shares_are_identified(suite: BlsSuite) {
        let shares = shares_in(suite);
        let key = shares[0].key();
        check!(key.threshold() == Threshold::new(2, 4) && key.tolerance() == Tolerance::new(4, 1));
        check!(key.party(4).is_none() && key.committee() == dealing_committee() && key.suite() == suite);
        let made = shares.map(|share| share.sign(b"m"));
        // Another member's signature under its own name.
        let swapped = threshold::bls::SignatureShare::decode(suite, with_u16(made[2].encode(), 1, 1));
        check!(swapped.member() == 1);
        let combiner = threshold::bls::Combiner::new(key, b"m", Cache::new(2));
        refuses!(WRONG_CONTEXT, combiner.add(1, shares[1].sign(b"other")));
        refuses!(WRONG_CONTEXT, combiner.add(1, shares_in(another(suite))[1].sign(b"m")));
        check!(combiner.add(1, swapped.attest(b"x")).signature.is_none());
        let outcome = combiner.add(0, made[0]);
        check!(outcome.signature.is_none() && outcome.faults.map(|fault| fault.culprit) == [1]);
        let evidence = threshold::bls::ShareFault::decode(suite, outcome.faults[0].evidence.encode());
        check!(evidence.share() == outcome.faults[0].evidence.share());
        check!(evidence.verify(key, |_, _, attestation| attestation == b"x") == 1);
        refuses!(NOT_EVIDENCE, evidence.verify(key, |_, _, _| false));
        throws!(own, evidence.verify(key, |_, _, _| own_error()));
        let signature = combiner.add(3, made[3]).signature.unwrap();
        check!(combiner.signature().unwrap() == signature && combiner.key() == key);
        let counts = combiner.counts();
        check!(counts.combinations == 2 && counts.share_checks == 2 && counts.decodings == 0);
        key.public().verify(b"m", signature);
        // There is one signature of a message.
        let other = threshold::bls::Combiner::new(key, b"m");
        other.add(2, made[2]);
        check!(other.add(1, made[1]).signature.unwrap() == signature);
        check!(threshold::bls::beacon(signature).len() == 32);
    }

    pub fn key_shares_survive_their_encoding(suite: BlsSuite) {
        let share = shares_in(suite)[1];
        let twin = threshold::bls::KeyShare::from_bytes(suite, share.to_bytes());
        check!(twin.key() == share.key() && twin.suite() == suite && twin.member() == 1);
        check!(twin.sign(b"m") == share.sign(b"m"));
        refuses!(WRONG_CONTEXT, threshold::bls::KeyShare::from_bytes(another(suite), share.to_bytes()));
        check!(threshold::bls::GroupKey::decode(suite, share.key().encode()) == share.key());
    }

    pub fn a_share_is_a_signature_under_the_key_of_its_member() {
        let share = shares_in(Suite::MinSig)[1];
        let attested = share.sign(b"m").attested_bytes();
        let signature =
            Signature::decode(Suite::MinSig, slice(attested, attested.len() - 48, attested.len()));
        share.key().party(1).unwrap().verify(b"m", signature);
    }

    pub fn other_suites_have_no_shared_keys() {
        for suite in suites().filter(|one| !bls_suites().contains(one)) {
            refuses!(WRONG_CONTEXT, shares_in(suite));
        }
        refuses!(WRONG_CONTEXT, threshold::bls::beacon(SecretKey::generate(Suite::Ed25519).sign(b"m")));
    }

    pub fn a_closed_share_refuses_every_use() {
        let share = shares_in(Suite::MinSig)[0];
        closes(share, share.to_bytes());
        refuses!(CLOSED, share.sign(b"m"));
    }
}

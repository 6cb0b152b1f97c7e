//! Threshold signatures, the journal of presignatures, and seals.

pub mod ecdsa {
    fn plan_of(input: Json) -> ecdsa::Plan { ecdsa::Plan::decode(input.bytes("plan")) }

    fn key_of(input: Json) -> ecdsa::GroupKey {
        ecdsa::GroupKey::decode(group(input.u8("suite")), input.bytes("key"))
    }

    fn deal_of(input: Json) -> ecdsa::Deal { ecdsa::Deal::decode(input.bytes("deal")) }

    fn share_of(input: Json, given: Bytes) -> ecdsa::SignatureShare {
        ecdsa::SignatureShare::decode(group(input.u8("suite")), given)
    }

    fn opening_of(input: Json) -> ecdsa::Opening {
        ecdsa::Opening::decode(group(input.u8("suite")), input.bytes("opening"))
    }

    fn file_of(input: Json) -> ecdsa::Presignatures {
        ecdsa::Presignatures::from_bytes(group(input.u8("suite")), input.bytes("file"))
    }

    /// A plan is decoded as part of a deal.
    pub fn plan(input: Json) -> Json {
        let parties = input.u32("parties");
        let most = if parties < 1024u32 { parties } else { 1024u32 };
        let roots = zeros(32 * most);
        let deal = joined([zeros(40), plan_of(input).encode(), encoded_u32(parties), roots]);
        json! { count: ecdsa::Deal::decode(deal).plan().count() }
    }

    fn tag_for(plan: ecdsa::Plan, input: Json) -> ecdsa::Tag {
        match input.text("use") {
            "prbc" => plan.prbc(0u64, input.u16("member")),
            "promotion" => plan.promotion(0u64, input.u16("round"), input.u16("member"), input.u8("step")),
            "completion" => plan.completion(0u64, input.u16("round")),
            _ => numbered(plan, 0u64, input.u32("number")),
        }
    }

    /// The tag of a number in a plan without members and rounds.
    fn numbered(plan: ecdsa::Plan, epoch: u64, number: u32) -> ecdsa::Tag {
        if plan.encode()[0] == 3 {
            return plan.unagreed(epoch, number);
        }
        plan.agreed(epoch, number)
    }

    /// The tag of an index in any plan. Past the end is past the last round.
    fn tag_of(plan: ecdsa::Plan, epoch: u64, index: u32) -> ecdsa::Tag {
        if plan.encode()[0] != 1 {
            return numbered(plan, epoch, index);
        }
        let parties = decoded_u16(plan.encode(), 1);
        if index < parties {
            return plan.prbc(epoch, index as u16);
        }
        let round = (index - parties) / (4 * parties + 1);
        let within = (index - parties) % (4 * parties + 1);
        if within == 4 * parties || plan.agreement(index).is_none() {
            return plan.completion(epoch, round as u16);
        }
        plan.promotion(epoch, round as u16, (within / 4) as u16, (within % 4 + 1) as u8)
    }

    pub fn tag(input: Json) -> Json {
        let tag = tag_for(plan_of(input), input);
        json! { index: tag.index(), agreed: tag.agreement() == Agreement::Agreed }
    }

    pub fn key(input: Json) -> Json {
        let key = key_of(input);
        let tolerance = key.tolerance();
        json! {
            id: key.id(),
            parties: tolerance.parties(),
            faulty: tolerance.faulty(),
            needed: json! {
                agreed: tolerance.threshold(Agreement::Agreed).needed(),
                unagreed: tolerance.threshold(Agreement::Unagreed).needed(),
            },
        }
    }

    pub fn deal(input: Json) -> Json {
        let deal = deal_of(input);
        json! { id: deal.id(), key: deal.key(), epoch: deal.epoch(), count: deal.plan().count() }
    }

    pub fn file(input: Json) -> Json {
        let file = file_of(input);
        json! { member: file.member(), key: file.key().id(), deal: file.deal().id(), count: file.left() }
    }

    pub fn share(input: Json) -> Json {
        let share = share_of(input, input.bytes("share"));
        json! { member: share.member(), epoch: share.epoch(), index: share.index(), digest: share.digest() }
    }

    pub fn opening(input: Json) -> Json {
        let opening = opening_of(input);
        json! { member: opening.member(), index: opening.index() }
    }

    pub fn sign(input: Json) -> Json {
        let file = file_of(input);
        let tag = tag_of(file.deal().plan(), file.deal().epoch(), input.u32("index"));
        let guard = Guard::new(SecretKey::generate(suite(3)), ChainId::from_bytes(zeros(32)));
        let signed = file.take(tag).sign(guard, input.bytes("message"));
        check!([signed.record].filter(|one| one.is_some()).map(|one| one.unwrap()) == guard.records());
        json! {
            share: signed.share.encode(),
            attested: signed.share.attested_bytes(),
            opening: signed.opener.open().encode(),
        }
    }

    fn signing_of(input: Json) -> ecdsa::Signing {
        let key = key_of(input);
        let deal = deal_of(input);
        let tag = tag_of(deal.plan(), deal.epoch(), input.u32("index"));
        let signing = ecdsa::Signing::new(key, deal, input.bytes("nonce"), tag, input.bytes("message"));
        check!(signing.tag() == tag);
        check!(signing.nonce() == input.bytes("nonce"));
        check!(signing.message() == input.bytes("message"));
        signing
    }

    fn needed(input: Json, signing: ecdsa::Signing) -> u16 {
        key_of(input).tolerance().threshold(signing.tag().agreement()).needed()
    }

    pub fn combine(input: Json) -> Json {
        let signing = signing_of(input);
        let combiner = ecdsa::Combiner::new(signing, Cache::new());
        let shares = input.byte_strings("shares").map(|share| share_of(input, share));
        for share in shares {
            combiner.add(share.member(), share);
        }
        if let Some(signature) = combiner.signature() {
            key_of(input).verify(signing.tag(), input.bytes("message"), signature);
            return json! { signature: signature.encode() };
        }
        check!(shares.len() < needed(input, signing));
        fail("BELOW_QUORUM")
    }

    fn sent_by(share: ecdsa::SignatureShare, member: u16) -> ecdsa::SignatureShare {
        ecdsa::SignatureShare::decode(share.group(), with_u16(share.encode(), 1, member))
    }

    /// A combiner checks a share against its opening only if the signature does not verify. So the other shares are
    /// wrong here.
    pub fn check(input: Json) -> Json {
        let signing = signing_of(input);
        let share = share_of(input, input.bytes("share"));
        let opening = opening_of(input);
        let key = key_of(input);
        let combiner = ecdsa::Combiner::new(signing);
        combiner.add(share.member(), share);
        let others = range(key.tolerance().parties()).filter(|member| member != share.member());
        let outcomes = slice(others, others.len() - (needed(input, signing) - 1), others.len())
            .map(|member| combiner.add(member, sent_by(share, member)));
        check!(outcomes[outcomes.len() - 1].wanted.contains(share.member()));
        let faults = combiner.open(share.member(), opening).faults;
        for fault in faults {
            check!(fault.culprit == share.member());
            check!(fault.evidence.verify(key, deal_of(input), |_, _, _| true) == share.member());
        }
        json! { right: faults.is_empty() }
    }

    pub fn verify(input: Json) {
        let key = key_of(input);
        let signature = ecdsa::Signature::decode(group(input.u8("suite")), input.bytes("signature"));
        let tag = tag_of(plan_of(input), input.u64("epoch"), input.u32("index"));
        key.verify(tag, input.bytes("message"), signature);
    }

    pub fn evidence(input: Json) -> Json {
        let evidence = ecdsa::ShareFault::decode(group(input.u8("suite")), input.bytes("evidence"));
        let culprit = evidence.verify(key_of(input), deal_of(input), |_, _, _| true);
        check!(culprit == evidence.share().member());
        json! { culprit: culprit }
    }
}

/// Guards of the bindings spend presignatures only when they sign, so the steps that spend have no cases here.
pub mod spending {
    fn record_of(guard: Guard, step: Json) -> GuardRecord {
        let key = step.bytes("key");
        let epoch = step.u64("epoch");
        if step.text("do") == "close" {
            return guard.close_epoch(key, epoch);
        }
        let record = guard.reserve(key, epoch, step.u32("index"));
        if step.text("do") == "reserve-and-confirm" {
            guard.confirm(record);
        }
        record
    }

    pub fn session(input: Json) -> Json {
        let guard = guard_of(input, ChainId::from_bytes(input.bytes("chain")));
        let outcomes = input.list("steps").map(|step| outcome(|| record_of(guard, step).encode()));
        json! { outcomes: outcomes, records: records_of(guard) }
    }
}

pub mod seal {
    pub fn open(input: Json) -> Json {
        let key = seal::SealingKey::from_bytes(input.bytes("secret"));
        json! { content: key.open(input.bytes("context"), input.bytes("sealed")) }
    }
}

pub mod shared_bls {
    fn file_of(input: Json) -> threshold::bls::KeyShare {
        threshold::bls::KeyShare::from_bytes(suite_of(input), input.bytes("file"))
    }

    fn key_of(input: Json) -> threshold::bls::GroupKey {
        threshold::bls::GroupKey::decode(suite_of(input), input.bytes("key"))
    }

    pub fn file(input: Json) -> Json {
        let share = file_of(input);
        json! { id: share.key().id(), member: share.member(), needed: share.key().threshold().needed() }
    }

    pub fn sign(input: Json) -> Json { json! { share: file_of(input).sign(input.bytes("message")).encode() } }

    pub fn combine(input: Json) -> Json {
        let key = key_of(input);
        let suite = suite_of(input);
        let message = input.bytes("message");
        let shares =
            input.byte_strings("shares").map(|share| threshold::bls::SignatureShare::decode(suite, share));
        let combiner = threshold::bls::Combiner::new(key, message);
        for share in shares {
            combiner.add(share.member(), share);
        }
        if let Some(signature) = combiner.signature() {
            key.public().verify(message, signature);
            return json! { signature: signature.encode(), beacon: threshold::bls::beacon(signature) };
        }
        check!(shares.len() < key.threshold().needed());
        fail("BELOW_QUORUM")
    }

    pub fn evidence(input: Json) -> Json {
        let evidence = threshold::bls::ShareFault::decode(suite_of(input), input.bytes("evidence"));
        json! { culprit: evidence.verify(key_of(input), |_, _, _| true) }
    }
}

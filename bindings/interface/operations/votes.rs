//! Statements, votes, certificates, timeouts, evidence and guards.

fn statement_of(input: Json) -> Statement {
    Statement::new(input.u8("kind"), input.u64("epoch"), input.u64("view"), input.bytes("digest"))
}

fn statement_shown(statement: Statement) -> Json {
    json! {
        kind: statement.kind(),
        epoch: statement.epoch(),
        view: statement.view(),
        digest: statement.digest(),
    }
}

pub mod statement {
    pub fn encode(input: Json) -> Json {
        let committee = committee_of(input);
        let statement = statement_of(input.get("statement"));
        check!(Statement::decode(statement.encode()) == statement);
        json! {
            bytes: statement.encode(),
            signed_bytes: statement.signed_bytes(committee.id()),
            identity: statement.identity(committee.id()),
        }
    }
}

pub mod vote {
    pub fn sign(input: Json) -> Json {
        let committee = committee_of(input);
        let vote = Vote::sign_unguarded(secret_of(input), committee, statement_of(input.get("statement")));
        json! { vote: vote.encode(), link: vote.encode_link() }
    }

    fn decoded(input: Json) -> Vote {
        if input.has("link") {
            return Vote::decode_link(suite_of(input), input.bytes("link"));
        }
        Vote::decode(suite_of(input), input.bytes("vote"))
    }

    pub fn verify(input: Json) -> Json {
        let committee = committee_of(input);
        let verified = decoded(input).verify(committee);
        check!(verified.committee() == committee.id());
        json! { statement: statement_shown(verified.value().statement()), signer: verified.value().signer() }
    }
}

fn votes_of(input: Json) -> Vec<Vote> {
    let suite = suite_of(input);
    input.byte_strings("votes").map(|vote| Vote::decode(suite, vote))
}

/// The certificate that votes form, all of them valid.
fn certificate_of(votes: Vec<Vote>, committee: Committee) -> Certificate {
    let topic = votes[0].statement();
    let collector = VoteCollector::new(committee, topic.kind(), topic.view());
    let collected = votes.map(|vote| collector.add(vote, Suspects::new()));
    check!(collected.all(|one| one.faults.is_empty()));
    let complete = collected.filter(|one| one.certificate.is_some());
    if complete.is_empty() {
        fail("BELOW_QUORUM");
    }
    complete[0].certificate.unwrap().value()
}

/// The same of timeout votes.
fn timeout_certificate_of(votes: Vec<TimeoutVote>, committee: Committee) -> TimeoutCertificate {
    let collector = TimeoutCollector::new(committee, votes[0].kind(), votes[0].view());
    let collected = votes.map(|vote| collector.add(vote, Suspects::new()));
    check!(collected.all(|one| one.faults.is_empty()));
    let complete = collected.filter(|one| one.certificate.is_some());
    if complete.is_empty() {
        fail("BELOW_QUORUM");
    }
    complete[0].certificate.unwrap().value()
}

pub mod certificate {
    pub fn collect(input: Json) -> Json {
        let certificate = certificate_of(votes_of(input), committee_of(input));
        json! {
            certificate: certificate.encode(),
            detached: certificate.encode_detached(),
            signers: certificate.signers(),
        }
    }

    fn decoded(input: Json, committee: Committee) -> Certificate {
        let certificate = Certificate::decode(input.bytes("certificate"), committee);
        check!(certificate.encoded_len() == input.bytes("certificate").len());
        certificate
    }

    fn certificate_shown(certificate: Certificate) -> Json {
        json! { statement: statement_shown(certificate.statement()), signers: certificate.signers() }
    }

    pub fn decode(input: Json) -> Json { certificate_shown(decoded(input, committee_of(input))) }

    /// Batches must give the verdict of the single verification.
    pub fn verify(input: Json) -> Json {
        let committee = committee_of(input);
        let certificate = decoded(input, committee);
        let single = attempt(|| certificate.verify(committee));
        if is_whole() {
            let twice = [certificate, certificate];
            agree(Certificate::verify_batch(committee, twice).map(|one| one.attempt()), single);
            agree(Certificate::verify_batch_derived(committee, twice).map(|one| one.attempt()), single);
        }
        check!(single.unwrap().value() == certificate);
        certificate_shown(single.unwrap().value())
    }

    pub fn verify_detached(input: Json) -> Json {
        let committee = committee_of(input);
        let statement = statement_of(input.get("statement"));
        let certificate = Certificate::decode_detached(input.bytes("detached"), statement, committee);
        json! { signers: certificate.verify(committee).value().signers() }
    }
}

pub mod timeout_vote {
    pub fn sign(input: Json) -> Json {
        let committee = committee_of(input);
        let kind = input.u8("kind");
        let view = input.u64("view");
        let value = input.u64("value");
        let vote = TimeoutVote::sign_unguarded(secret_of(input), committee, kind, view, value);
        let statement = TimeoutVote::statement_of(kind, committee.epoch(), view, value);
        check!(vote.as_vote().statement() == statement);
        check!(TimeoutVote::new(kind, committee.epoch(), view, value, vote.signer(), vote.signature()) == vote);
        json! {
            vote: vote.encode(),
            link: vote.encode_link(),
            signed_bytes: statement.signed_bytes(committee.id()),
        }
    }

    fn decoded(input: Json) -> TimeoutVote {
        if input.has("link") {
            return TimeoutVote::decode_link(suite_of(input), input.bytes("link"));
        }
        TimeoutVote::decode(suite_of(input), input.bytes("vote"))
    }

    pub fn verify(input: Json) -> Json {
        let committee = committee_of(input);
        let vote = decoded(input).verify(committee).value();
        json! { kind: vote.kind(), view: vote.view(), value: vote.value(), signer: vote.signer() }
    }
}

pub mod timeout_certificate {
    pub fn collect(input: Json) -> Json {
        let suite = suite_of(input);
        let votes = input.byte_strings("votes").map(|vote| TimeoutVote::decode(suite, vote));
        json! { certificate: timeout_certificate_of(votes, committee_of(input)).encode() }
    }

    fn decoded(input: Json, committee: Committee) -> TimeoutCertificate {
        let certificate = TimeoutCertificate::decode(input.bytes("certificate"), committee);
        check!(certificate.encoded_len() == input.bytes("certificate").len());
        certificate
    }

    fn certificate_shown(certificate: TimeoutCertificate) -> Json {
        json! {
            kind: certificate.kind(),
            view: certificate.view(),
            groups: certificate.groups().map(|group| json! { value: group.value, signers: group.signers }),
        }
    }

    pub fn decode(input: Json) -> Json { certificate_shown(decoded(input, committee_of(input))) }

    pub fn verify(input: Json) -> Json {
        let committee = committee_of(input);
        certificate_shown(decoded(input, committee).verify(committee).value())
    }
}

pub mod equivocation {
    pub fn new(input: Json) -> Json {
        let committee = committee_of(input);
        let votes = votes_of(input);
        json! { evidence: Equivocation::new(votes[0], votes[1]).verify(committee).value().encode() }
    }

    pub fn verify(input: Json) -> Json {
        let committee = committee_of(input);
        let evidence = Equivocation::decode(suite_of(input), input.bytes("evidence"));
        json! { culprits: evidence.verify(committee).value().culprits() }
    }
}

pub mod conflict {
    pub fn verify(input: Json) -> Json {
        let committee = committee_of(input);
        let evidence = Conflict::decode(input.bytes("evidence"), committee);
        let culprits = evidence.verify(committee).value().culprits();
        check!(committee.weight_of(culprits) >= committee.honest_weight());
        json! { culprits: culprits }
    }
}

fn guard_of(input: Json, chain: ChainId) -> Guard {
    let secret = secret_of(input);
    let records = input.byte_strings("records").map(|record| GuardRecord::decode(record));
    Guard::restore(secret, chain, records)
}

fn records_of(guard: Guard) -> Json { shown(guard.records().map(|record| record.encode())) }

pub mod guard {
    pub fn restore(input: Json) -> Json {
        json! { records: records_of(guard_of(input, committee_of(input).chain())) }
    }

    pub fn sign(input: Json) -> Json {
        let committee = committee_of(input);
        let signed = guard_of(input, committee.chain()).sign(committee, statement_of(input.get("statement")));
        check!(signed.record.encode().len() == 81);
        json! { vote: signed.vote.encode(), record: signed.record.encode() }
    }
}

//! Aggregates, their spreading, seeds and tickets.

/// Batches must give the verdict of the single verification.
fn verified_aggregate(committee: Committee, given: Bytes) -> VerifiedAggregate {
    let aggregate = decoded_aggregate(committee, given);
    let twice = [aggregate, aggregate];
    let single = attempt(|| aggregate.verify(committee));
    agree(Aggregate::verify_batch(committee, twice).map(|one| one.attempt()), single);
    agree(Aggregate::verify_batch_derived(committee, twice).map(|one| one.attempt()), single);
    let verified = single.unwrap();
    check!(verified.value() == aggregate);
    verified
}

fn decoded_aggregate(committee: Committee, given: Bytes) -> Aggregate {
    let aggregate = Aggregate::decode(given, committee);
    check!(aggregate.encoded_len() == given.len());
    aggregate
}

fn verified_aggregates(committee: Committee, all: Vec<Bytes>) -> Vec<VerifiedAggregate> {
    all.map(|given| verified_aggregate(committee, given))
}

pub mod aggregate {
    fn aggregate_shown(aggregate: Aggregate) -> Json {
        let signers = aggregate.signers().members();
        let counts = signers.map(|signer| aggregate.count(signer));
        check!(counts == aggregate.counts());
        json! { statement: statement_shown(aggregate.statement()), signers: signers, counts: counts }
    }

    pub fn of_vote(input: Json) -> Json {
        let committee = committee_of(input);
        let vote = Vote::decode(committee.suite(), input.bytes("vote")).verify(committee);
        json! { aggregate: Aggregate::from_vote(vote, committee).value().encode() }
    }

    pub fn decode(input: Json) -> Json {
        aggregate_shown(decoded_aggregate(committee_of(input), input.bytes("aggregate")))
    }

    pub fn verify(input: Json) -> Json {
        let verified = verified_aggregate(committee_of(input), input.bytes("aggregate"));
        aggregate_shown(verified.value())
    }

    /// The order must not matter.
    fn merged(one: VerifiedAggregate, other: VerifiedAggregate, limit: u16) -> VerifiedAggregate {
        let sum = one.merge(other, limit);
        check!(other.merge(one, limit).value() == sum.value());
        sum
    }

    pub fn merge(input: Json) -> Json {
        let parts = verified_aggregates(committee_of(input), input.byte_strings("aggregates"));
        let limit = input.u16("limit");
        json! { aggregate: parts.reduce(|one, other| merged(one, other, limit)).value().encode() }
    }

    pub fn normalise(input: Json) -> Json {
        let committee = committee_of(input);
        let parts = verified_aggregates(committee, input.byte_strings("parts"));
        let normalised = verified_aggregate(committee, input.bytes("aggregate")).normalised(parts).value();
        normalised.verify(committee);
        json! { aggregate: normalised.encode() }
    }

    pub fn certificate(input: Json) -> Json {
        let committee = committee_of(input);
        let aggregate = verified_aggregate(committee, input.bytes("aggregate"));
        if let Some(certificate) = aggregate.certificate(committee) {
            check!(Aggregate::from_certificate(certificate).value() == aggregate.value());
            return json! { certificate: certificate.value().encode() };
        }
        json! { certificate: None }
    }
}

pub mod pool {
    /// The pool takes an aggregate exactly if it wants it.
    fn inserted(pool: Pool, aggregate: VerifiedAggregate) -> Json {
        let wanted = outcome(|| pool.wants(aggregate.value()));
        let result = outcome(|| pool.insert(aggregate));
        check!(result == wanted);
        json! { result: result, signers: pool.signers(), best: pool.best().map(|best| best.value().encode()) }
    }

    pub fn session(input: Json) -> Json {
        let committee = committee_of(input);
        let statement = statement_of(input.get("statement"));
        let pool = Pool::new(committee, input.u16("me"), statement, parameters(input));
        let aggregates = verified_aggregates(committee, input.byte_strings("aggregates"));
        let outcomes = aggregates.map(|aggregate| inserted(pool, aggregate));
        json! {
            outcomes: outcomes,
            aggregates: pool.aggregates().map(|aggregate| aggregate.value().encode()),
            certificate: pool.certificate().map(|certificate| certificate.value().encode()),
        }
    }
}

fn now_of(step: Json) -> u64 { if step.has("now") { step.u64("now") } else { 0u64 } }

/// A step that uses only the peers.
fn peers_step(peers: Peers, step: Json) -> Json {
    match step.text("do") {
        "left" => outcome(|| peers.left(step.u16("peer"))),
        "sent" => outcome(|| peers.sent(step.u16("peer"))),
        "heard" => outcome(|| peers.heard(step.u16("peer"))),
        "begin" => outcome(|| peers.begin(step.u16("peer"), now_of(step))),
        "failed" => outcome(|| peers.failed(step.u16("peer"), now_of(step))),
        "accuse" => outcome(|| peers.accuse(step.u16("peer"), now_of(step))),
        "is_available" => outcome(|| peers.is_available(step.u16("peer"), now_of(step))),
        "is_refused" => outcome(|| peers.is_refused(step.u16("peer"), now_of(step))),
        "has_room" => outcome(|| peers.has_room(now_of(step))),
        "next_free" => outcome(|| peers.next_free()),
        _ => unknown("step"),
    }
}

pub mod peers {
    pub fn session(input: Json) -> Json {
        let peers = Peers::new(input.u16("me"), input.u16("members"), parameters(input));
        json! { outcomes: input.list("steps").map(|step| peers_step(peers, step)) }
    }
}

pub mod gossip {
    fn checked(checked: gossip::Checked) -> Json {
        json! {
            aggregates: checked.aggregates,
            signers: checked.signers,
            grew: yes(checked.grew),
            faults: checked.faults.map(|one| json! { culprit: one.culprit, code: one.evidence.code() }),
        }
    }

    fn sent(gossip: Gossip, peers: Peers, step: Json) -> Json {
        let draw = if step.has("draw") { step.u64("draw") } else { 0u64 };
        if let Some(sent) = gossip.next(peers, draw, now_of(step)) {
            return json! { to: sent.to, aggregate: sent.aggregate.encode() };
        }
        shown(None)
    }

    fn result_of(gossip: Gossip, peers: Peers, step: Json, committee: Committee, aggregates: Vec<Bytes>) -> Json {
        match step.text("do") {
            "adopt" => {
                let aggregate = verified_aggregate(committee, aggregates[step.usize("aggregate")]);
                outcome(|| gossip.adopt(aggregate))
            }
            "receive" => {
                let aggregate = decoded_aggregate(committee, aggregates[step.usize("aggregate")]);
                outcome(|| gossip.receive(step.u16("peer"), aggregate, peers, now_of(step)))
            }
            "check" => outcome(|| checked(gossip.check(peers, None, now_of(step)))),
            "next" => outcome(|| sent(gossip, peers, step)),
            "offer" => outcome(|| gossip.offer(step.u16("peer")).map(|offered| offered.encode())),
            _ => peers_step(peers, step),
        }
    }

    fn state_after(gossip: Gossip, result: Json) -> Json {
        json! { result: result, signers: gossip.signers(), waiting: gossip.waiting() }
    }

    fn statement_number(step: Json) -> usize {
        if step.has("statement") {
            return step.usize("statement");
        }
        0
    }

    pub fn session(input: Json) -> Json {
        let committee = committee_of(input);
        let me = input.u16("me");
        let chosen = parameters(input);
        let states = input.list("statements").map(|one| Gossip::new(committee, me, statement_of(one), chosen));
        let peers = Peers::new(me, committee.size(), chosen);
        let aggregates = input.byte_strings("aggregates");
        let outcomes = input.list("steps").map(|step| {
            state_after(
                states[statement_number(step)],
                result_of(states[statement_number(step)], peers, step, committee, aggregates),
            )
        });
        json! {
            outcomes: outcomes,
            certificates: states.map(|one| one.certificate().map(|certificate| certificate.value().encode())),
        }
    }
}

fn seed_of(input: Json) -> Seed { Seed::decode(input.bytes("seed")) }

pub mod seed {
    pub fn genesis(input: Json) -> Json {
        json! { seed: Seed::genesis(ChainId::from_bytes(input.bytes("chain")), input.bytes("bytes")).encode() }
    }

    pub fn prove(input: Json) -> Json {
        json! { proof: SeedProof::sign(secret_of(input), committee_of(input), seed_of(input)).encode() }
    }

    pub fn next(input: Json) -> Json {
        let committee = committee_of(input);
        let proof = SeedProof::decode(committee.suite(), input.bytes("proof"));
        check!(SeedProof::new(proof.signer(), proof.signature()) == proof);
        check!(SeedProof::decode_detached(committee.suite(), proof.encode_detached(), proof.signer()) == proof);
        json! { seed: seed_of(input).next(proof, committee).encode() }
    }
}

pub mod ticket {
    fn lottery_of(input: Json) -> Lottery {
        Lottery::new(committee_of(input), seed_of(input), input.u64("round"), input.u16("expected"))
    }

    pub fn draw(input: Json) -> Json {
        if let Some(ticket) = lottery_of(input).draw(secret_of(input)) {
            return json! { ticket: ticket.value().encode(), score: ticket.score() };
        }
        json! { ticket: None, score: None }
    }

    pub fn verify(input: Json) -> Json {
        let suite = suite_of(input);
        let ticket = Ticket::decode(suite, input.bytes("ticket"));
        let round = ticket.round();
        let member = ticket.member();
        check!(Ticket::new(round, member, ticket.signature()) == ticket);
        check!(Ticket::decode_detached(suite, ticket.encode_detached(), round, member) == ticket);
        let won = ticket.verify(lottery_of(input));
        json! { round: won.value().round(), member: won.value().member(), score: won.score().bytes() }
    }
}

//! Aggregates, their spreading, and lotteries.

fn seven_secrets(suite: Suite) -> Vec<SecretKey> {
    range(7).map(|at| SecretKey::from_bytes(suite, joined([filled(1, 31), filled(at + 1, 1)])))
}

fn members_with(secrets: Vec<SecretKey>) -> Committee {
    Committee::new(
        ChainId::from_name("tests"),
        5u64,
        secrets.map(|secret| (VerifiedKey::from_secret(secret), 1u128)),
    )
}

fn seven_members(suite: Suite) -> Committee { members_with(seven_secrets(suite)) }
fn topic_of(committee: Committee) -> Statement { committee.statement(1, 9u64, filled(7, 32)) }

fn verified_vote(committee: Committee, member: u16, statement: Statement) -> VerifiedVote {
    let secret = seven_secrets(committee.suite())[member];
    Vote::sign_unguarded(secret, committee, statement).verify(committee)
}

fn aggregate_by(committee: Committee, member: u16) -> VerifiedAggregate {
    Aggregate::from_vote(verified_vote(committee, member, topic_of(committee)), committee)
}

fn sum_of(committee: Committee, members: Vec<u16>) -> VerifiedAggregate {
    members.map(|member| aggregate_by(committee, member)).reduce(|one, two| one.merge(two))
}

/// The aggregate of member 1 with another member's signature.
fn forged_aggregate(committee: Committee) -> Aggregate {
    let encoded = aggregate_by(committee, 1).value().encode();
    let other = aggregate_by(committee, 2).value().signature().encode();
    Aggregate::decode(joined([slice(encoded, 0, encoded.len() - other.len()), other]), committee)
}

fn counted_suites() -> Vec<Suite> { [Suite::MinSigCounted, Suite::MinPkCounted] }

pub mod aggregate {
    pub fn a_sum_does_not_depend_on_the_order(suite: CountedSuite) {
        let committee = seven_members(suite);
        let one = sum_of(committee, [0, 2, 4]);
        let two = sum_of(committee, [4, 5]);
        let both = one.merge(two);
        check!(both == two.merge(one) && both.committee() == committee.id());
        let sum = both.value();
        check!(sum.signers().members() == [0, 2, 4, 5] && sum.counts() == [1, 1, 2, 1]);
        check!([1, 4, 6, 65535].map(|member| sum.count(member)) == [0, 2, 0, 0]);
        check!(sum.suite() == suite && sum.signature().suite() == suite);
        check!(sum.statement() == topic_of(committee) && sum.encode().len() == sum.encoded_len());
        let twin = Aggregate::decode(sum.encode(), committee);
        check!(twin == sum && twin.verify(committee) == both);
        let parts = [aggregate_by(committee, 4), aggregate_by(committee, 6)];
        check!(both.normalised(parts).value().counts() == [1, 1, 1, 1]);
        refuses!(TOO_LARGE, both.merge(both, 3));
        out_of_range!(limit, both.merge(both, 65536));
    }

    pub fn that_of_a_quorum_is_a_certificate(suite: CountedSuite) {
        let committee = seven_members(suite);
        check!(sum_of(committee, [0, 1, 2, 3]).certificate(committee).is_none());
        let sum = sum_of(committee, [0, 1, 2, 3, 6]);
        let certificate = sum.certificate(committee).unwrap();
        check!(certificate.value().signers().members() == [0, 1, 2, 3, 6]);
        let twin = Certificate::decode(certificate.value().encode(), committee);
        check!(twin.verify(committee) == certificate);
        check!(Aggregate::from_certificate(certificate) == sum);
    }

    pub fn a_batch_identifies_the_forged_one(suite: CountedSuite) {
        let committee = seven_members(suite);
        let good = sum_of(committee, [0, 1]);
        let batch = [good.value(), forged_aggregate(committee), good.value()];
        let verdicts = Aggregate::verify_batch(committee, batch).map(|one| one.attempt());
        let derived = Aggregate::verify_batch_derived(committee, batch).map(|one| one.attempt());
        for found in [verdicts, derived] {
            check!(found.map(|one| refused(one)) == [None, "BAD_SIGNATURE", None]);
            check!(found[0].unwrap() == good && found[2].unwrap() == good);
        }
    }

    pub fn other_suites_have_none(suite: PlainSuite) {
        let committee = seven_members(suite);
        refuses!(WRONG_CONTEXT, aggregate_by(committee, 0), Pool::new(committee, 0, topic_of(committee)));
        refuses!(WRONG_CONTEXT, Gossip::new(committee, 0, topic_of(committee)));
        refuses!(WRONG_CONTEXT, Aggregate::decode(zeros(100), committee));
    }
}

pub mod pool {
    pub fn aggregates_that_add_signers_are_summed() {
        let committee = seven_members(Suite::MinSigCounted);
        let pool = Pool::new(committee, 0, topic_of(committee));
        check!(pool.best().is_none() && pool.certificate().is_none() && pool.aggregates().is_empty());
        check!(pool.insert(aggregate_by(committee, 0)) && pool.insert(sum_of(committee, [1, 2])));
        check!(!pool.insert(aggregate_by(committee, 1)));
        check!(pool.wants(aggregate_by(committee, 4).value()));
        check!(!pool.wants(aggregate_by(committee, 1).value()));
        check!(pool.signers().members() == [0, 1, 2] && pool.statement() == topic_of(committee));
        check!(pool.best().unwrap().value().counts() == [1, 1, 1]);
        check!(pool.insert(sum_of(committee, [3, 4])) && !pool.aggregates().is_empty());
        check!(pool.certificate().unwrap().value().statement() == pool.statement());
        let elsewhere = verified_vote(committee, 0, committee.statement(1, 10u64, zeros(32)));
        refuses!(WRONG_CONTEXT, pool.insert(Aggregate::from_vote(elsewhere, committee)));
        check!(gossip::MAX_POOL == 8 && gossip::MAX_STACK == 64 && sortition::EXPECTED_WINNERS == 7);
    }
}

pub mod peers {
    pub fn failed_ones_are_suspended() {
        let second = json! { fan_out: 1, back_off: 1000000, send_timeout: 1000000 };
        let peers = Peers::new(0, 2, parameters(json! { parameters: second }));
        check!(peers.next_free().is_none() && peers.pick(0u64, 0u64).unwrap() == 1);
        check!(peers.pick(7u64, 0u64).unwrap() == 1);
        peers.begin(1, 0u64);
        check!(!peers.has_room(0u64) && peers.pick(7u64, 0u64).is_none());
        check!(peers.next_free().unwrap() == 1000000u64);
        peers.left(1);
        check!(peers.has_room(0u64) && peers.is_available(1, 0u64));
        peers.failed(1, 0u64);
        check!(!peers.is_available(1, 999999u64) && peers.is_available(1, 1000000u64));
        peers.failed(1, 0u64);
        peers.heard(1);
        peers.begin(1, 0u64);
        peers.sent(1);
        check!(peers.is_available(1, 0u64));
        peers.accuse(1, 0u64);
        check!(peers.is_refused(1, 0u64) && !peers.is_refused(0, 0u64));
        // There is no other member.
        check!(Peers::new(0, 1).pick().is_none());
        out_of_range!(peer, peers.left(65536));
    }
}

pub mod gossip {
    /// One turn: each member sends to all peers that it can, and checks what it received.
    fn spreads(committee: Committee, members: Vec<Gossip>, peers: Vec<Peers>, turn: u16) {
        let now = 1000000u64 + (turn as u64) * 20000u64;
        for me in [2, 3, 4, 5, 6] {
            for attempt in range(8) {
                let draw = (turn as u64) * 7919u64 + ((me * 8 + attempt) as u64) * 104729u64;
                if let Some(sent) = members[me].next(peers[me], draw, now) {
                    peers[me].left(sent.to);
                    let arrived = Aggregate::decode(sent.aggregate.encode(), committee);
                    check!(members[sent.to].receive(me, arrived, peers[sent.to], now) != Received::Refused);
                }
            }
        }
        for me in [2, 3, 4, 5, 6] {
            let checked = members[me].check(peers[me], filled(turn, 32), now);
            check!(checked.faults.is_empty() && checked.aggregates <= 4);
        }
    }

    pub fn votes_spread_until_all_members_have_a_certificate(suite: CountedSuite) {
        let committee = seven_members(suite);
        let chosen = parameters(json! { parameters: json! { fan_out: 2, send_timeout: 100000 } });
        let statement = topic_of(committee);
        let members = range(7).map(|me| Gossip::new(committee, me, statement, chosen));
        let peers = range(7).map(|me| Peers::new(me, 7, chosen));
        // Two members stay silent: a quorum is five of seven.
        let talking = [2, 3, 4, 5, 6];
        for me in talking {
            let vote = verified_vote(committee, me, statement);
            check!(members[me].vote(vote) && !members[me].vote(vote));
        }
        for turn in range(200) {
            if talking.any(|me| members[me].certificate().is_none()) {
                spreads(committee, members, peers, turn);
            }
        }
        for me in talking {
            check!(members[me].certificate().unwrap().value().signers().members() == talking);
            check!(members[me].signers().members() == talking && members[me].waiting() == 0);
            check!(members[me].statement() == statement);
        }
        let late = aggregate_by(committee, 0).value();
        check!(members[2].receive(0, late, peers[2], 9000000u64) == Received::Complete);
        check!(members[2].offer(0).unwrap().signers().members() == talking);
        check!(members[0].pool().best().is_none());
    }

    pub fn senders_of_invalid_aggregates_are_blamed_and_suspended(suite: CountedSuite) {
        let committee = seven_members(suite);
        let gossip = Gossip::new(committee, 0, topic_of(committee));
        let peers = Peers::new(0, 7);
        check!(gossip.receive(3, forged_aggregate(committee), peers, 1u64) == Received::Waiting);
        check!(gossip.waiting() == 1);
        let checked = gossip.check(peers, None, 1u64);
        check!(checked.aggregates == 1 && checked.signers == 1 && !checked.grew);
        check!(checked.faults.map(|fault| fault.culprit) == [3]);
        check!(checked.faults[0].evidence.code() == "BAD_SIGNATURE");
        check!(peers.is_refused(3, 2u64) && !peers.is_available(3, 2u64));
        let good = aggregate_by(committee, 1).value();
        check!(gossip.receive(3, good, peers, 2u64) == Received::Refused);
        check!(gossip.receive(4, good, peers, 2u64) == Received::Waiting);
        check!(gossip.check(peers, None, 2u64).grew);
        check!(gossip.receive(5, good, peers, 2u64) == Received::NothingNew);
        check!(gossip.adopt(sum_of(committee, [5, 6])) && gossip.signers().members() == [1, 5, 6]);
        let elsewhere = verified_vote(committee, 1, committee.statement(2, 9u64, filled(7, 32)));
        let other = Aggregate::from_vote(elsewhere, committee).value();
        refuses!(WRONG_CONTEXT, gossip.receive(4, other, peers, 2u64));
        for stranger in [0, 7] {
            refuses!(UNKNOWN_SIGNER, gossip.receive(stranger, good, peers, 2u64));
        }
        refuses!(MALFORMED, gossip.check(peers, zeros(31)));
        out_of_range!(peer, gossip.receive(-1, good, peers, 2u64));
        out_of_range!(peer, gossip.offer(-1));
    }
}

fn genesis_of(committee: Committee) -> Seed { Seed::genesis(committee.chain(), b"a public random value") }
fn drawn_suites() -> Vec<Suite> { [Suite::MinSig, Suite::MinPk, Suite::MinSigCounted, Suite::MinPkCounted] }

pub mod lottery {
    pub fn winners_prove_that_they_won(suite: DrawnSuite) {
        let secrets = seven_secrets(suite);
        let committee = members_with(secrets);
        let seed = genesis_of(committee);
        let lottery = Lottery::new(committee, seed, 3u64);
        check!(lottery.round() == 3u64 && lottery.expected() == 7 && lottery.seed() == seed);
        check!(lottery.committee() == committee);
        // Of seven, seven win.
        let tickets = secrets.map(|secret| lottery.draw(secret).unwrap());
        let scores = tickets.map(|ticket| ticket.score());
        let texts = scores.map(|score| score.to_string());
        check!(range(7).all(|one| range(one).all(|two| scores[one] != scores[two])));
        check!(
            range(7)
                .all(|one| { range(7).all(|two| (scores[one] < scores[two]) == (texts[one] < texts[two])) })
        );
        for ticket in tickets {
            let twin = Ticket::decode(suite, ticket.value().encode());
            check!(twin == ticket.value() && twin.verify(lottery).score() == ticket.score());
        }
        let rare = Lottery::new(committee, seed, 3u64, 1);
        let losers = range(7).filter(|member| rare.draw(secrets[member]).is_none());
        check!(!losers.is_empty());
        for loser in losers {
            refuses!(NOT_DRAWN, tickets[loser].value().verify(rare));
        }
        let first = tickets[0].value();
        refuses!(WRONG_CONTEXT, first.verify(Lottery::new(committee, seed, 4u64)));
        refuses!(BAD_SIGNATURE, [1], Ticket::new(3u64, 1, first.signature()).verify(lottery));
        refuses!(WRONG_CONTEXT, lottery.draw(SecretKey::generate(suite)));
        out_of_range!(expected, Lottery::new(committee, seed, 3u64, 0));
    }

    pub fn ed25519_has_none() {
        let committee = seven_members(Suite::Ed25519);
        refuses!(WRONG_CONTEXT, Lottery::new(committee, genesis_of(committee), 1u64));
        let secret = seven_secrets(Suite::Ed25519)[0];
        refuses!(WRONG_CONTEXT, SeedProof::sign(secret, committee, genesis_of(committee)));
    }
}

pub mod seed {
    pub fn the_next_one_follows_from_a_proof(suite: DrawnSuite) {
        let secrets = seven_secrets(suite);
        let committee = members_with(secrets);
        let seed = genesis_of(committee);
        let proof = SeedProof::sign(secrets[2], committee, seed);
        let following = seed.next(proof, committee);
        check!(proof.signer() == 2 && following.height() == 1u64 && following.value().len() == 32);
        check!(Seed::decode(following.encode()) == following && following != seed);
        check!(following.encode().len() == Seed::LEN);
        check!(SeedProof::decode_detached(suite, proof.encode_detached(), 2) == proof);
        refuses!(BAD_SIGNATURE, seed.next(SeedProof::new(3, proof.signature()), committee));
        refuses!(UNKNOWN_SIGNER, seed.next(SeedProof::new(7, proof.signature()), committee));
        check!(SeedProof::decode(suite, proof.encode()) == proof);
    }
}

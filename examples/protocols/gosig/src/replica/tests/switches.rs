//! The effect of each switch of the [`Parameters`].

use super::*;
use crate::body::MAX_SEGMENTS;

fn with(parameters: Parameters) -> Replica<T> {
    let mut replica = replica();
    replica.parameters = parameters;
    replica
}

fn payload(count: u8) -> Payload {
    Payload::from_bytes((0..count).map(|byte| vec![byte; 40])).unwrap()
}

/// Submits transactions. Returns all messages until the batched transactions are forwarded.
fn submit(replica: &mut Replica<T>, payload: Payload) -> Vec<Message<T>> {
    let command = Command::Submit { sequence: 1, payload: Arc::new(payload) };
    let now = replica.now;
    let first = replica.handle(now, Input::Command(command));
    let later = now.plus(replica.parameters.transaction_delay);
    let second = replica.handle(later, Input::Timer(Timer::Gossip));
    let sent = first.messages.into_iter().chain(second.messages);
    sent.map(|sent| sent.message.message.clone()).collect()
}

/// Returns the segments of the member's own proposal, by index.
fn segments(sent: &[Message<T>]) -> BTreeMap<u16, Entries> {
    let segments = sent.iter().filter_map(|message| match message {
        Message::Segment(segment) => Some((segment.index, segment.entries.clone())),
        _ => None,
    });
    segments.collect()
}

#[test]
fn parameters_decide_segments_and_names_of_bodies() {
    let all = Parameters::default();
    let cut = |parameters: Parameters| segments(&submit(&mut with(parameters), payload(20)));
    let usual = cut(all.clone());
    assert!(usual.len() == 5 && usual.values().all(|entries| matches!(entries, Entries::Short { .. })));
    let one = cut(Parameters { segments: 1, ..all.clone() });
    assert!(one.len() == 1 && one[&0].len() == 20, "{one:?}");
    assert_eq!(cut(Parameters { segments: u16::MAX, ..all.clone() }).len(), 20.min(MAX_SEGMENTS));
    let full = cut(Parameters { short_hashes: false, ..all.clone() });
    assert!(full.len() == 5 && full.values().all(|entries| matches!(entries, Entries::Full(_))));
    let raw = cut(Parameters { asynchronous_transactions: false, ..all });
    assert!(raw.len() >= 5 && raw.values().all(|entries| matches!(entries, Entries::Raw(_))));
}

#[test]
fn transactions_are_forwarded_only_if_asynchronous() {
    for asynchronous_transactions in [true, false] {
        let mut replica = with(Parameters { asynchronous_transactions, ..Parameters::default() });
        let sent = submit(&mut replica, payload(3));
        let passed_on = sent.iter().any(|message| matches!(message, Message::Transactions(_)));
        assert_eq!(passed_on, asynchronous_transactions);
    }
}

#[test]
fn stage_pipelining_prepares_on_the_header_alone() {
    let c = committees::<T>(4);
    let (seed, payload) = (anchor(&c).seed, payload(2));
    let proposal = sign(&c, block(&c, None, seed, 1, 1, &payload), seed, 1, 1, None);
    let entries = Entries::Raw(payload.transactions().to_vec());
    let block = proposal.block.digest();
    let part = UnsignedSegment { block, round: 1, signer: 1, index: 0, count: 1, first: 0, entries };
    let segment = Arc::new(part.sign(&c, &secret::<Ed25519>(1)).unwrap());
    for stage_pipelining in [true, false] {
        let mut replica = with(Parameters { stage_pipelining, ..Parameters::default() });
        drop(give(&mut replica, 1, Message::Proposal(proposal.clone())));
        drop(second_stage(&mut replica, 1));
        assert_eq!(replica.status().prepared, u64::from(stage_pipelining));
        drop(give(&mut replica, 1, Message::Segment(segment.clone())));
        assert_eq!(replica.status().prepared, 1, "also later in the stage");
    }
}

#[test]
fn round_pipelining_begins_the_next_round_at_the_commit() {
    for round_pipelining in [true, false] {
        let (mut replica, proposal, _) = locked();
        replica.parameters.round_pipelining = round_pipelining;
        drop(submit(&mut replica, payload(1)));
        let proposes = |step: &Step<Replica<T>>| {
            let own = |message: &Message<T>| matches!(message, Message::Proposal(p) if p.round == 2 && p.proposer == 0);
            step.messages.iter().any(|sent| own(&sent.message))
        };
        let step = give(&mut replica, 3, votes(TENTATIVE, 1, &proposal, &[1, 3]));
        assert_eq!(
            (replica.status().committed, replica.status().round),
            (1, 1 + u64::from(round_pipelining))
        );
        assert_eq!(proposes(&step), round_pipelining);
        let begins = replica.schedule.begins(2);
        let step = replica.handle(begins, Input::Timer(Timer::Stage));
        assert_eq!(proposes(&step), !round_pipelining);
    }
}

#[test]
fn without_aggregation_members_broadcast_their_own_votes() {
    for aggregation in [true, false] {
        let mut replica = with(Parameters { aggregation, ..Parameters::default() });
        let proposal = first(1, 1);
        drop(give(&mut replica, 1, Message::Proposal(proposal.clone())));
        let step = second_stage(&mut replica, 1);
        let recipients =
            step.messages.iter().filter(|sent| matches!(&sent.message.message, Message::Signatures(_)));
        let recipients: Vec<Recipient> = recipients.map(|sent| sent.to).collect();
        assert_eq!(recipients == [Recipient::Others], !aggregation, "{recipients:?}");
        // All messages have left by then.
        let later = replica.now.plus(GOSSIP_INTERVAL);
        drop(replica.handle(later, Input::Timer(Timer::Gossip)));
        // Signatures of two other members are aggregated and forwarded, or left to their signers.
        let step = give(&mut replica, 2, votes(PREPARE, 1, &proposal, &[2, 3]));
        let passes_on = step.messages.iter().any(|sent| {
            matches!(&sent.message.message, Message::Signatures(sums)
                if sums.iter().any(|sum| sum.statement().kind == PREPARE && sum.signers().len() > 1))
        });
        assert_eq!(passes_on, aggregation);
    }
}

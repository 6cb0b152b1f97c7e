//! Errors at the start of a replica, and its reaction to messages that no honest member sends.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::sync::Arc;

use quorate::ed25519::Ed25519;
use quorate::guard::Guard;
use quorate::machine::{Input, Machine, Time};
use quorate::wire::Encode;
use quorate_jolteon::{
    Batch, Command, Committees, Config, Evidence, Executed, Message, Output, OwnBatchState, Parameters,
    Record, Replica, SigningHistory, VotingKey,
};
use quorate_protocol::testing::{secret, weighted};

fn config() -> Config<Ed25519> {
    Config {
        voters: weighted("start", &[1; 4]),
        identities: weighted("start", &[1; 4]),
        me: 0,
        voting_key: VotingKey::Secret(secret::<Ed25519>(0)),
        identity_key: secret::<Ed25519>(0),
        genesis_root: [0; 32],
        executed: Executed { height: 0, state_root: [0; 32] },
        recent_states: Vec::new(),
        first_sequence: 1,
        history: SigningHistory::Complete,
        parameters: Parameters::default(),
    }
}

fn replica() -> Replica<Ed25519> {
    Replica::new(config(), []).unwrap()
}

fn code(config: Config<Ed25519>, records: Vec<Record<Ed25519>>) -> &'static str {
    Replica::new(config, records).map(|_| "none").unwrap_or_else(|error| error.code())
}

#[test]
fn mismatched_configurations_do_not_start() {
    assert_eq!(code(config(), Vec::new()), "none");
    assert_eq!(
        code(Config { identities: weighted("other", &[1; 4]), ..config() }, Vec::new()),
        "BAD_COMMITTEE"
    );
    assert_eq!(
        code(Config { identities: weighted("start", &[1; 3]), ..config() }, Vec::new()),
        "BAD_COMMITTEE"
    );
    assert_eq!(
        code(Config { identities: weighted("start", &[1, 1, 1, 2]), ..config() }, Vec::new()),
        "BAD_COMMITTEE"
    );
    assert_eq!(code(Config { me: 4, ..config() }, Vec::new()), "UNKNOWN_SIGNER");
    let other_key = VotingKey::Secret(secret::<Ed25519>(1));
    assert_eq!(code(Config { voting_key: other_key, ..config() }, Vec::new()), "WRONG_CONTEXT");
    assert_eq!(code(Config { identity_key: secret::<Ed25519>(1), ..config() }, Vec::new()), "WRONG_CONTEXT");
    let ahead = Executed { height: 3, state_root: [0; 32] };
    assert_eq!(code(Config { executed: ahead, ..config() }, Vec::new()), "WRONG_CONTEXT");
}

#[test]
fn records_of_another_chain_or_key_are_refused() {
    let record = |member, chain: &str| {
        let committee = weighted::<Ed25519>(chain, &[1; 4]);
        let statement = committee.statement(quorate_jolteon::BLOCK, 7, [1; 32]);
        Guard::new(secret::<Ed25519>(member), committee.chain()).sign(&committee, statement).unwrap().1
    };
    assert_eq!(code(config(), vec![Record::VoteGuard(record(0, "start"))]), "none");
    assert_eq!(code(config(), vec![Record::VoteGuard(record(0, "other"))]), "WRONG_CONTEXT");
    assert_eq!(code(config(), vec![Record::VoteGuard(record(1, "start"))]), "WRONG_CONTEXT");
    assert_eq!(code(config(), vec![Record::ProposalGuard(record(1, "start"))]), "WRONG_CONTEXT");
}

#[test]
fn impersonation_is_refused_by_decoder_and_machine() {
    let mut replica = replica();
    let batch = Arc::new(Batch::new(2, 1, [b"x"]).unwrap());
    let message = Message::<Ed25519>::Batch(batch);
    assert!(replica.decode(2, &message.encode()).is_ok());
    assert_eq!(replica.decode(1, &message.encode()).unwrap_err().code(), "WRONG_CONTEXT");
    assert_eq!(replica.decode(9, &message.encode()).unwrap_err().code(), "UNKNOWN_SIGNER");
    let step = replica.handle(Time(0), Input::Message { from: 1, message });
    assert!(step.persist.is_empty());
    assert!(
        matches!(step.faults[..], [ref fault] if fault.culprit == 1 && matches!(fault.evidence, Evidence::Invalid { .. }))
    );
}

#[test]
fn messages_of_another_chain_are_faults_and_change_nothing() {
    let mut replica = replica();
    let here = replica.committees().clone();
    let there = Committees { voters: weighted("other", &[1; 4]), identities: weighted("other", &[1; 4]) };
    let batch = Batch::new(0, 1, [b"x"]).unwrap();
    replica.handle(Time(0), Input::Start).messages.clear();
    drop(replica.handle(Time(0), Input::Command(Command::Seal(Arc::new(batch.clone())))));
    let acknowledge = |committees: &Committees<Ed25519>, member: u16| {
        let statement =
            quorate_jolteon::availability(batch.header().slot, &committees.identities, batch.digest());
        let vote = quorate::certificate::Vote::sign_unguarded(
            &secret::<Ed25519>(member),
            &committees.identities,
            statement,
        );
        Input::Message { from: member, message: Message::Acknowledge(vote.unwrap()) }
    };
    // Two foreign acknowledgements would complete a quorum with the own one.
    drop(replica.handle(Time(1), acknowledge(&there, 1)));
    let step = replica.handle(Time(2), acknowledge(&there, 2));
    assert_eq!(step.faults.iter().map(|fault| fault.culprit).collect::<Vec<_>>(), [1, 2]);
    assert!(step.outputs.is_empty());
    drop(replica.handle(Time(3), acknowledge(&here, 1)));
    let step = replica.handle(Time(4), acknowledge(&here, 2));
    assert!(matches!(
        step.outputs[..],
        [Output::OwnBatch { sequence: 1, state: OwnBatchState::Certified }, ..]
    ));
}

#[test]
fn a_batch_with_an_unusable_number_is_refused() {
    let mut replica = replica();
    let mut seal = |sequence| {
        let batch = Arc::new(Batch::new(0, sequence, [b"x"]).unwrap());
        replica.handle(Time(0), Input::Command(Command::Seal(batch))).outputs
    };
    let refused = |outputs: Vec<Output<Ed25519>>| {
        matches!(outputs[..], [Output::OwnBatch { state: OwnBatchState::Refused, .. }])
    };
    for sequence in 1..=31 {
        assert!(seal(sequence).is_empty());
    }
    assert!(matches!(seal(32)[..], [Output::Congestion(true)]));
    assert!(refused(seal(32)), "the number is already used");
    assert!(refused(seal(49)), "too far ahead of the oldest");
    assert!(seal(48).is_empty());
}

#[test]
fn batches_and_numbers_survive_a_restart() {
    let mut first = replica();
    drop(first.handle(Time(0), Input::Start));
    let batch = Arc::new(Batch::new(0, first.next_sequence(), [b"x"]).unwrap());
    let step = first.handle(Time(0), Input::Command(Command::Seal(batch.clone())));
    let mut second = Replica::new(config(), step.persist).unwrap();
    assert_eq!(second.next_sequence(), 2);
    let step = second.handle(Time(0), Input::Start);
    let again = step.messages.iter().filter(|sent| matches!(&sent.message, Message::Batch(b) if *b == batch));
    assert_eq!(again.count(), 3, "it is sent again to each other member");
}

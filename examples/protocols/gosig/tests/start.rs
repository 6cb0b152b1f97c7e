//! Refused configurations and records, and senders that are no members.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::sync::Arc;

use quorate::ed25519::Ed25519;
use quorate::guard::Guard;
use quorate::machine::{Input, Machine, Time};
use quorate::scheme::Toy;
use quorate::wire::Encode;
use quorate_gosig::{
    Anchor, Command, Committees, Config, Evidence, Executed, Message, Output, Parameters, Payload, Record,
    Replica, Schedule, SigningHistory, Submission,
};
use quorate_protocol::testing::{secret, weighted};

fn config() -> Config<Toy> {
    let committees =
        Committees { voters: weighted("start", &[1; 4]), identities: weighted("start", &[1; 4]) };
    Config {
        anchor: Anchor::genesis(&committees, &[0; 32], b"start"),
        voters: committees.voters,
        identities: committees.identities,
        me: Some(0),
        voting_key: secret::<Toy>(0),
        identity_key: secret::<Ed25519>(0),
        executed: Executed { height: 0, state_root: [0; 32] },
        recent_states: Vec::new(),
        committed_transactions: Vec::new(),
        history: SigningHistory::Complete,
        schedule: Schedule::default(),
        parameters: Parameters::default(),
        entropy: [1; 32],
    }
}

fn code(config: Config<Toy>, records: Vec<Record<Toy>>) -> &'static str {
    Replica::new(config, records).map(|_| "none").unwrap_or_else(|error| error.code())
}

#[test]
fn inconsistent_configurations_are_refused() {
    assert_eq!(code(config(), Vec::new()), "none");
    let other = Config { identities: weighted("other", &[1; 4]), ..config() };
    assert_eq!(code(other, Vec::new()), "BAD_COMMITTEE");
    let fewer = Config { identities: weighted("start", &[1; 3]), ..config() };
    assert_eq!(code(fewer, Vec::new()), "BAD_COMMITTEE");
    let heavier = Config { identities: weighted("start", &[1, 1, 1, 2]), ..config() };
    assert_eq!(code(heavier, Vec::new()), "BAD_COMMITTEE");
    assert_eq!(code(Config { me: Some(4), ..config() }, Vec::new()), "UNKNOWN_SIGNER");
    assert_eq!(code(Config { voting_key: secret::<Toy>(1), ..config() }, Vec::new()), "WRONG_CONTEXT");
    assert_eq!(code(Config { identity_key: secret::<Ed25519>(1), ..config() }, Vec::new()), "WRONG_CONTEXT");
    let ahead = Executed { height: 3, state_root: [0; 32] };
    assert_eq!(code(Config { executed: ahead, ..config() }, Vec::new()), "WRONG_CONTEXT");
}

#[test]
fn records_of_another_chain_or_key_are_refused() {
    let record = |member, chain: &str| {
        let committee = weighted::<Toy>(chain, &[1; 4]);
        let statement = committee.statement(quorate_gosig::PREPARE, 7, [1; 32]);
        Guard::new(secret::<Toy>(member), committee.chain()).sign(&committee, statement).unwrap().1
    };
    assert_eq!(code(config(), vec![Record::VoteGuard(record(0, "start"))]), "none");
    assert_eq!(code(config(), vec![Record::VoteGuard(record(0, "other"))]), "WRONG_CONTEXT");
    assert_eq!(code(config(), vec![Record::VoteGuard(record(1, "start"))]), "WRONG_CONTEXT");
    assert_eq!(code(config(), vec![Record::ProposalGuard(record(0, "start"))]), "WRONG_CONTEXT");
}

#[test]
fn decoder_and_machine_refuse_senders_outside_the_committee() {
    let mut replica = Replica::new(config(), []).unwrap();
    let message = Message::<Toy>::Hello { committed: 3 }.in_epoch(0);
    assert!(replica.decode(2, &message.encode()).is_ok());
    assert_eq!(replica.decode(9, &message.encode()).unwrap_err().code(), "UNKNOWN_SIGNER");
    let step = replica.handle(Time(0), Input::Message { from: 9, message });
    let [fault] = &step.faults[..] else { panic!("{step:?}") };
    assert!(fault.culprit == 9 && matches!(fault.evidence, Evidence::Invalid { .. }));
}

#[test]
fn a_payload_without_room_in_the_pool_is_refused() {
    let parameters = Parameters { max_pool_bytes: 1000, ..Parameters::default() };
    let mut replica = Replica::new(Config { parameters, ..config() }, []).unwrap();
    drop(replica.handle(Time(0), Input::Start));
    let mut submit = |sequence, payload: Payload| {
        let command = Command::Submit { sequence, payload: Arc::new(payload) };
        replica.handle(Time(1), Input::Command(command)).outputs
    };
    let refused = |outputs: &[Output<Toy>], number| matches!(outputs, [Output::Submitted { sequence, state: Submission::Refused }] if *sequence == number);
    assert!(submit(1, Payload::from_bytes([[1; 100]]).unwrap()).is_empty());
    assert!(refused(&submit(2, Payload::from_bytes([[1; 100]]).unwrap()), 2), "the same payload again");
    assert!(refused(&submit(3, Payload::from_bytes([vec![2; 400]]).unwrap()), 3), "no room");
    assert!(matches!(
        submit(4, Payload::from_bytes([vec![3; 250]]).unwrap())[..],
        [Output::Congestion(true)]
    ));
}

#[test]
fn submitted_payloads_survive_a_restart() {
    let mut first = Replica::new(config(), []).unwrap();
    drop(first.handle(Time(0), Input::Start));
    let payload = Arc::new(Payload::from_bytes([b"x"]).unwrap());
    let submit = Command::Submit { sequence: 1, payload: payload.clone() };
    let step = first.handle(Time(0), Input::Command(submit));
    let mut second = Replica::new(config(), step.persist).unwrap();
    let step = second.handle(Time(0), Input::Start);
    let again = step.messages.iter().filter(
        |sent| matches!(&*sent.message, Message::Transactions(all) if all[..] == *payload.transactions()),
    );
    assert_eq!(again.count(), 3, "it is forwarded again to each of the other members");
}

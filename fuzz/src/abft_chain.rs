//! A member of an ABFT chain: decoders of messages and records, and the first message that it handles.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use quorate::certificate::{Vote, VoteCollector};
use quorate::committee::{ChainId, Committee, CommitteeId};
use quorate::ed25519::Ed25519;
use quorate::machine::{Input, Machine, MemberIndex, Time};
use quorate::scheme::{Scheme, VerifiedKey};
use quorate::threshold::Tolerance;
use quorate::wire::{Decode, Encode};
use quorate_abft::chain::{
    BLOCK, Block, BlockDigest, CertifiedBlock, Chain, Command, Config, Finality, Message, Parameters, Record,
};
use quorate_abft::signatures::Ed25519List;
use quorate_abft::{Secrets, Setup};
use quorate_protocol::Executed;
use quorate_protocol::batch::Batch;
use rand::SeedableRng;
use rand::rngs::StdRng;

const MEMBERS: u16 = 4;
/// The member that sends the input.
const SENDER: MemberIndex = 3;
/// The state before the first block.
const START: Executed = Executed { height: 0, state_root: [0; 32] };

type Member = Chain<Ed25519List, Ed25519>;

struct Keys {
    setup: Arc<Setup<Ed25519List>>,
    secrets: Vec<Arc<Secrets<Ed25519List>>>,
    voters: Arc<Committee<Ed25519>>,
}

#[allow(clippy::expect_used)] // the parameters are valid
static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let tolerance = Tolerance::new(MEMBERS, 1).expect("a tolerance");
    let mut rng = StdRng::seed_from_u64(1);
    let (setup, secrets) = Setup::deal(CommitteeId([7; 32]), tolerance, 4_096, &mut rng).expect("a setup");
    let members = (0..MEMBERS).map(|member| (VerifiedKey::from_secret(&secret(member)), 1)).collect();
    Keys {
        setup: Arc::new(setup),
        secrets: secrets.into_iter().map(Arc::new).collect(),
        voters: Arc::new(Committee::new(chain_id(), 0, members).expect("a committee")),
    }
});

#[allow(clippy::expect_used)] // any 32 bytes are a key
fn secret(member: u16) -> <Ed25519 as Scheme>::SecretKey {
    Ed25519::secret_from_bytes(&[member as u8 + 1; 32]).expect("a key")
}

fn chain_id() -> ChainId {
    ChainId::from_name("fuzz")
}

#[allow(clippy::expect_used)] // the keys belong together
fn member(me: MemberIndex) -> Member {
    let config = Config {
        setup: KEYS.setup.clone(),
        secrets: KEYS.secrets.get(usize::from(me)).expect("a member").clone(),
        encryption: None,
        chain: chain_id(),
        voters: KEYS.voters.clone(),
        executed: START,
        recent_states: Vec::new(),
        recent_transactions: Vec::new(),
        committed: HashSet::new(),
        first_sequence: 1,
        entropy: [me as u8; 32].into(),
        parameters: Parameters::default(),
    };
    Chain::restore(config, secret(me), Vec::new()).expect("a member")
}

/// A message from the last member to the first, or a record.
pub(crate) fn run(bytes: &[u8]) {
    static DECODER: LazyLock<Member> = LazyLock::new(|| member(0));
    if let Ok(record) = Record::<Ed25519>::decode(bytes, &KEYS.voters) {
        assert_eq!(record.encode(), bytes, "decoded, but encodes to other bytes");
    }
    let Ok(message) = DECODER.decode(SENDER, bytes) else { return };
    assert_eq!(message.encode(), bytes, "decoded, but encodes to other bytes");
    let step = member(0).handle(Time(0), Input::Message { from: SENDER, message });
    assert!(step.faults.iter().all(|fault| fault.culprit == SENDER), "{step:?} blames another member");
}

/// Messages and records of each kind.
#[allow(clippy::expect_used)] // the members are those of the committee
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let batch = Arc::new(Batch::new(SENDER, 1, [b"transaction"]).expect("a batch"));
    let step = member(SENDER).handle(Time(0), Input::Command(Command::Submit(batch.clone())));
    let mut all: Vec<Vec<u8>> = step.messages.iter().map(|outgoing| outgoing.message.encode()).collect();
    all.extend(step.persist.iter().map(Encode::encode));
    let (parent, payload) = (BlockDigest([0; 32]), vec![*batch.header()]);
    let block = Arc::new(Block { epoch: 0, height: 1, parent, executed: START, payload });
    let statement = KEYS.voters.statement(BLOCK, 1, block.digest().0);
    let vote = |m| Vote::sign_unguarded(&secret(m), &KEYS.voters, statement).expect("a member");
    let mut collector = VoteCollector::new(KEYS.voters.clone(), BLOCK, 1);
    let mut certificates =
        (0..MEMBERS).filter_map(|m| collector.add(vote(m), &mut Default::default()).certificate);
    let certificate = certificates.next().expect("a quorum").into_inner();
    let finality = Arc::new(Finality(certificate));
    let certified = CertifiedBlock { block: block.clone(), finality: finality.clone() };
    let messages: [Message<Ed25519List, Ed25519>; 6] = [
        Message::Vote(vote(SENDER)),
        Message::Block(certified),
        Message::Batch(batch),
        Message::Status { height: 1 },
        Message::End { next: 2, tip: 3 },
        Message::Pruned { oldest: 2, tip: 3 },
    ];
    all.extend(messages.iter().map(Encode::encode));
    let input = Record::Input { height: 1, from: SENDER, message: vec![1, 2] };
    let records: [Record<Ed25519>; 3] = [input, Record::Block(block), Record::Certificate(finality)];
    all.extend(records.iter().map(Encode::encode));
    all
}

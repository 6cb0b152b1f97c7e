//! The asynchronous protocols: decoders of all messages, and members of an epoch under messages in any order.

use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};

use quorate::committee::CommitteeId;
use quorate::machine::{Input, Machine, MemberIndex, Recipient, Step, Time};
use quorate::threshold::tdh2::{EncryptionKey, PublicKeys};
use quorate::threshold::{Threshold, Tolerance};
use quorate::wire::Encode;
use quorate_abft::acs::ProofSet;
use quorate_abft::epoch::{Batch, Command, Encryption, Epoch, Ordered, Output};
use quorate_abft::prbc::Proof;
use quorate_abft::signatures::{Bls, Ed25519List, Presigned, ThresholdScheme};
use quorate_abft::{Context, Secrets, Setup};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::identity;
use crate::mutate::{Rng, mutate};

/// Maximum number of actions of one input.
const MAX_ACTIONS: usize = 100;
/// The Byzantine member.
const FAULTY: MemberIndex = 3;
const MEMBERS: u16 = 4;

/// A committee of four with public secrets.
struct Keys<S: ThresholdScheme> {
    setup: Arc<Setup<S>>,
    secrets: Vec<Arc<Secrets<S>>>,
    encryption: Vec<Encryption>,
}

static LIST: LazyLock<Keys<Ed25519List>> = LazyLock::new(Keys::deal);
static BLS: LazyLock<Keys<Bls>> = LazyLock::new(Keys::deal);
static PRESIGNED: LazyLock<Keys<Presigned>> = LazyLock::new(Keys::deal);

#[allow(clippy::expect_used)] // the parameters are valid
impl<S: ThresholdScheme> Keys<S> {
    fn deal() -> Self {
        let (mut rng, committee) = (StdRng::seed_from_u64(1), CommitteeId([7; 32]));
        let tolerance = Tolerance::new(MEMBERS, 1).expect("a tolerance");
        let (setup, secrets) = Setup::deal(committee, tolerance, 4_096, &mut rng).expect("a setup");
        let threshold = Threshold::new(2, MEMBERS).expect("a threshold");
        let (public, shares) = PublicKeys::deal(committee, threshold, &mut rng).expect("keys");
        let (key, public) = (Arc::new(EncryptionKey::from_public_keys(&public)), Arc::new(public));
        let encryption =
            |share| Encryption { key: key.clone(), public: public.clone(), share: Arc::new(share) };
        Self {
            setup: Arc::new(setup),
            secrets: secrets.into_iter().map(Arc::new).collect(),
            encryption: shares.into_iter().map(encryption).collect(),
        }
    }

    fn machines(&self) -> Vec<Epoch<S>> {
        let machine = |((seed, secrets), encryption): ((u8, &Arc<Secrets<S>>), &Encryption)| {
            let context = Context { setup: self.setup.clone(), secrets: secrets.clone(), epoch: 5 };
            Epoch::new(context, Some(encryption.clone()), [seed; 32]).expect("a machine")
        };
        (0..).zip(&self.secrets).zip(&self.encryption).map(machine).collect()
    }
}

/// Messages, proofs and batches, with all signature schemes.
pub(crate) fn decoders(bytes: &[u8]) {
    fn check<S: ThresholdScheme>(bytes: &[u8], machine: &Epoch<S>) {
        if let Ok(message) = machine.decode(0, bytes) {
            assert_eq!(message.encode(), bytes, "decoded, but encodes to other bytes");
        }
        identity::<Proof<S>, ()>(bytes, &());
        identity::<ProofSet<S>, usize>(bytes, &3);
    }
    static LISTS: LazyLock<Vec<Epoch<Ed25519List>>> = LazyLock::new(|| LIST.machines());
    static BLS_MACHINES: LazyLock<Vec<Epoch<Bls>>> = LazyLock::new(|| BLS.machines());
    static PRESIGNED_MACHINES: LazyLock<Vec<Epoch<Presigned>>> = LazyLock::new(|| PRESIGNED.machines());
    PRESIGNED_MACHINES.iter().take(1).for_each(|machine| check(bytes, machine));
    LISTS.iter().take(1).for_each(|machine| check(bytes, machine));
    BLS_MACHINES.iter().take(1).for_each(|machine| check(bytes, machine));
    identity::<Batch, ()>(bytes, &());
}

/// Seeds of [`decoders`]: the messages of a run.
pub(crate) fn decoder_seeds() -> Vec<Vec<u8>> {
    fn seeds_for<S: ThresholdScheme>(keys: &Keys<S>) -> Vec<Vec<u8>> {
        let mut cluster = Cluster::new(keys.machines());
        cluster.finish();
        let mut all: Vec<_> = cluster.sent.into_iter().map(|(_, _, bytes)| bytes).collect();
        // One per tags and length: the others differ only in digests and signatures.
        let kind = |seed: &Vec<u8>| (seed.iter().take(5).copied().collect::<Vec<u8>>(), seed.len());
        all.sort_by_key(kind);
        all.dedup_by_key(|seed| kind(seed));
        all
    }
    [seeds_for(&LIST), seeds_for(&BLS), seeds_for(&PRESIGNED)].concat()
}

/// Members whose messages arrive in any order, repeatedly, and with forgeries of one member, as the input chooses. The
/// others always decide the same, and blame no other.
pub(crate) fn machine(bytes: &[u8]) {
    let mut cluster = Cluster::new(LIST.machines());
    bytes.chunks_exact(2).take(MAX_ACTIONS).for_each(|action| cluster.act(action));
    cluster.finish();
    let mut decisions = cluster.decisions.iter().filter(|(member, _)| *member != FAULTY);
    let first = decisions.next().map(|(_, decision)| decision);
    assert!(first.is_some() && decisions.clone().count() == 2, "a member does not decide");
    assert!(decisions.all(|(_, decision)| Some(decision) == first), "members decide differently");
}

/// Seeds of [`machine`].
pub(crate) fn machine_seeds() -> Vec<Vec<u8>> {
    let mut rng = Rng::new(5);
    let mut random = |len: usize| (0..len).map(|_| rng.bits() as u8).collect();
    (0..6).map(|place| random(place * 40)).collect()
}

struct Cluster<S: ThresholdScheme> {
    machines: Vec<Epoch<S>>,
    wire: VecDeque<(MemberIndex, MemberIndex, Vec<u8>)>,
    sent: Vec<(MemberIndex, MemberIndex, Vec<u8>)>,
    decisions: Vec<(MemberIndex, Vec<Ordered>)>,
}

impl<S: ThresholdScheme> Cluster<S> {
    /// Members that have proposed.
    fn new(machines: Vec<Epoch<S>>) -> Self {
        let (wire, sent, decisions) = (VecDeque::new(), Vec::new(), Vec::new());
        let mut cluster = Self { machines, wire, sent, decisions };
        for me in 0..MEMBERS {
            let pending = vec![vec![me as u8; 9], b"common".to_vec()];
            cluster.input(me, Input::Command(Command::Propose { pending, batch: 8 }));
        }
        cluster
    }

    fn act(&mut self, action: &[u8]) {
        let [action, argument] = action else { return };
        let which = usize::from(*argument);
        match action % 8 {
            0..=3 => (0..which % 16).for_each(|_| self.deliver_at(0)),
            4 | 5 => self.deliver_at(which % self.wire.len().max(1)),
            6 => {
                if let Some((from, to, bytes)) = self.recall(which) {
                    self.deliver(from, to, &bytes);
                }
            }
            _ => self.forge(which),
        }
    }

    /// Delivers all messages.
    fn finish(&mut self) {
        while !self.wire.is_empty() {
            self.deliver_at(0);
        }
    }

    fn recall(&self, which: usize) -> Option<(MemberIndex, MemberIndex, Vec<u8>)> {
        self.sent.get(which * 7 % self.sent.len().max(1)).cloned()
    }

    /// A changed message in the faulty member's name.
    fn forge(&mut self, which: usize) {
        let (Some((_, to, mut bytes)), Some((_, _, other))) = (self.recall(which), self.recall(which / 2))
        else {
            return;
        };
        mutate(&mut bytes, &other, &mut Rng::new(which as u64));
        if to != FAULTY {
            self.deliver(FAULTY, to, &bytes);
        }
    }

    fn deliver_at(&mut self, place: usize) {
        if let Some((from, to, bytes)) = self.wire.remove(place) {
            self.deliver(from, to, &bytes);
        }
    }

    fn deliver(&mut self, from: MemberIndex, to: MemberIndex, bytes: &[u8]) {
        let decoded = self.machines.get(usize::from(to)).map(|machine| machine.decode(from, bytes));
        if let Some(Ok(message)) = decoded {
            assert_eq!(message.encode(), bytes);
            self.input(to, Input::Message { from, message });
        }
    }

    fn input(&mut self, me: MemberIndex, input: Input<Epoch<S>>) {
        let Some(machine) = self.machines.get_mut(usize::from(me)) else { return };
        let step: Step<Epoch<S>> = machine.handle(Time(0), input);
        for outgoing in step.messages {
            let bytes = outgoing.message.encode();
            let receivers = (0..MEMBERS).filter(|to| match outgoing.to {
                Recipient::One(one) => *to == one,
                Recipient::Others => *to != me,
            });
            for to in receivers {
                self.wire.push_back((me, to, bytes.clone()));
                self.sent.push((me, to, bytes.clone()));
            }
        }
        for fault in step.faults {
            // The faulty member hears what others say in its name, and may blame any member.
            assert!(fault.culprit == FAULTY || me == FAULTY, "an honest member is blamed: {fault:?}");
        }
        for output in step.outputs {
            match output {
                Output::Decided(transactions) => self.decisions.push((me, transactions)),
                Output::Refused(error) | Output::Broken(error) => {
                    assert_eq!(me, FAULTY, "an honest member fails: {error:?}");
                }
            }
        }
    }
}

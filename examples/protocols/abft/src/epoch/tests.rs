use std::collections::BTreeSet;

use quorate::machine::MemberIndex;
use quorate::threshold::Threshold;
use quorate::wire::{Decode, Encode};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::signatures::Ed25519List;
use crate::testing::{self, Network, Verdict, assert_noticed, ensure, schedules, seeds};
use crate::{prbc, rbc};

type Machine4 = Epoch<Ed25519List>;

struct Keys {
    agreement: testing::Keys<Ed25519List>,
    encryption: Vec<Encryption>,
}

impl Keys {
    fn deal(members: u16, faulty: u16) -> Self {
        let agreement = testing::Keys::deal(members, faulty);
        let threshold = Threshold::new(faulty + 1, members).unwrap();
        let mut rng = StdRng::seed_from_u64(0);
        let (public, shares) = PublicKeys::deal(agreement.setup.committee, threshold, &mut rng).unwrap();
        let (key, public) = (Arc::new(EncryptionKey::from_public_keys(&public)), Arc::new(public));
        let encryption =
            |share| Encryption { key: key.clone(), public: public.clone(), share: Arc::new(share) };
        Self { agreement, encryption: shares.into_iter().map(encryption).collect() }
    }

    fn machine(&self, me: MemberIndex, run: Run, checks: Checks) -> Machine4 {
        let encryption = run.encrypted.then(|| self.encryption[usize::from(me)].clone());
        let context = self.agreement.context(me, run.epoch);
        Epoch::with_checks(context, encryption, [me as u8; 32], checks).unwrap()
    }

    /// A network of four of which member 3 is Byzantine and runs the given number of machines.
    fn network(&self, run: Run, byzantine: usize, checks: Checks) -> Network<Machine4> {
        let mut network = Network::new(run.epoch, schedules(run.epoch, 4));
        (0..3).for_each(|me| network.add(self.machine(me, run, checks)));
        let machine = |_| self.machine(3, run, Checks::default());
        network.add_byzantine((0..byzantine).map(machine).collect());
        network
    }
}

#[derive(Clone, Copy)]
struct Run {
    epoch: u64,
    encrypted: bool,
}

fn encrypted(epoch: u64) -> Run {
    Run { epoch, encrypted: true }
}

/// A transaction of one member, and one that all members know.
fn pending(of: MemberIndex) -> Vec<Transaction> {
    vec![format!("of {of}").into_bytes(), b"common".to_vec()]
}

fn propose(network: &mut Network<Machine4>) {
    network.start();
    let correct: Vec<_> = network.correct().map(|(member, _)| member).collect();
    for me in correct {
        // Both transactions: B/N = 2.
        network.command(me, 0, Command::Propose { pending: pending(me), batch: 8 });
    }
}

/// Checks total order, termination, validity, the absence of repetitions, and the order of decision and decryption.
fn check(network: &Network<Machine4>) -> Result<Vec<Ordered>, String> {
    let mut all = Vec::new();
    for (member, node) in network.correct() {
        match node.outputs.as_slice() {
            [Output::Decided(ordered)] => all.push(ordered),
            outputs => return Err(format!("termination: {member} has {outputs:?}")),
        }
    }
    ensure(all.windows(2).all(|two| two[0] == two[1]), || format!("total order: {all:?}"))?;
    let ordered = all[0].clone();
    let unique: BTreeSet<_> = ordered.iter().map(|(_, transaction)| transaction).collect();
    ensure(unique.len() == ordered.len(), || format!("repetitions: {ordered:?}"))?;
    let proposers: BTreeSet<_> = ordered.iter().map(|(proposer, _)| proposer).collect();
    ensure(proposers.len() >= 2, || format!("validity: {ordered:?}"))?;
    for (proposer, transaction) in &ordered {
        let is_own = transaction == b"common" || pending(*proposer).contains(transaction);
        ensure(is_own || *proposer == 3, || format!("{proposer} did not propose {transaction:?}"))?;
        let of_correct = (0..3).any(|member| transaction == &pending(member)[0]);
        ensure(is_own || !of_correct, || format!("{proposer} copied {transaction:?}"))?;
    }
    // Tags: Decrypt is 2; Decide of the agreement in the subset is 1, 2, 8.
    let first = |prefix: &[u8]| {
        network.log.iter().position(|(from, _, bytes)| *from != 3 && bytes.starts_with(prefix))
    };
    if let (Some(share), Some(decision)) = (first(&[2]), first(&[1, 2, 8])) {
        ensure(decision < share, || "a decryption share precedes the decision".into())?;
    }
    Ok(ordered)
}

fn run(network: &mut Network<Machine4>) -> Result<Vec<Ordered>, String> {
    network.run(50_000)?;
    check(network)
}

#[test]
fn members_order_the_same_transactions() {
    let keys = Keys::deal(4, 1);
    for epoch in seeds(150) {
        for with_encryption in [true, false] {
            let parameters = Run { epoch, encrypted: with_encryption };
            let mut network = keys.network(parameters, (epoch % 2) as usize, Checks::default());
            network.repeats = epoch % 4 < 2;
            propose(&mut network);
            let ordered = run(&mut network).unwrap_or_else(|error| panic!("epoch {epoch}: {error}"));
            assert_eq!(ordered.iter().filter(|(_, transaction)| transaction == b"common").count(), 1);
        }
    }
}

#[test]
fn batches_are_ordered_from_the_member_that_the_epoch_names() {
    let keys = Keys::deal(4, 1);
    for epoch in 0..4 {
        let mut network = keys.network(encrypted(epoch), 0, Checks::default());
        propose(&mut network);
        let ordered = run(&mut network).unwrap();
        let place = |member: MemberIndex| (u64::from(member) + 4 - epoch) % 4;
        assert!(ordered.windows(2).all(|two| place(two[0].0) <= place(two[1].0)), "{ordered:?}");
    }
}

/// Member 3 proposes the given bytes instead of a ciphertext, and takes part otherwise.
fn propose_bytes(network: &mut Network<Machine4>, keys: &Keys, value: &[u8]) {
    let coding = keys.agreement.setup.coding;
    let dispersal = quorate::erasure::Coder::new(coding).unwrap().disperse(value).unwrap();
    let message = |message| {
        let message = prbc::Message::Broadcast(message);
        Message::Subset(acs::Message::Broadcast { sender: 3, message })
    };
    for to in 0..3 {
        let shard = dispersal.shard(to.into()).unwrap();
        network.inject(3, to, &message(rbc::Message::Value(shard)));
        let own = dispersal.shard(3).unwrap();
        network.inject(3, to, &message(rbc::Message::Echo(own)));
    }
}

#[test]
fn proposals_that_open_to_nothing_count_as_empty_and_are_named() {
    let keys = Keys::deal(4, 1);
    let mut rng = StdRng::seed_from_u64(1);
    let mut named = [0; 3];
    for epoch in seeds(100) {
        let no_batch = keys.encryption[3].key.encrypt(epoch, 3, b"\x09no batch", &mut rng).unwrap().encode();
        let other_epoch = keys.encryption[3].key.encrypt(epoch + 1, 3, &[0; 4], &mut rng).unwrap().encode();
        let proposals = [b"no ciphertext".to_vec(), no_batch, other_epoch];
        for (named, proposal) in named.iter_mut().zip(&proposals) {
            let mut network = keys.network(encrypted(epoch), 1, Checks::default());
            propose_bytes(&mut network, &keys, proposal);
            propose(&mut network);
            let ordered = run(&mut network).unwrap_or_else(|error| panic!("epoch {epoch}: {error}"));
            assert!(ordered.iter().all(|(proposer, _)| *proposer != 3));
            *named += usize::from(network.is_named(3, |what| matches!(what, Violation::Invalid { .. })));
        }
    }
    assert!(named.iter().all(|named| *named > 0), "{named:?}");
}

/// Member 3 proposes the ciphertext of member 0. The test makes that ciphertext as member 0's machine does.
fn copied(keys: &Keys, epoch: u64, checks: Checks) -> Verdict {
    let mut original = keys.machine(0, encrypted(epoch), Checks::default());
    let command = Command::Propose { pending: pending(0), batch: 8 };
    let chosen = Batch::choose(&pending(0), 8, 4, original.max_batch(), &mut original.random).unwrap();
    let ciphertext = original.encrypt(&chosen.encode()).unwrap();
    let mut network = keys.network(encrypted(epoch), 1, checks);
    propose_bytes(&mut network, keys, &ciphertext);
    network.start();
    network.command(0, 0, command);
    for me in 1..3 {
        network.command(me, 0, Command::Propose { pending: pending(me), batch: 8 });
    }
    run(&mut network).map(drop)
}

#[test]
fn a_copied_ciphertext_counts_as_empty() {
    let keys = Keys::deal(4, 1);
    for epoch in seeds(200) {
        copied(&keys, epoch, Checks::default()).unwrap();
    }
}

#[test]
fn wrong_decryption_shares_do_not_stop_the_others() {
    let keys = Keys::deal(4, 1);
    let mut named = 0;
    for epoch in seeds(200) {
        let mut rng = StdRng::seed_from_u64(epoch);
        let key = &keys.encryption[3].key;
        let other = key.encrypt(epoch, 3, b"another text", &mut rng).unwrap().check(key, epoch, 3).unwrap();
        let wrong = keys.encryption[3].share.decryption_share(&other, &mut rng).unwrap();
        let mut network =
            keys.network(encrypted(epoch), 1, Checks::default()).with_tamper(move |_, _, _, message| {
                match message {
                    Message::Decrypt { proposer, .. } => {
                        vec![Message::Decrypt { proposer, share: Box::new(wrong) }]
                    }
                    message => vec![message],
                }
            });
        // Early shares, before any ciphertext is ordered.
        for to in 0..3 {
            network.inject(3, to, &Message::Decrypt { proposer: 0, share: Box::new(wrong) });
        }
        propose(&mut network);
        run(&mut network).unwrap_or_else(|error| panic!("epoch {epoch}: {error}"));
        let is_share = |what: &Violation| matches!(what, Violation::WrongShare { what: "decryption", .. });
        named += usize::from(network.is_named(3, is_share));
    }
    assert!(named > 0);
}

/// Member 3 sends a wrong decryption share that names member 0.
fn misnamed(keys: &Keys, epoch: u64, checks: Checks) -> Verdict {
    let mut rng = StdRng::seed_from_u64(epoch);
    let key = &keys.encryption[3].key;
    let other = key.encrypt(epoch, 3, b"another text", &mut rng).unwrap().check(key, epoch, 3).unwrap();
    let mut bytes = keys.encryption[3].share.decryption_share(&other, &mut rng).unwrap().encode();
    bytes[..2].fill(0);
    let share: DecryptionShare = Decode::decode(&bytes, &()).unwrap();
    let mut network = keys.network(encrypted(epoch), 1, checks);
    for to in 0..3 {
        (0..3).for_each(|proposer| {
            network.inject(3, to, &Message::Decrypt { proposer, share: Box::new(share) });
        });
    }
    propose(&mut network);
    run(&mut network)?;
    let is_refused = |what: &Violation| matches!(what, Violation::Refused { .. });
    ensure(network.is_named(3, is_refused), || "member 3 is not named".into())
}

#[test]
fn each_omitted_check_is_noticed() {
    let keys = Keys::deal(4, 1);
    let honest = |epoch, checks| {
        let mut network = keys.network(encrypted(epoch), 1, checks);
        propose(&mut network);
        run(&mut network)
    };
    assert_noticed(Check::EpochOrder, honest);
    assert_noticed(Check::EpochDuplicates, honest);
    assert_noticed(Check::EpochSender, |epoch, checks| misnamed(&keys, epoch, checks));
    assert_noticed(Check::EpochCiphertext, |epoch, checks| copied(&keys, epoch, checks));
}

#[test]
fn members_choose_mostly_different_transactions() {
    let pending: Vec<Transaction> = (0..100u8).map(|i| vec![i; 10]).collect();
    let choose = |seed| {
        Batch::choose(&pending, 80, 4, 1 << 16, &mut SeededRandom::new([seed; 32]))
            .unwrap()
            .into_transactions()
    };
    let batches: Vec<_> = (0..4).map(choose).collect();
    let all: BTreeSet<_> = batches.iter().flatten().collect();
    assert!(batches.iter().all(|batch| batch.len() == 20) && all.len() > 40, "{}", all.len());
    // Only the first 80 are candidates, and no batch exceeds its bytes.
    assert!(all.iter().all(|transaction| transaction[0] < 80));
    let small = Batch::choose(&pending, 80, 4, 4 + 3 * 14, &mut SeededRandom::new([0; 32])).unwrap();
    assert_eq!((small.transactions().len(), small.encode().len()), (3, 46));
    let empty = Batch::choose::<Transaction, _>(&[], 80, 4, 100, &mut SeededRandom::new([0; 32])).unwrap();
    assert_eq!(empty, Batch::default());
    let twice = vec![b"a".to_vec(), b"a".to_vec()];
    let once = Batch::choose(&twice, 8, 4, 100, &mut SeededRandom::new([0; 32])).unwrap();
    assert_eq!(once.transactions(), [b"a".to_vec()]);
}

#[test]
fn encodings_are_canonical_and_bounded() {
    let keys = Keys::deal(4, 1);
    let machine = keys.machine(0, encrypted(0), Checks::default());
    let mut rng = StdRng::seed_from_u64(0);
    let key = &keys.encryption[3].key;
    let valid = key.encrypt(0, 3, b"text", &mut rng).unwrap().check(key, 0, 3).unwrap();
    let share = keys.encryption[3].share.decryption_share(&valid, &mut rng).unwrap();
    let bytes = |proposer| Message::<Ed25519List>::Decrypt { proposer, share: Box::new(share) }.encode();
    let decode = |bytes: &[u8]| quorate::machine::Machine::decode(&machine, 3, bytes);
    assert_eq!(decode(&bytes(2)).unwrap().encode(), bytes(2));
    assert_eq!(bytes(2).len(), 133);
    assert!(decode(&bytes(4)).is_err() && decode(&bytes(2)[..132]).is_err());
    assert!(decode(&[bytes(2).as_slice(), &[0]].concat()).is_err());
    let batch = Batch::choose(&pending(1), 8, 4, 100, &mut SeededRandom::new([0; 32])).unwrap();
    assert_eq!(Batch::decode(&batch.encode(), &()).as_ref(), Ok(&batch));
    assert!(Batch::decode(&[255; 8], &()).is_err());
    assert!(Batch::decode(&[batch.encode().as_slice(), &[0]].concat(), &()).is_err());
}

/// Changed messages of a run, fed to members in the middle of another one: decoding them is the identity or an error,
/// and handling them never panics.
#[test]
fn changed_messages_are_refused_or_handled() {
    let keys = Keys::deal(4, 1);
    let mut network = keys.network(encrypted(1), 1, Checks::default());
    propose(&mut network);
    run(&mut network).unwrap();
    let (log, mut rng) = (std::mem::take(&mut network.log), StdRng::seed_from_u64(0));
    let mut machine = keys.machine(0, encrypted(1), Checks::default());
    let (mut refused, mut handled) = (0, 0);
    for round in 0..3000 {
        let (from, _, mut bytes) = log[rng.random_range(0..log.len())].clone();
        match round % 4 {
            0 => {}
            1 => bytes.truncate(rng.random_range(0..bytes.len())),
            _ => {
                // Mostly near the start, where the tags, views and lengths are.
                let below = bytes.len().min(1 << rng.random_range(2..9));
                let at = rng.random_range(0..below);
                bytes[at] ^= 1 << rng.random_range(0..8);
            }
        }
        match quorate::machine::Machine::decode(&machine, from, &bytes) {
            Err(_) => refused += 1,
            Ok(message) => {
                assert_eq!(message.encode(), bytes);
                handled += 1;
                let _ = machine.handle(Time(0), Input::Message { from, message });
            }
        }
    }
    assert!(refused > 1000 && handled > 700, "{refused} refused, {handled} handled");
}

#[test]
fn the_longest_batch_fits_in_a_broadcast() {
    let keys = Keys::deal(4, 1);
    let mut machine = keys.machine(0, encrypted(0), Checks::default());
    let pending = vec![vec![1; machine.max_batch() - 8]];
    let command = Command::Propose { pending, batch: 4 };
    let step = machine.handle(Time(0), Input::Command(command.clone()));
    // A Value for each other member, and the Echo.
    assert!(step.outputs.is_empty() && step.messages.len() == 4);
    let again = machine.handle(Time(0), Input::Command(command));
    assert!(matches!(again.outputs.as_slice(), [Output::Refused(_)]));
}

#[test]
fn keys_of_another_member_are_refused() {
    let keys = Keys::deal(4, 1);
    let encryption = Some(keys.encryption[1].clone());
    assert!(Epoch::new(keys.agreement.context(0, 0), encryption, [0; 32]).is_err());
}

#[test]
fn a_decryption_share_without_encryption_is_refused() {
    let keys = Keys::deal(4, 1);
    let mut rng = StdRng::seed_from_u64(0);
    let key = &keys.encryption[3].key;
    let valid = key.encrypt(0, 3, b"text", &mut rng).unwrap().check(key, 0, 3).unwrap();
    let share = keys.encryption[3].share.decryption_share(&valid, &mut rng).unwrap();
    let mut network = keys.network(Run { epoch: 0, encrypted: false }, 0, Checks::default());
    network.inject(3, 1, &Message::Decrypt { proposer: 0, share: Box::new(share) });
    propose(&mut network);
    run(&mut network).unwrap();
    assert!(network.is_named(3, |what| matches!(what, Violation::Refused { .. })));
}

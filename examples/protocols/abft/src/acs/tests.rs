use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode};

use super::*;
use crate::rbc;
use crate::signatures::{Bls, Ed25519List};
use crate::testing::{Keys, Network, Schedule, Verdict, assert_noticed, ensure, schedules, seeds};

fn machine<S: ThresholdScheme>(
    keys: &Keys<S>,
    me: MemberIndex,
    epoch: u64,
    checks: Checks,
) -> CommonSubset<S> {
    CommonSubset::with_checks(keys.context(me, epoch), [me as u8; 32], checks).unwrap()
}

fn value(of: MemberIndex) -> Vec<u8> {
    vec![of as u8; 100 * usize::from(of) + 1]
}

/// A network whose last f members are Byzantine, with the given machines each.
fn network<S: ThresholdScheme>(
    keys: &Keys<S>,
    epoch: u64,
    schedule: Schedule,
    checks: Checks,
    byzantine: impl Fn(MemberIndex) -> Vec<CommonSubset<S>>,
) -> Network<CommonSubset<S>> {
    let mut network = Network::new(epoch, schedule);
    let (members, faulty) = (keys.setup.tolerance.parties(), keys.setup.tolerance.faulty());
    (0..members - faulty).for_each(|me| network.add(machine(keys, me, epoch, checks)));
    (members - faulty..members).for_each(|me| network.add_byzantine(byzantine(me)));
    network
}

fn propose<S: ThresholdScheme>(network: &mut Network<CommonSubset<S>>) {
    network.start();
    let correct: Vec<_> = network.correct().map(|(member, _)| member).collect();
    correct.into_iter().for_each(|me| network.command(me, 0, Command::Propose(value(me))));
}

/// Checks agreement, termination, the size of the subset, and that correct members' values are their own.
fn check<S: ThresholdScheme>(keys: &Keys<S>, network: &Network<CommonSubset<S>>) -> Verdict {
    let correct: Vec<_> = network.correct().map(|(member, _)| member).collect();
    let mut all = Vec::new();
    for (member, node) in network.correct() {
        let decided = node.outputs.iter().filter_map(|output| match output {
            Output::Decided(values) => Some(values),
            _ => None,
        });
        match decided.collect::<Vec<_>>().as_slice() {
            [values] => all.push(*values),
            other => return Err(format!("termination: {member} has {} outputs", other.len())),
        }
    }
    ensure(all.windows(2).all(|two| two[0] == two[1]), || "agreement".into())?;
    ensure(all[0].len() == keys.setup.available(), || format!("{} values", all[0].len()))?;
    let own =
        |(sender, given): &(MemberIndex, Vec<u8>)| !correct.contains(sender) || *given == value(*sender);
    ensure(all[0].iter().all(own), || "validity".into())
}

fn run<S: ThresholdScheme>(keys: &Keys<S>, network: &mut Network<CommonSubset<S>>) -> Verdict {
    network.run(50_000)?;
    check(keys, network)
}

#[test]
fn members_output_one_subset_under_any_schedule() {
    let keys = Keys::<Ed25519List>::deal(4, 1);
    for seed in seeds(500) {
        let mut network = network(&keys, seed, schedules(seed, 4), Checks::default(), |me| {
            let takes_part = seed % 3 == 0;
            if takes_part { vec![machine(&keys, me, seed, Checks::default())] } else { Vec::new() }
        });
        propose(&mut network);
        run(&keys, &mut network).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

#[test]
fn members_output_one_subset_with_bls_and_with_seven_members() {
    let keys = Keys::<Bls>::deal(4, 1);
    let mut bls = network(&keys, 0, Schedule::random(), Checks::default(), |_| Vec::new());
    propose(&mut bls);
    run(&keys, &mut bls).unwrap();
    let keys = Keys::<Ed25519List>::deal(7, 2);
    for seed in seeds(3) {
        let mut seven = network(&keys, seed, schedules(seed, 7), Checks::default(), |_| Vec::new());
        propose(&mut seven);
        run(&keys, &mut seven).unwrap();
    }
}

/// Member 3 sends two values in its broadcast and takes part with both machines.
#[test]
fn a_two_faced_member_does_not_divide_the_others() {
    let keys = Keys::<Ed25519List>::deal(4, 1);
    for seed in seeds(200) {
        let brains = |me| {
            vec![machine(&keys, me, seed, Checks::default()), machine(&keys, me, seed, Checks::default())]
        };
        let mut network = network(&keys, seed, schedules(seed, 4), Checks::default(), brains).with_tamper(
            move |_, machine, to, message| {
                let is_value = matches!(
                    &message,
                    Message::Broadcast { message: prbc::Message::Broadcast(rbc::Message::Value(_)), .. }
                );
                if is_value && (to == 0) != (machine == 0) { Vec::new() } else { vec![message] }
            },
        );
        propose(&mut network);
        network.command(3, 0, Command::Propose(b"to some".to_vec()));
        network.command(3, 1, Command::Propose(b"to others".to_vec()));
        run(&keys, &mut network).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

/// Member 3 broadcasts, and proposes a set that is smaller than N − f.
fn small_set(keys: &Keys<Ed25519List>, seed: u64, checks: Checks) -> Verdict {
    let byzantine = |me| vec![machine(keys, me, seed, Checks::without(Check::AcsCount))];
    let mut network = network(keys, seed, schedules(seed, 4), checks, byzantine);
    propose(&mut network);
    network.command(3, 0, Command::Propose(value(3)));
    run(keys, &mut network)
}

/// Member 3 does not broadcast, and proposes a set with a forged proof of its broadcast.
fn forged_proof(keys: &Keys<Ed25519List>, seed: u64, checks: Checks) -> Verdict {
    let mut forger = machine(keys, 3, seed, Checks::without(Check::AcsProof));
    let signature = <Ed25519List as ThresholdScheme>::Signature::decode(&[0; 4], &()).unwrap();
    let proof = |sender| Proof { sender, id: [9; 32], signature: signature.clone() };
    let set: ProofSet<Ed25519List> = ProofSet::new(vec![proof(0), proof(1), proof(3)]);
    let propose_set = Input::Command(mvba::Command::Propose(set.encode()));
    let step = forger.agreement.handle(Time(0), propose_set);
    forger.state = State::Proposed;
    assert!(!step.messages.is_empty());
    let forger = std::cell::RefCell::new(Some(forger));
    let byzantine = |_| vec![forger.borrow_mut().take().unwrap()];
    let mut network = network(keys, seed, schedules(seed, 4), checks, byzantine);
    for outgoing in step.messages {
        (0..3).for_each(|to| network.inject(3, to, &Message::Agree(outgoing.message.clone())));
    }
    propose(&mut network);
    run(keys, &mut network)
}

#[test]
fn sets_that_are_small_or_forged_are_refused() {
    let keys = Keys::deal(4, 1);
    for seed in seeds(150) {
        small_set(&keys, seed, Checks::default()).unwrap();
        forged_proof(&keys, seed, Checks::default()).unwrap();
    }
    assert_noticed(Check::AcsCount, |seed, checks| small_set(&keys, seed, checks));
    assert_noticed(Check::AcsProof, |seed, checks| forged_proof(&keys, seed, checks));
}

#[test]
fn a_valid_set_has_proofs_of_n_minus_f_senders() {
    let keys = Keys::<Ed25519List>::deal(4, 1);
    let proofs: Vec<_> = (0..4)
        .map(|sender| {
            let (id, committee) = ([sender as u8; 32], &keys.setup.committee);
            let statement = prbc::statement(committee, 7, sender, &id);
            let mut combiner =
                quorate::threshold::Combiner::new(Ed25519List::signing(&keys.setup.agreed, &statement));
            let mut cache = quorate::threshold::lagrange::Cache::default();
            for (member, secrets) in (0..2).zip(&keys.secrets) {
                let _ =
                    combiner.add(&mut cache, member, Ed25519List::sign(&secrets.agreed, &statement)).unwrap();
            }
            Proof::<Ed25519List> { sender, id, signature: combiner.signature().unwrap().clone() }
        })
        .collect();
    let validity = |epoch| {
        let known = Arc::new(Mutex::new(KnownProofs::new()));
        validity(keys.setup.clone(), epoch, Checks::default(), known)
    };
    let valid = validity(7);
    let of = |senders: &[usize]| ProofSet::new(senders.iter().map(|i| proofs[*i].clone()).collect()).encode();
    let right = of(&[0, 2, 3]);
    assert!(valid(&right) && valid(&of(&[0, 1, 2])));
    assert_eq!(right.len(), ProofSet::encoded_len(&keys.setup));
    for wrong in [of(&[]), of(&[0, 1]), of(&[0, 1, 2, 3]), of(&[1, 0, 2]), of(&[1, 1, 2])] {
        assert!(!valid(&wrong));
    }
    assert!(!validity(8)(&right));
    // All proofs are known now. Those with the identity or the signature of another are not valid.
    let mut other_identity = proofs[2].clone();
    other_identity.id = [9; 32];
    let mut other_signature = proofs[2].clone();
    other_signature.signature = proofs[1].signature.clone();
    for wrong in [other_identity, other_signature] {
        let set = ProofSet::new(vec![proofs[0].clone(), proofs[1].clone(), wrong]).encode();
        assert!(!valid(&set) && valid(&right));
    }
    assert!(!valid(&[right.as_slice(), &[0]].concat()));
}

#[test]
fn messages_for_unknown_broadcasts_are_refused_by_the_decoder() {
    let keys = Keys::<Ed25519List>::deal(4, 1);
    let machine = machine(&keys, 0, 0, Checks::default());
    let message = prbc::Message::<Ed25519List>::Broadcast(rbc::Message::Ready([1; 32]));
    let bytes = |sender| Message::Broadcast { sender, message: message.clone() }.encode();
    let decode = |bytes: &[u8]| quorate::machine::Machine::decode(&machine, 1, bytes);
    assert!(decode(&bytes(3)).is_ok() && decode(&bytes(4)).is_err());
    assert!(decode(&[bytes(3).as_slice(), &[0]].concat()).is_err());
    assert!(decode(&[0]).is_err() && decode(&[3]).is_err() && decode(&[]).is_err());
}

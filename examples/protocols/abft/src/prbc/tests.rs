use quorate::erasure::Coder;
use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode};

use super::*;
use crate::signatures::{Bls, Ed25519List};
use crate::testing::{Keys, Network, Schedule, Verdict, assert_noticed, ensure, schedules, seeds};

const EPOCH: u64 = 5;

fn machine<S: ThresholdScheme>(
    keys: &Keys<S>,
    me: MemberIndex,
    sender: MemberIndex,
    checks: Checks,
) -> ProvableBroadcast<S> {
    ProvableBroadcast::with_checks(keys.context(me, EPOCH), sender, checks).unwrap()
}

/// A network of four of which member 3 is Byzantine.
fn network<S: ThresholdScheme>(
    keys: &Keys<S>,
    seed: u64,
    sender: MemberIndex,
    byzantine: usize,
    checks: Checks,
) -> Network<ProvableBroadcast<S>> {
    let mut network = Network::new(seed, schedules(seed, 4));
    (0..3).for_each(|me| network.add(machine(keys, me, sender, checks)));
    network.add_byzantine((0..byzantine).map(|_| machine(keys, 3, sender, checks)).collect());
    network
}

/// Checks that members agree, that each proof verifies and is for the delivered message, and that a proof anywhere
/// implies delivery everywhere.
fn check<S: ThresholdScheme>(keys: &Keys<S>, network: &Network<ProvableBroadcast<S>>) -> Verdict {
    let (mut delivered, mut proved) = (Vec::new(), Vec::new());
    for (member, node) in network.correct() {
        for output in &node.outputs {
            match output {
                Output::Delivered { id, value } => delivered.push((member, *id, value)),
                Output::Proved(proof) => {
                    proof
                        .verify(&keys.setup, EPOCH)
                        .map_err(|error| format!("proof of {member}: {error:?}"))?;
                    proved.push((member, proof.id));
                }
                Output::Refused(error) => return Err(format!("{error:?}")),
            }
        }
    }
    let ids: Vec<_> =
        delivered.iter().map(|(_, id, _)| *id).chain(proved.iter().map(|(_, id)| *id)).collect();
    ensure(ids.iter().all(|id| *id == ids[0]), || "two messages".into())?;
    ensure(delivered.windows(2).all(|two| two[0].2 == two[1].2), || "agreement".into())?;
    let (correct, all) = (network.correct().count(), [delivered.len(), proved.len()]);
    ensure(all == [0; 2] || all == [correct; 2], || format!("totality: {all:?} of {correct}"))
}

fn check_delivery<S: ThresholdScheme>(keys: &Keys<S>, network: &Network<ProvableBroadcast<S>>) -> Verdict {
    check(keys, network)?;
    ensure(network.correct().all(|(_, node)| node.outputs.len() == 2), || "termination".into())?;
    // A chain has one Value, and one Echo, one Ready and one Share of each member.
    ensure(network.correct().all(|(_, node)| node.depths.iter().all(|depth| *depth <= 13)), || "depth".into())
}

fn all_prove<S: ThresholdScheme>(runs: std::ops::Range<u64>) {
    let keys = Keys::<S>::deal(4, 1);
    for seed in runs {
        let mut network = network(&keys, seed, 0, 0, Checks::default());
        network.start();
        network.command(0, 0, Command::Broadcast(b"value".to_vec()));
        network.run(10_000).and_then(|()| check_delivery(&keys, &network)).unwrap();
    }
}

#[test]
fn all_members_prove_with_a_silent_member() {
    all_prove::<Bls>(0..6);
    all_prove::<Ed25519List>(seeds(400));
}

#[test]
fn with_equal_delays_a_proof_takes_four_messages() {
    let keys = Keys::<Ed25519List>::deal(4, 1);
    let mut network = Network::new(0, Schedule::in_order());
    (0..4).for_each(|me| network.add(machine(&keys, me, 0, Checks::default())));
    network.start();
    network.command(0, 0, Command::Broadcast(b"value".to_vec()));
    network.run(1_000).and_then(|()| check_delivery(&keys, &network)).unwrap();
    assert!(network.correct().all(|(_, node)| node.depths == [3, 4]));
}

#[test]
fn a_member_that_stops_proving_delivers_and_lets_others_prove() {
    let keys = Keys::<Ed25519List>::deal(4, 1);
    let mut network = Network::new(0, Schedule::in_order());
    for me in 0..4 {
        let mut machine = machine(&keys, me, 0, Checks::default());
        if me == 1 {
            machine.stop_proving();
        }
        network.add(machine);
    }
    network.start();
    network.command(0, 0, Command::Broadcast(b"value".to_vec()));
    network.run(1_000).unwrap();
    let outputs: Vec<usize> = network.correct().map(|(_, node)| node.outputs.len()).collect();
    assert_eq!(outputs, [2, 1, 2, 2], "delivery and proof, or delivery alone");
}

/// Returns shares that do not verify for the statement, with another statement and with another member's name.
fn wrong_shares<S: ThresholdScheme>(keys: &Keys<S>) -> Vec<S::Share> {
    let statement = statement(&keys.setup.committee, EPOCH, 0, &[1; 32]);
    let other_epoch = self::statement(&keys.setup.committee, EPOCH + 1, 0, &[1; 32]);
    vec![
        S::sign(&keys.secrets[3].agreed, &statement),
        S::sign(&keys.secrets[3].agreed, &other_epoch),
        S::sign(&keys.secrets[2].agreed, &statement),
    ]
}

fn wrong_shares_are_named<S: ThresholdScheme>(runs: std::ops::Range<u64>) {
    let keys = Keys::<S>::deal(4, 1);
    let mut named = 0;
    for (run, share) in runs.flat_map(|seed| wrong_shares(&keys).into_iter().map(move |share| (seed, share)))
    {
        let mut network = network(&keys, run, 0, 0, Checks::default());
        network.start();
        (0..3).for_each(|to| network.inject(3, to, &Message::Share(share.clone())));
        network.command(0, 0, Command::Broadcast(b"value".to_vec()));
        network.run(10_000).and_then(|()| check_delivery(&keys, &network)).unwrap();
        named += usize::from(network.is_named(3, |_| true));
    }
    assert!(named > 0, "no wrong share was named");
}

#[test]
fn wrong_shares_do_not_stop_the_proof_and_are_named() {
    wrong_shares_are_named::<Bls>(0..3);
    wrong_shares_are_named::<Ed25519List>(seeds(120));
}

/// The evidence against a share that the member itself made wrong verifies without trusting its holder.
#[test]
fn evidence_against_a_bls_share_verifies() {
    use quorate::threshold::bls::{ShareFault, SignatureShare};
    let keys = Keys::<Bls>::deal(4, 1);
    let right = Coder::new(keys.setup.coding).unwrap().disperse(b"value").unwrap().commitment().identity();
    let statement = statement(&keys.setup.committee, EPOCH, 0, &right);
    // A share with the digest of the right statement and the signature of another one.
    let (mine, other) =
        (Bls::sign(&keys.secrets[3].agreed, &statement), Bls::sign(&keys.secrets[3].agreed, b"other"));
    let mut bytes = mine.encode();
    let signature = bytes.len() - 4 - 48;
    bytes[signature..signature + 48].copy_from_slice(&other.encode()[signature..signature + 48]);
    let wrong: SignatureShare<_> = Decode::decode(&bytes, &()).unwrap();
    let mut evidence = None;
    for seed in 0..20 {
        let mut network = network(&keys, seed, 0, 0, Checks::default());
        network.start();
        (0..3).for_each(|to| network.inject(3, to, &Message::Share(wrong.clone())));
        network.command(0, 0, Command::Broadcast(b"value".to_vec()));
        network.run(10_000).and_then(|()| check_delivery(&keys, &network)).unwrap();
        let faults = network.correct().flat_map(|(_, node)| &node.faults);
        evidence = evidence.or(faults
            .filter_map(|(_, what)| match what {
                Violation::WrongShare { evidence, .. } => Some(evidence.clone()),
                _ => None,
            })
            .next());
    }
    let fault = ShareFault::decode(&evidence.expect("the wrong share was combined"), &()).unwrap();
    assert_eq!(fault.verify(&keys.setup.agreed, |_, _, _| Ok(())), Ok(3));
}

/// A sender that sends its Value to two members only, and a share of its own.
fn partial(keys: &Keys<Ed25519List>, seed: u64, checks: Checks) -> Verdict {
    let mut network = network(keys, seed, 3, 0, checks);
    let dispersal = Coder::new(keys.setup.coding).unwrap().disperse(b"value").unwrap();
    let statement = statement(&keys.setup.committee, EPOCH, 3, &dispersal.commitment().identity());
    let share = Ed25519List::sign(&keys.secrets[3].agreed, &statement);
    for to in 0..2 {
        let shard = dispersal.shard(to.into()).unwrap();
        network.inject(3, to, &Message::Broadcast(rbc::Message::Value(shard)));
        network.inject(3, to, &Message::Share(share.clone()));
    }
    network.run(10_000)?;
    check(keys, &network)
}

#[test]
fn a_proof_implies_that_all_deliver() {
    let keys = Keys::deal(4, 1);
    for seed in seeds(230) {
        partial(&keys, seed, Checks::default()).unwrap();
    }
    assert_noticed(Check::PrbcDelivered, |seed, checks| partial(&keys, seed, checks));
}

#[test]
fn a_proof_holds_for_its_statement_only() {
    let keys = Keys::<Ed25519List>::deal(4, 1);
    let mut network = network(&keys, 0, 0, 0, Checks::default());
    network.start();
    network.command(0, 0, Command::Broadcast(b"value".to_vec()));
    network.run(10_000).unwrap();
    let Some(Output::Proved(proof)) = network.nodes[1].outputs.get(1) else { panic!("no proof") };
    assert_eq!(Proof::decode(&proof.encode(), &()).as_ref(), Ok(proof));
    assert!(proof.verify(&keys.setup, EPOCH + 1).is_err());
    let (mut sender, mut id, mut outside) = (proof.clone(), proof.clone(), proof.clone());
    (sender.sender, id.id[0], outside.sender) = (1, id.id[0] ^ 1, 4);
    for changed in [sender, id, outside] {
        assert!(changed.verify(&keys.setup, EPOCH).is_err());
    }
}

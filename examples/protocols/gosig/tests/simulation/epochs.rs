//! Gosig in the simulator across changes of its members. The test acts as the driver when an epoch ends: it creates the next
//! replica from the node's disk alone. Members that stay continue, members that leave stop, and a joining node starts with an
//! empty disk and observes until the epoch begins in which it is a member.

use std::sync::Arc;
use std::time::Duration;

use quorate::ed25519::Ed25519;
use quorate::scheme::{Scheme, Toy};
use quorate_gosig::simulation::{GosigHost, SimulationKeys};
use quorate_gosig::{Change, Command, Committees, Payload};
use quorate_protocol::testing::{certify, secret};
use quorate_simulator::{Behaviour, CrashPoint, Fault, Latency, Network, Scenario, Simulation};

/// Members of the first epoch.
const MEMBERS: usize = 4;
/// The node that joins, leaves, and returns.
const GUEST: usize = 4;

type Run = Simulation<GosigHost<Toy>>;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn leave() -> Change<Toy> {
    Change::Leave { identity: Ed25519::public_key(&secret::<Ed25519>(GUEST as u16)) }
}

fn join() -> Change<Toy> {
    let (voting, identity) = (secret::<Toy>(GUEST as u16), secret::<Ed25519>(GUEST as u16));
    Change::Join {
        voting: (Toy::public_key(&voting), Toy::prove_possession(&voting)),
        identity: (Ed25519::public_key(&identity), Ed25519::prove_possession(&identity)),
        weight: 1,
        contact: b"the guest".to_vec(),
    }
}

/// Submits a change, allowed by a quorum of the epoch, through clients of two members.
fn submit(run: &mut Run, change: &Change<Toy>) {
    let committees: Committees<Toy> = run.host().epochs().last().unwrap().committees.clone();
    let allowed = certify(&committees.identities, change.statement(&committees));
    let payload = Arc::new(Payload::new(vec![change.transaction(&allowed).unwrap()]).unwrap());
    let sequence = (committees.voters.epoch() + 1) << 40;
    for slot in [0, 2] {
        run.command(slot, Command::Submit { sequence, payload: payload.clone() });
    }
}

fn members(run: &Run) -> usize {
    usize::from(run.host().epochs().last().unwrap().committees.voters.len())
}

fn height(run: &Run, slot: usize) -> u64 {
    run.machine(slot).map_or(0, |machine| machine.status().committed)
}

/// Returns the lowest and the highest height of the members of the newest epoch.
fn heights(run: &Run) -> (u64, u64) {
    let heights: Vec<u64> = (0..members(run)).map(|slot| height(run, slot)).collect();
    (*heights.iter().min().unwrap(), *heights.iter().max().unwrap())
}

/// Starts a run whose clients submit `times` times.
fn begin(mut scenario: Scenario, times: u64) -> Run {
    scenario.checks.liveness = None;
    let mut host = GosigHost::new(SimulationKeys::new(MEMBERS)).workload(ms(200), times);
    host.schedule.proposals = ms(100);
    host.schedule.signatures = ms(150);
    Simulation::new(scenario, host).keeping_trace(60)
}

/// Runs until a time in milliseconds. Restarts each node whose epoch has ended for the next one, unless the node leaves.
fn follow(run: &mut Run, until: u64) {
    for at in (run.now().0 / 1_000..until).step_by(10) {
        run.advance(ms(at + 10));
        assert!(run.violation().is_none(), "{:?}", run.violation());
        for slot in 0..=GUEST {
            if run.machine(slot).is_none() || !run.host().is_over(slot) {
                continue;
            }
            let (epoch, member) = (run.host().epoch(slot), slot as u16);
            let is_member = |epoch| run.host().is_member(epoch, member);
            // A node that was restarted to return observes meanwhile.
            let leaves = is_member(epoch) && !is_member(epoch + 1) && slot >= members(run);
            run.inject(Fault::Crash { node: slot, point: CrashPoint::Now, after: 0 });
            if !leaves {
                run.inject(Fault::Restart { node: slot });
            }
            if let Some(behaviour) = run.scenario().byzantine.get(&slot).cloned() {
                // The adversary gets the committee of its new epoch.
                run.inject(Fault::Turn { node: slot, behaviour });
            }
        }
    }
}

/// Runs a scenario in which a node joins with an empty disk, leaves, and returns, while the chain continues.
fn join_and_leave_and_join(scenario: Scenario) -> Run {
    let mut run = begin(scenario, u64::MAX);
    follow(&mut run, 2_000);
    assert_eq!(height(&run, GUEST), 0, "it is not let in yet");
    submit(&mut run, &join());
    follow(&mut run, 7_000);
    assert_eq!((run.host().epochs().len(), members(&run)), (2, MEMBERS + 1));
    let joined = &run.host().epochs()[1];
    assert_eq!(joined.contacts[0].1, b"the guest");
    assert!(height(&run, GUEST) > joined.anchor.height, "it has learnt the chain from the beginning");
    let prepared = run.machine(GUEST).unwrap().status().prepared;
    assert!(prepared > 0, "it votes");
    submit(&mut run, &leave());
    follow(&mut run, 12_000);
    assert_eq!((run.host().epochs().len(), members(&run)), (3, MEMBERS));
    assert!(run.machine(GUEST).is_none(), "it has stopped");
    let (before, _) = heights(&run);
    assert!(before > run.host().epochs()[2].anchor.height, "the next epoch has begun");
    submit(&mut run, &join());
    follow(&mut run, 14_000);
    run.inject(Fault::Restart { node: GUEST });
    follow(&mut run, 20_000);
    assert_eq!((run.host().epochs().len(), members(&run)), (4, MEMBERS + 1));
    let (least, most) = heights(&run);
    assert!(least > before + 8 && most - least < 4, "{least} {most}");
    run
}

fn local(name: &str, seed: u64) -> Scenario {
    let latency = Latency::Tailed { floor: ms(1), mean: ms(1) };
    Scenario::new(name, MEMBERS + 1, seed).network(Network::perfect(latency)).lasting(Duration::from_secs(60))
}

#[test]
fn a_member_joins_with_an_empty_disk_leaves_and_returns() {
    for seed in 0..3 {
        let run = join_and_leave_and_join(local("epochs", seed));
        assert!(run.host().evidence.is_empty(), "{:?}", run.host().evidence);
    }
}

/// Members are killed within steps around the end of an epoch, so that some have committed or executed its last block and
/// others have not.
#[test]
fn members_killed_while_an_epoch_ends_enter_the_next() {
    let points = [CrashPoint::DuringPersist, CrashPoint::BeforeSend, CrashPoint::DuringSend];
    for seed in 0..6 {
        let crash = |node, after| Fault::Crash { node, point: points[seed as usize % 3], after };
        let scenario = local("epochs and crashes", seed)
            .fault(ms(2_010 + 40 * seed), crash(1, seed as u32))
            .restart(ms(3_500), 1)
            // One soon after it has begun the next epoch: the last block that it executed is of the epoch before.
            .fault(ms(2_600 + 100 * seed), Fault::Crash { node: 0, point: CrashPoint::Now, after: 0 })
            .restart(ms(2_700 + 100 * seed), 0)
            // The joining node, while it catches up and while it begins.
            .fault(ms(2_500 + 30 * seed), crash(GUEST, 1 + seed as u32 % 7))
            .restart(ms(4_000), GUEST)
            .fault(ms(7_010 + 40 * seed), crash(2, 1))
            .restart(ms(8_500), 2);
        join_and_leave_and_join(scenario);
    }
}

#[test]
fn an_adversary_does_not_stop_the_next_epoch() {
    for (seed, adversary) in
        (0..).zip(["equivocator", "withholder", "forger", "false-state", "wrong-epoch", "request-flooder"])
    {
        let custom = Behaviour::Custom(adversary.to_owned());
        join_and_leave_and_join(local(adversary, seed).byzantine(3, custom));
    }
}

/// One member is down for two epochs, and afterwards learns only the blocks that it requests.
#[test]
fn a_member_behind_by_two_epochs_catches_up() {
    for seed in 0..4 {
        let scenario = local("behind", seed)
            .fault(ms(1_500), Fault::Crash { node: 1, point: CrashPoint::Now, after: 0 })
            .restart(ms(18_000), 1);
        let mut run = begin(scenario, u64::MAX);
        follow(&mut run, 2_000);
        submit(&mut run, &join());
        follow(&mut run, 9_000);
        submit(&mut run, &leave());
        follow(&mut run, 17_900);
        assert_eq!((run.host().epochs().len(), members(&run), run.host().epoch(1)), (3, MEMBERS, 0));
        follow(&mut run, 22_000);
        let (least, most) = heights(&run);
        assert!(run.host().epoch(1) == 2 && most - least < 4, "{least} {most}");
        let prepared = run.machine(1).unwrap().status().prepared;
        assert!(prepared > 0, "it votes again");
        assert!(run.host().evidence.is_empty(), "{:?}", run.host().evidence);
    }
}

/// One member is cut off while an epoch ends, and there is nothing to order afterwards, so no message reports the end
/// to it. The first message of the next epoch does, although the member cannot read it.
#[test]
fn a_message_of_a_later_epoch_reveals_the_missed_end() {
    for seed in 0..4 {
        let split = Fault::Split { groups: vec![vec![1]], holds: false, one_way: false };
        let scenario = local("missed", seed).fault(ms(2_990), split).fault(ms(6_000), Fault::Heal);
        let mut run = begin(scenario, 4);
        follow(&mut run, 3_000);
        submit(&mut run, &join());
        follow(&mut run, 8_000);
        let epochs = [0, 1].map(|slot| run.host().epoch(slot));
        assert_eq!((run.host().epochs().len(), epochs), (2, [1, 0]), "the network is silent");
        let payload = Arc::new(Payload::from_bytes([b"one more"]).unwrap());
        run.command(0, Command::Submit { sequence: 9 << 40, payload });
        follow(&mut run, 12_000);
        let (least, most) = heights(&run);
        assert_eq!((run.host().epoch(1), least), (1, most));
        assert!(least > run.host().epochs()[1].anchor.height, "{least}");
    }
}

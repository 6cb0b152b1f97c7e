//! Gosig in the simulator over changes of its members: who stays is started again for the next epoch, on what its disk
//! has; who leaves stops; who joins begins with a copy of the chain.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::sync::Arc;
use std::time::Duration;

use quorate::ed25519::Ed25519;
use quorate::scheme::{Scheme, Toy};
use quorate_chain::testing::{certify, secret};
use quorate_gosig::simulation::{GosigHost, Material};
use quorate_gosig::{Change, Command, Committees, Payload};
use quorate_simulator::{Behaviour, CrashPoint, Fault, Latency, Network, Scenario, Simulation};

/// All that ever are members. The last one leaves and comes back.
const MEMBERS: usize = 5;
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
        contact: Vec::new(),
    }
}

/// A client of two members submits the change, which a quorum of the epoch has allowed.
fn submit(run: &mut Run, change: &Change<Toy>, sequence: u64) {
    let committees: Committees<Toy> = run.host().epochs().last().unwrap().committees.clone();
    let allowed = certify(&committees.identities, change.statement(&committees));
    let payload = Arc::new(Payload::new(vec![change.transaction(&allowed).unwrap()]).unwrap());
    for slot in [0, 1] {
        run.command(slot, Command::Submit { sequence, payload: payload.clone() });
    }
}

fn members(run: &Run) -> usize {
    usize::from(run.host().epochs().last().unwrap().committees.voters.len())
}

fn height(run: &Run, slot: usize) -> u64 {
    run.machine(slot).map_or(0, |machine| machine.status().committed)
}

/// Goes on until a time, and lets every node that has seen its epoch end begin the next one, as long as it is a member.
fn follow(run: &mut Run, from: u64, until: u64) {
    for at in (from..until).step_by(10) {
        run.advance(ms(at));
        assert!(run.violation().is_none(), "{:?}", run.violation());
        for slot in 0..MEMBERS {
            if run.machine(slot).is_none() || !run.host().is_over(slot) {
                continue;
            }
            run.inject(Fault::Crash { node: slot, point: CrashPoint::Now, after: 0 });
            if slot < members(run) {
                run.inject(Fault::Restart { node: slot });
            }
        }
    }
}

/// Somebody leaves and comes back, and the chain goes on through both; what is done before and in between is up to the
/// test.
fn leave_and_join(mut scenario: Scenario) -> Run {
    scenario.checks.liveness = None;
    // A member of the next epoch says things that one of the last cannot read.
    scenario.checks.readable = false;
    let mut host = GosigHost::new(Material::new(MEMBERS)).workload(ms(200), u64::MAX);
    host.schedule.proposals = ms(100);
    host.schedule.signatures = ms(150);
    let mut run = Simulation::new(scenario, host).keeping_trace(60);
    follow(&mut run, 0, 2_000);
    submit(&mut run, &leave(), 1 << 40);
    follow(&mut run, 2_000, 7_000);
    assert_eq!((run.host().epochs().len(), members(&run)), (2, MEMBERS - 1));
    assert!(run.machine(GUEST).is_none(), "it has stopped");
    let before = height(&run, 0);
    assert!(before > run.host().epochs()[1].anchor.height, "the next epoch has begun");
    submit(&mut run, &join(), 2 << 40);
    follow(&mut run, 7_000, 12_000);
    assert_eq!((run.host().epochs().len(), members(&run)), (3, MEMBERS));
    run.host_mut().copy_archive(0, GUEST);
    run.inject(Fault::Restart { node: GUEST });
    follow(&mut run, 12_000, 18_000);
    let heights: Vec<u64> = (0..MEMBERS).map(|slot| height(&run, slot)).collect();
    let (least, most) = (*heights.iter().min().unwrap(), *heights.iter().max().unwrap());
    assert!(least > before + 8 && most - least < 4, "{heights:?}");
    run
}

fn local(name: &str, seed: u64) -> Scenario {
    let latency = Latency::Tailed { floor: ms(1), mean: ms(1) };
    Scenario::new(name, MEMBERS, seed).network(Network::perfect(latency)).lasting(Duration::from_secs(60))
}

#[test]
fn a_member_leaves_and_comes_back_and_the_chain_goes_on() {
    for seed in 0..3 {
        let run = leave_and_join(local("epochs", seed));
        assert!(run.host().evidence.is_empty(), "{:?}", run.host().evidence);
        let prepared = run.machine(GUEST).unwrap().status().prepared;
        assert!(prepared > 0, "who joined takes part");
    }
}

/// Members are killed in the middle of steps around the end of the epoch, so that some have committed its last block, or
/// executed it, and others have not.
#[test]
fn members_that_are_killed_while_an_epoch_ends_find_into_the_next() {
    let points = [CrashPoint::DuringPersist, CrashPoint::BeforeSend, CrashPoint::DuringSend];
    for seed in 0..16 {
        let crash = |node, after| Fault::Crash { node, point: points[seed as usize % 3], after };
        let scenario = local("epochs and crashes", seed)
            .fault(ms(2_010 + 40 * seed), crash(1, seed as u32))
            .restart(ms(3_500), 1)
            // And one soon after it has begun the next epoch: what it executed last was of the one before.
            .fault(ms(2_600 + 100 * seed), Fault::Crash { node: 0, point: CrashPoint::Now, after: 0 })
            .restart(ms(2_700 + 100 * seed), 0)
            .fault(ms(7_010 + 40 * seed), crash(2, 1))
            .restart(ms(8_500), 2);
        leave_and_join(scenario);
    }
}

#[test]
fn a_villain_does_not_keep_others_from_the_next_epoch() {
    for (seed, villain) in (0..).zip(["equivocator", "withholder", "forger", "liar"]) {
        let custom = Behaviour::Custom(villain.to_owned());
        leave_and_join(local(villain, seed).byzantine(3, custom));
    }
}

//! Actions of a [`Cluster`]: an input has two bytes per action.

use quorate::machine::MemberIndex;

use crate::cluster::{Cluster, Envelope, FAULTY, Protocol};
use crate::fixture::FOUR;
use crate::mutate::{Rng, mutate};

/// Maximum number of actions of one input.
const MAX_ACTIONS: usize = 400;

/// Runs all actions; returns the height of the chain.
pub(crate) fn drive<P: Protocol>(actions: &[u8]) -> u64 {
    let mut cluster = Cluster::<P>::new();
    actions.chunks_exact(2).take(MAX_ACTIONS).for_each(|action| perform(&mut cluster, action));
    cluster.height()
}

/// Runs one action.
pub(crate) fn perform<P: Protocol>(cluster: &mut Cluster<P>, action: &[u8]) {
    let [action, argument] = action else { return };
    let which = usize::from(*argument);
    let member = MemberIndex::from(argument % FOUR as u8);
    match action % 16 {
        0..=5 => {
            // Mostly the oldest, so that the chain grows; any other by its number.
            if let Some(envelope) = cluster.take(if action % 16 < 4 { 0 } else { which }) {
                cluster.deliver(&envelope);
            }
        }
        6 => drop(cluster.take(which)),
        7 => {
            if let Some(envelope) = cluster.recall(which) {
                cluster.deliver(&envelope);
            }
        }
        8 | 9 => cluster.fire_next_timer(),
        10 => cluster.submit(member, *argument),
        11 => forge(cluster, which),
        12 => {
            if let Some(bytes) = cluster.contradiction(which, argument | 1) {
                cluster.post(Envelope { from: FAULTY, to: member % FAULTY, bytes });
            }
        }
        13 => {
            let during = cluster.take(0).filter(|envelope| envelope.to == member);
            cluster.crash(member, during.as_ref(), which / 4 % 4);
        }
        14 => cluster.connect(member, MemberIndex::from(argument / 4 % FOUR as u8)),
        _ => cluster.wait(u64::from(*argument) * 10_000),
    }
}

/// Seeds: `lively`, in which the chain grows, behind each byte that selects a scheme (the first is fast); then with crashes,
/// with forgeries, and random ones.
pub(crate) fn seeds(schemes: [u8; 2], lively: &[u8]) -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = schemes.iter().map(|scheme| [&[*scheme], lively].concat()).collect();
    let with = |every: usize, actions: &[u8]| {
        lively.chunks(every).flat_map(|part| [part, actions].concat()).collect::<Vec<u8>>()
    };
    for actions in [with(24, &[13, 6]), with(16, &[11, 40, 12, 90])] {
        seeds.push([&schemes[..1], &actions].concat());
    }
    let mut rng = Rng::new(1);
    for _ in 0..8 {
        let actions = (0..600).map(|_| rng.bits() as u8);
        seeds.push(schemes.into_iter().take(1).chain(actions).collect());
    }
    seeds
}

/// A changed message in the faulty member's name.
fn forge<P: Protocol>(cluster: &mut Cluster<P>, which: usize) {
    let (Some(mut envelope), Some(other)) = (cluster.recall(which), cluster.recall(which / 2)) else {
        return;
    };
    mutate(&mut envelope.bytes, &other.bytes, &mut Rng::new(which as u64));
    envelope.from = FAULTY;
    if envelope.to != FAULTY {
        cluster.deliver(&envelope);
    }
}

//! State of the links in a run: queues, ordering, the current partition, degraded nodes.

use crate::hash::Map;
use crate::network::{Link, Network};
use crate::rng::{Rng, micros};

/// Reason of a message loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Loss {
    /// The link lost it.
    Link,
    /// The sender's queue was full.
    Queue,
    /// The sender and the receiver were partitioned.
    Partition,
    /// The receiver was down.
    Down,
    /// The receiver's inbox was full.
    Inbox,
    /// The host dropped it.
    Intercepted,
}

/// Outcome of sending one message on one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transit {
    Arrives { at: u64, again: Option<u64> },
    Held,
    Lost(Loss),
}

/// A partition: nodes of different groups cannot reach each other.
pub(crate) struct Partition {
    /// The group of each node.
    pub(crate) group: Vec<u16>,
    /// If true, messages are held until the partition heals; otherwise they are lost.
    pub(crate) holds: bool,
    /// If true, only messages from a lower group to a higher one are blocked.
    pub(crate) one_way: bool,
}

impl Partition {
    fn blocks(&self, from: usize, to: usize) -> bool {
        match (self.group.get(from), self.group.get(to)) {
            (Some(a), Some(b)) if self.one_way => a < b,
            (a, b) => a != b,
        }
    }
}

#[derive(Clone, Copy, Default)]
struct State {
    busy_until: u64,
    last_arrival: u64,
}

pub(crate) struct Links {
    network: Network,
    rng: Rng,
    state: Map<u64, State>,
    uplink_busy_until: Vec<u64>,
    degraded: Vec<Option<Link>>,
    pub(crate) partition: Option<Partition>,
}

impl Links {
    pub(crate) fn new(network: Network, nodes: usize, rng: Rng) -> Self {
        Self {
            network,
            rng,
            state: Map::default(),
            uplink_busy_until: vec![0; nodes],
            degraded: vec![None; nodes],
            partition: None,
        }
    }

    /// Adds a node. A partition puts it into the group of `like`.
    pub(crate) fn add_node(&mut self, like: usize) {
        self.uplink_busy_until.push(0);
        self.degraded.push(None);
        if let Some(partition) = &mut self.partition {
            partition.group.push(partition.group.get(like).copied().unwrap_or(0));
        }
    }

    /// Replaces the properties of all links except the special ones.
    pub(crate) fn relink(&mut self, link: Link) {
        (self.network.before, self.network.after) = (link, link);
    }

    /// Replaces the properties of all links of `node`; `None` restores them.
    pub(crate) fn degrade(&mut self, node: usize, link: Option<Link>) {
        if let Some(slot) = self.degraded.get_mut(node) {
            *slot = link;
        }
    }

    pub(crate) fn send(&mut self, now: u64, from: usize, to: usize, bytes: usize) -> Transit {
        if let Some(partition) = self.partition.as_ref().filter(|p| p.blocks(from, to)) {
            return if partition.holds { Transit::Held } else { Transit::Lost(Loss::Partition) };
        }
        let (usual, distance) = self.network.link(now, from, to);
        let degraded = |node: usize| self.degraded.get(node).copied().flatten();
        let link = degraded(from).or_else(|| degraded(to)).unwrap_or(*usual);

        let Some(leaves) = self.queue(now, from, to, bytes, &link) else { return Transit::Lost(Loss::Queue) };
        if self.rng.chance(link.loss) {
            return Transit::Lost(Loss::Link);
        }
        let mut at = leaves.saturating_add(distance).saturating_add(link.latency.sample(&mut self.rng));
        if self.rng.chance(link.reorder) {
            at = at.saturating_add(self.rng.below(micros(link.held_up_by).saturating_add(1)));
        }
        if link.ordered {
            let state = self.state.entry(key(from, to)).or_default();
            at = at.max(state.last_arrival);
            state.last_arrival = at;
        }
        let again = self.rng.chance(link.duplicate).then(|| {
            let later = link.latency.sample(&mut self.rng);
            leaves.saturating_add(distance).saturating_add(later).max(if link.ordered { at } else { 0 })
        });
        Transit::Arrives { at, again }
    }

    /// Returns the time at which the last byte leaves; `None` if the queue is too long.
    fn queue(&mut self, now: u64, from: usize, to: usize, bytes: usize, link: &Link) -> Option<u64> {
        let mut leaves = now;
        if let (Some(rate), Some(busy)) = (self.network.uplink, self.uplink_busy_until.get_mut(from)) {
            leaves = occupy(busy, now, bytes, rate, link)?;
        }
        if let Some(rate) = link.bandwidth {
            let state = self.state.entry(key(from, to)).or_default();
            leaves = leaves.max(occupy(&mut state.busy_until, now, bytes, rate, link)?);
        }
        Some(leaves)
    }
}

fn occupy(busy_until: &mut u64, now: u64, bytes: usize, rate: u64, link: &Link) -> Option<u64> {
    let begins = now.max(*busy_until);
    if begins - now > micros(link.longest_queue) {
        return None;
    }
    let takes = (bytes as u128 * 1_000_000).div_ceil(u128::from(rate.max(1)));
    *busy_until = begins.saturating_add(u64::try_from(takes).unwrap_or(u64::MAX));
    Some(*busy_until)
}

fn key(from: usize, to: usize) -> u64 {
    (from as u64) << 32 | to as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Latency;
    use crate::rng::Probability;
    use core::time::Duration;

    const MS: u64 = 1_000;

    fn links(network: Network) -> Links {
        Links::new(network, 4, Rng::new(1))
    }

    fn arrival(transit: Transit) -> u64 {
        match transit {
            Transit::Arrives { at, .. } => at,
            other => panic!("{other:?}"),
        }
    }

    fn perfect() -> Link {
        Link::perfect(Latency::Fixed(Duration::from_millis(10)))
    }

    #[test]
    fn bandwidth_makes_messages_queue_and_a_full_queue_drops() {
        let mut links = links(Network::stable(perfect().limited(100_000)));
        assert_eq!(arrival(links.send(0, 0, 1, 1_000)), 20 * MS);
        assert_eq!(arrival(links.send(0, 0, 1, 1_000)), 30 * MS);
        assert_eq!(arrival(links.send(0, 0, 2, 1_000)), 20 * MS, "another link has another queue");
        assert_eq!(arrival(links.send(0, 0, 1, 2_000_000)), 30 * MS + 20_000 * MS);
        assert_eq!(links.send(0, 0, 1, 1), Transit::Lost(Loss::Queue));
    }

    #[test]
    fn an_uplink_is_shared_by_all_links_of_a_node() {
        let mut links = links(Network { uplink: Some(100_000), ..Network::stable(perfect()) });
        assert_eq!(arrival(links.send(0, 0, 1, 1_000)), 20 * MS);
        assert_eq!(arrival(links.send(0, 0, 2, 1_000)), 30 * MS);
        assert_eq!(arrival(links.send(0, 1, 2, 1_000)), 20 * MS);
    }

    #[test]
    fn only_an_ordered_link_keeps_the_order() {
        let jitter = Link::perfect(Latency::Uniform(Duration::ZERO, Duration::from_millis(50)));
        let times = |link| {
            let mut links = links(Network::stable(link));
            let at: Vec<u64> = (0..100).map(|i| arrival(links.send(i, 0, 1, 1))).collect();
            at.is_sorted()
        };
        assert!(times(jitter));
        assert!(!times(Link { ordered: false, ..jitter }));
    }

    #[test]
    fn loss_and_duplication_have_their_probability_until_stable() {
        let bad = perfect().losing(Probability::percent(10)).repeating(Probability::percent(20));
        let mut links = links(Network::stabilising(bad, Duration::from_secs(1), perfect()));
        let before: Vec<Transit> = (0..10_000).map(|_| links.send(0, 0, 1, 1)).collect();
        let lost = before.iter().filter(|t| matches!(t, Transit::Lost(Loss::Link))).count();
        let twice = before.iter().filter(|t| matches!(t, Transit::Arrives { again: Some(_), .. })).count();
        assert!((900..1100).contains(&lost) && (1600..2000).contains(&twice), "{lost} lost, {twice} twice");
        let after = (0..1_000).map(|_| links.send(1_000 * MS, 0, 1, 1));
        assert_eq!(after.filter(|t| matches!(t, Transit::Arrives { again: None, .. })).count(), 1_000);
    }

    #[test]
    fn a_partition_stops_both_directions_or_one() {
        let mut links = links(Network::stable(perfect()));
        links.partition = Some(Partition { group: vec![0, 0, 1, 1], holds: false, one_way: false });
        assert_eq!(links.send(0, 0, 2, 1), Transit::Lost(Loss::Partition));
        assert_eq!(links.send(0, 2, 0, 1), Transit::Lost(Loss::Partition));
        assert_eq!(arrival(links.send(0, 0, 1, 1)), 10 * MS);
        links.partition = Some(Partition { group: vec![0, 0, 1, 1], holds: true, one_way: true });
        assert_eq!(links.send(0, 0, 2, 1), Transit::Held);
        assert_eq!(arrival(links.send(0, 2, 0, 1)), 10 * MS);
    }

    #[test]
    fn regions_special_and_degraded_links_change_latency() {
        let far = Link::perfect(Latency::Fixed(Duration::from_millis(99)));
        let mut network = Network::stable(perfect());
        network.special.insert((0, 1), far);
        network.regions = Some(crate::network::Regions {
            region_of_node: vec![0, 1],
            extra: vec![vec![Duration::ZERO, Duration::from_millis(5)], vec![Duration::ZERO; 2]],
        });
        let mut links = links(network);
        assert_eq!(arrival(links.send(0, 0, 1, 1)), 104 * MS);
        assert_eq!(arrival(links.send(0, 1, 0, 1)), 10 * MS);
        links.degrade(2, Some(far));
        assert_eq!(arrival(links.send(0, 1, 2, 1)), 99 * MS);
        links.degrade(2, None);
        assert_eq!(arrival(links.send(0, 1, 2, 1)), 99 * MS, "order is kept");
        assert_eq!(arrival(links.send(100 * MS, 1, 2, 1)), 110 * MS);
    }
}

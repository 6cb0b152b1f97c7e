//! A network of nodes in cities, each with its own link: latency, bandwidth in both directions, loss.
//!
//! A message passes its sender's uplink and its receiver's downlink, each of which carries one byte after the other; in
//! between it takes the latency of the two cities. A lost packet is sent again when its acknowledgement is overdue, and the
//! message is complete with its last packet. Urgent messages have priority on both links.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::cities::{City, distance, latency};
use crate::queue::{MILLISECOND, Nanos, SECOND};

/// The number of a node.
pub(super) type Node = u32;

/// Bytes of a packet, without its headers.
const PACKET: u64 = 1400;
/// Headers of IP, TCP and TLS, per packet.
const HEADERS: u64 = 66;
/// An acknowledgement is overdue after this number of round trips plus this time.
const OVERDUE: (f64, Nanos) = (1.5, 25 * MILLISECOND);

/// Priority of a message on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Votes, headers, requests.
    Urgent,
    /// Transactions.
    Bulk,
}

/// Parameters of a network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Setting {
    pub(super) cities: &'static [City],
    /// Bits per second of each node, in each direction.
    pub(super) bandwidth: f64,
    /// Bandwidth of one connection between different cities, if it is less than that of the nodes.
    pub(super) connection: Option<Connection>,
    /// Fraction of packets that are lost.
    pub(super) loss: f64,
}

/// Bits per second of one connection: from those of neighbours down to those of antipodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Connection {
    pub(super) near: f64,
    pub(super) far: f64,
}

/// Links and their traffic.
pub(super) struct Network {
    links: Vec<Link>,
    /// By city of the sender and of the receiver.
    ways: Vec<Way>,
    cities: usize,
    nanos_per_byte: f64,
    loss: f64,
    random: StdRng,
}

#[derive(Clone, Copy, Debug, Default)]
struct Link {
    up: Lane,
    down: Lane,
    sent: u64,
    received: u64,
}

/// Times at which one direction of a link is free of all messages, and of urgent ones.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    all: Nanos,
    urgent: Nanos,
}

impl Lane {
    /// Time at which it begins to carry a message.
    fn carry(&mut self, now: Nanos, takes: Nanos, class: Class) -> Nanos {
        let begins = match class {
            Class::Urgent => self.urgent.max(now),
            Class::Bulk => self.all.max(now),
        };
        if class == Class::Urgent {
            self.urgent = begins + takes;
        }
        // Waiting messages begin later by this time.
        self.all = self.all.max(now) + takes;
        begins
    }
}

#[derive(Clone, Copy, Debug)]
struct Way {
    latency: Nanos,
    /// Delay of a connection that is slower than its nodes.
    extra_per_byte: f64,
}

/// Times of a message in transit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    /// Time at which the last byte leaves.
    pub(super) left: Nanos,
    /// Time at which the first byte reaches the receiver's link.
    pub(super) comes: Nanos,
    /// Duration from there if the link is free, including repetitions.
    pub(super) takes: Nanos,
    /// Bytes including headers and repetitions.
    pub(super) bytes: u64,
    pub(super) class: Class,
}

impl Network {
    /// A network with this number of nodes, spread evenly over the cities.
    pub(super) fn new(setting: Setting, nodes: usize, seed: u64) -> Self {
        let nanos_per_byte = 8.0 * SECOND as f64 / setting.bandwidth;
        let ways = setting.cities.iter().flat_map(|a| {
            setting.cities.iter().map(move |b| Way {
                latency: latency(*a, *b),
                extra_per_byte: setting.connection.map_or(0.0, |connection| {
                    let share = distance(*a, *b) / HALF_EQUATOR_KM;
                    // Bandwidth falls by the same factor for each kilometre.
                    let bandwidth = connection.near * (connection.far / connection.near).powf(share);
                    if share == 0.0 {
                        0.0
                    } else {
                        (8.0 * SECOND as f64 / bandwidth - nanos_per_byte).max(0.0)
                    }
                }),
            })
        });
        Self {
            links: vec![Link::default(); nodes],
            ways: ways.collect(),
            cities: setting.cities.len().max(1),
            nanos_per_byte,
            loss: setting.loss,
            random: StdRng::seed_from_u64(seed),
        }
    }

    /// Puts a message of this number of bytes into the sender's uplink.
    pub(super) fn send(&mut self, now: Nanos, from: Node, to: Node, len: u64, class: Class) -> Sent {
        let packets = len.div_ceil(PACKET).max(1);
        let (mut bytes, mut delay) = (len + packets * HEADERS, 0);
        let way = self.way(from, to);
        let mut missing = self.lost(packets);
        while missing > 0 {
            bytes += missing * (len / packets + HEADERS);
            delay += (2.0 * way.latency as f64 * OVERDUE.0) as Nanos + OVERDUE.1;
            missing = self.lost(missing);
        }
        let takes = self.time(bytes);
        let Some(link) = self.links.get_mut(from as usize) else {
            return Sent { left: now, comes: now, takes, bytes, class };
        };
        let begins = link.up.carry(now, takes, class);
        link.sent += bytes;
        let slower = (bytes as f64 * way.extra_per_byte) as Nanos;
        Sent { left: begins + takes, comes: begins + way.latency + delay + slower, takes, bytes, class }
    }

    /// Puts an arriving message into the receiver's downlink; returns the time at which it is complete.
    pub(super) fn receive(&mut self, now: Nanos, to: Node, sent: &Sent) -> Nanos {
        let Some(link) = self.links.get_mut(to as usize) else { return now };
        link.received += sent.bytes;
        link.down.carry(now, sent.takes, sent.class) + sent.takes
    }

    /// Latency from one node to another, without the time for its bytes.
    #[cfg(test)]
    pub(super) fn latency(&self, from: Node, to: Node) -> Nanos {
        self.way(from, to).latency
    }

    /// Bytes that each node has sent and received, including headers and repetitions.
    pub(super) fn traffic(&self) -> impl Iterator<Item = (u64, u64)> {
        self.links.iter().map(|link| (link.sent, link.received))
    }

    fn way(&self, from: Node, to: Node) -> Way {
        let city = |node: Node| node as usize % self.cities;
        let way = self.ways.get(city(from) * self.cities + city(to));
        way.copied().unwrap_or(Way { latency: 0, extra_per_byte: 0.0 })
    }

    fn time(&self, bytes: u64) -> Nanos {
        (bytes as f64 * self.nanos_per_byte) as Nanos
    }

    /// Number of packets that are lost of this number of packets.
    fn lost(&mut self, packets: u64) -> u64 {
        if self.loss <= 0.0 {
            return 0;
        }
        (0..packets).filter(|_| self.random.random::<f64>() < self.loss).count() as u64
    }
}

/// Two antipodes.
const HALF_EQUATOR_KM: f64 = 20_015.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cities::{REGIONS, WORLD};

    const PAPER: Setting = Setting { cities: &WORLD, bandwidth: 2e6, connection: None, loss: 0.01 };

    #[test]
    fn a_link_keeps_its_bandwidth_and_delivers_everything() {
        let mut network = Network::new(PAPER, 40, 1);
        let mut all = Vec::new();
        for number in 0..2000u32 {
            all.push((
                (number + 1) % 40,
                network.send(0, number % 40, (number + 1) % 40, 1000, Class::Urgent),
            ));
        }
        let sent: u64 = network.traffic().map(|(sent, _)| sent).sum();
        all.sort_by_key(|(_, sent)| sent.comes);
        let mut last = 0;
        for (to, message) in &all {
            last = last.max(network.receive(message.comes, *to, message));
        }
        let (out, into): (Vec<u64>, Vec<u64>) = network.traffic().unzip();
        assert_eq!((sent, sent), (out.iter().sum(), into.iter().sum()));
        // Fifty messages each take the time of two megabits per second.
        let busiest = out.iter().max().copied().unwrap_or_default();
        let left = all.iter().map(|(_, message)| message.left).max().unwrap_or_default();
        let expected = busiest as f64 * 8.0 / 2e6 * SECOND as f64;
        assert!((left as f64 - expected).abs() < 1000.0 && last >= left);
    }

    #[test]
    fn an_idle_network_adds_latency_and_one_transmission() {
        let mut network = Network::new(Setting { loss: 0.0, ..PAPER }, 20, 1);
        let sent = network.send(7, 0, 1, 1000, Class::Urgent);
        let transmission = (1000 + HEADERS) * 8 * SECOND / 2_000_000;
        assert_eq!(sent.left, 7 + transmission);
        let arrived = network.receive(sent.comes, 1, &sent);
        assert_eq!(arrived, 7 + network.latency(0, 1) + transmission);
    }

    #[test]
    fn urgent_messages_have_priority() {
        let mut network = Network::new(Setting { loss: 0.0, ..PAPER }, 20, 1);
        let bulk = network.send(0, 0, 1, 100_000, Class::Bulk);
        let urgent = network.send(0, 0, 2, 1000, Class::Urgent);
        let later = network.send(0, 0, 3, 1000, Class::Bulk);
        assert!(urgent.left < bulk.left);
        assert_eq!(later.left, bulk.takes + urgent.takes + later.takes);
    }

    #[test]
    fn packets_are_lost_at_the_given_rate() {
        let mut network = Network::new(PAPER, 20, 3);
        let clean = 1000 + HEADERS;
        let bytes: u64 = (0..100_000).map(|_| network.send(0, 0, 1, 1000, Class::Urgent).bytes).sum();
        let repeated = bytes as f64 / (100_000 * clean) as f64 - 1.0;
        // One in a hundred, and of these one in a hundred again.
        assert!((repeated - 0.0101).abs() < 0.001, "{repeated}");
    }

    #[test]
    fn the_same_seed_gives_the_same_network() {
        let run = |seed| {
            let mut network = Network::new(PAPER, 20, seed);
            (0..500).map(|number| network.send(number, 3, 4, 5000, Class::Urgent)).collect::<Vec<_>>()
        };
        assert_eq!(run(5), run(5));
        assert_ne!(run(5), run(6));
    }

    #[test]
    fn far_connections_are_slower() {
        let connection = Some(Connection { near: 250e6, far: 15e6 });
        let setting = Setting { cities: &REGIONS, bandwidth: 500e6, connection, loss: 0.0 };
        let mut network = Network::new(setting, 28, 1);
        let extra = |network: &mut Network, to| {
            network.send(0, 0, to, 1_000_000, Class::Urgent).comes.saturating_sub(network.latency(0, to))
        };
        let (same_region, near, far) =
            (extra(&mut network, 14), extra(&mut network, 3), extra(&mut network, 13));
        assert!(same_region < near && near < far, "{same_region} {near} {far}");
    }
}

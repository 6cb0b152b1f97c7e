//! Clients that submit transactions to all validators and keep each acknowledgement.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use quorate_support::rng::SplitMix64;
use serde_json::{Value, json};

use super::client::Client;

/// Number of transactions that a client submits at once.
const AT_ONCE: usize = 8;
/// Maximum length of a value: the chain must fill a table of its database now and then.
const MAX_VALUE: u64 = 4000;
/// Pause of a client whose validator is down.
const PAUSE: Duration = Duration::from_millis(50);

/// A transaction that a validator reported as committed.
#[derive(Clone, Debug)]
pub struct Acknowledged {
    pub id: String,
    pub key: String,
    pub value: String,
    /// Height and digest of its block.
    pub height: u64,
    pub block: String,
    /// The validator that reported it.
    pub by: &'static str,
    /// Time at which it was to be submitted.
    pub due: Instant,
    /// Time from then to the acknowledgement.
    pub latency: Duration,
}

impl Acknowledged {
    /// The transaction, in hexadecimal.
    pub fn transaction(&self) -> String {
        transaction(&self.key, &self.value)
    }
}

fn transaction(key: &str, value: &str) -> String {
    hex::encode(format!("put {key} {value}"))
}

/// A client of each validator. They end when this is dropped.
pub struct Load {
    shared: Arc<Shared>,
    clients: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    acknowledged: Mutex<Vec<Acknowledged>>,
    stop: AtomicBool,
}

impl Load {
    /// Starts the clients of validators, each given by its name and its URL.
    pub fn start(validators: impl Iterator<Item = (&'static str, String)>) -> Self {
        let shared = Arc::new(Shared::default());
        let start = |(name, node): (&'static str, String)| {
            let shared = shared.clone();
            thread::spawn(move || shared.submit(name, &mut Client::new(&node)))
        };
        let clients = validators.map(start).collect();
        Self { shared, clients }
    }

    /// Starts clients that each submit a transaction in a constant interval. A client whose answer comes later than that leaves
    /// out the submissions that it missed: otherwise a stall would be measured long after its end.
    pub fn start_paced(clients: impl Iterator<Item = (&'static str, String)>, interval: Duration) -> Self {
        let shared = Arc::new(Shared::default());
        let start = |(number, (name, node)): (usize, (&'static str, String))| {
            let shared = shared.clone();
            thread::spawn(move || shared.submit_paced(name, number, &mut Client::new(&node), interval))
        };
        let clients = clients.enumerate().map(start).collect();
        Self { shared, clients }
    }

    /// The number of acknowledged transactions.
    pub fn acknowledged(&self) -> usize {
        self.shared.acknowledged.lock().unwrap().len()
    }

    /// The acknowledged transactions after the first `from` ones.
    pub fn acknowledged_since(&self, from: usize) -> Vec<Acknowledged> {
        self.shared.acknowledged.lock().unwrap()[from..].to_vec()
    }

    /// Ends the clients after the answers to their last requests.
    pub fn stop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.clients.drain(..).for_each(|client| client.join().unwrap());
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }
}

impl Shared {
    /// Submits until the stop. Transactions without an acknowledgement are forgotten: each may be committed or not.
    fn submit(&self, by: &'static str, client: &mut Client) {
        let mut random = SplitMix64::new(by.bytes().fold(0, |seed, byte| (seed << 8) | u64::from(byte)));
        for round in 0.. {
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            let entry = |number| (format!("{by}-{round}-{number}"), value(&mut random));
            let entries: Vec<_> = (0..AT_ONCE).map(entry).collect();
            let transactions: Vec<_> = entries.iter().map(|(key, value)| transaction(key, value)).collect();
            let due = Instant::now();
            let Ok((202, tickets)) = client.post("/v1/transactions", &json!(transactions)) else {
                thread::sleep(PAUSE);
                continue;
            };
            for (at, (key, value)) in entries.into_iter().enumerate() {
                let Some(id) = tickets[at]["id"].as_str().map(str::to_owned) else { continue };
                // After a crash of the validator the others may be lost, too.
                let Some(found) = client.transaction(&id) else { break };
                self.acknowledge(by, due, id, (key, value), &found);
            }
        }
    }

    /// Submits one transaction after the other until the stop.
    fn submit_paced(&self, by: &'static str, number: usize, client: &mut Client, interval: Duration) {
        let mut random = SplitMix64::new(number as u64);
        let mut due = Instant::now() + interval.mul_f64(number as f64 * 0.618 % 1.0);
        for round in 0.. {
            while due + interval < Instant::now() {
                due += interval;
            }
            thread::sleep(due.saturating_duration_since(Instant::now()));
            let (key, value) = (format!("{by}-{number}-{round}"), value(&mut random));
            let mut id = None;
            // A busy validator refuses for a while, and a lost answer is asked for again: both count.
            let found = loop {
                if self.stop.load(Ordering::Relaxed) {
                    return;
                }
                if id.is_none() {
                    let submitted = client.post("/v1/transactions", &json!([transaction(&key, &value)]));
                    let tickets = submitted.ok().filter(|(code, _)| *code == 202);
                    id = tickets.and_then(|(_, tickets)| tickets[0]["id"].as_str().map(str::to_owned));
                }
                match id.as_ref().and_then(|id| client.transaction(id)) {
                    Some(found) => break found,
                    None => thread::sleep(PAUSE / 10),
                }
            };
            self.acknowledge(by, due, id.unwrap(), (key, value), &found);
            due += interval;
        }
    }

    fn acknowledge(
        &self,
        by: &'static str,
        due: Instant,
        id: String,
        (key, value): (String, String),
        found: &Value,
    ) {
        let latency = due.elapsed();
        let (height, block) =
            (found["height"].as_u64().unwrap(), found["block"].as_str().unwrap().to_owned());
        self.acknowledged.lock().unwrap().push(Acknowledged {
            id,
            key,
            value,
            height,
            block,
            by,
            due,
            latency,
        });
    }
}

/// A random value, which compression does not make small.
fn value(random: &mut SplitMix64) -> String {
    let length = 16 + random.next_u64() % MAX_VALUE;
    (0..length / 16).map(|_| format!("{:016x}", random.next_u64())).collect()
}

//! Clients that submit transactions to all validators and keep each acknowledgement.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use quorate_support::rng::SplitMix64;
use serde_json::json;

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
            let entries: Vec<_> = (0..AT_ONCE)
                .map(|number| {
                    let length = 16 + random.next_u64() % MAX_VALUE;
                    // Compression must not make it small.
                    let digits: String =
                        (0..length / 16).map(|_| format!("{:016x}", random.next_u64())).collect();
                    (format!("{by}-{round}-{number}"), digits)
                })
                .collect();
            let transactions: Vec<_> = entries.iter().map(|(key, value)| transaction(key, value)).collect();
            let Ok((202, tickets)) = client.post("/v1/transactions", &json!(transactions)) else {
                thread::sleep(PAUSE);
                continue;
            };
            for (at, (key, value)) in entries.into_iter().enumerate() {
                let Some(id) = tickets[at]["id"].as_str().map(str::to_owned) else { continue };
                // After a crash of the validator the others may be lost, too.
                let Some(found) = client.transaction(&id) else { break };
                let block = found["block"].as_str().unwrap().to_owned();
                let height = found["height"].as_u64().unwrap();
                self.acknowledged.lock().unwrap().push(Acknowledged { id, key, value, height, block, by });
            }
        }
    }
}

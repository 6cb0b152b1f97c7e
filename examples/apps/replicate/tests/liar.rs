//! A replica whose application answers wrongly is named, whether its answer is the first or the last.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use quorate::ed25519::SecretKey;
use quorate_broadcast::authentication::Eddsa;
use quorate_replicate::application::{Application, Counter};
use quorate_replicate::node::client::Client;
use quorate_replicate::node::group::{self, ClientEntry, Group, GroupFile, ReplicaEntry, Signer};
use quorate_replicate::node::server::{Options, Server};
use quorate_replicate::{Answer, ClientIndex, Operation};

const LIMIT: Duration = Duration::from_secs(60);
const LIAR: u16 = 2;

/// A counter that takes its time, and may lie about the sum.
struct Paced {
    counter: Counter,
    pause: Duration,
    lies: bool,
}

impl Application for Paced {
    const MAX_STATE: usize = Counter::MAX_STATE;

    fn apply(&mut self, client: ClientIndex, operation: Operation) -> Answer {
        thread::sleep(self.pause);
        let answer = self.counter.apply(client, operation);
        if self.lies { answer.map(|byte| !byte) } else { answer }
    }

    fn state(&self) -> Vec<u8> {
        self.counter.state()
    }

    fn restore(&mut self, state: &[u8]) -> quorate::Result<()> {
        self.counter.restore(state)
    }
}

/// Runs four replicas as threads until the value is dropped.
struct Running {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let ended = thread.join();
            assert!(ended.is_ok() || thread::panicking());
        }
    }
}

fn start(group: &Group, keys: &[SecretKey], application: impl Fn(u16) -> Paced) -> Running {
    let stop = Arc::new(AtomicBool::new(false));
    let run = |(i, key): (u16, &SecretKey)| {
        let (key, copy) = (group::copy(key).unwrap(), group::copy(key).unwrap());
        let (group, stop, application) = (group.clone(), stop.clone(), application(i));
        thread::spawn(move || {
            let authentication = Eddsa::new(group.committee.clone(), copy);
            let parameters = group.parameters();
            let options = Options { group: &group, key, parameters, data: None, sync: false, spin: false };
            let mut server = Server::start(options, authentication, application).unwrap();
            while !stop.load(Ordering::Relaxed) {
                server.poll().unwrap();
            }
        })
    };
    let threads = (0u16..).zip(keys).map(run).collect();
    Running { stop, threads }
}

#[test]
fn a_wrong_answer_is_named_whether_it_is_the_first_or_the_last() {
    let folder = tempfile::tempdir().unwrap();
    let keys: Vec<SecretKey> = (0..4).map(|_| group::generate().unwrap()).collect();
    let client = group::generate().unwrap();
    let entry = |(i, key): (usize, &SecretKey)| ReplicaEntry {
        name: format!("replica{i}"),
        listen: format!("shm:{i}.sock"),
        key: group::public(key),
    };
    let file = GroupFile {
        signer: Signer::Eddsa,
        // No checkpoint: a replica that adopts a state does not answer the operations before it.
        checkpoint: 100,
        replica: keys.iter().enumerate().map(entry).collect(),
        client: vec![ClientEntry { name: "client".to_owned(), key: group::public(&client) }],
    };
    let group = Group::new(file, folder.path()).unwrap();
    for is_first in [true, false] {
        let pause = Duration::from_millis(40);
        let _running = start(&group, &keys, |replica| Paced {
            counter: Counter::default(),
            pause: if (replica == LIAR) == is_first { Duration::ZERO } else { pause },
            lies: replica == LIAR,
        });
        let began = std::time::Instant::now();
        let mut client = loop {
            match Client::connect(&group, group::copy(&client).unwrap()) {
                Ok(client) if client.connected() == 4 => break client,
                _ => assert!(began.elapsed() < LIMIT, "the replicas do not listen"),
            }
            thread::sleep(Duration::from_millis(10));
        };
        for turn in 1..=6u64 {
            let accepted = client.call(1u64.to_le_bytes(), LIMIT).unwrap();
            assert_eq!(accepted.answer, turn.to_le_bytes());
            assert!(!accepted.replicas.contains(&LIAR));
            let mut liars = accepted.liars;
            liars.extend(client.late_liars(LIMIT));
            liars.dedup();
            assert_eq!(liars, [LIAR], "first: {is_first}, turn {turn}");
        }
    }
}

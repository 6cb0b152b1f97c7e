//! Latency that a remote signer adds to a vote on loopback: `cargo bench -p quorate-node --bench signer`.
//!
//! Votes of a key with a journal in this process and of one at a signer alternate. Both journals are in the temporary
//! directory; with `TMPDIR=/dev/shm` the disk does not hide the difference.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::{Duration, Instant};

use common::chain;
use quorate::bls::MinSig;
use quorate::certificate::Kind;
use quorate::ed25519::Ed25519;
use quorate::guard::JournaledGuard;
use quorate::scheme::Scheme;
use quorate_node::genesis::SchemeName;
use quorate_node::keys::NodeKeys;
use quorate_node::signer::{RemoteSigner, SignerAddress, SigningService};

const VOTES: u64 = 500;

fn main() {
    measure::<Ed25519>(SchemeName::Ed25519);
    measure::<MinSig>(SchemeName::Bls);
}

fn measure<S: Scheme>(scheme: SchemeName) {
    let dir = tempfile::tempdir().unwrap();
    let (genesis, keys) = chain(4, scheme);
    let (voters, chain) = (genesis.committees::<S>().unwrap().voters, genesis.chain_id());
    let guard = |name: &str| {
        JournaledGuard::<S>::create(&dir.path().join(name), keys[0].voting::<S>().unwrap(), chain).unwrap()
    };
    let own = NodeKeys::generate(scheme).unwrap().identity().unwrap();
    let identity = Ed25519::public_key(&own);
    let validator = Ed25519::public_key(&keys[0].identity().unwrap());
    let service = SigningService::new(guard("signer"), voters.clone(), own, &validator).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    listener.set_nonblocking(true).unwrap();
    // As `quorate signer` runs it; it ends with this process.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { service.run(tokio::net::TcpListener::from_std(listener).unwrap()).await })
    });
    let signer = SignerAddress { identity, address };
    let mut remote = RemoteSigner::<S>::new(signer, keys[0].identity().unwrap(), voters.clone(), 0).unwrap();
    let begin = Instant::now();
    remote.connect().unwrap();
    let connected = begin.elapsed();
    let mut local = guard("local");
    let mut taken = [Vec::new(), Vec::new(), Vec::new()];
    for view in 1..=VOTES {
        let statement = voters.statement(Kind::new(1), view, [7; 32]);
        let begin = Instant::now();
        let vote = local.sign(&voters, statement).unwrap();
        taken[0].push(begin.elapsed());
        let begin = Instant::now();
        assert!(remote.sign(statement).unwrap() == vote);
        taken[1].push(begin.elapsed());
        let begin = Instant::now();
        vote.check(&voters).unwrap();
        taken[2].push(begin.elapsed());
        std::thread::sleep(Duration::from_millis(2));
    }
    let [local, remote, verified] = taken.map(|mut times: Vec<Duration>| {
        times.sort();
        times[times.len() / 2].as_secs_f64() * 1e6
    });
    println!(
        "{scheme}: a vote takes {local:.0} us with a journal in this process and {remote:.0} us with a signer, {:.1} times as \
         long: {:.0} us more, of which {verified:.0} us verify the answer; connecting took {connected:?} (medians of {VOTES})",
        remote / local,
        remote - local,
    );
}

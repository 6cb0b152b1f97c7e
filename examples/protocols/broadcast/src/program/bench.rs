use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use quorate::machine::MemberIndex;
use quorate_broadcast::authentication::Sodium;
use quorate_broadcast::{AuthenticationKind, GroupParameters, Parameters};
use quorate_support::{errln, outln};
use serde::Serialize;

use crate::event::Event;
use crate::exit::{Exit, Failure, OrFail};
use crate::group::{self, Group};
use crate::member::{Identity, Member};
use crate::signer::{Make, SignerName, SuiteName, WithSigner, authentication_kind, with_signer};

/// Time limit for connecting, and for each delivery.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Measure latencies between members in this process, over real sockets on this machine.
///
/// The first member broadcasts one message at a time: the next one follows when all members have delivered the last,
/// as in figure 7 of the DSig paper. Latencies are measured from the broadcast to the delivery at the sender, and to
/// the last delivery of all members. Links are TLS 1.3 over TCP, and all members share this machine's processors.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  quorate-broadcast bench
  quorate-broadcast bench --signer dsig --suite wots-haraka-256 --requests 10000 --json
  quorate-broadcast bench --records disk        with durable records, to measure their cost")]
pub(crate) struct BenchArgs {
    /// Signature scheme; without it, all are measured in turn, and `sodium` if the program was built with libsodium.
    #[arg(long, value_enum)]
    signer: Vec<BenchSigner>,

    /// DSig suite.
    #[arg(long, value_enum, default_value_t = SuiteName::Blake3)]
    suite: SuiteName,

    /// Number of members.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    members: u16,

    /// Number of measured messages.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    requests: u32,

    /// Number of messages before the measurement.
    #[arg(long, default_value_t = 500)]
    warm_up: u32,

    /// Message length in bytes; 8 in the paper.
    #[arg(long, value_name = "BYTES", default_value_t = 8, value_parser = clap::value_parser!(u32).range(8..=1 << 20))]
    size: u32,

    /// Storage of the members' records. In the paper nothing is durable.
    #[arg(long, value_enum, default_value_t = Records::Memory)]
    records: Records,

    /// Print the results as one JSON object.
    #[arg(long)]
    json: bool,
}

/// Measured authentication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum BenchSigner {
    /// No signatures.
    None,
    /// Ed25519 of ed25519-dalek, as in `run`.
    Eddsa,
    /// Ed25519 of libsodium. The program must be built with the feature `sodium`.
    Sodium,
    /// DSig.
    Dsig,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Records {
    /// In memory, lost with the process.
    Memory,
    /// On disk, durable before anything is sent, as with `run`.
    Disk,
}

/// Output of the benchmark.
#[derive(Debug, Serialize)]
struct Report {
    members: u16,
    message_bytes: u32,
    requests: u32,
    records: Records,
    results: Vec<Measured>,
}

/// Results of one signature scheme.
#[derive(Debug, Serialize)]
struct Measured {
    signer: &'static str,
    suite: Option<&'static str>,
    signature_bytes: usize,
    /// Latency to the delivery at the sender.
    latency_us: Latency,
    /// Latency to the last delivery.
    everywhere_us: Latency,
    /// Bytes sent by all members per broadcast, including announcements and repetitions, excluding TLS and TCP.
    bytes_per_broadcast: f64,
    /// Verifications that unexpectedly needed Ed25519, and all verifications, of all members.
    slow_verifications: u64,
    verifications: u64,
}

#[derive(Debug, Serialize)]
struct Latency {
    p10: f64,
    p50: f64,
    p90: f64,
    p99: f64,
    mean: f64,
}

/// One measurement.
struct Measure<'a> {
    bench: &'a BenchArgs,
    authentication: AuthenticationKind,
    interrupted: Arc<AtomicBool>,
}

type Delivered = (MemberIndex, Arc<[u8]>, Instant);

impl BenchArgs {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.or_fail(Exit::Failed, "cannot start the runtime")?;
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = interrupted.clone();
        runtime.spawn(async move {
            let _ = tokio::signal::ctrl_c().await;
            flag.store(true, Ordering::Relaxed);
        });
        let chosen = match self.signer.as_slice() {
            [] => all_signers(),
            chosen => chosen,
        };
        if chosen.contains(&BenchSigner::Sodium) && !quorate_sodium::is_linked() {
            return Err(Failure::new(Exit::Usage, quorate_sodium::Unavailable.to_string()));
        }
        let mut results = Vec::new();
        if !self.json {
            outln!(
                "{} members, {} bytes, µs from broadcast to delivery at the sender (at all members)",
                self.members,
                self.size
            );
            outln!("{:<24} {:>16} {:>16} {:>16} {:>12}", "signer", "p10", "median", "p90", "bytes sent");
        }
        for signer in chosen {
            let name = match signer {
                BenchSigner::None => SignerName::None,
                // On the wire they are the same.
                BenchSigner::Eddsa | BenchSigner::Sodium => SignerName::Eddsa,
                BenchSigner::Dsig => SignerName::Dsig,
            };
            let authentication = authentication_kind(name, self.suite);
            let measure = Measure { bench: self, authentication, interrupted: interrupted.clone() };
            let measured = match signer {
                BenchSigner::Sodium => runtime.block_on(measure.call::<Sodium>())?,
                _ => runtime.block_on(with_signer(authentication, measure))?,
            };
            if !self.json {
                measured.print();
            }
            results.push(measured);
        }
        if self.json {
            let BenchArgs { members, size: message_bytes, requests, records, .. } = *self;
            let report = Report { members, message_bytes, requests, records, results };
            outln!("{}", serde_json::to_string(&report).or_fail(Exit::Failed, "cannot encode the results")?);
        }
        Ok(())
    }
}

/// The signers that this program can measure.
fn all_signers() -> &'static [BenchSigner] {
    use BenchSigner::{Dsig, Eddsa, None, Sodium};
    if quorate_sodium::is_linked() { &[None, Eddsa, Sodium, Dsig] } else { &[None, Eddsa, Dsig] }
}

impl<'a> WithSigner for Measure<'a> {
    type Output = std::pin::Pin<Box<dyn Future<Output = Result<Measured, Failure>> + 'a>>;

    fn call<A: Make>(self) -> Self::Output {
        Box::pin(self.measure::<A>())
    }
}

impl Measure<'_> {
    async fn measure<A: Make>(self) -> Result<Measured, Failure> {
        let bench = self.bench;
        let (genesis, keys) = group::make(group::free_addresses(bench.members)?)?;
        let group_parameters = GroupParameters {
            authentication: self.authentication,
            tail: Parameters::default().tail,
            max_message: bench.size,
        };
        let group = Group::new(genesis, group_parameters)?;
        let disk = match bench.records {
            Records::Memory => None,
            Records::Disk => {
                Some(tempfile::tempdir().or_fail(Exit::Failed, "cannot create a temporary directory")?)
            }
        };
        let (events, heard) = mpsc::channel();
        let mut members = Vec::new();
        for (i, keys) in (0u16..).zip(&keys) {
            let data = disk.as_ref().map(|dir| dir.path().join(format!("node{i}")));
            let listen = group.genesis.members.get(usize::from(i)).map(|member| member.address.clone());
            let identity = Identity {
                keys: [keys.identity()?, keys.identity()?],
                listen: listen.unwrap_or_default(),
                data: data.as_deref(),
            };
            let events = events.clone();
            let tell = move |event: Event| {
                let at = Instant::now();
                // The receiver is gone when the measurement is over.
                let _ = match event {
                    Event::Delivered(delivery) => events.send(Ok((i, delivery.message, at))),
                    Event::Failed(error) => events.send(Err(Failure::from(error))),
                    Event::Fault { culprit, code, .. } => {
                        errln!("member {i} reports {code} of member {culprit}");
                        Ok(())
                    }
                    Event::Refused(refusal) => {
                        events.send(Err(Failure::new(Exit::Failed, refusal.to_string())))
                    }
                };
            };
            members.push(Member::<A>::start(&group, identity, tell).await?);
        }
        let measured = self.drive(&members, &heard).await;
        for member in members {
            member.stop().await;
        }
        measured
    }

    async fn drive<A: Make>(
        &self,
        members: &[Member<A>],
        heard: &Receiver<Result<Delivered, Failure>>,
    ) -> Result<Measured, Failure> {
        let Some(first) = members.first() else { return Err(Failure::new(Exit::Usage, "no members")) };
        let begin = Instant::now();
        while !members.iter().all(Member::is_connected) {
            self.go_on()?;
            if begin.elapsed() > TIMEOUT {
                return Err(Failure::new(
                    Exit::Stalled,
                    "the members do not connect; check whether this machine is overloaded",
                ));
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let bench = self.bench;
        let mut number = 0u64;
        let mut one = || {
            number += 1;
            let mut message = number.to_le_bytes().to_vec();
            message.resize(bench.size as usize, 0);
            self.one(first, members.len(), message.into(), heard)
        };
        for _ in 0..bench.warm_up {
            one()?;
        }
        let (bytes, before) = (sent(members), verified(members));
        let (mut own, mut all) = (Vec::new(), Vec::new());
        for _ in 0..bench.requests {
            let (at_sender, at_all) = one()?;
            own.push(at_sender);
            all.push(at_all);
        }
        let after = verified(members);
        Ok(Measured {
            signer: A::NAME,
            suite: self.authentication.suite(),
            signature_bytes: A::SIGNATURE_LEN,
            latency_us: Latency::from_samples(own),
            everywhere_us: Latency::from_samples(all),
            bytes_per_broadcast: (sent(members) - bytes) as f64 / f64::from(bench.requests),
            slow_verifications: after.1 - before.1,
            verifications: after.0 + after.1 - before.0 - before.1,
        })
    }

    /// Broadcasts one message and waits until all members have delivered it.
    fn one<A: Make>(
        &self,
        first: &Member<A>,
        count: usize,
        message: Arc<[u8]>,
        heard: &Receiver<Result<Delivered, Failure>>,
    ) -> Result<(Duration, Duration), Failure> {
        self.go_on()?;
        let begin = Instant::now();
        first.broadcast(message.clone());
        let (mut own, mut all) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..count {
            let (member, delivered, at) = match heard.recv_timeout(TIMEOUT) {
                Ok(event) => event?,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    let text =
                        format!("a message was not delivered within {TIMEOUT:?}; see the members' logs");
                    return Err(Failure::new(Exit::Stalled, text));
                }
            };
            if delivered != message {
                return Err(Failure::new(Exit::Failed, "delivered a message that is not the current one"));
            }
            let took = at.saturating_duration_since(begin);
            all = all.max(took);
            if member == 0 {
                own = took;
            }
        }
        Ok((own, all))
    }

    fn go_on(&self) -> Result<(), Failure> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Failure::new(Exit::Interrupted, "interrupted before the measurement was complete"));
        }
        Ok(())
    }
}

impl Latency {
    fn from_samples(mut all: Vec<Duration>) -> Self {
        all.sort_unstable();
        let us = |time: Duration| (time.as_nanos() as f64 / 100.0).round() / 10.0;
        let quantile = |per_cent: usize| {
            let place = (all.len() * per_cent / 100).min(all.len().saturating_sub(1));
            us(all.get(place).copied().unwrap_or_default())
        };
        let mean = us(all.iter().sum::<Duration>() / u32::try_from(all.len().max(1)).unwrap_or(u32::MAX));
        Self { p10: quantile(10), p50: quantile(50), p90: quantile(90), p99: quantile(99), mean }
    }
}

impl Measured {
    fn print(&self) {
        let name = self.suite.map_or(self.signer.to_owned(), |suite| format!("{} {suite}", self.signer));
        let (own, all) = (&self.latency_us, &self.everywhere_us);
        let pair = |own: f64, all: f64| format!("{own:.0} ({all:.0})");
        let [p10, p50, p90] = [pair(own.p10, all.p10), pair(own.p50, all.p50), pair(own.p90, all.p90)];
        outln!("{name:<24} {p10:>16} {p50:>16} {p90:>16} {:>12.0}", self.bytes_per_broadcast);
        if self.slow_verifications > 0 {
            outln!("  {} of {} verifications were slow", self.slow_verifications, self.verifications);
        }
    }
}

fn sent<A: Make>(members: &[Member<A>]) -> u64 {
    members.iter().flat_map(|member| member.links().status()).map(|peer| peer.bytes_sent).sum()
}

fn verified<A: Make>(members: &[Member<A>]) -> (u64, u64) {
    let of = members.iter().map(|member| member.status().verified);
    of.fold((0, 0), |(fast, slow), (f, s)| (fast + f, slow + s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_taken_from_the_samples() {
        let latency = Latency::from_samples((1..=100).rev().map(Duration::from_micros).collect());
        assert_eq!((latency.p10, latency.p50, latency.p90, latency.p99), (11.0, 51.0, 91.0, 100.0));
        assert_eq!(latency.mean, 50.5);
        assert_eq!(Latency::from_samples(Vec::new()).p50, 0.0);
    }
}

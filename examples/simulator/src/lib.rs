#![forbid(unsafe_code)]
//! A deterministic simulator: it drives any [`Machine`](quorate::machine::Machine) through a network that loses,
//! delays, repeats and reorders messages, through partitions, crashes at any point of a step, wrong clocks and
//! Byzantine members, in virtual time, from a seed. What is found once is found again by the same seed.
//!
//! # What is simulated
//! * **Links** ([`Network`], [`Link`]): latency distributions, loss, duplication, reordering, bandwidth with a bounded
//!   queue per link and per node, distances, slow links; one kind of link before the global stabilisation time and one
//!   after it. Messages travel as bytes: what a machine sends is encoded once, and every receiver's own
//!   [`decode`](quorate::machine::Machine::decode) reads it.
//! * **Disks**: a list of encoded records per node. A restarted machine is made from what was decoded from them.
//! * **Crashes** ([`CrashPoint`]): between steps, during the write of a step's records (only the first few are
//!   durable), between write and send, in the middle of sending.
//! * **Clocks** ([`Clocks`]): each node's clock is ahead by its own offset and drifts at its own rate.
//! * **Work** ([`Work`]): inputs and writes may take time; then inputs queue, and are handled in groups.
//! * **Byzantine members** ([`Behaviour`], [`Adversary`]): ready-made ones for any protocol, and a hook with typed
//!   messages for those that know the protocol.
//!
//! # What is checked
//! By the simulator in every run ([`Checks`]): bytes that decode encode to the same bytes; what an honest node sends
//! or persists can be read; nobody honest is accused by an honest node; nobody sends to itself; the machines do not
//! spin; and, where the scenario asks for it, every correct node makes progress within a bound once the network is
//! stable. By the [`Host`] of the protocol: safety, for which [`Agreement`] is ready. A panic is a violation, too.
//!
//! # How to use it
//! Implement [`Host`] for the protocol: make machines, answer outputs, submit a workload, check. Then run scenarios,
//! written by hand ([`Scenario`]) or drawn from a seed ([`preset`]):
//!
//! ```
//! # use std::time::Duration;
//! # use quorate::machine::{Input, Machine, MemberIndex, Step, Time};
//! # use quorate::wire::{Decode, Encode, Reader, Writer};
//! use quorate_simulator::{Actions, BootContext, CrashPoint, Host, Node, Scenario, Verdict, Violation};
//!
//! # #[derive(Clone, Debug)] struct Hello;
//! # impl Encode for Hello { fn encode_to(&self, w: &mut Writer) { w.u8(1) } }
//! # struct Greeter;
//! # impl Machine for Greeter {
//! #     type Message = Hello; type Command = (); type Timer = (); type Record = Hello; type Output = MemberIndex;
//! #     type Fault = ();
//! #     fn decode(&self, _: MemberIndex, bytes: &[u8]) -> quorate::Result<Hello> {
//! #         if bytes == [1] { Ok(Hello) } else { Err(quorate::Error::Malformed { what: "greeting" }) }
//! #     }
//! #     fn handle(&mut self, _: Time, input: Input<Self>) -> Step<Self> {
//! #         let mut step = Step::new();
//! #         match input {
//! #             Input::Start => step.broadcast(Hello),
//! #             Input::Message { from, .. } => step.output(from),
//! #             _ => {}
//! #         }
//! #         step
//! #     }
//! # }
//! #[derive(Default)]
//! struct Party { greeted: usize }
//!
//! impl Host for Party {
//!     type Machine = Greeter;
//!
//!     fn boot(&mut self, _: BootContext<Hello>) -> Result<Greeter, Violation> { Ok(Greeter) }
//!
//!     fn decode_record(&self, bytes: &[u8]) -> quorate::Result<Hello> {
//!         if bytes == [1] { Ok(Hello) } else { Err(quorate::Error::Malformed { what: "record" }) }
//!     }
//!
//!     fn on_output(&mut self, node: Node, by: MemberIndex, actions: &mut Actions<'_, Greeter>) -> Verdict {
//!         if by == node.member {
//!             return Err(Violation::new("manners", "a node greets itself"));
//!         }
//!         self.greeted += 1;
//!         actions.progress(self.greeted as u64);
//!         Ok(())
//!     }
//! }
//!
//! let scenario = Scenario::new("party", 4, 7)
//!     .lasting(Duration::from_secs(1))
//!     .crash(Duration::from_millis(50), 2, CrashPoint::Now)
//!     .restart(Duration::from_millis(100), 2);
//! let report = quorate_simulator::check(&scenario, |_| Party::default(), "cargo run --example party")
//!     .unwrap_or_else(|failure| panic!("{failure}"));
//! assert_eq!(report.metrics.nodes.iter().map(|node| node.received).sum::<u64>(), 12 + 3);
//! ```
//!
//! A run that somebody disturbs while it goes on, and that can be replayed with what was done to it, is a [`Session`].
//!
//! # The rules of determinism
//! A run is a pure function of scenario and host. That holds as long as machines, hosts and adversaries
//! * take time from their arguments, and randomness from [`BootContext::seed`], [`Actions::rng`] and [`Control::rng`];
//! * never iterate over a `HashMap` or `HashSet` (their order differs between runs); `BTreeMap` is fine;
//! * do not let floating-point functions other than `+ - * / sqrt` decide anything (they differ between platforms);
//! * start no threads, keep no globals, and do not look at addresses.
//!
//! The simulator itself uses integers only, has one random stream for each purpose (a draw more in one place shifts
//! nothing elsewhere), and takes events of one moment in the order in which they were scheduled. [`check()`] runs a
//! failing seed twice and reports when the two runs differ; [`Report::trace_hash`] compares any two.
//!
//! Costs: O(log n) for each event, one encoding for each message sent, one heap entry for each receiver.

mod adversary;
mod behaviours;
mod campaign;
mod checker;
mod fault;
mod hash;
mod host;
mod links;
mod metrics;
mod network;
mod node;
mod preset;
mod program;
mod queue;
mod report;
mod rng;
mod scenario;
mod session;
mod simulation;
mod trace;

pub use adversary::{Adversary, Control};
pub use campaign::{Failure, check, check_seeds, repeatable, replay, run, shrink};
pub use checker::{Agreement, Delivered, Verdict, Violation};
pub use fault::{Behaviour, CrashPoint, Fault, Scheduled};
pub use host::{Actions, BootContext, Host, Interception, Node, Transmission};
pub use links::Loss;
pub use metrics::{Histogram, Metrics, NodeMetrics};
pub use network::{Latency, Link, Network, Regions};
pub use preset::{PRESETS, PresetParameters, preset};
pub use program::{Program, SeedRun};
pub use report::Report;
pub use rng::{Chance, Rng};
pub use scenario::{Checks, Clocks, Scenario, Work};
pub use session::Session;
pub use simulation::Simulation;
pub use trace::{EventKind, TraceEntry, TraceObserver};

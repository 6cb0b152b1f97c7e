#![forbid(unsafe_code)]
//! Deterministic simulator for any [`Machine`](quorate::machine::Machine).
//!
//! A run executes machines in virtual time, driven by one seed. The simulated network loses, delays, duplicates and
//! reorders messages; nodes crash at any point of a step, clocks are wrong, and some members are Byzantine. The same
//! seed reproduces the same run.
//!
//! # Simulation
//! * **Links** ([`Network`], [`Link`]): latency distributions, loss, duplication, reordering, bandwidth with a
//!   bounded queue per link and per node, regional distances, slow links. Links may differ before and after the
//!   global stabilisation time. Messages travel as bytes: each message is encoded once, and every receiver decodes it
//!   with [`decode`](quorate::machine::Machine::decode).
//! * **Disks**: a list of encoded records per node. A restarted machine is created from the decoded records.
//! * **Crashes** ([`CrashPoint`]): between steps, during the write of a step's records (only the first few become
//!   durable), between the write and the send, and in the middle of sending.
//! * **Clocks** ([`Clocks`]): each node's clock has its own positive offset and drift.
//! * **Work** ([`Work`]): processing inputs and writing records may take time; meanwhile inputs queue and are
//!   processed in groups.
//! * **Byzantine members** ([`Behaviour`], [`Adversary`]): built-in behaviours for any protocol, and a hook with
//!   typed messages for protocol-specific adversaries.
//!
//! # Checks
//! The simulator checks in every run ([`Checks`]): decoded bytes re-encode to the same bytes; honest nodes can decode
//! the messages and records of honest nodes; no honest node accuses an honest member; no node sends to itself; the
//! run has a bounded number of events; and, if the scenario requests it, every correct node makes progress within a
//! bound once the network is stable. The protocol's [`Host`] checks safety, usually with [`Agreement`]. A panic is a
//! violation, too.
//!
//! # How to use it
//! Implement [`Host`] for the protocol: create machines, handle their outputs, submit a workload, check properties.
//! Then run scenarios, written by hand ([`Scenario`]) or generated from a seed ([`preset`]):
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
//!             return Err(Violation::new("self-greeting", "a node greets itself"));
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
//! A [`Session`] is a run that accepts interventions while it executes and replays them exactly.
//!
//! # Determinism
//! A run is a pure function of its scenario and host, provided that machines, hosts and adversaries
//! * take time from their arguments and randomness from [`BootContext::seed`], [`Actions::rng`] and [`Control::rng`];
//! * never iterate over a `HashMap` or `HashSet`, whose order differs between runs (`BTreeMap` is fine);
//! * make no decision with floating-point functions other than `+ - * / sqrt`, which differ between platforms;
//! * start no threads, keep no global state, and do not depend on memory addresses.
//!
//! The simulator itself uses integers only. Each purpose has its own random stream, so an additional draw in one
//! place does not shift the others. Events at the same time are processed in scheduling order. [`check()`] runs a
//! failing seed twice and reports a difference between the two runs; [`Report::trace_hash`] compares any two runs.
//!
//! Cost: O(log n) per event, one encoding per message sent, one heap entry per receiver.

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
mod node_state;
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
pub use host::{Actions, BootContext, Host, Interception, Transmission};
pub use links::Loss;
pub use metrics::{Metrics, NodeMetrics};
pub use network::{Latency, Link, Network, Regions};
pub use node::Node;
pub use preset::{PRESETS, PresetParameters, ROLLBACKS, RunLength, preset};
pub use program::{Program, SeedRun};
pub use report::Report;
pub use rng::{Probability, Rng};
pub use scenario::{Checks, Clocks, Scenario, Work};
pub use session::Session;
pub use simulation::Simulation;
pub use trace::{EventKind, TraceEntry, TraceObserver};

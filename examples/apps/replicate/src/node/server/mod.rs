//! A running replica: one thread polls its links, runs the machine, writes its records, and then sends.

mod dialer;
mod links;

use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use quorate::ed25519::SecretKey;
use quorate::machine::{Input, Machine, MemberIndex, Outgoing, Recipient, Step, Time, TimerChange};
use quorate::wire::Encode;
use quorate_broadcast::authentication::Authentication;
use quorate_link::{MAX_MESSAGE, NAP, SPIN, wait};

use super::connection::{Connection, Phase};
use super::evidence::EvidenceFolder;
use super::frames::{Reply, decode_request, encode_reply};
use super::group::Group;
use super::handshake::Party;
use super::link::Acceptor;
pub use super::options::{Event, Options};
use super::store::Store;
use super::{Exit, Failure, OrFail, unix_micros};
use crate::application::Application;
use crate::{Command, Config, Misbehaviour, Output, Replica, Status, Timer, Work};
use dialer::Dialer;

/// Maximum number of messages of one connection that are handled in a row.
const AT_ONCE: usize = 16;
/// Polls between two looks at the clock, new connections and finished work.
const ROUNDS: u32 = 16;
/// Time limit of a handshake.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// A running replica. It belongs to one thread.
pub struct Server<A: Authentication, P: Application> {
    machine: Replica<A, P>,
    group: Group,
    key: SecretKey,
    me: MemberIndex,
    acceptor: Acceptor,
    connections: Vec<Connection>,
    store: Option<Store>,
    evidence: Option<EvidenceFolder<A::Signature>>,
    timers: BTreeMap<Timer, Time>,
    clock: Clock,
    background: Sender<Work<A>>,
    done: Receiver<Command<A>>,
    working: usize,
    /// Attempts to connect to the replicas with a lower index.
    dialer: Dialer,
    events: Vec<Event>,
    view: u64,
    spin: bool,
    active: Instant,
    rounds: u32,
}

/// Microseconds since 1970, monotonic from the start on.
struct Clock {
    origin: Instant,
    base: Time,
}

impl Clock {
    fn now(&self) -> Time {
        self.base.plus(self.origin.elapsed())
    }
}

impl<A: Authentication, P: Application> Server<A, P> {
    /// Restores the replica from its records and listens.
    ///
    /// # Errors
    /// [`Failure`] that names the failed step.
    pub fn start(options: Options<'_>, authentication: A, application: P) -> Result<Self, Failure> {
        let Options { group, key, parameters, data, sync, spin } = options;
        let me = group.replica(&key)?;
        let limits = crate::limits::<A, P>(group.committee.len(), &parameters);
        let binding = [&group.committee.id().0[..], &me.to_le_bytes()].concat();
        let (store, records) = match data {
            Some(dir) => {
                let (store, records) = Store::open::<A::Signature>(dir, &binding, sync, &limits)?;
                (Some(store), records)
            }
            None => (None, Vec::new()),
        };
        let config = Config { group: group.committee.clone(), me, authentication, application, parameters };
        let machine = Replica::new(config, records).or_fail(Exit::Setup, "the records of the replica")?;
        let acceptor = Acceptor::bind(group, me, &key)?;
        let (background, work) = mpsc::channel::<Work<A>>();
        let (finished, done) = mpsc::channel();
        // The machine limits the work in progress. The thread ends with the sender.
        std::thread::Builder::new()
            .name(format!("background {me}"))
            .spawn(move || {
                for work in work {
                    let _ = finished.send(Command::Done(work.run()));
                }
            })
            .or_fail(Exit::Failed, "starting a thread")?;
        let mut server = Self {
            machine,
            group: group.clone(),
            key,
            me,
            acceptor,
            connections: Vec::new(),
            store,
            evidence: data.map(|dir| EvidenceFolder::new(dir.join("evidence"))),
            timers: BTreeMap::new(),
            clock: Clock { origin: Instant::now(), base: Time(unix_micros()) },
            background,
            done,
            working: 0,
            dialer: Dialer::new(me),
            events: Vec::new(),
            view: 0,
            spin,
            active: Instant::now(),
            rounds: 0,
        };
        server.handle(Input::Start)?;
        Ok(server)
    }

    /// Returns a summary of the machine's state.
    pub fn status(&self) -> Status {
        self.machine.status()
    }

    /// Returns true if all replicas are connected and no background work is in progress.
    pub fn is_ready(&self) -> bool {
        let others = (0..self.group.committee.len()).filter(|other| *other != self.me);
        let mut others = others.map(Party::Replica);
        self.working == 0 && others.all(|other| self.connections.iter().any(|c| c.is_open_to(other)))
    }

    /// Returns the events since the last call.
    pub fn events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Handles what has arrived, and sleeps if nothing has for a while.
    ///
    /// # Errors
    /// [`Failure`] if a record cannot be written: nothing more is sent.
    pub fn poll(&mut self) -> Result<(), Failure> {
        let mut is_idle = self.receive()?;
        self.rounds = self.rounds.wrapping_add(1);
        if is_idle && !self.rounds.is_multiple_of(ROUNDS) {
            std::thread::yield_now();
            return Ok(());
        }
        is_idle &= self.finish_work()?;
        is_idle &= self.fire_timers(is_idle)?;
        self.maintain();
        let now = Instant::now();
        if !is_idle {
            self.active = now;
        } else if !self.spin && now.duration_since(self.active) >= SPIN {
            self.sleep();
        } else {
            std::thread::yield_now();
        }
        Ok(())
    }

    /// Handles messages of all connections. Returns true if there was none.
    fn receive(&mut self) -> Result<bool, Failure> {
        let (mut is_idle, mut buffer) = (true, Vec::with_capacity(MAX_MESSAGE));
        for at in 0..self.connections.len() {
            for _ in 0..AT_ONCE {
                let Some(connection) = self.connections.get_mut(at) else { break };
                connection.flush();
                if !connection.receive(&mut buffer) {
                    break;
                }
                is_idle = false;
                self.frame(at, &buffer)?;
            }
        }
        self.connections.retain(|connection| !connection.is_closed());
        Ok(is_idle)
    }

    fn frame(&mut self, at: usize, frame: &[u8]) -> Result<(), Failure> {
        let Some(connection) = self.connections.get_mut(at) else { return Ok(()) };
        let Phase::Open(party) = connection.phase else {
            self.shake_hands(at, frame);
            return Ok(());
        };
        let Some(message) = connection.assemble(frame) else { return Ok(()) };
        match party {
            Party::Replica(from) => match self.machine.decode(from, &message) {
                Ok(message) => self.handle(Input::Message { from, message })?,
                Err(error) => {
                    connection.close();
                    self.events.push(Event::Fault { culprit: from, code: error.code(), evidence: None });
                }
            },
            Party::Client(client) => match decode_request(client, &message) {
                Some(request) => self.handle(Input::Command(Command::Request(request)))?,
                None => {
                    connection.close();
                    self.events.push(Event::Refused { code: "BAD_FRAME", claimed: party });
                }
            },
        }
        Ok(())
    }

    /// Passes an input to the machine, and carries out the step: records first, then messages, then outputs and faults.
    fn handle(&mut self, input: Input<Replica<A, P>>) -> Result<(), Failure> {
        let now = self.clock.now();
        let step = self.machine.handle(now, input);
        let Step { persist, messages, timers, outputs, faults } = step;
        if let (Some(store), false) = (&mut self.store, persist.is_empty()) {
            store.append(&persist)?;
            if store.is_long() {
                store.replace(&self.machine.records())?;
            }
        }
        for Outgoing { to, message } in messages {
            let bytes = message.encode();
            for connection in &mut self.connections {
                let is_addressed = match (to, connection.phase) {
                    (Recipient::Others, Phase::Open(Party::Replica(_))) => true,
                    (Recipient::One(to), phase) => phase == Phase::Open(Party::Replica(to)),
                    _ => false,
                };
                if is_addressed {
                    connection.send(&bytes);
                }
            }
        }
        for change in timers {
            match change {
                TimerChange::Set { timer, after } => self.timers.insert(timer, now.plus(after)),
                TimerChange::Cancel { timer } => self.timers.remove(&timer),
            };
        }
        for output in outputs {
            self.output(output)?;
        }
        for fault in faults {
            self.charge(fault.culprit, fault.evidence);
        }
        let status = self.machine.status();
        if status.active && status.view != self.view {
            self.view = status.view;
            self.events.push(Event::View(status.view));
        }
        Ok(())
    }

    fn output(&mut self, output: Output<A>) -> Result<(), Failure> {
        match output {
            Output::Reply { client, sequence, answer } => {
                self.reply(client, sequence, Reply::Answer(answer));
            }
            Output::Outdated { client, sequence, last } => {
                self.reply(client, sequence, Reply::Outdated(last));
            }
            Output::Work(work) => {
                self.working += usize::from(self.background.send(work).is_ok());
            }
            Output::Broken(error) => return Err(Failure::new(Exit::Failed, format!("signing: {error}"))),
            Output::Executed { .. } | Output::Restored { .. } => {}
        }
        Ok(())
    }

    fn reply(&mut self, client: u16, sequence: u64, reply: Reply) {
        let reply = encode_reply(sequence, reply);
        let party = Party::Client(client);
        for connection in self.connections.iter_mut().filter(|c| c.phase == Phase::Open(party)) {
            connection.send(&reply);
        }
    }

    /// Reports a violation. Evidence is durable before it is reported.
    fn charge(&mut self, culprit: MemberIndex, misbehaviour: Misbehaviour<A::Signature>) {
        let code = misbehaviour.code();
        let (mut evidence, mut unsaved) = (None, None);
        if let (Misbehaviour::Equivocation(found), Some(folder)) = (misbehaviour, &mut self.evidence) {
            match folder.save(*found) {
                Ok(path) => evidence = Some(path),
                Err(failure) => unsaved = Some(failure.message),
            }
        }
        self.events.push(Event::Fault { culprit, code, evidence });
        self.events.extend(unsaved.map(|reason| Event::EvidenceUnsaved { culprit, reason }));
    }

    /// Returns true if no work was finished.
    fn finish_work(&mut self) -> Result<bool, Failure> {
        let mut is_idle = true;
        while let Ok(done) = self.done.try_recv() {
            self.working = self.working.saturating_sub(1);
            self.handle(Input::Command(done))?;
            is_idle = false;
        }
        Ok(is_idle)
    }

    /// Fires due timers. Slow signatures wait until no message does. Returns true if none was due.
    fn fire_timers(&mut self, is_idle: bool) -> Result<bool, Failure> {
        let now = self.clock.now();
        let is_due = |(timer, at): &(&Timer, &Time)| **at <= now && (is_idle || **timer != Timer::Deferred);
        let due: Vec<Timer> = self.timers.iter().filter(is_due).map(|(timer, _)| *timer).collect();
        self.timers.retain(|timer, _| !due.contains(timer));
        for timer in &due {
            self.handle(Input::Timer(*timer))?;
        }
        Ok(due.is_empty())
    }

    /// Accepts links, connects to the replicas with a lower index, closes unfinished handshakes, and writes kept evidence.
    fn maintain(&mut self) {
        if let Some(folder) = &mut self.evidence {
            let saved = folder.retry().into_iter();
            self.events.extend(saved.map(|(culprit, evidence)| Event::EvidenceSaved { culprit, evidence }));
        }
        self.connections.retain(|connection| {
            matches!(connection.phase, Phase::Open(_)) || connection.began.elapsed() < HANDSHAKE
        });
        self.accept();
        self.connect();
    }

    /// Waits for a message, a new connection or a timer.
    fn sleep(&self) {
        let now = self.clock.now();
        let timer = self.timers.values().map(|at| at.since(now)).min().unwrap_or(NAP);
        // A result of the background thread does not end the wait.
        let limit = if self.working > 0 { Duration::from_micros(50) } else { NAP };
        let connected = self.connections.iter().map(Connection::as_fd);
        let descriptors: Vec<_> = [self.acceptor.listener().as_fd()].into_iter().chain(connected).collect();
        wait(&descriptors, timer.min(limit).max(Duration::from_micros(1)));
    }
}

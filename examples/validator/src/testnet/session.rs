use std::time::Duration;

use quorate_support::terminal::stdout_has_colours;
use quorate_support::{errln, outln};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until};

use super::change::{Approvers, Changes, MemberRequest};
use super::child::{Sample, Usage};
use super::network::{Network, interrupted};
use super::recent_load::RecentLoad;
use super::report::{AgreementReport, Event, MemberChange, NodeUsage, Report};
use super::screen::Screen;
use super::timeline::{Action, Timeline};
use super::view::Frame;
use super::watch::Watch;
use crate::exit::{Exit, Failure};
use crate::load::{Load, LoadReport, Payloads, Plan};

/// Interval of the status polls and of the redraws.
const LOOK_PAUSE: Duration = Duration::from_millis(500);
/// Number of polls per printed line without a terminal.
const LOOKS_PER_LINE: u64 = 2;
/// Interval of the polls after the load.
const SETTLE_PAUSE: Duration = Duration::from_millis(100);
/// Maximum time for validators to catch up at the end.
const CATCH_UP: Duration = Duration::from_secs(120);

/// Options of a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionOptions {
    /// Transactions per second, over all validators; 0 for none.
    pub rate: f64,
    /// Size of the random transactions in bytes; `None` for the transactions of a file.
    pub tx_size: Option<u32>,
    /// Duration of the load; `None` to run until an interrupt.
    pub duration: Option<Duration>,
    /// Maximum time after the load for transactions in flight to commit.
    pub drain: Duration,
    /// Print one JSON object at the end; progress goes to standard error.
    pub json: bool,
}

/// A running testnet whose validators are ready.
pub(crate) struct Session {
    options: SessionOptions,
    network: Network,
    timeline: Timeline,
    events: Vec<Event>,
    changes: Changes,
    changed: Vec<MemberChange>,
    crashed: Vec<String>,
    screen: Option<Screen>,
    names: Vec<String>,
    recent: RecentLoad,
}

impl Session {
    pub(crate) fn new(options: SessionOptions, network: Network, timeline: Timeline) -> Self {
        let screen = if options.json { None } else { Screen::new() };
        let names = network.names();
        Self {
            options,
            network,
            timeline,
            events: Vec::new(),
            changes: Changes::default(),
            changed: Vec::new(),
            crashed: Vec::new(),
            screen,
            names,
            recent: RecentLoad::default(),
        }
    }

    /// Runs to the end, stops the validators in any case, and reports.
    pub(crate) async fn run(mut self, payloads: Payloads) -> Result<(), Failure> {
        let watched = self.watch(payloads).await;
        self.network.stop().await;
        let (report, verdict) = watched?;
        if self.options.json {
            let text =
                serde_json::to_string(&report).map_err(|e| Failure::new(Exit::Failed, e.to_string()))?;
            outln!("{text}");
        } else {
            outln!();
            report.print(&verdict);
        }
        report.judge(&verdict)
    }

    async fn watch(&mut self, payloads: Payloads) -> Result<(Report, String), Failure> {
        let mut watch = Watch::new(self.network.apis()?);
        // A continued testnet may contain validators that have left.
        (0..self.network.len())
            .filter(|node| !self.network.is_running(*node))
            .for_each(|node| watch.has_left(node));
        watch.poll().await;
        watch.begin();
        let (usage, height) = (self.network.usage(), watch.height());
        let rate = self.options.rate;
        let mut load = None;
        if rate > 0.0 {
            load = Some(Load::start(Plan { targets: self.network.streams(), rate, payloads }).await);
        }
        let start = Instant::now();
        let failure = self.follow(&mut watch, load.as_ref(), start).await.err();
        let elapsed = start.elapsed();
        watch.poll().await;
        let blocks = watch.height().saturating_sub(height);
        let after = self.network.usage();
        let load = match load.take() {
            Some(load) => Some(load.finish(self.options.drain).await?),
            None => None,
        };
        self.settle(&mut watch, start).await;
        match failure {
            Some(failure) => Err(failure),
            None => Ok(self.report(&watch, load, blocks, elapsed, &usage, &after)),
        }
    }

    /// Redraws and carries out the timeline until the end.
    async fn follow(
        &mut self,
        watch: &mut Watch,
        load: Option<&Load>,
        start: Instant,
    ) -> Result<(), Failure> {
        let end = self.options.duration.map(|duration| start + duration);
        let mut half = self.options.duration.map(|duration| start + duration / 2);
        let mut tick = interval(LOOK_PAUSE);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut looks = 0;
        let mut interrupted = std::pin::pin!(interrupted());
        loop {
            // A moment far in the future stands for none.
            let at = |moment: Option<Instant>| moment.unwrap_or_else(|| start + Duration::from_secs(1 << 30));
            let next = at(self.timeline.next_at().map(|after| start + after));
            tokio::select! {
                biased;
                () = interrupted.as_mut() => return Ok(()),
                () = sleep_until(at(end)) => return Ok(()),
                () = sleep_until(at(half)) => {
                    half = None;
                    load.inspect(|load| load.mark());
                }
                () = sleep_until(next) => self.act(watch, start).await?,
                _ = tick.tick() => {
                    watch.poll().await;
                    self.record_changes_of_state(watch, start).await;
                    if self.screen.is_some() || looks % LOOKS_PER_LINE == 0 {
                        self.draw(watch, load, start, end);
                    }
                    looks += 1;
                }
            }
        }
    }

    /// Carries out due actions of the timeline.
    async fn act(&mut self, watch: &mut Watch, start: Instant) -> Result<(), Failure> {
        while let Some((action, node)) = self.timeline.due(start.elapsed()) {
            let at = start.elapsed().as_secs_f64();
            match action {
                Action::Kill => {
                    // Compare its blocks now, because a killed validator cannot be queried.
                    watch.compare(node).await;
                    self.network.kill_one(node).await;
                    watch.is_down(node);
                    self.events.push(Event {
                        node,
                        killed_at: at,
                        restarted_at: None,
                        caught_up_after: None,
                    });
                    self.note(&format!("killed validator {node}"));
                }
                Action::Restart => {
                    self.network.start_one(node)?;
                    watch.is_restarted(node);
                    let killed = self.events.iter_mut().rev().find(|event| event.node == node);
                    if let Some(event) = killed {
                        event.restarted_at = Some(at);
                    }
                    self.note(&format!("restarted validator {node}"));
                }
                Action::Join => {
                    let public = self.network.add_one()?;
                    watch.add(self.network.api(node)?);
                    self.names = self.network.names();
                    self.changed.push(MemberChange::requested(node, "join", at));
                    self.note(&format!(
                        "validator {node} started with an empty directory; requesting that it joins"
                    ));
                    let request = MemberRequest::Join(Box::new(public.into_member(1)));
                    self.changes.add(self.changed.len().saturating_sub(1), request);
                }
                Action::Leave => {
                    self.changed.push(MemberChange::requested(node, "leave", at));
                    self.note(&format!("requesting that validator {node} leaves"));
                    let name = self.names.get(node).cloned().unwrap_or_default();
                    self.changes.add(self.changed.len().saturating_sub(1), MemberRequest::Leave(name));
                }
            }
        }
        Ok(())
    }

    /// Records validators that ended or caught up, and the progress of membership changes.
    async fn record_changes_of_state(&mut self, watch: &mut Watch, start: Instant) {
        while let Some((node, ended)) = self.network.ended() {
            match ended {
                Ok(()) => {
                    watch.has_left(node);
                    self.note(&format!("validator {node} has left and has stopped"));
                }
                Err(failure) => {
                    watch.is_down(node);
                    self.note(&failure.to_string());
                    self.crashed.push(failure.to_string());
                }
            }
        }
        self.record_member_changes(watch, start).await;
        for event in self.events.iter_mut().filter(|event| event.restarted_at.is_some()) {
            let caught_up = watch.nodes.get(event.node).and_then(|node| node.caught_up);
            event.caught_up_after = event.caught_up_after.or(caught_up.map(|after| after.as_secs_f64()));
        }
    }

    async fn record_member_changes(&mut self, watch: &Watch, start: Instant) {
        let at = start.elapsed().as_secs_f64();
        let (network, height) = (&self.network, watch.height());
        if let Some((change, made)) = self.changes.poll(|| Approvers::reachable(network, watch)).await {
            let text = match (made, self.changed.get_mut(change)) {
                (Ok(begun), Some(change)) => {
                    change.begun(begun, at);
                    change.words()
                }
                (Ok(_), None) => String::new(),
                (Err(failure), _) => failure.to_string(),
            };
            self.note(&text);
        }
        for change in &mut self.changed {
            let node = watch.nodes.get(change.node);
            let has_reached = |height| change.first_height.is_some_and(|first| height >= first);
            let done = match change.change {
                "join" => node
                    .and_then(|node| node.status.as_ref())
                    .is_some_and(|status| status.me.is_some() && has_reached(status.height)),
                _ => node.is_some_and(|node| node.left) && has_reached(height),
            };
            if done && change.begun_after.is_some() && change.done_after.is_none() {
                change.done_after = Some(at - change.asked_at);
            }
        }
    }

    fn draw(&mut self, watch: &Watch, load: Option<&Load>, start: Instant, end: Option<Instant>) {
        let load = load.map(|load| self.recent.view(load, self.options.rate, self.options.tx_size));
        let directory = self.network.layout.directory.display().to_string();
        let hint = self.hint();
        let frame = Frame {
            watch,
            names: &self.names,
            protocol: self.network.layout.protocol.clone(),
            scheme: self.network.layout.scheme,
            directory: &directory,
            elapsed: start.elapsed(),
            total: end.map(|end| end - start),
            load,
            hint: &hint,
        };
        match &mut self.screen {
            Some(screen) => {
                let (columns, rows) = Screen::size();
                screen.draw(&frame.table(columns.min(100), rows, stdout_has_colours()));
            }
            None => print_line(self.options.json, &frame.line()),
        }
    }

    fn hint(&self) -> String {
        let http = self.network.layout.nodes.first().map_or("", |node| node.http.as_str());
        format!(
            "In another terminal: quorate submit --wait \"put greeting hello\"\n\
             then: quorate get --key greeting     HTTP: http://{http}/\n\
             * marks the leader of the current view. Ctrl-C stops."
        )
    }

    fn note(&mut self, text: &str) {
        match &mut self.screen {
            Some(screen) => screen.note(text),
            None => print_line(self.options.json, text),
        }
    }

    /// Waits until every running validator has reached the current height, so that all blocks are compared, and until the
    /// requested membership changes are complete.
    async fn settle(&mut self, watch: &mut Watch, start: Instant) {
        watch.poll().await;
        let (height, deadline) = (watch.height(), Instant::now() + CATCH_UP);
        let mut interrupted = std::pin::pin!(interrupted());
        while !(watch.all_reached(height) && self.is_changed()) && Instant::now() < deadline {
            tokio::select! {
                () = sleep(SETTLE_PAUSE) => {}
                () = interrupted.as_mut() => break,
            }
            watch.poll().await;
            self.record_changes_of_state(watch, start).await;
        }
        self.record_changes_of_state(watch, start).await;
    }

    fn is_changed(&self) -> bool {
        self.changes.is_empty() && self.changed.iter().all(|change| change.done_after.is_some())
    }

    fn report(
        &mut self,
        watch: &Watch,
        load: Option<LoadReport>,
        blocks: u64,
        elapsed: Duration,
        before: &[Sample],
        after: &[Sample],
    ) -> (Report, String) {
        let seconds = elapsed.as_secs_f64().max(1e-3);
        // A restarted validator is a new process, so its usage starts at zero.
        let used = |(index, after): (usize, &Sample)| {
            let (pid, after) = after.as_ref()?;
            let before = before.get(index).and_then(Option::as_ref).filter(|(old, _)| old == pid);
            let before = before.map_or_else(Usage::default, |(_, usage)| usage.clone());
            Some(NodeUsage::between(&before, after, seconds))
        };
        let report = Report {
            nodes: self.names.len(),
            protocol: self.network.layout.protocol.to_string(),
            scheme: self.network.layout.scheme.as_str(),
            rate: self.options.rate,
            tx_size: self.options.tx_size,
            load,
            height: watch.height(),
            blocks_per_second: (blocks as f64 / seconds * 100.0).round() / 100.0,
            certificate_bytes: watch.furthest().map_or(0, |status| status.certificate_bytes),
            timeouts: watch.timeouts(),
            events: std::mem::take(&mut self.events),
            changes: std::mem::take(&mut self.changed),
            agreement: AgreementReport {
                heights: watch.agreement.heights(),
                validators: watch.agreement.validators(),
                contradictions: watch.agreement.contradictions().to_vec(),
            },
            usage: after.iter().enumerate().map(used).collect(),
            crashed: std::mem::take(&mut self.crashed),
            directory: self.network.layout.directory.display().to_string(),
        };
        (report, watch.agreement.verdict())
    }
}

/// Prints a line of progress. With `--json`, standard output is reserved for the JSON object.
fn print_line(json: bool, line: &str) {
    if json {
        errln!("{line}");
    } else {
        outln!("{line}");
    }
}

use std::collections::VecDeque;
use std::time::Duration;

use quorate_terminal::{count, say, tell};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until};

use super::RunTestnet;
use super::child::{Sample, Usage};
use super::network::{Network, interrupted};
use super::report::{AgreementReport, Event, NodeUsage, Report};
use super::screen::Screen;
use super::timeline::{Action, Timeline};
use super::view::{Frame, LoadView};
use super::watch::Watch;
use crate::exit::{Exit, Failure};
use crate::load::{Histogram, Latencies, Load, LoadReport, Payloads, Plan};

/// How often the validators are looked at, and a terminal is drawn.
const LOOK_PAUSE: Duration = Duration::from_millis(500);
/// Every how many looks a line is printed where there is no terminal.
const LOOKS_PER_LINE: u64 = 2;
/// How far back the shown latencies look, in draws.
const RECENT: usize = 10;
/// How long what is on its way at the end may take to commit.
const DRAIN: Duration = Duration::from_secs(1);
/// How often they are looked at in the end.
const SETTLE_PAUSE: Duration = Duration::from_millis(100);
/// How long validators may take to catch up at the end.
const CATCH_UP: Duration = Duration::from_secs(20);

/// A testnet from the moment its validators are ready.
pub(crate) struct Session<'a> {
    options: &'a RunTestnet,
    network: Network,
    timeline: Timeline,
    events: Vec<Event>,
    crashed: Vec<String>,
    screen: Option<Screen>,
    names: Vec<String>,
    recent: VecDeque<(Instant, Histogram, u64)>,
}

impl<'a> Session<'a> {
    pub(crate) fn new(options: &'a RunTestnet, network: Network, timeline: Timeline) -> Self {
        let screen = if options.json { None } else { Screen::new() };
        let names = network.names();
        let recent = VecDeque::new();
        Self { options, network, timeline, events: Vec::new(), crashed: Vec::new(), screen, names, recent }
    }

    /// Runs to the end, stops the validators whatever happened, and reports.
    pub(crate) async fn run(mut self, payloads: Payloads) -> Result<(), Failure> {
        let watched = self.watch(payloads).await;
        self.network.stop().await;
        let (report, verdict) = watched?;
        if self.options.json {
            let text =
                serde_json::to_string(&report).map_err(|e| Failure::new(Exit::Failed, e.to_string()))?;
            say!("{text}");
        } else {
            say!();
            report.print(&verdict);
        }
        report.judge(&verdict)
    }

    async fn watch(&mut self, payloads: Payloads) -> Result<(Report, String), Failure> {
        let mut watch = Watch::new(self.network.apis()?);
        watch.look().await;
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
        watch.look().await;
        let blocks = watch.height().saturating_sub(height);
        let after = self.network.usage();
        let load = match load.take() {
            Some(load) => Some(load.finish(DRAIN).await?),
            None => None,
        };
        self.settle(&mut watch).await;
        match failure {
            Some(failure) => Err(failure),
            None => Ok(self.report(&watch, load, blocks, elapsed, &usage, &after)),
        }
    }

    /// Draws, kills and restarts until the end.
    async fn follow(
        &mut self,
        watch: &mut Watch,
        load: Option<&Load>,
        start: Instant,
    ) -> Result<(), Failure> {
        let end = self.options.duration.map(|s| start + Duration::from_secs_f64(s));
        let mut half = self.options.duration.map(|s| start + Duration::from_secs_f64(s / 2.0));
        let mut tick = interval(LOOK_PAUSE);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut looks = 0;
        let mut interrupted = std::pin::pin!(interrupted());
        loop {
            // Far away where there is none.
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
                    watch.look().await;
                    self.notice_crashes(watch);
                    if self.screen.is_some() || looks % LOOKS_PER_LINE == 0 {
                        self.draw(watch, load, start, end);
                    }
                    looks += 1;
                }
            }
        }
    }

    /// Does what the timeline says.
    async fn act(&mut self, watch: &mut Watch, start: Instant) -> Result<(), Failure> {
        while let Some((action, node)) = self.timeline.due(start.elapsed()) {
            let at = start.elapsed().as_secs_f64();
            match action {
                Action::Kill => {
                    // What it delivered until now is compared, for afterwards nobody can ask it.
                    watch.compare(node).await;
                    self.network.kill_one(node).await;
                    watch.is_down(node);
                    self.events.push(Event {
                        node,
                        killed_at: at,
                        restarted_at: None,
                        caught_up_after: None,
                    });
                    self.note(&format!("validator {node} is killed"));
                }
                Action::Restart => {
                    self.network.start_one(node)?;
                    watch.is_restarted(node);
                    let killed = self.events.iter_mut().rev().find(|event| event.node == node);
                    if let Some(event) = killed {
                        event.restarted_at = Some(at);
                    }
                    self.note(&format!("validator {node} is started again"));
                }
            }
        }
        Ok(())
    }

    fn notice_crashes(&mut self, watch: &mut Watch) {
        while let Some((node, failure)) = self.network.crashed() {
            watch.is_down(node);
            self.note(&failure.to_string());
            self.crashed.push(failure.to_string());
        }
        for event in self.events.iter_mut().filter(|event| event.restarted_at.is_some()) {
            let caught_up = watch.nodes.get(event.node).and_then(|node| node.caught_up);
            event.caught_up_after = event.caught_up_after.or(caught_up.map(|after| after.as_secs_f64()));
        }
    }

    fn draw(&mut self, watch: &Watch, load: Option<&Load>, start: Instant, end: Option<Instant>) {
        let load = load.map(|load| self.load_view(load));
        let directory = self.network.layout.directory.display().to_string();
        let hint = self.hint();
        let frame = Frame {
            watch,
            names: &self.names,
            protocol: self.network.layout.protocol,
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
                screen.draw(&frame.table(columns.min(100), rows, Screen::has_colour()));
            }
            None => print_line(self.options.json, &frame.line()),
        }
    }

    fn load_view(&mut self, load: &Load) -> LoadView {
        let (histogram, committed) = load.recent();
        self.recent.push_back((Instant::now(), histogram, committed));
        while self.recent.len() > RECENT {
            self.recent.pop_front();
        }
        let mut recent = Histogram::new();
        self.recent.iter().for_each(|(_, histogram, _)| recent.add(histogram));
        // The first of them counts what came before its moment.
        let commits: u64 = self.recent.iter().skip(1).map(|(.., committed)| committed).sum();
        let since = self.recent.front().map_or(Duration::ZERO, |(at, ..)| at.elapsed());
        let counts = load.counts();
        let what = match &self.options.transactions {
            Some(_) if load.is_sent() => "file, sent whole".to_owned(),
            Some(_) => format!("file, {} tx/s", count(self.options.rate as u64)),
            None => {
                format!("{} tx/s of {} random bytes", count(self.options.rate as u64), self.options.tx_size)
            }
        };
        LoadView {
            what,
            submitted: counts.submitted,
            committed: counts.committed,
            refused: counts.all_refused(),
            unanswered: counts.lost + counts.unsent,
            per_second: if since.is_zero() { 0.0 } else { commits as f64 / since.as_secs_f64() },
            latencies: Latencies::of(&recent),
        }
    }

    fn hint(&self) -> String {
        let http = self.network.layout.nodes.first().map_or("", |node| node.http.as_str());
        format!(
            "In another terminal: quorate submit --wait \"put greeting hello\"\n\
             then: quorate get --key greeting     HTTP: http://{http}/\n\
             * leads the current view. Ctrl-C stops."
        )
    }

    fn note(&mut self, text: &str) {
        match &mut self.screen {
            Some(screen) => screen.note(text),
            None => print_line(self.options.json, text),
        }
    }

    /// Waits until every running validator has what the furthest has now, so that all is compared.
    async fn settle(&mut self, watch: &mut Watch) {
        watch.look().await;
        let (height, deadline) = (watch.height(), Instant::now() + CATCH_UP);
        let mut interrupted = std::pin::pin!(interrupted());
        while !watch.all_reached(height) && Instant::now() < deadline {
            tokio::select! {
                () = sleep(SETTLE_PAUSE) => {}
                () = interrupted.as_mut() => break,
            }
            watch.look().await;
            self.notice_crashes(watch);
        }
        self.notice_crashes(watch);
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
        // A validator that was restarted is another process, which used nothing before.
        let used = |(before, after): (&Sample, &Sample)| {
            let (pid, after) = (*after)?;
            let before =
                before.filter(|(old, _)| *old == pid).map_or_else(Usage::default, |(_, usage)| usage);
            Some(NodeUsage::between(before, after, seconds))
        };
        let report = Report {
            nodes: self.names.len(),
            protocol: self.network.layout.protocol.as_str(),
            scheme: self.network.layout.scheme.as_str(),
            rate: self.options.rate,
            tx_size: self.options.transactions.is_none().then_some(self.options.tx_size),
            load,
            height: watch.height(),
            blocks_per_second: (blocks as f64 / seconds * 100.0).round() / 100.0,
            certificate_bytes: watch.furthest().map_or(0, |status| status.certificate_bytes),
            timeouts: watch.timeouts(),
            events: std::mem::take(&mut self.events),
            agreement: AgreementReport {
                heights: watch.agreement.heights(),
                validators: watch.agreement.validators(),
                contradictions: watch.agreement.contradictions().to_vec(),
            },
            usage: before.iter().zip(after).map(used).collect(),
            crashed: std::mem::take(&mut self.crashed),
            directory: self.network.layout.directory.display().to_string(),
        };
        (report, watch.agreement.verdict())
    }
}

/// Progress where there is no terminal; with `--json`, standard output is for the one object alone.
fn print_line(json: bool, line: &str) {
    if json {
        tell!("{line}");
    } else {
        say!("{line}");
    }
}

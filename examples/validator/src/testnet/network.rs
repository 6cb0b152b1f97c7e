use std::path::Path;
use std::time::Duration;

use quorate_node::genesis::Parameters;
use tokio::time::{Instant, sleep};

use super::child::{Sample, Usage, ValidatorProcess, crashed, has_left, log_tail};
use super::layout::{Layout, NodePlace, RequestedTestnet};
use crate::api::Api;
use crate::commands::keygen::PublicFile;
use crate::exit::{Exit, Failure};
use crate::target::Testnet;

/// Time limit for the validators to connect with each other.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// Interval of the readiness polls.
const START_PAUSE: Duration = Duration::from_millis(50);
/// Maximum number of attempts when ports are in use.
const START_ATTEMPTS: usize = 5;

/// Processes and files of the validators.
#[derive(Debug)]
pub(crate) struct Network {
    pub layout: Layout,
    children: Vec<Option<ValidatorProcess>>,
    testnet: Testnet,
    log_level: String,
}

impl Network {
    /// Creates or reads the files, starts the validators, and waits until they are ready.
    pub(crate) async fn start(
        directory: &Path,
        requested: RequestedTestnet,
        parameters: Parameters,
        log_level: &str,
    ) -> Result<Self, Failure> {
        let mut attempt = 1;
        loop {
            let layout = Layout::prepare(directory, &requested, parameters.clone())?;
            let fresh = !layout.continued;
            match Self::launch(layout, log_level).await {
                // Another process took a port between its choice and its use.
                Err((failure, layout))
                    if fresh && failure.exit() == Exit::PortTaken && attempt < START_ATTEMPTS =>
                {
                    layout.discard()?;
                    attempt += 1;
                }
                Err((failure, _)) => return Err(failure),
                Ok(network) => return Ok(network),
            }
        }
    }

    async fn launch(layout: Layout, log_level: &str) -> Result<Self, (Failure, Layout)> {
        let testnet = Testnet {
            pid: std::process::id(),
            directory: layout.directory.clone(),
            genesis: layout.genesis.clone(),
            http: layout.nodes.iter().map(|node| format!("http://{}", node.http)).collect(),
        };
        let mut network = Self { children: Vec::new(), testnet, log_level: log_level.to_owned(), layout };
        let ready = async {
            for index in 0..network.layout.nodes.len() {
                network.children.push(None);
                network.start_one(index)?;
            }
            network.wait_until_ready().await?;
            network.testnet.announce()
        };
        let ready = tokio::select! {
            ready = ready => ready,
            () = interrupted() => Err(Failure::new(Exit::Failed, "interrupted")),
        };
        match ready {
            Ok(()) => Ok(network),
            Err(failure) => Err((failure, network.stop().await)),
        }
    }

    /// Returns the number of validators, running or not.
    pub(crate) fn len(&self) -> usize {
        self.layout.nodes.len()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.layout.nodes.iter().map(|node| node.name.clone()).collect()
    }

    pub(crate) fn apis(&self) -> Result<Vec<Api>, Failure> {
        self.layout.nodes.iter().map(|node| Api::new(&node.http)).collect()
    }

    /// Returns a client of a validator's HTTP interface.
    pub(crate) fn api(&self, index: usize) -> Result<Api, Failure> {
        Api::new(&self.place(index)?.http)
    }

    /// Returns the stream addresses of the validators.
    pub(crate) fn streams(&self) -> Vec<String> {
        self.layout.nodes.iter().map(|node| node.stream.clone()).collect()
    }

    /// Starts a validator that is not running.
    pub(crate) fn start_one(&mut self, index: usize) -> Result<(), Failure> {
        let place = self.place(index)?;
        let child = ValidatorProcess::start(place, &self.log_level)?;
        if let Some(slot) = self.children.get_mut(index) {
            *slot = Some(child);
        }
        Ok(())
    }

    /// Starts a new validator with new keys and an empty directory, as an observer until it is a member.
    pub(crate) fn add_one(&mut self) -> Result<PublicFile, Failure> {
        let public = self.layout.add()?;
        self.children.push(None);
        self.start_one(self.len().saturating_sub(1))?;
        self.testnet.http.extend(self.layout.nodes.last().map(|node| format!("http://{}", node.http)));
        self.testnet.announce()?;
        Ok(public)
    }

    /// Kills a validator with SIGKILL.
    pub(crate) async fn kill_one(&mut self, index: usize) {
        if let Some(child) = self.children.get_mut(index).and_then(Option::take) {
            child.kill().await;
        }
    }

    /// Returns a validator that ended since the last call: with an error, unless it left the members.
    pub(crate) fn ended(&mut self) -> Option<(usize, Result<(), Failure>)> {
        for (index, (slot, place)) in self.children.iter_mut().zip(&self.layout.nodes).enumerate() {
            if let Some(status) = slot.as_mut().and_then(ValidatorProcess::ended) {
                *slot = None;
                return Some((index, if has_left(status) { Ok(()) } else { Err(crashed(place, status)) }));
            }
        }
        None
    }

    /// Returns true if the validator's process runs.
    pub(crate) fn is_running(&self, index: usize) -> bool {
        self.children.get(index).is_some_and(Option::is_some)
    }

    /// Returns the process id and the resource usage of each validator.
    pub(crate) fn usage(&self) -> Vec<Sample> {
        let usage = |child: &Option<ValidatorProcess>| {
            let pid = child.as_ref()?.pid()?;
            Some((pid, Usage::read(pid)?))
        };
        self.children.iter().map(usage).collect()
    }

    /// Stops all validators concurrently.
    pub(crate) async fn stop(self) -> Layout {
        self.testnet.withdraw();
        let stopping: Vec<_> =
            self.children.into_iter().flatten().map(|child| tokio::spawn(child.stop())).collect();
        for child in stopping {
            // A validator that did not stop cleanly was killed.
            let _ = child.await;
        }
        self.layout
    }

    async fn wait_until_ready(&mut self) -> Result<(), Failure> {
        let deadline = Instant::now() + START_TIMEOUT;
        for (index, api) in self.apis()?.iter().enumerate() {
            // A validator that is no longer a member stops at once.
            while self.is_running(index) && !api.is_ready().await {
                if let Some((_, Err(failure))) = self.ended() {
                    return Err(failure);
                }
                if Instant::now() > deadline {
                    let place = self.place(index)?;
                    let text = format!(
                        "{} was not ready after {} s; its log {} ends with:\n{}",
                        place.name,
                        START_TIMEOUT.as_secs(),
                        place.log.display(),
                        log_tail(place)
                    );
                    return Err(Failure::new(Exit::Crashed, text));
                }
                sleep(START_PAUSE).await;
            }
        }
        Ok(())
    }

    fn place(&self, index: usize) -> Result<&NodePlace, Failure> {
        let missing = || Failure::new(Exit::Usage, format!("there is no validator {index}"));
        self.layout.nodes.get(index).ok_or_else(missing)
    }
}

/// Resolves on SIGINT, SIGTERM or SIGHUP.
pub(crate) async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut term) = signal(SignalKind::terminate()) else { return std::future::pending().await };
    let Ok(mut hangup) = signal(SignalKind::hangup()) else { return std::future::pending().await };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = term.recv() => {}
        _ = hangup.recv() => {}
    }
}

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::agreement::Agreement;
use crate::api::Api;
use crate::responses::{BlockSummary, Status};

/// Time limit of a status poll.
const POLL_TIMEOUT: Duration = Duration::from_millis(900);
/// Time window of the shown rates.
const RATE_WINDOW: Duration = Duration::from_secs(5);

/// State of the validators as observed by polling them.
#[derive(Debug)]
pub(crate) struct Watch {
    pub nodes: Vec<ObservedNode>,
    pub agreement: Agreement,
    /// Greatest height that any validator reported. A poll that all validators answer too late changes nothing.
    height: u64,
    /// Recent samples of the greatest height.
    heights: VecDeque<(Instant, u64)>,
}

/// Observed state of one validator.
#[derive(Debug)]
pub(crate) struct ObservedNode {
    api: Api,
    /// True if the validator is supposed to run.
    pub up: bool,
    /// True if the validator stopped because it is no longer a member.
    pub left: bool,
    /// Latest status; `None` if the last poll failed.
    pub status: Option<Status>,
    /// View timeouts since the start of the load, across restarts.
    pub timeouts: u64,
    last_timeouts: u64,
    /// Time of the last restart, and the height to catch up to.
    restarted: Option<(Instant, u64)>,
    /// Time from the last restart until the validator had caught up.
    pub caught_up: Option<Duration>,
}

impl Watch {
    pub(crate) fn new(apis: Vec<Api>) -> Self {
        Self {
            nodes: apis.into_iter().map(ObservedNode::new).collect(),
            agreement: Agreement::default(),
            height: 0,
            heights: VecDeque::new(),
        }
    }

    /// Polls the status and the new blocks of all validators that are supposed to run, concurrently.
    pub(crate) async fn poll(&mut self) {
        let polls: Vec<_> = (0..self.nodes.len()).map(|index| self.poll_node(index)).collect();
        for (index, poll) in polls.into_iter().enumerate() {
            let (status, blocks) = poll.await;
            self.agreement.compare(index, &blocks);
            self.height = status.as_ref().map_or(0, |status| status.height).max(self.height);
            if let Some(node) = self.nodes.get_mut(index) {
                node.record_status(status);
            }
        }
        let now = Instant::now();
        self.heights.push_back((now, self.height()));
        while self.heights.get(1).is_some_and(|(at, _)| now - *at > RATE_WINDOW) {
            self.heights.pop_front();
        }
    }

    /// Compares the new blocks of one validator.
    pub(crate) async fn compare(&mut self, index: usize) {
        let (_, blocks) = self.poll_node(index).await;
        self.agreement.compare(index, &blocks);
    }

    /// Starts a poll of one validator. Blocks that do not arrive in time are requested by the next poll.
    fn poll_node(&self, index: usize) -> impl Future<Output = (Option<Status>, Vec<BlockSummary>)> + use<> {
        let api = self.nodes.get(index).filter(|node| node.up).map(|node| node.api.clone());
        let mut from = self.agreement.compared(index) + 1;
        let poll = tokio::spawn(async move {
            let Some(api) = api else { return (None, Vec::new()) };
            let (deadline, mut blocks) = (Instant::now() + POLL_TIMEOUT, Vec::new());
            let Ok(Ok(status)) = timeout_at(deadline, api.status()).await else { return (None, blocks) };
            // A continued chain may be long, so this repeats until all blocks arrived or the time is over.
            while let Ok(Ok(more)) = timeout_at(deadline, api.blocks(from)).await {
                if more.is_empty() {
                    break;
                }
                from += more.len() as u64;
                blocks.extend(more);
            }
            (Some(status), blocks)
        });
        async { poll.await.unwrap_or_default() }
    }

    /// Resets the counters of timeouts.
    pub(crate) fn begin(&mut self) {
        for node in &mut self.nodes {
            node.timeouts = 0;
        }
    }

    /// Marks the validator as down.
    pub(crate) fn is_down(&mut self, index: usize) {
        if let Some(node) = self.nodes.get_mut(index) {
            node.up = false;
            node.status = None;
            node.restarted = None;
        }
    }

    /// Marks the validator as no longer a member.
    pub(crate) fn has_left(&mut self, index: usize) {
        self.is_down(index);
        if let Some(node) = self.nodes.get_mut(index) {
            node.left = true;
        }
    }

    /// Adds a new validator without blocks.
    pub(crate) fn add(&mut self, api: Api) {
        self.nodes.push(ObservedNode::new(api));
        self.is_restarted(self.nodes.len().saturating_sub(1));
    }

    /// Marks the validator as restarted.
    pub(crate) fn is_restarted(&mut self, index: usize) {
        let goal = self.height();
        if let Some(node) = self.nodes.get_mut(index) {
            node.up = true;
            node.last_timeouts = 0;
            node.caught_up = None;
            node.restarted = Some((Instant::now(), goal));
        }
    }

    /// Returns the greatest height of any validator.
    pub(crate) fn height(&self) -> u64 {
        self.height
    }

    /// Returns true if every validator that is supposed to run has reached `height`.
    pub(crate) fn all_reached(&self, height: u64) -> bool {
        let running = self.nodes.iter().enumerate().filter(|(_, node)| node.up);
        running.into_iter().all(|(index, _)| self.agreement.compared(index) >= height)
    }

    /// Returns the block rate over the last seconds.
    pub(crate) fn blocks_per_second(&self) -> f64 {
        let (Some((from, low)), Some((to, high))) = (self.heights.front(), self.heights.back()) else {
            return 0.0;
        };
        let seconds = (*to - *from).as_secs_f64();
        if seconds > 0.0 { high.saturating_sub(*low) as f64 / seconds } else { 0.0 }
    }

    /// Returns the maximum number of view timeouts of a validator.
    pub(crate) fn timeouts(&self) -> u64 {
        self.nodes.iter().map(|node| node.timeouts).max().unwrap_or(0)
    }

    /// Returns the status of the validator in the newest view.
    pub(crate) fn furthest(&self) -> Option<&Status> {
        self.answers().max_by_key(|status| (status.epoch, status.view))
    }

    /// Returns the leading validator. Its committee index may change with the epoch.
    pub(crate) fn leader(&self) -> Option<usize> {
        let Status { epoch, leader, .. } = self.furthest()?;
        let leads = |status: &Status| status.epoch == *epoch && leader.is_some() && status.me == *leader;
        self.nodes.iter().position(|node| node.status.as_ref().is_some_and(leads))
    }

    fn answers(&self) -> impl Iterator<Item = &Status> {
        self.nodes.iter().filter_map(|node| node.status.as_ref())
    }
}

impl ObservedNode {
    fn new(api: Api) -> Self {
        Self {
            api,
            up: true,
            left: false,
            status: None,
            timeouts: 0,
            last_timeouts: 0,
            restarted: None,
            caught_up: None,
        }
    }

    /// Returns true if the validator has this address.
    pub(crate) fn is_at(&self, api: &Api) -> bool {
        self.api.address() == api.address()
    }

    fn record_status(&mut self, status: Option<Status>) {
        if let Some(status) = &status {
            self.timeouts += status.timeouts.saturating_sub(self.last_timeouts);
            self.last_timeouts = status.timeouts;
            if let Some((since, _)) = self.restarted.filter(|(_, goal)| status.height >= *goal) {
                self.caught_up = Some(since.elapsed());
                self.restarted = None;
            }
        }
        self.status = status;
    }
}

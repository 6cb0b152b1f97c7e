//! View synchronisation: the current view and its timeout.
//!
//! A view is entered through a quorum certificate or a timeout certificate of the previous view. The pacemaker keeps
//! the highest of both, so that it can justify its view and bring slower members up to date.
//!
//! The view timer runs only while there is work: batches that are certified and not committed, or an unanswered
//! timeout of this member. An idle network runs no timers and sends nothing.
//!
//! The timeout of a view follows the durations of recent views ([`ViewDurations`]). Each view entered through a timeout
//! certificate doubles it, up to a limit, and each commit halves the number of doublings. A certified view is not enough:
//! views that are too short could then alternate with sufficient ones forever, and no block would be committed.

use core::time::Duration;

use quorate::certificate::{Certificate, TimeoutCertificate, TimeoutCollector};
use quorate::machine::Time;
use quorate::scheme::Scheme;

use crate::block::Committees;
use crate::ids::TIMEOUT;
use crate::message::{Advance, Timeout};
use crate::parameters::{FAILURE_LIMIT, Parameters};
use crate::view_durations::ViewDurations;

/// Maximum number of doublings of the view timeout. The limit in time is lower for any realistic parameters.
const MAX_DOUBLINGS: u32 = 16;

/// The current view, the certificates that justify it, and the timeouts collected in it.
pub(crate) struct Pacemaker<S: Scheme> {
    view: u64,
    high: Option<Certificate<S>>,
    tc: Option<TimeoutCertificate<S>>,
    /// Number of doublings of the view timeout.
    doublings: u32,
    durations: ViewDurations,
    /// Start of the view timer in the current view; `None` while it does not run.
    started: Option<Time>,
    /// Timeouts of the current view.
    pub(crate) collector: TimeoutCollector<S>,
    /// This member's timeout of the current view.
    pub(crate) sent: Option<Timeout<S>>,
}

impl<S: Scheme> Pacemaker<S> {
    /// Creates a pacemaker in the view that follows from the highest certificates.
    pub(crate) fn new(
        committees: &Committees<S>,
        high: Option<Certificate<S>>,
        tc: Option<TimeoutCertificate<S>>,
        sent: Option<Timeout<S>>,
    ) -> Self {
        let certified = high.as_ref().map_or(0, |qc| qc.statement().view);
        let tc = tc.filter(|tc| tc.view() > certified);
        let view = certified.max(tc.as_ref().map_or(0, TimeoutCertificate::view)).saturating_add(1);
        let sent = sent.filter(|timeout| timeout.vote.view() == view);
        let collector = collector(committees, view);
        let durations = ViewDurations::default();
        Self { view, high, tc, doublings: 0, durations, started: None, collector, sent }
    }

    pub(crate) fn view(&self) -> u64 {
        self.view
    }

    /// Returns the highest quorum certificate.
    pub(crate) fn high(&self) -> Option<&Certificate<S>> {
        self.high.as_ref()
    }

    /// Returns the view of the highest quorum certificate.
    pub(crate) fn certified(&self) -> u64 {
        self.high.as_ref().map_or(0, |qc| qc.statement().view)
    }

    /// Returns the timeout certificate through which the view was entered, if any.
    pub(crate) fn tc(&self) -> Option<&TimeoutCertificate<S>> {
        self.tc.as_ref()
    }

    /// Returns the certificates that bring another member to this view.
    pub(crate) fn advance(&self) -> Advance<S> {
        Advance { high: self.high.clone(), tc: self.tc.clone() }
    }

    /// Applies a verified quorum certificate at a time. Returns whether it is the highest so far, and whether a new
    /// view begins.
    pub(crate) fn on_certificate(
        &mut self,
        committees: &Committees<S>,
        qc: &Certificate<S>,
        now: Time,
    ) -> (bool, bool) {
        let view = qc.statement().view;
        if view <= self.certified() {
            return (false, false);
        }
        self.high = Some(qc.clone());
        if self.tc.as_ref().is_some_and(|tc| tc.view() <= view) {
            // The quorum certificate supersedes the timeout certificate.
            self.tc = None;
        }
        if view < self.view {
            return (true, false);
        }
        if let Some(started) = self.started.filter(|_| view == self.view) {
            self.durations.record(now.since(started));
        }
        self.enter(committees, view.saturating_add(1));
        (true, true)
    }

    /// Applies a verified timeout certificate. Returns whether a new view begins.
    pub(crate) fn on_timeout_certificate(
        &mut self,
        committees: &Committees<S>,
        tc: TimeoutCertificate<S>,
    ) -> bool {
        if tc.view() < self.view {
            return false;
        }
        let view = tc.view().saturating_add(1);
        self.tc = Some(tc);
        self.doublings = self.doublings.saturating_add(1).min(MAX_DOUBLINGS);
        self.enter(committees, view);
        true
    }

    /// Records that a block was committed.
    pub(crate) fn on_commit(&mut self) {
        self.doublings /= 2;
    }

    /// Returns the timeout of the current view.
    pub(crate) fn view_timeout(&self, parameters: &Parameters) -> Duration {
        let timeout =
            self.durations.timeout(parameters).saturating_mul(1 << self.doublings.min(MAX_DOUBLINGS));
        timeout.min(parameters.view_timeout_cap.max(parameters.view_timeout))
    }

    /// Starts the view timer, for the first time in a view or again. Returns its duration. A timeout is repeated no sooner
    /// than after [`Parameters::view_timeout`]: it is repeated for the members that missed it.
    pub(crate) fn start_timer(&mut self, now: Time, parameters: &Parameters) -> Duration {
        let is_repeated = self.started.is_some() || self.sent.is_some();
        self.started.get_or_insert(now);
        let timeout = self.view_timeout(parameters);
        if is_repeated { timeout.max(parameters.view_timeout) } else { timeout }
    }

    /// Returns true from the first start of the timer in a view with work on.
    #[cfg(test)]
    pub(crate) fn is_timing(&self) -> bool {
        self.started.is_some()
    }

    /// Stops the view timer, because there is no work.
    pub(crate) fn stop_timer(&mut self) {
        self.started = None;
    }

    fn enter(&mut self, committees: &Committees<S>, view: u64) {
        self.view = view;
        self.sent = None;
        self.started = None;
        self.collector = collector(committees, view);
    }
}

fn collector<S: Scheme>(committees: &Committees<S>, view: u64) -> TimeoutCollector<S> {
    TimeoutCollector::new(committees.voters.clone(), TIMEOUT, view)
        .with_batch_threshold(2)
        .with_failure_limit(FAILURE_LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{certificate, committees, secret, timeout_certificate};
    use quorate::certificate::TimeoutVote;
    use quorate::ed25519::Ed25519;

    const NOW: Time = Time(0);

    fn at(ms: u64) -> Time {
        NOW.plus(Duration::from_millis(ms))
    }

    #[test]
    fn views_only_rise() {
        let committees = committees::<Ed25519>(4);
        let qc = |view, digest| certificate(&committees, view, [digest; 32]);
        let mut pacemaker = Pacemaker::new(&committees, None, None, None);
        for view in 1..20 {
            assert!(pacemaker.on_timeout_certificate(&committees, timeout_certificate(&committees, view, 0)));
            assert!(
                !pacemaker.on_timeout_certificate(&committees, timeout_certificate(&committees, view, 0))
            );
            assert_eq!(pacemaker.view(), view + 1);
        }
        assert_eq!(pacemaker.on_certificate(&committees, &qc(5, 1), NOW), (true, false));
        assert_eq!(pacemaker.on_certificate(&committees, &qc(4, 2), NOW), (false, false));
        assert_eq!((pacemaker.view(), pacemaker.certified()), (20, 5));
        assert_eq!(pacemaker.on_certificate(&committees, &qc(30, 3), NOW), (true, true));
        assert_eq!(pacemaker.view(), 31);
        assert!(pacemaker.tc().is_none());
        pacemaker.on_timeout_certificate(&committees, timeout_certificate(&committees, 31, 30));
        assert_eq!(pacemaker.on_certificate(&committees, &qc(31, 4), NOW), (true, false));
        assert!(pacemaker.tc().is_none() && pacemaker.view() == 32);
    }

    #[test]
    fn timeouts_double_the_next_one_and_commits_halve_the_doublings() {
        let committees = committees::<Ed25519>(4);
        let parameters = Parameters::default();
        let (first, cap) = (parameters.view_timeout, parameters.view_timeout_cap);
        let mut pacemaker = Pacemaker::new(&committees, None, None, None);
        let mut timeouts = Vec::new();
        for view in 1..=6 {
            timeouts.push(pacemaker.view_timeout(&parameters));
            pacemaker.on_timeout_certificate(&committees, timeout_certificate(&committees, view, 0));
        }
        assert_eq!(timeouts, [first, first * 2, first * 4, first * 8, cap, cap]);
        timeouts.clear();
        for view in 7..12 {
            // A certificate alone does not.
            pacemaker.on_certificate(&committees, &certificate(&committees, view, [1; 32]), NOW);
            timeouts.push(pacemaker.view_timeout(&parameters));
            pacemaker.on_commit();
        }
        assert_eq!(timeouts, [cap, first * 8, first * 2, first, first]);
    }

    #[test]
    fn the_timeout_follows_the_durations_of_views_without_timeout() {
        let committees = committees::<Ed25519>(4);
        let parameters = Parameters::default();
        let mut pacemaker = Pacemaker::new(&committees, None, None, None);
        let mut now = 0;
        let mut pass = |pacemaker: &mut Pacemaker<Ed25519>, duration: u64, has_work: bool| {
            let view = pacemaker.view();
            let timeout = pacemaker.start_timer(at(now), &parameters);
            if !has_work {
                pacemaker.stop_timer();
            }
            now += duration;
            pacemaker.on_certificate(&committees, &certificate(&committees, view, [1; 32]), at(now));
            timeout
        };
        for _ in 0..8 {
            assert_eq!(pass(&mut pacemaker, 100, true), parameters.view_timeout);
            pass(&mut pacemaker, 9_000, false);
        }
        assert_eq!(pass(&mut pacemaker, 100, true), Duration::from_millis(200));
        let view = pacemaker.view();
        pacemaker.start_timer(at(0), &parameters);
        pacemaker.on_timeout_certificate(&committees, timeout_certificate(&committees, view, view - 1));
        assert_eq!(pacemaker.view_timeout(&parameters), Duration::from_millis(400));
        pacemaker.on_certificate(&committees, &certificate(&committees, 99, [1; 32]), at(1 << 40));
        assert_eq!(pacemaker.view_timeout(&parameters), Duration::from_millis(400), "views were skipped");
    }

    /// A member whose timeout is too short, for example because it read the messages of many views at once, must notice it.
    #[test]
    fn a_view_that_this_member_timed_out_counts_if_it_is_certified() {
        let committees = committees::<Ed25519>(4);
        let parameters = Parameters::default();
        let mut pacemaker = Pacemaker::new(&committees, None, None, None);
        for (view, duration) in (1..=48).map(|view| (view, if view <= 8 { 0 } else { 300 })) {
            let timeout = pacemaker.start_timer(at(0), &parameters);
            if view == 9 {
                assert_eq!(timeout, parameters.min_view_timeout);
            }
            if timeout < Duration::from_millis(duration) {
                let (key, voters) = (secret::<Ed25519>(0), &committees.voters);
                let vote = TimeoutVote::sign_unguarded(&key, voters, TIMEOUT, view, view - 1).unwrap();
                pacemaker.sent = Some(Timeout { vote, high: None, tc: None, ballot: None });
                // A timeout that was sent is repeated less often.
                assert_eq!(pacemaker.start_timer(at(150), &parameters), parameters.view_timeout);
            }
            pacemaker.on_certificate(&committees, &certificate(&committees, view, [1; 32]), at(duration));
        }
        assert_eq!(pacemaker.view_timeout(&parameters), Duration::from_millis(600));
    }

    #[test]
    fn a_restart_continues_in_the_certified_view() {
        let committees = committees::<Ed25519>(4);
        let tc = |view| Some(timeout_certificate(&committees, view, 0));
        let qc = |view| Some(certificate(&committees, view, [1; 32]));
        assert_eq!(Pacemaker::new(&committees, qc(7), tc(5), None).view(), 8);
        assert!(Pacemaker::new(&committees, qc(7), tc(5), None).tc().is_none());
        assert_eq!(Pacemaker::new(&committees, qc(7), tc(9), None).view(), 10);
    }
}

//! View synchronisation: the current view and its timeout.
//!
//! A view is entered through a quorum certificate or a timeout certificate of the previous view. The pacemaker keeps
//! the highest of both, so that it can justify its view and bring slower members up to date.
//!
//! The view timer runs only while there is work: batches that are certified and not committed, or an unanswered
//! timeout of this member. An idle network runs no timers and sends nothing. Each view entered through a timeout
//! lasts half as long again as the one before, up to a limit; a quorum certificate resets the duration.

use core::time::Duration;

use quorate::certificate::{Certificate, TimeoutCertificate, TimeoutCollector};
use quorate::scheme::Scheme;

use crate::block::Committees;
use crate::ids::TIMEOUT;
use crate::message::{Advance, Timeout};
use crate::parameters::{FAILURE_LIMIT, Parameters};

/// The current view, the certificates that justify it, and the timeouts collected in it.
pub(crate) struct Pacemaker<S: Scheme> {
    view: u64,
    high: Option<Certificate<S>>,
    tc: Option<TimeoutCertificate<S>>,
    /// Number of consecutive views that timed out.
    failures: u32,
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
        Self { view, high, tc, failures: 0, collector, sent }
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

    /// Applies a verified quorum certificate. Returns whether it is the highest so far, and whether a new view
    /// begins.
    pub(crate) fn on_certificate(&mut self, committees: &Committees<S>, qc: &Certificate<S>) -> (bool, bool) {
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
        self.failures = 0;
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
        self.failures = self.failures.saturating_add(1);
        self.enter(committees, view);
        true
    }

    /// Returns the timeout of the current view.
    pub(crate) fn view_timeout(&self, parameters: &Parameters) -> Duration {
        let mut timeout = parameters.view_timeout;
        for _ in 0..self.failures.min(32) {
            timeout = (timeout + timeout / 2).min(parameters.view_timeout_cap.max(parameters.view_timeout));
        }
        timeout
    }

    fn enter(&mut self, committees: &Committees<S>, view: u64) {
        self.view = view;
        self.sent = None;
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
    use crate::testing::{certificate, committees, timeout_certificate};
    use quorate::ed25519::Ed25519;

    #[test]
    fn views_only_rise_and_a_certificate_resets_the_timeout() {
        let committees = committees::<Ed25519>(4);
        let parameters = Parameters::default();
        let mut pacemaker = Pacemaker::new(&committees, None, None, None);
        assert_eq!((pacemaker.view(), pacemaker.view_timeout(&parameters)), (1, parameters.view_timeout));
        let mut last = parameters.view_timeout;
        for view in 1..20 {
            assert!(pacemaker.on_timeout_certificate(&committees, timeout_certificate(&committees, view, 0)));
            assert!(
                !pacemaker.on_timeout_certificate(&committees, timeout_certificate(&committees, view, 0))
            );
            assert_eq!(pacemaker.view(), view + 1);
            let timeout = pacemaker.view_timeout(&parameters);
            assert!(timeout > last || timeout == parameters.view_timeout_cap);
            last = timeout;
        }
        assert_eq!(
            pacemaker.on_certificate(&committees, &certificate(&committees, 5, [1; 32])),
            (true, false)
        );
        assert_eq!(
            pacemaker.on_certificate(&committees, &certificate(&committees, 4, [2; 32])),
            (false, false)
        );
        assert_eq!((pacemaker.view(), pacemaker.certified()), (20, 5));
        assert_eq!(
            pacemaker.on_certificate(&committees, &certificate(&committees, 30, [3; 32])),
            (true, true)
        );
        assert_eq!((pacemaker.view(), pacemaker.view_timeout(&parameters)), (31, parameters.view_timeout));
        assert!(pacemaker.tc().is_none());
        pacemaker.on_timeout_certificate(&committees, timeout_certificate(&committees, 31, 30));
        assert_eq!(
            pacemaker.on_certificate(&committees, &certificate(&committees, 31, [4; 32])),
            (true, false)
        );
        assert!(pacemaker.tc().is_none() && pacemaker.view() == 32);
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

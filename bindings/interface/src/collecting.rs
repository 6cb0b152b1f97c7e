//! Functions that all collectors have.

/// Declares those of a collector, its text, and the conversion of its results, which contain a `$proven`. The block that
/// calls it imports the other names.
macro_rules! collector {
    ($collector:ident, $vote:ident, $verified:ident, $certificate:ident, $proven:ident, $collected:ident) => {
        shown! { $collector: |self, f| {
            let (name, Topic { kind, view }) = (stringify!($collector), self.topic());
            write!(f, "{name}(kind {kind}, view {view}, {})", progress(self.is_done()))
        }; }

        functions! { $collector:
            /// Creates an empty collector. Fewer than `batch_threshold` pending votes are verified one by one; by default
            /// [`DEFAULT_BATCH_THRESHOLD`]. After `failure_limit` invalid votes, further votes of a member are dropped
            /// unverified; by default there is no limit. Set one **only for links that authenticate each vote's
            /// signer**: on other links any sender could silence a member.
            quick fn new(
                committee: &Committee,
                kind: u8,
                view: u64,
                #[cfg_attr(binding, option)] batch_threshold: Option<usize>,
                #[cfg_attr(binding, option)] failure_limit: Option<u16>,
            ) -> Self {
                let mut inner = any::$collector::new(&committee.0, Kind::new(kind), view);
                if let Some(votes) = batch_threshold {
                    inner = inner.with_batch_threshold(votes);
                }
                if let Some(votes) = failure_limit {
                    inner = inner.with_failure_limit(votes);
                }
                Self(Locked::new(inner))
            }
            /// Adds a vote. The result contains the certificate, if this vote completed it, and the faults found. On a
            /// link that authenticates its sender, reject votes in another member's name before this call.
            /// [`Error::WrongContext`](quorate::Error) for a vote of another suite.
            fn add(&self, vote: &$vote, suspects: &Suspects) -> Result<$collected> {
                let vote = vote.0.clone();
                self.0.lock().add(vote, &mut suspects.lock()).map($collected::from)
            }
            /// Adds a vote that was verified for the same committee, for instance the member's own, and does not verify
            /// it again. One that was verified for another committee counts as unverified.
            /// [`Error::WrongContext`](quorate::Error) for a vote of another suite.
            #[cfg_attr(binding, overload = "add")]
            fn add_verified(&self, vote: &$verified, suspects: &Suspects) -> Result<$collected> {
                let vote = vote.0.clone();
                self.0.lock().add_verified(vote, &mut suspects.lock()).map($collected::from)
            }
            /// Committee whose votes are collected.
            getter fn committee(&self) -> Committee { Committee(self.0.lock().committee()) }
            /// Kind and view of the collected votes.
            getter fn topic(&self) -> Topic { self.0.lock().topic().into() }
            /// True if the certificate was returned.
            getter fn is_done(&self) -> bool { self.0.lock().is_done() }
        }

        impl From<any::Collected<any::$certificate>> for $collected {
            fn from(collected: any::Collected<any::$certificate>) -> Self {
                let certificate = collected.certificate.map($proven);
                Self { certificate, faults: faults(collected.faults) }
            }
        }
    };
}

pub(crate) use collector;

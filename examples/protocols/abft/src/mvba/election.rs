//! Election and view change: the last two phases of a view, and the decision.

use quorate::machine::{MemberIndex, Step};
use quorate::threshold::coin::{Coin, CoinShare, ShareFault, VerifiedShare};
use quorate::threshold::lagrange::Cache;
use quorate::wire::Encode;
use quorate::{Error, Result};

use super::interface::Output;
use super::message::{Certificate, Held, Message, Stage, View, completion_statement, digest};
use super::state::{Agreement, Phase, coin};
use crate::checks::Check;
use crate::setup::Context;
use crate::signatures::ThresholdScheme;
use crate::violation::Violation;

/// Combines verified shares to the leader.
fn elect<S: ThresholdScheme>(
    context: &Context<S>,
    coin: &Coin,
    shares: &[VerifiedShare],
) -> Result<MemberIndex> {
    let value = coin.combine(&context.setup.coin, shares, &mut Cache::default())?;
    value.below(context.setup.members()).ok_or(Error::BadCommittee { rule: "a committee has members" })
}

fn wrong_share(fault: &ShareFault) -> Violation {
    let evidence = match fault {
        ShareFault::Proven(evidence) => evidence.encode(),
        ShareFault::Forged { share } => share.encode(),
    };
    Violation::WrongShare { what: "coin", evidence }
}

impl<S: ThresholdScheme> Agreement<S> {
    /// Abandons the promotions, and releases the share of the coin.
    pub(super) fn abandon(&mut self, skip: S::Signature, step: &mut Step<Self>) {
        self.phase = Phase::Electing;
        match self.context.secrets.coin.coin_share(&self.election.coin, &mut self.random) {
            Ok(share) => {
                step.broadcast(Message::Elect { view: self.view, skip, share: Box::new(share) });
                self.add_coin_share(self.context.me(), share, step);
            }
            Err(error) => self.fail(error, step),
        }
    }

    pub(super) fn on_elect(
        &mut self,
        from: MemberIndex,
        skip: S::Signature,
        share: CoinShare,
        step: &mut Step<Self>,
    ) {
        if share.member() != from && self.checks.has(Check::MvbaCoinSender) {
            return step.fault(from, Violation::Refused { what: "coin share of another member" });
        }
        if self.phase == Phase::Promoting {
            let setup = &self.context.setup;
            let statement = completion_statement(&setup.committee, self.context.epoch, self.view);
            if self.checks.has(Check::MvbaSkip)
                && let Err(error) = S::verify(&setup.agreed, &statement, &skip)
            {
                return step.fault(from, Violation::Invalid { what: "skip certificate", error });
            }
            // Counted first, so that the elections of two members need two messages.
            self.election.pending.entry(from).or_insert(share);
            return self.abandon(skip, step);
        }
        self.add_coin_share(from, share, step);
    }

    fn add_coin_share(&mut self, from: MemberIndex, share: CoinShare, step: &mut Step<Self>) {
        let election = &self.election;
        let is_settled = election.verified.contains_key(&from) || election.wrong.contains(&from);
        if self.phase != Phase::Electing || is_settled {
            return;
        }
        self.election.pending.entry(from).or_insert(share);
        let needed = if self.checks.has(Check::MvbaCoinShares) {
            self.limits.coin_shares
        } else {
            self.context.setup.members().into()
        };
        if self.election.pending.len() + self.election.verified.len() < needed {
            return;
        }
        let keys = self.context.setup.coin.clone();
        let shares: Vec<CoinShare> = std::mem::take(&mut self.election.pending).into_values().collect();
        match keys.verify_shares(self.election.coin.instance(), &shares) {
            Ok(checked) => {
                let by_member = |member| shares.iter().find(move |share| share.member() == member).copied();
                for verified in checked.verified {
                    if let Some(share) = by_member(verified.member()) {
                        self.election.verified.insert(verified.member(), (share, verified));
                    }
                }
                for fault in &checked.faults {
                    self.election.wrong.insert(fault.member());
                    step.fault(fault.member(), wrong_share(fault));
                }
            }
            Err(error) => return step.fault(from, Violation::Invalid { what: "coin share", error }),
        }
        if self.election.verified.len() >= needed {
            let verified: Vec<VerifiedShare> =
                self.election.verified.values().map(|(_, verified)| *verified).collect();
            match elect(&self.context, &self.election.coin, &verified) {
                Ok(leader) => self.report(leader, step),
                Err(error) => self.fail(error, step),
            }
        }
    }

    /// Reports the highest certificate of the elected leader's promotion.
    fn report(&mut self, leader: MemberIndex, step: &mut Step<Self>) {
        self.phase = Phase::Reporting;
        self.leaders.push(leader);
        let held = self.acceptances.get(&leader).and_then(|acceptance| {
            let ((_, value), (stage, signature)) =
                (acceptance.value.as_ref()?, acceptance.certificate.as_ref()?);
            Some(Held { value: value.clone(), stage: *stage, signature: signature.clone() })
        });
        let early = std::mem::take(&mut self.election.reports);
        step.broadcast(Message::Report { view: self.view, held: held.clone() });
        let view = self.view;
        self.on_report(self.context.me(), held, step);
        for (from, held) in early {
            if self.view == view && self.phase == Phase::Reporting {
                self.on_report(from, held, step);
            }
        }
    }

    pub(super) fn on_report(&mut self, from: MemberIndex, held: Option<Held<S>>, step: &mut Step<Self>) {
        if let Some(before) = self.election.reports.get(&from) {
            if *before != held {
                step.fault(from, Violation::Contradiction { what: "Report" });
            }
            return;
        }
        let leader = self.leader(self.view).filter(|_| self.phase == Phase::Reporting);
        let Some(leader) = leader else {
            self.election.reports.insert(from, held);
            return;
        };
        if let Some(held) = &held {
            let is_known = from == self.context.me()
                || self.election.reports.values().flatten().any(|report| report == held);
            if !is_known && self.checks.has(Check::MvbaReport) {
                let digest = digest(&held.value);
                if let Err(error) = self.verify(self.view, leader, held.stage, &digest, &held.signature) {
                    return step.fault(from, Violation::Invalid { what: "Report", error });
                }
            }
            if held.stage == Stage::COMMIT {
                let shares = self.election.proof(self.limits.coin_shares);
                return self.decide(self.view, held.value.clone(), held.signature.clone(), shares, step);
            }
        }
        self.election.reports.insert(from, held);
        let needed = if self.checks.has(Check::MvbaReports) {
            self.context.setup.available()
        } else {
            self.limits.coin_shares
        };
        if self.election.reports.len() >= needed {
            self.adopt(step);
        }
    }

    /// Adopts the highest reported certificate, and starts the next view.
    fn adopt(&mut self, step: &mut Step<Self>) {
        let reports = std::mem::take(&mut self.election.reports);
        let highest = reports.into_values().flatten().max_by_key(|held| held.stage);
        if let Some(held) = highest.filter(|_| self.checks.has(Check::MvbaAdopt)) {
            if held.stage >= Stage::LOCK {
                self.lock = self.view;
            }
            let certificate = Certificate { view: self.view, stage: held.stage, signature: held.signature };
            self.key = Some((held.value, certificate));
        }
        self.enter_next_view(step);
    }

    fn decide(
        &mut self,
        view: View,
        value: Vec<u8>,
        signature: S::Signature,
        shares: Vec<CoinShare>,
        step: &mut Step<Self>,
    ) {
        self.phase = Phase::Finished;
        self.acceptances.clear();
        self.later.clear();
        step.broadcast(Message::Decide { view, value: value.clone(), signature, shares });
        step.output(Output::Decided { view, value });
    }

    pub(super) fn on_decide(
        &mut self,
        from: MemberIndex,
        view: View,
        value: Vec<u8>,
        signature: S::Signature,
        shares: Vec<CoinShare>,
        step: &mut Step<Self>,
    ) {
        let proven = if self.checks.has(Check::MvbaDecision) {
            self.leader(view)
                .map_or_else(|| self.elected(view, &shares), Ok)
                .and_then(|leader| self.verify(view, leader, Stage::COMMIT, &digest(&value), &signature))
        } else {
            Ok(())
        };
        match proven {
            Ok(()) => self.decide(view, value, signature, shares, step),
            Err(error) => step.fault(from, Violation::Invalid { what: "Decide", error }),
        }
    }

    /// Returns the leader of any view, from the shares of its coin.
    fn elected(&self, view: View, shares: &[CoinShare]) -> Result<MemberIndex> {
        let coin = coin(&self.context, view)?;
        let checked = self.context.setup.coin.verify_shares(coin.instance(), shares)?;
        if let Some(fault) = checked.faults.first() {
            return Err(Error::BadShare { members: vec![fault.member()] });
        }
        elect(&self.context, &coin, &checked.verified)
    }
}

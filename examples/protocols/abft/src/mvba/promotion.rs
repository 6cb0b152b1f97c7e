//! Promotion and completion: the first two phases of a view.

use quorate::machine::{MemberIndex, Step};

use super::message::{
    Certificate, Digest, Message, Stage, completion_statement, digest, promotion_statement,
};
use super::state::{Agreement, Phase, Promotion};
use crate::checks::Check;
use crate::signatures::{Collector, ThresholdScheme};
use crate::violation::Violation;

impl<S: ThresholdScheme> Agreement<S> {
    /// Starts this member's promotion in the view, if it has a value and has not started.
    pub(super) fn promote(&mut self, step: &mut Step<Self>) {
        if self.phase != Phase::Promoting || self.promotion.is_some() {
            return;
        }
        let (value, key) = match (&self.key, &self.input) {
            (Some((value, key)), _) => (value.clone(), Some(key.clone())),
            (None, Some(value)) => (value.clone(), None),
            (None, None) => return,
        };
        let digest = digest(&value);
        let votes = self.votes(Stage::KEY, &digest);
        self.promotion = Some(Promotion { digest, stage: Stage::KEY, votes });
        step.broadcast(Message::Promote { view: self.view, value: value.clone(), key: key.clone() });
        self.on_promote(self.context.me(), value, key, step);
    }

    fn statement(&self, proposer: MemberIndex, stage: Stage, digest: &Digest) -> Vec<u8> {
        let committee = &self.context.setup.committee;
        promotion_statement(committee, self.context.epoch, self.view, proposer, stage, digest)
    }

    fn votes(&self, stage: Stage, digest: &Digest) -> Collector<S> {
        let statement = self.statement(self.context.me(), stage, digest);
        Collector::new("vote", &self.context.setup.unagreed, &statement)
    }

    pub(super) fn on_promote(
        &mut self,
        from: MemberIndex,
        value: Vec<u8>,
        key: Option<Certificate<S>>,
        step: &mut Step<Self>,
    ) {
        if self.phase != Phase::Promoting && self.checks.has(Check::MvbaAbandon) {
            return;
        }
        let digest = digest(&value);
        if let Some((before, _)) = self.acceptances.get(&from).and_then(|accepted| accepted.value.as_ref()) {
            if *before == digest {
                return;
            }
            if self.checks.has(Check::MvbaOneValue) {
                return step.fault(from, Violation::Contradiction { what: "Promote" });
            }
            self.acceptances.remove(&from);
        }
        // The key first, so that a member cannot have many values remembered as valid.
        if let Err(violation) = self.check_key(&digest, key.as_ref()) {
            return step.fault(from, violation);
        }
        if !self.is_valid(&value) {
            return step.fault(from, Violation::Refused { what: "value that is not valid" });
        }
        let acceptance = self.acceptances.entry(from).or_default();
        acceptance.value = Some((digest, value));
        let early = std::mem::take(&mut acceptance.early);
        self.vote(from, Stage::KEY, &digest, step);
        for (stage, signature) in early {
            self.on_advance(from, stage, signature, step);
        }
    }

    /// Checks the key of a proposed value (PODC '19, Algorithm 3, checkKey). A correct proposer's key is not older than
    /// any correct member's lock: a lock certificate exists only if f + 1 correct members have the key and report it.
    fn check_key(&self, digest: &Digest, key: Option<&Certificate<S>>) -> Result<(), Violation> {
        let key_view = key.map_or(0, |key| key.view);
        if key_view < self.lock && self.checks.has(Check::MvbaLock) {
            return Err(Violation::Refused { what: "key that is older than the lock" });
        }
        let Some(key) = key else { return Ok(()) };
        let leader = if key.view < self.view { self.leader(key.view) } else { None };
        let Some(leader) = leader else { return Err(Violation::Refused { what: "key of a later view" }) };
        if !self.checks.has(Check::MvbaKey) {
            return Ok(());
        }
        self.verify(key.view, leader, key.stage, digest, &key.signature)
            .map_err(|error| Violation::Invalid { what: "key", error })
    }

    pub(super) fn on_advance(
        &mut self,
        from: MemberIndex,
        stage: Stage,
        signature: S::Signature,
        step: &mut Step<Self>,
    ) {
        if self.phase != Phase::Promoting && self.checks.has(Check::MvbaAbandon) {
            return;
        }
        let Some(previous) = stage.previous() else { return };
        let acceptance = self.acceptances.entry(from).or_default();
        let Some((digest, _)) = acceptance.value else {
            // At most three, because a decoded stage is 2, 3 or 4.
            acceptance.early.entry(stage).or_insert(signature);
            return;
        };
        if acceptance.voted.contains(&stage) {
            return;
        }
        if from != self.context.me()
            && self.checks.has(Check::MvbaStep)
            && let Err(error) = self.verify(self.view, from, previous, &digest, &signature)
        {
            return step.fault(from, Violation::Invalid { what: "certificate of a stage", error });
        }
        let acceptance = self.acceptances.entry(from).or_default();
        if acceptance.certificate.as_ref().is_none_or(|(held, _)| *held < previous) {
            acceptance.certificate = Some((previous, signature));
        }
        self.vote(from, stage, &digest, step);
    }

    fn vote(&mut self, proposer: MemberIndex, stage: Stage, digest: &Digest, step: &mut Step<Self>) {
        self.acceptances.entry(proposer).or_default().voted.insert(stage);
        let share = S::sign(&self.context.secrets.unagreed, &self.statement(proposer, stage, digest));
        if proposer == self.context.me() {
            self.on_vote(proposer, stage, share, step);
        } else {
            step.send(proposer, Message::Vote { view: self.view, stage, share });
        }
    }

    pub(super) fn on_vote(
        &mut self,
        from: MemberIndex,
        stage: Stage,
        share: S::Share,
        step: &mut Step<Self>,
    ) {
        if self.phase != Phase::Promoting {
            return;
        }
        let Some(promotion) = self.promotion.as_mut().filter(|promotion| stage <= promotion.stage) else {
            return step.fault(from, Violation::Refused { what: "Vote before the stage" });
        };
        if stage < promotion.stage {
            return;
        }
        let Some(signature) = promotion.votes.add(from, share, step) else { return };
        let digest = promotion.digest;
        match stage.next() {
            Some(next) => {
                let votes = self.votes(next, &digest);
                self.promotion = Some(Promotion { digest, stage: next, votes });
                let view = self.view;
                step.broadcast(Message::Advance { view, stage: next, signature: signature.clone() });
                self.on_advance(self.context.me(), next, signature, step);
            }
            None => {
                step.broadcast(Message::Done { view: self.view, digest, signature });
                self.count_done(self.context.me(), step);
            }
        }
    }

    pub(super) fn on_done(
        &mut self,
        from: MemberIndex,
        digest: &Digest,
        signature: &S::Signature,
        step: &mut Step<Self>,
    ) {
        if self.phase != Phase::Promoting || self.completion.done.contains(&from) {
            return;
        }
        match self.verify(self.view, from, Stage::LAST, digest, signature) {
            Err(error) if self.checks.has(Check::MvbaDone) => {
                step.fault(from, Violation::Invalid { what: "Done", error });
            }
            _ => self.count_done(from, step),
        }
    }

    fn count_done(&mut self, from: MemberIndex, step: &mut Step<Self>) {
        self.completion.done.insert(from);
        if self.completion.done.len() >= self.context.setup.available() && !self.completion.skip_sent {
            self.completion.skip_sent = true;
            let committee = &self.context.setup.committee;
            let statement = completion_statement(committee, self.context.epoch, self.view);
            let share = S::sign(&self.context.secrets.agreed, &statement);
            step.broadcast(Message::Skip { view: self.view, share: share.clone() });
            self.on_skip(self.context.me(), share, step);
        }
    }

    pub(super) fn on_skip(&mut self, from: MemberIndex, share: S::Share, step: &mut Step<Self>) {
        if self.phase != Phase::Promoting {
            return;
        }
        if let Some(skip) = self.completion.shares.add(from, share, step) {
            self.abandon(skip, step);
        }
    }
}

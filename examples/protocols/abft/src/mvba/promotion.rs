//! Promotion and completion: the first two phases of a view.

use std::collections::BTreeMap;

use quorate::Error;
use quorate::machine::{MemberIndex, Step};

use super::message::{
    Certificate, Digest, Message, Stage, completion_statement, digest, promotion_statement,
};
use super::state::{Agreement, Phase, Promotion};
use crate::checks::Check;
use crate::signatures::{Collector, Signed, ThresholdScheme};
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
        self.promotion = Some(Promotion { digest, stage: Stage::KEY, votes, doubted: BTreeMap::new() });
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
        let shares = S::shares(&self.context.secrets.unagreed, &self.statement(proposer, stage, digest));
        shares.into_iter().for_each(|share| self.send_vote(proposer, stage, share, step));
    }

    fn send_vote(&mut self, proposer: MemberIndex, stage: Stage, share: S::Share, step: &mut Step<Self>) {
        if proposer == self.context.me() {
            self.on_vote(proposer, stage, share, step);
        } else {
            step.send(proposer, Message::Vote { view: self.view, stage, share });
        }
    }

    /// Signs what was signed with presignatures in this view again, without.
    pub(super) fn fall_back(&mut self, step: &mut Step<Self>) {
        if self.phase != Phase::Promoting {
            return;
        }
        let secrets = self.context.secrets.clone();
        let mut votes: Vec<(MemberIndex, Stage, Digest)> = Vec::new();
        for (proposer, accepted) in &self.acceptances {
            if let Some((digest, _)) = &accepted.value {
                votes.extend(accepted.voted.iter().map(|stage| (*proposer, *stage, *digest)));
            }
        }
        for (proposer, stage, digest) in votes {
            let statement = self.statement(proposer, stage, &digest);
            if let Some(share) = S::fallback_share(&secrets.unagreed, &statement) {
                self.send_vote(proposer, stage, share, step);
            }
        }
        let statement = completion_statement(&self.context.setup.committee, self.context.epoch, self.view);
        if let Some(share) = S::fallback_share(&secrets.agreed, &statement) {
            step.broadcast(Message::Skip { view: self.view, share: share.clone() });
            self.on_skip(self.context.me(), share, step);
        }
    }

    /// Opens this member's vote to the proposer, whose votes do not combine.
    pub(super) fn on_doubt(&mut self, from: MemberIndex, stage: Stage, step: &mut Step<Self>) {
        let accepted = self.acceptances.get(&from).filter(|accepted| accepted.voted.contains(&stage));
        let digest = accepted.and_then(|accepted| accepted.value.as_ref()).map(|(digest, _)| *digest);
        let opening = digest.and_then(|digest| {
            S::opening(&self.context.secrets.unagreed, &self.statement(from, stage, &digest))
        });
        if digest.is_none() {
            return step.fault(from, Violation::Refused { what: "doubt about a vote that was not sent" });
        }
        // A vote without a presignature needs none.
        if let Some(opening) = opening.map(Box::new) {
            step.send(from, Message::Opening { view: self.view, stage, opening });
        }
    }

    pub(super) fn on_opening(
        &mut self,
        from: MemberIndex,
        stage: Stage,
        opening: &S::Opening,
        step: &mut Step<Self>,
    ) {
        let Some(promotion) = &mut self.promotion else {
            return step.fault(from, Violation::Refused { what: "opening without a promotion" });
        };
        let mut wanted = Vec::new();
        if let Some(votes) = promotion.doubted.get_mut(&stage) {
            let _ = votes.open(from, opening, &mut wanted, step);
        } else if stage == promotion.stage {
            let signature = promotion.votes.open(from, opening, &mut wanted, step);
            self.ask(stage, wanted, step);
            if let Some(signature) = signature.filter(|_| self.phase == Phase::Promoting) {
                self.certified(stage, signature, step);
            }
        }
    }

    /// Asks members for the openings of their votes.
    fn ask(&mut self, stage: Stage, wanted: Vec<MemberIndex>, step: &mut Step<Self>) {
        for member in wanted {
            if member != self.context.me() {
                step.send(member, Message::Doubt { view: self.view, stage });
                continue;
            }
            let digest = self.promotion.as_ref().map(|promotion| promotion.digest);
            let opening = digest.and_then(|digest| {
                S::opening(&self.context.secrets.unagreed, &self.statement(member, stage, &digest))
            });
            if let Some(opening) = opening {
                self.on_opening(member, stage, &opening, step);
            }
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
        let mut wanted = Vec::new();
        let signature = promotion.votes.add(from, share, &mut wanted, step);
        self.ask(stage, wanted, step);
        if let Some(signature) = signature {
            self.certified(stage, signature, step);
        }
    }

    /// Continues with the next stage of this member's promotion.
    fn certified(&mut self, stage: Stage, signature: S::Signature, step: &mut Step<Self>) {
        let Some(digest) = self.promotion.as_ref().map(|promotion| promotion.digest) else { return };
        match stage.next() {
            Some(next) => {
                let votes = self.votes(next, &digest);
                if let Some(promotion) = &mut self.promotion {
                    promotion.stage = next;
                    let before = std::mem::replace(&mut promotion.votes, votes);
                    if before.is_in_doubt() {
                        promotion.doubted.insert(stage, before);
                    }
                }
                let view = self.view;
                step.broadcast(Message::Advance { view, stage: next, signature: signature.clone() });
                self.on_advance(self.context.me(), next, signature, step);
            }
            None => {
                step.broadcast(Message::Done { view: self.view, digest, signature });
                self.completion.done.insert(self.context.me());
                self.count_done(step);
            }
        }
    }

    pub(super) fn on_done(
        &mut self,
        from: MemberIndex,
        digest: Digest,
        signature: S::Signature,
        step: &mut Step<Self>,
    ) {
        let completion = &mut self.completion;
        let is_needed = !completion.skip_sent && !completion.done.contains(&from);
        if self.phase == Phase::Promoting && is_needed {
            completion.unverified.entry(from).or_insert((digest, signature));
            self.count_done(step);
        }
    }

    /// Sends a share of the skip certificate when N − f promotions are complete. The certificates are verified together,
    /// once there are enough of them.
    fn count_done(&mut self, step: &mut Step<Self>) {
        let needed = self.context.setup.available();
        if self.completion.done.len() + self.completion.unverified.len() < needed {
            return;
        }
        let unverified = std::mem::take(&mut self.completion.unverified);
        let is_valid = !self.checks.has(Check::MvbaDone) || self.verify_done(&unverified).is_ok();
        for (from, (digest, signature)) in unverified {
            let verified = if is_valid {
                Ok(())
            } else {
                self.verify(self.view, from, Stage::LAST, &digest, &signature)
            };
            match verified {
                Ok(()) => drop(self.completion.done.insert(from)),
                Err(error) => step.fault(from, Violation::Invalid { what: "Done", error }),
            }
        }
        if self.completion.done.len() >= needed && !self.completion.skip_sent {
            self.completion.skip_sent = true;
            let committee = &self.context.setup.committee;
            let statement = completion_statement(committee, self.context.epoch, self.view);
            for share in S::shares(&self.context.secrets.agreed, &statement) {
                step.broadcast(Message::Skip { view: self.view, share: share.clone() });
                self.on_skip(self.context.me(), share, step);
            }
        }
    }

    fn verify_done(&self, signed: &BTreeMap<MemberIndex, (Digest, S::Signature)>) -> Result<(), Error> {
        let statements: Vec<_> = signed
            .iter()
            .map(|(from, (digest, signature))| (self.statement(*from, Stage::LAST, digest), signature))
            .collect();
        let signed: Vec<_> = statements
            .iter()
            .map(|(statement, signature)| Signed { statement, signature: *signature, known: None })
            .collect();
        S::verify_all(&self.context.setup.unagreed, &signed)
    }

    pub(super) fn on_skip(&mut self, from: MemberIndex, share: S::Share, step: &mut Step<Self>) {
        if self.phase != Phase::Promoting {
            return;
        }
        // Wrong shares of an agreed statement are found without openings.
        if let Some(skip) = self.completion.shares.add(from, share, &mut Vec::new(), step) {
            self.abandon(skip, step);
        }
    }
}

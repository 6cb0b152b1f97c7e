//! Certificate laboratory: a committee whose members vote, forge, equivocate or abstain, and the core's vote
//! collector.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate::bls::MinSig;
use quorate::certificate::{
    Certificate, Conflict, Kind, Statement, Suspects, Vote, VoteCollector, VoteFault,
};
use quorate::committee::{ChainId, Committee};
use quorate::scheme::{Scheme, VerifiedKey};
use quorate::wire::{Decode, Encode};

use crate::cost::{Cost, CostModel};
use crate::json::{self, Json};
use crate::run::bitmap;

const KIND: Kind = Kind::new(1);
const VIEW: u64 = 7;
/// Permitted number of members.
const MEMBERS: core::ops::RangeInclusive<usize> = 4..=40;

/// Behaviour of a member, one character in the argument of [`Lab::run`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// `-`: sends nothing.
    Absent,
    /// `v`: signs block A.
    Votes,
    /// `f`: sends a vote for block A with a signature that is not its own.
    Forges,
    /// `b`: signs block A and block B, and sends both votes.
    Both,
}

/// A committee with its keys, and two contradicting blocks.
pub struct Lab {
    committee: Arc<Committee<MinSig>>,
    secrets: Vec<<MinSig as Scheme>::SecretKey>,
    a: Statement,
    b: Statement,
}

/// Result of collecting votes.
struct Collection {
    steps: Vec<String>,
    certificate: Option<Certificate<MinSig>>,
    blamed: Vec<u16>,
    equivocators: BTreeSet<u16>,
    ms: f64,
    cost: Cost,
}

impl Lab {
    /// Creates a committee of `n` members of weight one.
    ///
    /// # Errors
    /// If `n` is out of range.
    pub fn new(n: usize) -> Result<Self, String> {
        if !MEMBERS.contains(&n) {
            return Err(format!("expected {} to {} voters, got {n}", MEMBERS.start(), MEMBERS.end()));
        }
        let secrets =
            (0..n).map(|i| secret(i as u64 + 1)).collect::<quorate::Result<Vec<_>>>().map_err(error_text)?;
        let members = secrets.iter().map(|secret| (VerifiedKey::from_secret(secret), 1)).collect();
        let chain = ChainId::from_name("laboratory");
        let committee = Arc::new(Committee::new(chain, 0, members).map_err(error_text)?);
        let (a, b) =
            (committee.statement(KIND, VIEW, [0xaa; 32]), committee.statement(KIND, VIEW, [0xbb; 32]));
        Ok(Self { committee, secrets, a, b })
    }

    /// Runs the members with the behaviours in `marks`, one character per member: `v` votes, `f` forges, `b` signs two
    /// blocks, `-` is absent. `clock` returns milliseconds. The result is JSON.
    ///
    /// # Errors
    /// If the number of marks differs from the number of members, or a mark is unknown.
    pub fn run(&self, marks: &str, clock: &dyn Fn() -> f64) -> Result<String, String> {
        let marks = self.read(marks)?;
        let count = |wanted: &[Mark]| marks.iter().filter(|mark| wanted.contains(mark)).count();
        let honest = self.collect(&marks, self.a, clock)?;
        let mut json = Json::object()
            .plain("n", marks.len())
            .plain("quorum", self.committee.quorum_weight())
            .plain("votes", count(&[Mark::Votes, Mark::Forges, Mark::Both]))
            .list("steps", honest.steps.iter())
            .list("blamed", honest.blamed.iter())
            .list("equivocators", honest.equivocators.iter())
            .plain("ms", format!("{:.3}", honest.ms))
            .plain("cost", cost(honest.cost));
        if let Some(certificate) = honest.certificate {
            json = json.plain("certificate", self.verified_elsewhere(&certificate, clock)?);
            // A collector that receives only the other votes of the equivocators may complete a second certificate.
            let seduced: Vec<Mark> = marks
                .iter()
                .map(|mark| if *mark == Mark::Both { Mark::Both } else { Mark::Absent })
                .collect();
            if let Some(other) = self.collect_second(&seduced)? {
                json = json.plain("conflict", self.conflict(certificate, other)?);
            }
        }
        Ok(json.end())
    }

    fn read(&self, marks: &str) -> Result<Vec<Mark>, String> {
        let marks: Vec<Mark> = marks
            .chars()
            .map(|mark| match mark {
                '-' => Ok(Mark::Absent),
                'v' => Ok(Mark::Votes),
                'f' => Ok(Mark::Forges),
                'b' => Ok(Mark::Both),
                other => Err(format!("unknown mark {other:?}; expected one of v, f, b, -")),
            })
            .collect::<Result<_, _>>()?;
        if marks.len() == self.secrets.len() {
            Ok(marks)
        } else {
            Err("expected one mark per member".to_owned())
        }
    }

    /// Collects all first votes in member order, then the second votes of the equivocators.
    fn collect(
        &self,
        marks: &[Mark],
        topic: Statement,
        clock: &dyn Fn() -> f64,
    ) -> Result<Collection, String> {
        let mut collector = VoteCollector::new(self.committee.clone(), topic.kind, topic.view);
        let mut suspects = Suspects::new();
        let quorum = usize::try_from(self.committee.quorum_weight()).unwrap_or(usize::MAX);
        let mut count = CostModel::new(marks.len(), quorum);
        let mut all = Collection {
            steps: Vec::new(),
            certificate: None,
            blamed: Vec::new(),
            equivocators: BTreeSet::new(),
            ms: 0.0,
            cost: Cost::default(),
        };
        let first =
            marks.iter().enumerate().filter(|(_, mark)| **mark != Mark::Absent).map(|(i, m)| (i, *m, self.a));
        let second =
            marks.iter().enumerate().filter(|(_, mark)| **mark == Mark::Both).map(|(i, m)| (i, *m, self.b));
        for (i, mark, statement) in first.chain(second) {
            let vote = self.vote(i, mark, statement)?;
            let member = vote.signer();
            let began = clock();
            let collected = collector.add(vote, &mut suspects);
            let ms = clock() - began;
            let before = count.cost;
            if statement == self.a {
                count.vote(member, mark != Mark::Forges);
            } else {
                count.contradiction(member);
            }
            all.ms += ms;
            let mut found = Vec::new();
            for fault in &collected.faults {
                match fault {
                    VoteFault::Equivocation(evidence) => drop(all.equivocators.insert(evidence.signer())),
                    other => all.blamed.push(other.signer()),
                }
                found.push(fault.signer());
            }
            let step = Json::object()
                .plain("member", member)
                .text("block", if statement == self.a { "A" } else { "B" })
                .plain("held", collector.weight_for(&self.a.digest))
                .plain("ms", format!("{ms:.3}"))
                .plain("worked", count.cost != before)
                .plain("certificate", collected.certificate.is_some())
                .list("found", found);
            all.steps.push(step.end());
            all.certificate = all.certificate.or(collected.certificate.map(|c| c.into_inner()));
        }
        all.cost = count.cost;
        Ok(all)
    }

    /// Returns the certificate of block B, if enough members signed it.
    fn collect_second(&self, marks: &[Mark]) -> Result<Option<Certificate<MinSig>>, String> {
        let mut collector = VoteCollector::new(self.committee.clone(), KIND, VIEW);
        let mut certificate = None;
        for (i, _) in marks.iter().enumerate().filter(|(_, mark)| **mark == Mark::Both) {
            let vote = self.vote(i, Mark::Both, self.b)?;
            let collected = collector.add(vote, &mut Suspects::new());
            certificate = certificate.or(collected.certificate.map(|c| c.into_inner()));
        }
        Ok(certificate)
    }

    fn vote(&self, i: usize, mark: Mark, statement: Statement) -> Result<Vote<MinSig>, String> {
        let own = self.secrets.get(i).ok_or("no such member")?;
        let other_key = secret(i as u64 + 1_000).map_err(error_text)?;
        let key = if mark == Mark::Forges { &other_key } else { own };
        let bytes = statement.signed_bytes(&self.committee.id());
        Ok(Vote::new(statement, i as u16, MinSig::sign(key, &bytes)))
    }

    /// Decodes and verifies a certificate with nothing but the committee.
    fn verified_elsewhere(
        &self,
        certificate: &Certificate<MinSig>,
        clock: &dyn Fn() -> f64,
    ) -> Result<String, String> {
        let bytes = certificate.encode();
        let began = clock();
        let received = Certificate::<MinSig>::decode(&bytes, &self.committee).map_err(error_text)?;
        let verified = received.verify(&self.committee).map_err(error_text)?;
        let ms = clock() - began;
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let signers = verified.signers();
        Ok(Json::object()
            .text("hex", hex)
            .plain("bytes", bytes.len())
            .text("signers", bitmap(signers))
            .plain("ms", format!("{ms:.3}"))
            .plain("cost", cost(Cost::certificate(self.secrets.len(), signers.len())))
            .end())
    }

    /// Derives the culprits from two contradicting certificates.
    fn conflict(&self, a: Certificate<MinSig>, b: Certificate<MinSig>) -> Result<String, String> {
        let conflict = Conflict::new(a, b).map_err(error_text)?;
        let bytes = conflict.encode().len();
        let verified = conflict.verify(&self.committee).map_err(error_text)?;
        Ok(Json::object()
            .plain("culprits", json::list(verified.culprits().iter()))
            .plain("bytes", bytes)
            .end())
    }
}

fn secret(number: u64) -> quorate::Result<<MinSig as Scheme>::SecretKey> {
    let mut bytes = [0; 32];
    let (_, low) = bytes.split_at_mut(24);
    low.copy_from_slice(&number.to_be_bytes());
    MinSig::secret_from_bytes(&bytes)
}

fn cost(cost: Cost) -> String {
    let Cost { pairings, hashes, additions, multiplications, checks } = cost;
    Json::object()
        .plain("pairings", pairings)
        .plain("hashes", hashes)
        .plain("additions", additions)
        .plain("multiplications", multiplications)
        .plain("checks", checks)
        .end()
}

fn error_text(error: quorate::Error) -> String {
    error.to_string()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use quorate_simulator::Rng;

    fn silent() -> f64 {
        0.0
    }

    /// The cost model follows the collector: it blames the same members in the same order and completes the
    /// certificate with the same vote.
    #[test]
    fn the_cost_model_follows_the_collector() {
        let mut rng = Rng::new(3);
        for n in [4, 7, 10, 13, 22] {
            let lab = Lab::new(n).unwrap();
            for round in 0..25 {
                let bad = rng.index(n / 2 + 1) + round % 2;
                let mut marks = vec![Mark::Votes; n];
                for mark in marks.iter_mut().take(bad) {
                    *mark = *rng.pick(&[Mark::Forges, Mark::Forges, Mark::Both, Mark::Absent]).unwrap();
                }
                rng.shuffle(&mut marks);
                let real = lab.collect(&marks, lab.a, &silent).unwrap();
                let mut count = CostModel::new(n, usize::try_from(lab.committee.quorum_weight()).unwrap());
                let mut when = None;
                for (i, mark) in marks.iter().enumerate().filter(|(_, mark)| **mark != Mark::Absent) {
                    count.vote(i as u16, *mark != Mark::Forges);
                    when = when.or(count.done.then_some(i));
                }
                for (i, _) in marks.iter().enumerate().filter(|(_, mark)| **mark == Mark::Both) {
                    count.contradiction(i as u16);
                }
                assert_eq!(count.blamed, real.blamed, "{marks:?}");
                let really = real.steps.iter().find(|step| step.contains("\"certificate\":true"));
                let really = really.map(|step| step.contains(&format!("\"member\":{},", when.unwrap_or(99))));
                assert_eq!(really, when.map(|_| true), "{marks:?}");
                assert_eq!(real.equivocators.len(), marks.iter().filter(|mark| **mark == Mark::Both).count());
            }
        }
    }

    #[test]
    fn seven_votes_cost_one_check_and_a_forger_is_blamed() {
        let lab = Lab::new(7).unwrap();
        let good = lab.run("vvvvvvv", &silent).unwrap();
        assert!(
            good.contains(r#""cost":{"pairings":2,"hashes":1,"additions":7,"multiplications":0,"checks":1}"#),
            "{good}"
        );
        assert!(good.contains(r#""signers":"1111100""#) && good.contains(r#""bytes":100"#), "{good}");
        let forged = lab.run("vvfvvvv", &silent).unwrap();
        assert!(forged.contains(r#""blamed":[2]"#) && forged.contains(r#""signers":"1101110""#), "{forged}");
        let few = lab.run("vvvv---", &silent).unwrap();
        assert!(few.contains(r#""pairings":0"#) && !few.contains("hex"), "{few}");
    }

    #[test]
    fn two_certificates_prove_more_than_a_third_faulty() {
        let lab = Lab::new(4).unwrap();
        let two = lab.run("bbbv", &silent).unwrap();
        assert!(two.contains(r#""equivocators":[0,1,2]"#), "{two}");
        assert!(two.contains(r#""conflict":{"culprits":[0,1,2]"#), "{two}");
        assert!(!lab.run("bbvv", &silent).unwrap().contains("conflict"));
    }

    #[test]
    fn invalid_marks_are_refused() {
        let lab = Lab::new(4).unwrap();
        assert!(lab.run("vvv", &silent).is_err() && lab.run("vvvx", &silent).is_err());
        assert!(Lab::new(3).is_err() && Lab::new(41).is_err());
    }
}

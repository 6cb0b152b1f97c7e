//! One presignature tried on one message.

use std::collections::{BTreeMap, BTreeSet};

use quorate::machine::{Fault, MemberIndex};
use quorate::threshold::combiner::{Instance, Outcome};
use quorate::threshold::ecdsa::{Opening, SignatureShare, Signing};
use quorate::threshold::{Combiner, Secp256k1, Unagreed, lagrange};

use super::Standing;
use super::peer::Heard;
use crate::evidence::attested;
use crate::group::Group;
use crate::protocol::Reply;

type Message = Signing<Secp256k1, Unagreed>;
pub(super) type Cache = lagrange::Cache<<Message as Instance>::Scalar>;

/// The shares of one message, and who gave what.
pub(super) struct Attempt {
    pub(super) combiner: Combiner<Message>,
    pub(super) parties: Vec<Standing>,
    pub(super) check_all: bool,
    shares: BTreeMap<MemberIndex, SignatureShare<Secp256k1>>,
    openings: BTreeMap<MemberIndex, Opening<Secp256k1>>,
    /// Who has a question that is not answered.
    open: BTreeSet<MemberIndex>,
    /// Whose opening was asked for and has not come.
    wanted: BTreeSet<MemberIndex>,
}

impl Attempt {
    pub(super) fn new(signing: Message, parties: Vec<Standing>, check_all: bool) -> Self {
        Self {
            combiner: Combiner::new(signing),
            parties,
            check_all,
            shares: BTreeMap::new(),
            openings: BTreeMap::new(),
            open: BTreeSet::new(),
            wanted: BTreeSet::new(),
        }
    }

    /// A party was asked.
    pub(super) fn awaited(&mut self, party: MemberIndex) {
        self.open.insert(party);
    }

    /// A party cannot be asked.
    pub(super) fn down(&mut self, party: MemberIndex, why: &str) {
        self.stand(party, Standing::Down(why.to_owned()));
    }

    /// A party that is not asked.
    pub(super) fn odd(&mut self, party: MemberIndex, what: &str) {
        self.stand(party, Standing::Odd(what.to_owned()));
    }

    /// Whether there is nothing more to wait for.
    pub(super) fn is_done(&self) -> bool {
        let signed = self.combiner.signature().is_some();
        self.open.is_empty() || signed && !self.check_all && self.wanted.is_empty()
    }

    /// Whether what is still to come decides nothing: it only says more about who gave what.
    pub(super) fn is_decided(&self) -> bool {
        if self.combiner.signature().is_some() {
            return !self.check_all;
        }
        // Those who gave a share that may be right, and those who still may.
        let hopeful = |standing: &&Standing| matches!(standing, Standing::Gave | Standing::Right);
        let first = self.open.iter().filter(|party| !self.shares.contains_key(party)).count();
        let possible = self.parties.iter().filter(hopeful).count() + first;
        possible < usize::from(self.combiner.instance().threshold().needed())
    }

    /// The parties that could not be asked, if with them there may be enough shares: whoever was down may be back.
    pub(super) fn missing(&self) -> Vec<MemberIndex> {
        let down = |party: &MemberIndex| {
            matches!(self.parties.get(usize::from(*party)), Some(Standing::Down(_) | Standing::Awaited))
        };
        let missing: Vec<_> = (0..self.parties.len() as MemberIndex).filter(down).collect();
        let hopeful = |standing: &&Standing| matches!(standing, Standing::Gave | Standing::Right);
        let given = self.parties.iter().filter(hopeful).count();
        let enough = given + missing.len() >= usize::from(self.combiner.instance().threshold().needed());
        if enough && self.combiner.signature().is_none() { missing } else { Vec::new() }
    }

    /// Takes an answer; says whose openings are to be asked for.
    pub(super) fn take(&mut self, group: &Group, cache: &mut Cache, heard: Heard) -> Vec<MemberIndex> {
        let party = heard.party;
        self.open.remove(&party);
        self.wanted.remove(&party);
        let asked = match heard.reply {
            Ok(Reply::Share(share)) => self.share(group, cache, party, share),
            Ok(Reply::Opening(opening)) => self.opening(cache, party, *opening),
            // What it says after it gave a share does not take the share back.
            Ok(Reply::Refused(refusal)) if !self.shares.contains_key(&party) => {
                self.stand(party, Standing::Refused(refusal));
                Ok(Vec::new())
            }
            Ok(Reply::Refused(refusal)) => Err(format!("it does not open its share: {}", refusal.reason)),
            Ok(Reply::Status { .. }) => Err("it answers what was not asked".into()),
            Err(why) if self.shares.contains_key(&party) => Err(format!("it does not open its share: {why}")),
            Err(why) => {
                self.stand(party, Standing::Down(why));
                Ok(Vec::new())
            }
        };
        let asked = asked.unwrap_or_else(|odd| {
            self.stand(party, Standing::Odd(odd));
            Vec::new()
        });
        self.wanted.extend(&asked);
        asked
    }

    fn share(
        &mut self,
        group: &Group,
        cache: &mut Cache,
        party: MemberIndex,
        share: SignatureShare<Secp256k1>,
    ) -> Result<Vec<MemberIndex>, String> {
        // Of a share that its party does not stand for, nothing could be shown to others. Cost: an Ed25519 verification.
        attested(group, party, &share.attested_bytes(), share.attestation())
            .map_err(|e| format!("it does not stand for its share: {e}"))?;
        let outcome = self.combiner.add(cache, party, share.clone()).map_err(|e| e.to_string())?;
        self.shares.insert(party, share);
        self.stand(party, Standing::Gave);
        let mut asked = self.after(cache, outcome)?;
        if self.check_all && !asked.contains(&party) {
            asked.push(party);
        }
        Ok(asked)
    }

    fn opening(
        &mut self,
        cache: &mut Cache,
        party: MemberIndex,
        opening: Opening<Secp256k1>,
    ) -> Result<Vec<MemberIndex>, String> {
        let share = self.shares.get(&party).ok_or("it answers what was not asked")?;
        let instance = self.combiner.instance();
        // The combiner checks those that it suspects; whoever wants all checked wants the others too.
        let right = instance
            .check(share, Some(&opening))
            .map_err(|e| format!("its opening is not the dealer's: {e}"))?;
        let standing = match right {
            Some(false) => Standing::Wrong(Box::new(instance.evidence(share, Some(&opening)))),
            _ => Standing::Right,
        };
        let outcome = self.combiner.open(cache, party, &opening).map_err(|e| e.to_string())?;
        self.openings.insert(party, opening);
        self.stand(party, standing);
        self.after(cache, outcome)
    }

    /// Names culprits, hands over the openings that came before they were wanted, and says which are to be asked for.
    fn after(&mut self, cache: &mut Cache, outcome: Outcome<Message>) -> Result<Vec<MemberIndex>, String> {
        let (mut outcomes, mut asked) = (vec![outcome], Vec::new());
        while let Some(outcome) = outcomes.pop() {
            for Fault { culprit, evidence } in outcome.faults {
                self.stand(culprit, Standing::Wrong(Box::new(evidence)));
            }
            for party in outcome.wanted {
                match self.openings.get(&party) {
                    Some(opening) => {
                        outcomes.push(self.combiner.open(cache, party, opening).map_err(|e| e.to_string())?);
                    }
                    None if self.wanted.contains(&party) => {}
                    None => asked.push(party),
                }
            }
        }
        Ok(asked)
    }

    fn stand(&mut self, party: MemberIndex, standing: Standing) {
        if let Some(known) = self.parties.get_mut(usize::from(party)) {
            *known = standing;
        }
    }
}

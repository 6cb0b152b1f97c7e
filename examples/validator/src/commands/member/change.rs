use std::collections::BTreeMap;

use quorate::certificate::{Certificate, Statement, Suspects, Vote, VoteCollector};
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::scheme::{Scheme, UnverifiedKey};
use quorate::wire::{Decode, Encode};
use quorate_gosig::{Change, Committees};
use quorate_node::Contact;
use quorate_node::genesis::{Hex, Member, PublicKeys};
use quorate_node::keys::NodeKeys;
use quorate_support::outln;

use super::file::{Allowance, ChangeFile, Leaving};
use crate::chain::{Chain, Epoch, VoteScheme};
use crate::exit::{Exit, Failure, OrFail};

/// A verified membership change: it belongs to the chain and its newest epoch, it can be applied, and its approvals are
/// valid.
#[derive(Debug)]
pub(crate) struct Proposal {
    pub file: ChangeFile,
    change: Change<VoteScheme>,
    epoch: Epoch,
    /// The committees after the change.
    next: Committees<VoteScheme>,
    statement: Statement,
    votes: BTreeMap<MemberIndex, Vote<Ed25519>>,
    /// Why some approvals are invalid.
    pub faults: Vec<String>,
}

impl Proposal {
    /// Creates the change by which a validator joins.
    pub(crate) fn join(chain: &Chain, member: Member) -> Result<Self, Failure> {
        Self::new(chain, Some(member), None)
    }

    /// Creates the change by which the member with this name or identity key leaves.
    pub(crate) fn leave(chain: &Chain, name: &str) -> Result<Self, Failure> {
        let epoch = chain.current()?;
        let found = epoch.members.iter().find(|m| m.name == name || m.identity_key.to_string() == name);
        let names: Vec<&str> = epoch.members.iter().map(|member| &*member.name).collect();
        let unknown = || format!("no member is named {name}; the members are {}", names.join(", "));
        let member = found.ok_or_else(|| Failure::new(Exit::NotFound, unknown()))?;
        let leaving = Leaving { name: member.name.clone(), identity_key: member.identity_key.clone() };
        Self::new(chain, None, Some(leaving))
    }

    fn new(chain: &Chain, join: Option<Member>, leave: Option<Leaving>) -> Result<Self, Failure> {
        let chain_id = quorate_node::handle::Digest(chain.genesis.chain_id().0);
        let epoch = chain.current()?.number;
        Self::check(chain, ChangeFile { chain_id, epoch, join, leave, allowed: Vec::new() })
    }

    /// Verifies a change file.
    pub(crate) fn check(chain: &Chain, file: ChangeFile) -> Result<Self, Failure> {
        let epoch = chain.current()?.clone();
        let wrong = |text: String| Failure::new(Exit::Setup, text);
        if file.chain_id.0 != chain.genesis.chain_id().0 {
            let (other, this) = (file.chain_id, &chain.genesis.chain);
            return Err(wrong(format!("the change is for chain {other}, not for {this}")));
        }
        if file.epoch != epoch.number {
            return Err(wrong(format!(
                "the change is valid in epoch {} only, but the chain is in epoch {}; create it again",
                file.epoch, epoch.number
            )));
        }
        let change = match (&file.join, &file.leave) {
            (Some(member), _) => joining(chain, member)?,
            (None, Some(leaving)) => leave_of(&epoch, leaving)?,
            (None, None) => {
                return Err(wrong("the change names neither a joining nor a leaving member".into()));
            }
        };
        let following =
            epoch.number.checked_add(1).ok_or_else(|| wrong("the last epoch is reached".into()))?;
        let next = change.apply(&epoch.committees, following);
        let next = next.or_fail(Exit::Setup, "the change cannot be applied")?;
        let statement = change.statement(&epoch.committees);
        let (votes, faults) = (BTreeMap::new(), Vec::new());
        let mut proposal = Self { file, change, epoch, next, statement, votes, faults };
        for allowance in std::mem::take(&mut proposal.file.allowed) {
            match proposal.read(&allowance) {
                Ok(vote) => {
                    if proposal.votes.insert(vote.signer(), vote).is_none() {
                        proposal.file.allowed.push(allowance);
                    }
                }
                Err(problem) => proposal.faults.push(format!("{}: {problem}", allowance.name)),
            }
        }
        Ok(proposal)
    }

    fn read(&self, allowance: &Allowance) -> quorate::Result<Vote<Ed25519>> {
        let key = <Ed25519 as Scheme>::PublicKey::decode(&allowance.identity_key.0, &())?;
        let signature = <Ed25519 as Scheme>::Signature::decode(&allowance.signature.0, &())?;
        let identities = &self.epoch.committees.identities;
        let unknown =
            quorate::Error::WrongContext { what: "identity key outside the committee of this epoch" };
        let vote = Vote::new(self.statement, identities.position(&key).ok_or(unknown)?, signature);
        vote.check(identities)?;
        Ok(vote)
    }

    /// Approves the change with a member's keys, and returns the member's name.
    pub(crate) fn allow(&mut self, keys: &NodeKeys) -> Result<String, Failure> {
        let secret = keys.identity().or_fail(Exit::Setup, "cannot use the keys")?;
        let identities = &self.epoch.committees.identities;
        let vote = Vote::<Ed25519>::sign_unguarded(&secret, identities, self.statement);
        let doing = format!("these are not the keys of a member of epoch {}", self.epoch.number);
        let vote = vote.or_fail(Exit::Setup, doing)?;
        let name = self.name(vote.signer());
        let allowance = Allowance {
            name: name.clone(),
            identity_key: Hex(Ed25519::public_key(&secret).encode()),
            signature: Hex(vote.signature().encode()),
        };
        if self.votes.insert(vote.signer(), vote).is_none() {
            self.file.allowed.push(allowance);
        }
        Ok(name)
    }

    /// Returns the transaction that makes the change.
    pub(crate) fn transaction(&self) -> Result<Vec<u8>, Failure> {
        let made = self
            .change
            .transaction(&self.certificate()?)
            .or_fail(Exit::Failed, "cannot create the transaction")?;
        Ok(made.bytes().to_vec())
    }

    fn certificate(&self) -> Result<Certificate<Ed25519>, Failure> {
        let Statement { kind, view, .. } = self.statement;
        let mut collector = VoteCollector::new(self.epoch.committees.identities.clone(), kind, view);
        let mut add = |vote: &Vote<Ed25519>| collector.add(vote.clone(), &mut Suspects::new()).certificate;
        let certificate = self.votes.values().find_map(&mut add);
        let too_few = || {
            let text = format!(
                "below quorum: approvals with weight {} of {}; more members must approve: quorate member allow",
                self.weight(),
                self.quorum()
            );
            Failure::new(Exit::NotAllowed, text)
        };
        certificate.map(|certificate| certificate.into_inner()).ok_or_else(too_few)
    }

    /// Returns true if a quorum has approved the change.
    pub(crate) fn is_allowed(&self) -> bool {
        self.weight() >= self.quorum()
    }

    fn weight(&self) -> u128 {
        let identities = &self.epoch.committees.identities;
        self.votes.keys().filter_map(|member| identities.weight(*member)).sum()
    }

    fn quorum(&self) -> u128 {
        self.epoch.committees.identities.quorum_weight()
    }

    fn name(&self, member: MemberIndex) -> String {
        self.epoch.members.get(usize::from(member)).map_or_else(String::new, |member| member.name.clone())
    }

    /// Returns the names of the members that approved.
    pub(crate) fn allowed_by(&self) -> Vec<String> {
        self.votes.keys().map(|member| self.name(*member)).collect()
    }

    /// Returns a short title, such as "carol joins".
    pub(crate) fn title(&self) -> String {
        match (&self.file.join, &self.file.leave) {
            (Some(member), _) => format!("{} joins", member.name),
            (None, Some(leaving)) => format!("{} leaves", leaving.name),
            (None, None) => String::new(),
        }
    }

    /// Prints the change for review.
    pub(crate) fn print(&self, chain: &str) {
        outln!("change     {}", self.title());
        if let Some(member) = &self.file.join {
            outln!("  address    {}", member.address);
            outln!("  weight     {}", member.weight);
            outln!("  identity   {}", member.keys.identity_key);
            outln!("  voting     {}", member.keys.voting_key);
        }
        if let Some(leaving) = &self.file.leave {
            outln!("  identity   {}", leaving.identity_key);
        }
        let (now, then) = (&self.epoch.committees.voters, &self.next.voters);
        outln!("chain      {chain} ({})", self.file.chain_id);
        outln!(
            "epoch      {}: {} members, total weight {}",
            self.epoch.number,
            now.len(),
            now.total_weight()
        );
        outln!(
            "then       {}: {} members, total weight {}, quorum {}",
            then.epoch(),
            then.len(),
            then.total_weight(),
            then.quorum_weight()
        );
        outln!("digest     {}", hex::encode(self.statement.digest));
        let by =
            if self.votes.is_empty() { "no member yet".to_owned() } else { self.allowed_by().join(", ") };
        let (weight, quorum) = (self.weight(), self.quorum());
        let verdict = if self.is_allowed() { "quorum" } else { "below quorum" };
        outln!("approved   by {by}: weight {weight} of {quorum}, {verdict}");
        for fault in &self.faults {
            outln!("  invalid approval: {fault}");
        }
    }

    /// Returns the change as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "chain_id": self.file.chain_id,
            "epoch": self.epoch.number,
            "join": self.file.join,
            "leave": self.file.leave,
            "digest": hex::encode(self.statement.digest),
            "members_then": self.next.voters.len(),
            "allowed_by": self.allowed_by(),
            "weight": self.weight().to_string(),
            "quorum": self.quorum().to_string(),
            "allowed": self.is_allowed(),
            "faults": self.faults,
        })
    }
}

fn joining(chain: &Chain, member: &Member) -> Result<Change<VoteScheme>, Failure> {
    let epoch = chain.current()?;
    let wrong = |text: String| Failure::new(Exit::Setup, text);
    let Member { name, address, weight, keys } = member;
    if *weight == 0 {
        return Err(wrong(format!("{name} has weight 0; expected at least 1")));
    }
    if epoch.find_member(name).is_some() {
        return Err(wrong(format!("a member is already named {name}; choose another name")));
    }
    // The record of its earlier signatures may be lost, so the key must not sign again.
    let before = chain.epochs().iter().find(|epoch| epoch.position(&keys.identity_key).is_some());
    if let Some(before) = before {
        let text = format!(
            "the identity key of {name} was in use in epoch {}; a returning validator needs new keys: quorate keygen",
            before.number
        );
        return Err(wrong(text));
    }
    let contact = Contact::new(name, address).or_fail(Exit::Setup, "name and address")?;
    let doing = |key: &str| format!("the {key} of {name} cannot be used");
    let PublicKeys { identity_key, identity_possession, voting_key, voting_possession } = keys;
    Ok(Change::Join {
        voting: proven::<VoteScheme>(voting_key, voting_possession)
            .or_fail(Exit::Setup, doing("voting key"))?,
        identity: proven::<Ed25519>(identity_key, identity_possession)
            .or_fail(Exit::Setup, doing("identity key"))?,
        weight: *weight,
        contact: contact.encode(),
    })
}

fn leave_of(epoch: &Epoch, leaving: &Leaving) -> Result<Change<VoteScheme>, Failure> {
    // Signers review the name, so it must match the key.
    let member =
        epoch.find_member(&leaving.name).filter(|member| member.identity_key == leaving.identity_key);
    if member.is_none() {
        let text = format!(
            "no member of epoch {} has the name {} and this identity key",
            epoch.number, leaving.name
        );
        return Err(Failure::new(Exit::Setup, text));
    }
    if epoch.members.len() == 1 {
        return Err(Failure::new(Exit::Setup, "the last member cannot leave"));
    }
    let doing = format!("the identity key of {} cannot be used", leaving.name);
    let identity = Decode::decode(&leaving.identity_key.0, &()).or_fail(Exit::Setup, doing)?;
    Ok(Change::Leave { identity })
}

fn proven<S: Scheme>(key: &Hex, possession: &Hex) -> quorate::Result<(S::PublicKey, S::Signature)> {
    let key = S::PublicKey::decode(&key.0, &())?;
    let possession = S::Signature::decode(&possession.0, &())?;
    UnverifiedKey::<S>::new(key.clone(), possession.clone()).verify()?;
    Ok((key, possession))
}

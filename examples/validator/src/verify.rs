//! Checks of what validators prove, against nothing but the genesis and the epochs that were proved from there. Whatever
//! does not check out is a [`Exit::BadProof`]: the validator that sent it is wrong or lying, and another may be asked.

use quorate::wire::Decode;
use quorate_node::handle::Digest;
use quorate_node::proof::{StateProof, TransactionProof};
use quorate_node::protocol::{Protocol, ProtocolVisitor};

use crate::api::{Answer, Transaction};
use crate::chain::Chain;
use crate::exit::{Exit, Failure, OrFail};
use crate::protocols::with_protocol;

const WRONG: &str = "the proof does not verify; the validator is wrong or lying, ask another";

/// What a transaction's proof shows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Proven {
    pub transaction: Vec<u8>,
    pub height: u64,
}

/// Checks that the chain contains the transaction `id`; nothing of the answer is believed but the proof.
pub(crate) fn transaction(chain: &Chain, id: Digest, answer: &Transaction) -> Result<Proven, Failure> {
    let proof = unhex(&answer.proof)?;
    let check = CheckTransaction { chain, id, proof: &proof };
    with_protocol(&chain.genesis, check).or_fail(Exit::Setup, "cannot use the genesis file")?
}

/// Checks what the ledger holds under `key`: the value, if there is one, and after which height.
pub(crate) fn answer(chain: &Chain, key: &[u8], answer: &Answer) -> Result<(Option<Vec<u8>>, u64), Failure> {
    let unproved = || {
        let text = "the validator has no proof yet, for no block states this state so far; try again in a moment, \
                    or go without the check with --unverified";
        Failure::new(Exit::NotFound, text)
    };
    let proof = unhex(answer.proof.as_deref().ok_or_else(unproved)?)?;
    let check = CheckAnswer { chain, key, proof: &proof };
    with_protocol(&chain.genesis, check).or_fail(Exit::Setup, "cannot use the genesis file")?
}

/// Hexadecimal from a validator.
pub(crate) fn unhex(text: &str) -> Result<Vec<u8>, Failure> {
    hex::decode(text).or_fail(Exit::BadProof, "the validator's answer is not hexadecimal")
}

struct CheckTransaction<'a> {
    chain: &'a Chain,
    id: Digest,
    proof: &'a [u8],
}

impl ProtocolVisitor for CheckTransaction<'_> {
    type Output = Result<Proven, Failure>;

    fn visit<P: Protocol>(self) -> Self::Output {
        let context = self.chain.context::<P>()?;
        let proof = TransactionProof::<P>::decode(self.proof, &context).or_fail(Exit::BadProof, WRONG)?;
        let proven = proof.verify(&context).or_fail(Exit::BadProof, WRONG)?;
        if proven.id != self.id {
            return Err(Failure::new(
                Exit::BadProof,
                "the validator proves another transaction than was asked for",
            ));
        }
        Ok(Proven { transaction: proof.transaction, height: proven.height })
    }
}

struct CheckAnswer<'a> {
    chain: &'a Chain,
    key: &'a [u8],
    proof: &'a [u8],
}

impl ProtocolVisitor for CheckAnswer<'_> {
    type Output = Result<(Option<Vec<u8>>, u64), Failure>;

    fn visit<P: Protocol>(self) -> Self::Output {
        let context = self.chain.context::<P>()?;
        let proof = StateProof::<P>::decode(self.proof, &context).or_fail(Exit::BadProof, WRONG)?;
        let (height, value) = proof.verify(&context, self.key).or_fail(Exit::BadProof, WRONG)?;
        Ok((value.map(<[u8]>::to_vec), height))
    }
}

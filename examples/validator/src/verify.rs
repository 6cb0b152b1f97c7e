//! Checks of what validators prove, against nothing but the genesis. Whatever does not check out is a
//! [`Exit::BadProof`]: the validator that sent it is wrong or lying, and another may be asked.

use quorate::bls::MinSig;
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate::wire::Decode;
use quorate_jolteon::Committees;
use quorate_node::genesis::{Genesis, SchemeName};
use quorate_node::handle::Digest;
use quorate_node::proof::{StateProof, TransactionProof};

use crate::api::{Answer, Transaction};
use crate::exit::{Exit, Failure, OrFail};

const WRONG: &str = "the proof does not verify; the validator is wrong or lying, ask another";

/// What a transaction's proof shows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Proven {
    pub transaction: Vec<u8>,
    pub height: u64,
}

/// Checks that the chain contains the transaction `id`; nothing of the answer is believed but the proof.
pub(crate) fn transaction(genesis: &Genesis, id: Digest, answer: &Transaction) -> Result<Proven, Failure> {
    let proof = unhex(&answer.proof)?;
    match genesis.scheme {
        SchemeName::Bls => transaction_in::<MinSig>(genesis, id, &proof),
        SchemeName::Ed25519 => transaction_in::<Ed25519>(genesis, id, &proof),
    }
}

/// Checks what the ledger holds under `key`: the value, if there is one, and after which height.
pub(crate) fn answer(
    genesis: &Genesis,
    key: &[u8],
    answer: &Answer,
) -> Result<(Option<Vec<u8>>, u64), Failure> {
    let unproved = || {
        let text = "the validator has no proof yet, for no block states this state so far; try again in a moment, \
                    or go without the check with --unverified";
        Failure::new(Exit::NotFound, text)
    };
    let proof = unhex(answer.proof.as_deref().ok_or_else(unproved)?)?;
    match genesis.scheme {
        SchemeName::Bls => answer_in::<MinSig>(genesis, key, &proof),
        SchemeName::Ed25519 => answer_in::<Ed25519>(genesis, key, &proof),
    }
}

/// Hexadecimal from a validator.
pub(crate) fn unhex(text: &str) -> Result<Vec<u8>, Failure> {
    hex::decode(text).or_fail(Exit::BadProof, "the validator's answer is not hexadecimal")
}

fn transaction_in<S: Scheme>(genesis: &Genesis, id: Digest, proof: &[u8]) -> Result<Proven, Failure> {
    let committees = committees::<S>(genesis)?;
    let proof = TransactionProof::decode(proof, &committees).or_fail(Exit::BadProof, WRONG)?;
    let proven = proof.verify(&committees).or_fail(Exit::BadProof, WRONG)?;
    if proven.id != id {
        return Err(Failure::new(
            Exit::BadProof,
            "the validator proves another transaction than was asked for",
        ));
    }
    Ok(Proven { transaction: proof.transaction, height: proven.height })
}

fn answer_in<S: Scheme>(
    genesis: &Genesis,
    key: &[u8],
    proof: &[u8],
) -> Result<(Option<Vec<u8>>, u64), Failure> {
    let committees = committees::<S>(genesis)?;
    let proof = StateProof::decode(proof, &committees).or_fail(Exit::BadProof, WRONG)?;
    let (height, value) = proof.verify(&committees, key).or_fail(Exit::BadProof, WRONG)?;
    Ok((value.map(<[u8]>::to_vec), height))
}

fn committees<S: Scheme>(genesis: &Genesis) -> Result<Committees<S>, Failure> {
    let checked = genesis.committees::<S>().or_fail(Exit::Setup, "cannot check proofs")?;
    Ok(Committees { voters: checked.voters, identities: checked.identities })
}

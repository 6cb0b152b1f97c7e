//! One file per command.

pub(crate) mod bench;
pub(crate) mod doctor;
pub(crate) mod evidence;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod genesis;
pub(crate) mod get;
pub(crate) mod join;
pub(crate) mod key;
pub(crate) mod keygen;
pub(crate) mod member;
pub(crate) mod presignatures;
pub(crate) mod run;
pub(crate) mod signer;
pub(crate) mod status;
pub(crate) mod submit;
pub(crate) mod token;
pub(crate) mod tune_erasure;
pub(crate) mod verify;

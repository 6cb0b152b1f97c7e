//! Threshold signatures: one suite of tests, run for both groups.
#![cfg(all(feature = "threshold", feature = "ed25519"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, missing_docs)]

mod any;
mod bad_shares;
#[cfg(feature = "bls")]
mod bls;
mod bounds;
mod equivocation;
mod evidence;
mod files;
mod harness;
mod honest;
#[cfg(feature = "journal")]
mod journaled;
mod reuse;
mod spending;
mod standard;

/// Runs each generic test function for both groups.
macro_rules! suite {
    ($($module:ident :: $test:ident),* $(,)?) => {
        mod ristretto255 { $(#[test] fn $test() { super::$module::$test::<quorate::threshold::Ristretto255>() })* }
        mod secp256k1 { $(#[test] fn $test() { super::$module::$test::<quorate::threshold::Secp256k1>() })* }
    };
}

suite! {
    bad_shares::share_of_another_instance_is_refused,
    bad_shares::second_shares_and_outsiders_shares_are_refused,
    bad_shares::every_kind_of_wrong_share_is_identified_and_others_sign,
    bad_shares::wrong_openings_are_refused_without_effect,
    bad_shares::cancelling_shares_are_not_marked_right,
    bounds::checks_and_combinations_stay_within_the_papers_bounds,
    bounds::the_papers_worst_case_reaches_the_bounds,
    bounds::decoding_identifies_all_culprits_without_openings,
    bounds::a_polynomial_of_colluders_blames_no_honest_party,
    equivocation::an_equivocating_leader_gets_one_signature_at_most,
    equivocation::f_plus_1_shares_give_a_leader_two_signatures_and_the_key,
    evidence::decoded_evidence_verifies_for_third_parties,
    evidence::evidence_against_a_right_share_is_refused,
    evidence::evidence_of_an_outlier_needs_enough_agreeing_shares,
    files::files_round_trip,
    files::damaged_files_are_refused,
    files::objects_round_trip_and_other_bytes_are_refused,
    files::an_audit_detects_a_dealers_mistake,
    honest::any_sufficient_shares_give_the_same_valid_signature,
    honest::one_combination_and_no_check_if_all_are_honest,
    honest::a_signature_verifies_for_its_key_message_and_form_only,
    honest::a_committee_of_one_party_signs,
    reuse::no_crash_makes_a_presignature_sign_twice,
    reuse::a_block_is_burnt_by_a_crash,
    reuse::closed_epochs_stay_closed,
    reuse::a_presignature_can_be_taken_once,
    reuse::two_epochs_and_all_their_tags_have_distinct_nonces,
}

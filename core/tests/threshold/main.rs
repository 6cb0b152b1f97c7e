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
    bad_shares::a_second_share_and_a_strangers_are_refused,
    bad_shares::wrong_shares_of_every_kind_are_identified_and_the_rest_signs,
    bad_shares::a_wrong_opening_proves_nothing_and_changes_nothing,
    bad_shares::cancelling_shares_are_not_marked_right,
    bounds::checks_and_combinations_stay_within_the_papers_bounds,
    bounds::the_papers_worst_case_is_met_exactly,
    bounds::decoding_names_all_without_any_opening,
    bounds::a_polynomial_of_the_faulty_frames_no_honest_party,
    equivocation::an_equivocating_leader_gets_one_signature_at_most,
    equivocation::with_f_plus_1_the_same_leader_gets_two_and_the_key,
    evidence::evidence_convinces_others_and_survives_its_encoding,
    evidence::evidence_against_a_right_share_is_refused,
    evidence::outliers_are_proven_by_enough_others_only,
    files::a_file_is_read_back_as_it_was_written,
    files::damaged_files_are_refused,
    files::objects_round_trip_and_other_bytes_are_refused,
    files::a_party_finds_a_dealers_mistake,
    honest::any_sufficient_shares_give_the_same_valid_signature,
    honest::one_combination_and_no_check_if_all_are_honest,
    honest::a_signature_is_good_for_its_key_message_and_form_only,
    honest::one_party_alone_is_a_committee,
    reuse::no_crash_makes_a_presignature_sign_twice,
    reuse::a_block_is_burnt_by_a_crash,
    reuse::an_epoch_that_is_over_stays_over,
    reuse::what_is_taken_is_gone,
    reuse::two_epochs_and_all_their_tags_have_distinct_nonces,
}

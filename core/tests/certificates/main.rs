//! One suite of tests for certificates and guards, run once per scheme.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, missing_docs)]

mod batch;
mod cancelling_keys;
mod collecting;
mod decoding;
mod evidence;
mod extremes;
mod forgeries;
mod guard;
mod harness;
mod spam;
mod timeouts;
mod wire;

/// Runs each generic test function for all schemes.
macro_rules! suite {
    ($($module:ident :: $test:ident),* $(,)?) => {
        mod bls_min_sig { $(#[test] fn $test() { super::$module::$test::<quorate::bls::MinSig>() })* }
        mod bls_min_pk { $(#[test] fn $test() { super::$module::$test::<quorate::bls::MinPk>() })* }
        mod bls_min_sig_counted {
            $(#[test] fn $test() { super::$module::$test::<quorate::bls::Counted<quorate::bls::MinSig>>() })*
        }
        mod bls_min_pk_counted {
            $(#[test] fn $test() { super::$module::$test::<quorate::bls::Counted<quorate::bls::MinPk>>() })*
        }
        mod ed25519 { $(#[test] fn $test() { super::$module::$test::<quorate::ed25519::Ed25519>() })* }
    };
}

suite! {
    batch::good_certificates_verify_together_with_and_without_a_generator,
    batch::bad_certificates_are_named,
    batch::certificates_that_cancel_are_both_refused,
    collecting::a_certificate_is_formed_exactly_at_the_quorum_and_handed_out_once,
    collecting::weights_count_and_not_heads,
    collecting::bad_votes_are_named_and_the_good_ones_make_the_certificate,
    collecting::votes_for_different_digests_do_not_add_up,
    collecting::strays_are_dropped_with_the_reason,
    collecting::a_suspect_is_not_waited_for_but_counts_when_needed,
    collecting::a_verified_vote_is_not_checked_again_and_one_of_another_committee_is,
    collecting::a_certificate_from_batches_and_singles_verifies,
    collecting::votes_survive_both_encodings,
    decoding::no_prefix_extension_or_bit_flip_decodes_into_something_else,
    decoding::counts_without_substance_are_refused,
    evidence::an_equivocation_is_found_whatever_the_state_of_the_first_vote,
    evidence::equivocation_evidence_holds_for_third_parties_and_only_if_true,
    evidence::conflicting_certificates_name_a_third,
    extremes::one_member_decides_alone,
    extremes::one_heavy_member_decides_alone,
    extremes::more_timeout_values_than_a_certificate_holds_are_turned_away,
    forgeries::a_forged_vote_does_not_keep_the_victims_own_out,
    forgeries::a_flood_of_forged_votes_does_no_harm,
    forgeries::a_small_order_point_is_refused_on_every_path,
    forgeries::votes_that_cancel_are_never_held_valid_by_themselves,
    forgeries::what_was_signed_for_one_committee_counts_in_no_other,
    guard::it_signs_forwards_and_the_same_again,
    guard::it_refuses_contradictions_also_after_a_restart,
    guard::it_refuses_records_of_others,
    guard::a_record_that_was_lost_before_it_was_durable_is_harmless,
    guard::records_restore_in_any_order_and_any_number_of_times,
    guard::it_signs_one_timeout_per_view,
    spam::a_limit_on_bad_votes_bounds_the_checks_that_a_member_can_cause,
    spam::without_a_limit_nobody_can_be_silenced,
    spam::whatever_arrives_the_honest_get_their_certificate_and_no_blame,
    timeouts::different_values_make_one_certificate,
    timeouts::a_bad_timeout_is_named_and_replaced,
    timeouts::a_third_is_noticed_before_the_quorum,
    timeouts::two_values_of_one_member_are_an_equivocation,
    timeouts::tampered_groups_are_refused,
    timeouts::an_encoding_is_exact,
    wire::certificates_have_the_documented_bytes,
    wire::both_forms_appear_and_survive,
    wire::what_is_wrong_is_refused_with_the_right_error,
    wire::no_mutation_is_decoded_into_something_else,
}

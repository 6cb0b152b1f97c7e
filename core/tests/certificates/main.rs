//! Tests of certificates and guards, run once per scheme.
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
mod header;
mod spam;
mod timeouts;
mod wire;

/// Instantiates each generic test function for all schemes.
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
    batch::good_certificates_verify_in_random_and_derived_batches,
    batch::a_batch_identifies_each_bad_certificate,
    batch::certificates_that_cancel_are_both_rejected,
    collecting::a_certificate_forms_once_and_exactly_at_the_quorum,
    collecting::weights_count_instead_of_members,
    collecting::bad_votes_are_reported_and_good_ones_certify,
    collecting::votes_for_different_digests_do_not_add_up,
    collecting::stray_votes_are_dropped_with_the_reason,
    collecting::a_suspects_vote_is_used_only_when_needed,
    collecting::only_votes_verified_for_this_committee_skip_verification,
    collecting::a_certificate_from_batches_and_singles_verifies,
    collecting::votes_round_trip_in_both_encodings,
    decoding::prefixes_extensions_and_bit_flips_never_decode_differently,
    decoding::large_counts_without_data_are_rejected,
    evidence::finds_equivocation_in_every_state_of_the_first_vote,
    evidence::equivocation_evidence_convinces_third_parties_only_if_true,
    evidence::conflicting_certificates_identify_a_third_of_the_weight,
    extremes::one_member_decides_alone,
    extremes::one_heavy_member_decides_alone,
    extremes::rejects_more_timeout_values_than_a_certificate_holds,
    forgeries::a_forged_vote_does_not_exclude_the_real_one,
    forgeries::a_flood_of_forged_votes_prevents_no_certificate,
    forgeries::a_small_order_point_is_rejected_on_every_path,
    forgeries::votes_that_cancel_are_never_treated_as_valid,
    forgeries::signatures_for_one_committee_count_in_no_other,
    guard::an_external_key_signs_under_the_same_rule,
    guard::signs_ascending_views_and_repeats_the_same_vote,
    guard::refuses_contradictions_before_and_after_a_restart,
    guard::a_counter_reveals_restored_old_records,
    guard::refuses_records_of_other_keys_chains_and_committees,
    guard::losing_a_record_before_it_is_durable_is_harmless,
    guard::records_restore_in_any_order_and_with_repetitions,
    guard::signs_one_timeout_value_per_view,
    header::every_encoding_begins_with_the_header,
    spam::the_failure_limit_bounds_verifications_per_member,
    spam::without_a_limit_no_member_can_be_excluded,
    spam::honest_members_get_a_certificate_under_any_traffic,
    timeouts::different_values_form_one_certificate,
    timeouts::a_bad_timeout_is_reported_and_replaced,
    timeouts::detects_more_than_a_third_before_the_quorum,
    timeouts::two_values_of_one_member_are_an_equivocation,
    timeouts::tampered_groups_are_rejected,
    timeouts::encodings_have_exact_lengths,
    wire::certificates_have_the_documented_bytes,
    wire::both_signer_set_forms_round_trip,
    wire::each_defect_is_rejected_with_its_error_code,
    wire::mutations_never_decode_differently,
}

//! Order-free aggregates and their dissemination: one suite of tests, run for each counted scheme.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, missing_docs)]
#![cfg(feature = "gossip")]

mod encoding;
mod forgeries;
mod merging;
#[cfg(feature = "toy")]
mod network;
#[cfg(feature = "toy")]
mod pools;
mod stack;
mod together;
mod world;

macro_rules! suite {
    ($($module:ident :: $test:ident),* $(,)?) => {
        mod bls_min_sig_counted {
            $(#[test] fn $test() { super::$module::$test::<quorate::bls::Counted<quorate::bls::MinSig>>() })*
        }
        mod bls_min_pk_counted {
            $(#[test] fn $test() { super::$module::$test::<quorate::bls::Counted<quorate::bls::MinPk>>() })*
        }
        #[cfg(feature = "toy")]
        mod toy { $(#[test] fn $test() { super::$module::$test::<quorate::scheme::Toy>() })* }
    };
}

suite! {
    encoding::an_aggregate_has_the_documented_bytes,
    encoding::every_other_encoding_is_refused,
    encoding::mutations_never_decode_differently,
    forgeries::changed_counts_and_signers_do_not_verify,
    forgeries::aggregates_with_high_counts_verify,
    forgeries::cancelling_aggregates_are_both_refused_in_a_batch,
    forgeries::a_batch_identifies_exactly_the_bad_aggregates,
    forgeries::aggregates_of_another_context_are_refused,
    forgeries::an_aggregate_of_a_quorum_is_a_certificate,
    merging::a_sum_is_the_same_in_any_order_and_verifies,
    merging::subtraction_keeps_every_signer_and_a_valid_sum,
    merging::single_signatures_reduce_every_count_to_one,
    merging::a_merge_above_the_limit_is_refused,
    merging::aggregates_of_other_contexts_are_not_merged,
    merging::a_pool_is_independent_of_order_and_repetition,
    merging::pool_is_bounded_and_reaches_a_certificate,
    merging::a_pool_reduces_counts_by_its_single_signatures,
    merging::counts_are_those_of_the_merged_signatures,
    stack::aggregates_without_a_new_signer_are_dropped_unverified,
    stack::aggregates_of_other_contexts_are_refused_unverified,
    stack::votes_sent_one_by_one_form_a_quorum,
    stack::the_stack_holds_one_per_peer_and_drops_the_oldest,
    stack::only_the_sender_of_an_invalid_aggregate_is_blamed,
    stack::a_flood_costs_one_verification_per_sender,
    stack::certificate_ends_acceptance_and_is_served,
    stack::concurrent_sends_are_limited_to_the_fan_out,
    stack::gossip_is_independent_of_order_and_repetition,
    together::twenty_members_reach_certificates,
}

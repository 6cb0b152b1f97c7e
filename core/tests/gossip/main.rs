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
    forgeries::counts_and_signers_are_as_they_were_signed,
    forgeries::high_counts_verify_as_any_others,
    forgeries::two_that_cancel_are_both_refused_in_a_batch,
    forgeries::a_batch_names_the_bad_ones_and_keeps_the_good,
    forgeries::aggregates_of_another_context_are_refused,
    forgeries::an_aggregate_of_a_quorum_is_a_certificate,
    merging::a_sum_is_the_same_in_any_order_and_verifies,
    merging::what_is_taken_off_leaves_every_signer_and_a_good_sum,
    merging::single_signatures_bring_every_count_down_to_one,
    merging::a_merge_past_the_limit_is_refused,
    merging::only_what_belongs_together_is_merged,
    merging::a_pool_is_independent_of_order_and_repetition,
    merging::pool_is_bounded_and_reaches_a_certificate,
    merging::counts_come_down_where_single_signatures_are_held,
    merging::counts_are_what_they_seem,
    stack::aggregates_without_a_new_signer_are_dropped_unverified,
    stack::what_does_not_belong_here_is_not_taken_in,
    stack::votes_sent_one_by_one_form_a_quorum,
    stack::one_waits_of_each_peer_and_the_oldest_make_room,
    stack::only_the_sender_of_an_invalid_aggregate_is_blamed,
    stack::a_flood_costs_one_verification_per_sender,
    stack::certificate_ends_acceptance_and_is_served,
    stack::no_more_than_the_fan_out_is_under_way,
    stack::gossip_is_independent_of_order_and_repetition,
    together::twenty_members_reach_certificates,
}

//! The rules of each line of the ablation.

use super::blocks::Rules;

/// A body is one message of any length. Gosig has no such option; the paper compares its segments with it.
const UNCUT: Rules = Rules { limited: false, ..Rules::NONE };

/// The lines of the paper's Figure 6: name, enabled rules, and the paper's throughput in tx/s.
pub(super) const ABLATION: [(&str, Rules, &str); 11] = [
    ("undivided body, excluded without it at Stage II", Rules { late: false, ..UNCUT }, "2000"),
    ("the same, pipelining of rounds", Rules { late: false, round_pipelining: true, ..UNCUT }, "3500"),
    ("the same, 5 segments", Rules { late: false, segments: 5, ..UNCUT }, "8000"),
    ("undivided body", UNCUT, "–"),
    ("the same, pipelining of stages", Rules { stage_pipelining: true, ..UNCUT }, "3500"),
    ("all off", Rules::NONE, "–"),
    ("pipelining of rounds", Rules { round_pipelining: true, ..Rules::NONE }, "–"),
    ("pipelining of stages", Rules { stage_pipelining: true, ..Rules::NONE }, "–"),
    ("5 segments", Rules { segments: 5, ..Rules::NONE }, "–"),
    ("all three", Rules { asynchronous: false, ..Rules::ALL }, "15000"),
    ("all three, separate transactions", Rules::ALL, "–"),
];

/// The name of a set of rules.
pub(super) fn name_of_rules(rules: Rules) -> &'static str {
    ABLATION.iter().find(|(_, known, _)| *known == rules).map_or("", |(name, ..)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ablation_has_its_name() {
        for (name, rules, _) in ABLATION {
            assert_eq!(name_of_rules(rules), name);
        }
    }
}

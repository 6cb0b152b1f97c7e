//! Options for the parameters that all members of a group share, and the memory limit.

use quorate_broadcast::authentication::Authentication;
use quorate_broadcast::{GroupParameters, Parameters};

use crate::exit::{Exit, Failure};
use crate::signer::{SignerName, SuiteName, authentication_kind};

/// One MiB.
const MIB: u128 = 1 << 20;

/// Options that must be equal at all members.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
pub(crate) struct GroupArgs {
    /// Signature scheme.
    #[arg(long, value_enum, default_value_t = SignerName::Dsig)]
    pub(crate) signer: SignerName,

    /// DSig suite, with --signer dsig.
    #[arg(long, value_enum, default_value_t = SuiteName::Blake3)]
    pub(crate) suite: SuiteName,

    /// Number of last messages of each sender kept for disconnected members.
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=i64::from(GroupParameters::MAX_TAIL)))]
    pub(crate) tail: u32,

    /// Maximum message length in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 10)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(GroupParameters::MAX_MESSAGE)))]
    pub(crate) max_message: u32,
}

/// Memory limit of a member.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct MemoryArgs {
    /// Refuse parameters with which a member may need more than this many MiB, for any behaviour of the other
    /// members. The need grows with the square of the number of members, with --tail and with --max-message.
    #[arg(long, value_name = "MIB", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..))]
    max_memory: u32,
}

impl GroupArgs {
    /// Returns the group parameters.
    pub(crate) fn group_parameters(&self) -> GroupParameters {
        let GroupArgs { signer, suite, tail, max_message } = *self;
        GroupParameters { authentication: authentication_kind(signer, suite), tail, max_message }
    }
}

impl MemoryArgs {
    /// Checks the memory limit and returns the maximum memory of a member in bytes.
    ///
    /// # Errors
    /// A usage failure that names the options to lower and their maximum values.
    pub(crate) fn check<A: Authentication>(
        &self,
        parameters: &Parameters,
        members: u16,
    ) -> Result<u128, Failure> {
        let (needed, limit) = (parameters.memory::<A>(members), u128::from(self.max_memory) * MIB);
        if needed <= limit {
            return Ok(needed);
        }
        let with = |tail, max_message| Parameters { tail, max_message, ..parameters.clone() };
        let Parameters { tail, max_message, .. } = *parameters;
        let fits = |parameters: Parameters| parameters.memory::<A>(members) <= limit;
        let tail = greatest_below(tail, |tail| fits(with(tail, max_message)));
        let message = greatest_below(max_message as u32, |bytes| fits(with(parameters.tail, bytes as usize)));
        let lower: Vec<String> = [("--tail", tail), ("--max-message", message)]
            .into_iter()
            .filter_map(|(option, most)| Some(format!("{option} to {}", most?)))
            .collect();
        let lower = match lower.is_empty() {
            true => "lower --tail and --max-message".to_owned(),
            false => format!("lower {}", lower.join(", or ")),
        };
        let text = format!(
            "each of {members} members may need {} MiB, but --max-memory allows {}; {lower} (equally at all members), or \
             take fewer members, or raise --max-memory",
            needed.div_ceil(MIB),
            self.max_memory
        );
        Err(Failure::new(Exit::Usage, text))
    }
}

/// Returns the greatest number from 1 to below `above` for which `fits` holds, if any. `fits` must be monotonic.
fn greatest_below(above: u32, fits: impl Fn(u32) -> bool) -> Option<u32> {
    let (mut low, mut high) = (0, above);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(middle) { low = middle } else { high = middle }
    }
    (low > 0).then_some(low)
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;
    use quorate_broadcast::authentication::{Eddsa, Links};

    use super::*;

    #[test]
    fn the_options_accept_exactly_the_valid_group_parameters() {
        use clap::Parser;
        use quorate::wire::{Decode, Encode};

        #[derive(Parser)]
        struct Line {
            #[command(flatten)]
            options: GroupArgs,
        }
        let parsed = |tail: u32, message: u32| {
            let line = ["run", "--tail", &tail.to_string(), "--max-message", &message.to_string()];
            Line::try_parse_from(line).map(|line| line.options.group_parameters()).ok()
        };
        let usual = Line::try_parse_from(["run"]).unwrap().options.group_parameters();
        assert_eq!((usual.tail, usual.max_message as usize), {
            let Parameters { tail, max_message, .. } = Parameters::default();
            (tail, max_message)
        });
        for (tail, message) in [(1, 1), (GroupParameters::MAX_TAIL, GroupParameters::MAX_MESSAGE)] {
            let group_parameters = parsed(tail, message).unwrap();
            assert_eq!(GroupParameters::decode(&group_parameters.encode(), &()), Ok(group_parameters));
        }
        assert_eq!((parsed(0, 1), parsed(1, 0)), (None, None));
        assert_eq!(
            (parsed(GroupParameters::MAX_TAIL + 1, 1), parsed(1, GroupParameters::MAX_MESSAGE + 1)),
            (None, None)
        );
        for signer in SignerName::value_variants() {
            for suite in SuiteName::value_variants() {
                let authentication = authentication_kind(*signer, *suite);
                let named = |name: Option<clap::builder::PossibleValue>| name.unwrap().get_name().to_owned();
                assert_eq!(named(signer.to_possible_value()), authentication.name());
                assert!(authentication.suite().is_none_or(|name| name == named(suite.to_possible_value())));
            }
        }
    }

    #[test]
    fn excessive_memory_is_refused_with_a_remedy() {
        let memory = MemoryArgs { max_memory: 64 };
        let of = |tail, max_message| Parameters { tail, max_message, ..Parameters::default() };
        memory.check::<Eddsa>(&of(128, 16 << 10), 4).unwrap();
        let text = memory.check::<Eddsa>(&of(1024, 16 << 10), 4).unwrap_err();
        assert_eq!(text.exit(), Exit::Usage);
        let text = text.to_string();
        let number = |option: &str| -> u32 {
            let rest = text.split(option).nth(1).unwrap();
            let digits: String = rest.chars().skip(4).take_while(char::is_ascii_digit).collect();
            digits.parse().unwrap()
        };
        // The suggested values fit, and the next higher ones do not.
        let (tail, message) = (number("--tail"), number("--max-message"));
        assert!(tail > 300 && message > 4_000, "{text}");
        memory.check::<Eddsa>(&of(tail, 16 << 10), 4).unwrap();
        memory.check::<Eddsa>(&of(tail + 1, 16 << 10), 4).unwrap_err();
        memory.check::<Eddsa>(&of(1024, message as usize), 4).unwrap();
        memory.check::<Eddsa>(&of(1024, message as usize + 1), 4).unwrap_err();
        // Lowering one of the two does not suffice.
        let text = memory.check::<Links>(&of(65_536, 1 << 20), 1000).unwrap_err().to_string();
        assert!(text.contains("lower --tail and --max-message"), "{text}");
    }
}

use quorate_audited_redis::eddsa::{EddsaLibrary, HAS_SODIUM};
use quorate_audited_redis::frame::SignatureScheme;

/// One bar of the figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BenchTarget {
    Direct,
    Front(SignatureScheme),
    /// EdDSA of libsodium.
    Sodium,
}

/// Names of the default targets.
pub(super) const DEFAULT: &str =
    if HAS_SODIUM { "direct,none,eddsa,sodium,dsig" } else { "direct,none,eddsa,dsig" };

impl std::str::FromStr for BenchTarget {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "direct" => Ok(Self::Direct),
            "sodium" => name.parse::<EddsaLibrary>().map(|_| Self::Sodium),
            _ => name
                .parse()
                .map(Self::Front)
                .map_err(|_| format!("expected direct, none, eddsa, sodium or dsig, got {name:?}")),
        }
    }
}

impl BenchTarget {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Front(scheme) => scheme.name(),
            Self::Sodium => EddsaLibrary::Sodium.name(),
        }
    }

    /// Signature scheme; `None` for plain Redis.
    pub(super) fn scheme(self) -> Option<SignatureScheme> {
        match self {
            Self::Direct => None,
            Self::Front(scheme) => Some(scheme),
            Self::Sodium => Some(SignatureScheme::Eddsa),
        }
    }

    /// Library with which the client signs and the front verifies.
    pub(super) fn library(self) -> EddsaLibrary {
        match self {
            Self::Sodium => EddsaLibrary::Sodium,
            Self::Direct | Self::Front(_) => EddsaLibrary::Dalek,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_target_has_a_name() {
        for name in DEFAULT.split(',') {
            assert_eq!(name.parse::<BenchTarget>().map(BenchTarget::name), Ok(name));
        }
        assert_eq!("sodium".parse::<BenchTarget>().is_ok(), HAS_SODIUM);
        assert!("rsa".parse::<BenchTarget>().unwrap_err().contains("direct"));
    }
}

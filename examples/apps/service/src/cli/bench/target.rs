use quorate_audit::eddsa::{EddsaLibrary, HAS_SODIUM};
use quorate_audit::signed::SignatureScheme;

/// One bar of the figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BenchTarget {
    Plain,
    Audited(SignatureScheme),
    /// EdDSA of libsodium.
    Sodium,
}

/// Names of the default targets.
pub(super) const DEFAULT: &str =
    if HAS_SODIUM { "plain,none,eddsa,sodium,dsig" } else { "plain,none,eddsa,dsig" };

impl std::str::FromStr for BenchTarget {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "plain" => Ok(Self::Plain),
            "sodium" => name.parse::<EddsaLibrary>().map(|_| Self::Sodium),
            _ => name
                .parse()
                .map(Self::Audited)
                .map_err(|_| format!("expected plain, none, eddsa, sodium or dsig, got {name:?}")),
        }
    }
}

impl BenchTarget {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Audited(scheme) => scheme.name(),
            Self::Sodium => EddsaLibrary::Sodium.name(),
        }
    }

    pub(super) fn scheme(self) -> SignatureScheme {
        match self {
            Self::Plain => SignatureScheme::None,
            Self::Audited(scheme) => scheme,
            Self::Sodium => SignatureScheme::Eddsa,
        }
    }

    /// Library with which the client signs and the server verifies.
    pub(super) fn library(self) -> EddsaLibrary {
        match self {
            Self::Sodium => EddsaLibrary::Sodium,
            Self::Plain | Self::Audited(_) => EddsaLibrary::Dalek,
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
        assert!("rsa".parse::<BenchTarget>().unwrap_err().contains("plain"));
    }
}

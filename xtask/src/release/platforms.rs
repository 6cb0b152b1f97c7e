//! The platforms that releases are built for, with their names in each kind of package. All else is derived from this table.

use std::path::PathBuf;

use crate::workspace;

/// A platform of users.
#[derive(Debug)]
pub(crate) struct Platform {
    /// Its name on the command line and in texts.
    pub(crate) name: &'static str,
    /// Rust's name.
    pub(crate) target: &'static str,
    pub(crate) system: System,
    pub(crate) processor: Processor,
    /// Tag in the names of wheels.
    pub(crate) wheel: &'static str,
    /// Name of the step that builds its libraries.
    pub(crate) building: &'static str,
    /// Name of the step that uses its packages.
    pub(crate) using: &'static str,
}

/// Operating system and C library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    /// Linux with glibc.
    Glibc,
    /// Linux with musl.
    Musl,
    Windows,
    Macos,
}

/// Family of processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Processor {
    X86_64,
    Aarch64,
}

/// The oldest glibc: that of CentOS 7, and the oldest for which Rust compiles.
pub(crate) const GLIBC: (u32, u32) = (2, 17);

macro_rules! platform {
    ($name:literal, $target:literal, $system:ident, $processor:ident, $wheel:literal) => {
        Platform {
            name: $name,
            target: $target,
            system: System::$system,
            processor: Processor::$processor,
            wheel: $wheel,
            building: concat!("libraries, ", $name),
            using: concat!("use, ", $name),
        }
    };
}

/// All platforms.
pub(crate) const PLATFORMS: &[Platform] = &[
    platform!(
        "linux-x86-64",
        "x86_64-unknown-linux-gnu",
        Glibc,
        X86_64,
        "manylinux_2_17_x86_64.manylinux2014_x86_64"
    ),
    platform!(
        "linux-aarch64",
        "aarch64-unknown-linux-gnu",
        Glibc,
        Aarch64,
        "manylinux_2_17_aarch64.manylinux2014_aarch64"
    ),
    platform!("linux-x86-64-musl", "x86_64-unknown-linux-musl", Musl, X86_64, "musllinux_1_2_x86_64"),
    platform!("linux-aarch64-musl", "aarch64-unknown-linux-musl", Musl, Aarch64, "musllinux_1_2_aarch64"),
    platform!("windows-x86-64", "x86_64-pc-windows-gnu", Windows, X86_64, "win_amd64"),
    platform!("macos-x86-64", "x86_64-apple-darwin", Macos, X86_64, "macosx_10_12_x86_64"),
    platform!("macos-aarch64", "aarch64-apple-darwin", Macos, Aarch64, "macosx_11_0_arm64"),
];

impl Platform {
    /// The value of `--target` for `cargo zigbuild`, which takes the version of glibc with it.
    pub(crate) fn zig_target(&self) -> String {
        match self.system {
            System::Glibc => format!("{}.{}.{}", self.target, GLIBC.0, GLIBC.1),
            _ => self.target.to_owned(),
        }
    }

    /// The oldest macOS, by processor: the versions that Rust itself supports.
    pub(crate) fn oldest_macos(&self) -> Option<(u32, u32)> {
        match (self.system, self.processor) {
            (System::Macos, Processor::X86_64) => Some((10, 12)),
            (System::Macos, Processor::Aarch64) => Some((11, 0)),
            _ => None,
        }
    }

    /// The library of one of our packages, as cargo leaves it.
    pub(crate) fn compiled(&self, package: &str) -> PathBuf {
        workspace::target(self.target).join("release").join(self.library_name(package))
    }

    /// The copy of the library that the packages take: cargo's folder of a platform, of a gigabyte, may be deleted.
    pub(crate) fn library(&self, package: &str) -> PathBuf {
        workspace::target("xtask/release/libraries").join(self.name).join(self.library_name(package))
    }

    /// File name of the library of one of our packages.
    pub(crate) fn library_name(&self, package: &str) -> String {
        let name = package.replace('-', "_");
        match self.system {
            System::Glibc | System::Musl => format!("lib{name}.so"),
            System::Windows => format!("{name}.dll"),
            System::Macos => format!("lib{name}.dylib"),
        }
    }

    /// File name of Python's native module.
    pub(crate) fn python_module(&self) -> &'static str {
        if self.system == System::Windows { "_native.pyd" } else { "_native.abi3.so" }
    }

    /// The folder in the jar: JNA's name of the platform. JNA does not distinguish musl, so our loader adds it.
    pub(crate) fn jar_folder(&self) -> String {
        let system = match self.system {
            System::Glibc | System::Musl => "linux",
            System::Windows => "win32",
            System::Macos => "darwin",
        };
        let processor = match self.processor {
            Processor::X86_64 => "x86-64",
            Processor::Aarch64 => "aarch64",
        };
        let suffix = if self.system == System::Musl { "-musl" } else { "" };
        format!("{system}-{processor}{suffix}")
    }

    /// `os`, `cpu` and `libc` of its npm package.
    pub(crate) fn npm(&self) -> (&'static str, &'static str, Option<&'static str>) {
        let (os, libc) = match self.system {
            System::Glibc => ("linux", Some("glibc")),
            System::Musl => ("linux", Some("musl")),
            System::Windows => ("win32", None),
            System::Macos => ("darwin", None),
        };
        let cpu = match self.processor {
            Processor::X86_64 => "x64",
            Processor::Aarch64 => "arm64",
        };
        (os, cpu, libc)
    }

    /// Name of its npm package, as napi-rs forms it; the loader in `bindings/javascript/node/backend.ts` has the same rule.
    pub(crate) fn npm_package(&self) -> String {
        let (os, cpu, libc) = self.npm();
        let suffix = match libc {
            Some("glibc") => "-gnu",
            Some(_) => "-musl",
            None => "",
        };
        format!("quorate-{os}-{cpu}{suffix}")
    }
}

/// The platform of this name.
#[cfg(test)]
pub(crate) fn named(name: &str) -> Option<&'static Platform> {
    PLATFORMS.iter().find(|platform| platform.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rules_of_each_kind_of_package() {
        let names = |name| named(name).map(|found| (found.npm_package(), found.jar_folder())).unwrap();
        let of = |npm: &str, jar: &str| (npm.to_owned(), jar.to_owned());
        assert_eq!(names("linux-x86-64"), of("quorate-linux-x64-gnu", "linux-x86-64"));
        assert_eq!(names("linux-aarch64-musl"), of("quorate-linux-arm64-musl", "linux-aarch64-musl"));
        assert_eq!(names("windows-x86-64"), of("quorate-win32-x64", "win32-x86-64"));
        assert_eq!(names("macos-aarch64"), of("quorate-darwin-arm64", "darwin-aarch64"));
    }

    #[test]
    fn tags_of_wheels_state_the_oldest_systems() {
        for platform in PLATFORMS {
            let expected = match platform.system {
                System::Glibc => format!("manylinux_{}_{}_", GLIBC.0, GLIBC.1),
                System::Musl => "musllinux_1_2_".to_owned(),
                System::Windows => "win_amd64".to_owned(),
                System::Macos => {
                    let (major, minor) = platform.oldest_macos().unwrap();
                    format!("macosx_{major}_{minor}_")
                }
            };
            assert!(platform.wheel.starts_with(&expected), "{}: {}", platform.name, platform.wheel);
        }
    }
}

//! A wasm32 compiler for machines where rustup cannot download one: Debian's `rustc-web` packages, unpacked into a folder
//! below the target folder without installation or root, and the standard library built once from their sources. This
//! takes about two minutes, once.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Outcome, is_on_path, output_of};
use crate::steps::Log;
use crate::toolchain::{Compiler, compiles_wasm, has_std};
use crate::workspace;

const TARGET: &str = "wasm32-unknown-unknown";

/// The compiler, which is set up on first use.
pub(crate) fn compiler(log: &Log) -> Outcome<Compiler> {
    let toolchain = DebianToolchain(workspace::target("xtask/debian-wasm"));
    if !toolchain.is_ready() {
        toolchain.set_up(log)?;
    }
    let version = output_of(Command::new(toolchain.bin("rustc")).arg("--version")).unwrap_or_default();
    Ok(Compiler {
        rustc: Some(toolchain.bin("rustc")),
        clang: toolchain.bin("clang"),
        linker: Some(toolchain.bin("wasm-ld")),
        origin: format!("{version} from Debian packages"),
    })
}

struct DebianToolchain(PathBuf);

impl DebianToolchain {
    fn bin(&self, name: &str) -> PathBuf {
        self.0.join("bin").join(name)
    }

    fn is_ready(&self) -> bool {
        has_std(self.bin("rustc"), TARGET) && compiles_wasm(&self.bin("clang"))
    }

    fn set_up(&self, log: &Log) -> Outcome {
        for tool in ["apt-get", "apt-cache", "dpkg"] {
            if !is_on_path(tool) {
                return Err(format!(
                    "no standard library for {TARGET}: `rustup target add {TARGET}` failed, and there is \
                     no `{tool}` to download Debian's"
                ));
            }
        }
        // Remains of an interrupted attempt.
        let _ = fs::remove_dir_all(&self.0);
        create_folder(&self.0.join("bin"))?;
        let packages = Packages::find()?;
        self.unpack(log, &packages)?;
        self.wrap(&packages.llvm)?;
        self.build_std(log)?;
        if self.is_ready() {
            Ok(())
        } else {
            Err("Debian's rustc-web was unpacked, but finds no standard library".to_owned())
        }
    }

    fn unpack(&self, log: &Log, packages: &Packages) -> Outcome {
        let debs = self.0.join("debs");
        create_folder(&debs)?;
        let mut download = Command::new("apt-get");
        download
            .current_dir(&debs)
            .args(["-q", "-o", "APT::Sandbox::User=root", "download"])
            .args(packages.names());
        log.run(&mut download).map_err(|e| format!("{e}\nrun `apt-get update` as root and try again"))?;
        for deb in fs::read_dir(&debs).map_err(|e| e.to_string())?.flatten() {
            log.run(Command::new("dpkg").arg("-x").arg(deb.path()).arg(&self.0))?;
        }
        fs::remove_dir_all(&debs).map_err(|e| format!("{}: {e}", debs.display()))
    }

    /// Writes scripts that start the unpacked programs with the path of their libraries.
    fn wrap(&self, llvm: &str) -> Outcome {
        let tools = [
            ("rustc", self.0.join("usr/bin/rustc")),
            ("clang", self.0.join(format!("usr/lib/llvm-{llvm}/bin/clang"))),
            ("wasm-ld", self.0.join(format!("usr/lib/llvm-{llvm}/bin/wasm-ld"))),
        ];
        let architecture = output_of(Command::new("dpkg-architecture").args(["-q", "DEB_HOST_MULTIARCH"]))
            .unwrap_or_else(|| format!("{}-linux-gnu", std::env::consts::ARCH));
        let libraries = self.0.join("usr/lib").join(architecture);
        for (name, program) in tools {
            let script = format!(
                "#!/bin/sh\nLD_LIBRARY_PATH='{}' exec '{}' \"$@\"\n",
                libraries.display(),
                program.display()
            );
            let path = self.bin(name);
            fs::write(&path, script)
                .and_then(|()| fs::set_permissions(&path, Permissions::from_mode(0o755)))
                .map_err(|e| format!("{}: {e}", path.display()))?;
        }
        Ok(())
    }

    /// Builds the standard library from the vendored sources, by `build-std` of an empty crate, and copies it to where rustc
    /// searches.
    fn build_std(&self, log: &Log) -> Outcome {
        let empty = self.0.join("empty");
        create_folder(&empty.join("src"))?;
        let manifest = "[package]\nname = \"empty\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n\
                        [profile.release]\ncodegen-units = 1\n\n[workspace]\n";
        fs::write(empty.join("Cargo.toml"), manifest).map_err(|e| e.to_string())?;
        fs::write(empty.join("src/lib.rs"), "#![no_std]\n").map_err(|e| e.to_string())?;
        let vendor = self.0.join("usr/lib/rustlib/src/rust/library/vendor");
        let mut cargo = workspace::cargo();
        cargo
            .current_dir(&empty)
            .args(["build", "--offline", "--release", "--target", TARGET])
            .args(["-Z", "build-std=std,panic_abort,test"])
            .args(["--config", "source.crates-io.replace-with='debian'"])
            .args(["--config", &format!("source.debian.directory='{}'", vendor.display())])
            .arg("--target-dir")
            .arg(empty.join("target"))
            .env("RUSTC", self.bin("rustc"))
            .env("RUSTC_BOOTSTRAP", "1") // build-std is unstable, and there is no choice of compiler here
            .env("CARGO_HOME", empty.join("home"))
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", self.bin("wasm-ld"))
            .env_remove("RUSTFLAGS");
        log.run(&mut cargo)?;
        let libraries = self.0.join("usr/lib/rustlib").join(TARGET).join("lib");
        create_folder(&libraries)?;
        let built = empty.join("target").join(TARGET).join("release/deps");
        for file in fs::read_dir(built).map_err(|e| e.to_string())?.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            if name.ends_with(".rlib") && !name.starts_with("libempty-") {
                fs::copy(file.path(), libraries.join(&name)).map_err(|e| format!("{name}: {e}"))?;
            }
        }
        fs::remove_dir_all(&empty).map_err(|e| e.to_string())
    }
}

/// Names of the packages of Debian's compiler, which contain version numbers.
struct Packages {
    std: String,
    llvm: String,
}

impl Packages {
    fn find() -> Outcome<Self> {
        let missing = || {
            "this Debian has no package rustc-web; use rustup's toolchain, or Debian 12 or newer".to_owned()
        };
        let std = dependency("libstd-rust-web-dev", "libstd-rust-web-").ok_or_else(missing)?;
        let library = dependency(&std, "libllvm").ok_or_else(missing)?;
        Ok(Self { std, llvm: library.trim_start_matches("libllvm").to_owned() })
    }

    fn names(&self) -> Vec<String> {
        let llvm = &self.llvm;
        let mut names: Vec<String> = ["rustc-web", "libstd-rust-web-dev", "rust-web-src"]
            .iter()
            .map(|name| (*name).to_owned())
            .collect();
        names.push(self.std.clone());
        names.extend([
            format!("libllvm{llvm}"),
            format!("clang-{llvm}"),
            format!("libclang-cpp{llvm}"),
            format!("libclang-common-{llvm}-dev"),
            format!("lld-{llvm}"),
        ]);
        names
    }
}

/// The first dependency of a package whose name is the prefix followed by a digit.
fn dependency(package: &str, prefix: &str) -> Option<String> {
    let listed = output_of(Command::new("apt-cache").args(["depends", package]))?;
    listed.lines().find_map(|line| {
        let name = line.trim().strip_prefix("Depends: ")?;
        let rest = name.strip_prefix(prefix)?;
        rest.starts_with(|c: char| c.is_ascii_digit()).then(|| name.to_owned())
    })
}

fn create_folder(folder: &Path) -> Outcome {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}

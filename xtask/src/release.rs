//! `cargo xtask release`: builds the program as it is released, arranged for what it does most.
//!
//! A first build counts how often each of its branches is taken while the benchmark sends requests. With these counts the compiler builds
//! again: it places together what runs together, and inlines what runs often.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::bench;
use crate::process;

/// What is counted: every workload on both engines, then imports, exports and sign-ins. What is not counted runs slower than without counts,
/// because the compiler makes it small.
const COUNTED: [&str; 2] = [
    "--rounds 1 --seconds 2 --engines sqlite,postgres",
    "neighbours --rounds 1 --seconds 3 --engines sqlite",
];
/// The file with the counts.
const COUNTS: &str = "requests.profdata";
/// The linker puts what runs often in one part of the program, and what seldom runs in another.
const GROUPED: &str = "-Clink-arg=-Wl,-z,keep-text-section-prefix";

/// Counts, then builds.
pub(crate) fn run() -> Result<()> {
    count()?;
    println!("Built: {}", build()?.join("fieldhouse").display());
    Ok(())
}

/// The folder of what is released.
fn folder() -> Result<PathBuf> {
    Ok(std::path::absolute(process::target())?.join("released"))
}

/// Builds the program and its benchmark with the counts of the last time. Returns their folder.
pub(crate) fn build() -> Result<PathBuf> {
    let counts = folder()?.join(COUNTS);
    ensure!(
        counts.exists(),
        "no requests were counted yet: run `cargo xtask release`, which takes half an hour on two processors"
    );
    programs(&folder()?, &format!("-Cprofile-use={} {GROUPED}", counts.display()))
}

/// Builds programs that count, sends them requests, and gathers what they have counted.
fn count() -> Result<()> {
    let gather = gatherer()?;
    ensure!(
        process::on_path("wrk").is_some(),
        "wrk is missing: install it, for example with `apt-get install wrk`"
    );
    let (folder, parts) = (folder()?, folder()?.join("counts"));
    if parts.exists() {
        fs::remove_dir_all(&parts)?;
    }
    fs::create_dir_all(&parts)?;
    let counting = programs(&folder.join("counting"), &format!("-Cprofile-generate={}", parts.display()))?;
    println!("These programs are slow because they count. What they print is not a result.");
    let file = parts.join("%p.profraw");
    for line in COUNTED {
        let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        bench::measure(&counting, &arguments, &[("LLVM_PROFILE_FILE", file.as_os_str())])?;
    }
    process::run(Command::new(gather).arg("merge").arg("-o").arg(folder.join(COUNTS)).arg(parts))
}

/// Builds the program and its benchmark with a flag of the compiler, in a folder of builds. Returns the folder of the programs.
fn programs(target: &Path, flag: &str) -> Result<PathBuf> {
    let host = host()?;
    // With a target, the flag is not for build scripts and macros.
    process::run(bench::build(target).args(["--target", &host]).env("RUSTFLAGS", flag))?;
    Ok(target.join(host).join("release"))
}

/// The platform of this machine, as the compiler names it.
fn host() -> Result<String> {
    let version = process::output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("`rustc -vV` does not name the host")
}

/// The program that gathers counts. It must be of the compiler's version.
fn gatherer() -> Result<PathBuf> {
    let libraries = PathBuf::from(process::output(Command::new("rustc").args(["--print", "target-libdir"]))?);
    let program = libraries.parent().context("the compiler has no folder")?.join("bin/llvm-profdata");
    ensure!(program.exists(), "llvm-profdata is missing: run `rustup component add llvm-tools`");
    Ok(program)
}

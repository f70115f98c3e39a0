//! Generates clients in Python and TypeScript from the served OpenAPI document and runs them, runs schemathesis, which calls every operation
//! with generated requests, and opens the server's pages in Chromium. All use a served demo.
//!
//! The tools are pinned in `xtask/clients` and installed in `target/clients`. To update them, write the new versions of the two tools into
//! `requirements.txt` and `package.json`, install, and store the output of `pip freeze` and `npm install
//! --omit-lockfile-registry-resolved`.

use std::fs;
use std::path::{Path, PathBuf, absolute};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::demo::Demo;
use crate::process::{on_path, run as run_program};
use crate::steps::Steps;

const FOLDER: &str = "target/clients";
const PYTHON: &str = "xtask/clients/python";
const TYPESCRIPT: &str = "xtask/clients/typescript";
const BROWSER: &str = "xtask/clients/browser";
/// The number of generated requests for each part of an operation.
const EXAMPLES: &str = "3";
/// What schemathesis checks: that the server never fails, and that it follows its document.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
    response_headers_conformance,response_schema_conformance";

const NO_PYTHON: &str = "Python 3.11 or newer is needed, with venv: `apt-get install python3 python3-venv` on Debian and Ubuntu, \
     `brew install python` on macOS.";
const NO_NODE: &str = "Node.js 20 or newer is needed, with npm: `apt-get install nodejs npm` on Debian and Ubuntu, \
     `brew install node` on macOS.";
const NO_BROWSER: &str =
    "Chromium is needed: `apt-get install chromium` on Debian and Ubuntu, `brew install chromium` on macOS.";
const NO_DEMO: &str = "The server's own messages are above.";
const WRONG_CLIENT: &str = "The generated client does not match the server's responses, or the sample uses something that no longer exists.";
const WRONG_PAGE: &str = "Pictures of the pages are in target/clients/browser.";
const NOT_AS_DOCUMENTED: &str = "Each failure above comes with a curl command that repeats it.";

/// `cargo xtask clients`: this part of `cargo xtask test --all` alone.
pub(crate) fn run() -> Result<()> {
    let mut taken = Steps::default();
    let outcome = steps(&mut taken);
    println!("\n{taken}\n");
    outcome
}

/// Generates the clients and runs their samples.
pub(crate) fn steps(steps: &mut Steps) -> Result<()> {
    let demo = steps.run("demo", NO_DEMO, Demo::start)?;
    let tools = steps.run("Python tools", NO_PYTHON, python_tools)?;
    steps.run("Python client", WRONG_CLIENT, || python(&demo, &tools))?;
    steps.run("schemathesis", NOT_AS_DOCUMENTED, || schemathesis(&demo, &tools))?;
    let folder =
        steps.run("Node tools", NO_NODE, || node_tools(TYPESCRIPT, &["tsconfig.json", "sample.ts"]))?;
    steps.run("TypeScript client", WRONG_CLIENT, || typescript(&demo, &folder))?;
    let chromium = steps.run("Chromium", NO_BROWSER, chromium)?;
    let folder = steps.run("browser tools", NO_NODE, || node_tools(BROWSER, &["pages.js"]))?;
    steps.run("pages", WRONG_PAGE, || pages(&demo, &folder, &chromium))
}

/// The programs of a virtual environment with the packages in `requirements.txt`.
fn python_tools() -> Result<PathBuf> {
    let Some(python) = on_path("python3") else { bail!("python3 is missing") };
    let wanted = Path::new(PYTHON).join("requirements.txt");
    let environment = absolute(FOLDER)?.join("venv");
    let programs = environment.join("bin");
    if !is_installed(&environment, &wanted)? {
        run_program(Command::new(python).args(["-m", "venv", "--clear"]).arg(&environment))?;
        let mut pip = Command::new(programs.join("pip"));
        run_program(pip.args(["install", "--quiet", "--no-deps", "--requirement"]).arg(&wanted))?;
        note_installed(&environment, &wanted)?;
    }
    Ok(programs)
}

fn python(demo: &Demo, tools: &Path) -> Result<()> {
    let package = Path::new(FOLDER).join("fieldhouse_openapi");
    let mut generate = Command::new(tools.join("openapi-python-client"));
    generate.args(["generate", "--meta", "none", "--overwrite", "--config"]);
    generate.arg(Path::new(PYTHON).join("config.yml")).arg("--output-path").arg(package);
    run_program(generate.args(["--url", &format!("{}/openapi.json", demo.url()?)]))?;
    let mut sample = Command::new(tools.join("python"));
    sample.arg(Path::new(PYTHON).join("sample.py")).env("PYTHONPATH", FOLDER);
    run_program(sample.envs(demo.environment()?))
}

/// With an API key it sees successes and every kind of refusal.
fn schemathesis(demo: &Demo, tools: &Path) -> Result<()> {
    let mut key = Command::new(tools.join("python"));
    key.arg(Path::new(PYTHON).join("key.py")).env("PYTHONPATH", FOLDER).envs(demo.environment()?);
    let key = crate::process::output(&mut key)?;
    let mut command = Command::new(tools.join("schemathesis"));
    command.args(["run", "--no-color", "--seed", "1", "--generation-database", "none"]);
    command.args(["--phases", "coverage,fuzzing", "--max-examples", EXAMPLES, "--checks", CHECKS]);
    command.arg("--header").arg(format!("x-api-key: {key}"));
    // In a folder of its own, because it reads a configuration from the current folder.
    run_program(command.arg(format!("{}/openapi.json", demo.url()?)).current_dir(FOLDER))
}

/// The folder with a copy of a program in JavaScript or TypeScript, and the packages in its `package-lock.json`.
fn node_tools(program: &str, files: &[&str]) -> Result<PathBuf> {
    let Some(npm) = on_path("npm") else { bail!("npm is missing") };
    ensure!(on_path("node").is_some(), "node is missing");
    let program = Path::new(program);
    let folder = Path::new(FOLDER).join(program.file_name().context("a program without a name")?);
    fs::create_dir_all(&folder)?;
    for name in ["package.json", "package-lock.json"].iter().chain(files) {
        let from = program.join(name);
        fs::copy(&from, folder.join(name)).with_context(|| format!("cannot copy {}", from.display()))?;
    }
    let wanted = folder.join("package-lock.json");
    let modules = folder.join("node_modules");
    if !is_installed(&modules, &wanted)? {
        run_program(Command::new(npm).args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder))?;
        note_installed(&modules, &wanted)?;
    }
    Ok(folder)
}

fn typescript(demo: &Demo, folder: &Path) -> Result<()> {
    let folder = absolute(folder)?;
    let tool = |name: &str| {
        let mut command = Command::new(folder.join("node_modules/.bin").join(name));
        command.current_dir(&folder);
        command
    };
    let document = format!("{}/openapi.json", demo.url()?);
    run_program(tool("openapi-typescript").args([&document, "--output", "schema.d.ts"]))?;
    run_program(tool("tsc").args(["--project", "."]))?;
    run_program(Command::new("node").arg(folder.join("out/sample.js")).envs(demo.environment()?))
}

/// The installed Chromium, or Chrome.
fn chromium() -> Result<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names.into_iter().find_map(on_path).context("no chromium is in the search path")
}

fn pages(demo: &Demo, folder: &Path, chromium: &Path) -> Result<()> {
    let mut command = Command::new("node");
    command.arg("pages.js").current_dir(folder).env("CHROMIUM", chromium).env("FIELDHOUSE_MAIL", demo.mail());
    run_program(command.envs(demo.environment()?))
}

/// Whether a folder has the packages of a list: the list is copied there after the installation.
fn is_installed(folder: &Path, list: &Path) -> Result<bool> {
    let wanted = fs::read(list).with_context(|| format!("cannot read {}", list.display()))?;
    Ok(fs::read(folder.join("installed")).is_ok_and(|installed| installed == wanted))
}

fn note_installed(folder: &Path, list: &Path) -> Result<()> {
    fs::copy(list, folder.join("installed"))?;
    Ok(())
}

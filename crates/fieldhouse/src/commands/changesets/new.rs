//! `fieldhouse changesets new`: proposes a changeset from a file, a spreadsheet, or an editor.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use clap::Args;
use fieldhouse_client::api::changesets::{Changeset, DriftPolicy};
use fieldhouse_client::{Client, Error};
use fieldhouse_domain::changesets::operations::Changeable;
use fieldhouse_domain::text::{Name, Reason};
use serde_json::{Value, json};

use super::rows::{self, Op};
use super::typed;
use crate::arguments::{one_of, read_file, value};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::note;
use crate::terminal::variable;

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    source: Source,
    /// What the rows of --from-csv are about
    #[arg(long, requires = "from_csv", value_parser = one_of!(Changeable))]
    resource: Option<Changeable>,
    /// What the rows of --from-csv do
    #[arg(long, requires = "from_csv", value_enum, default_value = "update")]
    op: Op,
    /// What it is, in a few words; required unless the file says it
    #[arg(long, value_parser = value::<Name>)]
    title: Option<Name>,
    /// Why, for reviewers and families; do not name children
    #[arg(long, value_parser = value::<Reason>)]
    reason: Option<Reason>,
    /// What its execution does if records have changed and its effects have not [default: strict]
    #[arg(long, value_parser = one_of!(DriftPolicy))]
    drift_policy: Option<DriftPolicy>,
}

/// Where the operations come from.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct Source {
    /// A changeset or a list of operations as JSON, or operations as JSON lines; - is standard input
    file: Option<PathBuf>,
    /// A table with one operation in each row; the heading is `id`, `if_version` and names of fields
    #[arg(long, value_name = "FILE", requires = "resource")]
    from_csv: Option<PathBuf>,
    /// Write it in your editor: VISUAL or EDITOR
    #[arg(long)]
    edit: bool,
}

/// Proposes a changeset.
pub(super) async fn run(context: &Context, client: &Client, options: Options) -> anyhow::Result<Changeset> {
    if options.source.edit {
        return edited(context, client, &options).await;
    }
    let text = |file: &Path| -> anyhow::Result<String> {
        let bytes = read_file(file).with_context(|| format!("{} cannot be read", file.display()))?;
        Ok(fieldhouse_imports::utf8(&bytes).map_err(|bad| Failure::new(bad.to_string()))?.to_owned())
    };
    let body = if let (Some(file), Some(resource)) = (&options.source.from_csv, options.resource) {
        let operations = rows::read(&text(file)?, resource, options.op);
        json!({"operations": operations.map_err(|failure| in_file(file, failure))?})
    } else {
        let file = options.source.file.as_deref().unwrap_or(Path::new("-"));
        typed::body(&text(file)?).map_err(|failure| in_file(file, failure))?
    };
    Ok(propose(client, &options, body).await?)
}

fn in_file(file: &Path, failure: Failure) -> Failure {
    let name = if file.as_os_str() == "-" { "standard input".into() } else { file.display().to_string() };
    let what = format!("{name}: {}", failure.what);
    Failure { what, ..failure }
}

/// Why a proposal failed.
enum Refused {
    /// It was not sent.
    Here(Failure),
    /// The server refused it.
    There(Error),
}

impl From<Refused> for anyhow::Error {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Here(failure) => failure.into(),
            Refused::There(error) => error.into(),
        }
    }
}

/// Sends the body. Options take precedence over what it says.
async fn propose(client: &Client, options: &Options, mut body: Value) -> Result<Changeset, Refused> {
    let given = [
        ("title", options.title.as_ref().map(|title| json!(title))),
        ("reason", options.reason.as_ref().map(|reason| json!(reason))),
        ("drift_policy", options.drift_policy.map(|policy| json!(policy))),
    ];
    for (name, value) in given {
        if let Some(value) = value {
            body[name] = value;
        }
    }
    let is_undo = body.get("undo").is_some_and(|undo| !undo.is_null());
    if body["title"].is_null() && !is_undo {
        let failure = Failure::usage("it has no title").next("say what it is in a few words: --title");
        return Err(Refused::Here(failure));
    }
    let new = typed::checked(&body).map_err(Refused::Here)?;
    client.changesets().create(&new).await.map_err(Refused::There)
}

/// What an editor starts with.
const TEMPLATE: &str = r#"// A changeset. Lines that start with // are comments. Save an empty file to propose nothing.
{
  "title": "",
  "reason": "",
  "operations": [
    // One in each line; remove the // of what you need:
    // {"op": "update", "resource": "games", "id": "gam_...", "if_version": 1, "set": {"status": "postponed"}},
    // {"op": "create", "ref": "v1", "resource": "venues", "data": {"name": "Town Hall", "time_zone": "Australia/Melbourne"}},
    // {"op": "update", "resource": "games", "id": "gam_...", "set": {"venue_id": {"$ref": "v1"}}},
    // {"op": "delete", "resource": "games", "id": "gam_..."},
    // {"op": "assert", "resource": "seasons", "id": "sea_...", "test": [{"op": "test", "path": "/status", "value": "active"}]},
  ]
}
"#;

/// Proposes what the user writes in their editor. If it is refused, the file stays.
async fn edited(context: &Context, client: &Client, options: &Options) -> anyhow::Result<Changeset> {
    let Some(editor) = variable("VISUAL").or_else(|| variable("EDITOR")) else {
        let next = "name your editor: export EDITOR=nano";
        return Err(Failure::usage("neither VISUAL nor EDITOR is set").next(next).into());
    };
    let mut file = tempfile::Builder::new().prefix("changeset-").suffix(".json").tempfile()?;
    file.write_all(TEMPLATE.as_bytes())?;
    let path = file.into_temp_path();
    open(&editor, &path)?;
    let written =
        std::fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    if written == TEMPLATE || written.trim().is_empty() {
        return Err(Failure::new("nothing was written, so nothing was proposed").into());
    }
    let read = typed::body(&written).map_err(Refused::Here);
    let proposed = match read {
        Ok(mut body) => {
            // The template's reason may stay empty.
            if let Some(fields) =
                body.as_object_mut().filter(|fields| fields.get("reason") == Some(&json!("")))
            {
                fields.remove("reason");
            }
            propose(client, options, body).await
        }
        Err(refused) => Err(refused),
    };
    match proposed {
        Ok(proposed) => Ok(proposed),
        Err(refused) => {
            let kept = path.keep().context("the file cannot be kept")?;
            if !context.output.is_json() {
                note(&format!(
                    "Your text is kept. Correct it, then: fieldhouse changesets new {}",
                    kept.display()
                ));
            }
            Err(refused.into())
        }
    }
}

fn open(editor: &str, file: &Path) -> anyhow::Result<()> {
    let status = if cfg!(windows) {
        Command::new("cmd").args(["/C", editor]).arg(file).status()
    } else {
        // The variable may contain options: `code --wait`.
        Command::new("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg(editor).arg(file).status()
    };
    let status = status.with_context(|| format!("the editor {editor} cannot be started"))?;
    if !status.success() {
        return Err(Failure::new(format!("the editor {editor} failed, so nothing was proposed")).into());
    }
    Ok(())
}

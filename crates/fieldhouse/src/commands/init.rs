//! `fieldhouse init`: creates an organization and its owner, on the server's machine.

use clap::Args;
use fieldhouse_domain::organizations::slug;
use fieldhouse_domain::passwords::check_password;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::{Email, InvalidValue, Name};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_server::Clock;
use fieldhouse_server::auth::passwords::Passwords;
use fieldhouse_server::operator::{self, Founding, OperatorError, Person};
use secrecy::SecretString;

use crate::database::{self, Database};
use crate::failure::Failure;
use crate::output::note;
use crate::secrets;

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    database: Database,
    /// The organization's name
    #[arg(long, value_name = "NAME")]
    organization: String,
    /// The e-mail address of its owner
    #[arg(long, value_name = "EMAIL")]
    owner: String,
    /// The owner's name [default: the e-mail address]
    #[arg(long, value_name = "NAME")]
    owner_name: Option<String>,
    /// The organization's IANA time zone, such as Australia/Melbourne
    #[arg(long, value_name = "ZONE", default_value = "UTC")]
    time_zone: String,
    /// The organization's country as an ISO 3166-1 alpha-2 code, such as AU
    #[arg(long, value_name = "CODE", value_parser = country)]
    country: Option<String>,
    /// Read the owner's password from standard input instead of asking for it
    #[arg(long)]
    password_stdin: bool,
}

/// Parses a country code in upper or lower case.
fn country(text: &str) -> Result<String, &'static str> {
    let two_letters = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    two_letters.then(|| text.to_ascii_uppercase()).ok_or("write two letters, such as AU")
}

/// The parsed value of an option, or what to write instead.
fn taken<T>(option: &str, parsed: Result<T, InvalidValue>) -> Result<T, Failure> {
    parsed.map_err(|InvalidValue { message, fix, .. }| {
        let failure = Failure::usage(format!("{option} {message}"));
        fix.into_iter().fold(failure, Failure::next)
    })
}

pub(crate) async fn run(options: Options) -> anyhow::Result<()> {
    let founding = Founding {
        name: taken("--organization", Name::parse(&options.organization))?,
        country: options.country,
        time_zone: taken("--time-zone", TimeZoneName::parse(&options.time_zone))?,
    };
    if slug(&founding.name).is_empty() {
        return Err(Failure::usage("--organization must contain a letter or a digit").into());
    }
    let email = taken("--owner", Email::parse(&options.owner))?;
    let name = options.owner_name.as_deref().unwrap_or(email.as_str());
    let name = taken("--owner-name", Name::parse(name))?;
    let password = if options.password_stdin {
        secrets::piped()?
    } else {
        secrets::ask_for_new("Password of the owner", "pipe it in with --password-stdin")?
    };
    // Checked before anything is created.
    if let Err(InvalidValue { message, fix, .. }) =
        check_password(&password, &email, &[name.as_str(), founding.name.as_str()])
    {
        return Err(fix
            .into_iter()
            .fold(Failure::new(format!("the password {message}")), Failure::next)
            .into());
    }
    let opened = options.database.open().await?;
    let key_ring = options.database.key_ring(&opened.store).await?;
    let (slug, address) = (slug(&founding.name), email.as_str().to_owned());
    let owner = Person { email, name, role: Role::Owner, password: SecretString::from(password) };
    let clock = Clock::system();
    let founded =
        operator::found(&opened.store, &Passwords::new(&clock), &clock, founding, vec![owner]).await;
    founded.map_err(|error| match error {
        // Its message includes the cause.
        OperatorError::Refused(_) => Failure::new(error.to_string()).into(),
        error => anyhow::Error::from(error),
    })?;
    database::bind(&key_ring, &opened.store).await?;
    opened.created.keep();
    note(&format!("Created the organization {slug} with its owner {address}."));
    note(&format!(
        "Next: start the server with `fieldhouse serve`, then sign in with `fieldhouse login {address}`."
    ));
    Ok(())
}

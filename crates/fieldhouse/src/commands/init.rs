//! `fieldhouse init`: creates an organization and its owner, on the server's machine.

use std::io::{self, IsTerminal, Write};

use clap::Args;
use fieldhouse_client::api::operator::FoundOrganization;
use fieldhouse_domain::organizations::{Country, Slug};
use fieldhouse_domain::passwords::check_password;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::{Email, InvalidValue, Name};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_server::Clock;
use fieldhouse_server::auth::passwords::Passwords;
use fieldhouse_server::operator::{self, Founding, OperatorError, Person};
use secrecy::SecretString;

use crate::arguments::value;
use crate::database::{self, Database, PublicUrl};
use crate::failure::Failure;
use crate::output::{line, note};
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
    /// The organization's IANA time zone, such as Australia/Melbourne; on a terminal, it is asked for
    #[arg(long, value_name = "ZONE", value_parser = value::<TimeZoneName>)]
    time_zone: Option<TimeZoneName>,
    /// The organization's country as an ISO 3166-1 alpha-2 code, such as AU
    #[arg(long, value_name = "CODE", value_parser = value::<Country>)]
    country: Option<Country>,
    /// Read the owner's password from standard input instead of asking for it
    #[arg(long)]
    password_stdin: bool,
    /// Print a link with which the owner sets their password, instead of asking for one
    #[arg(long, conflicts_with = "password_stdin")]
    link: bool,
    #[command(flatten)]
    public_url: PublicUrl,
}

/// The parsed value of an option, or what to write instead.
fn taken<T>(option: &str, parsed: Result<T, InvalidValue>) -> Result<T, Failure> {
    parsed.map_err(|InvalidValue { message, fix, .. }| {
        let failure = Failure::usage(format!("{option} {message}"));
        fix.into_iter().fold(failure, Failure::next)
    })
}

pub(crate) async fn run(options: Options) -> anyhow::Result<()> {
    let name = taken("--organization", Name::parse(&options.organization))?;
    let slug =
        Slug::of(&name).ok_or_else(|| Failure::usage("--organization must contain a letter or a digit"))?;
    let email = taken("--owner", Email::parse(&options.owner))?;
    let owner_name = options.owner_name.as_deref().unwrap_or(email.as_str());
    let owner_name = taken("--owner-name", Name::parse(owner_name))?;
    let time_zone = match &options.time_zone {
        Some(zone) => zone.clone(),
        None => ask_for_zone()?,
    };
    let founding = Founding { name, slug, country: options.country.clone(), time_zone };
    if options.link {
        return with_link(&options, founding, email, owner_name).await;
    }
    let password = password(&options, &email)?;
    let owner = Person { email, name: owner_name, role: Role::Owner, password };
    with_password(&options, founding, owner).await
}

fn password(options: &Options, email: &Email) -> anyhow::Result<SecretString> {
    let password = if options.password_stdin {
        secrets::piped()?
    } else {
        secrets::ask_for_new("Password of the owner", "pipe it in with --password-stdin, or use --link")?
    };
    // Checked before anything is created.
    let names = [options.owner_name.as_deref().unwrap_or_default(), &options.organization];
    if let Err(InvalidValue { message, fix, .. }) = check_password(&password, email, &names) {
        let failure = Failure::new(format!("the password {message}"));
        return Err(fix.into_iter().fold(failure, Failure::next).into());
    }
    Ok(SecretString::from(password))
}

async fn with_password(options: &Options, founding: Founding, owner: Person) -> anyhow::Result<()> {
    let mut opened = options.database.open().await?;
    let key_ring = options.database.key_ring(&mut opened.store).await?;
    let (slug, address) = (founding.slug.clone(), owner.email.to_string());
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

/// Founds the organization as `fieldhouse organizations create` does, whose owner sets a password with a link.
async fn with_link(
    options: &Options,
    founding: Founding,
    owner: Email,
    owner_name: Name,
) -> anyhow::Result<()> {
    let opened = options.database.open().await?;
    let operating = options.database.operate_on(opened, options.public_url.get()).await?;
    let Founding { name, slug, country, time_zone } = founding;
    let owner_name = Some(owner_name);
    let body = FoundOrganization { name, slug: Some(slug), country, time_zone, owner, owner_name };
    let founded = operating.client.operator().create_organization(&body).await?;
    operating.end().await?;
    let (slug, owner) = (&founded.organization.slug, &founded.owner);
    note(&format!("Created the organization {slug} with its owner {owner}."));
    let Some(link) = &founded.link else {
        note(&format!("{owner} has an account already, and signs in with its password."));
        return Ok(());
    };
    note(
        "Next: start the server with `fieldhouse serve`, then open this link within 24 hours to set the owner's password:",
    );
    Ok(line(link)?)
}

/// Asks for the organization's time zone; this machine's is suggested.
fn ask_for_zone() -> anyhow::Result<TimeZoneName> {
    let own = iana_time_zone::get_timezone().ok().and_then(|zone| TimeZoneName::parse(&zone).ok());
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        let example =
            own.map_or_else(|| "Australia/Melbourne".to_owned(), |own| format!("{own}, this machine's"));
        let next = format!("name the organization's IANA time zone, such as {example}");
        return Err(Failure::usage("--time-zone is missing").next(next).into());
    }
    loop {
        let suggested = own.as_ref().map(|own| format!(" [{own}]")).unwrap_or_default();
        write!(io::stderr(), "Time zone of the organization{suggested}: ")?;
        let mut typed = String::new();
        if io::stdin().read_line(&mut typed)? == 0 {
            return Err(Failure::usage("--time-zone is missing").into());
        }
        match (typed.trim(), &own) {
            ("", Some(own)) => return Ok(own.clone()),
            (typed, _) => match value::<TimeZoneName>(typed) {
                Ok(zone) => return Ok(zone),
                Err(wrong) => note(&format!("{typed} {wrong}")),
            },
        }
    }
}

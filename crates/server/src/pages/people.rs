//! The pages that the links of messages open. Their forms work without script, and do what the operations of the API do.

use fieldhouse_api::envelope::Form;
use fieldhouse_api::{Op, op};
use fieldhouse_domain::ids::{Id, UserId};
use fieldhouse_domain::invitations::InvitationKind;
use fieldhouse_domain::mail::MailKind;
use fieldhouse_domain::passwords::PASSWORD_MIN;
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::users::{EmailSide, can_confirm};
use fieldhouse_store::users;
use jiff::Timestamp;

use super::{escape, layout, paragraphs};
use crate::answer::Answered;
use crate::app::App;
use crate::auth::links;
use crate::call::Call;
use crate::failure::Failure;
use crate::routes::{auth, invitations, profile};

/// A page whose form has been refused: what was wrong, above the form.
fn alert(failure: Option<&Failure>) -> String {
    let Some(failure) = failure else { return String::new() };
    let lines = paragraphs(failure);
    format!("<div class=\"alert\" role=\"alert\" data-code=\"{}\">{lines}</div>\n", failure.code())
}

/// The address of an operation that takes a form. A form without one would be sent to the address of the page, with its query.
fn action<O: Op>() -> &'static str {
    // Relative, for a server behind a proxy that adds a path.
    O::ROW.path.trim_start_matches('/')
}

/// A page with a form that sends the token of the link and other fields to the operation `O`.
fn form<O: Op>(
    title: &str,
    intro: &str,
    failure: Option<&Failure>,
    token: &str,
    fields: &str,
    button: &str,
) -> Form {
    let token = escape(token);
    layout(
        title,
        &format!(
            "<h1>{title}</h1>\n{intro}\n{}<form method=\"post\" action=\"{}\">\n<input type=\"hidden\" name=\"token\" value=\"{token}\">\n\
             {fields}<button type=\"submit\">{button}</button>\n</form>\n",
            alert(failure),
            action::<O>()
        ),
    )
}

fn input(label: &str, name: &str, kind: &str, autocomplete: &str, more: &str) -> String {
    format!(
        "<label for=\"{name}\">{label}</label>\n\
         <input id=\"{name}\" name=\"{name}\" type=\"{kind}\" autocomplete=\"{autocomplete}\" required{more}>\n"
    )
}

fn new_password(name: &str) -> String {
    let hint = format!(" minlength=\"{PASSWORD_MIN}\" aria-describedby=\"hint\"");
    let field = input("New password", name, "password", "new-password", &hint);
    format!(
        "{field}<p id=\"hint\" class=\"hint\">At least {PASSWORD_MIN} characters. A few words in a row work well.</p>\n"
    )
}

/// The account of a password, which password managers store with it.
fn username(email: &str) -> String {
    format!("<input type=\"email\" autocomplete=\"username\" value=\"{email}\" readonly hidden>\n")
}

fn token(query: &fieldhouse_api::auth::LinkQuery) -> Result<String, Failure> {
    query.token.clone().ok_or_else(|| Denial::LinkExpired.into())
}

/// An invitation as its page shows it.
struct Invitation {
    kind: InvitationKind,
    club: String,
    inviter: String,
    role: &'static str,
    email: String,
    has_account: bool,
    token: String,
}

impl Invitation {
    async fn read(app: &App, token: &str, now: Timestamp) -> Result<Self, Failure> {
        let linked = links::invitation(app, token, now).await?;
        let user = users::by_email(&mut &*app.store, &linked.email).await?;
        Ok(Self {
            kind: linked.invitation.kind(),
            club: escape(&linked.inviting.name),
            inviter: escape(&linked.inviter),
            role: linked.role.name(),
            email: escape(linked.email.as_str()),
            has_account: user.is_some_and(|user| user.password_hash.is_some()),
            token: token.to_owned(),
        })
    }

    /// The page with its form. After a refusal it says why, and has the name that was typed.
    fn page(&self, refused: Option<(&Failure, &str)>) -> Form {
        let Self { kind, club, inviter, role, email, has_account, token } = self;
        let failure = refused.map(|(failure, _)| failure);
        let invites = match kind {
            InvitationKind::Member => format!(
                "<p>{inviter} invites you to join <strong>{club}</strong> with the role <strong>{role}</strong>.</p>"
            ),
            InvitationKind::Guardian => format!(
                "<p>{inviter} invites you to <strong>{club}</strong> as the <strong>guardian of a child</strong>.</p>\n\
                 <p>After you accept, a manager of {club} must confirm you as a guardian. Until then, you cannot see any of the \
                 child's data.</p>"
            ),
        };
        let intro = format!("{invites}\n<p class=\"hint\">You sign in with the address {email}.</p>");
        let fields = if *has_account {
            let field = input("Password of your account", "password", "password", "current-password", "");
            format!("{field}<p class=\"hint\"><a href=\"forgot-password\">Forgot your password?</a></p>\n")
        } else {
            let typed = escape(refused.map_or("", |(_, name)| name));
            let name =
                input("Your name", "name", "text", "name", &format!(" maxlength=\"200\" value=\"{typed}\""));
            format!("{name}{}", new_password("password"))
        };
        let fields = format!("{}{fields}", username(email));
        form::<op::InvitationPageSubmit>(
            &format!("Join {club}"),
            &intro,
            failure,
            token,
            &fields,
            &format!("Join {club}"),
        )
    }

    fn joined(&self) -> Form {
        let Self { kind, club, email, .. } = self;
        let next = match kind {
            InvitationKind::Member => "",
            InvitationKind::Guardian => {
                " A manager has to confirm you as a guardian. You will get a message when that is done."
            }
        };
        let text = format!(
            "<h1>Welcome to {club}</h1>\n<p>You are a member now.{next} Sign in to your app with the address \
             <strong>{email}</strong> and your password.</p>\n\
             <p class=\"hint\">On the command line: <code>fieldhouse login {email}</code></p>\n"
        );
        layout(&format!("Welcome to {club}"), &text)
    }
}

pub(crate) async fn invitation(
    call: Call<op::InvitationPage>,
) -> Result<Answered<op::InvitationPage>, Failure> {
    let invitation = Invitation::read(&call.app, &token(&call.query)?, call.now()).await?;
    Ok(Answered::form(invitation.page(None)))
}

pub(crate) async fn accept(
    call: Call<op::InvitationPageSubmit>,
) -> Result<Answered<op::InvitationPageSubmit>, Failure> {
    let body = call.body.clone();
    let invitation = Invitation::read(&call.app, &body.token, call.now()).await?;
    let name = body.name.as_ref().map(ToString::to_string).unwrap_or_default();
    match invitations::accept(call.act(body)).await {
        Ok(_) => Ok(Answered::form(invitation.joined())),
        Err(failure) => {
            let page = invitation.page(Some((&failure, &name)));
            Err(failure.on_page(page))
        }
    }
}

fn reset_page(token: &str, email: &str, failure: Option<&Failure>) -> Form {
    let intro = format!("<p>For the account <strong>{}</strong>.</p>", escape(email));
    let fields = format!("{}{}", username(&escape(email)), new_password("new_password"));
    form::<op::PasswordResetPageSubmit>(
        "Set a new password",
        &intro,
        failure,
        token,
        &fields,
        "Set the password",
    )
}

pub(crate) async fn password_reset(
    call: Call<op::PasswordResetPage>,
) -> Result<Answered<op::PasswordResetPage>, Failure> {
    let token = token(&call.query)?;
    let (_, user) = links::password_reset(&call.app, &token, call.now()).await?;
    Ok(Answered::form(reset_page(&token, user.email.as_str(), None)))
}

pub(crate) async fn reset(
    call: Call<op::PasswordResetPageSubmit>,
) -> Result<Answered<op::PasswordResetPageSubmit>, Failure> {
    let body = call.body.clone();
    let (_, user) = links::password_reset(&call.app, &body.token, call.now()).await?;
    let token = body.token.clone();
    match auth::complete_reset(call.act(body)).await {
        Ok(_) => {
            let text = "<h1>Your password is set</h1>\n<p>All devices were signed out. Sign in with the new password.</p>\n";
            Ok(Answered::form(layout("Your password is set", text)))
        }
        Err(failure) => {
            let page = reset_page(&token, user.email.as_str(), Some(&failure));
            Err(failure.on_page(page))
        }
    }
}

pub(crate) async fn forgot_password(
    _: Call<op::ForgotPasswordPage>,
) -> Result<Answered<op::ForgotPasswordPage>, Failure> {
    let field = input("Your e-mail address", "email", "email", "email", " maxlength=\"254\"");
    let text = format!(
        "<h1>Forgot your password?</h1>\n<p>If an account has your address, you get a link to set a new password.</p>\n\
         <form method=\"post\" action=\"{}\">\n{field}<button type=\"submit\">Send the link</button>\n</form>\n",
        action::<op::ForgotPasswordPageSubmit>()
    );
    Ok(Answered::form(layout("Forgot your password?", &text)))
}

pub(crate) async fn request_reset(
    call: Call<op::ForgotPasswordPageSubmit>,
) -> Result<Answered<op::ForgotPasswordPageSubmit>, Failure> {
    let body = call.body.clone();
    auth::request_reset(call.act(body)).await?;
    let text = "<h1>Check your e-mail</h1>\n<p>If an account has this address, a link to set a new password is on its way. \
                It is valid for an hour.</p>\n";
    Ok(Answered::form(layout("Check your e-mail", text)))
}

/// A change of an e-mail address as its page shows it.
struct EmailChange {
    from: String,
    to: String,
    token: String,
}

impl EmailChange {
    async fn read(app: &App, token: &str, now: Timestamp) -> Result<Self, Failure> {
        let mail = links::email_change(app, token).await?;
        let side = if mail.kind == MailKind::EmailChangeNew { EmailSide::New } else { EmailSide::Current };
        let user = users::read(&mut &*app.store, UserId::from_uuid(mail.record.unwrap_or_default())).await?;
        let user =
            user.filter(|user| can_confirm(user, side, mail.created_at, now)).ok_or(Denial::LinkExpired)?;
        let to = user.pending_email.as_ref().map(ToString::to_string).unwrap_or_default();
        Ok(Self { from: escape(user.email.as_str()), to: escape(&to), token: token.to_owned() })
    }

    fn page(&self, failure: Option<&Failure>) -> Form {
        let Self { from, to, token } = self;
        let intro =
            format!("<p>Your account changes from <strong>{from}</strong> to <strong>{to}</strong>.</p>");
        form::<op::EmailPageSubmit>("Confirm your new e-mail address", &intro, failure, token, "", "Confirm")
    }
}

pub(crate) async fn email(call: Call<op::EmailPage>) -> Result<Answered<op::EmailPage>, Failure> {
    let change = EmailChange::read(&call.app, &token(&call.query)?, call.now()).await?;
    Ok(Answered::form(change.page(None)))
}

pub(crate) async fn confirm_email(
    call: Call<op::EmailPageSubmit>,
) -> Result<Answered<op::EmailPageSubmit>, Failure> {
    let (app, now, body) = (call.app.clone(), call.now(), call.body.clone());
    let change = EmailChange::read(&app, &body.token, now).await?;
    let text = match profile::confirm_email(call.act(body)).await {
        Ok(_) => format!(
            "<h1>Confirmed</h1>\n<p>The address changes to <strong>{}</strong> when both addresses have confirmed.</p>\n",
            change.to
        ),
        Err(failure) => {
            let page = change.page(Some(&failure));
            return Err(failure.on_page(page));
        }
    };
    Ok(Answered::form(layout("Confirmed", &text)))
}

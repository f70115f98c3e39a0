//! The texts of messages.

use fieldhouse_api::changesets::text::{records, summary};
use fieldhouse_domain::changesets::ChangesetState;
use fieldhouse_domain::changesets::impact::lines;
use fieldhouse_domain::children::break_glass::EmergencyReason;
use fieldhouse_domain::children::cases::{self as case_rules, CaseState};
use fieldhouse_domain::children::relations::{self as relation_rules, RelationKind, RelationState};
use fieldhouse_domain::duties::{DutyState, proposal};
use fieldhouse_domain::ids::{
    BreakGlassGrantId, ChangesetId, DutyId, Id, PrivacyRequestId, RelationId, SafeguardingCaseId, UserId,
};
use fieldhouse_domain::invitations::InvitationKind;
use fieldhouse_domain::mail::{MailKind, RESET_LIFE};
use fieldhouse_domain::privacy_requests::{PrivacyRequestKind, PrivacyRequestState};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_domain::users::{User, email_change_ends};
use fieldhouse_store::break_glass as grants;
use fieldhouse_store::duties::{self, Listed};
use fieldhouse_store::mail::{self, Mail};
use fieldhouse_store::{Result, cases, changesets, families, privacy_requests, relations, users};
use jiff::Timestamp;

use crate::app::App;
use crate::auth::links;

/// A message as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The name of the sender.
    pub from: String,
    /// The subject.
    pub subject: String,
    /// The text.
    pub text: String,
}

const PRODUCT: &str = "Fieldhouse";

/// The address of the page that a message's link opens.
pub fn link(app: &App, mail: &Mail) -> String {
    let page = match mail.kind {
        MailKind::Invitation | MailKind::GuardianInvitation => "accept-invitation",
        MailKind::PasswordReset
        | MailKind::PasswordChanged
        | MailKind::EmailChanged
        | MailKind::DutyProposed
        | MailKind::RelationProposed
        | MailKind::RelationWaiting
        | MailKind::RelationActive
        | MailKind::CaseProposed
        | MailKind::BreakGlass
        | MailKind::BreakGlassReview
        | MailKind::PrivacyRequested
        | MailKind::PrivacyDecided
        | MailKind::GamesChanged
        | MailKind::ReducedApproval => "reset-password",
        MailKind::EmailChangeCurrent | MailKind::EmailChangeNew => "confirm-email",
    };
    format!("{}/{page}?token={}", app.base_url, links::token(mail, &app.key_ring))
}

/// The text of a message. `None` if it no longer applies, because the record has changed, or because no account has the address.
pub async fn render(app: &App, mail: &Mail) -> Result<Option<Rendered>> {
    Ok(match mail.kind {
        MailKind::Invitation | MailKind::GuardianInvitation => invitation(app, mail).await?,
        MailKind::PasswordReset => password_reset(app, mail).await?,
        MailKind::DutyProposed => duty(app, mail).await?,
        MailKind::CaseProposed => case(app, mail).await?,
        MailKind::BreakGlass | MailKind::BreakGlassReview => break_glass(app, mail).await?,
        MailKind::RelationProposed | MailKind::RelationWaiting | MailKind::RelationActive => {
            relation(app, mail).await?
        }
        MailKind::PrivacyRequested | MailKind::PrivacyDecided => privacy_request(app, mail).await?,
        MailKind::GamesChanged => games_changed(app, mail).await?,
        MailKind::ReducedApproval => reduced_approval(app, mail).await?,
        _ => {
            let user = UserId::from_uuid(mail.record.unwrap_or_default());
            users::read(&mut &*app.store, user).await?.and_then(|user| of_user(app, mail, &user))
        }
    })
}

async fn invitation(app: &App, mail: &Mail) -> Result<Option<Rendered>> {
    let Some(linked) = links::linked(app, mail, app.clock.now()).await? else { return Ok(None) };
    let links::Linked { invitation, inviting, role, inviter, expires_at, .. } = linked;
    let (club, ends) = (inviting.name, moment(expires_at, &inviting.time_zone));
    let invites = match invitation.kind() {
        InvitationKind::Member => format!("{inviter} invites you to join {club} with the role \"{role}\"."),
        InvitationKind::Guardian => format!(
            "{inviter} invites you to {club} as the guardian of a child. After you accept, a manager of {club} must confirm you as a \
             guardian. Until then, you cannot see any of the child's data. To protect the child, this message does not name them. If you \
             are not sure which child it is, ask {inviter}."
        ),
    };
    let text = format!(
        "Hello,\n\n{invites}\n\nOpen this page to accept:\n\n{}\n\n\
         The link works once, until {ends}. It is only for you: do not forward it, because anyone who opens it can join in your name.\n\n\
         If you do not know {club}, ignore this message.\n",
        link(app, mail)
    );
    Ok(Some(Rendered {
        subject: format!("{inviter} invites you to {club}"),
        from: format!("{club} via {PRODUCT}"),
        text,
    }))
}

/// Tells an owner of a proposed duty. The reason is left out, because its writer may have named a child.
async fn duty(app: &App, mail: &Mail) -> Result<Option<Rendered>> {
    let (Some(organization), Some(record)) = (mail.organization, mail.record) else { return Ok(None) };
    let found = duties::of_mail(&mut &*app.store, organization, DutyId::from_uuid(record)).await?;
    let Some((Listed { duty, name: holder }, proposing)) = found else { return Ok(None) };
    if duty.state_at(app.clock.now()) != DutyState::Proposed {
        return Ok(None);
    }
    let (club, zone) = (proposing.organization, proposing.time_zone);
    let proposer = proposing.proposer.unwrap_or_else(|| "The operator".to_owned());
    let kind = duty.kind.name().replace('_', " ");
    let (ends, alone_from) = (moment(duty.ends_at, &zone), moment(proposal(&duty).alone_from(), &zone));
    let text = format!(
        "Hello,\n\n{proposer} proposes {holder} as {kind} in {club}, until {ends}. This duty opens children's data once another admin \
         has confirmed it and {holder} has accepted it.\n\n\
         You get this message because you are an owner: if no other admin can confirm the duty, an owner can confirm it alone from \
         {alone_from} on.\n\n\
         If it is not right, revoke it:\n\n    fieldhouse duties revoke {}\n",
        duty.id
    );
    let subject = format!("{proposer} proposes {holder} as {kind} in {club}");
    Ok(Some(Rendered { subject, from: format!("{club} via {PRODUCT}"), text }))
}

/// Tells owners of a proposed relation, or the person of one that waits for them. Nothing in it tells who the child is.
async fn relation(app: &App, mail: &Mail) -> Result<Option<Rendered>> {
    let (Some(organization), Some(record)) = (mail.organization, mail.record) else { return Ok(None) };
    let found = relations::of_mail(&mut &*app.store, organization, RelationId::from_uuid(record)).await?;
    let Some((relations::Listed { relation, name: person }, proposing)) = found else { return Ok(None) };
    let (club, zone) = (proposing.organization, proposing.time_zone);
    let proposer = proposing.proposer.unwrap_or_else(|| "The operator".to_owned());
    let kind = match relation.kind {
        RelationKind::Itself => "the account of a child".to_owned(),
        other => format!("{} of a child", other.name().replace('_', " ")),
    };
    let ends = relation.expires_at.map(|end| format!(", until {}", moment(end, &zone))).unwrap_or_default();
    let id = relation.id;
    let (subject, text) = match (mail.kind, relation.state_at(app.clock.now())) {
        (MailKind::RelationProposed, RelationState::Proposed) => {
            let alone_from = moment(relation_rules::proposal(&relation).alone_from(), &zone);
            let subject = format!("{proposer} proposes {person} as {kind} in {club}");
            let and_accepted = match relation.accepted_at {
                Some(_) => format!(". {person} has already accepted it through an invitation"),
                None => format!(" and {person} has accepted it"),
            };
            let text = format!(
                "Hello,\n\n{subject}{ends}. This relation opens the child's data once a manager has confirmed it{and_accepted}.\n\n\
                 You get this message because you are an owner: if no other manager can confirm the relation, an owner can confirm it \
                 alone from {alone_from} on.\n\n\
                 If it is not right, revoke it:\n\n    fieldhouse relations revoke {id}\n"
            );
            (subject, text)
        }
        (MailKind::RelationWaiting, RelationState::Confirmed) => {
            let text = format!(
                "Hello {person},\n\n{proposer} proposes you as {kind} in {club}{ends}, and a second person has confirmed it. It opens \
                 the child's data to you once you accept it:\n\n    fieldhouse relations accept {id}\n\n\
                 If it is not right, decline it:\n\n    fieldhouse relations revoke {id}\n\n\
                 If you do not know {club}, ignore this message.\n"
            );
            (format!("Accept that you are {kind} in {club}"), text)
        }
        (MailKind::RelationActive, RelationState::Active) => {
            let text = format!(
                "Hello {person},\n\nyou have accepted an invitation to be a {kind} in {club}{ends}, and a second person has confirmed it. \
                 These are the children whose data you may see:\n\n    fieldhouse children list\n\n\
                 If this is a mistake, give up the relation:\n\n    fieldhouse relations revoke {id}\n"
            );
            (format!("You are now a {kind} in {club}"), text)
        }
        _ => return Ok(None),
    };
    Ok(Some(Rendered { subject, from: format!("{club} via {PRODUCT}"), text }))
}

/// Tells an owner of a proposed safeguarding case. The title is left out, because its writer may have named a child.
async fn case(app: &App, mail: &Mail) -> Result<Option<Rendered>> {
    let (Some(organization), Some(record)) = (mail.organization, mail.record) else { return Ok(None) };
    let found = cases::of_mail(&mut &*app.store, organization, SafeguardingCaseId::from_uuid(record)).await?;
    let Some((case, proposing)) = found else { return Ok(None) };
    if case.state != CaseState::Proposed {
        return Ok(None);
    }
    let (club, zone) = (proposing.organization, proposing.time_zone);
    let proposer = proposing.proposer.unwrap_or_else(|| "The operator".to_owned());
    let alone_from = moment(case_rules::proposal(&case).alone_from(), &zone);
    let subject = format!("{proposer} proposes a safeguarding case in {club}");
    let text = format!(
        "Hello,\n\n{subject}. It opens data of the children whom it names once a second person has confirmed it: an admin, or a \
         safeguarding lead who does not work on it. Discuss it only with safeguarding leads and the admin who confirms it.\n\n    fieldhouse safeguarding-cases \
         confirm {}\n\n\
         You get this message because you are an owner: if no second person can confirm the case, an owner can confirm it alone from \
         {alone_from} on.\n",
        case.id
    );
    Ok(Some(Rendered { subject, from: format!("{club} via {PRODUCT}"), text }))
}

/// Tells guardians, or an owner who sees to the review, that someone opened data of a child. Nothing in it tells who the child is.
async fn break_glass(app: &App, mail: &Mail) -> Result<Option<Rendered>> {
    let (Some(organization), Some(record)) = (mail.organization, mail.record) else { return Ok(None) };
    let grant = BreakGlassGrantId::from_uuid(record);
    let Some(told) = grants::of_mail(&mut &*app.store, organization, grant).await? else { return Ok(None) };
    let (holder, club, ends) = (told.holder, told.organization, moment(told.ends_at, &told.time_zone));
    let why = match told.reason_code {
        EmergencyReason::Medical => "the child is ill or hurt",
        EmergencyReason::Missing => "the child is missing",
        EmergencyReason::NotCollected => "the child was not collected",
        EmergencyReason::Other => "there is an emergency",
    };
    let opened = "the name in the team, how to reach the family, and what is known about the child's health";
    let (subject, text) = if mail.kind == MailKind::BreakGlass {
        let text = format!(
            "Hello,\n\n{holder} has opened data of your child in {club}, because {why}. Until {ends} they can read {opened}.\n\n\
             Another person reviews this. What {holder} has read is in the access log of your child.\n\n\
             If you do not know of an emergency, call {club} now.\n"
        );
        (format!("{holder} has opened data of your child in {club}"), text)
    } else if told.reviewed_at.is_none() {
        let text = format!(
            "Hello,\n\n{holder} has opened data of a child in {club}, because {why}. Until {ends} they can read {opened}. The guardians are \
             told.\n\nA safeguarding lead or an admin has to review it within 72 hours:\n\n    fieldhouse break-glass-grants review \
             {grant} --help\n"
        );
        (format!("Review that {holder} has opened data of a child in {club}"), text)
    } else {
        return Ok(None);
    };
    Ok(Some(Rendered { subject, from: format!("{club} via {PRODUCT}"), text }))
}

/// Tells owners of a request about a child's data, or the requester of its decision. Nothing in it tells who the child is; the texts are
/// left out, because their writers may have named it.
async fn privacy_request(app: &App, mail: &Mail) -> Result<Option<Rendered>> {
    let (Some(organization), Some(record)) = (mail.organization, mail.record) else { return Ok(None) };
    let id = PrivacyRequestId::from_uuid(record);
    let found = privacy_requests::of_mail(&mut &*app.store, organization, id).await?;
    let Some((request, club)) = found else { return Ok(None) };
    let privacy_requests::Club { name: club, time_zone, requester } = club;
    let kind = match request.kind {
        PrivacyRequestKind::Export => "a copy of a child's data",
        PrivacyRequestKind::Correction => "the correction of a child's data",
        PrivacyRequestKind::Erasure => "the erasure of a child's data",
    };
    let is_open = request.state == PrivacyRequestState::Open;
    let (subject, text) = match mail.kind {
        MailKind::PrivacyRequested if is_open => {
            let due = moment(request.due_at, &time_zone);
            let subject = format!("{requester} requests {kind} in {club}");
            let text = format!(
                "Hello,\n\n{subject}. An admin other than the requester has to decide by {due}:\n\n    \
                 fieldhouse privacy-requests list\n    fieldhouse privacy-requests decide {id} --help\n\n\
                 A granted erasure is done at once and cannot be undone.\n"
            );
            (subject, text)
        }
        MailKind::PrivacyDecided if !is_open => {
            let state = request.state.name();
            let text = format!(
                "Hello {requester},\n\nyour request for {kind} in {club} was decided. It is now {state}:\n\n    \
                 fieldhouse privacy-requests list\n"
            );
            (format!("{club} has decided your request for {kind}"), text)
        }
        _ => return Ok(None),
    };
    Ok(Some(Rendered { subject, from: format!("{club} via {PRODUCT}"), text }))
}

/// Tells a family which games of its teams changed. Nothing in it tells who the child is.
async fn games_changed(app: &App, mail: &Mail) -> Result<Option<Rendered>> {
    let Some(told) = families::games_told(&mut &*app.store, mail, app.clock.now()).await? else {
        return Ok(None);
    };
    let (club, count) = (told.organization, told.games.len());
    let games = if count == 1 { "1 game".to_owned() } else { format!("{count} games") };
    let reason = told.reason.map(|reason| format!("Reason: {reason}\n\n")).unwrap_or_default();
    let text = format!(
        "Hello,\n\n{club} has changed {games} of your family's teams.\n\n{reason}{}\
         You get this message because you or a child in your care plays in one of these teams. Times are those of the venue.\n",
        lines(&told.games)
    );
    let subject = format!("{club} has changed {games}");
    Ok(Some(Rendered { subject, from: format!("{club} via {PRODUCT}"), text }))
}

/// Tells an owner that fewer people approve a changeset than its risk asks for. It names what people wrote as its title, and counts.
async fn reduced_approval(app: &App, mail: &Mail) -> Result<Option<Rendered>> {
    let (Some(organization), Some(record)) = (mail.organization, mail.record) else { return Ok(None) };
    let id = ChangesetId::from_uuid(record);
    let Some((changeset, club)) = changesets::of_mail(&mut &*app.store, organization, id).await? else {
        return Ok(None);
    };
    let is_open = matches!(changeset.state, ChangesetState::InReview | ChangesetState::Approved);
    let (Some(from), Ok(impact), true) =
        (changeset.not_before, serde_json::from_value(club.impact), is_open && changeset.reduced_approval)
    else {
        return Ok(None);
    };
    let changesets::Club { name: club, time_zone, author, .. } = club;
    let approvals = match changeset.required_approvals.unwrap_or_default() {
        0 => "no one else can approve it".to_owned(),
        1 => "only 1 other person can approve it".to_owned(),
        count => format!("only {count} other people can approve it"),
    };
    let (risk, from) = (changeset.risk.map(|risk| risk.name()).unwrap_or_default(), moment(from, &time_zone));
    let text = format!(
        "Hello,\n\n{author} proposes a changeset in {club}: {}\n\n    {}\n    {}\n\n\
         You get this message as an owner. The changeset's risk, {risk}, requires more approvals than {club} can give: {approvals}. \
         It cannot be executed before {from}.\n\n\
         This is what it does:\n\n    fieldhouse changesets diff {id}\n\n\
         If it is not right, reject it:\n\n    fieldhouse changesets reject {id}\n",
        changeset.title,
        records(&impact),
        summary(&impact, app.clock.now()),
    );
    let subject = format!("{author} proposes a changeset in {club} that too few people can approve");
    Ok(Some(Rendered { subject, from: format!("{club} via {PRODUCT}"), text }))
}

async fn password_reset(app: &App, mail: &Mail) -> Result<Option<Rendered>> {
    let mut store = &*app.store;
    let user = users::by_email(&mut store, &mail.recipient).await?;
    let is_newest = mail::newest_reset(&mut store, &mail.recipient).await? == Some(mail.id);
    if !is_newest || user.is_none_or(|user| user.suspended_at.is_some()) {
        return Ok(None);
    }
    let minutes = RESET_LIFE.as_mins();
    let text = format!(
        "Hello,\n\nsomeone asked to set a new password for the account {}.\n\nOpen this page to set it:\n\n{}\n\n\
         The link works once, within {minutes} minutes. If it was not you, ignore this message: the password stays as it is.\n",
        mail.recipient,
        link(app, mail)
    );
    Ok(Some(rendered("Set a new password", text)))
}

fn of_user(app: &App, mail: &Mail, user: &User) -> Option<Rendered> {
    let zone = user.time_zone.clone().unwrap_or_else(TimeZoneName::utc);
    match mail.kind {
        MailKind::PasswordChanged => {
            let text = format!(
                "Hello {},\n\nthe password of your account {} was changed. All other sessions were signed out.\n\n\
                 If it was not you, request a new password at {}/forgot-password and tell an admin of your organization.\n",
                user.name, user.email, app.base_url
            );
            Some(rendered("Your password was changed", text))
        }
        MailKind::EmailChanged => {
            let text = format!(
                "Hello {},\n\nyour account now has the e-mail address {}. Messages are no longer sent to {}.\n\n\
                 If it was not you, tell an admin of your organization.\n",
                user.name, user.email, mail.recipient
            );
            Some(rendered("Your e-mail address was changed", text))
        }
        _ => email_change(app, mail, user, &zone),
    }
}

fn email_change(app: &App, mail: &Mail, user: &User, zone: &TimeZoneName) -> Option<Rendered> {
    let pending = user.pending_email.as_ref().filter(|_| user.pending_email_at == Some(mail.created_at))?;
    let ends = email_change_ends(mail.created_at);
    let link = (ends > app.clock.now()).then(|| link(app, mail))?;
    let text = format!(
        "Hello {},\n\nsomeone asked to change the e-mail address of your account from {} to {pending}.\n\n\
         Open this page to confirm:\n\n{link}\n\n\
         The address changes when both addresses have confirmed, until {}. If it was not you, ignore this message and change your \
         password.\n",
        user.name,
        user.email,
        moment(ends, zone)
    );
    Some(rendered("Confirm your new e-mail address", text))
}

fn rendered(subject: &str, text: String) -> Rendered {
    Rendered { from: PRODUCT.to_owned(), subject: subject.to_owned(), text }
}

/// A time as people write it, in a zone.
fn moment(time: Timestamp, zone: &TimeZoneName) -> String {
    zone.zoned(time).strftime("%A, %-d %B %Y at %H:%M (%Z)").to_string()
}

//! The tokens of links in messages, and of exports. A token is an HMAC over the message, the record that it is about, and the version of
//! that record. It is not stored, and is void once it was used or the record has another version.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fieldhouse_domain::ids::{ExportId, GuardianInvitationId, Id, InvitationId, MailId, OrganizationId};
use fieldhouse_domain::invitations::{InvitationStatus, Invited};
use fieldhouse_domain::mail::MailKind;
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::Email;
use fieldhouse_domain::users::User;
use fieldhouse_store::invitations::{Inviting, Listed};
use fieldhouse_store::mail::{self, Mail};
use fieldhouse_store::{guardian_invitations, invitations, users};
use jiff::Timestamp;
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::app::App;
use crate::failure::Failure;
use crate::key_ring::{KeyRing, Purpose};

const PREFIX: &str = "fhl_";

/// The token of a message's link.
pub fn token(mail: &Mail, ring: &KeyRing) -> String {
    let mac = ring.mac(Purpose::Token, &signed(mail));
    let id = mail.id.uuid();
    format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode([id.as_bytes().as_slice(), &mac].concat()))
}

/// What the token authenticates.
fn signed(mail: &Mail) -> Vec<u8> {
    let record = mail.record.unwrap_or_default();
    [
        b"the link of a message\n".as_slice(),
        mail.kind.name().as_bytes(),
        b"\n",
        mail.id.uuid().as_bytes(),
        record.as_bytes(),
        &mail.version.to_be_bytes(),
    ]
    .concat()
}

/// The message with this token's link, if it is of one of these kinds.
async fn read(app: &App, token: &str, kinds: &[MailKind]) -> Result<Mail, Failure> {
    let bytes = token.strip_prefix(PREFIX).and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
    let bytes = bytes.filter(|bytes| bytes.len() == 48).ok_or(Denial::LinkExpired)?;
    let id = Uuid::from_slice(&bytes[..16]).map_err(|_| Denial::LinkExpired)?;
    let found = mail::read(&mut &*app.store, MailId::from_uuid(id)).await?.ok_or(Denial::LinkExpired)?;
    let signed = signed(&found);
    let mut macs = app.key_ring.macs(Purpose::Token, &signed);
    let is_right = macs.any(|(_, mac)| bool::from(mac.ct_eq(&bytes[16..])));
    if is_right && kinds.contains(&found.kind) { Ok(found) } else { Err(Denial::LinkExpired.into()) }
}

/// The invitation of a link: to join the organization, or to be a child's guardian. It does not tell who the child is.
#[derive(Clone, Debug)]
pub(crate) struct Linked {
    /// The invitation.
    pub(crate) invitation: Invited,
    /// Its version when the link was sent.
    pub(crate) version: i64,
    /// The organization.
    pub(crate) organization: OrganizationId,
    /// Its name, time zone and more.
    pub(crate) inviting: Inviting,
    /// The invited address.
    pub(crate) email: Email,
    /// The role of those who join.
    pub(crate) role: Role,
    /// The name of the person who invited.
    pub(crate) inviter: String,
    /// When it expires.
    pub(crate) expires_at: Timestamp,
}

/// The open invitation of a link.
pub(crate) async fn invitation(app: &App, token: &str, now: Timestamp) -> Result<Linked, Failure> {
    let mail = read(app, token, &[MailKind::Invitation, MailKind::GuardianInvitation]).await?;
    Ok(linked(app, &mail, now).await?.ok_or(Denial::LinkExpired)?)
}

/// The invitation that a message has a link for. `None` if it cannot be accepted with that link any more.
pub(crate) async fn linked(
    app: &App,
    mail: &Mail,
    now: Timestamp,
) -> fieldhouse_store::Result<Option<Linked>> {
    let (Some(organization), Some(record)) = (mail.organization, mail.record) else { return Ok(None) };
    let store = &mut &*app.store;
    let (status, linked) = if mail.kind == MailKind::GuardianInvitation {
        let id = GuardianInvitationId::from_uuid(record);
        let found = guardian_invitations::of_link(store, organization, id, now).await?;
        let Some((guardian_invitations::Listed { invitation, inviter }, inviting)) = found else {
            return Ok(None);
        };
        let (version, email, expires_at) =
            (invitation.version, invitation.email.clone(), invitation.expires_at);
        let (status, invitation) = (invitation.status(now), Invited::Guardian(id));
        let role = Role::Member;
        (status, Linked { invitation, version, organization, inviting, email, role, inviter, expires_at })
    } else {
        let id = InvitationId::from_uuid(record);
        let found = invitations::of_link(store, organization, id).await?;
        let Some((Listed { invitation, inviter }, inviting)) = found else { return Ok(None) };
        let (version, role, expires_at) = (invitation.version, invitation.role, invitation.expires_at);
        let (status, email) = (invitation.status(now), invitation.email);
        let invitation = Invited::Member(id);
        (status, Linked { invitation, version, organization, inviting, email, role, inviter, expires_at })
    };
    let is_open = status == InvitationStatus::Open && linked.version == mail.version;
    Ok(is_open.then_some(linked))
}

/// The user whose password the link of a reset may set.
pub(crate) async fn password_reset(app: &App, token: &str, now: Timestamp) -> Result<(Mail, User), Failure> {
    let mail = read(app, token, &[MailKind::PasswordReset]).await?;
    let mut store = &*app.store;
    let is_open = mail.used_at.is_none() && mail.expires_at.is_some_and(|ends| ends > now);
    let is_newest = mail::newest_reset(&mut store, &mail.recipient).await? == Some(mail.id);
    let user = users::by_email(&mut store, &mail.recipient).await?;
    let user = user.filter(|user| {
        let changed_later = user.password_changed_at.is_some_and(|at| at > mail.created_at);
        is_open && is_newest && user.suspended_at.is_none() && !changed_later
    });
    let user = user.ok_or(Denial::LinkExpired)?;
    Ok((mail, user))
}

const EXPORT_PREFIX: &str = "fhx_";

/// The token of an export's link: the organization, and an HMAC over it and the export.
pub(crate) fn export_token(ring: &KeyRing, organization: OrganizationId, export: ExportId) -> String {
    let mac = ring.mac(Purpose::Token, &signed_export(organization, export));
    let organization = organization.uuid();
    format!("{EXPORT_PREFIX}{}", URL_SAFE_NO_PAD.encode([organization.as_bytes().as_slice(), &mac].concat()))
}

fn signed_export(organization: OrganizationId, export: ExportId) -> Vec<u8> {
    let (organization, export) = (organization.uuid(), export.uuid());
    [b"the link of an export\n".as_slice(), organization.as_bytes(), export.as_bytes()].concat()
}

/// The organization of an export, if this is the token of its link.
pub(crate) fn export(ring: &KeyRing, export: ExportId, token: &str) -> Result<OrganizationId, Denial> {
    let bytes = token.strip_prefix(EXPORT_PREFIX).and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
    let bytes = bytes.filter(|bytes| bytes.len() == 48).ok_or(Denial::LinkExpired)?;
    let organization = Uuid::from_slice(&bytes[..16]).map_err(|_| Denial::LinkExpired)?;
    let organization = OrganizationId::from_uuid(organization);
    let signed = signed_export(organization, export);
    let mut macs = ring.macs(Purpose::Token, &signed);
    let is_right = macs.any(|(_, mac)| bool::from(mac.ct_eq(&bytes[16..])));
    if is_right { Ok(organization) } else { Err(Denial::LinkExpired) }
}

/// The message with the link that confirms a change of the e-mail address.
pub(crate) async fn email_change(app: &App, token: &str) -> Result<Mail, Failure> {
    read(app, token, &[MailKind::EmailChangeCurrent, MailKind::EmailChangeNew]).await
}

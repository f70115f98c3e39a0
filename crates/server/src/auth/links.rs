//! The tokens of links in messages, and of exports. A token is an HMAC over the message, the record that it is about, and the version of
//! that record. It is not stored, and is void once it was used or the record has another version.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fieldhouse_domain::ids::{ExportId, Id, InvitationId, MailId, OrganizationId};
use fieldhouse_domain::invitations::InvitationStatus;
use fieldhouse_domain::mail::MailKind;
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::users::User;
use fieldhouse_store::invitations::{Inviting, Listed};
use fieldhouse_store::mail::{self, Mail};
use fieldhouse_store::{invitations, users};
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

/// The open invitation of a link, with its organization.
pub(crate) async fn invitation(
    app: &App,
    token: &str,
    now: Timestamp,
) -> Result<(Mail, Listed, Inviting), Failure> {
    let mail = read(app, token, &[MailKind::Invitation]).await?;
    let (Some(organization), Some(record)) = (mail.organization, mail.record) else {
        return Err(Denial::LinkExpired.into());
    };
    let id = InvitationId::from_uuid(record);
    let found = invitations::of_link(&mut &*app.store, organization, id).await?;
    let (listed, inviting) = found.ok_or(Denial::LinkExpired)?;
    let is_open = listed.invitation.status(now) == InvitationStatus::Open;
    if is_open && listed.invitation.version == mail.version {
        Ok((mail, listed, inviting))
    } else {
        Err(Denial::LinkExpired.into())
    }
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

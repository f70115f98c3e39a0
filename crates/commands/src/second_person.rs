//! The facts behind the rule of the second person: who acts, and whether someone else could confirm.

use fieldhouse_domain::ids::UserId;
use fieldhouse_domain::second_person::{Actor, Proposal};
use fieldhouse_store::{Tx, members};

use crate::{Error, WriteContext};

/// Who acts, with who gave them their role.
pub(crate) async fn actor<'tx>(tx: &mut Tx<'tx>, cx: &WriteContext<'_, 'tx>) -> Result<Actor, Error> {
    let proof = cx.organization()?;
    let user = proof.actor().user;
    let member = match user {
        Some(user) => members::of_user(tx, proof, user).await?,
        None => None,
    };
    let role_given_by = member.and_then(|member| member.role_given_by);
    Ok(Actor { user, role: proof.role(), role_given_by })
}

/// Whether an active member could confirm a proposal as a second person.
pub(crate) async fn exists<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    proposal: &Proposal,
) -> Result<bool, Error> {
    exists_except(tx, cx, proposal, &[]).await
}

/// Whether an active member who is none of some could confirm a proposal as a second person.
pub(crate) async fn exists_except<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    proposal: &Proposal,
    except: &[UserId],
) -> Result<bool, Error> {
    let members = members::active(tx, cx.organization()?, proposal.role).await?;
    let could = |user, role, role_given_by| {
        !except.contains(&user) && proposal.may_be_confirmed_by(user, role, role_given_by)
    };
    Ok(members.iter().any(|member| could(member.user_id, member.role, member.role_given_by)))
}

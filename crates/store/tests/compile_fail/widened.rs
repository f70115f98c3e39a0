//! A proof cannot be widened, or used for another organization.

use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_domain::roles::Role;
use fieldhouse_store::{OrgScope, OrgWrite};

fn wider(scope: OrgScope) -> OrgScope {
    OrgScope { role: Role::Owner, ..scope }
}

fn elsewhere<'tx>(proof: OrgWrite<'tx>, organization: OrganizationId) -> OrgWrite<'tx> {
    OrgWrite { organization, ..proof }
}

fn main() {}

//! The groups of operations in the OpenAPI document, in reading order: the subject of the API first, then credentials, and the service's
//! own documents last.

use fieldhouse_domain::scopes::Resource;
use utoipa::openapi::Tag;
use utoipa::openapi::tag::TagBuilder;

/// All groups, in order. A new resource gets a line here.
const TAGS: &[(Resource, &str)] = &[
    (Resource::Seasons, "Seasons of one sport, with their divisions."),
    (Resource::Games, "Games and byes."),
    (Resource::Imports, "Imports of leagues from files of other products."),
    (Resource::Favorites, "College programs that the caller or a guest has saved."),
    (Resource::Colleges, "The catalogue of US colleges and their programs. Open to everyone."),
    (Resource::Profile, "The caller: who they are and what they belong to."),
    (Resource::Organization, "The caller's organization."),
    (Resource::Members, "The people of the organization and their roles."),
    (Resource::Audit, "Who changed what, when and why."),
    (Resource::Auth, "Sign-in, sessions and passwords."),
    (Resource::ApiKeys, "Credentials for scripts, servers and agents."),
    (Resource::Service, "The service itself: documents, public keys, health."),
];

/// The document's list of groups.
pub(super) fn all() -> Vec<Tag> {
    let tag = |(resource, description): &(Resource, &str)| {
        TagBuilder::new().name(resource.name()).description(Some(*description)).build()
    };
    TAGS.iter().map(tag).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_resource_has_one_group() {
        for resource in Resource::ALL {
            let groups = TAGS.iter().filter(|(other, _)| other == resource).count();
            assert_eq!(groups, 1, "{resource}");
        }
    }
}

//! Places in JSON and in a query, and what names them in errors and operations: JSON pointers (RFC 6901), or the names of parameters.

use std::borrow::Cow;

/// A place in a request or a record. Its pointer is only made for an error, so that a request without errors makes none.
#[derive(Clone, Copy, Debug)]
pub enum Place<'p> {
    /// The place of a pointer.
    Root(&'p str),
    /// A member of the object at a place, with what comes before its name in the pointer.
    Member(&'p Place<'p>, &'static str, &'p str),
    /// An item of the list at a place.
    Item(&'p Place<'p>, usize),
}

impl Place<'_> {
    /// The pointer.
    pub fn pointer(&self) -> String {
        match self {
            Self::Root(pointer) => (*pointer).to_owned(),
            Self::Member(object, prefix, name) => object.pointer() + prefix + &escaped(name),
            Self::Item(list, index) => format!("{}/{index}", list.pointer()),
        }
    }
}

/// A name as a part of a pointer.
fn escaped(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) {
        Cow::Owned(name.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_names_each_step_from_the_root() {
        let games = Place::Member(&Place::Root("/body"), "/", "home/away ~1");
        let game = Place::Item(&games, 12);
        assert_eq!(Place::Member(&game, "/", "name").pointer(), "/body/home~1away ~01/12/name");
        assert_eq!(Place::Root("").pointer(), "");
        assert_eq!(Place::Member(&Place::Root(""), "?", "limit").pointer(), "?limit");
    }
}

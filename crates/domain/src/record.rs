//! Two macros that keep a noun's list of fields or names in one place.

/// An enum whose members have one name each, on the wire, in the store and in filters.
macro_rules! enumeration {
    ($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $member_doc:literal])* $member:ident $text:literal,)+ }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "wire", derive(serde::Serialize, serde::Deserialize))]
        pub enum $name { $($(#[doc = $member_doc])* #[cfg_attr(feature = "wire", serde(rename = $text))] $member,)+ }

        impl $name {
            /// Every member, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$member),+];
            /// The name on the wire and in the store.
            pub const fn name(self) -> &'static str { match self { $(Self::$member => $text),+ } }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.pad(self.name()) }
        }
        impl std::str::FromStr for $name {
            type Err = $crate::text::NotOneOf;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text { $($text => Ok(Self::$member),)+ _ => Err($crate::text::NotOneOf(&[$($text),+])) }
            }
        }
        // Not derived: the derive does not read a name that a macro passes on, and would publish the member's own.
        #[cfg(feature = "wire")]
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                let members = [$(concat!("`", $text, "`:", $($member_doc),*)),+].join("\n- ");
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::SchemaType::new(utoipa::openapi::Type::String))
                    .enum_values(Some([$($text),+]))
                    .description(Some(format!("{}\n\n- {members}", concat!($($doc),*).trim())))
                    .into()
            }
        }
        #[cfg(feature = "wire")]
        impl utoipa::ToSchema for $name {}
    };
}

/// A struct that can say which of its fields differ from another's, by name, for the audit log and for changesets.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type,)+ }

        impl $name {
            /// The names of all fields.
            pub const FIELDS: &'static [&'static str] = &[$(stringify!($field)),+];
            /// The names of the fields that differ, bookkeeping (`version`, `updated_at`) left out.
            pub fn changed(&self, other: &Self) -> Vec<&'static str> {
                let mut changed = Vec::new();
                $(if self.$field != other.$field { changed.push(stringify!($field)); })+
                changed.retain(|field| !matches!(*field, "version" | "updated_at"));
                changed
            }
        }
    };
}

pub(crate) use {enumeration, record};

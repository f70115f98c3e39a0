//! Generates the `Record` trait, `Debug` without secret and personal values, and the bodies.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

use crate::bodies;
use crate::declaration::{Declaration, Field, Privacy, Setter, is_optional};
use crate::statements::{self, Statements};

pub(crate) fn expand(record: &Declaration) -> TokenStream {
    let debug = debug(&record.name, &record.fields);
    let implementation = implementation(record);
    let bodies = bodies::of_record(record);
    let create = create(record);
    let schema = record.wire.then(|| bodies::schema_of_record(record));
    quote! { #debug #implementation #bodies #create #schema }
}

/// `Debug` of a record or its body, without secret and personal values.
pub(crate) fn debug<'a>(name: &Ident, fields: impl IntoIterator<Item = &'a Field>) -> TokenStream {
    let shown = fields.into_iter().map(|field| {
        let (ident, text) = (&field.name, field.text());
        if let Some(instead) = field.hidden() {
            quote! { .field(#text, &::core::format_args!(#instead)) }
        } else {
            quote! { .field(#text, &self.#ident) }
        }
    });
    let title = name.to_string();
    quote! {
        impl ::core::fmt::Debug for #name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_struct(#title) #(#shown)* .finish()
            }
        }
    }
}

fn table(
    Statements { columns, insert, update, delete, read }: &Statements,
    (name, alias): (&str, &str),
    tenant: bool,
) -> TokenStream {
    quote! {
        ::fieldhouse_domain::record::Table {
            name: #name,
            alias: #alias,
            tenant: #tenant,
            columns: #columns,
            insert: #insert,
            update: #update,
            delete: #delete,
            read: #read,
        }
    }
}

fn implementation(record: &Declaration) -> TokenStream {
    let (name, kind) = (&record.name, &record.kind);
    let tenant = !record.shared;
    let statements = statements::of(record, &record.table, tenant);
    let columns = &statements.columns;
    let table_of = table(&statements, (&record.table, &record.alias), tenant);
    let twin = if let Some(twin) = &record.twin {
        let table = table(&statements::of(record, twin, false), (twin, &record.alias), false);
        quote! { ::core::option::Option::Some(#table) }
    } else {
        quote! { ::core::option::Option::None }
    };
    let texts: Vec<String> = record.fields.iter().map(Field::text).collect();
    let idents: Vec<_> = record.fields.iter().map(|field| &field.name).collect();
    let secrets = record.fields.iter().filter(|field| field.privacy == Privacy::Secret).map(Field::text);
    let sealed = record.fields.iter().filter(|field| field.privacy == Privacy::Sealed).map(Field::text);
    let lasting = record
        .fields
        .iter()
        .filter(|field| !field.bookkeeping && !field.stamp && field.privacy != Privacy::Secret)
        .map(Field::text);
    let changeable = record.changed().into_iter().map(Field::text).collect::<Vec<_>>();
    let derived: Vec<_> = record.derived.iter().map(|(_, value)| value).collect();
    let owner = record.owner.as_ref().map(|owner| {
        let owner = format_ident!("{owner}");
        quote! { cells.push(::fieldhouse_domain::record::Column::cell(&self.#owner)); }
    });
    let compared = record.fields.iter().filter(|field| !field.bookkeeping).map(|field| {
        let (ident, text) = (&field.name, field.text());
        quote! { if self.#ident != other.#ident { changed.push(#text); } }
    });
    let by_name = by_name(record);
    let of_image = of_image(record);
    let id = record.fields.iter().find(|field| field.name == "id").map(|field| &field.kind);
    quote! {
        impl #name {
            /// The columns of a SELECT list that [`Record::load`](::fieldhouse_domain::record::Record::load) reads.
            pub const COLUMNS: &'static str = #columns;
        }

        impl ::fieldhouse_domain::record::Record for #name {
            type Id = #id;
            const KIND: ::fieldhouse_domain::effects::Kind = ::fieldhouse_domain::effects::Kind::#kind;
            const FIELDS: &'static [&'static str] = &[#(#texts),*];
            const CHANGEABLE: &'static [&'static str] = &[#(#changeable),*];
            const SECRETS: &'static [&'static str] = &[#(#secrets),*];
            const SEALED: &'static [&'static str] = &[#(#sealed),*];
            const LASTING: &'static [&'static str] = &[#(#lasting),*];
            const TABLE: ::fieldhouse_domain::record::Table = #table_of;
            const TWIN: ::core::option::Option<::fieldhouse_domain::record::Table> = #twin;

            fn id(&self) -> Self::Id { self.id }
            fn version(&self) -> i64 { self.version }
            fn updated_at(&self) -> ::jiff::Timestamp { self.updated_at }
            fn set_version(&mut self, version: i64, updated_at: ::jiff::Timestamp) {
                self.version = version;
                self.updated_at = updated_at;
            }
            fn load<C: ::fieldhouse_domain::record::Cells>(cells: &mut C) -> ::core::result::Result<Self, C::Error> {
                ::core::result::Result::Ok(Self { #(#idents: cells.next(#texts)?),* })
            }
            fn cells_with<'a>(
                &'a self,
                image: &dyn ::core::ops::Fn() -> ::std::borrow::Cow<'a, str>,
            ) -> ::std::vec::Vec<::fieldhouse_domain::record::Cell<'a>> {
                let _ = image;
                ::std::vec![
                    #(::fieldhouse_domain::record::Column::cell(&self.#idents),)*
                    #(::fieldhouse_domain::record::Column::into_cell(#derived),)*
                ]
            }
            fn key_cells(&self) -> ::std::vec::Vec<::fieldhouse_domain::record::Cell<'_>> {
                let mut cells = ::std::vec::Vec::with_capacity(3);
                #owner
                cells.push(::fieldhouse_domain::record::Column::cell(&self.id));
                cells.push(::fieldhouse_domain::record::Column::cell(&self.version));
                cells
            }
            fn changed(&self, other: &Self) -> ::std::vec::Vec<&'static str> {
                let mut changed = ::std::vec::Vec::new();
                #(#compared)*
                changed
            }
            #by_name
            #of_image
        }
    }
}

/// The functions that read, set and write fields with their names. Secrets have none.
fn by_name(record: &Declaration) -> TokenStream {
    let open: Vec<&Field> = record.fields.iter().filter(|field| field.privacy != Privacy::Secret).collect();
    let gets = open.iter().map(|field| {
        let (ident, text) = (&field.name, field.text());
        quote! { #text => ::core::option::Option::Some(::fieldhouse_domain::record::image_of(&self.#ident)), }
    });
    let sets = open.iter().map(|field| {
        let (ident, text) = (&field.name, field.text());
        quote! { #text => ::fieldhouse_domain::record::restore(&mut self.#ident, value), }
    });
    let entries = open.iter().map(|field| {
        let (ident, text) = (&field.name, field.text());
        quote! { image.serialize_entry(#text, &self.#ident)?; }
    });
    quote! {
        fn get(&self, field: &str) -> ::core::option::Option<::serde_json::Value> {
            match field { #(#gets)* _ => ::core::option::Option::None }
        }
        fn image_text(&self) -> ::std::string::String {
            ::fieldhouse_domain::record::image_text(|image| {
                use ::serde::ser::SerializeMap as _;
                #(#entries)*
                ::core::result::Result::Ok(())
            })
        }
        fn set(&mut self, field: &str, value: &::serde_json::Value)
            -> ::core::result::Result<(), ::fieldhouse_domain::Refusal>
        {
            match field {
                #(#sets)*
                _ => ::core::result::Result::Err(::fieldhouse_domain::record::no_such_field(field)),
            }
        }
    }
}

/// The function that rebuilds a record from an image. What an image leaves out cannot be rebuilt, so a record with secrets is refused.
pub(crate) fn of_image(record: &Declaration) -> TokenStream {
    let secret = record.fields.iter().any(|field| field.privacy == Privacy::Secret);
    let fields = record.fields.iter().map(|field| {
        let (ident, text) = (&field.name, field.text());
        let missing = if let Some(default) = &field.default {
            quote! { ::core::option::Option::Some(#default) }
        } else if is_optional(&field.kind) {
            quote! { ::core::option::Option::Some(::core::option::Option::None) }
        } else {
            quote! { ::core::option::Option::None }
        };
        quote! { #ident: image.field(#text, || #missing)? }
    });
    let (argument, body) = if secret {
        let refused = quote! { ::fieldhouse_domain::record::ImageError::Secret(Self::KIND) };
        (quote! { _ }, quote! { ::core::result::Result::Err(#refused) })
    } else {
        let start = quote! { let image = ::fieldhouse_domain::record::Image::new(Self::KIND, image); };
        (quote! { image }, quote! { #start ::core::result::Result::Ok(Self { #(#fields),* }) })
    };
    quote! {
        fn of_image(#argument: &::serde_json::Map<::std::string::String, ::serde_json::Value>)
            -> ::core::result::Result<Self, ::fieldhouse_domain::record::ImageError>
        {
            #body
        }
    }
}

/// Generates the function that creates a record from a body of create, if the declaration says what the server sets.
fn create(record: &Declaration) -> TokenStream {
    let complete =
        record.fields.iter().all(|field| field.setter != Setter::Server || field.initial.is_some());
    if !complete || record.created().is_empty() {
        return TokenStream::new();
    }
    let (name, new) = (&record.name, format_ident!("New{}", record.name));
    let values = record.fields.iter().map(|field| {
        let ident = &field.name;
        if let Some(initial) = &field.initial {
            quote! { #ident: #initial }
        } else {
            quote! { #ident: new.#ident }
        }
    });
    quote! {
        impl #name {
            /// Creates a record from a body of create.
            pub fn create(moment: &::fieldhouse_domain::Moment, new: #new) -> Self {
                Self { #(#values),* }
            }
        }
    }
}

//! Bodies: reading a struct from a request with all its errors, writing it, and its schema.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, DeriveInput, Expr, Ident, LitStr, Path, Result, Type};

use crate::declaration::{self, Bounds, Declaration, Field};
use crate::records;

/// What happens if a body leaves a field out.
enum Absence {
    /// The body is refused.
    Required,
    /// The field gets this value.
    Default(TokenStream),
    /// The field's `Option` is `None`: it stays unchanged, or there is no such filter. Null is refused.
    Left,
    /// The field's outer `Option` is `None`. Null is the inner `None`.
    LeftOrEmptied,
}

/// A field of a body.
struct Member {
    name: Ident,
    /// The name on the wire.
    wire: String,
    kind: Type,
    docs: Vec<Attribute>,
    absence: Absence,
    bounds: Bounds,
    /// Whether the fields of this member are merged into the body.
    flatten: bool,
}

/// A body.
pub(crate) struct Shape {
    name: Ident,
    /// The name of its schema.
    title: String,
    docs: Vec<Attribute>,
    members: Vec<Member>,
    /// A function that checks the rules between fields.
    rules: Option<Path>,
}

impl Shape {
    pub(crate) fn parse(input: &DeriveInput) -> Result<Self> {
        let mut shape = Self {
            name: input.ident.clone(),
            title: input.ident.to_string(),
            docs: declaration::docs(&input.attrs),
            members: declaration::fields(input)?.iter().map(member).collect::<Result<_>>()?,
            rules: None,
        };
        for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("body")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("rules") {
                    shape.rules = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("title") {
                    shape.title = meta.value()?.parse::<LitStr>()?.value();
                } else {
                    return Err(meta.error("expected rules or title"));
                }
                Ok(())
            })?;
        }
        Ok(shape)
    }
}

fn member(field: &syn::Field) -> Result<Member> {
    let name =
        field.ident.clone().ok_or_else(|| syn::Error::new_spanned(field, "a named field is required"))?;
    let mut wire = name.to_string();
    let mut flatten = false;
    let mut default: Option<Expr> = None;
    let mut bounds = Bounds::default();
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("body")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("rename") {
                wire = meta.value()?.parse::<LitStr>()?.value();
            } else if meta.path.is_ident("flatten") {
                flatten = true;
            } else if meta.path.is_ident("default") {
                default = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("min") {
                bounds.min = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("max") {
                bounds.max = Some(meta.value()?.parse()?);
            } else {
                return Err(meta.error("expected rename, flatten, default, min or max"));
            }
            Ok(())
        })?;
    }
    let inner = inner(&field.ty);
    let (kind, absence) = match (inner, default) {
        (_, Some(default)) => (field.ty.clone(), Absence::Default(quote! { #default })),
        (Some(inner), None) if declaration::is_optional(&inner) => (inner, Absence::LeftOrEmptied),
        (Some(inner), None) => (inner, Absence::Left),
        (None, None) => (field.ty.clone(), Absence::Required),
    };
    Ok(Member { name, wire, kind, docs: declaration::docs(&field.attrs), absence, bounds, flatten })
}

/// The type inside an `Option`.
fn inner(kind: &Type) -> Option<Type> {
    let Type::Path(path) = kind else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
    match &last.arguments {
        syn::PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
            syn::GenericArgument::Type(inner) => Some(inner.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Generates the code for a body whose struct is written by hand.
pub(crate) fn expand(shape: &Shape) -> TokenStream {
    let rules = shape.rules.as_ref().map(|rules| quote! { #rules(__fields); });
    implementation(shape, rules.as_ref())
}

/// Generates the structs and the code of the bodies of create and change of a record.
pub(crate) fn of_record(record: &Declaration) -> TokenStream {
    let (created, changed) = (record.created(), record.changed());
    let new = (!created.is_empty()).then(|| body_of_create(record, &created, !changed.is_empty()));
    let change = (!changed.is_empty()).then(|| body_of_change(record, &changed));
    quote! { #new #change }
}

/// Generates the schema of a record that responses show as declared.
pub(crate) fn schema_of_record(record: &Declaration) -> TokenStream {
    let (name, docs) = (&record.name, declaration::docs_text(&record.docs));
    let members: Vec<Member> =
        record.fields.iter().map(|field| member_of(field, Absence::Required)).collect();
    let properties = members.iter().map(property);
    let kinds = members.iter().map(|member| &member.kind);
    quote! {
        impl ::utoipa::PartialSchema for #name {
            fn schema() -> ::utoipa::openapi::RefOr<::utoipa::openapi::Schema> {
                ::fieldhouse_domain::record::Properties::build(|object| {
                    let mut object = object.describe(#docs);
                    #(#properties)*
                    object
                })
            }
        }
        impl ::utoipa::ToSchema for #name {
            fn schemas(schemas: &mut ::fieldhouse_domain::record::Schemas) {
                #(<#kinds as ::fieldhouse_domain::record::Field>::schemas(schemas);)*
            }
        }
    }
}

fn member_of(field: &Field, absence: Absence) -> Member {
    Member {
        name: field.name.clone(),
        wire: field.text(),
        kind: field.kind.clone(),
        docs: field.docs.clone(),
        absence,
        bounds: copied(&field.bounds),
        flatten: false,
    }
}

fn copied(bounds: &Bounds) -> Bounds {
    Bounds { min: bounds.min.clone(), max: bounds.max.clone() }
}

fn body_of_create(record: &Declaration, fields: &[&Field], changes: bool) -> TokenStream {
    let name = format_ident!("New{}", record.name);
    let docs = format!("The fields of a new {}.", spaced(&record.name));
    let members: Vec<Member> = fields
        .iter()
        .map(|field| {
            let absence = match &field.default {
                Some(default) => Absence::Default(quote! { #default }),
                None if declaration::is_optional(&field.kind) => {
                    Absence::Default(quote! { ::core::option::Option::None })
                }
                None => Absence::Required,
            };
            member_of(field, absence)
        })
        .collect();
    let declared: Vec<_> =
        members.iter().map(|Member { name, kind, docs, .. }| quote! { #(#docs)* pub #name: #kind }).collect();
    let required: Vec<&Member> =
        members.iter().filter(|member| matches!(member.absence, Absence::Required)).collect();
    let arguments: Vec<_> =
        required.iter().map(|Member { name, kind, .. }| quote! { #name: #kind }).collect();
    let value = |Member { name, absence, .. }: &Member| {
        if let Absence::Default(default) = absence {
            quote! { #name: #default }
        } else {
            quote! { #name }
        }
    };
    let values: Vec<_> = members.iter().map(value).collect();
    let rules = record.rules.as_ref().filter(|_| changes).map(|rules| {
        let change = format_ident!("Change{}", record.name);
        let partial = record.changed().into_iter().map(|field| {
            let ident = &field.name;
            quote! { #ident: #ident.clone() }
        });
        quote! { #rules(&#change { #(#partial),* }, __fields.check()); }
    });
    let shape = Shape {
        name: name.clone(),
        title: format!("{}Create", record.name),
        docs: vec![syn::parse_quote! { #[doc = #docs] }],
        members,
        rules: None,
    };
    let new = quote! {
        impl #name {
            /// Creates a body with the required fields; all others have their defaults.
            pub fn new(#(#arguments),*) -> Self { Self { #(#values),* } }
        }
    };
    let implementation = implementation(&shape, rules.as_ref());
    let debug = records::debug(&name, fields.iter().copied());
    quote! {
        #[doc = #docs]
        #[derive(Clone, PartialEq)]
        pub struct #name { #(#declared),* }
        #debug
        #new
        #implementation
    }
}

fn body_of_change(record: &Declaration, fields: &[&Field]) -> TokenStream {
    let (name, of) = (format_ident!("Change{}", record.name), &record.name);
    let docs = format!(
        "The fields to change in a {}. Fields that are left out keep their values; null clears a field that may be null.",
        spaced(&record.name)
    );
    let members: Vec<Member> = fields
        .iter()
        .map(|field| {
            let optional = declaration::is_optional(&field.kind);
            member_of(field, if optional { Absence::LeftOrEmptied } else { Absence::Left })
        })
        .collect();
    let declared: Vec<_> = members
        .iter()
        .map(|Member { name, kind, docs, .. }| quote! { #(#docs)* pub #name: ::core::option::Option<#kind> })
        .collect();
    let names: Vec<Ident> = members.iter().map(|member| member.name.clone()).collect();
    let rules = record.rules.as_ref().map(|rules| {
        // The value of an optional field is read as an option of an option; the outer one is `None` if it is wrong.
        let partial = names.iter().map(|ident| quote! { #ident: #ident.clone().flatten() });
        quote! { #rules(&#name { #(#partial),* }, __fields.check()); }
    });
    let merged = record.rules.as_ref().map(|rules| {
        quote! {
            let mut __check = ::fieldhouse_domain::refusal::Check::default();
            #rules(&#name { #(#names: ::core::option::Option::Some(__after.#names.clone())),* }, &mut __check);
            __check.finish(::core::option::Option::Some(()))?;
        }
    });
    let shape = Shape {
        name: name.clone(),
        title: format!("{}Change", record.name),
        docs: vec![syn::parse_quote! { #[doc = #docs] }],
        members,
        rules: None,
    };
    let implementation = implementation(&shape, rules.as_ref());
    let debug = records::debug(&name, fields.iter().copied());
    let names = &names;
    quote! {
        #[doc = #docs]
        #[derive(Clone, Default, PartialEq)]
        pub struct #name { #(#declared),* }
        #debug
        #implementation
        impl #of {
            /// The record after a change, or a refusal if it violates a rule between fields.
            pub fn with(&self, change: #name) -> ::core::result::Result<Self, ::fieldhouse_domain::Refusal> {
                let mut __after = self.clone();
                #(if let ::core::option::Option::Some(value) = change.#names { __after.#names = value; })*
                #merged
                ::core::result::Result::Ok(__after)
            }
        }
    }
}

/// Converts `ApiKey` to `API key`.
fn spaced(name: &Ident) -> String {
    let mut words = String::new();
    for letter in name.to_string().chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words.replace("api ", "API ")
}

fn implementation(shape: &Shape, rules: Option<&TokenStream>) -> TokenStream {
    let (name, title) = (&shape.name, &shape.title);
    let docs = declaration::docs_text(&shape.docs);
    let reads = shape.members.iter().map(read);
    let values = shape.members.iter().map(|Member { name, .. }| quote! { #name: #name? });
    let writes = shape.members.iter().map(write);
    let properties = shape.members.iter().map(property);
    let gathered = shape.members.iter().map(|Member { kind, flatten, .. }| {
        if *flatten {
            quote! { <#kind as ::fieldhouse_domain::record::Body>::schemas(schemas); }
        } else {
            quote! { <#kind as ::fieldhouse_domain::record::Field>::schemas(schemas); }
        }
    });
    quote! {
        impl ::fieldhouse_domain::record::Body for #name {
            const TITLE: &'static str = #title;
            fn read(__fields: &mut ::fieldhouse_domain::record::Fields<'_, '_>) -> ::core::option::Option<Self> {
                #(#reads)*
                #rules
                ::core::option::Option::Some(Self { #(#values),* })
            }
            fn write<M: ::serde::ser::SerializeMap>(&self, object: &mut M) -> ::core::result::Result<(), M::Error> {
                #(#writes)*
                ::core::result::Result::Ok(())
            }
            fn properties(mut object: ::fieldhouse_domain::record::Properties) -> ::fieldhouse_domain::record::Properties {
                #(#properties)*
                object.describe(#docs)
            }
            fn schemas(schemas: &mut ::fieldhouse_domain::record::Schemas) {
                #(#gathered)*
            }
        }
        impl ::fieldhouse_domain::record::Field for #name {
            fn read(
                input: ::fieldhouse_domain::record::Input<'_>,
                at: &mut ::fieldhouse_domain::record::At<'_>,
            ) -> ::core::option::Option<Self> {
                match input {
                    ::fieldhouse_domain::record::Input::Json(json) => {
                        ::fieldhouse_domain::record::read_object(json, at)
                    }
                    ::fieldhouse_domain::record::Input::Text(_) => at.expected("an object"),
                }
            }
            fn schema() -> ::utoipa::openapi::RefOr<::utoipa::openapi::Schema> {
                ::utoipa::openapi::Ref::from_schema_name(#title).into()
            }
            fn schemas(schemas: &mut ::fieldhouse_domain::record::Schemas) {
                schemas.push((#title.to_owned(), ::fieldhouse_domain::record::Properties::of::<Self>()));
                <Self as ::fieldhouse_domain::record::Body>::schemas(schemas);
            }
        }
        impl ::utoipa::PartialSchema for #name {
            fn schema() -> ::utoipa::openapi::RefOr<::utoipa::openapi::Schema> {
                ::fieldhouse_domain::record::Properties::of::<Self>()
            }
        }
        impl ::utoipa::ToSchema for #name {
            fn name() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(#title)
            }
            fn schemas(schemas: &mut ::fieldhouse_domain::record::Schemas) {
                <Self as ::fieldhouse_domain::record::Body>::schemas(schemas);
            }
        }
        impl ::serde::Serialize for #name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                ::fieldhouse_domain::record::serialize(self, serializer)
            }
        }
    }
}

fn read(member: &Member) -> TokenStream {
    let Member { name, wire, kind, absence, flatten, .. } = member;
    if *flatten {
        return quote! { let #name = <#kind as ::fieldhouse_domain::record::Body>::read(__fields); };
    }
    let mut filled = TokenStream::new();
    let value = match absence {
        Absence::Required => quote! { __fields.required::<#kind>(#wire) },
        Absence::Default(default) => {
            // The default need not be within the bounds: an empty list can stand for "all" and be refused where it is sent.
            filled = quote! { let #name = #name.map(|read| read.unwrap_or_else(|| #default)); };
            quote! { __fields.optional::<#kind>(#wire) }
        }
        Absence::Left | Absence::LeftOrEmptied => quote! { __fields.optional::<#kind>(#wire) },
    };
    let optional = !matches!(absence, Absence::Required);
    let bounded = bounds(&member.bounds).map(|bounds| {
        let measured = if optional {
            quote! { #name.as_ref().and_then(::core::option::Option::as_ref) }
        } else {
            quote! { #name.as_ref() }
        };
        quote! { __fields.within(#wire, #measured, &#bounds); }
    });
    quote! { let #name = #value; #bounded #filled }
}

fn bounds(Bounds { min, max }: &Bounds) -> Option<TokenStream> {
    let quoted = |bound: &Option<Expr>| {
        if let Some(bound) = bound {
            quote! { ::core::option::Option::Some((#bound) as f64) }
        } else {
            quote! { ::core::option::Option::None }
        }
    };
    let (low, high) = (quoted(min), quoted(max));
    (min.is_some() || max.is_some())
        .then(|| quote! { ::fieldhouse_domain::record::Bounds { min: #low, max: #high } })
}

fn write(member: &Member) -> TokenStream {
    let Member { name, wire, kind, absence, flatten, .. } = member;
    if *flatten {
        return quote! { ::fieldhouse_domain::record::Body::write(&self.#name, object)?; };
    }
    match absence {
        Absence::Required => quote! { object.serialize_entry(#wire, &self.#name)?; },
        Absence::Default(default) => quote! {
            let default: #kind = #default;
            if self.#name != default {
                object.serialize_entry(#wire, &self.#name)?;
            }
        },
        Absence::Left | Absence::LeftOrEmptied => quote! {
            if let ::core::option::Option::Some(value) = &self.#name {
                object.serialize_entry(#wire, value)?;
            }
        },
    }
}

fn property(member: &Member) -> TokenStream {
    let Member { wire, kind, absence, docs, flatten, .. } = member;
    if *flatten {
        return quote! { object = <#kind as ::fieldhouse_domain::record::Body>::properties(object); };
    }
    let docs = declaration::docs_text(docs);
    let required = matches!(absence, Absence::Required);
    let bounds = if let Some(bounds) = bounds(&member.bounds) {
        quote! { ::core::option::Option::Some(#bounds) }
    } else {
        quote! { ::core::option::Option::None }
    };
    quote! { object = object.property::<#kind>(#wire, #docs, #required, #bounds); }
}

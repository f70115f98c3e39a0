//! The declaration of a record: its attributes, parsed.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, Fields, Ident, LitStr, Meta, Path, Result, Token, Type,
};

/// Who sets a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setter {
    /// The client, when the record is created and later.
    Client,
    /// The client, when the record is created.
    CreateOnly,
    /// The server.
    Server,
}

/// Who may see a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Privacy {
    /// Those who may see the record.
    Open,
    /// No one: it is never in a body, an image or `Debug`.
    Secret,
    /// Those to whom a relation opens the child's data: never in `Debug`, and in a response only through a view of its class.
    Personal,
    /// The same, and stored sealed.
    Sealed,
}

/// A field of a record.
pub(crate) struct Field {
    pub(crate) name: Ident,
    pub(crate) kind: Type,
    pub(crate) docs: Vec<Attribute>,
    pub(crate) setter: Setter,
    /// Ignored in comparisons.
    pub(crate) bookkeeping: bool,
    /// Taken from the moment of a change, so that a simulation and its execution differ in it.
    pub(crate) stamp: bool,
    pub(crate) privacy: Privacy,
    /// The value of a field that a body of create leaves out.
    pub(crate) default: Option<Expr>,
    /// The value that the server sets when the record is created.
    pub(crate) initial: Option<Expr>,
    pub(crate) bounds: Bounds,
}

impl Field {
    /// What `Debug` shows instead of the value.
    pub(crate) fn hidden(&self) -> Option<&'static str> {
        match self.privacy {
            Privacy::Open => None,
            Privacy::Secret => Some("(secret)"),
            Privacy::Personal | Privacy::Sealed => Some("(personal)"),
        }
    }

    /// The field's name in JSON and SQL.
    pub(crate) fn text(&self) -> String {
        self.name.to_string()
    }
}

/// The minimum and maximum of a number, or the maximum length of a list.
#[derive(Default)]
pub(crate) struct Bounds {
    pub(crate) min: Option<Expr>,
    pub(crate) max: Option<Expr>,
}

/// A record.
pub(crate) struct Declaration {
    pub(crate) name: Ident,
    pub(crate) kind: Ident,
    pub(crate) docs: Vec<Attribute>,
    pub(crate) table: String,
    pub(crate) alias: String,
    /// Whether responses show the record as declared.
    pub(crate) wire: bool,
    /// Whether rows belong to no organization.
    pub(crate) shared: bool,
    /// A column that is part of the key, besides the organization and the id.
    pub(crate) owner: Option<String>,
    /// A second table with the same columns, whose rows belong to no organization.
    pub(crate) twin: Option<String>,
    /// A function that checks the rules between fields.
    pub(crate) rules: Option<Path>,
    /// Columns that are computed from fields.
    pub(crate) derived: Vec<(Ident, Expr)>,
    pub(crate) fields: Vec<Field>,
}

impl Declaration {
    pub(crate) fn parse(input: &DeriveInput) -> Result<Self> {
        let mut declaration = Self {
            name: input.ident.clone(),
            kind: input.ident.clone(),
            docs: docs(&input.attrs),
            table: String::new(),
            alias: String::new(),
            wire: false,
            shared: false,
            owner: None,
            twin: None,
            rules: None,
            derived: Vec::new(),
            fields: fields(input)?.iter().map(field).collect::<Result<_>>()?,
        };
        for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("record")) {
            attribute.parse_nested_meta(|meta| {
                let text = || -> Result<String> { Ok(meta.value()?.parse::<LitStr>()?.value()) };
                if meta.path.is_ident("table") {
                    declaration.table = text()?;
                } else if meta.path.is_ident("alias") {
                    declaration.alias = text()?;
                } else if meta.path.is_ident("owner") {
                    declaration.owner = Some(text()?);
                } else if meta.path.is_ident("twin") {
                    declaration.twin = Some(text()?);
                } else if meta.path.is_ident("wire") {
                    declaration.wire = true;
                } else if meta.path.is_ident("shared") {
                    declaration.shared = true;
                } else if meta.path.is_ident("rules") {
                    declaration.rules = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("derived") {
                    meta.parse_nested_meta(|column| {
                        let name = column.path.require_ident()?.clone();
                        declaration.derived.push((name, column.value()?.parse()?));
                        Ok(())
                    })?;
                } else {
                    return Err(
                        meta.error("expected table, alias, wire, shared, owner, twin, rules or derived")
                    );
                }
                Ok(())
            })?;
        }
        if declaration.table.is_empty() || declaration.alias.is_empty() {
            return Err(Error::new(
                Span::call_site(),
                "#[record(table = \"...\", alias = \"...\")] is required",
            ));
        }
        let hidden = declaration.fields.iter().find(|field| field.hidden().is_some() && declaration.wire);
        if let Some(hidden) = hidden {
            let message =
                "a response cannot show a secret or personal field as declared: the record needs a view";
            return Err(Error::new_spanned(&hidden.name, message));
        }
        Ok(declaration)
    }

    /// The fields in a body of create.
    pub(crate) fn created(&self) -> Vec<&Field> {
        self.fields.iter().filter(|field| field.setter != Setter::Server).collect()
    }

    /// The fields in a body of change.
    pub(crate) fn changed(&self) -> Vec<&Field> {
        self.fields.iter().filter(|field| field.setter == Setter::Client).collect()
    }
}

/// The named fields of a struct.
pub(crate) fn fields(input: &DeriveInput) -> Result<&Punctuated<syn::Field, Token![,]>> {
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(named) => Ok(&named.named),
            _ => Err(Error::new_spanned(&input.ident, "a struct with named fields is required")),
        },
        _ => Err(Error::new_spanned(&input.ident, "a struct is required")),
    }
}

/// The documentation of an item.
pub(crate) fn docs(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).cloned().collect()
}

/// The documentation of an item as one string.
pub(crate) fn docs_text(docs: &[Attribute]) -> String {
    let lines = docs.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join(" ")
}

fn field(field: &syn::Field) -> Result<Field> {
    let name = field.ident.clone().ok_or_else(|| Error::new_spanned(field, "a named field is required"))?;
    let mut setter = None;
    let (mut bookkeeping, mut stamp, mut privacy) = (false, false, Privacy::Open);
    let (mut default, mut initial) = (None, None);
    let mut bounds = Bounds::default();
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("field")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("client") {
                setter = Some(Setter::Client);
            } else if meta.path.is_ident("create_only") {
                setter = Some(Setter::CreateOnly);
            } else if meta.path.is_ident("server") {
                setter = Some(Setter::Server);
            } else if meta.path.is_ident("bookkeeping") || meta.path.is_ident("moment") {
                bookkeeping = true;
            } else if meta.path.is_ident("stamp") {
                stamp = true;
            } else if meta.path.is_ident("secret") {
                privacy = Privacy::Secret;
            } else if meta.path.is_ident("personal") {
                privacy = Privacy::Personal;
            } else if meta.path.is_ident("sealed") {
                privacy = Privacy::Sealed;
            } else if meta.path.is_ident("default") {
                default = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("initial") {
                initial = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("min") {
                bounds.min = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("max") {
                bounds.max = Some(meta.value()?.parse()?);
            } else {
                let known =
                    "client, create_only, server, bookkeeping, moment, stamp, secret, personal, sealed, default, initial, min or max";
                return Err(meta.error(format!("expected {known}")));
            }
            Ok(())
        })?;
    }
    let setter = setter.ok_or_else(|| {
        Error::new_spanned(&name, "declare who sets this field: #[field(client)], create_only or server")
    })?;
    if privacy == Privacy::Secret && setter != Setter::Server {
        return Err(Error::new_spanned(&name, "a secret cannot be in a body: its setter must be server"));
    }
    Ok(Field {
        name,
        kind: field.ty.clone(),
        docs: docs(&field.attrs),
        setter,
        bookkeeping,
        stamp,
        privacy,
        default,
        initial,
        bounds,
    })
}

/// Whether a type is `Option<...>`, by its name.
pub(crate) fn is_optional(kind: &Type) -> bool {
    matches!(kind, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Option"))
}

//! Derives everything that follows from a record's list of fields: its bodies, differences, images and SQL.
//!
//! The traits that the generated code implements and the documentation of the attributes are in `fieldhouse_domain::record`.
//! `snapshots/` contains the output for one record, so that a change of the derive shows as a readable diff.

mod bodies;
mod declaration;
mod records;
mod statements;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Derives `Record`, `Debug` without secret and sealed values, and the bodies of create and change, from a struct's fields.
#[proc_macro_derive(Record, attributes(record, field))]
pub fn derive_record(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    declaration::Declaration::parse(&input)
        .map_or_else(syn::Error::into_compile_error, |declaration| records::expand(&declaration))
        .into()
}

/// Derives `Body`: a request body or a set of query parameters that reports all its errors at once.
#[proc_macro_derive(Body, attributes(body))]
pub fn derive_body(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    bodies::Shape::parse(&input)
        .map_or_else(syn::Error::into_compile_error, |shape| bodies::expand(&shape))
        .into()
}

#[cfg(test)]
mod tests;

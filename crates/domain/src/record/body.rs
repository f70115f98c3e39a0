//! Bodies and query parameters, read field by field so that one response reports every error.

use serde::ser::{SerializeMap, Serializer};
use serde_json::Value as Json;
use utoipa::openapi::schema::{AdditionalProperties, ArrayItems, SchemaType};
use utoipa::openapi::{KnownFormat, ObjectBuilder, OneOfBuilder, Ref, RefOr, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

use super::Field;
use crate::Refusal;
use crate::place::Place;
use crate::refusal::Check;
use crate::text::InvalidValue;

/// A request body, or a set of query parameters.
pub trait Body: Clone + Send + Sync + Sized + 'static {
    /// The name of its schema.
    const TITLE: &'static str;
    /// Reads the fields. Returns `None` if a field is wrong or missing; `fields` has the errors.
    fn read(fields: &mut Fields<'_, '_>) -> Option<Self>;
    /// Writes the fields that are present.
    fn write<M: SerializeMap>(&self, object: &mut M) -> Result<(), M::Error>;
    /// The schemas of the fields.
    fn properties(object: Properties) -> Properties;
    /// The named schemas that the fields refer to.
    fn schemas(schemas: &mut Schemas);
}

/// Serializes a body as an object with the fields that are present.
pub fn serialize<B: Body, S: Serializer>(body: &B, serializer: S) -> Result<S::Ok, S::Error> {
    let mut object = serializer.serialize_map(None)?;
    body.write(&mut object)?;
    object.end()
}

/// Reads a body from a JSON value. `repeated` contains the pointers of members that occur more than once.
pub fn read_json<B: Body>(json: &Json, repeated: Vec<String>) -> Result<B, Refusal> {
    let mut check = Check::default();
    for pointer in repeated {
        check.refuse(&pointer, "repeated", "is given twice", "Send it once.");
    }
    let read = read_object(json, &mut At::new(&mut check, ""));
    check.finish(read)
}

/// Reads query parameters or parts of a form from pairs of name and value.
pub fn read_pairs<B: Body>(pairs: &[(String, String)], prefix: &'static str) -> Result<B, Refusal> {
    let mut check = Check::default();
    let mut members: Vec<(&str, Input<'_>)> = Vec::with_capacity(pairs.len());
    for (name, text) in pairs {
        if members.iter().any(|(known, _)| known == name) {
            check.refuse(
                &Place::Member(&Place::Root(""), prefix, name).pointer(),
                "repeated",
                "is given twice",
                "Send it once.",
            );
        } else {
            members.push((name, Input::Text(text)));
        }
    }
    let mut at = At::new(&mut check, "");
    let read = Fields { at: &mut at, prefix, members, known: Vec::new() }.whole();
    check.finish(read)
}

/// A value of the request.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// A part of a JSON body.
    Json(&'a Json),
    /// A query parameter or a part of a form.
    Text(&'a str),
}

impl<'a> Input<'a> {
    /// The value, if it is a string.
    pub fn as_text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Json(json) => json.as_str(),
        }
    }
}

/// A place in the request, and the errors found so far.
pub struct At<'c> {
    check: &'c mut Check,
    place: Place<'c>,
}

impl<'c> At<'c> {
    /// The place at an RFC 6901 JSON pointer.
    pub fn new(check: &'c mut Check, pointer: &'c str) -> Self {
        Self { check, place: Place::Root(pointer) }
    }

    /// The place of a list item.
    pub fn item(&mut self, index: usize) -> At<'_> {
        At { check: self.check, place: Place::Item(&self.place, index) }
    }

    /// Reports an error here. Always returns `None`.
    pub fn refuse<T>(&mut self, code: &'static str, message: impl Into<String>, fix: &str) -> Option<T> {
        self.check.refuse(&self.place.pointer(), code, message, fix);
        None
    }

    /// Reports that the value has the wrong type. Always returns `None`.
    pub fn expected<T>(&mut self, what: &str) -> Option<T> {
        self.refuse("invalid", format!("is not {what}"), &format!("Send {what}."))
    }

    /// The parsed value, or `None` with an error reported here.
    pub fn parsed<T>(&mut self, parsed: Result<T, InvalidValue>) -> Option<T> {
        match parsed {
            Ok(value) => Some(value),
            Err(error) => self.check.field(&self.place.pointer(), Err(error)),
        }
    }

    /// The value, if it is a string.
    pub fn text<'i>(&mut self, input: Input<'i>) -> Option<&'i str> {
        input.as_text().or_else(|| self.expected("a string"))
    }

    /// The member of an enumeration that the value names.
    pub fn one_of<T: std::str::FromStr>(&mut self, input: Input<'_>, names: &[&str]) -> Option<T> {
        input.as_text().and_then(|text| text.parse().ok()).or_else(|| {
            let names = names.join(", ");
            self.refuse(
                "unknown_value",
                format!("must be one of: {names}"),
                &format!("Send one of: {names}."),
            )
        })
    }
}

/// The fields of an object in the request.
pub struct Fields<'a, 'c> {
    at: &'a mut At<'c>,
    /// The prefix of names in pointers: a slash in a body, nothing in a query.
    prefix: &'static str,
    members: Vec<(&'a str, Input<'a>)>,
    known: Vec<&'static str>,
}

impl Fields<'_, '_> {
    /// A required field. Returns `None` if it is wrong or missing.
    pub fn required<F: Field>(&mut self, name: &'static str) -> Option<F> {
        match self.optional::<F>(name)? {
            Some(value) => Some(value),
            None => self.note(name, |at| at.refuse("required", "is missing", "Add this field.")),
        }
    }

    /// An optional field. The outer `None` means that it is wrong.
    pub fn optional<F: Field>(&mut self, name: &'static str) -> Option<Option<F>> {
        self.known.push(name);
        let input = self.members.iter().find(|(known, _)| *known == name).map(|(_, input)| *input);
        match input {
            Some(input) => self.note(name, |at| F::read(input, at)).map(Some),
            None => Some(None),
        }
    }

    /// Reports a number out of range, or a list that is too short or too long.
    pub fn within<F: Field>(&mut self, name: &'static str, value: Option<&F>, bounds: &Bounds) {
        let Some(measure) = value.and_then(Field::measure) else { return };
        let (low, high) = (bounds.min, bounds.max);
        if low.is_none_or(|low| measure >= low) && high.is_none_or(|high| measure <= high) {
            return;
        }
        let is_list = value.is_some_and(Field::is_list);
        self.note(name, |at| match (low, high) {
            (Some(low), _) if is_list && measure < low => at.refuse(
                "too_few",
                format!("has {measure} items"),
                &format!("Send at least {low}, or leave it out."),
            ),
            (_, Some(high)) if is_list => {
                at.refuse::<()>("too_many", format!("has {measure} items"), &format!("Send at most {high}."))
            }
            (Some(low), Some(high)) => at.refuse(
                "out_of_range",
                format!("must be from {low} to {high}"),
                &format!("Send a value from {low} to {high}."),
            ),
            (Some(low), None) => at.refuse("out_of_range", "is too small", &format!("Send at least {low}.")),
            (_, high) => {
                let high = high.unwrap_or_default();
                at.refuse("out_of_range", "is too large", &format!("Send at most {high}."))
            }
        });
    }

    /// Whether the request has a field.
    pub fn has(&self, name: &str) -> bool {
        self.members.iter().any(|(known, _)| *known == name)
    }

    /// The errors found so far, for rules between fields.
    pub fn check(&mut self) -> &mut Check {
        self.at.check
    }

    fn note<T>(&mut self, name: &str, note: impl FnOnce(&mut At<'_>) -> T) -> T {
        note(&mut At { check: self.at.check, place: Place::Member(&self.at.place, self.prefix, name) })
    }

    /// Reads a whole body. Any field that it does not read is unknown.
    fn whole<B: Body>(mut self) -> Option<B> {
        let read = B::read(&mut self);
        let unknown = self.refuse_unknown();
        if !self.at.check.is_empty() {
            self.arrange();
        }
        read.filter(|_| !unknown)
    }

    /// Reports the fields that were not read. Returns whether there are any.
    fn refuse_unknown(&mut self) -> bool {
        let is_unknown = |name: &str| !self.known.contains(&name);
        let unknown: Vec<&str> =
            self.members.iter().map(|(name, _)| *name).filter(|name| is_unknown(name)).collect();
        if unknown.is_empty() {
            return false;
        }
        let fix = if self.known.is_empty() {
            "Leave it out: none is expected here.".to_owned()
        } else {
            format!("Leave it out, or use one of: {}.", self.known.join(", "))
        };
        let message =
            if self.prefix.is_empty() { "is not a known parameter" } else { "is not a known field" };
        for name in unknown {
            self.note(name, |at| at.refuse::<()>("unknown_field", message, &fix));
        }
        true
    }

    /// Puts the errors into the order of the fields.
    fn arrange(&mut self) {
        let (within, known) = (self.at.place.pointer() + self.prefix, &self.known);
        self.at.check.arrange(|pointer| {
            let rest = pointer.strip_prefix(&within)?;
            let name = rest.split('/').next().unwrap_or_default();
            known.iter().position(|known| *known == name)
        });
    }
}

/// Reads a body that is an object of JSON: the whole body, or a field within one.
pub fn read_object<B: Body>(json: &Json, at: &mut At<'_>) -> Option<B> {
    let Json::Object(object) = json else {
        return at.refuse("not_an_object", "is not an object", "Send a JSON object.");
    };
    let members = object.iter().map(|(name, value)| (name.as_str(), Input::Json(value))).collect();
    Fields { at, prefix: "/", members, known: Vec::new() }.whole()
}

/// Named schemas of the OpenAPI document.
pub type Schemas = Vec<(String, RefOr<Schema>)>;

/// The minimum and maximum of a number, or the maximum length of a list.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The minimum.
    pub min: Option<f64>,
    /// The maximum.
    pub max: Option<f64>,
}

/// The schema of an object, built field by field.
pub struct Properties(ObjectBuilder);

impl Properties {
    /// The schema of a body. It allows no additional properties.
    pub fn of<B: Body>() -> RefOr<Schema> {
        Self::build(B::properties)
    }

    /// The schema of an object with these fields and no other properties.
    pub fn build(fields: impl FnOnce(Self) -> Self) -> RefOr<Schema> {
        let object = ObjectBuilder::new().schema_type(SchemaType::new(Type::Object));
        let object = object.additional_properties(Some(AdditionalProperties::FreeForm(false)));
        fields(Self(object)).0.into()
    }

    /// Sets the description.
    pub fn describe(self, text: &str) -> Self {
        Self(self.0.description(Some(text)))
    }

    /// Adds a field.
    pub fn property<F: Field>(self, name: &str, docs: &str, required: bool, bounds: Option<Bounds>) -> Self {
        let schema = described(bounded(F::schema(), bounds), docs);
        let object = self.0.property(name, schema);
        Self(if required { object.required(name) } else { object })
    }

    /// A reference to a type's named schema.
    pub fn reference<T: ToSchema>() -> RefOr<Schema> {
        Ref::from_schema_name(T::name()).into()
    }

    /// Adds a type's named schema.
    pub fn gather<T: ToSchema>(schemas: &mut Schemas) {
        schemas.push((T::name().into_owned(), T::schema()));
    }
}

/// The schema, with null allowed.
pub(super) fn nullable(schema: RefOr<Schema>) -> RefOr<Schema> {
    let with_null = |kind: &SchemaType| match kind {
        SchemaType::Type(one) => SchemaType::from_iter([one.clone(), Type::Null]),
        other => other.clone(),
    };
    match schema {
        RefOr::T(Schema::Object(mut object)) => {
            object.schema_type = with_null(&object.schema_type);
            RefOr::T(Schema::Object(object))
        }
        RefOr::T(Schema::Array(mut array)) => {
            array.schema_type = with_null(&array.schema_type);
            RefOr::T(Schema::Array(array))
        }
        other => {
            let null = ObjectBuilder::new().schema_type(SchemaType::new(Type::Null));
            OneOfBuilder::new().item(null).item(other).into()
        }
    }
}

fn described(schema: RefOr<Schema>, docs: &str) -> RefOr<Schema> {
    match schema {
        RefOr::Ref(mut reference) => {
            docs.clone_into(&mut reference.description);
            RefOr::Ref(reference)
        }
        RefOr::T(Schema::Object(mut object)) => {
            object.description = Some(docs.to_owned());
            RefOr::T(Schema::Object(object))
        }
        RefOr::T(Schema::Array(mut array)) => {
            array.description = Some(docs.to_owned());
            RefOr::T(Schema::Array(array))
        }
        RefOr::T(Schema::OneOf(mut one)) => {
            one.description = Some(docs.to_owned());
            RefOr::T(Schema::OneOf(one))
        }
        other @ RefOr::T(_) => other,
    }
}

fn bounded(schema: RefOr<Schema>, bounds: Option<Bounds>) -> RefOr<Schema> {
    let Some(Bounds { min, max }) = bounds else { return schema };
    match schema {
        RefOr::T(Schema::Object(mut object)) => {
            object.minimum = min.map(Into::into);
            object.maximum = max.map(Into::into);
            RefOr::T(Schema::Object(object))
        }
        RefOr::T(Schema::Array(mut array)) => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the length of a list"
            )]
            let length = |bound: f64| bound as usize;
            array.min_items = min.map(length);
            array.max_items = max.map(length);
            RefOr::T(Schema::Array(array))
        }
        other => other,
    }
}

/// The schema of a list.
pub(super) fn list(items: RefOr<Schema>) -> RefOr<Schema> {
    let mut array = utoipa::openapi::schema::Array::default();
    array.items = ArrayItems::RefOrSchema(Box::new(items));
    RefOr::T(Schema::Array(array))
}

/// The schema of a type that utoipa knows.
pub(super) fn plain<T: PartialSchema>() -> RefOr<Schema> {
    T::schema()
}

/// The schema of a string in a format.
pub(super) fn text(format: KnownFormat) -> RefOr<Schema> {
    ObjectBuilder::new().schema_type(Type::String).format(Some(SchemaFormat::KnownFormat(format))).into()
}

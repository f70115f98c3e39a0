use syn::parse_quote;

/// The output for one record with every marker that a field can have, as a reviewed snapshot.
#[test]
fn the_code_for_a_record() {
    let input: syn::DeriveInput = parse_quote! {
        /// A place where games are played.
        #[record(table = "venues", alias = "v", rules = check, derived(name_folded = self.name.folded()))]
        pub struct Venue {
            /// The id.
            #[field(server, initial = moment.id())]
            pub id: VenueId,
            /// Its name.
            #[field(client)]
            pub name: Name,
            /// Degrees north (WGS 84).
            #[field(client, min = -90, max = 90)]
            pub latitude: Option<f64>,
            /// The IANA time zone of the venue.
            #[field(create_only, default = TimeZoneName::utc())]
            pub time_zone: TimeZoneName,
            /// The name of the child who looks after it.
            #[field(client, sealed)]
            pub helper: Option<String>,
            /// The code of its door.
            #[field(server, secret, initial = None)]
            pub door_code: Option<String>,
            /// When the record last changed.
            #[field(server, bookkeeping, initial = moment.now())]
            pub updated_at: Timestamp,
            /// The version: 1 at first, and one more with every change.
            #[field(server, bookkeeping, initial = 1)]
            pub version: i64,
        }
    };
    let declaration = crate::declaration::Declaration::parse(&input).expect("a declaration");
    let code = syn::parse2(crate::records::expand(&declaration)).expect("Rust");
    insta::assert_snapshot!(prettyplease::unparse(&code));
}

/// The schema that `wire` adds, in which every field is required.
#[test]
fn the_code_for_a_record_on_the_wire() {
    let input: syn::DeriveInput = parse_quote! {
        /// A field.
        #[record(table = "fields", alias = "f", wire)]
        pub struct Field {
            /// Its name.
            #[field(client)]
            pub name: Name,
            /// Its length in metres.
            #[field(client, max = 200)]
            pub length: Option<f64>,
        }
    };
    let declaration = crate::declaration::Declaration::parse(&input).expect("a declaration");
    let code = syn::parse2(crate::bodies::schema_of_record(&declaration)).expect("Rust");
    insta::assert_snapshot!(prettyplease::unparse(&code));
}

/// What rebuilds a record without secrets from its image: a field that was added later has its default.
#[test]
fn the_code_that_rebuilds_a_record() {
    let input: syn::DeriveInput = parse_quote! {
        #[record(table = "fields", alias = "f")]
        pub struct Field {
            #[field(server)]
            pub id: FieldId,
            #[field(client)]
            pub length: Option<f64>,
            #[field(client, default = Vec::new())]
            pub lines: Vec<Name>,
            #[field(client, default = Some(Turf::Grass))]
            pub turf: Option<Turf>,
        }
    };
    let declaration = crate::declaration::Declaration::parse(&input).expect("a declaration");
    let code: syn::ItemFn = syn::parse2(crate::records::of_image(&declaration)).expect("Rust");
    insta::assert_snapshot!(prettyplease::unparse(&syn::File {
        shebang: None,
        attrs: Vec::new(),
        items: vec![code.into()],
    }));
}

#[test]
fn a_field_without_a_setter_is_refused() {
    let input: syn::DeriveInput = parse_quote! {
        #[record(table = "venues", alias = "v")]
        pub struct Venue { pub id: VenueId }
    };
    let error = crate::declaration::Declaration::parse(&input).err().expect("an error");
    assert_eq!(error.to_string(), "declare who sets this field: #[field(client)], create_only or server");
}

#[test]
fn a_secret_or_sealed_field_is_never_in_a_response_as_declared() {
    let secret: syn::DeriveInput = parse_quote! {
        #[record(table = "users", alias = "u", wire)]
        pub struct User { #[field(server, secret)] pub password_hash: String }
    };
    let sealed: syn::DeriveInput = parse_quote! {
        #[record(table = "children", alias = "c", wire)]
        pub struct Child { #[field(client, sealed)] pub name: String }
    };
    for input in [secret, sealed] {
        let error = crate::declaration::Declaration::parse(&input).err().expect("an error");
        let message =
            "a response cannot show a secret or personal field as declared: the record needs a view";
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn a_secret_is_never_in_a_body() {
    let input: syn::DeriveInput = parse_quote! {
        #[record(table = "users", alias = "u")]
        pub struct User { #[field(client, secret)] pub password_hash: String }
    };
    let error = crate::declaration::Declaration::parse(&input).err().expect("an error");
    assert_eq!(error.to_string(), "a secret cannot be in a body: its setter must be server");
}

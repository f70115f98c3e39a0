//! The macro that reads the operation table, in `operations.rs`.

/// The query of an operation. It includes `validate_only` exactly if a changeset may contain the operation.
macro_rules! query {
    (Never $query:ty) => { $query };
    (AsOne $query:ty) => { $query };
    (Possible $query:ty) => { ValidateOnly<$query> };
}

/// The relation that an operation requires of its caller.
macro_rules! relation {
    () => {
        Relation::Unrelated
    };
    ($relation:tt) => {
        $relation
    };
}

/// The media type that an operation can respond with besides JSON: CSV with these columns.
macro_rules! sheet {
    () => {
        None
    };
    ($sheet:path) => {
        Some($sheet)
    };
}

/// Which responses are kept in memory.
macro_rules! kept {
    () => {
        Kept::None
    };
    ($kept:ident) => {
        Kept::$kept
    };
}

/// The operation table: types, rows and the enum of operations.
macro_rules! operations {
    (
        $(
            $(#[doc = $doc:literal])+
            $name:ident $id:literal $method:ident $path:literal
                | $credential:expr, $keys:ident, $resource:ident:$verb:ident, $child:expr, $if_match:ident, $changeset:ident,
                    [$($kind:ident $reach:ident),*] $(by $relation:tt)?
                | $parameters:ty, $query:ty, $body:ty => [$($status:literal),+] $answer:ty $(as $sheet:path)? $(| keeps $kept:ident)?, [$($code:ident),*];
        )*
        without HTTP:
        $(
            $(#[doc = $inner_doc:literal])+
            $inner_name:ident $inner_id:literal [$($inner_kind:ident $inner_reach:ident),*];
        )*
    ) => {
        /// Every operation: those of the API, and what the operator, jobs and importers do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Operation {
            $($(#[doc = $doc])+ $name,)*
            $($(#[doc = $inner_doc])+ $inner_name,)*
        }

        impl Operation {
            /// All of them, in the order of the tables.
            pub const ALL: &'static [Self] = &[$(Self::$name,)* $(Self::$inner_name),*];
            /// Those of the API, in the order of the table.
            pub const ROUTES: &'static [Self] = &[$(Self::$name),*];
            /// The name in the OpenAPI document, metrics, spans and the ledger.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)* $(Self::$inner_name => $inner_id),* }
            }
            /// Its documentation.
            pub const fn docs(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($($doc, "\n"),+),)*
                    $(Self::$inner_name => concat!($($inner_doc, "\n"),+)),*
                }
            }
            /// The records that it may write, besides those that follow from them.
            pub const fn writes(self) -> &'static [(Kind, Reach)] {
                match self {
                    $(Self::$name => &[$((Kind::$kind, Reach::$reach)),*],)*
                    $(Self::$inner_name => &[$((Kind::$inner_kind, Reach::$inner_reach)),*]),*
                }
            }
            /// Its row in the table of the API. `None` if it has no route.
            pub const fn row(self) -> Option<&'static Row> {
                match self {
                    $(Self::$name => Some(&<op::$name as Op>::ROW),)*
                    $(Self::$inner_name => None),*
                }
            }
        }

        /// Every operation of the API as a type.
        pub mod op {
            use super::*;
            $($(#[doc = $doc])+ #[derive(Clone, Copy, Debug)] pub struct $name;
            impl Op for $name {
                const OPERATION: Operation = Operation::$name;
                const ROW: Row = Row {
                    operation: Operation::$name,
                    id: $id,
                    docs: Operation::$name.docs(),
                    method: Method::$method,
                    path: $path,
                    requirement: Requirement {
                        credential: $credential,
                        keys: KeyUse::$keys,
                        scope: Scope { resource: Resource::$resource, verb: Verb::$verb },
                        relation: relation!($($relation)?),
                        child: $child,
                        writes: Operation::$name.writes(),
                    },
                    if_match: IfMatch::$if_match,
                    changeset: Changeset::$changeset,
                    parameters: <$parameters as PathParameter>::schemas,
                    parameter_count: <$parameters as PathParameter>::COUNT,
                    query: crate::rows::Shape::of::<query!($changeset $query)>(),
                    body_kind: <$body as Payload>::KIND,
                    body: crate::rows::Shape::of::<<$body as Payload>::Content>(),
                    statuses: &[$($status),+],
                    answer: crate::rows::AnswerShape::of::<$answer>(sheet!($($sheet)?)),
                    kept: kept!($($kept)?),
                    codes: &[$(Code::$code),*],
                };
                type Path = $parameters;
                type Query = query!($changeset $query);
                type Body = $body;
                type Answer = $answer;
            })*
        }

        /// The table of the API.
        pub const fn rows() -> &'static [Row] {
            const ROWS: &[Row] = &[$(<op::$name as Op>::ROW),*];
            const { check(ROWS) };
            ROWS
        }
    };
}

pub(crate) use {kept, operations, query, relation, sheet};

//! The router, with a route for each operation. [`Routes::op`] is the only way to add one: the handler's signature names its operation, so
//! method and path are written only in the operation table.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{Request, Response, header};
use axum::routing::future::RouteFuture;
use axum::routing::{MethodFilter, on};
use fieldhouse_api::operations::rows;
use fieldhouse_api::rows::{Kept, Method, Row};
use fieldhouse_api::{Code, Op, Operation};
use fieldhouse_store::{Engine, OrgScope};
use futures_util::future::{BoxFuture, Either};
use tower::Service;

use crate::answer::{Answered, Reply};
use crate::app::App;
use crate::auth::guard::{self, Admitted};
use crate::call::{Arrived, Call, Context, RequestId, accept};
use crate::failure::Failure;
use crate::layers;
use crate::recall::Recall;
use crate::responses::Found;
use crate::routes;

/// The whole API: responses from memory, and the routes for all other requests. Cheap to clone.
#[derive(Clone)]
pub struct Api {
    recall: Arc<Recall>,
    routes: Router,
}

/// The whole API.
pub fn router(app: App) -> Result<Api, String> {
    let recall = Arc::new(Recall::of(app.clone())?);
    Ok(Api { recall, routes: routes::all(Routes::default()).finish(app)? })
}

impl Service<Request<Body>> for Api {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Either<Ready<Result<Response<Body>, Infallible>>, RouteFuture<Infallible>>;

    fn poll_ready(&mut self, _: &mut TaskContext<'_>) -> Poll<Result<(), Infallible>> {
        // A router is always ready.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        match self.recall.respond(&request) {
            Some(response) => Either::Left(ready(Ok(response))),
            None => Either::Right(self.routes.call(request)),
        }
    }
}

/// A handler of an operation.
pub trait Handler<O: Op>: Copy + Send + Sync + 'static {
    /// Handles a call.
    fn handle(self, call: Call<O>) -> impl Future<Output = Result<Answered<O>, Failure>> + Send;
}

impl<O: Op, F, A> Handler<O> for F
where
    F: Fn(Call<O>) -> A + Copy + Send + Sync + 'static,
    A: Future<Output = Result<Answered<O>, Failure>> + Send,
{
    fn handle(self, call: Call<O>) -> impl Future<Output = Result<Answered<O>, Failure>> + Send {
        self(call)
    }
}

/// The route of an operation. What runs for every request is compiled once, because only `run` knows the types of the operation.
#[derive(Clone)]
struct Endpoint {
    row: &'static Row,
    run: Arc<dyn Fn(Arrived) -> Running + Send + Sync>,
}

/// A handler that runs.
type Running = BoxFuture<'static, Result<Reply, Failure>>;

/// The routes that were added so far.
#[derive(Default)]
pub(crate) struct Routes {
    router: Router<App>,
    added: BTreeSet<Operation>,
    twice: Vec<Operation>,
}

impl Routes {
    /// Adds the route of an operation.
    pub(crate) fn op<O: Op, H: Handler<O>>(self, handler: H) -> Self {
        let run = move |arrived: Arrived| -> Running {
            Box::pin(async move { Ok(handler.handle(arrived.read()?).await?.reply) })
        };
        self.add(Endpoint { row: const { &O::ROW }, run: Arc::new(run) })
    }

    fn add(mut self, endpoint: Endpoint) -> Self {
        let row = endpoint.row;
        if !self.added.insert(row.operation) {
            self.twice.push(row.operation);
        }
        let answer = async move |State(app): State<App>, request: Request<Body>| {
            let handler = |id, request| answer(&app, &endpoint, id, request);
            layers::around(&app, Some(endpoint.row.operation), request, handler).await
        };
        self.router = self.router.route(row.path, on(filter(row.method), answer));
        self
    }

    /// Fails if an operation has no handler, or two.
    fn finish(self, app: App) -> Result<Router, String> {
        let missing: Vec<_> =
            Operation::ROUTES.iter().filter(|operation| !self.added.contains(operation)).collect();
        if !missing.is_empty() || !self.twice.is_empty() {
            return Err(format!("operations without a handler: {missing:?}; with two: {:?}", self.twice));
        }
        let router = self.router.fallback(unknown_path).method_not_allowed_fallback(other_method);
        Ok(router.with_state(app))
    }
}

const fn filter(method: Method) -> MethodFilter {
    match method {
        Method::GET => MethodFilter::GET,
        Method::POST => MethodFilter::POST,
        Method::PATCH => MethodFilter::PATCH,
        Method::PUT => MethodFilter::PUT,
        Method::DELETE => MethodFilter::DELETE,
    }
}

async fn answer(app: &App, endpoint: &Endpoint, id: RequestId, request: Request<Body>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    // Only a read without a body can be repeated. SQLite remembers no one: it knows who is current.
    let remembers = endpoint.row.kept != Kept::None
        && app.store.engine() == Engine::Postgres
        && body.size_hint().exact() == Some(0);
    if remembers {
        let (parts, id) = (parts.clone(), id.clone());
        // In a box: the other engine's future stays small.
        let tried = Box::pin(attempt(app, endpoint, id, (parts, Body::empty()), true)).await;
        if let Some(response) = tried {
            return response;
        }
    }
    let response = attempt(app, endpoint, id.clone(), (parts, body), false).await;
    response.unwrap_or_else(|| {
        Failure::internal("an identified caller needs no confirmation").answer(&app.base_url, &id)
    })
}

/// Answers a request. `None` if it was admitted for a remembered caller whose permissions have changed: nothing has happened then.
async fn attempt(
    app: &App,
    endpoint: &Endpoint,
    id: RequestId,
    (mut parts, body): (Parts, Body),
    remembers: bool,
) -> Option<Response<Body>> {
    let context = Context::of(&mut parts, app, id.clone());
    let row = endpoint.row;
    let (rate_limit, admitted) = guard::admit(app, row, &context, remembers).await;
    let confirmation =
        admitted.as_ref().ok().and_then(Admitted::member).and_then(OrgScope::confirmation).cloned();
    let answered = match admitted.and_then(|admitted| Asked::of(app, row, context, admitted)) {
        Ok((_, Found::Current(response))) => Ok(response),
        // In a box: a large future is copied several times on its way, also for a response from memory.
        Ok((asked, found)) => Box::pin(handled(app, endpoint, asked, found, (parts, body))).await,
        Err(failure) => Err(failure),
    };
    let answered = match confirmation {
        None => answered,
        // In a box too: only PostgreSQL asks.
        Some(confirmation) => match Box::pin(confirmation.is_confirmed(&app.store)).await {
            Ok(true) => answered,
            Ok(false) => return None,
            Err(error) => Err(error.into()),
        },
    };
    let mut response = match answered {
        Ok(response) => response,
        Err(failure) if row.answer.is_page => failure.answer_page(&id),
        Err(failure) => failure.answer(&app.base_url, &id),
    };
    if let Some(rate_limit) = rate_limit {
        rate_limit.add_to(response.headers_mut());
    }
    Some(response)
}

/// An admitted request whose media type is known.
struct Asked {
    context: Context,
    admitted: Admitted,
    media_type: &'static str,
}

impl Asked {
    /// Also looks for the response in memory.
    fn of(app: &App, row: &Row, context: Context, admitted: Admitted) -> Result<(Self, Found), Failure> {
        let media_type = accept::choose(context.head(), row.answer.media_types)?;
        let found = app.responses.find(&app.store, row, admitted.member(), (context.head(), media_type));
        Ok((Self { context, admitted, media_type }, found))
    }
}

/// The response of the handler.
async fn handled(
    app: &App,
    endpoint: &Endpoint,
    Asked { context, admitted, media_type }: Asked,
    found: Found,
    rest: (Parts, Body),
) -> Result<Response<Body>, Failure> {
    let row = endpoint.row;
    let condition = context.headers.get(header::IF_NONE_MATCH).cloned();
    let arrived = Arrived::of(app, (row, media_type), context, admitted, rest).await?;
    let reply = run(endpoint, arrived).await?.converted(row, media_type)?;
    let (prepared, stream) = reply.prepared(row);
    if let Found::Place(place) = found {
        app.responses.keep(place, &prepared);
    }
    let mut response = prepared.respond(condition.as_ref());
    if let Some(stream) = stream {
        *response.body_mut() = stream;
    }
    Ok(response)
}

/// Runs a handler. One that writes runs in a task of its own, so that a client that disconnects does not interrupt it.
async fn run(endpoint: &Endpoint, arrived: Arrived) -> Result<Reply, Failure> {
    let running = (endpoint.run)(arrived);
    if endpoint.row.method == Method::GET {
        return running.await;
    }
    tokio::spawn(running).await.unwrap_or_else(|error| Err(Failure::internal(error.to_string())))
}

async fn unknown_path(State(app): State<App>, request: Request<Body>) -> Response<Body> {
    let refuse = async |id: RequestId, _| Failure::unknown_path().answer(&app.base_url, &id);
    layers::around(&app, None, request, refuse).await
}

async fn other_method(State(app): State<App>, request: Request<Body>) -> Response<Body> {
    let allowed = allowed_methods(request.uri().path()).join(", ");
    let failure = Failure::new(Code::MethodNotAllowed, format!("This path supports {allowed}."));
    let failure = failure.header(header::ALLOW, allowed);
    layers::around(&app, None, request, async |id: RequestId, _| failure.answer(&app.base_url, &id)).await
}

/// The methods of a path. If several patterns match, the router chooses the one with the fewest parameters.
fn allowed_methods(path: &str) -> Vec<&'static str> {
    let fits = |pattern: &str| {
        let (mut pattern, mut path) = (pattern.split('/'), path.split('/'));
        loop {
            match (pattern.next(), path.next()) {
                (None, None) => return true,
                (Some(one), Some(other)) if one == other || one.starts_with('{') => {}
                _ => return false,
            }
        }
    };
    let fitting = rows().iter().filter(|row| fits(row.path));
    let pattern = fitting.map(|row| row.path).min_by_key(|path| path.matches('{').count());
    let taking = rows().iter().filter(|row| Some(row.path) == pattern);
    let mut methods: Vec<_> = taking.map(|row| row.method.name()).collect();
    if methods.contains(&"GET") {
        methods.push("HEAD");
    }
    methods.sort_unstable();
    methods.dedup();
    methods
}

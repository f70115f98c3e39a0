//! The router, with a route for each operation. [`Routes::op`] is the only way to add one: the handler's signature names its operation, so
//! method and path are written only in the operation table.

use std::collections::BTreeSet;
use std::future::Future;

use axum::Router;
use axum::body::Body;
use axum::extract::FromRequest;
use axum::http::{Request, Response, header};
use axum::routing::{MethodFilter, on};
use fieldhouse_api::operations::rows;
use fieldhouse_api::rows::Method;
use fieldhouse_api::{Code, Op, Operation};

use crate::answer::Answered;
use crate::app::App;
use crate::call::{Arrival, Call, RequestId};
use crate::failure::Failure;
use crate::layers;
use crate::routes;

/// The routes of the whole API.
pub fn router(app: App) -> Result<Router, String> {
    routes::all(Routes::default()).finish(app)
}

/// A handler of an operation.
pub trait Handler<O: Op>: Clone + Send + Sync + 'static {
    /// Handles a call.
    fn handle(self, call: Call<O>) -> impl Future<Output = Result<Answered<O>, Failure>> + Send;
}

impl<O: Op, F, A> Handler<O> for F
where
    F: Fn(Call<O>) -> A + Clone + Send + Sync + 'static,
    A: Future<Output = Result<Answered<O>, Failure>> + Send,
{
    fn handle(self, call: Call<O>) -> impl Future<Output = Result<Answered<O>, Failure>> + Send {
        self(call)
    }
}

/// The routes that were added so far.
#[derive(Default)]
pub(crate) struct Routes {
    router: Router<App>,
    added: BTreeSet<Operation>,
    twice: Vec<Operation>,
}

impl Routes {
    /// Adds the route of an operation.
    pub(crate) fn op<O: Op, H: Handler<O>>(mut self, handler: H) -> Self {
        let operation = O::OPERATION;
        if !self.added.insert(operation) {
            self.twice.push(operation);
        }
        let answer = async move |axum::extract::State(app): axum::extract::State<App>,
                                 request: Request<Body>| {
            answer::<O, H>(app, handler, request).await
        };
        self.router = self.router.route(O::ROW.path, on(filter(O::ROW.method), answer));
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
        Ok(layers::around(router, app.clone()).with_state(app))
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

async fn answer<O: Op, H: Handler<O>>(app: App, handler: H, request: Request<Body>) -> Response<Body> {
    let id = request.extensions().get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default();
    let base = app.base_url.clone();
    let arrival = match Arrival::<O>::from_request(request, &app).await {
        Ok(arrival) => arrival,
        Err(response) => return response,
    };
    let answered = match arrival.call {
        Ok(call) => run(handler, call).await,
        Err(failure) => Err(failure),
    };
    let mut response = match answered {
        Ok(response) => response,
        Err(failure) if O::ROW.answer.is_page => failure.answer_page(&id),
        Err(failure) => failure.answer(&base, &id),
    };
    response.extensions_mut().insert(O::OPERATION);
    if let Some(rate_limit) = arrival.rate_limit {
        rate_limit.add_to(response.headers_mut());
    }
    response
}

/// Runs a handler. One that writes runs in a task of its own, so that a client that disconnects does not interrupt it.
async fn run<O: Op, H: Handler<O>>(handler: H, call: Call<O>) -> Result<Response<Body>, Failure> {
    let (headers, media_type) = (call.context.headers.clone(), call.media_type);
    let answered = if O::ROW.method == Method::GET {
        handler.handle(call).await
    } else {
        let task = tokio::spawn(async move { handler.handle(call).await });
        task.await.unwrap_or_else(|error| Err(Failure::internal(error.to_string())))
    };
    Ok(answered?.converted(media_type)?.respond(&headers))
}

async fn unknown_path(app: axum::extract::State<App>, request: Request<Body>) -> Response<Body> {
    refuse(&app, &request, Failure::unknown_path())
}

async fn other_method(app: axum::extract::State<App>, request: Request<Body>) -> Response<Body> {
    let allowed: Vec<_> = allowed_methods(request.uri().path());
    let failure = Failure::new(Code::MethodNotAllowed, format!("This path supports {}.", allowed.join(", ")));
    refuse(&app, &request, failure.header(header::ALLOW, allowed.join(", ")))
}

fn refuse(app: &App, request: &Request<Body>, failure: Failure) -> Response<Body> {
    let id = request.extensions().get::<RequestId>().map(|id| id.0.as_str()).unwrap_or_default();
    failure.answer(&app.base_url, id)
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

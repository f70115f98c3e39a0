//! A command and the view of its output, without their types: the transaction around them, with its attempts and its queue, is compiled once
//! and not for each command.

use std::sync::Arc;

use fieldhouse_api::Op;
use fieldhouse_commands::{Command, Error, WriteContext};
use fieldhouse_store::Tx;
use futures_util::future::BoxFuture;
use uuid::Uuid;

use super::Call;
use crate::answer::{Answered, Reply};
use crate::failure::Failure;

/// The response to a command that has run, or the problem of its view.
pub(super) type Viewed = Result<Reply, Failure>;
/// Converts the output of a command that has run.
pub(super) type View = Box<dyn FnOnce() -> Viewed + Send>;

/// A command with what converts its output. It hides their types, so that the transaction around them is compiled once.
pub(super) trait Work: Send + Sync {
    /// See [`Command::target`].
    fn target(&self) -> Option<Uuid>;

    /// Runs the command, see [`Command::run`]. Its output is converted later, outside the transaction if that need not store the response.
    fn run<'a, 'tx>(
        self: Arc<Self>,
        tx: &'a mut Tx<'tx>,
        cx: &'a mut WriteContext<'_, 'tx>,
    ) -> BoxFuture<'a, Result<View, Error>>
    where
        'tx: 'a;

    /// See [`Command::again`].
    fn again<'a, 'tx>(
        &'a self,
        tx: &'a mut Tx<'tx>,
        cx: &'a mut WriteContext<'_, 'tx>,
        created: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<Viewed>, Error>>;
}

/// Work whose type does not appear in the future of its transaction, of which the compiler could not show otherwise that it is `Send`.
pub(super) struct Boxed(pub(super) Arc<dyn Work>);

impl Boxed {
    pub(super) fn target(&self) -> Option<Uuid> {
        self.0.target()
    }

    pub(super) fn run<'a, 'tx>(
        &self,
        tx: &'a mut Tx<'tx>,
        cx: &'a mut WriteContext<'_, 'tx>,
    ) -> BoxFuture<'a, Result<View, Error>> {
        self.0.clone().run(tx, cx)
    }

    pub(super) fn again<'a, 'tx>(
        &'a self,
        tx: &'a mut Tx<'tx>,
        cx: &'a mut WriteContext<'_, 'tx>,
        created: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<Viewed>, Error>> {
        self.0.again(tx, cx, created)
    }
}

/// See [`Work`].
pub(super) struct Viewing<O: Op, C, V> {
    pub(super) call: Arc<Call<O>>,
    pub(super) command: C,
    pub(super) view: V,
}

impl<O, C, V> Work for Viewing<O, C, V>
where
    O: Op,
    C: Command,
    V: Fn(&Call<O>, C::Output) -> Result<Answered<O>, Failure> + Send + Sync + 'static,
{
    fn target(&self) -> Option<Uuid> {
        self.command.target()
    }

    fn run<'a, 'tx>(
        self: Arc<Self>,
        tx: &'a mut Tx<'tx>,
        cx: &'a mut WriteContext<'_, 'tx>,
    ) -> BoxFuture<'a, Result<View, Error>>
    where
        'tx: 'a,
    {
        Box::pin(async move {
            let output = self.command.run(tx, cx).await?;
            Ok(Box::new(move || (self.view)(&self.call, output).map(|answered| answered.reply)) as View)
        })
    }

    fn again<'a, 'tx>(
        &'a self,
        tx: &'a mut Tx<'tx>,
        cx: &'a mut WriteContext<'_, 'tx>,
        created: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<Viewed>, Error>> {
        Box::pin(async move {
            let output = self.command.again(tx, cx, created).await?;
            Ok(output.map(|output| (self.view)(&self.call, output).map(|answered| answered.reply)))
        })
    }
}

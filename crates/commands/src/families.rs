//! The families of the demo.

use fieldhouse_api::Operation;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_store::Tx;

use crate::{Command, Error, WriteContext};

/// Creates children and what relates people to them.
#[derive(Debug)]
pub struct Load(pub Vec<AnyRecord>);

impl Command for Load {
    const OPERATION: Operation = Operation::DemoFamilies;
    type Output = ();

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<(), Error> {
        let effects: Vec<Effect> =
            self.0.iter().map(|record| Effect { before: None, after: Some(record.clone()) }).collect();
        cx.apply(tx, &effects).await?;
        Ok(())
    }
}

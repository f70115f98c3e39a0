//! Sessions of the demo's accounts.

use std::collections::HashMap;

use fieldhouse_client::Client;
use fieldhouse_client::api::auth::Login;
use fieldhouse_domain::text::Email;
use serde_json::Value;

/// A client with a session of an account, its e-mail address and its password.
pub(crate) type Account = (Client, String, String);

/// Signs in with the first account of each role that a server's ready file names. After one account of each role come those of the families.
pub(crate) async fn sign_in(ready: &Value) -> Result<HashMap<String, Account>, Box<dyn std::error::Error>> {
    let url = ready["base_url"].as_str().ok_or("no base_url")?;
    let anonymous = Client::builder(url).retries(0).build()?;
    let mut accounts = HashMap::new();
    for account in ready["accounts"].as_array().ok_or("no accounts")? {
        let text = |field: &str| account[field].as_str().unwrap_or_default().to_owned();
        let (role, email, password) = (text("role"), text("email"), text("password"));
        if accounts.contains_key(&role) {
            continue;
        }
        let parsed = Email::parse(&email).map_err(|wrong| wrong.message)?;
        let login = Login { email: parsed, password: password.clone(), organization: None };
        let tokens = anonymous.auth().login(&login).await?;
        let client = Client::builder(url).retries(0).session(tokens).build()?;
        accounts.insert(role, (client, email, password));
    }
    accounts.insert("anyone".to_owned(), (anonymous, String::new(), String::new()));
    Ok(accounts)
}

//! Access tokens: their claims, who can verify them, and tokens that must be refused.

use aws_lc_rs::signature::Ed25519KeyPair;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fieldhouse_domain::roles::Role;
use fieldhouse_server::key_ring::Purpose;
use jiff::{SignedDuration, Timestamp};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use reqwest::Method;
use serde_json::{Value, json};

use super::{PROFILE, refresh, text};
use crate::support::{Club, Credential, Person, on_both, on_both_in_held_time, send};

fn token(person: &Person) -> &str {
    match &person.credential {
        Credential::Session(token) => token,
        _ => panic!("a person who is signed in"),
    }
}

/// A part of a token as JSON.
fn part(token: &str, at: usize) -> Value {
    let part = token.split('.').nth(at).expect("three parts");
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).expect("base64url")).expect("JSON")
}

/// Signs any header and claims with a seed.
fn signed(header: &str, claims: &Value, seed: &[u8; 32]) -> String {
    let text = |text: &str| URL_SAFE_NO_PAD.encode(text);
    let message = format!("{}.{}", text(header), text(&claims.to_string()));
    let pair = Ed25519KeyPair::from_seed_unchecked(seed).expect("a seed");
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(pair.sign(message.as_bytes())))
}

/// The header of the server's own tokens.
fn own_header(token: &str) -> String {
    let header = token.split('.').next().expect("a header");
    String::from_utf8(URL_SAFE_NO_PAD.decode(header).expect("base64url")).expect("JSON")
}

fn own_seed(club: &Club) -> [u8; 32] {
    *club.app.key_ring.all(Purpose::AccessToken).next().expect("a signing key").1
}

async fn refuses(club: &Club, token: &str, what: &str) {
    let answer = club.with_token(token).get(PROFILE).await;
    assert_eq!((answer.status, answer.code()), (401, "invalid_credentials"), "{what}: {}", answer.body);
    assert_eq!(answer.header("www-authenticate"), r#"Bearer realm="fieldhouse", error="invalid_token""#);
}

#[tokio::test]
async fn an_access_token_has_the_user_the_organization_and_its_expiry() {
    on_both(async |club| {
        let coach = club.member(Role::Coach);
        let (header, claims) = (part(token(coach), 0), part(token(coach), 1));
        let keys = club.anonymous().get("/.well-known/jwks.json").await.body;
        assert_eq!(header, json!({"typ": "at+jwt", "alg": "EdDSA", "kid": keys["keys"][0]["kid"]}));
        let me = coach.get(PROFILE).await;
        assert_eq!(me.body["data"]["email"], json!(coach.email));
        assert_eq!(claims["sub"], me.body["data"]["id"]);
        assert_eq!(claims["org"], me.body["data"]["organization"]["id"]);
        assert_eq!(claims["sid"], me.body["data"]["auth"]["session_id"]);
        assert_eq!((&claims["iss"], &claims["aud"]), (&json!(club.base_url), &json!(club.base_url)));
        let second = |name: &str| claims[name].as_i64().expect("seconds");
        assert_eq!(second("exp") - second("iat"), 600);
        assert!((0..=1).contains(&(second("iat") - second("auth_time"))));
        assert!(claims["role"].is_null(), "a role is read from the database, never from a token");
    })
    .await;
}

#[tokio::test]
async fn each_token_of_a_session_expires_in_its_own_time() {
    on_both_in_held_time(async |club| {
        // When the token that a person sent expires, as their profile says, or why it is refused.
        let shown = async |person: &Person| {
            let me = person.get(PROFILE).await;
            let ends = me.body["data"]["auth"]["expires_at"].as_str().ok_or_else(|| me.code().to_owned());
            ends.map(|ends| ends.parse::<Timestamp>().expect("a time").as_second())
        };
        let ends = |person: &Person| part(token(person), 1)["exp"].as_i64().ok_or_else(String::new);
        let first = club.member(Role::Coach);
        assert_eq!(shown(first).await, ends(first));
        club.pass(SignedDuration::from_mins(4));
        let refreshed = refresh(&club, &first.refresh_token).await;
        let second = club.with_token(text(&refreshed, "access_token"));
        assert_eq!(ends(&second), ends(first).map(|ends| ends + 4 * 60));
        for person in [&second, first, &second, first] {
            assert_eq!(shown(person).await, ends(person));
        }
        club.pass(SignedDuration::from_mins(6));
        for _ in 0..2 {
            assert_eq!(shown(first).await, Err("token_expired".to_owned()));
            assert_eq!(shown(&second).await, ends(&second));
        }
        let third = refresh(&club, text(&refreshed, "refresh_token")).await;
        let third = club.with_token(text(&third, "access_token"));
        assert_eq!(second.post("/api/v1/auth/logout", &json!(null)).await.status, 200);
        for person in [&second, &third] {
            assert_eq!(shown(person).await, Err("token_expired".to_owned()), "the session has ended");
        }
    })
    .await;
}

#[tokio::test]
async fn tokens_can_be_verified_with_the_published_keys() {
    on_both(async |club| {
        let keys = club.anonymous().get("/.well-known/jwks.json").await.body;
        let key = &keys["keys"][0];
        assert!(key.get("d").is_none(), "the private half stays here");
        let decoding = DecodingKey::from_ed_components(key["x"].as_str().expect("a key")).expect("a key");
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_issuer(&[&club.base_url]);
        validation.set_audience(&[&club.base_url]);
        for person in club.everyone() {
            let decoded = jsonwebtoken::decode::<Value>(token(person), &decoding, &validation);
            assert!(decoded.is_ok(), "{decoded:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_changed_token_is_refused() {
    on_both(async |club| {
        let coach = token(club.member(Role::Coach));
        let parts: Vec<_> = coach.split('.').collect();
        let mut claims = part(coach, 1);
        claims["sid"] = part(token(club.member(Role::Owner)), 1)["sid"].clone();
        let forged = URL_SAFE_NO_PAD.encode(claims.to_string());
        for (what, token) in [
            ("the claims were changed", format!("{}.{forged}.{}", parts[0], parts[2])),
            (
                "another token's signature",
                format!(
                    "{}.{}.{}",
                    parts[0],
                    parts[1],
                    token(club.member(Role::Admin)).rsplit('.').next().unwrap_or_default()
                ),
            ),
            ("cut off", coach[..coach.len() - 2].to_owned()),
            ("without a signature", format!("{}.{}.", parts[0], parts[1])),
            ("two parts", format!("{}.{}", parts[0], parts[1])),
            ("four parts", format!("{coach}.x")),
            ("nothing", String::new()),
            ("no token at all", "x".to_owned()),
            ("longer than the maximum", format!("{}.{}.{}", parts[0], "A".repeat(8192), parts[2])),
        ] {
            refuses(&club, &token, what).await;
        }
        assert_eq!(club.member(Role::Coach).get(PROFILE).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_token_cannot_choose_its_algorithm_or_its_key() {
    on_both(async |club| {
        let coach = token(club.member(Role::Coach));
        let (header, claims) = (part(coach, 0), part(coach, 1));
        let keys = club.anonymous().get("/.well-known/jwks.json").await.body;
        let public = keys["keys"][0]["x"].as_str().expect("a key");
        let public_bytes = URL_SAFE_NO_PAD.decode(public).expect("base64url");
        let text = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        for none in ["none", "None", "NONE", "nOnE"] {
            let header = json!({"typ": "at+jwt", "alg": none, "kid": header["kid"]});
            refuses(&club, &format!("{}.{}.", text(&header), text(&claims)), "no algorithm").await;
        }
        for secret in [public_bytes.as_slice(), public.as_bytes()] {
            let mut header = Header::new(Algorithm::HS256);
            header.kid = keys["keys"][0]["kid"].as_str().map(str::to_owned);
            header.typ = Some("at+jwt".to_owned());
            let token = jsonwebtoken::encode(&header, &claims, &EncodingKey::from_secret(secret));
            refuses(&club, &token.expect("a token"), "HS256 with the public key as its secret").await;
        }
        let (plain, own, foreign) = (own_header(coach), own_seed(&club), [7; 32]);
        refuses(&club, &signed(&plain, &claims, &foreign), "our key's name, a foreign signature").await;
        let kid = header["kid"].as_str().expect("an id");
        refuses(&club, &signed(&plain.replace(kid, "foreign"), &claims, &foreign), "a foreign key").await;
        let control = club.with_token(&signed(&plain, &claims, &own)).get(PROFILE).await;
        assert_eq!(control.status, 200, "the following tokens are refused only because of the header");
        let jwk = json!({"kty": "OKP", "crv": "Ed25519", "x": public});
        for (name, value) in [
            ("jwk", jwk),
            ("jku", json!("https://keys.example/jwks.json")),
            ("x5u", json!("https://keys.example/certificate.pem")),
            ("x5c", json!(["MIIB"])),
            ("crit", json!(["b64"])),
            ("b64", json!(false)),
            ("zip", json!("DEF")),
        ] {
            let header = plain.replacen('}', &format!(",{}:{value}}}", json!(name)), 1);
            refuses(&club, &signed(&header, &claims, &own), name).await;
        }
        for (one, other) in [(kid, "../key-ring.json"), ("EdDSA", "ES256"), ("at+jwt", "JWT")] {
            refuses(&club, &signed(&plain.replace(one, other), &claims, &own), other).await;
        }
    })
    .await;
}

#[tokio::test]
async fn inexact_claims_are_refused_even_with_a_valid_signature() {
    on_both(async |club| {
        let coach = token(club.member(Role::Coach));
        let claims = part(coach, 1);
        let (header, own) = (own_header(coach), own_seed(&club));
        let sign = |claims: &Value| signed(&header, claims, &own);
        assert_eq!(club.with_token(&sign(&claims)).get(PROFILE).await.status, 200, "as it was, it is good");
        for (name, value) in [
            ("iss", json!("https://elsewhere.example")),
            ("aud", json!("https://elsewhere.example")),
            ("iss", Value::Null),
            ("aud", Value::Null),
            ("exp", Value::Null),
            ("exp", json!("2099-01-01T00:00:00Z")),
            ("sub", Value::Null),
            ("sid", json!("ses_00000000000000000000000000")),
            ("sid", json!(part(token(club.member(Role::Owner)), 1)["sub"])),
            ("org", json!("org_00000000000000000000000000")),
        ] {
            let mut claims = claims.clone();
            claims[name] = value.clone();
            refuses(&club, &sign(&claims), &format!("{name} = {value}")).await;
        }
    })
    .await;
}

#[tokio::test]
async fn the_authorization_header_is_parsed_strictly() {
    on_both(async |club| {
        let good = token(club.member(Role::Coach));
        let with = async |values: &[String]| {
            let request = club.anonymous().request(Method::GET, PROFILE);
            send(values.iter().fold(request, |request, value| request.header("authorization", value))).await
        };
        for scheme in ["Bearer", "bearer", "BEARER"] {
            assert_eq!(with(&[format!("{scheme} {good}")]).await.status, 200, "{scheme}");
        }
        for wrong in
            [good.to_owned(), "Bearer".to_owned(), format!("Basic {good}"), format!("Bearer {good} x")]
        {
            assert_eq!(with(std::slice::from_ref(&wrong)).await.code(), "invalid_credentials", "{wrong}");
        }
        let twice = with(&[format!("Bearer {good}"), format!("Bearer {good}")]).await;
        assert_eq!((twice.status, twice.code()), (400, "ambiguous_credentials"));
    })
    .await;
}

#[tokio::test]
async fn the_discovery_documents_are_served() {
    on_both(async |club| {
        let anonymous = club.anonymous();
        let base = &club.base_url;
        let openid = anonymous.get("/.well-known/openid-configuration").await.body;
        assert_eq!(openid["issuer"], json!(base));
        assert_eq!(openid["token_endpoint"], json!(format!("{base}/api/v1/auth/login")));
        assert_eq!(openid["id_token_signing_alg_values_supported"], json!(["EdDSA"]));
        let resource = anonymous.get("/.well-known/oauth-protected-resource").await.body;
        assert_eq!(
            (&resource["resource"], &resource["authorization_servers"]),
            (&json!(base), &json!([base]))
        );
        for document in [openid, resource] {
            let keys = document["jwks_uri"].as_str().expect("an address").strip_prefix(base.as_str());
            let keys = anonymous.get(keys.expect("our own address")).await;
            assert_eq!(keys.body["keys"].as_array().map(Vec::len), Some(1));
        }
    })
    .await;
}

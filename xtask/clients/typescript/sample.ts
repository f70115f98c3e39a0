// Uses the types that openapi-typescript generates from the served document, with openapi-fetch. Compiling it checks the types against a
// client's use, running it checks them against the server's responses. The URL and an account are in FIELDHOUSE_URL,
// FIELDHOUSE_EMAIL and FIELDHOUSE_PASSWORD.

import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Schemas = components["schemas"];

function setting(name: string): string {
  const value = process.env[name];
  assert(value, `${name} is not set`);
  return value;
}

const client = createClient<paths, "application/json" | "application/problem+json">({ baseUrl: setting("FIELDHOUSE_URL") });

const login = await client.POST("/api/v1/auth/login", {
  body: { email: setting("FIELDHOUSE_EMAIL"), password: setting("FIELDHOUSE_PASSWORD") },
});
assert(login.data, JSON.stringify(login.error));
const role: Schemas["Role"] = login.data.data.role;
assert.equal(role, "admin");
const headers = { authorization: `Bearer ${login.data.data.access_token}` };

const created = await client.POST("/api/v1/seasons", {
  headers,
  body: { name: "TypeScript season", sport: "basketball", time_zone: "Australia/Melbourne" },
});
assert(created.data, JSON.stringify(created.error));
const season: Schemas["Season"] = created.data.data;
const status: Schemas["SeasonStatus"] = "draft";
assert.equal(season.status, status);
assert.equal(season.starts_on, null);

const path = { id: season.id };
const changed = await client.PATCH("/api/v1/seasons/{id}", {
  headers,
  params: { path },
  body: { status: "active" },
});
assert.equal(changed.data?.data.version, 2);

const saved = await client.POST("/api/v1/colleges/favorites", {
  headers,
  body: { custom: { college_name: "TypeScript College", sport: "softball" } },
});
assert.equal(saved.response.status, 201);
assert.equal(saved.data?.meta.created, true);

const seasons: Schemas["Season"][] = [];
let cursor: string | null = null;
do {
  const page: { data?: { data: Schemas["Season"][]; page: Schemas["PageInfo"] } } = await client.GET("/api/v1/seasons", {
    headers,
    params: { query: cursor === null ? { limit: 1 } : { limit: 1, cursor } },
  });
  assert(page.data);
  seasons.push(...page.data.data);
  cursor = page.data.page.next_cursor;
} while (cursor !== null);
assert(seasons.some((other) => other.id === season.id && other.status === "active"));

const games = await client.GET("/api/v1/games/upcoming", { headers, params: { query: { limit: 100 } } });
assert(games.data && games.data.data.length > 0);
const known: Schemas["GameStatus"][] = ["scheduled", "postponed", "cancelled", "in_progress", "final", "forfeit", "abandoned"];
for (const game of games.data.data) {
  assert(known.includes(game.status), game.status);
  assert(!Number.isNaN(Date.parse(game.starts_at)));
}

const removed = await client.DELETE("/api/v1/seasons/{id}", { headers, params: { path } });
assert.equal(removed.data?.data.deleted, true);
const gone = await client.GET("/api/v1/seasons/{id}", { headers, params: { path } });
const problem: Schemas["Problem"] | undefined = gone.error;
const code: Schemas["Code"] = "not_found";
assert.equal(problem?.code, code);
console.log(`${seasons.length} seasons and ${games.data.data.length} games read, 4 records written, all as typed.`);

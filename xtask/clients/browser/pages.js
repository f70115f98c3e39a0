// Opens the pages of a served demo in Chromium, as a person who received a link does: without script, on a small screen.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";

const { FIELDHOUSE_URL: url, FIELDHOUSE_EMAIL, FIELDHOUSE_PASSWORD, FIELDHOUSE_MAIL: mail, CHROMIUM } = process.env;
const SMALL = { width: 360, height: 640 };
const FIRST = "a pitch after rain";
const SECOND = "two cones and a whistle";

/** Sends a request to the API. Returns its status and body. */
async function call(method, path, { body, token } = {}) {
  const headers = { "content-type": "application/json" };
  if (token) headers.authorization = `Bearer ${token}`;
  const response = await fetch(`${url}/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

/** Signs in. Returns the access token, or the status of the refusal. */
async function login(email, password) {
  const { status, body } = await call("POST", "/auth/login", { body: { email, password } });
  return status === 200 ? body.data.access_token : status;
}

const seen = new Set();

/** The link in the next message to an address. */
async function link(to) {
  for (let tries = 0; tries < 200; tries += 1) {
    // The folder is created with the first message.
    const names = await readdir(mail).catch(() => []);
    for (const name of names.filter((name) => name.endsWith(".eml")).sort()) {
      const raw = await readFile(join(mail, name), "utf8");
      if (seen.has(name) || !raw.includes(`To: ${to}\r\n`)) continue;
      seen.add(name);
      const text = raw.replaceAll("=\r\n", "").replaceAll("=3D", "=");
      const [found] = text.match(/http:\S+token=\S+/) ?? [];
      assert(found, `${name} has a link`);
      return found;
    }
    await sleep(100);
  }
  throw new Error(`no message to ${to} has come`);
}

// Chromium refuses its sandbox to root, and looks up hosts of its maker unless it is told not to.
const flags = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath: CHROMIUM, args: flags });
const plain = await browser.newContext({ javaScriptEnabled: false, viewport: SMALL });
const complaints = [];

/** Opens a page and checks what is true of every page with a form. */
async function open(address, shot) {
  const page = await plain.newPage();
  page.on("console", (message) => complaints.push(`${address}: ${message.text()}`));
  page.on("requestfailed", (request) => complaints.push(`${request.url()}: ${request.failure()?.errorText}`));
  const response = await page.goto(address);
  const headers = response.headers();
  assert.match(headers["content-security-policy"], /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/);
  assert.equal(headers["referrer-policy"], "no-referrer");
  assert.equal(headers["cache-control"], "private, no-store");
  await look(page, shot);
  return page;
}

/** Takes a picture, and checks that the page fits and that each field has a label. */
async function look(page, shot) {
  await page.screenshot({ path: `${shot}.png`, fullPage: true });
  assert.equal(await page.locator("script").count(), 0, `${shot} has no script`);
  const width = await page.locator("html").evaluate((html) => html.scrollWidth);
  assert(width <= SMALL.width, `${shot} fits on a small screen, but is ${width} pixels wide`);
  for (const field of await page.locator("input:not([type=hidden])").all()) {
    const id = await field.getAttribute("id");
    assert.equal(await page.locator(`label[for="${id}"]`).count(), 1, `${shot}: ${id} has a label`);
  }
  const background = await page.locator("body").evaluate((body) => getComputedStyle(body).maxWidth);
  assert.notEqual(background, "none", `${shot}: the style is applied`);
}

/** Fills in a form and sends it. Returns the heading of the page that follows. */
async function send(page, fields, shot) {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value);
  await Promise.all([page.waitForLoadState("load"), page.getByRole("button").click()]);
  await look(page, shot);
  return page.getByRole("heading").textContent();
}

async function invited() {
  const admin = await login(FIELDHOUSE_EMAIL, FIELDHOUSE_PASSWORD);
  const email = "robin@pages.example";
  const invitation = await call("POST", "/invitations", { token: admin, body: { email, role: "coach" } });
  assert.equal(invitation.status, 201, JSON.stringify(invitation.body));
  const address = await link(email);
  const page = await open(address, "accept-invitation");
  assert.match(await page.getByRole("main").textContent(), /with the role coach/);
  const refused = await send(page, { "Your name": "Robin <b>Rook</b>", "New password": "passwordpassword" }, "accept-refused");
  assert.match(refused, /^Join /, "the form is shown again");
  assert.match(await page.getByRole("alert").textContent(), /password/);
  const welcome = await send(page, { "Your name": "Robin <b>Rook</b>", "New password": FIRST }, "accept-done");
  assert.match(welcome, /^Welcome to /);
  const again = await open(address, "accept-again");
  assert.match(await again.getByRole("main").textContent(), /link/);
  return email;
}

async function forgotten(email) {
  const page = await open(`${url}/forgot-password`, "forgot-password");
  await send(page, { "E-mail": email }, "forgot-done");
  const reset = await open(await link(email), "reset-password");
  await send(reset, { "New password": SECOND }, "reset-done");
  assert.equal(await login(email, FIRST), 401, "the old password has ended");
  return login(email, SECOND);
}

async function moved(email, token) {
  const next = "robin.rook@pages.example";
  const body = { email: next, current_password: SECOND };
  assert.equal((await call("POST", "/profile/me/email", { token, body })).status, 202);
  for (const [at, shot] of [[email, "confirm-current"], [next, "confirm-new"]]) {
    await send(await open(await link(at), shot), {}, `${shot}-done`);
  }
  const signed = await login(next, SECOND);
  const me = await call("GET", "/profile/me", { token: signed });
  assert.deepEqual([me.body.data.email, me.body.data.name], [next, "Robin <b>Rook</b>"]);
}

/** A page of a link runs no script, even one that got into it. */
async function guarded() {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/forgot-password`);
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.head.append(script);
    return window.ran ?? false;
  });
  assert.equal(ran, false, "the policy stops an inline script");
  await context.close();
}

async function start() {
  const page = await browser.newPage();
  await page.goto(url);
  await page.screenshot({ path: "start.png" });
  const links = await page.getByRole("link").evaluateAll((links) => links.map((link) => link.href));
  assert(links.length >= 3, "the start page leads on");
  for (const address of links) assert.equal((await fetch(address)).status, 200, address);
  await page.goto(`${url}/docs`);
  await page.locator(".opblock").nth(50).waitFor();
  await page.screenshot({ path: "docs.png" });
}

const email = await invited();
await moved(email, await forgotten(email));
await guarded();
await start();
await browser.close();
assert.deepEqual(complaints, [], "what the browser reported");
console.log(`Pages of links, the start page and the documentation work in Chromium ${browser.version()}.`);

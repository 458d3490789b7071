import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createFileStore, createMemoryStore, type CredentialStore } from "../../../../runtime/auth/client/index.ts";
import { createHeadlessRedirect, createRigClient, startRig, type Rig, type Script } from "./rig.ts";

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** An authorization server whose refresh tokens are good once. */
async function start(script: Script = {}, firstLifetime = 3600): Promise<Rig> {
  let good: string | undefined;
  let count = 0;
  return startRig({
    token(body, form) {
      const presented = form.get("refresh_token");
      if (presented !== null && presented !== good) return { status: 400, body: { error: "invalid_grant" } };
      count += 1;
      good = `refresh-${count}`;
      return { body: { ...body, refresh_token: good, expires_in: count === 1 ? firstLifetime : 3600 } };
    },
    ...script,
  });
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "credentials-"));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe("refreshing tokens", () => {
  test("a token is refreshed when it is rejected, for the same resource (AC-17, AC-29)", async () => {
    const rig = await start();
    const client = createRigClient(rig);
    expect(await client.call()).toBe(200);
    rig.valid.clear();
    expect(await client.call()).toBe(200);
    const [form] = rig.forms("refresh_token");
    expect(form?.get("resource")).toBe(rig.url);
    expect(form?.get("refresh_token")).toBe("refresh-1");
    expect(rig.paths("as").filter((path) => path === "/authorize")).toHaveLength(1);
  });

  test("a token is refreshed before its expiry", async () => {
    const rig = await start({}, 0);
    const client = createRigClient(rig);
    expect(await client.call()).toBe(200);
    expect(await client.call()).toBe(200);
    expect(rig.forms("refresh_token")).toHaveLength(1);
    expect(rig.paths("mcp").filter((path) => path === "/mcp")).toHaveLength(3);
  });

  test("a token is refreshed once, however many requests need it", async () => {
    const rig = await start();
    const client = createRigClient(rig);
    expect(await client.call()).toBe(200);
    rig.valid.clear();
    expect(await Promise.all(Array.from({ length: 8 }, () => client.call()))).toEqual(
      Array.from({ length: 8 }, () => 200),
    );
    expect(rig.forms("refresh_token")).toHaveLength(1);
  });

  test.each(["memory", "file"])("a token is refreshed once, however many clients share a store in %s", async (kind) => {
    const rig = await start();
    const store: CredentialStore =
      kind === "memory" ? createMemoryStore() : createFileStore(join(await makeFolder(), "credentials.json"));
    expect(await createRigClient(rig, { store }).call()).toBe(200);
    rig.valid.clear();
    const clients = Array.from({ length: 4 }, () => createRigClient(rig, { store }));
    expect(await Promise.all(clients.map((client) => client.call()))).toEqual([200, 200, 200, 200]);
    expect(rig.forms("refresh_token")).toHaveLength(1);
    expect(rig.paths("as").filter((path) => path === "/authorize")).toHaveLength(1);
  });

  test("a token is replaced by a sign-in when the refresh is rejected; the old refresh token is removed", async () => {
    const rig = await start({
      token: (body, form) =>
        form.has("refresh_token")
          ? { status: 400, body: { error: "invalid_grant" } }
          : { body: { ...body, refresh_token: "stolen" } },
    });
    const client = createRigClient(rig);
    expect(await client.call()).toBe(200);
    rig.valid.clear();
    expect(await client.call()).toBe(200);
    expect(rig.forms("refresh_token")).toHaveLength(1);
    expect(rig.paths("as").filter((path) => path === "/authorize")).toHaveLength(2);
  });

  test("a client that the authorization server no longer knows is registered again", async () => {
    let known: string | undefined;
    const rig = await start({
      register(body) {
        known = String(body["client_id"]);
        return undefined;
      },
      token: (body, form) =>
        form.get("client_id") === known
          ? { body: { ...body, refresh_token: "refresh" } }
          : { status: 401, body: { error: "invalid_client" } },
    });
    const client = createRigClient(rig);
    expect(await client.call()).toBe(200);
    const first = known;
    // The authorization server has lost its registrations.
    known = undefined;
    rig.valid.clear();
    expect(await client.call()).toBe(200);
    expect(known).not.toBe(first);
    expect(rig.paths("as").filter((path) => path === "/register")).toHaveLength(2);
  });

  test.each([
    ["a sign-in", "authorization_code", "invalid_grant", 1],
    ["a sign-in", "authorization_code", "invalid_client", 2],
    ["a refresh", "refresh_token", "invalid_grant", 1],
    ["a refresh", "refresh_token", "invalid_client", 2],
  ])("a registration is kept after %s (%s) that ends with %s, unless the client is unknown", async (...row) => {
    const [, grant, error, registrations] = row;
    let isRejecting = true;
    const rig = await startRig({
      token(body, form) {
        if (!isRejecting || form.get("grant_type") !== grant) return { body: { ...body, refresh_token: "refresh" } };
        isRejecting = false;
        return { status: 400, body: { error } };
      },
    });
    const client = createRigClient(rig, { pauseAfterFailure: 0 });
    await client.call().catch(() => {});
    rig.valid.clear();
    expect(await client.call()).toBe(200);
    expect(isRejecting).toBe(false);
    expect(rig.paths("as").filter((path) => path === "/register")).toHaveLength(registrations);
  });

  test("a refresh token is kept where the response has no new one", async () => {
    const rig = await start({
      token: (body, form) => ({ body: form.has("refresh_token") ? body : { ...body, refresh_token: "lasting" } }),
    });
    const client = createRigClient(rig);
    for (let round = 0; round < 3; round += 1) {
      expect(await client.call()).toBe(200);
      rig.valid.clear();
    }
    expect(rig.forms("refresh_token").map((form) => form.get("refresh_token"))).toEqual(["lasting", "lasting"]);
  });

  test("a token without a refresh token is not refreshed (AC-29)", async () => {
    const rig = await start({ token: (body) => ({ body }) });
    const client = createRigClient(rig);
    expect(await client.call()).toBe(200);
    rig.valid.clear();
    expect(await client.call()).toBe(200);
    expect(rig.forms("refresh_token")).toEqual([]);
  });
});

describe("stored tokens", () => {
  test("a stored token is found by another client of the same user, and by issuer and resource only (AC-12, AC-28)", async () => {
    const [rig, other] = [await start(), await start()];
    const store = createMemoryStore();
    expect(await createRigClient(rig, { store }).call()).toBe(200);
    expect(await createRigClient(rig, { store }).call()).toBe(200);
    expect(rig.paths("as").filter((path) => path === "/authorize")).toHaveLength(1);
    expect(await createRigClient(other, { store }).call()).toBe(200);
    const [first] = other.seen;
    expect(first?.headers.authorization).toBeUndefined();
  });

  test("a stored token is ignored without its key", async () => {
    const rig = await start({ token: (body) => ({ body: { ...body, token_type: "DPoP" } }), challenge: () => "DPoP" });
    const store = createMemoryStore();
    expect(await createRigClient(rig, { store, dpop: true }).call()).toBe(200);
    const before = rig.seen.length;
    expect(await createRigClient(rig, { store, dpop: true }).call()).toBe(200);
    expect(rig.seen[before]?.headers.authorization).toBeUndefined();
  });

  test("a store is read again after a failure", async () => {
    const rig = await start();
    const store = createMemoryStore();
    expect(await createRigClient(rig, { store }).call()).toBe(200);
    let isLocked = true;
    const get = (key: string) => {
      if (isLocked) throw new Error("The keychain is locked");
      return store.get(key);
    };
    const client = createRigClient(rig, { store: { ...store, get } });
    await expect(client.call()).rejects.toThrow("The keychain is locked");
    isLocked = false;
    expect(await client.call()).toBe(200);
    expect(rig.paths("as").filter((path) => path === "/authorize")).toHaveLength(1);
  });

  test("a sign-out deletes the tokens of a refresh that is running", async () => {
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const rig = await start({
      async first({ form }) {
        if (form.get("grant_type") !== "refresh_token") return undefined;
        begin();
        await finished;
        return undefined;
      },
    });
    const store = createMemoryStore();
    const visited = createHeadlessRedirect();
    const redirect = { open: visited.open };
    const client = createRigClient(rig, { store, code: { redirect } });
    expect(await client.call()).toBe(200);
    rig.valid.clear();
    // The user does not sign in again.
    redirect.open = () => Promise.reject(new Error("No user"));
    const calling = client.call().catch((error: unknown) => error);
    await begun;
    const leaving = client.provider.signOut();
    finish();
    await leaving;
    await calling;
    expect(rig.forms("refresh_token")).toHaveLength(1);
    expect(await store.get(JSON.stringify(["tokens", rig.issuer, rig.url]))).toBeUndefined();
  });

  test("the end of a session prompts no user", async () => {
    const rig = await start();
    const { provider } = createRigClient(rig);
    const request = { url: new URL(rig.url), method: "DELETE", headers: {} };
    expect(await provider.review({ status: 401, headers: new Headers() }, request)).toBe("accept");
    expect(rig.seen).toEqual([]);
  });

  test("a stored token is removed at sign-out", async () => {
    const rig = await start();
    const store = createMemoryStore();
    const client = createRigClient(rig, { store });
    expect(await client.call()).toBe(200);
    await client.provider.signOut();
    const before = rig.seen.length;
    expect(await createRigClient(rig, { store }).call()).toBe(200);
    expect(rig.seen[before]?.headers.authorization).toBeUndefined();
  });

  test("a sign-out forgets the scopes of tokens that could no longer be refreshed", async () => {
    let scope = ' scope="files"';
    const ended = { status: 400, body: { error: "invalid_grant" } };
    const rig = await start({
      challenge: () => `Bearer${scope}`,
      first: ({ form }) => (form.get("grant_type") === "refresh_token" ? ended : undefined),
    });
    const visited = createHeadlessRedirect();
    const redirect = { open: visited.open };
    const client = createRigClient(rig, { code: { redirect } });
    expect(await client.call()).toBe(200);
    scope = "";
    rig.valid.clear();
    redirect.open = () => Promise.reject(new Error("No user"));
    await expect(client.call()).rejects.toThrow("No user");
    await client.provider.signOut();
    redirect.open = visited.open;
    expect(await client.call()).toBe(200);
    const signIns = rig.seen.filter(({ path }) => path === "/authorize");
    expect(signIns.map(({ query }) => query.get("scope"))).toEqual(["files", null]);
  });

  test("a sign-out deletes the issuer of the server, and tokens of that issuer although they are damaged", async () => {
    const rig = await start();
    const memory = createMemoryStore();
    const [issuer, tokens] = [JSON.stringify(["issuer", rig.url]), JSON.stringify(["tokens", rig.issuer, rig.url])];
    const read: string[] = [];
    const deleted: string[] = [];
    const store: CredentialStore = {
      ...memory,
      get: (key) => (read.push(key), memory.get(key)),
      delete: (key) => (deleted.push(key), memory.delete(key)),
    };
    await createRigClient(rig, { store }).provider.signOut();
    expect([new Set(read), deleted.splice(0)]).toEqual([new Set([issuer]), [issuer]]);
    await memory.set(issuer, rig.issuer);
    await memory.set(tokens, "{");
    await createRigClient(rig, { store }).provider.signOut();
    expect(deleted).toEqual([tokens, issuer]);
  });

  describe("revocation at sign-out", () => {
    const signOut = async (revoke: Script["revoke"], redirected = false) => {
      const first: Script["first"] = ({ path }, { issuer }) =>
        redirected && path === "/revoke" ? { status: 307, headers: { location: `${issuer}/elsewhere` } } : undefined;
      const rig = await start({ ...(revoke && { revoke }), first });
      const store = createMemoryStore();
      const client = createRigClient(rig, { store });
      expect(await client.call()).toBe(200);
      const token = rig.seen.at(-1)?.headers.authorization?.split(" ")[1];
      const outcome: unknown = await client.provider.signOut().catch((error: unknown) => error);
      const forms = rig.seen.filter(({ path }) => path === "/revoke").map(({ form }) => Object.fromEntries(form));
      const stored = await store.get(JSON.stringify(["tokens", rig.issuer, rig.url]));
      return { rig, client, token, outcome, forms, stored };
    };

    test("a sign-out revokes the refresh token first, by the client that it was issued to (RFC 7009)", async () => {
      const { rig, token, outcome, forms, stored } = await signOut(() => undefined);
      const { client_id } = Object.fromEntries(rig.find("/token").form);
      expect(outcome).toBeUndefined();
      expect(forms).toEqual([
        { client_id, token: "refresh-1", token_type_hint: "refresh_token" },
        { client_id, token, token_type_hint: "access_token" },
      ]);
      expect(stored).toBeUndefined();
    });

    test("a sign-out revokes the token of a client that has just started", async () => {
      const rig = await start({ revoke: () => undefined });
      const store = createMemoryStore();
      expect(await createRigClient(rig, { store }).call()).toBe(200);
      await createRigClient(rig, { store }).provider.signOut();
      expect(rig.paths("as").filter((path) => path === "/revoke")).toHaveLength(2);
    });

    test("a sign-out does not revoke a token that is no stored one", async () => {
      const said = { status: 400, body: { error: "unsupported_token_type" } };
      const { outcome } = await signOut((form) => (form.get("token_type_hint") === "access_token" ? said : undefined));
      expect(outcome).toBeUndefined();
    });

    test("a sign-out revokes nothing where there is no endpoint", async () => {
      const { forms, outcome } = await signOut(undefined);
      expect([forms, outcome]).toEqual([[], undefined]);
    });

    test.each([
      ["fails with 503", false, "network"],
      ["is sent elsewhere", true, "unsafe-url"],
    ])(
      "a sign-out reports that %s; the token is removed all the same, and in no error",
      async (_how, redirected, code) => {
        const said = (form: URLSearchParams) => ({
          status: 503,
          body: { error: "server_error", error_description: `not ${form.get("token")}` },
        });
        const { outcome, stored, client } = await signOut(said, redirected);
        expect(outcome).toMatchObject({ name: "AuthError", code });
        expect(stored).toBeUndefined();
        const told = `${String(outcome)} ${JSON.stringify(outcome)} ${JSON.stringify(client.steps)}`;
        expect(told).not.toMatch(/refresh-1|access-/);
      },
    );
  });

  test.each(["", "{", "[]", '{"accessToken":7}', '{"issuer":"x","accessToken":"y"}'])(
    "a stored token that reads %j is ignored",
    async (text) => {
      const rig = await start();
      const store = createMemoryStore();
      expect(await createRigClient(rig, { store }).call()).toBe(200);
      await store.set(JSON.stringify(["tokens", rig.issuer, rig.url]), text);
      expect(await createRigClient(rig, { store }).call()).toBe(200);
      expect(rig.paths("as").filter((path) => path === "/authorize")).toHaveLength(2);
    },
  );
});

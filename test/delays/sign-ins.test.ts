import { describe, expect, test } from "vitest";
import type { Declarations } from "../../generated/2026-07-28/index.ts";
import { revisions } from "../../generated/revisions.ts";
import { createMemoryStore, type CredentialStore } from "../../runtime/auth/client/index.ts";
import { storeKeys } from "../../runtime/auth/client/tokens/store.ts";
import { decodeTokens } from "../../runtime/auth/client/tokens/tokens.ts";
import { forRevisions } from "../../runtime/server/for-revisions.ts";
import { createHttpClientTransport } from "../../runtime/transport/http-client/http-client.ts";
import {
  createHeadlessRedirect,
  createLocalRig,
  createRigClient,
  type Rig as AuthRig,
  type RigClient,
} from "../runtime/auth/client/rig.ts";
import { CountedClock, fetchFrom, openHttp, type Fetch, type Route, type Sessions } from "./connections.ts";
import { delayed, passTurns } from "./delays.ts";
import { interruptEachStep, waitFor } from "./each-step.ts";

/* What happens while a client obtains a token: at each of its steps. */

/** A client, its server and its authorization server. The requests of both, and the store of the client, are delayed. */
interface Rig {
  readonly servers: AuthRig;
  readonly fetch: Fetch;
  readonly client: RigClient;
  /** Another client of the same user. */
  readonly other: RigClient;
  readonly stored: CredentialStore;
  readonly controller: AbortController;
}

/** Creates clients of an authorization server whose refresh tokens are valid once. */
function createSignInRig(lifetime = 3600): Rig {
  let valid: string | undefined;
  let count = 0;
  const servers = createLocalRig({
    token(body, form) {
      const presented = form.get("refresh_token");
      if (presented !== null && presented !== valid) return { status: 400, body: { error: "invalid_grant" } };
      count += 1;
      valid = `refresh-${count}`;
      return { body: { ...body, refresh_token: valid, expires_in: count === 1 ? lifetime : 3600 } };
    },
  });
  const fetch = fetchFrom(servers);
  const stored = createMemoryStore();
  const store = delayed(stored);
  const create = (): RigClient =>
    createRigClient(servers, { store, fetch, code: { redirect: createHeadlessRedirect(undefined, fetch) } });
  return { servers, fetch, client: create(), other: create(), stored, controller: new AbortController() };
}

/** Prepares a client without a valid token: each kind in another way. */
const kinds: Readonly<Record<string, () => Promise<Rig>>> = {
  "first token": async () => createSignInRig(),
  "refresh of a rejected token": async () => {
    const rig = createSignInRig();
    await signIn(rig);
    rig.servers.valid.clear();
    return rig;
  },
  "refresh before the expiry": async () => {
    const rig = createSignInRig(0);
    await signIn(rig);
    return rig;
  },
};

const refreshes = Object.keys(kinds).slice(1);

async function signIn({ client, other }: Rig): Promise<void> {
  await client.provider.signIn();
  await other.provider.signIn();
}

/** Checks that tokens are stored completely or not at all. Returns what the user and the authorization server had to do. */
async function checkStored({ servers, stored }: Rig): Promise<object> {
  await passTurns(50);
  const issuer = await stored.get(storeKeys.issuer(servers.url));
  const tokens = decodeTokens((await stored.get(storeKeys.tokens(servers.issuer, servers.url))) ?? "");
  expect(issuer).toBe(tokens?.issuer);
  const count = (path: string): number => servers.paths("as").filter((one) => one === path).length;
  const { length } = servers.forms("refresh_token");
  return { registrations: count("/register"), visits: count("/authorize"), refreshes: length };
}

/** Checks that tokens are stored, and that everything was done once. */
async function checkOnce(rig: Rig, kind: string): Promise<void> {
  expect(await rig.client.call()).toBe(200);
  const counts = { registrations: 1, visits: 1, refreshes: refreshes.includes(kind) ? 1 : 0 };
  expect(await checkStored(rig)).toEqual(counts);
  expect(await createRigClient(rig.servers, { store: rig.stored, fetch: rig.fetch }).call()).toBe(200);
  expect(await checkStored(rig)).toEqual(counts);
}

describe.each(Object.keys(kinds))("a sign-in for a %s", (kind) => {
  const open = kinds[kind] ?? expect.unreachable();

  test("a sign-in whose call is cancelled at any step is used by the next call", async () => {
    const steps = await interruptEachStep({
      open,
      run: ({ client, controller, servers }) => client.call(servers.url, controller.signal),
      interrupt: ({ controller }) => controller.abort(new Error("the user")),
      async check(rig, outcome) {
        if (outcome.status === "fulfilled") expect(outcome.value).toBe(200);
        else expect(outcome.reason).toMatchObject({ message: "the user" });
        await checkOnce(rig, kind);
      },
    });
    expect(steps).toBeGreaterThan(10);
  });

  test("a sign-in happens once when another call begins at any step", async () => {
    await interruptEachStep({
      open,
      run: ({ client }) => client.call(),
      interrupt: async ({ client }) => expect(await client.call()).toBe(200),
      async check(rig, outcome) {
        expect(outcome).toEqual({ status: "fulfilled", value: 200 });
        await checkOnce(rig, kind);
      },
    });
  });

  test("a sign-in leaves complete tokens when the user signs out at any step", async () => {
    await interruptEachStep({
      open,
      run: ({ client }) => client.call(),
      interrupt: ({ client }) => client.provider.signOut(),
      async check(rig, outcome) {
        expect([200, 401]).toContain(outcome.status === "fulfilled" ? outcome.value : outcome.reason);
        await checkStored(rig);
        expect(await rig.client.call()).toBe(200);
        await checkStored(rig);
        expect(await rig.other.call()).toBe(200);
      },
    });
  });

  test("a sign-in leaves complete tokens when another client of the user signs in at any step", async () => {
    await interruptEachStep({
      open,
      run: ({ client }) => client.call(),
      interrupt: async ({ other }) => expect(await other.call()).toBe(200),
      async check(rig, outcome) {
        expect(outcome).toEqual({ status: "fulfilled", value: 200 });
        if (refreshes.includes(kind)) await checkOnce(rig, kind);
        expect(await rig.client.call()).toBe(200);
        await checkStored(rig);
      },
    });
  });
});

describe("the start of a session with a sign-in", () => {
  const { defineServer, defineTool } = forRevisions<Declarations>(revisions);
  const server = defineServer({
    name: "server",
    version: "1",
    tools: [defineTool({ name: "plain", execute: async () => "done" })],
  });

  interface SessionRig extends Rig {
    readonly route: Route;
    readonly session: Sessions;
    readonly clock: CountedClock;
  }

  const open = async (): Promise<SessionRig> => {
    const rig = createSignInRig();
    const clock = new CountedClock();
    const route = openHttp(server, clock, "handshake", (accept) => {
      const { url } = rig.servers;
      const fetch: Fetch = async (input, init) => {
        const response = await rig.fetch(input, init);
        return response.ok ? accept(input, init) : response;
      };
      return createHttpClientTransport(url, { fetch, auth: rig.client.provider });
    });
    return { ...rig, route, session: route.createClient(), clock };
  };

  test("the start of a session that is cancelled during its sign-in fails with the reason, and the next one works", async () => {
    const steps = await interruptEachStep({
      open,
      run: ({ session, controller }) => session.connect(controller.signal),
      interrupt: ({ controller }) => controller.abort(new Error("the user")),
      async check(rig, outcome) {
        if (outcome.status === "fulfilled") await outcome.value.close();
        else expect(outcome.reason).toMatchObject({ message: "the user" });
        const next = await rig.session.connect();
        await next.listTools();
        await next.close();
        await checkOnce(rig, "first token");
        await waitFor(() => rig.route.sessions, { live: 0, stored: 0 });
        await rig.route.close();
        await waitFor(() => rig.clock.active, 0);
      },
    });
    expect(steps).toBeGreaterThan(20);
  });
});

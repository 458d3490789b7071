import { afterEach, describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../generated/support.ts";
import {
  authorizationCode,
  clientCredentials,
  createMemoryStore,
  createOAuthProvider,
  type OAuthOptions,
  type OAuthProvider,
} from "../../../runtime/auth/client/index.ts";
import type { ClientConnection } from "../../../runtime/client/connect.ts";
import { connectHttp } from "../../../runtime/client/connect-http.ts";
import { connectClient } from "../../../runtime/client/create-client.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { createBrowser } from "./server/browser.ts";
import {
  services,
  startProtectedServer,
  type ProtectedServer,
  type ProtectedServerOptions,
} from "./server/protected-server.ts";

/* A client, a server and an authorization server that is neither's: all three on loopback. */

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(options: ProtectedServerOptions = {}): Promise<ProtectedServer> {
  const protectedServer = await startProtectedServer(options);
  ends.push(() => protectedServer.close());
  return protectedServer;
}

function createUser(
  protectedServer: ProtectedServer,
  options: Partial<OAuthOptions> = {},
): OAuthProvider & { readonly visits: URL[] } {
  const redirect = createBrowser("http://127.0.0.1:33418/callback");
  const grant = authorizationCode({ redirect, client: { name: "both-ends" } });
  return Object.assign(createOAuthProvider(protectedServer.resource, { grant, ...options }), {
    visits: redirect.visits,
  });
}

async function connect(
  protectedServer: ProtectedServer,
  auth: OAuthProvider,
  spoken: readonly Revision[] = revisions,
): Promise<ClientConnection> {
  const client = await connectHttp(protectedServer.resource, {
    auth,
    info: { name: "c", version: "1" },
    revisions: spoken,
  });
  ends.push(() => client.close());
  return client;
}

/** Returns the result of a tool as text. */
async function callTool(client: ClientConnection, name: string): Promise<string> {
  const result = await client.request("tools/call", { name });
  const [block]: readonly unknown[] = isObject(result) && Array.isArray(result.content) ? result.content : [];
  return isObject(block) ? String(block.text) : "";
}

describe("the sign-in of a user at a foreign authorization server", () => {
  test.each(revisions.map((revision) => [revision.id, revision] as const))(
    "a user signs in with a session or request of %s",
    async (_id, revision) => {
      const protectedServer = await start();
      const client = await connect(protectedServer, createUser(protectedServer), [revision]);
      expect(await callTool(client, "who")).toContain("alice");
    },
  );

  test("a user signs in once, and again for more scopes (AC-22, AC-23)", async () => {
    const protectedServer = await start();
    const user = createUser(protectedServer);
    const client = await connect(protectedServer, user);
    expect(await callTool(client, "who")).toContain("alice");
    expect(user.visits).toHaveLength(1);
    expect(await callTool(client, "write")).toBe("written");
    expect(await callTool(client, "write")).toBe("written");
    expect(user.visits).toHaveLength(2);
    const scopes = user.visits.map((url) => url.searchParams.get("scope")?.split(" "));
    expect(scopes[1]).toEqual(expect.arrayContaining([...(scopes[0] ?? []), "files:write"]));
  });

  test("a user stays signed in by a refresh token for single use", async () => {
    const protectedServer = await start();
    const store = createMemoryStore();
    const user = createUser(protectedServer, { store });
    expect(await callTool(await connect(protectedServer, user), "who")).toContain("alice");
    const key = JSON.stringify(["tokens", protectedServer.issuer, protectedServer.resource]);
    const before = JSON.parse((await store.get(key)) ?? "{}");
    expect(before.refreshToken).toEqual(expect.any(String));
    await store.set(key, JSON.stringify({ ...before, accessToken: "spoiled" }));
    const again = createUser(protectedServer, { store });
    expect(await callTool(await connect(protectedServer, again), "who")).toContain("alice");
    expect(again.visits).toEqual([]);
    expect(JSON.parse((await store.get(key)) ?? "{}").refreshToken).not.toBe(before.refreshToken);
  });

  test("a user signs in with a key-bound token, proven at every request (AX-D1, AX-D2)", async () => {
    const protectedServer = await start();
    const client = await connect(protectedServer, createUser(protectedServer, { dpop: true }));
    expect(await callTool(client, "who")).toContain("alice");
    expect(await callTool(client, "write")).toBe("written");
  });

  test("a user signs in with a nonce in each proof, where the server requires it (AX-D3)", async () => {
    const protectedServer = await start({ dpop: { nonces: true } });
    const client = await connect(protectedServer, createUser(protectedServer, { dpop: true }));
    expect(await callTool(client, "who")).toContain("alice");
  });
});

describe("the sign-in of a program", () => {
  const createRobot = (protectedServer: ProtectedServer, clientSecret: string): OAuthProvider =>
    createOAuthProvider(protectedServer.resource, {
      grant: clientCredentials({ registered: [{ issuer: protectedServer.issuer, clientId: "robot", clientSecret }] }),
    });

  test("a program signs in with its secret (AX-C1)", async () => {
    const protectedServer = await start();
    expect(
      await callTool(await connect(protectedServer, createRobot(protectedServer, services.robot)), "who"),
    ).toContain("robot");
  });

  test("a program with a wrong secret is rejected, and no error contains the secret", async () => {
    const protectedServer = await start();
    const error: unknown = await connect(protectedServer, createRobot(protectedServer, "wrong-secret")).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ name: "AuthError", code: "token-refused", reason: "invalid_client" });
    expect(`${String(error)} ${protectedServer.log.join(" ")}`).not.toContain("wrong-secret");
  });
});

test.each(["2026-07-28", "2025-11-25"])(
  "a client of %s that listens continues with a newer token when its stream ends with the old one",
  async (id) => {
    const tools = [{ name: "first", execute: () => "" }];
    const server = createServer({ name: "s", version: "1", listChanged: ["tools"], tools }, revisions);
    let streams = 0;
    const listener = await serveHttp(server, {
      retry: 10,
      authenticate(head) {
        const until = Number(head.header("authorization")?.slice("Bearer ".length));
        if (head.method === "GET" || head.header("mcp-method") === "subscriptions/listen") streams += 1;
        return until > Date.now() ? { principal: "alice", until } : { status: 401 };
      },
    });
    ends.push(() => listener.close());
    const auth = { authorize: () => ({ Authorization: `Bearer ${Date.now() + 1_000}` }) };
    const received: string[] = [];
    const client = await connectClient((options) => connectHttp(listener.url, { ...options, auth }), {
      info: { name: "c", version: "1" },
      revisions: revisions.filter((revision) => revision.id === id),
      onListChanged: (list) => received.push(list),
    });
    ends.push(() => client.close());
    await expect.poll(() => streams).toBeGreaterThan(1);
    received.length = 0;
    let count = 0;
    const receive = (): readonly string[] => {
      server.tools.add({ name: `more-${(count += 1)}`, execute: () => "" });
      return received;
    };
    await expect.poll(receive).toContain("tools");
  },
);

test("tokens of one server are rejected by another", async () => {
  const [one, other] = [await start(), await start()];
  const client = connectHttp(other.resource, { auth: createUser(one), info: { name: "c", version: "1" }, revisions });
  await expect(client).rejects.toMatchObject({ name: "AuthError", code: "wrong-target" });
  expect(other.denied).toEqual([]);
});

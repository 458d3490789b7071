import dns from "node:dns";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { getDefaultAutoSelectFamily, isIP, setDefaultAutoSelectFamily } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAuthClient } from "../../../../tools/check/auth/auth-client.ts";
import { clientCredentials } from "../../../../runtime/auth/client/index.ts";
import { createPinnedFetch } from "../../../../runtime/auth/client/network/pinned-fetch.ts";
import { HttpRequester } from "../../../../runtime/auth/client/network/requester.ts";
import { createUrlRules } from "../../../../runtime/auth/client/network/url-rules.ts";
import { createOAuthProvider } from "../../../../runtime/auth/client/provider.ts";
import { createServerCardReader } from "../../../../runtime/server-card/client/card-reader.ts";

/* Every address of a name is checked, and the connection uses a checked one. Names resolve to what a test says. */

/** Addresses of names, one list for each lookup; the last one stays. */
const names = new Map<string, readonly (readonly string[])[]>();
const lookups: string[] = [];
const { lookup } = dns;
const familyChoice = getDefaultAutoSelectFamily();

let server: Server;
let port = 0;
let paths: string[] = [];
let listener: RequestListener;

function findAddresses(host: string): readonly dns.LookupAddress[] {
  const lists = names.get(host) ?? [[]];
  const count = lookups.filter((name) => name === host).length;
  const list = lists[Math.min(count, lists.length) - 1] ?? [];
  return list.map((address) => ({ address, family: isIP(address) }));
}

beforeEach(async () => {
  const resolve = (
    host: string,
    options: dns.LookupOptions,
    done: (error: Error | null, ...found: unknown[]) => void,
  ) => {
    lookups.push(host);
    const found = findAddresses(host);
    const [first] = found;
    if (!first) setImmediate(done, new Error(`${host} has no address`));
    else if (options.all) setImmediate(done, null, found);
    else setImmediate(done, null, first.address, first.family);
  };
  listener = (_request, response) => response.end("document");
  server = createServer((request, response) => {
    paths.push(`${request.headers.host}${request.url}`);
    listener(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  port = typeof address === "object" && address ? address.port : 0;
  Object.assign(dns, { lookup: resolve });
  syncBuiltinESMExports();
});

afterEach(async () => {
  Object.assign(dns, { lookup });
  syncBuiltinESMExports();
  setDefaultAutoSelectFamily(familyChoice);
  names.clear();
  lookups.length = 0;
  paths = [];
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const at = (host: string, path = "/"): URL => new URL(`http://${host}:${port}${path}`);

/** Requester of a server on this machine: it may reach this machine and the public internet. */
function createRequester(): HttpRequester {
  const rules = createUrlRules(new URL("http://localhost/"));
  const fetch = createPinnedFetch((address, host) => rules.checkAddress(address, host));
  return new HttpRequester({ fetch, rules, timeout: 60_000, maxBytes: 1_000 });
}

const request = (url: URL): Promise<unknown> => createRequester().request(url, { what: "document", method: "GET" });

const unsafe = expect.objectContaining({ code: "unsafe-url" });

const forbidden = [
  ["a private address", "10.0.0.1"],
  ["an address of a carrier", "100.64.0.1"],
  ["an address of metadata", "169.254.169.254"],
  ["the unspecified address", "0.0.0.0"],
  ["a broadcast address", "255.255.255.255"],
  ["a private IPv6 address", "fd00::1"],
  ["a link-local IPv6 address", "fe80::1"],
  ["a link-local IPv6 address with a zone", "fe80::1%1"],
  ["the unspecified IPv6 address", "::"],
  ["a mapped private address", "::ffff:10.0.0.1"],
  ["a mapped private address in hexadecimal", "::ffff:a00:1"],
  ["a mapped unspecified address", "::ffff:0.0.0.0"],
  ["a translated private address", "64:ff9b::a00:1"],
  ["a translated private address of a network", "64:ff9b:1::a00:1"],
  ["a tunnelled private address", "2002:a00:1::"],
] as const;

const places = ["first", "middle", "last", "only"] as const;

function place(address: string, where: (typeof places)[number]): readonly string[] {
  if (where === "only") return [address];
  const others = ["127.0.0.1", "127.0.0.2"];
  others.splice(places.indexOf(where), 0, address);
  return others;
}

describe.each([true, false])("a name, with the choice of a family %s", (choice) => {
  beforeEach(() => setDefaultAutoSelectFamily(choice));

  test.each(forbidden.flatMap((row) => places.map((where) => [...row, where] as const)))(
    "a name with %s, %s, as the %s one is not connected to",
    async (_, address, where) => {
      names.set("x.localhost", [place(address, where)]);
      await expect(request(at("x.localhost"))).rejects.toEqual(unsafe);
      expect([lookups, paths]).toEqual([["x.localhost"], []]);
    },
  );

  test("a name with allowed addresses only is connected to", async () => {
    names.set("x.localhost", [["127.0.0.1", "::1", "::ffff:127.0.0.1"]]);
    await expect(request(at("x.localhost"))).resolves.toMatchObject({ text: "document" });
    expect(lookups).toEqual(["x.localhost"]);
  });

  test("a name without an address is not connected to", async () => {
    await expect(request(at("x.localhost"))).rejects.toThrow("x.localhost has no address");
  });

  test("a name that resolves to another address after the check is connected to at the checked one", async () => {
    names.set("x.localhost", [["127.0.0.1"], ["10.0.0.1"]]);
    await expect(request(at("x.localhost"))).resolves.toMatchObject({ text: "document" });
    expect(lookups).toHaveLength(1);
    // The next connection looks the name up again, and checks what it finds.
    await expect(request(at("x.localhost"))).rejects.toEqual(unsafe);
    expect(paths).toHaveLength(1);
  });

  test.each(["10.0.0.1", "169.254.169.254", "::ffff:10.0.0.1"])(
    "a name to which a redirect leads is not connected to at %s",
    async (address) => {
      names.set("x.localhost", [["127.0.0.1"]]);
      names.set("y.localhost", [["127.0.0.1", address]]);
      listener = (_request, response) => response.writeHead(302, { location: at("y.localhost", "/next").href }).end();
      await expect(request(at("x.localhost"))).rejects.toEqual(unsafe);
      expect([lookups, paths]).toEqual([["x.localhost", "y.localhost"], [`x.localhost:${port}/`]]);
    },
  );

  test("a name to which a redirect leads back is checked again", async () => {
    names.set("x.localhost", [["127.0.0.1"], ["10.0.0.1"]]);
    listener = (_request, response) => response.writeHead(302, { location: "/next" }).end();
    await expect(request(at("x.localhost"))).rejects.toEqual(unsafe);
    expect(paths).toEqual([`x.localhost:${port}/`]);
  });
});

/** Signs in at a server whose document names an authorization server. */
async function signIn(issuer: URL): Promise<void> {
  names.set("localhost", [["127.0.0.1"]]);
  listener = (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ resource: at("localhost", "/mcp"), authorization_servers: [issuer] }));
  };
  const grant = clientCredentials({ registered: [{ issuer: issuer.origin, clientId: "c", clientSecret: "s" }] });
  await createOAuthProvider(at("localhost", "/mcp"), { grant }).signIn();
}

/** All users of addresses in documents: each call gets a name of this machine, which leads elsewhere. */
const users: readonly (readonly [name: string, fetch: (url: URL) => Promise<unknown>])[] = [
  ["a reader of server cards", (url) => createServerCardReader().readCard(url)],
  ["a client that signs in", signIn],
  [
    "the examination of authorization",
    async (url) => {
      names.set("localhost", [["127.0.0.1"]]);
      const client = await createAuthClient({ url: at("localhost"), headers: {}, timeout: 60_000 });
      const found = await client.fetchDocument(url, "document");
      throw new Error(found.kind === "failed" ? found.reason : "fetched");
    },
  ],
];

describe.each(users)("%s", (_, fetch) => {
  test.each(["10.0.0.1", "169.254.169.254", "::"])(
    "a name with an address outside, %s, is not connected to",
    async (address) => {
      names.set("y.localhost", [["127.0.0.1", address]]);
      await expect(fetch(at("y.localhost", "/document"))).rejects.toThrow("is not allowed");
      expect(paths.filter((path) => path.startsWith("y."))).toEqual([]);
    },
  );
});

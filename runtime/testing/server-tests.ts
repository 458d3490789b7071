import type { OpenTestLink, TestLink } from "./links/link.ts";
import { TestClient, type TestClientOptions, type TestRevision } from "./test-client.ts";

/** Options of {@link createServerTests}. */
export interface ServerTestsOptions {
  /** Revisions of the server: `revisions` of a project. */
  readonly revisions: readonly TestRevision[];
  /** Functions for connecting to the server, by transport. */
  readonly links: Readonly<Record<string, OpenTestLink>>;
  /** Revisions of a transport. Default: all. */
  readonly only?: Readonly<Record<string, readonly string[]>>;
  /** Capabilities declared by all clients. Default: none. */
  readonly capabilities?: object;
}

/** A transport, and a revision served over it. */
export interface ServerTestCase {
  readonly over: string;
  readonly open: OpenTestLink;
  readonly revision: string;
}

/** Clients of a server for tests. */
export interface ServerTests {
  /** Identifiers of the revisions. */
  readonly revisions: readonly string[];
  /** Every transport of the server, at every revision with it. */
  readonly cases: readonly ServerTestCase[];
  /** A client of the server over a connection of its own. */
  readonly Client: new (link: TestLink, options?: TestClientOptions) => TestClient;
  /** Returns the client of a case. All tests share it, and its server. */
  connect(one: ServerTestCase): Promise<TestClient>;
  /** Ends the shared clients and their servers. Another exit code than 0 is reported on stderr. */
  close(): Promise<void>;
}

/**
 * Creates clients for tests of a built server: one for each transport and revision.
 *
 * @example
 * ```ts
 * import { createServerTests, openStdio } from "mcp-server-runtime/testing";
 * import { revisions } from "mcp-server-runtime/revisions";
 *
 * const links = { stdio: () => openStdio({ path: "dist/server.js" }) };
 * const { cases, connect, close } = createServerTests({ revisions, links });
 * for (const each of cases) console.log(each.revision, await (await connect(each)).ask("tools/list"));
 * await close();
 * ```
 */
export function createServerTests({ revisions, links, only = {}, capabilities = {} }: ServerTestsOptions): ServerTests {
  const ids = revisions.map(({ id }) => id);
  const cases = Object.entries(links).flatMap(([over, open]) =>
    ids.filter((id) => only[over]?.includes(id) ?? true).map((revision) => ({ over, open, revision })),
  );
  class Client extends TestClient {
    constructor(link: TestLink, options: TestClientOptions = {}) {
      super(link, revisions, { ...options, capabilities: { ...capabilities, ...options.capabilities } });
    }
  }
  const clients = new Map<string, Promise<TestClient>>();
  return {
    revisions: ids,
    cases,
    Client,
    connect({ over, open, revision }) {
      const name = `${revision} over ${over}`;
      const client = clients.get(name) ?? open(revision).then((link) => openClient(new Client(link), revision));
      clients.set(name, client);
      return client;
    },
    async close() {
      for (const [name, client] of clients) {
        const code = await client.then((opened) => opened.end()).catch(String);
        if (code !== 0) console.error(`The server for ${name} did not end with code 0: ${code}`);
      }
    },
  };
}

async function openClient(client: TestClient, revision: string): Promise<TestClient> {
  await client.open(revision);
  return client;
}

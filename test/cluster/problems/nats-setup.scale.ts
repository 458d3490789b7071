import { describe, expect, onTestFinished, test } from "vitest";
import { createNatsEngine, type NatsEngineOptions } from "../../../cluster/nats/index.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import { startNats, type NatsOptions, type NatsProcess } from "../processes/nats-process.ts";
import { findPort } from "../processes/processes.ts";
import { readProblems, readSetupError } from "./expect-setup-error.ts";
import { createCertificate, startHttpServer, startSilentServer, startTextProxy } from "./strange-servers.ts";

/*
 * NATS that cannot be used, or that keeps less than it should: each start ends with an error that says what to do.
 */

const password = "canary-password";

const jetstream = 'jetstream { store_dir: "$FOLDER" }';

async function startServer(options?: NatsOptions): Promise<NatsProcess> {
  const nats = await startNats(options);
  onTestFinished(() => nats.close());
  return nats;
}

function create(servers: string, options: Partial<NatsEngineOptions> = {}): Engine {
  return createNatsEngine({ servers, keys: [new Uint8Array(32).fill(7)], prefix: "shop", timeout: 500, ...options });
}

const open = (...args: Parameters<typeof create>): Promise<readonly string[]> => readProblems(create(...args));

const fail = (...args: Parameters<typeof create>): Promise<string> => readSetupError(create(...args), password);

describe("NATS that cannot be reached", () => {
  test("nothing listens at the address", async () => {
    const port = await findPort();
    const expected = `NATS at 127.0.0.1:${port} cannot be reached; check its address and that it is running`;
    expect(await fail(`nats://127.0.0.1:${port}`)).toBe(expected);
    expect(await fail(`nats://app:${password}@127.0.0.1:${port}`)).toBe(expected);
  });

  test("the server accepts the connection and never responds", async () => {
    expect(await fail(`nats://127.0.0.1:${await startSilentServer()}`)).toMatch(/ cannot be reached; /);
  });

  test("the server speaks HTTP", async () => {
    expect(await fail(`nats://127.0.0.1:${await startHttpServer()}`)).toMatch(/ cannot be reached; /);
  });

  test("the certificate of the server is not trusted", async () => {
    const { key, certificate } = await createCertificate();
    const tls = `tls { cert_file: "${certificate}", key_file: "${key}" }`;
    const { url } = await startServer({ config: `${jetstream}\n${tls}` });
    expect(await fail(url)).toMatch(/ has no trusted certificate; /);
    expect(await open(url, { tls: { caFile: certificate } })).toHaveLength(1);
  });
});

test("a prefix may have dots", async () => {
  const { url } = await startServer();
  const engine = create(url, { prefix: "com.example.shop" });
  onTestFinished(() => engine.close());
  await engine.open();
  const revocation = { key: "ada", until: Date.now() + 600_000 };
  await engine.revocations?.add(revocation);
  expect(await engine.revocations?.list()).toEqual([revocation]);
});

describe("NATS that rejects the account", () => {
  const account = `${jetstream}\nauthorization { user: "app", password: "${password}" }`;

  test.each([
    ["the password is wrong", { user: "app", password: "wrong" }],
    ["the user is unknown", { user: "nobody", password }],
    ["the password is missing", {}],
  ])("%s", async (_, credentials) => {
    const { url } = await startServer({ config: account });
    expect(await fail(url, credentials)).toMatch(/ rejects the credentials; check user name and password$/);
  });

  test("the password is right", async () => {
    const { url } = await startServer({ config: account });
    expect(await open(url, { user: "app", password })).toHaveLength(1);
  });

  test.each([
    ["publish to the API of JetStream", '["shop.>", "_INBOX.>"]', '[">"]'],
    ["publish to the subjects of the application", '["$JS.API.>", "_INBOX.>"]', '[">"]'],
    ["subscribe to the subjects of the application", '[">"]', '["_INBOX.>"]'],
  ])("the account may not %s", async (_, publish, subscribe) => {
    const permissions = `permissions: { publish: ${publish}, subscribe: ${subscribe} }`;
    const users = `authorization { users: [ { user: "app", password: "${password}", ${permissions} } ] }`;
    const { url } = await startServer({ config: `${jetstream}\n${users}` });
    expect(await fail(url, { user: "app", password })).toMatch(
      / denies a subject; permit shop-v1.>, \$JS.API.> and _INBOX.>$/,
    );
  });
});

describe("NATS that is the wrong one", () => {
  test("it has no JetStream", async () => {
    const { url } = await startServer({ config: "max_connections: 100" });
    expect(await fail(url)).toMatch(/ has no JetStream; start the server with --jetstream$/);
  });

  test("its version is too old", async () => {
    const { url } = await startServer();
    const pattern = /"version":"2\.\d+/;
    const port = await startTextProxy({ port: Number(new URL(url).port), pattern, replacement: '"version":"2.8' });
    expect(await fail(`nats://127.0.0.1:${port}`)).toMatch(/^NATS 2.8[.\d]* is not supported; use NATS 2.9 or newer$/);
  });

  test("it has fewer servers than copies", async () => {
    const { url } = await startServer();
    expect(await fail(url, { replicas: 3 })).toMatch(/ keeps fewer than 3 copies; /);
  });

  test("its account has a limit, beyond which this version removes data: reported", async () => {
    const account = 'accounts { SHOP { users: [ { user: "app", password: "word" } ], jetstream: { max_file: 10MB } } }';
    const { url } = await startServer({ config: `${jetstream}\n${account}` });
    const pattern = /"version":"2\.\d+/;
    const port = await startTextProxy({ port: Number(new URL(url).port), pattern, replacement: '"version":"2.10' });
    expect(await open(`nats://app:word@127.0.0.1:${port}`)).toContain(
      "NATS before 2.11 removes data when the account is full; limit max_file_store instead",
    );
  });

  test("it keeps one copy: reported, and rejected where the engine is strict", async () => {
    const { url } = await startServer();
    expect(await open(url)).toEqual([expect.stringMatching(/has one copy, .*; set replicas to 3$/)]);
    expect(await fail(url, { strict: true })).toMatch(/has one copy, .*; set replicas to 3$/);
  });
});

import { describe, expect, onTestFinished, test } from "vitest";
import { createRedisEngine, type RedisEngineOptions } from "../../../cluster/redis/index.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import { startRedis, type RedisOptions, type RedisProcess } from "../processes/redis-process.ts";
import { findPort } from "../processes/processes.ts";
import { addUser, guideRules as rules, password as secret } from "./redis-account.ts";
import { readProblems, readSetupError } from "./expect-setup-error.ts";
import { createCertificate, startHttpServer, startSilentServer, startTextProxy } from "./strange-servers.ts";

/*
 * Redis that cannot be used, or that keeps less than it should: each start ends with an error that says what to do.
 */

async function startServer(options?: RedisOptions): Promise<RedisProcess> {
  const redis = await startRedis(options);
  onTestFinished(() => redis.close());
  return redis;
}

function create(url: RedisEngineOptions["url"], options: Partial<RedisEngineOptions> = {}): Engine {
  return createRedisEngine({ url, keys: [new Uint8Array(32).fill(7)], prefix: "shop", timeout: 500, ...options });
}

const open = (...args: Parameters<typeof create>): Promise<readonly string[]> => readProblems(create(...args));

const fail = (...args: Parameters<typeof create>): Promise<string> => readSetupError(create(...args), secret);

const withUser = (url: string, user: string, password = secret): string => url.replace("//", `//${user}:${password}@`);

describe("Redis that cannot be reached", () => {
  test("nothing listens at the address", async () => {
    const port = await findPort();
    expect(await fail(`redis://127.0.0.1:${port}`)).toBe(
      `Redis at 127.0.0.1:${port} cannot be reached; check its address and that it is running`,
    );
  });

  test("the name of the host is unknown", async () => {
    expect(await fail("redis://absent.invalid:6379")).toMatch(/^Redis at absent.invalid:6379 cannot be reached; /);
  });

  test("no sentinel and no node of a cluster listens", async () => {
    const port = await findPort();
    const url = `redis://127.0.0.1:${port}`;
    expect(await fail({ sentinels: [url, url, url], name: "main" })).toMatch(/:\d+ and 2 more cannot be reached; /);
    expect(await fail({ cluster: [url, url] })).toMatch(/:\d+ and 1 more cannot be reached; /);
  });

  test("the server accepts the connection and never responds", async () => {
    const url = `redis://127.0.0.1:${await startSilentServer()}`;
    expect(await fail(url)).toMatch(/ cannot be reached; /);
    expect(await fail({ sentinels: [url, url], name: "main" })).toMatch(/ cannot be reached; /);
    expect(await fail({ cluster: [url, url] })).toMatch(/ cannot be reached; /);
  });

  test("the server speaks HTTP", async () => {
    expect(await fail(`redis://127.0.0.1:${await startHttpServer()}`)).toMatch(
      / closed the connection; check that it is Redis, /,
    );
  });

  test("the server speaks no TLS", async () => {
    const { url } = await startServer();
    expect(await fail(url.replace("redis:", "rediss:"))).toMatch(/ does not respond with TLS; .* redis:/);
  });

  test("the server requires TLS", async () => {
    expect(await fail(await startWithTls())).toMatch(/ closed the connection; .* rediss:/);
  });

  test("the certificate of the server is not trusted", async () => {
    const url = await startWithTls();
    expect(await fail(url.replace("redis:", "rediss:"))).toMatch(
      / has no trusted certificate; set NODE_EXTRA_CA_CERTS /,
    );
  });
});

/** Starts a server with TLS; returns its URL without it. */
async function startWithTls(): Promise<string> {
  const { key, certificate } = await createCertificate();
  const port = await findPort();
  await startServer({
    settings: {
      "tls-port": String(port),
      "tls-key-file": key,
      "tls-cert-file": certificate,
      "tls-ca-cert-file": certificate,
      "tls-auth-clients": "no",
    },
  });
  return `redis://127.0.0.1:${port}`;
}

describe("Redis that rejects the account", () => {
  test.each([
    ["the password is wrong", "default", "wrong"],
    ["the user is unknown", "nobody", secret],
  ])("%s", async (_, user, password) => {
    const { url } = await startServer({ settings: { requirepass: secret } });
    expect(await fail(withUser(url, user, password))).toMatch(
      / rejects the credentials; check user name and password$/,
    );
  });

  test("the password is missing", async () => {
    const { url } = await startServer({ settings: { requirepass: secret } });
    expect(await fail(url)).toMatch(/ rejects the credentials; check user name and password$/);
  });

  test("the password is right", async () => {
    const { url } = await startServer({ settings: { requirepass: secret } });
    expect(await open(withUser(url, "default"))).toEqual([]);
  });

  test("the ACL rules of the guide and +info are enough, and without +info the settings count as unknown", async () => {
    const redis = await startServer();
    await addUser(redis, [...rules, "+info"]);
    expect(await open(withUser(redis.url, "app"))).toEqual([]);
    await addUser(redis, rules);
    expect(await open(withUser(redis.url, "app"))).toEqual([expect.stringMatching(/cannot be read; .*\+info$/)]);
  });

  // WAIT belongs to the category of +@connection since Redis 7.
  test.each(rules.filter((rule) => rule !== "+wait"))("the account has no %s", async (rule) => {
    const redis = await startServer();
    await addUser(redis, [...rules.filter((other) => other !== rule), "+info"]);
    expect(await fail(withUser(redis.url, "app"))).toMatch(
      / permit \+@connection$|^The Redis user lacks permissions; give it ~shop:\* /,
    );
  });
});

describe("Redis that is the wrong one", () => {
  test.each(["5.0", "6.0", "6.1"])("version %s is too old", async (version) => {
    const { url } = await startServer();
    const pattern = /redis_version:\d\.\d/;
    const port = await startTextProxy({
      port: Number(new URL(url).port),
      pattern,
      replacement: `redis_version:${version}`,
    });
    expect(await fail(`redis://127.0.0.1:${port}`)).toMatch(
      /^Redis \d[.\d]+ is not supported; use Redis 6.2 or newer, /,
    );
  });

  test("the server is a replica", async () => {
    const primary = await startServer();
    const replica = await startServer();
    await replica.command("REPLICAOF", "127.0.0.1", new URL(primary.url).port);
    expect(await fail(replica.url)).toMatch(/ is a replica; use the address of the primary$/);
  });

  test("the server is a node of a cluster, and the URL is that of one server", async () => {
    const { url } = await startServer({ settings: { "cluster-enabled": "yes" } });
    expect(await fail(url)).toMatch(/ is a node of a Redis Cluster; /);
  });

  test("the server belongs to no cluster, and the URL is that of a cluster", async () => {
    const { url } = await startServer();
    expect(await fail({ cluster: [url] })).toMatch(/ is no node of a Redis Cluster; /);
  });

  test("the nodes of a cluster reject the password", async () => {
    const { url } = await startServer({ settings: { "cluster-enabled": "yes", requirepass: secret } });
    expect(await fail({ cluster: [withUser(url, "default", "wrong")] })).toMatch(/ rejects the credentials; /);
  });

  test("the server is no sentinel", async () => {
    const { url } = await startServer();
    expect(await fail({ sentinels: [url], name: "main" })).toMatch(/ is no sentinel; /);
  });
});

describe("Redis that may lose what it has acknowledged", () => {
  const cases: readonly (readonly [string, RedisOptions, RegExp])[] = [
    [
      "it writes nothing to the disk",
      { settings: { appendonly: "no" } },
      /^Redis loses data when it stops .* appendonly yes$/,
    ],
    ["it leaves the disk to the operating system", { fsync: "no" }, /\(appendfsync no\); set appendfsync always$/],
    [
      "it removes data when it is full",
      { settings: { maxmemory: "100mb", "maxmemory-policy": "allkeys-lru" } },
      /\(maxmemory-policy allkeys-lru\); set maxmemory-policy noeviction$/,
    ],
  ];

  test.each(cases)("%s: reported, and rejected where the engine is strict", async (_, options, expected) => {
    const { url } = await startServer(options);
    expect(await open(url)).toEqual([expect.stringMatching(expected)]);
    expect(await fail(url, { strict: true })).toMatch(expected);
  });

  test("it writes to the disk each second: rejected where the engine is strict", async () => {
    const { url } = await startServer();
    expect(await open(url)).toEqual([]);
    expect(await fail(url, { strict: true })).toMatch(/\(appendfsync everysec\); set appendfsync always$/);
  });

  test("it writes to the disk before each reply: accepted where the engine is strict", async () => {
    const { url } = await startServer({ fsync: "always" });
    expect(await open(url, { strict: true })).toEqual([]);
  });

  test("its setting of the disk cannot be read: rejected where the engine is strict", async () => {
    const redis = await startServer({ fsync: "always" });
    await addUser(redis, [...rules, "+info"]);
    expect(await fail(withUser(redis.url, "app"), { strict: true })).toMatch(/ cannot be read; .* \+config\|get$/);
  });

  test("it has fewer replicas than confirm writes", async () => {
    const { url } = await startServer({ fsync: "always" });
    const durability = { replicas: 2 };
    expect(await open(url, { durability })).toEqual(["Redis has 0 of 2 replicas; writes fail until all follow"]);
    expect(await fail(url, { durability, strict: true })).toMatch(/^Redis has 0 of 2 replicas; /);
  });
});

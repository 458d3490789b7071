import { SetupError } from "../../../runtime/jsonrpc/errors.ts";
import { describeServers, type RedisTarget } from "./address.ts";
import type { RedisServer } from "./redis-client.ts";

/** Returns the error for a failed attempt to connect. Its message contains no credentials. */
export function toRedisSetupError(error: unknown, target: RedisTarget): SetupError {
  if (error instanceof SetupError) return error;
  const text = listCauses(error).join("\n");
  const found = problems.find(
    ({ pattern, kind }) => pattern.test(text) && (kind === undefined || kind === target.kind),
  );
  const { servers, isEncrypted } = toServers(target);
  const problem = found?.problem ?? (isEncrypted ? noResponseToTls : unreachable);
  return new SetupError(`Redis at ${describeServers(servers)} ${problem}`, { cause: error });
}

/** Problem and its remedy, recognized by the code or the message of an error. */
interface KnownProblem {
  readonly pattern: RegExp;
  /** Kind of address at which it has this meaning. Default: each. */
  readonly kind?: RedisTarget["kind"];
  readonly problem: string;
}

const unreachable = "cannot be reached; check its address and that it is running";
const noResponseToTls = "does not respond with TLS; check its address, or use redis:// without TLS";

const problems: readonly KnownProblem[] = [
  {
    pattern: /^(WRONGPASS|NOAUTH|ERR AUTH|ERR Client sent AUTH)/m,
    problem: "rejects the credentials; check user name and password",
  },
  { pattern: /^NOPERM/m, problem: "denies commands to the user; permit +@connection" },
  { pattern: /^LOADING/m, problem: "is loading its data; try again later" },
  { pattern: /^The server is a replica/m, problem: "is a replica; use the address of the primary" },
  {
    pattern: /^(MOVED|CLUSTERDOWN)/m,
    kind: "single",
    problem: "is a node of a Redis Cluster; use url: { cluster: [...] }",
  },
  {
    pattern: /Unknown Redis command called from/,
    kind: "cluster",
    problem: "has no channels of slots; use Redis 7 or newer, or Valkey, for a cluster",
  },
  { pattern: /^CLUSTERDOWN/m, problem: "reports that the cluster is down; check its nodes" },
  { pattern: /cluster support disabled/, problem: "is no node of a Redis Cluster; use its URL without { cluster }" },
  { pattern: /^No sentinel knows this name/m, problem: "does not know the primary; check the name" },
  {
    pattern: /unknown command .?SENTINEL/i,
    problem: 'is no sentinel; use url: "redis://...", or the port of a sentinel',
  },
  { pattern: /ERR_SSL|EPROTO/, problem: "does not accept TLS; use redis:// or a port with TLS" },
  {
    pattern: /_CERT|CERT_|ISSUER|ALTNAME/,
    problem: "has no trusted certificate; set NODE_EXTRA_CA_CERTS to its authority",
  },
  {
    pattern: /^(Socket closed unexpectedly|ECONNRESET)/m,
    problem: "closed the connection; check that it is Redis, and use rediss:// if it requires TLS",
  },
];

/** Returns codes and messages of an error and its causes, innermost last. */
function listCauses(error: unknown, depth = 0): readonly string[] {
  if (!(error instanceof Error) || depth > 3) return [];
  const code = "code" in error ? [String(error.code)] : [];
  return [...code, error.message, ...listCauses(error.cause, depth + 1)];
}

/** Returns the first servers of an address, and whether they require TLS. */
function toServers(target: RedisTarget): { readonly servers: readonly RedisServer[]; readonly isEncrypted: boolean } {
  switch (target.kind) {
    case "single":
      return { servers: [target.server], isEncrypted: target.server.isEncrypted };
    case "sentinel":
      return { servers: target.sentinels, isEncrypted: target.primary.isEncrypted };
    case "cluster":
      return { servers: target.servers, isEncrypted: target.servers[0].isEncrypted };
  }
}

import process from "node:process";
import type { OnError } from "../../runtime/jsonrpc/error-report.ts";
import { SetupError } from "../../runtime/jsonrpc/errors.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { readVariable } from "../../runtime/internal/placeholder.ts";
import { UserError } from "../../generator/internal/user-error.ts";

/** Nodes that serve the same clients. */
export type GatewayCluster = Cluster;

/** Engine shared by the nodes of a gateway. */
export interface GatewayEngine {
  readonly url: string;
  /** Keys shared by all nodes; the first one is used for new data. */
  readonly keys: readonly Uint8Array[];
}

/**
 * Reads the engine of a gateway, and the keys in `MCP_KEYS`. Returns `undefined` for a gateway in one process.
 *
 * @param text - value of `--engine`. Without one, the variable `ENGINE_URL` contains the address: other users of the machine do not see it.
 * @throws {UserError} when the text is no address of an engine, or when the keys are missing or too short
 */
export function readEngine(text: string | undefined): GatewayEngine | undefined {
  if (text === undefined) return undefined;
  const url = text === "" ? (readVariable(process.env, "ENGINE_URL") ?? "") : text;
  if (url === "") throw new UserError("--engine: no address is given; pass redis://HOST:PORT, or set ENGINE_URL.");
  if (!/^rediss?:\/\/./.test(url))
    throw new UserError("--engine: the address is not valid; pass one that begins with redis:// or rediss://.");
  return { url, keys: readKeys() };
}

function readKeys(): readonly Uint8Array[] {
  const keys = (process.env["MCP_KEYS"] ?? "").split(",").map((key) => Buffer.from(key.trim(), "base64"));
  if (keys.every(({ length }) => length >= 32)) return keys;
  throw new UserError(
    "--engine needs MCP_KEYS, the same for all nodes: 32 random bytes in base64, as printed by: openssl rand -base64 32",
  );
}

/**
 * Joins the nodes of a gateway. Gateways in front of other servers may share the engine: what they store begins with the name of their server.
 *
 * @throws {UserError} when the engine cannot be used
 */
export async function joinGatewayCluster(
  server: string,
  { url, keys }: GatewayEngine,
  onError: OnError,
): Promise<GatewayCluster> {
  // Loaded on demand: a gateway in one process needs neither the library of the engine nor the code of a cluster.
  const { createRedisEngine } = await import("../../cluster/redis/index.ts");
  const { joinCluster } = await import("../../cluster/cluster.ts");
  const prefix = `gateway-${server.replaceAll(/[^\w.-]+/g, "-")}`.slice(0, 64);
  try {
    return await joinCluster(createRedisEngine({ url, keys, prefix }), { onError });
  } catch (error) {
    if (error instanceof SetupError) throw new UserError(`--engine: ${error.message}`, { cause: error });
    throw error;
  }
}

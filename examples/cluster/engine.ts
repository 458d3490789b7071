import type { Engine } from "mcp-server-runtime/scale";

/** Options of `loadEngine`. */
export interface EngineChoice {
  /** URL of the engine, such as `redis://127.0.0.1:6379`. */
  readonly url: string;
  /** Secret of 32 bytes or more, the same on all nodes. */
  readonly key: Uint8Array;
  /** Name of the application; applications with different names can share an engine. */
  readonly prefix: string;
  /** Module to import in place of the adapter in the package. Default: the adapter for the protocol of the URL. */
  readonly module?: string;
}

/** Adapter of an engine: the module, and the function in it that creates the engine. */
interface Adapter {
  readonly module: string;
  readonly create: string;
}

const redis: Adapter = { module: "mcp-server-runtime/adapters/redis", create: "createRedisEngine" };

/** Adapters by the protocol of the URL. */
const adapters: Readonly<Record<string, Adapter>> = { "redis:": redis, "rediss:": redis };

/**
 * Loads the adapter for the engine at a URL, and creates the engine. Only the adapter that is needed is loaded: each has a library of its own.
 *
 * @throws {Error} when there is no adapter for the URL
 */
export async function loadEngine({ url, key, prefix, module }: EngineChoice): Promise<Engine> {
  if (url === "memory") {
    throw new Error("The engine memory is not shared by processes; give a URL such as redis://127.0.0.1:6379");
  }
  const adapter = URL.canParse(url) ? adapters[new URL(url).protocol] : undefined;
  if (!adapter) throw new Error(`The engine ${url} is unknown; give a URL that begins with redis:// or rediss://`);
  const loaded: Readonly<Record<string, unknown>> = await import(module ?? adapter.module);
  const create = loaded[adapter.create];
  if (!isFactory(create)) throw new Error(`The adapter has no ${adapter.create}; install a newer mcp-server-runtime`);
  return create({ url, keys: [key], prefix });
}

type CreateEngine = (options: {
  readonly url: string;
  readonly keys: readonly Uint8Array[];
  readonly prefix: string;
}) => Engine;

function isFactory(value: unknown): value is CreateEngine {
  return typeof value === "function";
}

/** Engine that several nodes share, as `serveHttp` takes it. */
export interface LoadedEngine {
  open(): Promise<void>;
  close(): Promise<void>;
}

/** Adapter of each engine, by the protocol of its URL. */
const adapters: Readonly<Record<string, { readonly module: string; readonly create: string }>> = {
  "redis:": { module: "mcp-server-runtime/adapters/redis", create: "createRedisEngine" },
  "rediss:": { module: "mcp-server-runtime/adapters/redis", create: "createRedisEngine" },
};

/** Options of `loadEngine`. */
export interface EngineChoice {
  /** URL of the engine, such as `redis://127.0.0.1:6379`. */
  readonly url: string;
  /** Secret that all nodes share, of 32 characters or more. */
  readonly key: string;
  /** Module to import in place of the adapter in the package. Default: the adapter for the protocol of the URL. */
  readonly module?: string;
}

/**
 * Loads the adapter for the engine at a URL, and creates the engine. Only the adapter that is needed is loaded: each has a library of its own.
 *
 * @throws {Error} when no adapter exists for the URL
 */
export async function loadEngine({ url, key, module }: EngineChoice): Promise<LoadedEngine> {
  if (url === "memory") {
    throw new Error(
      "The engine memory cannot be shared by processes; give the URL of a server, such as redis://127.0.0.1:6379",
    );
  }
  const adapter = URL.canParse(url) ? adapters[new URL(url).protocol] : undefined;
  if (!adapter) throw new Error(`The engine ${url} is not known; give a URL that begins with redis:// or rediss://`);
  const loaded: Readonly<Record<string, unknown>> = await import(module ?? adapter.module);
  const create = loaded[adapter.create];
  if (!isFactory(create))
    throw new Error(`The adapter has no ${adapter.create}; install a version of the package that has`);
  return create({ url, keys: [key] });
}

type CreateEngine = (options: { readonly url: string; readonly keys: readonly string[] }) => LoadedEngine;

function isFactory(value: unknown): value is CreateEngine {
  return typeof value === "function";
}

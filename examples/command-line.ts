import { parseArgs } from "node:util";
import { serveHttp, serveStdio, type ResponseMode, type Server } from "mcp-server-runtime";
import { revisions } from "mcp-server-runtime/revisions";
import { joinCluster, type Cluster } from "mcp-server-runtime/scale";
import { isUrl } from "../runtime/internal/parse-url.ts";

/** Revisions of this runtime, newest first. */
export type Revisions = typeof revisions;

const usage =
  "Options: --http PORT or --stdio (the default); --protocol R[,R...] for some of the revisions only, --json to prefer JSON answers, " +
  "--stateless to do without sessions, --engine URL to be a node of a cluster";

/** Serves a server as the command line says. Wrong options are reported in one line. */
export async function serveAsAsked(createServer: (revisions: Revisions) => Server): Promise<void> {
  await start(createServer).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 2;
  });
}

async function start(createServer: (revisions: Revisions) => Server): Promise<void> {
  const { values } = parseArgs({
    options: {
      help: { type: "boolean", short: "h" },
      http: { type: "string" },
      stdio: { type: "boolean" },
      protocol: { type: "string" },
      json: { type: "boolean", default: false },
      stateless: { type: "boolean", default: false },
      engine: { type: "string" },
    },
  });
  if (values.help) return console.log(usage);
  const server = createServer(chooseRevisions(values.protocol));
  if (values.http === undefined) return void serveStdio(server);
  await listen(server, {
    port: readPort(values.http),
    responseMode: values.json ? "json" : "auto",
    ...(values.stateless && { sessions: false }),
    ...(values.engine !== undefined && { cluster: await joinEngine(values.engine) }),
  });
}

/** Joins the cluster of a Redis server. All nodes need the same secret in the environment variable `MCP_KEY`. */
async function joinEngine(url: string): Promise<Cluster> {
  if (url === "memory")
    throw new Error("--engine memory is not shared by processes; give a URL such as redis://127.0.0.1:6379");
  if (!isUrl(url) || !/^rediss?:$/.test(new URL(url).protocol))
    throw new Error(`--engine ${url} is unknown; give a URL that begins with redis:// or rediss://`);
  // Imported on demand: the other ways to serve do not need its library.
  const { createRedisEngine } = await import("mcp-server-runtime/adapters/redis");
  const key = new TextEncoder().encode(process.env.MCP_KEY ?? "");
  return joinCluster(createRedisEngine({ url, keys: [key], prefix: "example" }));
}

interface Listening {
  readonly port: number;
  readonly responseMode: ResponseMode;
  readonly sessions?: false;
  readonly cluster?: Cluster;
}

async function listen(server: Server, options: Listening): Promise<void> {
  const listener = await serveHttp(server, {
    ...options,
    // Clients wait this long before they resume a stream that the server has closed.
    retry: 500,
  });
  const stop = (): void => void listener.close().then(() => options.cluster?.close());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  if (process.env.npm_lifecycle_event !== undefined) watchParent(stop);
  // Written to stderr: stdout stays empty, as on stdio.
  console.error(`${server.info.name} is served at ${listener.url}`);
}

/** npm ends the shell between itself and this process, but does not signal this process. */
function watchParent(ended: () => void): void {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    ended();
  }, 500).unref();
}

/** Newest first, regardless of the order on the command line. */
function chooseRevisions(list: string | undefined): Revisions {
  if (list === undefined) return revisions;
  const names = list.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !revisions.some(({ id }) => id === name));
  if (unknown.length === 0) return revisions.filter(({ id }) => names.includes(id));
  throw new Error(`--protocol ${unknown.join(",")}: choose from ${revisions.map(({ id }) => id).join(", ")}.`);
}

function readPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`--http ${text} is not a port; use 0 (any free port) to 65535`);
}

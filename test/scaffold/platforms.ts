import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough, Readable } from "node:stream";
import { serveRaw } from "../kit/raw-server.ts";
import { npm } from "./npm.ts";

/** Server on a platform, at a port of this machine. */
export interface PlatformServer {
  readonly url: string;
  /** Resolves to the exit code of the program; 0 for a function in this process. */
  end(): Promise<number | null>;
}

/** Environment of a server. */
export type Variables = Readonly<Record<string, string>>;

/** Runtimes whose programs are packages for one system each, without a script that downloads them. */
const runtimes = {
  deno: ["deno@2", "@deno/linux-x64-glibc/deno"],
  bun: ["bun@1", "@oven/bun-linux-x64/bin/bun"],
} as const;

/** Installs Deno and Bun in a folder. They have about 100 MB each, so they are no dependencies of this repository. */
export async function installRuntimes(folder: string): Promise<Readonly<Record<keyof typeof runtimes, string>>> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const packages = Object.values(runtimes).map(([name]) => name);
  await npm(folder, "install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages);
  const pathOf = (name: keyof typeof runtimes): string => join(folder, "node_modules", runtimes[name][1]);
  return { deno: pathOf("deno"), bun: pathOf("bun") };
}

/** Serves the bundle of a worker in workerd, with the compatibility settings and the bindings of its `wrangler.jsonc`. */
export async function serveWorker(folder: string, variables: Variables): Promise<PlatformServer> {
  const text = readFileSync(join(folder, "wrangler.jsonc"), "utf8").replaceAll(/^ *\/\/.*\n/gm, "");
  const settings: { readonly compatibility_date: string; readonly compatibility_flags: readonly string[] } =
    JSON.parse(text);
  const bindings = Object.entries(variables).map(
    ([name, value]) => `(name = "${name}", text = ${JSON.stringify(value)})`,
  );
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "server.js", esModule = embed "dist/server.js")],
  compatibilityDate = "${settings.compatibility_date}",
  compatibilityFlags = ${JSON.stringify(settings.compatibility_flags)},
  bindings = [${bindings.join(", ")}],
);
`;
  writeFileSync(join(folder, "worker.capnp"), config);
  const program = join(folder, "node_modules/@cloudflare/workerd-linux-64/bin/workerd");
  const child = spawn(program, ["serve", "worker.capnp", "--control-fd=3"], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const [, , , control] = child.stdio;
  if (!(control instanceof Readable)) throw new Error("workerd has no control pipe");
  const line = await firstLine(child, control);
  const { port }: { readonly port: number } = JSON.parse(line);
  // workerd has no orderly end.
  return { url: `http://127.0.0.1:${port}/mcp`, end: () => stop(child).then(() => 0) };
}

/** Starts a bundle with Deno or Bun at a free port, with the arguments of the project's script `start`. */
export async function serveProgram(
  folder: string,
  {
    program,
    args,
    variables,
  }: { readonly program: string; readonly args: readonly string[]; readonly variables: Variables },
): Promise<PlatformServer> {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...variables, PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = new PassThrough();
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false });
  const line = await firstLine(child, output);
  const [origin = ""] = /http:\/\/[^/\s]+/.exec(line) ?? [];
  return { url: `${origin}/mcp`, end: () => stop(child) };
}

/** Returns the first line that names a port. Rejects when the program ends before. */
function firstLine(child: ChildProcess, stream: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the program ended with ${code}`)));
    createInterface({ input: stream }).on("line", (line) => {
      if (/"listen"|http:\/\//.test(line)) resolve(line);
      else console.error(line);
    });
  });
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  }
  return child.exitCode;
}

/** Serves a function from `Request` to `Response` at a port, as a platform does. */
export async function serveFunction(call: (request: Request) => Promise<Response>): Promise<PlatformServer> {
  const { url, close } = await serveRaw((incoming, outgoing) => {
    void toRequest(incoming)
      .then(call)
      .then(async (response) => {
        outgoing.writeHead(response.status, Object.fromEntries(response.headers));
        for await (const chunk of response.body ?? []) outgoing.write(chunk);
        outgoing.end();
      })
      .catch((error: unknown) => outgoing.destroy(error instanceof Error ? error : undefined));
  });
  return { url, end: () => close().then(() => 0) };
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const { method = "GET", url = "/", headers: lines } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(lines)) if (value !== undefined) headers.set(name, String(value));
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  const body = chunks.length > 0 ? Buffer.concat(chunks) : null;
  return new Request(`http://${lines.host}${url}`, { method, headers, body });
}

/** Function of AWS Lambda. */
export type LambdaFunction = (event: unknown, ...rest: readonly unknown[]) => Promise<unknown>;

/** Result of a function that returns each response as a whole. */
interface LambdaResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** Calls a function of AWS Lambda as a function URL does in the invoke mode `BUFFERED`: with an event of payload format 2.0. */
export async function invoke(handler: LambdaFunction, request: Request): Promise<Response> {
  const { host, pathname, search } = new URL(request.url);
  const body = Buffer.from(await request.arrayBuffer());
  const result = await handler(
    {
      version: "2.0",
      routeKey: "$default",
      rawPath: pathname,
      rawQueryString: search.slice(1),
      headers: Object.fromEntries(request.headers),
      requestContext: { domainName: host, stage: "$default", http: { method: request.method, path: pathname } },
      ...(body.length > 0 && { body: body.toString("base64") }),
      isBase64Encoded: body.length > 0,
    },
    { getRemainingTimeInMillis: () => 30_000 },
  );
  if (!isResult(result)) throw new Error("The function has no result of payload format 2.0");
  const bytes = Buffer.from(result.body, result.isBase64Encoded ? "base64" : "utf8");
  return new Response(bytes.length > 0 ? bytes : null, { status: result.statusCode, headers: result.headers });
}

function isResult(value: unknown): value is LambdaResult {
  return typeof value === "object" && value !== null && "statusCode" in value && "body" in value;
}

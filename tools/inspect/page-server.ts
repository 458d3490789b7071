import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { isObject } from "../../generated/support.ts";
import { portOf, startListening } from "../../runtime/transport/listening.ts";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { explainCause } from "../../generator/internal/user-error.ts";
import { checkRequest, isViewPath, readEntrance, type PageAddress, type Rejection } from "./page-access.ts";

/** Handlers of the page's requests. */
export interface PageHandlers {
  /** Opens the stream of events. */
  openEvents(response: ServerResponse): void;
  /** Runs a command, and returns what the page learns at once. */
  runCommand(kind: string, body: Readonly<Record<string, unknown>>): unknown;
  /** Returns a document for a frame, once. */
  takeView(id: string): string | undefined;
}

/** HTTP server of the page. */
export interface PageServer {
  /** Address of the page, with its token. */
  readonly url: string;
  /** Creates an address of the page. It works once, and for one minute at most. */
  createEntrance(): string;
  close(): Promise<void>;
}

/**
 * Serves the page on a port of this machine, for this machine only.
 *
 * @throws {ListenError} when the port cannot be used
 */
export async function servePage(handlers: PageHandlers, { port = 0 }: { readonly port?: number }): Promise<PageServer> {
  const files = await readPageFiles();
  const address: { port: number; readonly token: string } = { port, token: randomBytes(24).toString("base64url") };
  const entrances = new Set<string>();
  const server = createServer({ maxHeaderSize: 16 * 1024 }, (request, response) => {
    respond(request, response, { address, files, handlers, entrances }).catch((error: unknown) => {
      sendText(response, 400, explainCause(error));
    });
  });
  await startListening(server, { port, host: "127.0.0.1" });
  address.port = portOf(server);
  const origin = `http://127.0.0.1:${address.port}`;
  return {
    url: `${origin}/${address.token}/`,
    createEntrance() {
      const code = randomBytes(24).toString("base64url");
      entrances.add(code);
      setTimeout(() => entrances.delete(code), entranceTime).unref();
      return `${origin}/open/${code}`;
    },
    close: () => closeServer(server),
  };
}

/** Milliseconds for a browser to start. */
const entranceTime = 60_000;

interface Page {
  readonly address: PageAddress;
  readonly files: ReadonlyMap<string, PageFile>;
  readonly handlers: PageHandlers;
  /** Codes of addresses of the page that work once. */
  readonly entrances: Set<string>;
}

interface PageFile {
  readonly type: string;
  readonly body: Buffer;
}

async function readPageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const folder = join(packageRoot, "dist", "bundle", "inspect");
  const files = pageFiles.map(async ([path, name, type]): Promise<[string, PageFile]> => {
    return [path, { type, body: await readFile(join(folder, name)) }];
  });
  return new Map(await Promise.all(files));
}

/** Files of the page: path, name, media type. */
const pageFiles = [
  ["", "page.html", "text/html; charset=utf-8"],
  ["page.js", "page.js", "text/javascript; charset=utf-8"],
  ["page.css", "page.css", "text/css; charset=utf-8"],
] as const;

async function respond(request: IncomingMessage, response: ServerResponse, page: Page): Promise<void> {
  setSecurityHeaders(response);
  const rejection = checkRequest(request, page.address);
  if (rejection) return sendRejection(response, rejection);
  const url = request.url ?? "";
  const entrance = readEntrance(url);
  if (entrance !== undefined) return enter(response, entrance, page);
  if (isViewPath(url)) return sendView(response, page.handlers.takeView(url.slice("/view/".length)));
  const path = url.slice(page.address.token.length + 2).replace(/[?#].*$/s, "");
  if (request.method === "POST") return runCommand(request, response, { kind: path, page });
  if (request.method !== "GET") return sendRejection(response, { status: 405, text: "Only GET and POST are allowed." });
  if (path === "events") return page.handlers.openEvents(response);
  const file = page.files.get(path);
  if (!file) return sendRejection(response, { status: 404, text: "There is no such page." });
  response.writeHead(200, { "content-type": file.type, "cache-control": "no-store" }).end(file.body);
}

function enter(response: ServerResponse, code: string, { address, entrances }: Page): void {
  if (!entrances.delete(code))
    return sendRejection(response, { status: 403, text: "This address was used already; open the printed address." });
  response.writeHead(302, { location: `/${address.token}/`, "cache-control": "no-store" }).end();
}

async function runCommand(
  request: IncomingMessage,
  response: ServerResponse,
  { kind, page }: { readonly kind: string; readonly page: Page },
): Promise<void> {
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? ""))
    return sendRejection(response, { status: 415, text: "The Content-Type must be application/json." });
  const text = await readBody(request);
  if (text === undefined) return sendRejection(response, { status: 413, text: "The request has more than 16 MiB." });
  const body: unknown = JSON.parse(text);
  if (!isObject(body)) return sendRejection(response, { status: 400, text: "The body must be a JSON object." });
  const reply = await page.handlers.runCommand(kind, body);
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply ?? {}));
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > longestBody) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const longestBody = 16 * 1024 * 1024;

/** Headers of every response. The page runs its own script only, and loads nothing from elsewhere. */
function setSecurityHeaders(response: ServerResponse): void {
  response.setHeader("content-security-policy", pagePolicy);
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("x-frame-options", "DENY");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("cross-origin-opener-policy", "same-origin");
  response.setHeader("cross-origin-resource-policy", "same-origin");
}

const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "media-src data:",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * Sends the document of a server for a frame. The policy makes its origin opaque and forbids all requests: it reaches neither the page nor the
 * network. Its own scripts run.
 */
function sendView(response: ServerResponse, html: string | undefined): void {
  if (html === undefined)
    return sendRejection(response, { status: 404, text: "The document was already loaded; show it again." });
  response.removeHeader("x-frame-options");
  response.setHeader("content-security-policy", viewPolicy);
  response.writeHead(200, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" }).end(html);
}

const viewPolicy = [
  "sandbox allow-scripts",
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "font-src data:",
  "media-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

function sendRejection(response: ServerResponse, { status, text }: Rejection): void {
  sendText(response, status, text);
}

function sendText(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" }).end(`${text}\n`);
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

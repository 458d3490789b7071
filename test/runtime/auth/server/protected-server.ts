import { once } from "node:events";
import { createServer, request, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  SignJWT,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  type CryptoKey,
  type JWK,
  type JWTPayload,
} from "jose";
import {
  startAuthorizationServer,
  type AuthorizationOptions,
  type AuthorizationServer,
} from "../../../../examples/authorization-server/authorization-server.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { createProofReader, verifyJwt, type JwtOptions } from "../../../../runtime/adapters/jose.ts";
import { requireBearerToken, type DeniedRequest, type TokenOptions } from "../../../../runtime/auth/server/index.ts";
import { createHttpHandler } from "../../../../runtime/server/run/http-handler.ts";
import { createServer as createMcpServer } from "../../../../runtime/server/create-server.ts";
import { auditLog, type AuditEntry } from "../../../../runtime/server/middleware/audit-log.ts";
import { requestLogger } from "../../../../runtime/server/middleware/request-logger.ts";
import { acceptBoth, call, initialize } from "../../../kit/http-exchange.ts";
import { initialized } from "../../../kit/messages.ts";

/** A protected server on loopback, the real authorization server that it trusts, and everything that either logs. */
export interface ProtectedServer {
  readonly resource: string;
  readonly issuer: string;
  readonly authority: AuthorizationServer;
  /** Requests that reached the authorization server, by path. */
  readonly requested: string[];
  readonly denied: DeniedRequest[];
  /** Everything that was logged, by anybody. */
  readonly log: string[];
  /** Contexts that tools received. */
  readonly seen: unknown[];
  send(body: unknown, headers?: Sent): Promise<HttpResponse>;
  request(method: string, path: string, headers?: Sent): Promise<HttpResponse>;
  close(): Promise<void>;
}

/** Header fields; several values are several lines. */
export type Sent = Readonly<Record<string, string | readonly string[]>>;

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface ProtectedServerOptions extends Partial<Omit<TokenOptions, "dpop">> {
  readonly jwt?: JwtOptions;
  readonly dpop?: Omit<NonNullable<TokenOptions["dpop"]>, "proofs"> | false;
  readonly tokens?: "jwt" | "opaque";
  readonly configure?: AuthorizationOptions["configure"];
}

export const services = { robot: "robot-secret-0123456789", probe: "probe-secret-0123456789" } as const;

/** Address to which the browser of a user is redirected. */
export const redirectUrl = "http://127.0.0.1:9/callback";

const scopes = ["mcp", "files:read", "files:write", "admin"] as const;

/** Starts both servers. */
export async function startProtectedServer(options: ProtectedServerOptions = {}): Promise<ProtectedServer> {
  const { jwt, dpop, tokens, configure, ...rest } = options;
  const http = createServer();
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const resource = `http://127.0.0.1:${portOf(http)}/mcp`;
  const authority = await startAuthorizationServer({
    resources: { [resource]: scopes, "https://other.example/mcp": scopes },
    services,
    apps: { known: [redirectUrl] },
    ...(tokens && { tokens }),
    ...(configure && { configure }),
  });
  const requested: string[] = [];
  const denied: DeniedRequest[] = [];
  const log: string[] = [];
  const seen: unknown[] = [];
  const counted: typeof fetch = (input, init) => {
    requested.push(new URL(input instanceof Request ? input.url : input).pathname);
    return fetch(input, init);
  };
  const guard = requireBearerToken({
    resource,
    issuer: authority.issuer,
    verify: verifyJwt({ fetch: counted, ...jwt }),
    scopes: ["mcp"],
    hierarchy: { admin: ["files:read", "files:write"] },
    ...(dpop !== false && { dpop: { proofs: createProofReader(), ...dpop } }),
    onDenied(entry) {
      denied.push(entry);
      log.push(JSON.stringify(entry));
    },
    onError: (error) => log.push(String(error), String(error instanceof Error ? error.cause : "")),
    ...rest,
  });
  const keep = (context: { readonly auth: unknown }): string => {
    seen.push(context.auth);
    return JSON.stringify(context.auth);
  };
  const server = createMcpServer(
    {
      name: "protected",
      version: "1",
      tools: [
        { name: "who", execute: (_args, context) => keep(context) },
        { name: "write", scopes: ["files:write"], execute: () => "written" },
      ],
      resources: [{ uri: "files://one", name: "one", scopes: ["files:read"], read: () => "one" }],
      middleware: [
        auditLog({ arguments: "redacted", write: (entry: AuditEntry) => log.push(JSON.stringify(entry)) }),
        requestLogger({ write: (line) => log.push(line) }),
      ],
      onError: ({ error }) => log.push(String(error)),
    },
    revisions,
  );
  const handler = createHttpHandler(server, { path: "/mcp", authenticate: guard });
  http.on("request", (incoming, response) => handler.node(incoming, response));
  const send = (method: string, path: string, headers: Sent, body?: string): Promise<HttpResponse> =>
    exchange(new URL(path, resource), { method, headers, body });
  return {
    resource,
    issuer: authority.issuer,
    authority,
    requested,
    denied,
    log,
    seen,
    send: (body, { path = "/mcp", ...headers } = {}) =>
      send(
        "POST",
        String(path),
        { accept: acceptBoth, "content-type": "application/json", ...headers },
        typeof body === "string" ? body : JSON.stringify(body),
      ),
    request: (method, path, headers = {}) => send(method, path, headers),
    async close() {
      await handler.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await authority.close();
    },
  };
}

export interface Claims {
  readonly header?: Record<string, unknown>;
  readonly key?: CryptoKey | Uint8Array;
  readonly claims?: Record<string, unknown>;
}

/** A token as the authorization server would sign it, but for what a test changes; what is `undefined` is left out. */
export async function sign(
  protectedServer: ProtectedServer,
  { header = {}, key, claims = {} }: Claims = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const payload = {
    iss: protectedServer.issuer,
    aud: protectedServer.resource,
    sub: "alice",
    client_id: "app",
    scope: "mcp",
    iat: now,
    exp: now + 300,
    jti: crypto.randomUUID(),
    ...claims,
  };
  const given: JWTPayload = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined));
  const protectedHeader = { alg: "RS256", kid: "development", typ: "at+jwt", ...header };
  return new SignJWT(given).setProtectedHeader(protectedHeader).sign(key ?? protectedServer.authority.signingKey);
}

/** A token that the authorization server gives to a program. */
export async function requestToken(
  protectedServer: ProtectedServer,
  form: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<{ readonly access_token: string; readonly token_type: string }> {
  const response = await fetch(`${protectedServer.issuer}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`robot:${services.robot}`)}`, ...headers },
    body: new URLSearchParams({
      grant_type: "client_credentials",
      resource: protectedServer.resource,
      scope: "mcp",
      ...form,
    }),
  });
  const result: { access_token: string; token_type: string } = JSON.parse(await response.text());
  if (!response.ok) throw new Error(JSON.stringify(result));
  return result;
}

/** Opens a session and calls a tool in it, as a client that shows this. */
export async function callAs(protectedServer: ProtectedServer, headers: Sent, tool = "who"): Promise<HttpResponse> {
  const opened = await protectedServer.send(initialize("2025-11-25"), headers);
  if (opened.status !== 200) return opened;
  const session = { ...headers, "mcp-session-id": String(opened.headers["mcp-session-id"]) };
  await protectedServer.send(initialized, session);
  return protectedServer.send(call(1, tool), session);
}

/** A key of a client, and proofs that it holds it. */
export interface Prover {
  readonly jwk: JWK;
  readonly thumbprint: string;
  prove(changes?: ProofChanges): Promise<string>;
}

export interface ProofChanges {
  readonly token?: string;
  readonly header?: Record<string, unknown>;
  readonly claims?: Record<string, unknown>;
  readonly key?: CryptoKey | Uint8Array;
}

export async function createProver(uri: string): Promise<Prover> {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = await exportJWK(publicKey);
  return {
    jwk,
    thumbprint: await calculateJwkThumbprint(jwk),
    async prove({ token = "", header = {}, claims = {}, key = privateKey } = {}) {
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
      const payload = {
        jti: crypto.randomUUID(),
        htm: "POST",
        htu: uri,
        iat: Math.floor(Date.now() / 1_000),
        ath: Buffer.from(digest).toString("base64url"),
        ...claims,
      };
      const given: JWTPayload = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined));
      return new SignJWT(given).setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk, ...header }).sign(key);
    },
  };
}

/** One exchange, with header lines exactly as given. */
export function exchange(
  url: URL,
  { method, headers, body }: { readonly method: string; readonly headers: Sent; readonly body?: string | undefined },
): Promise<HttpResponse> {
  const lines = Object.entries({ host: url.host, ...headers }).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((line) => [name, String(line)]),
  );
  const length = body === undefined ? [] : ["content-length", String(Buffer.byteLength(body))];
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: [...lines, ...length], agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (typeof address !== "object" || address === null) throw new Error("not listening");
  return address.port;
}

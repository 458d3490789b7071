import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { inspect } from "node:util";
import { expect, onTestFinished } from "vitest";
import { isObject } from "../../../../generated/support.ts";
import {
  authorizationCode,
  createOAuthProvider,
  isAuthError,
  type AuthorizationCodeOptions,
  type AuthError,
  type AuthStep,
  type OAuthOptions,
  type OAuthProvider,
  type Redirector,
} from "../../../../runtime/auth/client/index.ts";
import { createEndpoint } from "../../../../runtime/transport/http-client/endpoint.ts";

/** Request that a server of the rig received. */
export interface Seen {
  readonly where: "mcp" | "as";
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly form: URLSearchParams;
}

/** Response of a server of the rig. */
export interface Said {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** Differences of the two servers from valid ones. A document that is `undefined` does not exist. */
export interface Script {
  readonly path?: string;
  readonly issuerPath?: string;
  readonly resourceMetadata?: (document: Document, rig: Places) => Document | undefined;
  readonly serverMetadata?: (document: Document, rig: Places) => Document | undefined;
  /** Handler that runs before all others, on either server. */
  readonly first?: (seen: Seen, rig: Places) => Said | undefined | Promise<Said | undefined>;
  /** Changes the parameters of the redirect. */
  readonly callback?: (response: URLSearchParams, request: URLSearchParams, rig: Places) => void;
  readonly token?: (response: Document, form: URLSearchParams, rig: Places) => Said | undefined;
  /** The refusal of a request to the MCP server, or nothing. */
  readonly guard?: (token: string | undefined, seen: Seen, rig: Places) => Said | undefined;
  readonly challenge?: (rig: Places) => string;
  /** Serves a revocation endpoint, unless it says something else there. */
  readonly revoke?: (form: URLSearchParams) => Said | undefined;
  readonly register?: (response: Document, request: Document) => Said | undefined;
}

/** Addresses of the servers. */
export interface Places {
  readonly url: string;
  readonly issuer: string;
  readonly valid: Set<string>;
}

type Document = Record<string, unknown>;

export interface Rig extends Places {
  readonly seen: readonly Seen[];
  /** Secrets that must be in no error and no log. */
  readonly secrets: Set<string>;
  paths(where: Seen["where"]): readonly string[];
  find(path: string): Seen;
  forms(grant: string): readonly URLSearchParams[];
}

/** An MCP server that wants tokens, and an authorization server that gives them: correct, unless the script says otherwise. They end with the test. */
export async function startRig(script: Script = {}): Promise<Rig> {
  const rig = await serveRig(script);
  onTestFinished(() => rig.close());
  return rig;
}

/** Starts the same servers until they are closed. */
export async function serveRig(script: Script = {}): Promise<Rig & { close(): Promise<void> }> {
  const [mcp, as] = [await listen(), await listen()];
  const rig = createRig({ mcp: mcp.origin, as: as.origin }, script);
  const handle = async (request: IncomingMessage, response: ServerResponse, origin: string): Promise<void> => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { method = "", headers } = request;
    const said = await rig.respond({ url: new URL(request.url ?? "/", origin), method, headers, body });
    response.writeHead(said.status, said.headers);
    response.end(said.body);
  };
  for (const { server, origin } of [mcp, as])
    server.on("request", (request, response) => void handle(request, response, origin));
  return {
    ...rig,
    async close() {
      await Promise.all([mcp.close(), as.close()]);
    },
  };
}

/** Creates the same servers without a network. */
export function createLocalRig(script: Script = {}): Rig & { fetch(request: Request): Promise<Response> } {
  const rig = createRig({ mcp: "http://localhost:1", as: "http://localhost:2" }, script);
  return {
    ...rig,
    async fetch(request) {
      const { url, method } = request;
      const headers = Object.fromEntries(request.headers);
      const { body, ...init } = await rig.respond({ url: new URL(url), method, headers, body: await request.text() });
      return new Response(body, init);
    },
  };
}

/** HTTP request to one of the servers. */
type Received = Pick<Seen, "method" | "headers" | "body"> & { readonly url: URL };

type Sent = Required<Said> & { readonly body: string };

function createRig(
  origins: { readonly mcp: string; readonly as: string },
  script: Script,
): Rig & { respond(received: Received): Promise<Sent> } {
  const seen: Seen[] = [];
  const valid = new Set<string>();
  const secrets = new Set<string>();
  const codes = new Map<string, string>();
  const url = `${origins.mcp}${script.path ?? "/mcp"}`;
  const issuer = `${origins.as}${script.issuerPath ?? ""}`;
  const places: Places = { url, issuer, valid };
  const issue = (prefix: string): string => {
    const token = `${prefix}-${randomUUID()}`;
    secrets.add(token);
    return token;
  };

  const serveMcp = (request: Seen): Said => {
    const wellKnown = `/.well-known/oauth-protected-resource${new URL(url).pathname.replace(/\/$/, "")}`;
    if (request.path === wellKnown) {
      const document = { resource: url, authorization_servers: [issuer] };
      return toDocument(script.resourceMetadata ? script.resourceMetadata(document, places) : document);
    }
    if (request.path.startsWith("/.well-known/")) return { status: 404 };
    const [scheme, token] = (request.headers.authorization ?? "").split(" ");
    const rejection = script.guard?.(token, request, places);
    if (rejection) return rejection;
    if ((scheme === "Bearer" || scheme === "DPoP") && token !== undefined && valid.has(token))
      return { body: { ok: true } };
    const challenge = script.challenge?.(places) ?? `Bearer resource_metadata="${origins.mcp}${wellKnown}"`;
    return { status: 401, headers: challenge === "" ? {} : { "WWW-Authenticate": challenge } };
  };

  const serveAs = (request: Seen): Said => {
    const prefix = script.issuerPath ?? "";
    if (request.path === `/.well-known/oauth-authorization-server${prefix}`) {
      const document = {
        issuer,
        authorization_endpoint: `${origins.as}/authorize`,
        token_endpoint: `${origins.as}/token`,
        registration_endpoint: `${origins.as}/register`,
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        authorization_response_iss_parameter_supported: true,
        ...(script.revoke && { revocation_endpoint: `${origins.as}/revoke` }),
      };
      return toDocument(script.serverMetadata ? script.serverMetadata(document, places) : document);
    }
    switch (request.path) {
      case "/register": {
        const body = { client_id: `client-${randomUUID()}` };
        return script.register?.(body, readJson(request.body)) ?? { status: 201, body };
      }
      case "/authorize": {
        const code = issue("code");
        const { query } = request;
        codes.set(code, query.get("code_challenge") ?? "");
        const response = new URLSearchParams({ code, state: query.get("state") ?? "", iss: issuer });
        script.callback?.(response, query, places);
        return { status: 302, headers: { Location: `${query.get("redirect_uri")}?${response.toString()}` } };
      }
      case "/token":
        return giveToken(request);
      case "/revoke":
        return script.revoke?.(request.form) ?? {};
      default:
        return { status: 404 };
    }
  };

  const giveToken = ({ form }: Seen): Said => {
    for (const name of ["code_verifier", "client_secret", "client_assertion", "assertion", "subject_token"]) {
      if (form.has(name)) secrets.add(form.get(name) ?? "");
    }
    if (form.get("grant_type") === "authorization_code") {
      const challenge = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      const found = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (challenge !== found) return { status: 400, body: { error: "invalid_grant" } };
    }
    const token = issue("access");
    const body = { access_token: token, token_type: "Bearer", expires_in: 3600 };
    const said = script.token?.(body, form, places) ?? { body };
    if ((said.status ?? 200) < 300) valid.add(token);
    return said;
  };

  return {
    ...places,
    async respond({ url: target, ...received }) {
      const where = target.origin === origins.mcp ? "mcp" : "as";
      const { pathname: path, searchParams: query } = target;
      const one: Seen = { ...received, where, path, query, form: new URLSearchParams(received.body) };
      seen.push(one);
      const {
        status = 200,
        headers,
        body = {},
      } = (await script.first?.(one, places)) ?? (where === "mcp" ? serveMcp(one) : serveAs(one));
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return { status, headers: { "Content-Type": "application/json", ...headers }, body: text };
    },
    seen,
    secrets,
    paths: (where) => seen.filter((one) => one.where === where).map(({ path }) => path),
    find(path) {
      const found = seen.find((one) => one.path === path);
      if (!found) throw new Error(`${path} was never requested`);
      return found;
    },
    forms: (grant) => seen.map(({ form }) => form).filter((form) => form.get("grant_type") === grant),
  };
}

/** A token endpoint that takes these ways of proving who the client is. */
export function taking(...methods: readonly string[]): Script {
  return { serverMetadata: (metadata) => ({ ...metadata, token_endpoint_auth_methods_supported: methods }) };
}

/** An authorization server that does not say this about itself. */
export function without(name: string): Script {
  return { serverMetadata: ({ [name]: _left, ...document }) => document };
}

/** A client of the rig. */
export interface RigClient {
  readonly provider: OAuthProvider;
  readonly steps: readonly AuthStep[];
  /** Makes a request; resolves with its status. */
  call(url?: string, signal?: AbortSignal): Promise<number>;
}

export function createRigClient(
  rig: Places,
  options: Partial<OAuthOptions> & { readonly code?: Partial<AuthorizationCodeOptions> } = {},
): RigClient {
  const steps: AuthStep[] = [];
  const { code, ...rest } = options;
  const provider = createOAuthProvider(rig.url, {
    grant: authorizationCode({ redirect: createHeadlessRedirect(), client: { name: "test" }, ...code }),
    onStep: (step) => steps.push(step),
    ...rest,
  });
  return {
    provider,
    steps,
    async call(url = rig.url, signal = AbortSignal.timeout(50_000)) {
      const endpoint = createEndpoint(new URL(url), { auth: provider, ...(rest.fetch && { fetch: rest.fetch }) });
      const response = await endpoint.request({ method: "POST", headers: {}, body: "{}", signal });
      await response.body?.cancel();
      return response.status;
    },
  };
}

/** A user who says yes at once. */
export function createHeadlessRedirect(
  redirectUri = "http://127.0.0.1:33418/callback",
  fetch = globalThis.fetch,
): Redirector & { readonly visited: URL[] } {
  const visited: URL[] = [];
  return {
    visited,
    open: async () => ({
      redirectUri,
      async visit(url) {
        visited.push(url);
        const response = await fetch(url, { redirect: "manual" });
        await response.body?.cancel();
        return response.headers.get("location") ?? "";
      },
      close: async () => {},
    }),
  };
}

/** The error that a client gives up with; nothing confidential is in it or in what the client has told about its steps. */
export async function failureOf(rig: Rig, client: RigClient): Promise<AuthError> {
  const error: unknown = await client.call().then(
    (status) => new Error(`was not rejected, but had the status ${status}`),
    (thrown: unknown) => thrown,
  );
  if (!isAuthError(error)) throw error;
  const told = inspect({ error, steps: client.steps }, { depth: 20, showHidden: true });
  for (const secret of rig.secrets) expect(told).not.toContain(secret);
  return error;
}

interface Listening {
  readonly server: Server;
  readonly origin: string;
  close(): Promise<void>;
}

async function listen(): Promise<Listening> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = isObject(address) ? Number(address.port) : 0;
  return {
    server,
    origin: `http://localhost:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function toDocument(document: Document | undefined): Said {
  return document ? { body: document } : { status: 404 };
}

function readJson(text: string): Document {
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : {};
}

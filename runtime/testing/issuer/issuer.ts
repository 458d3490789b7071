import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { toBase64Url } from "../../framing/base64.ts";
import { createSecretId } from "../../internal/digest.ts";
import { parseUrl } from "../../internal/parse-url.ts";
import { checkNumbers } from "../../jsonrpc/check-numbers.ts";
import { writeProblemPage, writeSignInPage } from "./sign-in-page.ts";
import { createSignIns, OAuthError, toAuthorizationResponse, type SignIns } from "./sign-ins.ts";

/** Options of `startIssuer`. */
export interface IssuerOptions {
  /** Port. Default: any free one. */
  readonly port?: number;
  /** Subject of every token. Default `alice`. */
  readonly user?: string;
  /** Lifetime of a token in seconds. Default 3600. */
  readonly lifetime?: number;
  /** Returns the current time in milliseconds. Default `Date.now`. */
  readonly now?: () => number;
}

/** An authorization server on this machine. */
export interface Issuer {
  /** Its issuer identifier, such as `http://127.0.0.1:4000`. */
  readonly url: string;
  /** Signs a token for the resource without a sign-in. `claims` replace the default claims. */
  sign(claims?: object): Promise<string>;
  /** Ends it. Its tokens stay valid where its keys are known. */
  close(): Promise<void>;
}

/**
 * Starts an authorization server for tests and for trying a server at home. Clients find it through the metadata of the resource, register themselves,
 * and open its page, on which the user allows the sign-in. There are no passwords: the person at this machine is the user. It listens on the loopback
 * address only, and keeps everything in memory.
 *
 * @param resource - URL of the server to use the tokens at, their audience
 * @throws {Error} when the port is in use
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 * @example
 * ```ts
 * import { startIssuer } from "mcp-server-runtime/testing/issuer";
 *
 * const issuer = await startIssuer("http://127.0.0.1:3000/mcp", { port: 4000 });
 * console.log(issuer.url, await issuer.sign({ scope: "notes:read" }));
 * ```
 */
export async function startIssuer(resource: string, options: IssuerOptions = {}): Promise<Issuer> {
  checkNumbers(options);
  const { port = 0, user = "alice", lifetime = 3_600, now = Date.now } = options;
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  const keyId = createSecretId();
  const key = { ...(await crypto.subtle.exportKey("jwk", publicKey)), alg: "ES256", use: "sig", kid: keyId };
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : port}`;

  const sign: Issuer["sign"] = async (claims = {}) => {
    const seconds = Math.floor(now() / 1_000);
    const usual = { iss: url, aud: resource, sub: user, iat: seconds, exp: seconds + lifetime, jti: createSecretId() };
    const parts = [
      { alg: "ES256", kid: keyId, typ: "at+jwt" },
      { ...usual, ...claims },
    ];
    const text = parts.map((part) => toBase64Url(new TextEncoder().encode(JSON.stringify(part)))).join(".");
    const signature = await crypto.subtle.sign(algorithm, privateKey, new TextEncoder().encode(text));
    return `${text}.${toBase64Url(new Uint8Array(signature))}`;
  };

  const signIns = createSignIns({ issuer: url, resource, now });
  const respond = createResponder({ url, user, lifetime, keys: { keys: [key] }, signIns, sign });
  server.on("request", (request, response) => {
    respond(request)
      .catch(toFailure)
      .then((reply) => send(response, reply))
      // The client is gone.
      .catch(() => response.destroy());
  });
  return {
    url,
    sign,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Response of an endpoint. */
interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A page, or a JSON document. */
  readonly body?: string | object;
}

function createResponder({
  url,
  user,
  lifetime,
  keys,
  signIns,
  sign,
}: Pick<Issuer, "url" | "sign"> & {
  readonly user: string;
  readonly lifetime: number;
  readonly keys: object;
  readonly signIns: SignIns;
}): (request: IncomingMessage) => Promise<Reply> {
  const metadata = describeIssuer(url);
  const documents = new Map<string, object>([
    ["/.well-known/oauth-authorization-server", metadata],
    // Some clients look here only.
    ["/.well-known/openid-configuration", metadata],
    ["/keys", keys],
  ]);

  const showPage = (query: URLSearchParams): Reply => {
    const target = signIns.findTarget(query);
    try {
      const { id, signIn } = signIns.begin(query);
      return { status: 200, body: writeSignInPage(id, signIn, user) };
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const parameters = { error: error.code, error_description: error.message };
      return redirect(toAuthorizationResponse(url, { ...target, state: query.get("state") ?? undefined }, parameters));
    }
  };

  const decide = (form: URLSearchParams): Reply => {
    const target = signIns.decide(form.get("id") ?? "", form.get("decision") === "allow");
    if (!target) throw new OAuthError("invalid_request", "The sign-in has ended; start it again from the client");
    return redirect(target);
  };

  const issue = async (form: URLSearchParams): Promise<Reply> => {
    const { grant, refreshToken } = await signIns.exchange(form);
    const scope = grant.scope === undefined ? {} : { scope: grant.scope };
    const token = await sign({ client_id: grant.clientId, ...scope });
    const body = { access_token: token, token_type: "Bearer", expires_in: lifetime, refresh_token: refreshToken };
    return { status: 200, body: { ...body, ...scope } };
  };

  const register = (metadata: unknown): Reply => {
    const { id, name, redirectUris } = signIns.register(metadata);
    const client = { client_id: id, client_name: name, redirect_uris: redirectUris };
    return { status: 201, body: { ...client, ...publicClient } };
  };

  return async (request) => {
    const { method = "", headers } = request;
    // A page of another site may have resolved its own name to this machine.
    if (headers.host !== new URL(url).host) return { status: 421, body: { error: "invalid_request" } };
    const target = parseUrl(request.url ?? "", url);
    const path = target?.pathname ?? "";
    if (method === "OPTIONS") return { status: 204 };
    const document = documents.get(path);
    switch (`${method} ${path}`) {
      case "GET /authorize":
        return asPage(() => showPage(target?.searchParams ?? new URLSearchParams()));
      case "POST /authorize":
        return asPage(async () => decide(await readForm(request)));
      case "POST /token":
        return issue(await readForm(request));
      case "POST /register":
        return register(await readJson(request));
      default:
        return method === "GET" && document
          ? { status: 200, body: document }
          : { status: 404, body: { error: "not_found" } };
    }
  };
}

/** Members of the metadata of each client. */
const publicClient = {
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

/** @see https://www.rfc-editor.org/rfc/rfc8414#section-2 */
function describeIssuer(url: string): object {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    registration_endpoint: `${url}/register`,
    jwks_uri: `${url}/keys`,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
  };
}

/** Shows an error to the user. It must not reach an unregistered redirect URI. */
async function asPage(work: () => Reply | Promise<Reply>): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OAuthError) return { status: 400, body: writeProblemPage(error.message) };
    throw error;
  }
}

function redirect(target: URL): Reply {
  return { status: 303, headers: { location: target.href } };
}

function toFailure(error: unknown): Reply {
  if (!(error instanceof OAuthError))
    return { status: 500, body: { error: "server_error", error_description: String(error) } };
  return { status: 400, body: { error: error.code, error_description: error.message } };
}

function send(response: ServerResponse, { status, headers = {}, body }: Reply): void {
  const isPage = typeof body === "string";
  response.writeHead(status, {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    ...(isPage ? pageHeaders : sharedHeaders),
    ...headers,
  });
  response.end(isPage || body === undefined ? body : JSON.stringify(body));
}

/** Other sites may not show the page in a frame, and cannot read it. */
const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "x-frame-options": "DENY",
};

/** Clients in browsers may read everything but the page, as the endpoints give nothing without a code. */
const sharedHeaders = {
  "content-type": "application/json",
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "content-type, authorization, mcp-protocol-version",
};

const mostBytes = 65_536;

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  return new URLSearchParams(await readBody(request, "application/x-www-form-urlencoded"));
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  try {
    return JSON.parse(await readBody(request, "application/json"));
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new OAuthError("invalid_client_metadata", "The body is not JSON; send JSON");
    throw error;
  }
}

async function readBody(request: IncomingMessage, type: string): Promise<string> {
  if (request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() !== type)
    throw new OAuthError("invalid_request", `The content type is wrong; send ${type}`);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > mostBytes)
      throw new OAuthError("invalid_request", `The body is too long; send at most ${mostBytes} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}

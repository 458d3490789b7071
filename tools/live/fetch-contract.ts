import { connectHttp } from "../../runtime/client/connect-http.ts";
import { createUntypedClient } from "../../runtime/client/create-client.ts";
import type { DefaultClientSession } from "../../runtime/client/session/default-session.ts";
import type { ConnectionFactory } from "../../runtime/client/connection-factory.ts";
import { connect } from "../../runtime/client/connect.ts";
import { passedLimits } from "../../runtime/gateway/upstream/upstream-target.ts";
import { isSecretName } from "../../runtime/server/middleware/redact.ts";
import { errorCodes, isPeerError } from "../../runtime/jsonrpc/errors.ts";
import { createStdioClientTransport, type StdioClientTransport } from "../../runtime/transport/stdio/stdio-client.ts";
import { readLastWords } from "../../runtime/transport/stdio/stderr-summary.ts";
import { HttpError } from "../../runtime/transport/http-client/errors.ts";
import { createSseClientTransport } from "../../runtime/transport/http-sse/http-sse-client.ts";
import type { ImplementationInfo } from "../../runtime/protocol/session/session.ts";
import type { Revision } from "../../generated/support.ts";
import type { Contract } from "../../generator/typed-client/contract/contract.ts";
import { readContract } from "../../generator/typed-client/contract/read-contract.ts";
import { packageVersion } from "../../generator/internal/package-info.ts";
import { safeLine, safeText } from "../../generator/internal/text.ts";
import { readTextFile } from "../../generator/internal/files.ts";
import { UserError } from "../../generator/internal/user-error.ts";
import { checkAccess, type Access } from "./access.ts";
import { resolveCard } from "./server-card.ts";
import { createSocketOpener } from "./socket-opener.ts";
import { describeTarget, type Target } from "./target.ts";
import { explainFailure, permissionAdvice, quotedWords, requiresCredentials } from "./unreachable.ts";
import { explainUnknownRevision } from "./unknown-revision.ts";
import { adviseVariable } from "./variables.ts";

/** Options of reading a contract from a server. */
export interface FetchContractOptions extends Access {
  /** Revisions to use. The first is proposed. */
  readonly revisions: readonly Revision[];
  readonly signal?: AbortSignal;
}

/**
 * Reads the contract of a server, from the server itself or from a file.
 *
 * @throws {UserError} on failure; the message names the place and the reason.
 */
export async function fetchContract(target: Target, options: FetchContractOptions): Promise<Contract> {
  const server = await resolveCard(target, options);
  return server.kind === "file" ? readContractFile(server.path) : withSession(server, options, readOffer);
}

/**
 * Reads the info declared by a server about itself.
 *
 * @throws {UserError} on failure; the message names the place and the reason.
 */
export async function fetchServerInfo(
  target: Exclude<Target, { readonly kind: "file" }>,
  options: FetchContractOptions,
): Promise<ImplementationInfo> {
  return withSession(target, options, ({ serverInfo }) => Promise.resolve(serverInfo));
}

/**
 * Reads a list of tools or a lock file.
 *
 * @throws {UserError} when the file cannot be read or has other content.
 */
export async function readContractFile(path: string): Promise<Contract> {
  const text = await readTextFile(path).catch((error: unknown) => {
    throw new UserError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UserError(`${path} is not JSON: ${messageOf(error)}`, { cause: error });
  }
  return readContract(value, path);
}

async function withSession<Result>(
  target: Exclude<Target, { readonly kind: "file" }>,
  options: FetchContractOptions,
  use: (session: DefaultClientSession) => Promise<Result>,
): Promise<Result> {
  const { timeout, revisions, signal } = options;
  checkAccess(target, options);
  const wrong = new Set<string>();
  const client = createUntypedClient({
    info: { name: "create-mcp-server", version: packageVersion() },
    revisions,
    timeouts: { request: timeout, initialize: timeout },
    onError: ({ kind, error }) => {
      if (kind === "protocol") wrong.add(safeLine(error.message, 2_000));
    },
  });
  const opening = createOpener(target, options);
  try {
    const session = await client.connect(opening.open, signal ? { signal } : {});
    const result = await use(session);
    // What is left out of a list must not go unnoticed.
    for (const problem of wrong) console.error(problem);
    return result;
  } catch (error) {
    if (error instanceof UserError) throw error;
    const rejection = findRejection(error);
    if (rejection) throw new UserError(explainRejection(describeTarget(target), rejection, options), { cause: error });
    const unknown = explainUnknownRevision(error);
    if (unknown !== undefined)
      throw new UserError(`${describeTarget(target)} cannot be read: ${unknown}.`, { cause: error });
    const failure = explainFailure(error);
    const [first = failure] = wrong;
    const sent = failure.includes(first) ? "" : ` It sent something wrong: ${first}.`;
    const step = opening.advice() || advice[target.kind];
    throw new UserError(
      `${describeTarget(target)} cannot be read: ${failure}.${sent} ${step}${opening.tail(failure)}`,
      {
        cause: error,
      },
    );
  } finally {
    await client.close();
  }
}

const advice = {
  command: "Run the command directly to see its output.",
  url: "Check that the server is running, and which headers it requires.",
  websocket: "Check that the server is running, and which headers it requires.",
  tcp: "Check that the server is running.",
} as const;

/** Finds the error response of a server to a rejected client. */
function findRejection(error: unknown): HttpError | undefined {
  if (error instanceof HttpError && (error.status === 401 || error.status === 403)) return error;
  return error instanceof Error && error.cause !== undefined ? findRejection(error.cause) : undefined;
}

function explainRejection(server: string, rejection: HttpError, { headers }: Access): string {
  const { status, wwwAuthenticate, body } = rejection;
  const wanted = wwwAuthenticate === undefined ? "" : ` It requires ${safeText(wwwAuthenticate.slice(0, 500))}.`;
  // API keys may be requested as `Bearer` as well. Only a reference to metadata indicates an authorization server.
  const credentials = /\bresource_metadata=/.test(wwwAuthenticate ?? "")
    ? "Get an access token (the OAuth flow is not supported here), set a variable to `Bearer <token>`, and pass --header-env Authorization=VARIABLE."
    : "Set a variable to the value of the required header, and pass --header-env Name=VARIABLE.";
  const isSent = Object.keys(headers).some(isSecretName);
  const known = isSent ? "Check the value of the credentials that were sent, and what they permit." : credentials;
  const how = requiresCredentials(rejection) ? known : permissionAdvice;
  const said = safeText(body.slice(0, 500)).trim();
  const reason = said === "" ? "." : `: ${said}${/[.!?]$/.test(said) ? "" : "."}`;
  return `${server} rejected this client (HTTP ${status})${reason}${wanted} ${how}`;
}

interface Opening {
  readonly open: ConnectionFactory;
  /** Last words of a program on stderr, if its failure does not quote them. */
  tail(failure: string): string;
  /** Advice about a variable mentioned in the output of a program; empty if there is none. */
  advice(): string;
}

function createOpener(
  target: Exclude<Target, { readonly kind: "file" }>,
  { headers, env, sse }: FetchContractOptions,
): Opening {
  if (target.kind !== "command") {
    return { open: createAddressOpener(target, { headers, sse }), tail: () => "", advice: () => "" };
  }
  let transport: StdioClientTransport | undefined;
  return {
    open(options) {
      transport = createStdioClientTransport({
        command: target.command,
        args: target.args,
        env,
        stderr: "ignore",
        limits: passedLimits,
      });
      return connect(transport, options);
    },
    tail(failure) {
      const words = safeLine(readLastWords(transport?.stderrTail ?? ""), 500);
      return words === "" || failure.includes(quotedWords) ? "" : ` Its last words: ${words}`;
    },
    advice: () => adviseVariable(transport?.stderrTail.slice(-2_000) ?? "", { given: env }),
  };
}

function createAddressOpener(
  target: Exclude<Target, { readonly kind: "file" | "command" }>,
  { headers, sse }: Pick<FetchContractOptions, "headers" | "sse">,
): ConnectionFactory {
  if (target.kind !== "url") return createSocketOpener(target, headers);
  const { url } = target;
  const access = { headers: () => headers, limits: passedLimits };
  if (!sse) return (options) => connectHttp(url, { ...options, ...access });
  return (options) => connect(createSseClientTransport(url, access), { ...options, lifecycle: "handshake" });
}

async function readOffer(session: DefaultClientSession): Promise<Contract> {
  const { serverCapabilities: can, serverInfo, revision } = session;
  const offer = {
    server: serverInfo,
    revision: revision.id,
    capabilities: can,
    tools: can.tools ? await readList(() => session.listTools()) : [],
    prompts: can.prompts ? await readList(() => session.listPrompts()) : [],
    resources: can.resources ? await readList(() => session.listResources()) : [],
    resourceTemplates: can.resources ? await readList(() => session.listResourceTemplates()) : [],
  };
  return readContract(offer, "the server's response");
}

/** Reads a list. Some servers declare a capability without the method of its list; the list is empty then. */
async function readList<Item>(read: () => Promise<readonly Item[]>): Promise<readonly Item[]> {
  return read().catch((error: unknown) => {
    if (isPeerError(error) && error.code === errorCodes.methodNotFound) return [];
    throw error;
  });
}

/** Returns the message of an error, escaped: it may quote text of a server. */
function messageOf(error: unknown): string {
  return safeText(error instanceof Error ? error.message : String(error));
}

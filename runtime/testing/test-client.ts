import { isObject } from "../../generated/support.ts";
import type { TestLink, TestMessage } from "./links/link.ts";

/** Facts about a revision for a {@link TestClient}; `revisions` of a project has them. */
export interface TestRevision {
  readonly id: string;
  readonly lifecycle: "handshake" | "per-request";
}

/** Handlers of requests of the server, by method. Each returns the result. */
export type TestHandlers = Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => unknown>>;

/** Options of a {@link TestClient}. */
export interface TestClientOptions {
  /** Handlers of requests of the server, such as `elicitation/create`. The client declares their capabilities. Default: none. */
  readonly handlers?: TestHandlers;
  /** Further declared capabilities. Default: none. */
  readonly capabilities?: object;
}

/**
 * A small client for tests of a built server. It shares no code with servers and clients of the runtime: a test checks the messages which are really
 * sent.
 *
 * @example
 * ```ts
 * import { openStdio, TestClient } from "mcp-server-runtime/testing";
 * import { revisions } from "mcp-server-runtime/revisions";
 *
 * const client = new TestClient(await openStdio({ path: "dist/server.js" }), revisions, {
 *   handlers: { "elicitation/create": () => ({ action: "accept", content: { name: "Ada" } }) },
 * });
 * for (const { id } of revisions.slice(0, 1)) await client.open(id); // the newest
 * console.log(await client.ask("tools/call", { name: "greet" }));
 * await client.end();
 * ```
 */
export class TestClient {
  readonly #link: TestLink;
  readonly #revisions: readonly TestRevision[];
  readonly #handlers: TestHandlers;
  readonly #capabilities: object;
  #meta: object | undefined;
  #nextId = 1;

  constructor(link: TestLink, revisions: readonly TestRevision[], options: TestClientOptions = {}) {
    const { handlers = {}, capabilities = {} } = options;
    this.#link = link;
    this.#revisions = revisions;
    this.#handlers = handlers;
    this.#capabilities = { ...declareHandled(handlers), ...capabilities };
  }

  /** Opens a session, or discovers the server where the revision has no sessions. Returns the name and version of the server. */
  async open(revision: string): Promise<unknown> {
    const isPerRequest = this.#revisions.some(({ id, lifecycle }) => id === revision && lifecycle === "per-request");
    if (!isPerRequest) return this.#openSession(revision);
    this.#meta = {
      [`${prefix}/protocolVersion`]: revision,
      [`${prefix}/clientCapabilities`]: this.#capabilities,
      [`${prefix}/clientInfo`]: clientInfo,
    };
    const { result } = await this.ask("server/discover");
    const supported: unknown = result?.supportedVersions;
    if (!Array.isArray(supported) || !supported.includes(revision))
      throw new Error(`The server does not support ${revision}: ${JSON.stringify(result)}`);
    return isObject(result?._meta) ? result._meta[`${prefix}/serverInfo`] : undefined;
  }

  async #openSession(protocolVersion: string): Promise<unknown> {
    const capabilities = this.#capabilities;
    const { result, error } = await this.ask("initialize", { protocolVersion, capabilities, clientInfo });
    if (result?.protocolVersion !== protocolVersion)
      throw new Error(`The server does not support ${protocolVersion}: ${JSON.stringify(result ?? error)}`);
    await this.#link.exchange({ method: "notifications/initialized" });
    return result.serverInfo;
  }

  /**
   * Sends a request and waits for its response. Requests of the server meanwhile are passed to the handlers, and so is required input of a result:
   * the request is then sent again with the responses.
   */
  async ask(method: string, params: object = {}): Promise<TestMessage> {
    let response = await this.#send(method, params);
    for (let attempt = 1; attempt < maxAttempts && this.#requiresInput(response); attempt += 1) {
      const { inputRequests, requestState } = response.result ?? {};
      const inputResponses = await this.#respondToAll(isObject(inputRequests) ? inputRequests : {});
      response = await this.#send(method, {
        ...params,
        inputResponses,
        ...(requestState !== undefined && { requestState }),
      });
    }
    return response;
  }

  /** Ends the server. Resolves to its exit code. */
  end(): Promise<number | null> {
    return this.#link.end();
  }

  async #send(method: string, params: object): Promise<TestMessage> {
    const id = this.#nextId++;
    const sent = this.#meta ? { ...params, _meta: this.#meta } : params;
    const response = await this.#link.exchange({ id, method, params: sent }, (request) => this.#respond(request));
    if (!response) throw new Error(`${method} got no response`);
    return response;
  }

  /** True if a result requires input, and the client has handlers. Without them, a test sees the result. */
  #requiresInput({ result }: TestMessage): boolean {
    return result?.resultType === "input_required" && Object.keys(this.#handlers).length > 0;
  }

  async #respondToAll(requests: Readonly<Record<string, unknown>>): Promise<object> {
    const entries = Object.entries(requests).map(async ([key, request]) => {
      const { method, params } = isObject(request) ? request : {};
      return [key, await this.#handle(String(method), params)] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  async #respond({ id = "", method = "", params }: TestMessage): Promise<TestMessage> {
    if (!(method in this.#handlers) && method !== "ping")
      return { id, error: { code: -32601, message: `the test has no handler for ${method}` } };
    const result = method === "ping" ? {} : await this.#handle(method, params);
    return { id, result: isObject(result) ? result : {} };
  }

  async #handle(method: string, params: unknown): Promise<unknown> {
    const handle = this.#handlers[method];
    if (!handle) throw new Error(`The server requests ${method}, and the test has no handler for it`);
    return handle(isObject(params) ? params : {});
  }
}

/** Prefix of the protocol's members of `_meta`. */
const prefix = "io.modelcontextprotocol";

const clientInfo = { name: "test", version: "1.0.0" };

/** Maximum number of sends of a request while its results require input. */
const maxAttempts = 10;

/** Capabilities of a client with handlers, by method. */
function declareHandled(handlers: TestHandlers): object {
  return {
    ...("elicitation/create" in handlers && { elicitation: {} }),
    ...("sampling/createMessage" in handlers && { sampling: {} }),
    ...("roots/list" in handlers && { roots: {} }),
  };
}

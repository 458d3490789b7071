import type { Revision } from "../../../generated/support.ts";
import { discard, readMediaType } from "./body.ts";
import {
  createEndpoint,
  readHttpErrorResponse,
  type Endpoint,
  type EndpointOptions,
  type RequestProgress,
} from "./endpoint.ts";
import { ResponseError, SessionExpiredError } from "./errors.ts";
import { readSession, toSessionHeaders, type HttpClientSession } from "./session.ts";

/** Message or batch to post. */
export interface PostRequest {
  readonly body: string;
  /** True if the message opens a session, and therefore belongs to none yet. */
  readonly isOpening?: boolean;
  /** Headers with copies of parts of the message. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Stops the clock of the waiting call until the returned function is called. */
  readonly hold?: () => () => void;
  readonly progress?: RequestProgress;
}

/** Response to a message, with the session of the message. */
export interface PostResponse {
  readonly response: Response;
  readonly session: HttpClientSession;
}

/** Requests of one client to one server. Each carries the session and the revision current at the time of sending. */
export class HttpConnection {
  session: HttpClientSession = {};
  revision: Revision | undefined;
  readonly #endpoint: Endpoint;

  constructor(url: URL, options: EndpointOptions) {
    this.#endpoint = createEndpoint(url, options);
  }

  /**
   * Posts a message or a batch. Rejects when the server does not accept it.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
   */
  async post({ isOpening, headers: paramHeaders, ...request }: PostRequest): Promise<PostResponse> {
    const session = isOpening ? {} : this.session;
    const headers = { Accept: "application/json, text/event-stream", "Content-Type": "application/json" };
    const all = isOpening ? headers : { ...headers, ...paramHeaders, ...toSessionHeaders(session, this.revision) };
    const response = await this.#endpoint.request({ method: "POST", headers: all, ...request });
    if (!response.ok) throw await this.#reject(response, session);
    if (!isOpening) return { response, session };
    this.session = readSession(response);
    return { response, session: this.session };
  }

  /**
   * Opens a stream of events in the given session. With an event id, the stream of this event continues.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
   */
  async get(
    lastEventId: string | undefined,
    signal: AbortSignal,
    session: HttpClientSession = this.session,
  ): Promise<Response> {
    const headers = { Accept: "text/event-stream", ...toSessionHeaders(session, this.revision) };
    const all = lastEventId === undefined ? headers : { ...headers, "Last-Event-ID": lastEventId };
    const response = await this.#endpoint.request({ method: "GET", headers: all, signal });
    if (!response.ok) throw await this.#reject(response, session);
    if (readMediaType(response) === "text/event-stream") return response;
    await discard(response);
    throw new ResponseError("The server did not return an event stream for GET");
  }

  /** Ends the session, if the server keeps one. The status of the response is ignored: servers need not allow it. */
  async end(signal: AbortSignal): Promise<void> {
    if (this.session.id === undefined) return;
    const headers = toSessionHeaders(this.session, this.revision);
    await discard(await this.#endpoint.request({ method: "DELETE", headers, signal }));
  }

  async #reject(response: Response, session: HttpClientSession): Promise<Error> {
    const rejection = await readHttpErrorResponse(response, this.#endpoint.url);
    if (response.status !== 404 || session.id === undefined) return rejection;
    return new SessionExpiredError("Session not found; the server has ended it", { cause: rejection });
  }
}

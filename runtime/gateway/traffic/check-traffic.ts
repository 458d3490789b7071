import { isObject, type Issue, type RequestRow, type Revision } from "../../../generated/support.ts";
import { setLimited } from "../../internal/set-limited.ts";
import type { FramingProblem } from "../../jsonrpc/channel.ts";
import { classify, type Incoming, type RequestId } from "../../jsonrpc/message.ts";
import { findMethod } from "../../protocol/methods/method-rows.ts";
import { createMetadataReader, type MetadataReader } from "../../protocol/session/request-metadata.ts";
import type { ConnectionEntry, TrafficEntry, TrafficProblem } from "./entry.ts";

type Direction = TrafficEntry["direction"];

/** Finds revision and first problem of each message of one connection. It knows the connection only by its messages. */
export class TrafficChecker {
  readonly #revisions: readonly Revision[];
  readonly #stateless: MetadataReader | undefined;
  /** Revision of the session. */
  #agreed: Revision | undefined;
  /** Revision of the last stateless request. */
  #named: Revision | undefined;
  /** Requests without a response, by direction and id. */
  readonly #pending = new Map<string, PendingRequest>();

  /** @param agreed - revision of a session opened on another connection */
  constructor(revisions: readonly Revision[], agreed?: Revision) {
    this.#revisions = revisions;
    this.#stateless = createMetadataReader(revisions);
    this.#agreed = agreed;
  }

  /** Checks a value from the wire. */
  check(direction: Direction, message: unknown): ConnectionEntry {
    const incoming = classify(message);
    const { revision, problem } = this.#read(direction, incoming);
    return { direction, protocol: revision?.id, message, ...(problem && { problem }) };
  }

  /** Describes input which is not readable as a message. */
  describe(direction: Direction, { message, value }: FramingProblem): ConnectionEntry {
    return { direction, protocol: this.#revision?.id, message: value, problem: { path: "", message } };
  }

  #read(direction: Direction, incoming: Incoming): Finding {
    switch (incoming.kind) {
      case "request":
        return this.#readRequest(direction, incoming);
      case "notification":
        return this.#readNotification(direction, incoming);
      case "result":
        return this.#readResult(direction, incoming);
      case "error":
        return { revision: this.#take(direction, incoming.id)?.revision ?? this.#revision };
      case "invalid":
      case "unusable":
        return { revision: this.#revision, problem: { path: "", message: incoming.reason } };
      default:
        return incoming satisfies never;
    }
  }

  #readRequest(direction: Direction, { id, method, params }: Extract<Incoming, { kind: "request" }>): Finding {
    const isOpening = method === opening;
    const named = this.#readOwnRevision(params);
    // A server that rejects stateless requests may be opened by a handshake on the same connection.
    if (named || isOpening) this.#named = named;
    const revision = named ?? this.#revision;
    // The opening request follows the revision that it proposes.
    const applied = isOpening && isObject(params) ? this.#find(params.protocolVersion) : revision;
    const row =
      applied && findMethod(direction === "to-server" ? applied.clientRequests : applied.serverRequests, method);
    this.#add(direction, id, { method, row, revision });
    if (!applied) return { revision };
    if (!row) return { revision, problem: unknownMethod(method, applied) };
    return { revision, problem: checkParams(row, params) };
  }

  #readNotification(direction: Direction, { method, params }: Extract<Incoming, { kind: "notification" }>): Finding {
    const revision = this.#revision;
    if (!revision) return { revision };
    const table = direction === "to-server" ? revision.clientNotifications : revision.serverNotifications;
    const row =
      findMethod(table, method) ?? Object.values(table).find(({ aliases }) => aliases?.includes(method) === true);
    return { revision, problem: row ? checkParams(row, params) : unknownMethod(method, revision) };
  }

  #readResult(direction: Direction, { id, result }: Extract<Incoming, { kind: "result" }>): Finding {
    const request = this.#take(direction, id);
    if (!request) return { revision: this.#revision };
    if (request.method === opening && isObject(result)) {
      this.#agreed = this.#find(result.protocolVersion);
      const row = this.#agreed && findMethod(this.#agreed.clientRequests, opening);
      return { revision: this.#agreed, problem: row && toProblem("result", row.result(result)) };
    }
    const { row, revision } = request;
    return { revision, problem: row && toProblem("result", row.result(result)) };
  }

  get #revision(): Revision | undefined {
    return this.#agreed ?? this.#named;
  }

  #readOwnRevision(params: unknown): Revision | undefined {
    const version = this.#stateless?.readVersion(params);
    return this.#stateless?.revisions.find(({ id }) => id === version);
  }

  #find(id: unknown): Revision | undefined {
    return this.#revisions.find((revision) => revision.id === id);
  }

  #add(direction: Direction, id: RequestId, request: PendingRequest): void {
    // Cancelled requests may have no response.
    setLimited(this.#pending, [keyOf(direction, id), request], mostPending);
  }

  /** Takes the request to which a response in a direction belongs. */
  #take(direction: Direction, id: RequestId | undefined): PendingRequest | undefined {
    if (id === undefined) return undefined;
    const key = keyOf(direction === "to-server" ? "to-client" : "to-server", id);
    const request = this.#pending.get(key);
    this.#pending.delete(key);
    return request;
  }
}

interface PendingRequest {
  readonly method: string;
  readonly row: RequestRow | undefined;
  readonly revision: Revision | undefined;
}

interface Finding {
  readonly revision: Revision | undefined;
  readonly problem?: TrafficProblem | undefined;
}

/** Method to open a session with. Its result names the revision. */
const opening = "initialize";

/** Maximum number of requests of a connection to remember for their responses. */
const mostPending = 10_000;

function keyOf(direction: Direction, id: RequestId): string {
  return `${direction} ${JSON.stringify(id)}`;
}

function checkParams(
  { params: check, paramsOptional }: Pick<RequestRow, "params" | "paramsOptional">,
  params: unknown,
): TrafficProblem | undefined {
  return params === undefined && paramsOptional ? undefined : toProblem("params", check(params));
}

function toProblem(member: string, issue: Issue | undefined): TrafficProblem | undefined {
  if (!issue) return undefined;
  return { path: issue.path === "" ? member : `${member}/${issue.path}`, message: `expected ${issue.expected}` };
}

function unknownMethod(method: string, { id }: Revision): TrafficProblem {
  return { path: "method", message: `${JSON.stringify(method.slice(0, 100))} is not a method of revision ${id}` };
}

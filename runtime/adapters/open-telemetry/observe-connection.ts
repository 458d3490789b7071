import { isObject, type Revision } from "../../../generated/support.ts";
import { isThenable } from "../../internal/maybe-async.ts";
import type { Channel, NetworkDetails, Receiver } from "../../jsonrpc/channel.ts";
import { ClosedError } from "../../jsonrpc/errors.ts";
import {
  classify,
  isBatch,
  StaticResult,
  type Incoming,
  type Message,
  type NotificationMessage,
  type Outgoing,
  type RequestId,
  type RequestMessage,
} from "../../jsonrpc/message.ts";
import { replaceMembers } from "../../jsonrpc/replace-members.ts";
import type { ObservedConnection } from "../../protocol/session/telemetry.ts";
import { isTraceKey } from "../../protocol/session/trace-context.ts";
import { other } from "./conventions.ts";
import type { KnownMethods } from "./known-methods.ts";
import type { OperationEnd, OperationStart } from "./operation.ts";
import type { Operation, Recorder } from "./recorder.ts";

/** Parts of an observer of a connection. */
export interface ObserverParts {
  readonly recorder: Recorder;
  readonly methods: KnownMethods;
  readonly facts: ObservedConnection;
}

/** Returns the channel with an observer of its messages. */
export function observeConnection(channel: Channel, parts: ObserverParts): Channel {
  const { start, send, agree, abandon, failed, close } = new ConnectionObserver(channel, parts);
  return replaceMembers(channel, { start, send, agree, abandon, failed, close });
}

/** Members of a channel replaced by the observer. */
type ObservedMembers = Required<Pick<Channel, "start" | "send" | "agree" | "abandon" | "failed" | "close">>;

/** Records the operations of one connection: each sent or received message, until its response. */
class ConnectionObserver implements ObservedMembers {
  readonly #channel: Channel;
  readonly #parts: ObserverParts;
  readonly #since = performance.now();
  /** Running requests of the peer. An id used twice by the peer has several, the last of which is rejected first. */
  readonly #incoming = new Map<RequestId, readonly Operation[]>();
  readonly #outgoing = new Map<RequestId, Operation>();
  /** Requests of the batch being received. */
  #batch: readonly RequestId[] = [];
  #revision: Revision | undefined;
  #isEnded = false;

  constructor(channel: Channel, parts: ObserverParts) {
    this.#channel = channel;
    this.#parts = parts;
    this.#revision = parts.facts.revision;
  }

  readonly start = (receiver: Receiver): void => {
    const hold = receiver.hold?.bind(receiver);
    this.#channel.start({
      message: (value, origin) => {
        if (Array.isArray(value)) this.#receiveBatch(value, () => receiver.message(value, origin));
        else this.#receive(classify(value), origin, receiver);
      },
      classified: (incoming, origin) => this.#receive(incoming, origin, receiver),
      problem: (problem) => {
        receiver.problem(problem);
        if (problem.value !== undefined) this.#endUnusable(classify(problem.value), problem.message);
      },
      ...(hold && { hold }),
      ended: () => receiver.ended(),
      disconnected: (reason) => {
        receiver.disconnected(reason);
        this.#finish(reason);
      },
    });
  };

  readonly send = (outgoing: Outgoing, related?: RequestId): void | Promise<void> => {
    if (!isBatch(outgoing) && "method" in outgoing) return this.#call(outgoing, related);
    const sent = this.#channel.send(outgoing, related);
    for (const message of isBatch(outgoing) ? outgoing : [outgoing]) this.#responded(message);
    return sent;
  };

  readonly agree = (revision: Revision): void => {
    this.#revision = revision;
    this.#channel.agree?.(revision);
  };

  readonly abandon = (id: RequestId): void => {
    this.#endIncoming(id, { kind: "failed", error: new DOMException("Cancelled by the peer", "AbortError") });
    this.#channel.abandon?.(id);
  };

  readonly failed = (id: RequestId, error: unknown): void => {
    this.#endOutgoing(id, { kind: "failed", error });
    this.#channel.failed?.(id, error);
  };

  readonly close = async (): Promise<void> => {
    try {
      await this.#channel.close();
    } finally {
      this.#finish();
    }
  };

  #call(message: RequestMessage | NotificationMessage, related: RequestId | undefined): void | Promise<void> {
    const operation = this.#parts.recorder.begin(this.#describe("client", message), this.#runningOf(related));
    const id = "id" in message ? message.id : undefined;
    if (id !== undefined) this.#outgoing.set(id, operation);
    // A request ends with its response.
    const succeed = (): void => (id === undefined ? operation.end({ kind: "sent" }) : undefined);
    const fail = (error: unknown): void => {
      if (id !== undefined) this.#outgoing.delete(id);
      operation.end({ kind: "failed", error });
    };
    try {
      const sent = operation.run(() => this.#channel.send(withFields(message, operation.fields), related));
      if (isThenable(sent)) sent.then(succeed, fail);
      else succeed();
      return sent;
    } catch (thrown) {
      fail(thrown);
      throw thrown;
    }
  }

  #responded(message: Message): void {
    if ("method" in message) return;
    const end = toEnd(message);
    if (message.id !== undefined) return this.#endIncoming(message.id, end);
    // The batch as a whole is rejected.
    for (const id of this.#batch) this.#endIncoming(id, end);
  }

  #receive(incoming: Incoming, origin: unknown, receiver: Receiver): void {
    const deliver = (): void => receiver.classified(incoming, origin);
    switch (incoming.kind) {
      case "request": {
        const operation = this.#beginIncoming(incoming, origin);
        return operation ? operation.run(deliver) : deliver();
      }
      case "notification": {
        const operation = this.#parts.recorder.begin(this.#describe("server", incoming, origin));
        try {
          return operation.run(deliver);
        } finally {
          operation.end({ kind: "sent" });
        }
      }
      case "result":
      case "error":
        deliver();
        return this.#endResponded(incoming);
      default:
        deliver();
        return this.#endUnusable(incoming, incoming.reason);
    }
  }

  /** Ends the request whose response cannot be used. */
  #endUnusable(incoming: Incoming, reason: string): void {
    const { kind } = incoming;
    const isCall = kind === "request" || kind === "notification" || (kind === "invalid" && !incoming.mayRespond);
    if (isCall || incoming.id === undefined) return;
    this.#endOutgoing(incoming.id, { kind: "invalid", message: reason });
  }

  /** Receives a batch. Its requests run in no context of their own, because the receiver handles the batch as a whole. */
  #receiveBatch(values: readonly unknown[], deliver: () => void): void {
    const members = values.map(classify);
    const requests = members.filter((member) => member.kind === "request");
    for (const request of requests) this.#beginIncoming(request, undefined);
    this.#batch = requests.map(({ id }) => id);
    deliver();
    this.#batch = [];
    for (const member of members) if (member.kind === "result" || member.kind === "error") this.#endResponded(member);
  }

  #beginIncoming(request: Incoming & { readonly kind: "request" }, origin: unknown): Operation | undefined {
    // Requests to a client without a session get no response, so that they would never end.
    const isIgnored = this.#parts.facts.role === "client" && this.#revision?.lifecycle === "per-request";
    if (isIgnored || this.#incoming.size >= mostRunning) return undefined;
    const operation = this.#parts.recorder.begin(this.#describe("server", request, origin));
    this.#incoming.set(request.id, [...(this.#incoming.get(request.id) ?? []), operation]);
    return operation;
  }

  #endIncoming(id: RequestId, end: OperationEnd): void {
    const running = this.#incoming.get(id) ?? [];
    if (running.length > 1) this.#incoming.set(id, running.slice(0, -1));
    else this.#incoming.delete(id);
    running.at(-1)?.end(end);
  }

  #endOutgoing(id: RequestId, end: OperationEnd): void {
    const operation = this.#outgoing.get(id);
    this.#outgoing.delete(id);
    operation?.end(end);
  }

  #endResponded(response: IncomingResponse): void {
    if (response.id !== undefined) this.#endOutgoing(response.id, toEnd(response));
  }

  #runningOf(id: RequestId | undefined): Operation | undefined {
    return id === undefined ? undefined : this.#incoming.get(id)?.at(-1);
  }

  /** Describes a message. Revision and session become known during the handshake, so they are read only when needed. */
  #describe(
    kind: OperationStart["kind"],
    message: { readonly method: string; readonly params?: unknown; readonly id?: RequestId },
    origin?: unknown,
  ): OperationStart {
    const { methods, facts } = this.#parts;
    const readRevision = (): Revision | undefined => methods.findRevision(message.params) ?? this.#revision;
    const channel = this.#channel;
    const received = isObject(origin) && isNetwork(origin.network) ? origin.network : undefined;
    return {
      kind,
      role: facts.role,
      method: methods.has(message.method) ? message.method : other,
      params: message.params,
      ...("id" in message && { id: message.id }),
      get revision() {
        return readRevision();
      },
      get network() {
        return received ?? channel.network;
      },
      get sessionId() {
        return channel.session?.id ?? channel.network?.sessionId;
      },
    };
  }

  #finish(reason?: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const error = reason ?? new ClosedError("The connection was closed");
    for (const id of [...this.#outgoing.keys()]) this.#endOutgoing(id, { kind: "failed", error });
    for (const running of this.#incoming.values())
      for (const operation of running) operation.end({ kind: "failed", error });
    this.#incoming.clear();
    const { recorder, facts } = this.#parts;
    const revision = this.#revision;
    if (facts.isStateless || revision?.lifecycle !== "handshake") return;
    const milliseconds = performance.now() - this.#since;
    recorder.endSession({ milliseconds, error: reason, role: facts.role, revision, network: this.#channel.network });
  }
}

/** Maximum number of a peer's running requests to record. */
const mostRunning = 10_000;

type IncomingResponse = Incoming & { readonly kind: "result" | "error" };

function toEnd(message: Exclude<Message, { readonly method: string }> | IncomingResponse): OperationEnd {
  if ("error" in message) return { kind: "error", code: message.error.code, message: message.error.message };
  const { result } = message;
  return { kind: "result", result: result instanceof StaticResult ? result.value : result };
}

function isNetwork(value: unknown): value is NetworkDetails {
  return isObject(value) && typeof value.transport === "string";
}

/** Returns a message with trace context in its metadata, in place of its own. */
function withFields<Sent extends RequestMessage | NotificationMessage>(
  message: Sent,
  fields: Readonly<Record<string, string>>,
): Sent {
  if (Object.keys(fields).length === 0) return message;
  const params = isObject(message.params) ? message.params : {};
  const meta = isObject(params._meta) ? params._meta : {};
  const kept = Object.entries(meta).filter(([key]) => !isTraceKey(key));
  return { ...message, params: { ...params, _meta: { ...Object.fromEntries(kept), ...fields } } };
}

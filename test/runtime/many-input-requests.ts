import { extension } from "../../generated/extensions/tasks/index.ts";
import { isObject } from "../../generated/support.ts";
import { connect, type ClientConnection } from "../../runtime/client/connect.ts";
import type { ConnectionFactoryOptions } from "../../runtime/client/connection-factory.ts";
import { statelessRevision } from "../kit/revisions.ts";
import { Wire } from "../../runtime/testing/wire.ts";

/** How a server sends its input requests. */
export type Way = "result" | "task";

/**
 * Connects to a server without sessions whose tool sends this number of input requests, and has its result after the responses. Each connection is a
 * server of its own.
 */
export function connectToRequesting(
  count: number,
  way: Way = "result",
): (options: ConnectionFactoryOptions) => Promise<ClientConnection> {
  return (options) => connect(new RequestingServer(count, way), options);
}

/** Collects the warnings of Node.js until the returned function is called, which returns them. */
export function collectWarnings(): () => Promise<readonly Error[]> {
  const warnings: Error[] = [];
  const collect = (warning: Error): void => void warnings.push(warning);
  process.on("warning", collect);
  return async () => {
    // Warnings are emitted in the next tick.
    await new Promise((resolve) => setTimeout(resolve));
    process.off("warning", collect);
    return warnings;
  };
}

const list = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
const at = "2000-01-01T00:00:00.000Z";
const task = { taskId: "t", createdAt: at, lastUpdatedAt: at, ttlMs: null, pollIntervalMs: 1 };
const result = { resultType: "complete", content: [{ type: "text", text: "done" }] };

const inputRequest = {
  method: "elicitation/create",
  params: { message: "?", requestedSchema: { type: "object", properties: {} } },
};

class RequestingServer extends Wire {
  readonly #count: number;
  readonly #way: Way;
  #isDone = false;

  constructor(count: number, way: Way) {
    super();
    this.#count = count;
    this.#way = way;
  }

  override send(...sent: Parameters<Wire["send"]>): void {
    super.send(...sent);
    const message: unknown = this.sent.at(-1);
    if (!isObject(message) || message.id === undefined || typeof message.method !== "string") return;
    const { inputResponses } = isObject(message.params) ? message.params : {};
    const outcome = this.#respond(message.method, inputResponses);
    const body = outcome ? { result: outcome } : { error: { code: -32601, message: "Method not found" } };
    queueMicrotask(() => this.post({ jsonrpc: "2.0", id: message.id, ...body }));
  }

  #respond(method: string, inputResponses: unknown): object | undefined {
    if (isObject(inputResponses)) this.#isDone = Object.keys(inputResponses).length === this.#count;
    switch (method) {
      case "server/discover":
        return {
          ...list,
          supportedVersions: [statelessRevision.id],
          capabilities: { tools: {}, ...(this.#way === "task" && { extensions: { [extension.id]: {} } }) },
        };
      case "tools/list":
        return { ...list, tools: [{ name: "t", inputSchema: { type: "object" } }] };
      case "tools/call":
        if (this.#way === "task") return { resultType: "task", status: "working", ...task };
        return this.#isDone ? result : { resultType: "input_required", ...this.#inputRequests };
      case "tasks/get":
        return this.#isDone
          ? { resultType: "complete", status: "completed", result, ...task }
          : { resultType: "complete", status: "input_required", ...this.#inputRequests, ...task };
      case "tasks/update":
      case "tasks/cancel":
        return { resultType: "complete" };
      default:
        return undefined;
    }
  }

  get #inputRequests(): object {
    const keys = Array.from({ length: this.#count }, (_, index) => `k${index}`);
    return { inputRequests: Object.fromEntries(keys.map((key) => [key, inputRequest])) };
  }
}

import type { Declarations } from "../../../../generated/2026-07-28/index.ts";
import { isObject } from "../../../../generated/support.ts";
import type { Outgoing, RequestId } from "../../../../runtime/jsonrpc/message.ts";
import type { ErrorReport } from "../../../../runtime/jsonrpc/error-report.ts";
import type { HandlerContext } from "../../../../runtime/server/protocol-types.ts";
import { createServerAcceptor } from "../../../../runtime/server/run/acceptor.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import type { AnyServerDefinition, AnyTool } from "../../../../runtime/server/any-definition.ts";
import { Wire } from "../../../../runtime/testing/wire.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { meta, request } from "../../../kit/messages.ts";

/** All capabilities for input. */
export const everything: object = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {},
};

/** A context with all that a handler may do. */
export type Context = HandlerContext<Declarations>;

/** A handler that knows what it may do. */
export type Run = { run(args: unknown, context: Context): unknown }["run"];

/** A stateless client that responds to nothing by itself. */
export interface RawClient {
  readonly wire: Wire;
  readonly reports: readonly ErrorReport[];
  /** Calls the tool `t`, or sends what the params are meant for. */
  call(params?: object, method?: string): Promise<RawCall>;
  /** The same call again, with the state of the round before it. */
  again(round: RawCall, inputResponses?: object, params?: object): Promise<RawCall>;
}

/** Outcome of one request. */
export interface RawCall {
  readonly method: string;
  readonly params: object;
  /** The result, or the error. */
  readonly response: unknown;
  readonly requests: Readonly<Record<string, unknown>>;
  readonly keys: readonly string[];
  readonly state: string | undefined;
  readonly text: string | undefined;
}

/** Connects to a server with one tool, `t`. */
export function connectRaw(
  run: Run,
  definition: Partial<AnyServerDefinition> = {},
  capabilities: object = everything,
): RawClient {
  const reports: ErrorReport[] = [];
  const onError = (report: ErrorReport): void => void reports.push(report);
  const tools = [{ name: "t", inputSchema: anything, execute: run }];
  const server = createServer({ name: "test", version: "1", tools, onError, ...definition }, revisions);
  const wire = new RespondingWire();
  createServerAcceptor(server)(wire);
  let id = 0;
  const call = async (params: object = { name: "t" }, method = "tools/call"): Promise<RawCall> => {
    id += 1;
    const response = wire.responseTo(id);
    wire.post(request(id, method, params, { [meta.capabilities]: capabilities, [meta.logLevel]: "error" }));
    return toRawCall(method, params, await response);
  };
  return {
    wire,
    reports,
    call,
    again: ({ method, params, state }, inputResponses, others) =>
      call({ ...params, requestState: state, ...(inputResponses && { inputResponses }), ...others }, method),
  };
}

/** A wire whose responses can be awaited. */
class RespondingWire extends Wire {
  readonly #waiting = new Map<unknown, (response: unknown) => void>();

  responseTo(id: number): Promise<unknown> {
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  override send(message: Outgoing, related?: RequestId): void {
    super.send(message, related);
    const sent = this.sent.at(-1);
    if (!isObject(sent)) return;
    this.#waiting.get(sent.id)?.(sent.error === undefined ? sent.result : { error: sent.error });
  }
}

/** A question of the smallest kind. */
export function formParams(message: string): Declarations["ElicitRequestFormParams"] {
  return { message, requestedSchema: { type: "object", properties: { a: { type: "string" } } } };
}

/** A response to it. */
export function accept(a: string): object {
  return { action: "accept", content: { a } };
}

function toRawCall(method: string, params: object, response: unknown): RawCall {
  const { inputRequests, requestState, content } = isObject(response) ? response : {};
  const requests = isObject(inputRequests) ? inputRequests : {};
  const [first]: unknown[] = Array.isArray(content) ? content : [];
  return {
    method,
    params,
    response,
    requests,
    keys: Object.keys(requests),
    state: typeof requestState === "string" ? requestState : undefined,
    text: isObject(first) && typeof first.text === "string" ? first.text : undefined,
  };
}

/** Arguments of any kind. */
export const anything: NonNullable<AnyTool["inputSchema"]> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => ({ value }),
    jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
  },
};

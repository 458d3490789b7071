import {
  isObject,
  type EmbeddedRow,
  type RequestRow,
  type Revision,
  fail,
  under,
  type Issue,
} from "../../../generated/support.ts";
import { findMethod, findRow } from "../../protocol/methods/method-rows.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { toWrittenRow } from "../../protocol/session/written-row.ts";
import { asHandled } from "../../internal/as-handled.ts";
import { InvalidMessageError } from "../../jsonrpc/errors.ts";
import { sendInputRequest, type InputRequestParts } from "./send-input-request.ts";
import { HandlerScope, type ContextParts, type CreateScope } from "../context.ts";
import { ToolError } from "../errors.ts";
import type { AskForTask } from "../feature.ts";
import { inputRequestKinds, missingAtRevision } from "./capability-gates.ts";
import { createForm } from "./form.ts";
import type { ClientRequest } from "./input-runner.ts";
import type { InputRequestOptions } from "./request-types.ts";
import type { ClientInput } from "./request-state-record.ts";

/** Creates contexts for programs with input requests. The input requests of a revision are looked up once. */
export function createInputScopes(revision: Revision, askForTask: AskForTask | undefined): CreateScope {
  const rows: InputRequestRows = {
    createMessage: findInputRequest(revision, "createMessage"),
    elicit: findInputRequest(revision, "elicit"),
    listRoots: findInputRequest(revision, "listRoots"),
  };
  const isEmbedded = Object.keys(revision.serverRequests).length === 0;
  const inputRequests: InputRequests = { rows, isEmbedded, askForTask };
  return (call, parts) => new AskingScope(call, parts, inputRequests);
}

type InputRequestRows = { readonly [Kind in keyof typeof inputRequestKinds]: RequestRow | undefined };

/** Finds the row of an input request. Where servers send no requests, it is part of a result: the lifecycle brings it to the client. */
function findInputRequest(revision: Revision, handler: string): RequestRow | undefined {
  return findRow(revision.serverRequests, handler) ?? toRequestRow(findRow(revision.embeddedRequests, handler));
}

function toRequestRow(embedded: EmbeddedRow | undefined): RequestRow | undefined {
  return embedded && { ...embedded, kind: "request" };
}

interface InputRequests extends Pick<InputRequestParts, "askForTask"> {
  readonly rows: InputRequestRows;
  /** True if they are part of results. */
  readonly isEmbedded: boolean;
}

/** Context of a handler with input requests. */
class AskingScope extends HandlerScope {
  readonly #call: CallContext;
  readonly #parts: ContextParts;
  readonly #inputRequests: InputRequests;

  constructor(call: CallContext, parts: ContextParts, inputRequests: InputRequests) {
    super(call, parts);
    this.#call = call;
    this.#parts = parts;
    this.#inputRequests = inputRequests;
  }

  get inputResponses(): ClientInput["inputResponses"] | undefined {
    return this.#parts.inputRunner.of(this.#call).input?.inputResponses;
  }

  get requestState(): string | undefined {
    return this.#parts.inputRunner.of(this.#call).input?.requestState;
  }

  // A handler may fail before it awaits a request that it has sent: the end of that one must not end the process.

  get sample(): (request: object | string, options?: InputRequestOptions) => Promise<unknown> {
    return (request, options = {}) => asHandled(this.#sample(request, options));
  }

  get elicit(): (request: object | string, schema?: unknown, options?: InputRequestOptions) => Promise<unknown> {
    return (request, schema, options) => asHandled(this.#elicit(request, schema, options));
  }

  get roots(): (options?: InputRequestOptions) => Promise<unknown> {
    return (options) => asHandled(this.#roots(options));
  }

  get request(): (method: string, params?: object, options?: InputRequestOptions) => Promise<unknown> {
    return (method, params = {}, options = {}) => asHandled(this.#request(method, { params, ...options }));
  }

  async #request(method: string, request: Omit<ClientRequest, "row">): Promise<unknown> {
    const { serverRequests, embeddedRequests, id } = this.#call.revision;
    const row = findMethod(serverRequests, method) ?? toRequestRow(findMethod(embeddedRequests, method));
    if (row) return this.#send({ ...request, row });
    const known = Object.values(inputRequestKinds).find((kind) => kind.method === method);
    if (known) throw missingAtRevision(known);
    throw new Error(`Revision ${id} has no request ${method} of servers; check context.revision first`);
  }

  async #sample(request: object | string, options: InputRequestOptions): Promise<unknown> {
    if (typeof request !== "string") return this.#ask("createMessage", { params: request, ...options });
    const params = toSamplingParams(request, options);
    return joinText(await this.#askTyped("createMessage", { params, key: options.key, accept: checkText }));
  }

  async #elicit(request: object | string, schema: unknown, options: InputRequestOptions | undefined): Promise<unknown> {
    if (typeof request !== "string") return this.#ask("elicit", { params: request, key: readKey(schema) });
    const { requestedSchema, check, toResponse } = createForm(schema, this.#rowOf("elicit"), this.#call.session);
    const params = { message: request, requestedSchema };
    return toResponse(await this.#askTyped("elicit", { params, key: options?.key, accept: check }));
  }

  async #roots(options: InputRequestOptions | undefined): Promise<unknown> {
    const result = await this.#ask("listRoots", { params: {}, ...options });
    return isObject(result) ? result.roots : undefined;
  }

  /** Sends an input request whose response is typed. An unusable response is an error for the client, whose text names the member. */
  async #askTyped(kind: keyof typeof inputRequestKinds, request: Omit<ClientRequest, "row">): Promise<unknown> {
    try {
      return await this.#ask(kind, request);
    } catch (thrown) {
      const isInvalid = thrown instanceof InvalidMessageError && thrown.part === "result";
      throw isInvalid ? new ToolError(thrown.message, { cause: thrown }) : thrown;
    }
  }

  async #ask(kind: keyof typeof inputRequestKinds, request: Omit<ClientRequest, "row">): Promise<unknown> {
    return this.#send({ ...request, row: this.#rowOf(kind) });
  }

  async #send(request: ClientRequest): Promise<unknown> {
    const { inputRunner } = this.#parts;
    const { check } = inputRunner;
    const { askForTask } = this.#inputRequests;
    const signal = inputRunner.signalOf?.(this.#call);
    return sendInputRequest(this.#call, request, { askForTask, signal, ...(check && { check }) });
  }

  #rowOf(kind: keyof typeof inputRequestKinds): RequestRow {
    const { rows, isEmbedded } = this.#inputRequests;
    const row = rows[kind];
    if (!row) throw missingAtRevision(inputRequestKinds[kind]);
    return isEmbedded ? toWrittenRow(row, this.#call.session) : row;
  }
}

function readKey(options: unknown): string | undefined {
  return isObject(options) && typeof options.key === "string" ? options.key : undefined;
}

/** Returns the params of a sampling request with a text. */
function toSamplingParams(text: string, options: object): object {
  const { key: _key, ...params }: Record<string, unknown> = { maxTokens: defaultMaxTokens, ...options };
  return { messages: [{ role: "user", content: { type: "text", text } }], ...params };
}

/** Tokens of a response to a text at most, unless the request has `maxTokens`. */
const defaultMaxTokens = 1_000;

/** Returns the problem of a response other than text, if any. */
function checkText(response: unknown): Issue | undefined {
  const content = isObject(response) ? response.content : undefined;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  const at = blocks.findIndex((block) => !isTextBlock(block));
  if (at < 0) return undefined;
  const issue = fail('"text", or the request sample({ messages, ... })', "type");
  return under("content", Array.isArray(content) ? under(at, issue) : issue);
}

/** Returns the text of a checked response. */
function joinText(response: unknown): string {
  const content = isObject(response) ? response.content : undefined;
  return [content]
    .flat()
    .map((block) => (isTextBlock(block) ? block.text : ""))
    .join("");
}

function isTextBlock(block: unknown): block is { readonly text: string } {
  return isObject(block) && block.type === "text" && typeof block.text === "string";
}

import { isObject, type RequestRow, type Revision } from "../../../generated/support.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { CapabilityError } from "../../jsonrpc/errors.ts";
import { askClient, type AskingParts } from "./ask-client.ts";
import { HandlerScope, type ContextParts, type CreateScope } from "../context.ts";
import type { AskForTask } from "../feature.ts";
import type { InputRequestOptions } from "../protocol-types.ts";
import type { ClientInput } from "./request-state-record.ts";

/** Creates contexts for programs with input requests. The input requests of a revision are looked up once. */
export function createAskingScopes(revision: Revision, askForTask: AskForTask | undefined): CreateScope {
  const rows: InputRequestRows = {
    createMessage: findInputRequest(revision, "createMessage"),
    elicit: findInputRequest(revision, "elicit"),
    listRoots: findInputRequest(revision, "listRoots"),
  };
  const inputRequests: InputRequests = { rows, askForTask };
  return (call, parts) => new AskingScope(call, parts, inputRequests);
}

type InputRequestRows = { readonly [Kind in keyof typeof kinds]: RequestRow | undefined };

/** Finds the row of an input request. Where servers send no requests, it is part of a result: the lifecycle brings it to the client. */
function findInputRequest(revision: Revision, handler: string): RequestRow | undefined {
  const embedded = findRow(revision.embeddedRequests, handler);
  return findRow(revision.serverRequests, handler) ?? (embedded && { ...embedded, kind: "request" });
}

interface InputRequests extends Pick<AskingParts, "askForTask"> {
  readonly rows: InputRequestRows;
}

/** Context of a handler that may send input requests. */
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

  get sample(): SendInputRequest {
    return (params, options) => this.#ask("createMessage", params, options);
  }

  get elicit(): SendInputRequest {
    return (params, options) => this.#ask("elicit", params, options);
  }

  get roots(): (options?: InputRequestOptions) => Promise<unknown> {
    return async (options) => {
      const result = await this.#ask("listRoots", {}, options);
      return isObject(result) ? result.roots : undefined;
    };
  }

  async #ask(kind: keyof typeof kinds, params: object, { key }: InputRequestOptions = {}): Promise<unknown> {
    const { check } = this.#parts.inputRunner;
    const { rows, askForTask } = this.#inputRequests;
    const row = rows[kind];
    // At a revision without the input request, no client can have declared its capability.
    if (!row) throw new CapabilityError(kinds[kind].method, { side: "client", path: [kinds[kind].capability] });
    return askClient(this.#call, { row, params, key }, { askForTask, ...(check && { check }) });
  }
}

type SendInputRequest = (params: object, options?: InputRequestOptions) => Promise<unknown>;

const kinds = {
  createMessage: { method: "sampling/createMessage", capability: "sampling" },
  elicit: { method: "elicitation/create", capability: "elicitation" },
  listRoots: { method: "roots/list", capability: "roots" },
} as const;

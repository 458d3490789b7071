import { isObject, type RequestRow, type Revision } from "../../../generated/support.ts";
import { findRow } from "../../protocol/method-rows.ts";
import type { CallContext } from "../../protocol/incoming-call.ts";
import { CapabilityError } from "../../jsonrpc/errors.ts";
import { askClient, type AskingParts } from "./ask-client.ts";
import { HandlerScope, type ContextParts, type CreateScope } from "../context.ts";
import type { AskForTask } from "../feature.ts";
import type { QuestionOptions } from "../protocol-types.ts";
import type { RoundInput } from "./round-record.ts";

/** Creates contexts for programs with input requests. The input requests of a revision are looked up once. */
export function createAskingScopes(revision: Revision, askForTask: AskForTask | undefined): CreateScope {
  const rows: QuestionRows = {
    createMessage: findQuestion(revision, "createMessage"),
    elicit: findQuestion(revision, "elicit"),
    listRoots: findQuestion(revision, "listRoots"),
  };
  const questions: Questions = { rows, askForTask };
  return (call, parts) => new AskingScope(call, parts, questions);
}

type QuestionRows = { readonly [Kind in keyof typeof kinds]: RequestRow | undefined };

/** Finds the row of an input request. Where servers send no requests, it is part of a result: the lifecycle brings it to the client. */
function findQuestion(revision: Revision, handler: string): RequestRow | undefined {
  const embedded = findRow(revision.embeddedRequests, handler);
  return findRow(revision.serverRequests, handler) ?? (embedded && { ...embedded, kind: "request" });
}

interface Questions extends Pick<AskingParts, "askForTask"> {
  readonly rows: QuestionRows;
}

/** Context of a handler that may send input requests. */
class AskingScope extends HandlerScope {
  readonly #call: CallContext;
  readonly #parts: ContextParts;
  readonly #questions: Questions;

  constructor(call: CallContext, parts: ContextParts, questions: Questions) {
    super(call, parts);
    this.#call = call;
    this.#parts = parts;
    this.#questions = questions;
  }

  get inputResponses(): RoundInput["inputResponses"] | undefined {
    return this.#parts.rounds.of(this.#call).input?.inputResponses;
  }

  get requestState(): string | undefined {
    return this.#parts.rounds.of(this.#call).input?.requestState;
  }

  get sample(): Question {
    return (params, options) => this.#ask("createMessage", params, options);
  }

  get elicit(): Question {
    return (params, options) => this.#ask("elicit", params, options);
  }

  get roots(): (options?: QuestionOptions) => Promise<unknown> {
    return async (options) => {
      const result = await this.#ask("listRoots", {}, options);
      return isObject(result) ? result.roots : undefined;
    };
  }

  async #ask(kind: keyof typeof kinds, params: object, { key }: QuestionOptions = {}): Promise<unknown> {
    const { check } = this.#parts.rounds;
    const { rows, askForTask } = this.#questions;
    const row = rows[kind];
    // At a revision without the input request, no client can have declared its capability.
    if (!row) throw new CapabilityError(kinds[kind].method, { side: "client", path: [kinds[kind].capability] });
    return askClient(this.#call, { row, params, key }, { askForTask, ...(check && { check }) });
  }
}

type Question = (params: object, options?: QuestionOptions) => Promise<unknown>;

const kinds = {
  createMessage: { method: "sampling/createMessage", capability: "sampling" },
  elicit: { method: "elicitation/create", capability: "elicitation" },
  listRoots: { method: "roots/list", capability: "roots" },
} as const;

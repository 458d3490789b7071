import type { CallContext } from "../rpc/call.ts";
import type { SchemaIssue } from "../common/schema-issue.ts";
import { unknownProgram } from "../rpc/session.ts";
import { readTask, type TaskControl } from "../tasks/task-call.ts";
import { checkForm, fillForm } from "./form.ts";
import type { AnyAnswerContext, AnyFormContext } from "./source.ts";

/** What a handler of the user gets: a view of the server's request that it answers. Its functions may be taken off it. */
export class AnswerScope implements AnyAnswerContext {
  readonly #call: CallContext;

  constructor(call: CallContext) {
    this.#call = call;
  }

  get server(): { readonly info: object; readonly capabilities: object } {
    const { info = unknownProgram, capabilities } = this.#call.session.peer;
    return { info, capabilities };
  }

  get revision(): string {
    return this.#call.revision.id;
  }

  get requestId(): string | number {
    return this.#call.requestId;
  }

  get meta(): { readonly [key: string]: unknown } {
    return this.#call.meta;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get task(): TaskControl | undefined {
    return readTask(this.#call);
  }

  readonly progress = (progress: number, total?: number, message?: string): Promise<void> =>
    this.#call.progress({
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    });
}

/** The context of a form, which knows what was asked for. */
export class FormScope extends AnswerScope implements AnyFormContext {
  readonly #schema: unknown;

  constructor(call: CallContext, schema: unknown) {
    super(call);
    this.#schema = schema;
  }

  readonly check = (content: object): readonly SchemaIssue[] =>
    checkForm(this.#schema, fillForm(this.#schema, { ...content }));
}

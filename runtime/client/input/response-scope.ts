import type { CallContext } from "../../protocol/incoming-call.ts";
import type { SchemaIssue } from "../../protocol/schema-issue.ts";
import { unknownImplementation } from "../../protocol/session.ts";
import { CallScope } from "../../tasks/call-scope.ts";
import { checkForm, fillForm } from "../../protocol/elicitation-form.ts";
import type { AnyClientRequestContext, AnyFormContext } from "../any-definition.ts";

/** What a handler of the user gets: a view of the server's request that it answers. */
export class AnswerScope extends CallScope implements AnyClientRequestContext {
  readonly #call: CallContext;

  constructor(call: CallContext) {
    super(call);
    this.#call = call;
  }

  get server(): { readonly info: object; readonly capabilities: object } {
    const { info = unknownImplementation, capabilities } = this.#call.session.peer;
    return { info, capabilities };
  }
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

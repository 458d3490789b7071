import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import type { SchemaIssue } from "../../protocol/methods/schema-issue.ts";
import { unknownImplementation } from "../../protocol/session/session.ts";
import { CallScope } from "../../tasks/call-scope.ts";
import { checkForm, fillForm } from "../../protocol/methods/elicitation-form.ts";
import type { ClientRequestContext, FormContext } from "../protocol-types.ts";

/** Context for a handler of the user: a view of the server's request. */
export class ResponseScope extends CallScope implements ClientRequestContext {
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

/** Context of a form request, with the requested schema. */
export class FormScope extends ResponseScope implements FormContext {
  readonly #schema: unknown;

  constructor(call: CallContext, schema: unknown) {
    super(call);
    this.#schema = schema;
  }

  readonly check = (content: object): readonly SchemaIssue[] =>
    checkForm(this.#schema, fillForm(this.#schema, { ...content }));
}

/** Input requests that a handler returns: by key, each with a method and its params. */
export interface InputQuestions {
  readonly inputRequests?: { readonly [key: string]: { readonly method: string; readonly params?: object } };
  /** Text that the handler needs in the next round. The client carries it, signed: it can read it, but not change it. */
  readonly requestState?: string;
}

/** Return value of a handler that needs input before it can return its result. */
export class InputRequired<Questions extends InputQuestions = InputQuestions> {
  readonly questions: Questions;

  constructor(questions: Questions) {
    const { inputRequests, requestState } = questions;
    if (inputRequests === undefined && requestState === undefined) {
      throw new Error("inputRequired needs inputRequests, requestState or both.");
    }
    this.questions = questions;
  }
}

/**
 * Requests input of the client by returning: the handler is called again, from its beginning, with `context.inputResponses` and
 * `context.requestState`. Handlers that only need responses can use `await context.elicit(...)`, which is simpler.
 *
 * @throws {Error} when neither `inputRequests` nor `requestState` is given
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export function inputRequired<Questions extends InputQuestions>(questions: Questions): InputRequired<Questions> {
  return new InputRequired(questions);
}

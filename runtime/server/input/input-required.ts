/** Questions as a handler returns them: by key, each a method and its params. */
export interface InputQuestions {
  readonly inputRequests?: { readonly [key: string]: { readonly method: string; readonly params?: object } };
  /** Whatever the handler wants to find again, as text. The client carries it, signed: it can read it, but not change it. */
  readonly requestState?: string;
}

/** What a handler returns instead of its result when it needs input first. */
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
 * Asks the client by returning: the handler is called again, from its beginning, with `context.inputResponses` and
 * `context.requestState`. Handlers that just want answers have it simpler with `await context.elicit(...)`.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/patterns/mrtr
 */
export function inputRequired<Questions extends InputQuestions>(questions: Questions): InputRequired<Questions> {
  return new InputRequired(questions);
}

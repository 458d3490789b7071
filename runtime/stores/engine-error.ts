/** Error for an operation the engine could not perform in time. It may have been performed all the same: every operation may be repeated. */
export class EngineError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EngineError";
  }
}

/** Error for what a node does not begin because too much waits for its engine already. */
export class BacklogError extends EngineError {
  constructor(message: string) {
    super(message);
    this.name = "BacklogError";
  }
}

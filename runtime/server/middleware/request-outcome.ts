import { RpcError, isPeerError, isRpcError } from "../../jsonrpc/errors.ts";
import { isToolFailure } from "./middleware.ts";

/** Outcome of a request for logs and traces. */
export interface RequestOutcome {
  readonly kind: "answered" | "tool-error" | "refused" | "failed";
  /** Code of the error response. */
  readonly code?: number;
  readonly message?: string;
}

/** Outcome of a result: a failed tool has a result, too. */
function toOutcome(result: unknown): RequestOutcome {
  return { kind: isToolFailure(result) ? "tool-error" : "answered" };
}

/** Outcome of a thrown value: `refused` if the error was raised on purpose, `failed` if something broke. */
function toFailedOutcome(thrown: unknown): RequestOutcome {
  const isRejection = isRpcError(thrown) && !isPeerError(thrown);
  const { code, message } = RpcError.from(thrown);
  return { kind: isRejection ? "refused" : "failed", code, message };
}

/** Runs the rest of a request and reports its outcome, success or failure. */
export async function observe(
  next: () => Promise<unknown>,
  report: (outcome: RequestOutcome, milliseconds: number) => unknown,
): Promise<unknown> {
  const start = performance.now();
  const end = await next().then(
    (result) => ({ outcome: toOutcome(result), settle: () => result }),
    (thrown: unknown) => ({ outcome: toFailedOutcome(thrown), settle: () => rethrow(thrown) }),
  );
  await report(end.outcome, performance.now() - start);
  return end.settle();
}

function rethrow(thrown: unknown): never {
  throw thrown;
}

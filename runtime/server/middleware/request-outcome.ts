import { RpcError, isPeerError, isRpcError } from "../../jsonrpc/errors.ts";
import { isToolFailure } from "./middleware.ts";

/** How a request ended, as far as logs and traces are concerned. */
export interface RequestOutcome {
  readonly kind: "answered" | "tool-error" | "refused" | "failed";
  /** Code of the error that the client gets. */
  readonly code?: number;
  readonly message?: string;
}

/** What an answer means: a tool that failed answers, too. */
function toOutcome(result: unknown): RequestOutcome {
  return { kind: isToolFailure(result) ? "tool-error" : "answered" };
}

/** What a thrown value becomes for the client: `refused` where somebody decided so, `failed` where something broke. */
function toFailedOutcome(thrown: unknown): RequestOutcome {
  const isRefusal = isRpcError(thrown) && !isPeerError(thrown);
  const { code, message } = RpcError.from(thrown);
  return { kind: isRefusal ? "refused" : "failed", code, message };
}

/** Runs the rest of a request and tells how it ended, whatever that was. */
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

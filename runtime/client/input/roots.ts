import { isObject } from "../../../generated/support.ts";
import { inLaterTurn } from "../../internal/timers.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { ResponseScope } from "./response-scope.ts";
import type { AnyRootsOption, Roots } from "../protocol-types.ts";
import { isUrl } from "../../internal/parse-url.ts";

/** Roots with the members needed by the runtime. */
export interface RootsKeeper extends Roots {
  /** True if servers may request the roots. */
  readonly isOffered: boolean;
  list(call: CallContext): Promise<object>;
}

/**
 * Creates the roots of a client. A list is checked immediately, the result of a function when it is returned.
 *
 * @throws {Error} when the URI of a root does not begin with `file://`
 */
export function createRoots(source: AnyRootsOption | undefined, notify: () => void): RootsKeeper {
  let roots = source ?? [];
  let isScheduled = false;
  if (typeof roots !== "function") checkRoots(roots);
  const notifyListChanged = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    // Promises that are about to settle may bring further changes; a timer fires after them.
    inLaterTurn(() => {
      isScheduled = false;
      notify();
    });
  };
  return {
    isOffered: source !== undefined,
    notifyListChanged,
    set(next) {
      if (source === undefined)
        throw new Error(
          "The client has not declared the capability roots; create it with the option `roots`, which may be empty",
        );
      if (typeof next !== "function") checkRoots(next);
      roots = next;
      notifyListChanged();
    },
    async list(call) {
      const found: unknown = typeof roots === "function" ? await roots(new ResponseScope(call)) : roots;
      checkRoots(found);
      return { roots: found };
    },
  };
}

/**
 * Rejects roots whose URI does not begin with `file://`.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/roots#root
 */
function checkRoots(roots: unknown): void {
  if (!Array.isArray(roots)) throw new Error("The roots must be an array");
  for (const root of roots) {
    const uri: unknown = isObject(root) ? root.uri : undefined;
    if (typeof uri === "string" && /^file:\/\//i.test(uri) && isUrl(uri)) continue;
    throw new Error(`Root ${JSON.stringify(uri)} is not a file:// URI; create one with pathToFileURL()`);
  }
}

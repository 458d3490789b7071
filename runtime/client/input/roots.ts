import { isObject } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/incoming-call.ts";
import { AnswerScope } from "./response-scope.ts";
import type { AnyRootsOption } from "../any-definition.ts";

/** The roots of a client, which may change while it is connected. */
export interface Roots<Source = AnyRootsOption> {
  /** Puts other roots in place, and tells every server. */
  set(roots: Source): void;
  /** Tells every server that the roots are others now: once for each turn of the event loop, however often it is called. */
  changed(): void;
}

/** Roots as the runtime needs them. */
export interface RootsKeeper extends Roots {
  /** Whether servers may ask for them at all. */
  readonly isOffered: boolean;
  list(call: CallContext): Promise<object>;
}

/** Keeps the roots. A list is checked at once, what a function gives when it gives it. */
export function createRoots(source: AnyRootsOption | undefined, announce: () => void): RootsKeeper {
  let roots = source ?? [];
  let isScheduled = false;
  if (typeof roots !== "function") checkRoots(roots);
  const changed = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    // Promises that are about to settle may bring further changes: a timer comes after them.
    setTimeout(() => {
      isScheduled = false;
      announce();
    });
  };
  return {
    isOffered: source !== undefined,
    changed,
    set(next) {
      if (source === undefined)
        throw new Error("Servers do not know of roots: create the client with `roots`, even if they are empty.");
      if (typeof next !== "function") checkRoots(next);
      roots = next;
      changed();
    },
    async list(call) {
      const found: unknown = typeof roots === "function" ? await roots(new AnswerScope(call)) : roots;
      checkRoots(found);
      return { roots: found };
    },
  };
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/client/roots#root */
function checkRoots(roots: unknown): void {
  if (!Array.isArray(roots)) throw new Error("The roots must be a list.");
  for (const root of roots) {
    const uri: unknown = isObject(root) ? root.uri : undefined;
    if (typeof uri === "string" && /^file:\/\//i.test(uri) && URL.canParse(uri)) continue;
    throw new Error(`Root ${JSON.stringify(uri)}: the URI must begin with file://, use pathToFileURL() to make one.`);
  }
}

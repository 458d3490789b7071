import { isObject } from "../../../generated/support.ts";
import { isToolFailure } from "../../server/middleware/middleware.ts";
import type { OperationEnd, Target } from "./operation.ts";

/**
 * Names of existing tools and prompts: they were in a list, or a call of them has succeeded. Others are any text of a client, and must become neither
 * names of spans nor attributes of durations.
 */
export class KnownNames {
  readonly #names = new Set<string>();

  /** True if the target exists, as far as this process has seen. */
  has({ kind, name }: Target): boolean {
    return this.#names.has(`${kind} ${name}`);
  }

  /** Learns from the end of an operation. */
  learn(method: string, target: Target | undefined, end: OperationEnd): void {
    if (end.kind !== "result") return;
    if (target && !isToolFailure(end.result)) this.#add(target);
    if (method === "tools/list") this.#addAll("tool", isObject(end.result) ? end.result.tools : undefined);
    if (method === "prompts/list") this.#addAll("prompt", isObject(end.result) ? end.result.prompts : undefined);
  }

  #addAll(kind: Target["kind"], listed: unknown): void {
    if (!Array.isArray(listed)) return;
    for (const entry of listed)
      if (isObject(entry) && typeof entry.name === "string") this.#add({ kind, name: entry.name });
  }

  #add({ kind, name }: Target): void {
    if (kind === "resource" || this.#names.size >= most || name.length > longest) return;
    this.#names.add(`${kind} ${name}`);
  }
}

/** Maximum number of names: each is a time series of a metrics backend. */
const most = 2_000;

/** Maximum characters of a name. */
const longest = 256;

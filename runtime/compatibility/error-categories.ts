/** Part of the protocol an error comes from, as the community guides divide it. */
export type ErrorCategory =
  | "core"
  | "content"
  | "resources"
  | "tools"
  | "prompts"
  | "authentication"
  | "negotiation"
  | "pagination"
  | "tasks"
  | "progress"
  | "completion";

/** A range of error codes, inclusive at both ends. */
export interface ErrorRange {
  readonly category: ErrorCategory;
  readonly from: number;
  readonly to: number;
}

/**
 * Ranges assigned by the guides to the parts of the protocol. Most lie in the range reserved by JSON-RPC and the protocol, and some codes have
 * another official meaning (-32002, -32042). They are therefore used to read the errors of peers, and are not sent as `code`.
 */
export const errorRanges: readonly ErrorRange[] = [
  { category: "core", from: -32010, to: -32001 },
  { category: "content", from: -32020, to: -32011 },
  { category: "resources", from: -32030, to: -32021 },
  { category: "tools", from: -32040, to: -32031 },
  { category: "prompts", from: -32050, to: -32041 },
  { category: "authentication", from: -32060, to: -32051 },
  { category: "negotiation", from: -32070, to: -32061 },
  { category: "pagination", from: -32080, to: -32071 },
  { category: "tasks", from: -32090, to: -32081 },
  { category: "progress", from: -32100, to: -32091 },
  { category: "completion", from: -32113, to: -32110 },
];

/**
 * Returns the category of an error code of the guides, if it has one.
 *
 * @example
 * ```ts
 * import { toErrorCategory } from "mcp-server-runtime/compatibility";
 *
 * toErrorCategory(-32031); // "tools"
 * ```
 */
export function toErrorCategory(code: number): ErrorCategory | undefined {
  return errorRanges.find(({ from, to }) => from <= code && code <= to)?.category;
}

/**
 * Returns the category of errors in a method.
 *
 * @example
 * ```ts
 * import { categoryOf } from "mcp-server-runtime/compatibility";
 *
 * categoryOf("tools/call"); // "tools"
 * ```
 */
export function categoryOf(method: string): ErrorCategory {
  const [head = ""] = method.split("/");
  return methodCategories.get(head) ?? "core";
}

const methodCategories: ReadonlyMap<string, ErrorCategory> = new Map([
  ["initialize", "negotiation"],
  ["resources", "resources"],
  ["tools", "tools"],
  ["prompts", "prompts"],
  ["sampling", "prompts"],
  ["tasks", "tasks"],
  ["completion", "completion"],
]);

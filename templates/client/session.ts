import { isObject, type Check, type Issue } from "./check.ts";

/**
 * The parts of a session with a server that a client needs. The sessions of create-mcp-server's runtime have them. Sessions of another SDK
 * need an adapter of three lines.
 */
export interface Session {
  callTool(name: string, args?: object, options?: CallOptions): Promise<unknown>;
  getPrompt(name: string, args?: { readonly [name: string]: string }, options?: CallOptions): Promise<unknown>;
  readResource(uri: string, options?: CallOptions): Promise<unknown>;
}

/** Options of a call to the server. */
export interface CallOptions {
  /** Cancels the call and notifies the server. */
  readonly signal?: AbortSignal;
  /** Milliseconds without a response before the call fails. Default: the timeout of the session. */
  readonly timeout?: number;
  /** Receives the progress notifications of the call. */
  readonly onProgress?: (progress: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }) => void;
}

/** A tool: its protocol name, and the checks of its arguments and its result. */
export interface Tool<Arguments extends object = object, Structured = unknown> {
  readonly name: string;
  readonly arguments: Check;
  /** Absent when the server declares no output schema. */
  readonly structured?: Check;
  /** Type information for the compiler. Never set. */
  readonly "~types"?: { readonly arguments: Arguments; readonly structured: Structured };
}

/** One piece of content, as the server sent it. */
export interface ContentBlock {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Result of a tool call. */
export interface ToolResult<Structured = unknown> {
  /** Structured content; checked when the tool declares an output schema. */
  readonly structured: Structured;
  /** All text content, joined by line breaks. */
  readonly text: string;
  readonly content: readonly ContentBlock[];
}

/** Messages of a prompt. */
export interface PromptResult {
  readonly description?: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** Contents of a resource. */
export interface ResourceResult {
  readonly contents: readonly {
    readonly uri: string;
    readonly mimeType?: string;
    readonly text?: string;
    readonly blob?: string;
  }[];
}

/** Error about arguments that do not fit the tool's schema. Nothing was sent. */
export class ArgumentError extends Error {
  override readonly name = "ArgumentError";
  readonly issue: Issue;

  constructor(tool: string, issue: Issue) {
    super(`${tool}: ${issue.path === "" ? "the arguments" : `argument ${issue.path}`}: expected ${issue.expected}`);
    this.issue = issue;
  }
}

/** Error that the tool reported. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly content: readonly ContentBlock[];

  constructor(tool: string, content: readonly ContentBlock[]) {
    super(`${tool}: ${toText(content)}`);
    this.content = content;
  }
}

/** Error about a result that does not fit its schema. Generate the client again if the server has changed. */
export class ResultError extends Error {
  override readonly name = "ResultError";
  readonly issue: Issue;

  constructor(origin: string, issue: Issue) {
    super(
      `${origin}: the result does not fit its schema: ${issue.path === "" ? "the value" : issue.path}: expected ${issue.expected}`,
    );
    this.issue = issue;
  }
}

/**
 * Checks the arguments, calls a tool and checks its result.
 *
 * @throws {ArgumentError} when the arguments do not fit the tool's schema.
 * @throws {ToolFailure} when the tool reports an error.
 * @throws {ResultError} when the result does not fit its schema.
 */
export async function callTool<Arguments extends object, Structured>(
  session: Session,
  tool: Tool<Arguments, Structured>,
  args: Arguments,
  options?: CallOptions,
): Promise<ToolResult<Structured>> {
  const issue = tool.arguments(args);
  if (issue) throw new ArgumentError(tool.name, issue);
  const result = await session.callTool(tool.name, args, options);
  const content = readContent(tool.name, result);
  const { isError, structuredContent: structured } = isObject(result) ? result : {};
  if (isError === true) throw new ToolFailure(tool.name, content);
  const mismatch = tool.structured && findMismatch(tool.structured, structured);
  if (mismatch) throw new ResultError(tool.name, mismatch);
  const response: unknown = { structured, text: toText(content), content };
  if (isToolResult<Structured>(response)) return response;
  throw new ResultError(tool.name, { path: "", expected: "structured content" });
}

function findMismatch(check: Check, structured: unknown): Issue | undefined {
  if (structured !== undefined) return check(structured);
  return { path: "structuredContent", expected: "a value, which servers of older revisions cannot send" };
}

/**
 * Gets the messages of a prompt.
 *
 * @throws {ResultError} when the result has no list of messages.
 */
export async function getPrompt(
  session: Session,
  name: string,
  args: { readonly [name: string]: string | undefined },
  options?: CallOptions,
): Promise<PromptResult> {
  const given = Object.entries(args).flatMap(([key, value]): [string, string][] =>
    value === undefined ? [] : [[key, value]],
  );
  const result = await session.getPrompt(name, Object.fromEntries(given), options);
  if (!isPrompt(result)) throw new ResultError(name, { path: "messages", expected: "a list of messages" });
  return result;
}

/**
 * Reads a resource by its URI.
 *
 * @throws {ResultError} when the result has no list of contents.
 */
export async function readResource(session: Session, uri: string, options?: CallOptions): Promise<ResourceResult> {
  const result = await session.readResource(uri, options);
  if (!isResource(result)) throw new ResultError(uri, { path: "contents", expected: "a list of contents" });
  return result;
}

/** Returns the text of all text content, joined by line breaks. */
export function toText(content: readonly ContentBlock[]): string {
  return content.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : [])).join("\n");
}

/** True if a value is a result. Its structured content was checked against the schema from which the type was generated. */
function isToolResult<Structured>(value: unknown): value is ToolResult<Structured> {
  return isObject(value) && Object.hasOwn(value, "structured");
}

function readContent(tool: string, result: unknown): readonly ContentBlock[] {
  const { content }: { content?: unknown } = isObject(result) ? result : {};
  if (Array.isArray(content) && content.every(isBlock)) return content;
  throw new ResultError(tool, { path: "content", expected: "a list of content blocks" });
}

function isBlock(value: unknown): value is ContentBlock {
  return isObject(value) && hasText(value, "type");
}

function isPrompt(value: unknown): value is PromptResult {
  return hasList(value, "messages", "role");
}

function isResource(value: unknown): value is ResourceResult {
  return hasList(value, "contents", "uri");
}

/** True if an object has a list of objects with a member that is text. */
function hasList(value: unknown, list: string, member: string): boolean {
  const items: unknown = isObject(value) ? value[list] : undefined;
  return Array.isArray(items) && items.every((item) => isObject(item) && hasText(item, member));
}

function hasText(value: Record<string, unknown>, member: string): boolean {
  return typeof value[member] === "string";
}

import { isObject, type Check, type Issue } from "./check.ts";

/**
 * What a client needs of a session with its server. The sessions of create-mcp-server's runtime have it; those of another SDK are
 * adapted in three lines.
 */
export interface Session {
  callTool(name: string, args?: object, options?: CallOptions): Promise<unknown>;
  getPrompt(name: string, args?: { readonly [name: string]: string }, options?: CallOptions): Promise<unknown>;
  readResource(uri: string, options?: CallOptions): Promise<unknown>;
}

/** Options of one call. */
export interface CallOptions {
  /** Cancels the call and tells the server. */
  readonly signal?: AbortSignal;
  /** Milliseconds without an answer before the call fails. Default: the session's. */
  readonly timeout?: number;
  /** Receives reports of progress. */
  readonly onProgress?: (progress: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }) => void;
}

/** A tool: its name on the wire, and what fits it. */
export interface Tool<Arguments extends object = object, Structured = unknown> {
  readonly name: string;
  readonly arguments: Check;
  /** Absent when the server declares no output schema. */
  readonly structured?: Check;
  /** Exists for the compiler only. Never set. */
  readonly "~types"?: { readonly arguments: Arguments; readonly structured: Structured };
}

/** One piece of content, as the server sent it. */
export interface ContentBlock {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** What a tool answered. */
export interface ToolResult<Structured = unknown> {
  /** Structured content; checked when the tool declares an output schema. */
  readonly structured: Structured;
  /** All text content, joined by line breaks. */
  readonly text: string;
  readonly content: readonly ContentBlock[];
}

/** Messages that a prompt made. */
export interface PromptResult {
  readonly description?: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** What a resource holds. */
export interface ResourceResult {
  readonly contents: readonly {
    readonly uri: string;
    readonly mimeType?: string;
    readonly text?: string;
    readonly blob?: string;
  }[];
}

/** The arguments do not fit what the tool declares; nothing was sent. */
export class ArgumentError extends Error {
  override readonly name = "ArgumentError";
  readonly issue: Issue;

  constructor(tool: string, issue: Issue) {
    super(`${tool}: ${issue.path === "" ? "the arguments" : `argument ${issue.path}`}: expected ${issue.expected}`);
    this.issue = issue;
  }
}

/** The tool failed, and said so. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly content: readonly ContentBlock[];

  constructor(tool: string, content: readonly ContentBlock[]) {
    super(`${tool}: ${toText(content)}`);
    this.content = content;
  }
}

/** The server's answer is not what it declared. Generate the client anew if the server has changed. */
export class ResultError extends Error {
  override readonly name = "ResultError";
  readonly issue: Issue;

  constructor(origin: string, issue: Issue) {
    super(
      `${origin}: the answer does not fit: ${issue.path === "" ? "the value" : issue.path}: expected ${issue.expected}`,
    );
    this.issue = issue;
  }
}

/** Checks the arguments, calls a tool and checks its answer. */
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
  const mismatch = tool.structured?.(structured);
  if (mismatch) throw new ResultError(tool.name, mismatch);
  const answer: unknown = { structured, text: toText(content), content };
  if (isAnswer<Structured>(answer)) return answer;
  throw new ResultError(tool.name, { path: "", expected: "structured content" });
}

/** Gets the messages of a prompt. */
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

/** Reads a resource. */
export async function readResource(session: Session, uri: string, options?: CallOptions): Promise<ResourceResult> {
  const result = await session.readResource(uri, options);
  if (!isResource(result)) throw new ResultError(uri, { path: "contents", expected: "a list of contents" });
  return result;
}

/** The text among pieces of content. */
export function toText(content: readonly ContentBlock[]): string {
  return content.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : [])).join("\n");
}

/** Its structured content was checked against the schema that the type was made from. */
function isAnswer<Structured>(value: unknown): value is ToolResult<Structured> {
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

/** Whether an object has a list of objects with a member that is text. */
function hasList(value: unknown, list: string, member: string): boolean {
  const items: unknown = isObject(value) ? value[list] : undefined;
  return Array.isArray(items) && items.every((item) => isObject(item) && hasText(item, member));
}

function hasText(value: Record<string, unknown>, member: string): boolean {
  return typeof value[member] === "string";
}

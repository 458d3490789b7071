import { isObject } from "./check.ts";
import {
  ArgumentError,
  ResultError,
  ToolFailure,
  type ContentBlock,
  type PromptResult,
  type ResourceResult,
  type Session,
  type Tool,
} from "./session.ts";

/** Result of a mocked tool: structured content if the tool declares some, else text or content. */
export type MockResult<Structured> = unknown extends Structured
  ? string | { readonly content: readonly ContentBlock[]; readonly structured?: object }
  : Structured;

/** A call that a mock received. */
export interface MockCall {
  readonly kind: "tool" | "prompt" | "resource";
  /** Name, or the URI of a resource. */
  readonly name: string;
  readonly arguments: unknown;
}

/** A session without a server. */
export interface MockSession extends Session {
  /** All calls, in order. */
  readonly calls: readonly MockCall[];
}

/** A tool and the function that replaces it. Throw a `ToolFailure` to make it fail. */
export interface MockTool {
  readonly tool: Tool;
  readonly run: ((args: never) => unknown) | undefined;
}

/** A prompt by its protocol name, and the function that replaces it. */
export interface MockPrompt {
  readonly name: string;
  readonly run: ((args: never) => PromptResult | Promise<PromptResult>) | undefined;
}

/** Handlers of a mock, by kind. */
export interface MockHandlers {
  readonly tools: readonly MockTool[];
  readonly prompts: readonly MockPrompt[];
  readonly resources?: ((uri: string) => ResourceResult | Promise<ResourceResult>) | undefined;
}

/** Creates a mock session. It checks arguments and results as a session with the server would. */
export function createMockSession({ tools, prompts, resources }: MockHandlers): MockSession {
  const calls: MockCall[] = [];
  return {
    calls,
    async callTool(name, args = {}) {
      calls.push({ kind: "tool", name, arguments: args });
      const mock = tools.find(({ tool }) => tool.name === name);
      if (!mock?.run) throw missing("tool", name);
      const issue = mock.tool.arguments(args);
      if (issue) throw new ArgumentError(name, issue);
      return respond(mock, args);
    },
    async getPrompt(name, args = {}) {
      calls.push({ kind: "prompt", name, arguments: args });
      const mock = prompts.find((prompt) => prompt.name === name);
      if (!mock?.run) throw missing("prompt", name);
      return call(mock.run, args);
    },
    async readResource(uri) {
      calls.push({ kind: "resource", name: uri, arguments: undefined });
      if (!resources) throw missing("resource", uri);
      return resources(uri);
    },
  };
}

async function respond(mock: MockTool, args: object): Promise<object> {
  const { tool, run } = mock;
  try {
    const returned = await call(run, args);
    if (!tool.structured) return toResult(returned);
    const issue = tool.structured(returned);
    if (issue) throw new ResultError(`the mock of ${tool.name}`, issue);
    return { content: [{ type: "text", text: JSON.stringify(returned) }], structuredContent: returned };
  } catch (error) {
    if (error instanceof ToolFailure) return { content: error.content, isError: true };
    throw error;
  }
}

function toResult(returned: unknown): object {
  if (typeof returned === "string") return { content: [{ type: "text", text: returned }] };
  const { content, structured } = isObject(returned) ? returned : {};
  return { content, ...(structured !== undefined && { structuredContent: structured }) };
}

/** Calls a function. Its arguments were checked against the schema from which the type of its parameter was generated. */
function call(run: unknown, args: object): unknown {
  return typeof run === "function" ? Reflect.apply(run, undefined, [args]) : undefined;
}

function missing(kind: MockCall["kind"], name: string): Error {
  return new Error(`The mock has no ${kind} ${JSON.stringify(name)}; add one where the mock is created.`);
}

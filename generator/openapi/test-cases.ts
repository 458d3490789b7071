import type { ToolPlan } from "../typed-client/client/plan.ts";
import type { PromptEntry } from "../typed-client/contract/contract.ts";
import { sampleOf } from "../typed-client/tool-schema/sample.ts";
import { isRecord } from "../internal/json-text.ts";
import type { Api, Operation } from "./operation.ts";

/** A call made by the tests of a project. */
export interface TestCase {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Expected request to the API: method and path. */
  readonly request?: string;
  /** Response of the mocked API to this request. */
  readonly response?: unknown;
}

/** Creates one call of every tool for which sample arguments can be found. With an API, it also states the expected request and its response. */
export function testCases(tools: readonly ToolPlan[], api: Api | undefined, isStructured: boolean): TestCase[] {
  return tools.flatMap((tool): TestCase[] => {
    const sample = sampleOf(tool.input);
    const args = sample?.value;
    if (!isRecord(args)) return [];
    const call = { name: tool.entry.name, arguments: args };
    const operation = api?.operations.find(({ name }) => name === call.name);
    if (!operation) return [call];
    const response = tool.output && isStructured ? sampleOf(tool.output) : { value: { done: true } };
    const request = requestOf(operation, args);
    return response && request !== undefined ? [{ ...call, request, response: response.value }] : [];
  });
}

/** Creates a call of a prompt with its required arguments. */
export function promptCase({ name, arguments: all }: PromptEntry): TestCase {
  const required = all.filter((argument) => argument.required);
  return { name, arguments: Object.fromEntries(required.map((argument) => [argument.name, "sample"])) };
}

function requestOf({ method, path, parameters }: Operation, args: Record<string, unknown>): string | undefined {
  const own = new Map(parameters.filter(({ place }) => place === "path").map(({ name, argument }) => [name, argument]));
  const segments = [...path.matchAll(/\{([^{}]{1,1000})\}/g)].map(([, name = ""]) => args[own.get(name) ?? ""]);
  // Lists and objects in a path have several serializations.
  if (segments.some((value) => typeof value === "object" || value === "")) return undefined;
  const filled = path.replaceAll(/\{([^{}]{1,1000})\}/g, (_text, name: string) =>
    encodeURIComponent(String(args[own.get(name) ?? ""])),
  );
  return `${method} ${filled}`;
}

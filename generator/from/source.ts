import { basename } from "node:path";
import { readVariables } from "../client/variables.ts";
import { planClient, type ClientPlan } from "../client/plan.ts";
import type { Contract, ToolEntry } from "../contract/contract.ts";
import { readContract } from "../contract/read-contract.ts";
import { cleanSchema } from "../tool-schema/clean-schema.ts";
import { isRecord } from "../tool-schema/reading.ts";
import { SchemaRefusal } from "../tool-schema/safe-schema.ts";
import { safeLine } from "../tool-schema/safe-text.ts";
import { UserError } from "../user-error.ts";
import { readDocument } from "./document.ts";
import type { Api } from "./operation.ts";
import { readApi } from "./read-api.ts";

/** What the tools of a project are made from: every name is settled and every schema is safe. */
export interface ProjectSource {
  /** Name of the file, for people. */
  readonly origin: string;
  /** What the server will offer. */
  readonly contract: Contract;
  /** The same with names for code. */
  readonly plan: ClientPlan;
  /** The API that the tools call; without one they are still to be written. */
  readonly api?: Api;
}

/** Reads an OpenAPI document, a list of tools, or a contract. Throws a {@link UserError} that says what is wrong, and where. */
export async function readSource(path: string): Promise<ProjectSource> {
  const document = await readDocument(path);
  const origin = safeLine(basename(path));
  const isApi = isRecord(document) && ("openapi" in document || "swagger" in document || "paths" in document);
  const api = isApi ? readApi(document, origin) : undefined;
  const contract = api ? toContract(api) : cleanContract(readContract(document, origin), origin);
  const plan = planClient(contract, { name: "Project", readVariables });
  refuseDoubts(plan, origin);
  return { origin, contract, plan, ...(api && { api }) };
}

function toContract({ operations, title }: Api): Contract {
  const tools = operations.map(({ name, description, method, input, output }): ToolEntry => ({
    name,
    description,
    inputSchema: input,
    ...(output && { outputSchema: output }),
    ...(hints[method] && { annotations: hints[method] }),
  }));
  const empty = { prompts: [], resources: [], resourceTemplates: [] };
  return { server: { name: title, version: "" }, revision: "", tools, ...empty };
}

/** What a method promises of every operation. */
const hints: { readonly [method: string]: ToolEntry["annotations"] } = {
  GET: { readOnlyHint: true },
  HEAD: { readOnlyHint: true },
  OPTIONS: { readOnlyHint: true },
  PUT: { idempotentHint: true },
  DELETE: { destructiveHint: true, idempotentHint: true },
};

function cleanContract(contract: Contract, origin: string): Contract {
  if (contract.tools.length === 0) throw new UserError(`${origin} lists no tools, so there is nothing to write.`);
  refuseUnreadable(contract, origin);
  return { ...contract, tools: contract.tools.map((tool) => cleanTool(tool, origin)) };
}

/** Names and addresses stand in code and in front of people: they are what they look like, or nothing is written. */
function refuseUnreadable({ prompts, resources, resourceTemplates }: Contract, origin: string): void {
  const texts: (readonly [kind: string, text: string])[] = [
    ...prompts.flatMap(({ name, arguments: all }) => [
      ["prompt", name] as const,
      ...all.map(({ name: argument }) => ["argument", argument] as const),
    ]),
    ...resources.flatMap(({ uri, name }) => [["resource", uri] as const, ["resource", name] as const]),
    ...resourceTemplates.flatMap((one) => [["template", one.uriTemplate] as const, ["template", one.name] as const]),
  ];
  const odd = texts.find(([, text]) => safeLine(text, 500) !== text);
  const place = odd && `${origin}: ${odd[0]} ${JSON.stringify(safeLine(odd[1], 80))}`;
  if (place !== undefined) throw new UserError(`${place}: it has characters that are not seen, or too many. ${advice}`);
  const none = resources.find(({ uri }) => !URL.canParse(uri));
  if (none)
    throw new UserError(`${origin}: resource ${JSON.stringify(none.uri.slice(0, 80))}: it is no URI. ${advice}`);
  const addresses = [...resources.map(({ uri }) => uri), ...resourceTemplates.map((one) => one.uriTemplate)];
  const twice = addresses.find((uri, at) => addresses.indexOf(uri) < at);
  if (twice !== undefined)
    throw new UserError(`${origin}: ${JSON.stringify(twice.slice(0, 80))} is there twice. ${advice}`);
}

/** Names become part of what models call: they are not made up, so they have to be usable, as servers see to when they start. */
const toolName = /^[\w.-]{1,128}$/;

function cleanTool(tool: ToolEntry, origin: string): ToolEntry {
  const { name, inputSchema, outputSchema } = tool;
  const place = `${origin}: tool ${JSON.stringify(safeLine(name, 80))}`;
  if (!toolName.test(name))
    throw new UserError(`${place}: a name has letters, digits and _ - . only, and at most 128. Choose another.`);
  const clean = (schema: unknown, member: string): unknown => {
    try {
      return cleanSchema(schema);
    } catch (error) {
      if (error instanceof SchemaRefusal) throw new UserError(`${place}: ${member}${error.message}. ${advice}`);
      throw error;
    }
  };
  return {
    ...tool,
    inputSchema: clean(inputSchema, "inputSchema"),
    ...(outputSchema !== undefined && { outputSchema: clean(outputSchema, "outputSchema") }),
  };
}

const advice = "Correct it in the file, or leave it out.";

/** A project is written from what is understood as a whole, or not at all. */
function refuseDoubts({ refused, tools }: ClientPlan, origin: string): void {
  const [first] = refused;
  if (first) throw new UserError(`${origin}: ${safeLine(first.name, 80)}: ${safeLine(first.reason)}. ${advice}`);
  for (const { entry, losses } of tools) {
    const loss = losses.find(({ kind }) => kind === "removed");
    if (!loss) continue;
    const place = `tool ${JSON.stringify(safeLine(entry.name, 80))}: ${safeLine(loss.path)}`;
    throw new UserError(`${origin}: ${place}: ${safeLine(loss.message)}. ${advice}`);
  }
}

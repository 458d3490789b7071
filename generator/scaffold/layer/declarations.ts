import type { Missing } from "../../model/missing.ts";
import type { RevisionModel } from "../../model.ts";
import { declarationsByName } from "../../model/resolve.ts";
import { hasEveryMethod, type LayerChoices, type Feature } from "./choices.ts";

const always = ["Implementation", "ClientCapabilities", "LoggingLevel", "Tool", "CallToolResult"] as const;

const named: { readonly [Name in Feature]: readonly string[] } = {
  tools: [],
  resources: ["Resource", "ResourceTemplate", "ReadResourceResult"],
  prompts: ["Prompt", "PromptArgument", "PromptMessage", "GetPromptResult"],
  "list-changed": [],
  input: [
    "CreateMessageRequest",
    "CreateMessageResult",
    "ElicitRequest",
    "ElicitResult",
    "InputRequest",
    "InputRequests",
    "InputResponses",
    "ListRootsResult",
  ],
  tasks: [],
  skills: [],
  apps: [],
  methods: [],
};

/** Returns the declarations over which the definitions of a project are generic, as far as its newest revision has them. */
export function usedDeclarations(model: RevisionModel, choices: LayerChoices): readonly string[] {
  const known = declarationsByName(model);
  if (hasEveryMethod(choices)) return [...known.keys()];
  return [...always, ...choices.features.flatMap((feature) => named[feature])].filter((name) => known.has(name));
}

/**
 * Adds the omitted features of a project to the ones missing in its newest revision. Of the latter it keeps only what the code of the project can
 * refer to.
 */
export function addOmittedFeatures(missing: Missing, model: RevisionModel, choices: LayerChoices): Missing {
  if (hasEveryMethod(choices)) return missing;
  const used = new Set(usedDeclarations(model, choices));
  const members = new Map([...missing.members].filter(([name]) => used.has(name)));
  const untasked = !choices.features.includes("tasks") && hasTasks(model);
  if (untasked)
    members.set("Tool", new Map([...(members.get("Tool") ?? []), ["execution", omissionText("tasks", choices)]]));
  const isUntyped = choices.features.includes("input") && !used.has("InputRequest");
  return {
    ...missing,
    methods: new Map([
      ...missing.methods,
      ...(isUntyped ? [["ServerRequest", omissionText("methods", choices)] as const] : []),
      ...omittedInputRequests(model, choices).map(({ name, reason }) => [name, reason] as const),
    ]),
    members,
  };
}

/** Returns the declarations of a revision over which only servers with input requests are generic. */
export function inputDeclarations(model: RevisionModel): readonly string[] {
  const known = declarationsByName(model);
  return [...named.input, "ServerRequest"].filter((name) => known.has(name));
}

/** Returns the input requests of a revision never sent by the server of a project, each with the reason. */
export function omittedInputRequests(
  model: RevisionModel,
  { features }: Pick<LayerChoices, "features">,
): readonly { readonly name: string; readonly reason: string }[] {
  if (features.includes("input")) return [];
  const known = declarationsByName(model);
  const reason = omissionText("input", { features });
  // The union stands for requests by the name of their method.
  return [...inputRequests.filter((name) => known.has(name)), "ServerRequest"].map((name) => ({ name, reason }));
}

/** Returns the reason quoted by compile errors for a feature omitted in a project, with the command to add it. */
export function omissionText(feature: Feature, { features }: Pick<LayerChoices, "features">): string {
  return `not in this project: run npx create-mcp-server update --features ${[...features, feature].join(",")}`;
}

/** True if a revision has tasks. In stateless revisions they are an extension. */
export function hasTasks({ rules, declarations }: RevisionModel): boolean {
  return rules.lifecycle === "per-request" || declarations.some(({ name }) => name === "ToolExecution");
}

/** Declarations of the requests from a server to its client. */
const inputRequests = ["CreateMessageRequest", "ElicitRequest", "ListRootsRequest"] as const;

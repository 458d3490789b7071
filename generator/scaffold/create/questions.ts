import { styleText } from "node:util";
import { interrupted } from "../../internal/user-error.ts";
import { deployTargets, type DeployTarget } from "./deploy-target.ts";
import {
  extras,
  isExtraOf,
  isFeatureOf,
  isProtectable,
  isScalable,
  readSelection,
  schemaLibraries,
  services,
  suitsApplication,
  withImage,
  type Selection,
  type SelectionText,
  type Extra,
  type SchemaLibrary,
  type Service,
} from "./project-choices.ts";
import { providerFacts } from "../providers/facts.ts";
import { providerNames } from "../providers/provider.ts";
import { features, protections, scales, type Feature, type Protection, type Scale } from "../layer/choices.ts";

/** Words of a choice, and the explanation of each. */
interface Choice<Word extends string> {
  readonly words: readonly Word[];
  readonly hints: Hints<Word>;
}

/** Choices of the first prompt. */
const setups = ["recommended", "custom"] as const;

/** Prompts for the recommended choices or one prompt per choice. Returns true for the latter. @throws {UserError} when the user cancels. */
export async function askForCustomSetup({ features, transport, target, schema }: Selection): Promise<boolean> {
  const { select } = await import("@clack/prompts");
  const hints = {
    recommended: [...features, target === "node" ? transport : target, schema].join(", "),
    custom: "choose each option",
  };
  const options = toOptions({ words: setups, hints });
  return settle(await select<string>({ message: "Setup", options, initialValue: "recommended" })) === "custom";
}

/** Returns the options of a prompt. The explanation is part of the label: a hint would only be shown for the option with the focus. */
function toOptions<Word extends string>({ words, hints }: Choice<Word>): { value: Word; label: string }[] {
  return words.map((value) => ({ value, label: `${value} ${styleText("dim", hints[value])}` }));
}

/** Prompts for every choice that the command line did not set; `asked` has the defaults. @throws {UserError} when the user cancels. */
export async function askSelection({
  given,
  asked,
}: {
  readonly given: SelectionText;
  readonly asked: Selection;
}): Promise<Selection> {
  const { confirm, multiselect, select } = await import("@clack/prompts");
  const askMany = async <Word extends string>(
    message: string,
    choice: Choice<Word>,
    initial: readonly Word[],
  ): Promise<Word[]> =>
    settle(
      await multiselect<string>({ message, options: toOptions(choice), initialValues: [...initial], required: false }),
    ).flatMap((word) => choice.words.filter((known) => known === word));
  const askOne = async <Word extends string>(message: string, choice: Choice<Word>, initial: Word): Promise<Word> => {
    const answer = settle(await select<string>({ message, options: toOptions(choice), initialValue: initial }));
    return choice.words.find((word) => word === answer) ?? initial;
  };
  // An engine needs processes of Node, and transports are those of Node.
  const isMounted = asked.mount !== "none";
  const asksTarget =
    given.target === undefined && given.transport === undefined && asked.scale === "none" && !isMounted;
  const required = given.features === undefined ? [] : asked.features;
  const targets = {
    words: deployTargets.filter((one) => required.every((feature) => isFeatureOf(feature, one))),
    hints: targetHints,
  };
  const target = asksTarget ? await askOne("Target", targets, asked.target) : asked.target;
  // Tools are always included, so they are not in the list, where they could be deselected.
  const suiting = features.filter((one) => one !== "tools" && isFeatureOf(one, target));
  const furtherFeatures = { words: suiting, hints: featureHints };
  const others = asked.features.filter((one) => one !== "tools");
  const chosen =
    given.features === undefined
      ? await askMany("Features in addition to tools", furtherFeatures, others)
      : asked.features;
  // With authentication or several nodes, only transports that support them are listed.
  const ofNode = services.filter((service) => service !== "worker");
  const reachable = asked.auth === "none" ? ofNode : ofNode.filter(isProtectable);
  const ways = { words: asked.scale === "none" ? reachable : reachable.filter(isScalable), hints: serviceHints };
  const asksTransport = given.transport === undefined && target === "node" && !isMounted;
  const known = target === "node" ? asked.transport : "worker";
  const transport = asksTransport ? await askOne("Transport", ways, asked.transport) : known;
  const isAuthGiven = given.auth !== undefined || given.provider !== undefined;
  const asksWho = !isAuthGiven && isProtectable(transport) && !asked.further.includes("tcp");
  const callers = { words: protections, hints: protectionHints };
  const auth = asksWho ? await askOne("Authentication over HTTP", callers, asked.auth) : asked.auth;
  const servers = { words: authorizationServers, hints: authorizationServerHints };
  const asksServer = given.provider === undefined && auth === "oauth";
  const server = asksServer ? await askOne("Authorization server", servers, "other") : asked.provider;
  const asksScale = given.scale === undefined && isScalable(transport) && !isMounted;
  const engines = { words: scales, hints: scaleHints };
  const scale = asksScale ? await askOne("Engine for several nodes", engines, asked.scale) : asked.scale;
  const libraries = { words: schemaLibraries, hints: schemaHints };
  const schema =
    given.schema === undefined ? await askOne("Schema library of the tools", libraries, asked.schema) : asked.schema;
  const client =
    given.client === undefined
      ? settle(await confirm({ message: "Include a client?", initialValue: asked.client }))
      : asked.client;
  const further = {
    words: extras.filter((extra) => suitsApplication(extra, asked) && isExtraOf(extra, transport)),
    hints: extraHints,
  };
  const files =
    given.extras === undefined
      ? await askMany("Extra files", further, asked.extras)
      : readSelection({ ...(target === "node" ? { transport } : { target }), extras: given.extras }).extras;
  return {
    features: features.filter((one) => one === "tools" || chosen.includes(one)),
    transport,
    target,
    further: asked.further,
    auth,
    ...(server !== undefined && server !== "other" && { provider: server }),
    scale,
    mount: asked.mount,
    schema,
    client,
    extras: withImage(files, scale),
    runtime: asked.runtime,
  };
}

/** Returns the user's input. The prompts library returns a symbol for a cancelled prompt. @throws {UserError} when the user cancels. */
function settle<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (isGiven(answer)) return answer;
  throw interrupted();
}

function isGiven<Answer>(answer: Answer): answer is Exclude<Answer, symbol> {
  return typeof answer !== "symbol";
}

/** Short explanations of the words of a choice, by word. */
export type Hints<Word extends string> = Readonly<Record<Word, string>>;

/** Explanations of each {@link Feature}, shown as hints in prompts. */
export const featureHints: Hints<Feature> = {
  tools: "functions that the model calls",
  resources: "text and data that a host reads",
  prompts: "messages that the user chooses and fills in",
  "list-changed": "tools that change while clients are connected",
  input: "requests to the user or the model during a call: elicitation, sampling, roots",
  tasks: "calls that run in the background",
  skills: "folders with instructions for the model",
  apps: "views that a host shows for the result of a tool",
};

/** Explanations of each {@link Service}, shown as hints in prompts. */
export const serviceHints: Hints<Service> = {
  stdio: "a program that the host starts on the user's machine",
  http: "a service with a URL",
  both: "stdio, and HTTP with --http <port>",
  worker: "a function that a platform calls",
};

/** Explanations of each {@link DeployTarget}, shown as hints in prompts. */
export const targetHints: Hints<DeployTarget> = {
  node: "a program, or a server with a port",
  worker: "Cloudflare Workers",
  lambda: "AWS Lambda, with a function URL or API Gateway",
  vercel: "Vercel Functions",
  deno: "Deno, and Deno Deploy",
  bun: "Bun",
};

/** Explanations of each {@link Protection}, shown as hints in prompts. */
export const protectionHints: Hints<Protection> = {
  none: "no authentication",
  oauth: "access tokens of your authorization server",
  "api-key": "keys that you give to clients",
};

/** Authorization servers with a preset, and any other. */
const authorizationServers = ["other", ...providerNames] as const;

const authorizationServerHints: Hints<(typeof authorizationServers)[number]> = {
  other: "any, by its issuer",
  auth0: providerFacts.auth0.title,
  entra: providerFacts.entra.title,
  keycloak: providerFacts.keycloak.title,
  clerk: providerFacts.clerk.title,
  workos: providerFacts.workos.title,
  google: providerFacts.google.title,
  cognito: providerFacts.cognito.title,
};

/** Explanations of each {@link Scale}, shown as hints in prompts. */
export const scaleHints: Hints<Scale> = {
  none: "one process keeps its state in memory",
  redis: "nodes behind a load balancer share Redis or Valkey",
  nats: "nodes behind a load balancer share NATS with JetStream",
};

/** Examples of each {@link SchemaLibrary}, shown as hints in prompts. */
export const schemaHints: Hints<SchemaLibrary> = {
  zod: "z.object({ text: z.string() })",
  valibot: "v.object({ text: v.string() })",
  arktype: 'type({ text: "string" })',
  json: "plain JSON Schema, without a library",
};

/** Explanations of each {@link Extra}, shown as hints in prompts. */
export const extraHints: Hints<Extra> = {
  docker: "Dockerfile",
  ci: "GitHub workflow that tests every push",
  vscode: ".vscode/mcp.json",
  "claude-code": ".mcp.json",
  cursor: ".cursor/mcp.json",
  "claude-desktop": "claude_desktop_config.json, an entry to copy",
  registry: "server.json, for the MCP registry",
  mcpb: "manifest.json, for an installable bundle",
  plugin: "plugin/, for hosts with Agent Plugins and for Claude Code",
  agents: "AGENTS.md, instructions for coding agents",
  otel: "src/telemetry.ts, OpenTelemetry with an OTLP exporter",
};

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

/** Choices of the command line, and the ones proposed by prompts. */
interface Proposal {
  readonly given: SelectionText;
  readonly asked: Selection;
}

/** Prompts for every choice not set by the command line; `asked` has the defaults. @throws {UserError} when the user cancels. */
export async function askSelection(proposal: Proposal): Promise<Selection> {
  const { asked } = proposal;
  const target = await askTarget(proposal);
  const chosen = await askFeatures(proposal, target);
  const transport = await askTransport(proposal, target);
  const access = await askAccess(proposal, transport);
  const scale = await askScale(proposal, transport);
  const schema = await askSchema(proposal);
  const client = await askClient(proposal);
  const files = await askExtras(proposal, { target, transport });
  return {
    features: features.filter((one) => one === "tools" || chosen.includes(one)),
    transport,
    target,
    further: asked.further,
    ...access,
    scale,
    mount: asked.mount,
    schema,
    client,
    extras: withImage(files, scale),
    runtime: asked.runtime,
  };
}

/** Prompts for the platform. An engine needs processes of Node, and so do transports. */
async function askTarget({ given, asked }: Proposal): Promise<DeployTarget> {
  const isKnown = given.target !== undefined || given.transport !== undefined;
  if (isKnown || asked.scale !== "none" || asked.mount !== "none") return asked.target;
  const required = given.features === undefined ? [] : asked.features;
  const words = deployTargets.filter((one) => required.every((feature) => isFeatureOf(feature, one)));
  return askOne("Target", { words, hints: targetHints }, asked.target);
}

/** Prompts for the features. Tools are always included, so they are not in the list, where they could be deselected. */
async function askFeatures({ given, asked }: Proposal, target: DeployTarget): Promise<readonly Feature[]> {
  if (given.features !== undefined) return asked.features;
  const words = features.filter((one) => one !== "tools" && isFeatureOf(one, target));
  const initial = asked.features.filter((one) => one !== "tools");
  return askMany("Features in addition to tools", { words, hints: featureHints }, initial);
}

/** Prompts for the transport of a program. With authentication or several nodes, only transports that support them are listed. */
async function askTransport({ given, asked }: Proposal, target: DeployTarget): Promise<Service> {
  if (target !== "node") return "worker";
  if (given.transport !== undefined || asked.mount !== "none") return asked.transport;
  const words = services.filter(
    (service) =>
      service !== "worker" &&
      (asked.auth === "none" || isProtectable(service)) &&
      (asked.scale === "none" || isScalable(service)),
  );
  return askOne("Transport", { words, hints: serviceHints }, asked.transport);
}

/** Prompts for the authentication, and for the authorization server that issues access tokens. */
async function askAccess(
  { given, asked }: Proposal,
  transport: Service,
): Promise<Pick<Selection, "auth" | "provider">> {
  const isKnown = given.auth !== undefined || given.provider !== undefined;
  const isOpen = !isKnown && isProtectable(transport) && !asked.further.includes("tcp");
  const callers = { words: protections, hints: protectionHints };
  const auth = isOpen ? await askOne("Authentication over HTTP", callers, asked.auth) : asked.auth;
  const servers = { words: authorizationServers, hints: authorizationServerHints };
  const asksServer = given.provider === undefined && auth === "oauth";
  const server = asksServer ? await askOne("Authorization server", servers, "other") : asked.provider;
  return { auth, ...(server !== undefined && server !== "other" && { provider: server }) };
}

async function askScale({ given, asked }: Proposal, transport: Service): Promise<Scale> {
  if (given.scale !== undefined || !isScalable(transport) || asked.mount !== "none") return asked.scale;
  return askOne("Engine for several nodes", { words: scales, hints: scaleHints }, asked.scale);
}

async function askSchema({ given, asked }: Proposal): Promise<SchemaLibrary> {
  if (given.schema !== undefined) return asked.schema;
  return askOne("Schema library of the tools", { words: schemaLibraries, hints: schemaHints }, asked.schema);
}

async function askClient({ given, asked }: Proposal): Promise<boolean> {
  if (given.client !== undefined) return asked.client;
  const { confirm } = await import("@clack/prompts");
  return settle(await confirm({ message: "Include a client?", initialValue: asked.client }));
}

/** Prompts for extra files. Those of the command line are checked again, because the transport may have been chosen since. */
async function askExtras(
  { given, asked }: Proposal,
  { target, transport }: Pick<Selection, "target" | "transport">,
): Promise<readonly Extra[]> {
  if (given.extras !== undefined) {
    const chosen = readSelection({ ...(target === "node" ? { transport } : { target }), extras: given.extras }).extras;
    return chosen.filter((extra) => suitsApplication(extra, asked));
  }
  const words = extras.filter((extra) => suitsApplication(extra, asked) && isExtraOf(extra, transport));
  return askMany("Extra files", { words, hints: extraHints }, asked.extras);
}

/** Prompts for one word. */
async function askOne<Word extends string>(message: string, choice: Choice<Word>, initialValue: Word): Promise<Word> {
  const { select } = await import("@clack/prompts");
  const answer = settle(await select<string>({ message, options: toOptions(choice), initialValue }));
  return choice.words.find((word) => word === answer) ?? initialValue;
}

/** Prompts for any number of words. */
async function askMany<Word extends string>(
  message: string,
  choice: Choice<Word>,
  initial: readonly Word[],
): Promise<Word[]> {
  const { multiselect } = await import("@clack/prompts");
  const initialValues = [...initial];
  const answer = settle(
    await multiselect<string>({ message, options: toOptions(choice), initialValues, required: false }),
  );
  return answer.flatMap((word) => choice.words.filter((known) => known === word));
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
  methods: "handlers of any method by its name",
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
  lint: ".oxlintrc.json, rules of the linter oxlint",
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

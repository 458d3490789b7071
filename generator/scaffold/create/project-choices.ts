import { UserError } from "../../internal/user-error.ts";
import { mounts, type Mount } from "../mount/frameworks.ts";
import { providerNames, type ProviderName } from "../providers/provider.ts";
import {
  features,
  protections,
  scales,
  type LayerChoices,
  type Feature,
  type Protection,
  type Scale,
  type Transport,
} from "../layer/choices.ts";
import { checkTransports, deployTargets, isPlatform, keepsMemory, type DeployTarget } from "./deploy-target.ts";

/** Schema libraries for tools; `json` is plain JSON Schema. */
export const schemaLibraries = ["zod", "valibot", "arktype", "json"] as const;

/** Name of a schema library. */
export type SchemaLibrary = (typeof schemaLibraries)[number];

/** Main transports of a project; `both` is stdio and HTTP, `worker` is a function called by a platform. */
export const services = ["stdio", "http", "both", "worker"] as const;

/** Main transport of a project. */
export type Service = (typeof services)[number];

/** Further transports of a program, each on a separate port. */
export const furtherTransports = ["websocket", "tcp"] as const;

/** Name of a further transport. */
export type FurtherTransport = (typeof furtherTransports)[number];

/** Optional files of a project for other programs. */
export const extras = [
  "docker",
  "ci",
  "lint",
  "vscode",
  "claude-code",
  "cursor",
  "claude-desktop",
  "registry",
  "mcpb",
  "plugin",
  "agents",
  "otel",
] as const;

/** Name of an extra, which is one file or several. */
export type Extra = (typeof extras)[number];

/** Services an extra file works with; default: all. Bundles, images and exporters are for Node; hosts use stdio for servers they start. */
const places: { readonly [Name in Extra]?: readonly Service[] } = {
  docker: ["stdio", "http", "both"],
  "claude-desktop": ["stdio", "both"],
  mcpb: ["stdio", "both"],
  otel: ["stdio", "http", "both"],
};

/** True if an extra file suits a project with this service. */
export function isExtraOf(extra: Extra, service: Service): boolean {
  return places[extra]?.includes(service) ?? true;
}

/** Sources of the runtime: an npm dependency, or its published files inside the project. */
export const runtimes = ["dependency", "vendored"] as const;

/** Source of the runtime. */
export type Runtime = (typeof runtimes)[number];

/** Choices for a project, except its name and its revisions. */
export interface Selection {
  readonly features: readonly Feature[];
  readonly transport: Service;
  /** Platform of the project. Its transport is `worker` for all but `node`. */
  readonly target: DeployTarget;
  readonly further: readonly FurtherTransport[];
  readonly auth: Protection;
  /** Authorization server whose preset the project has. Default: none. */
  readonly provider?: ProviderName;
  /** Engine shared by several nodes. */
  readonly scale: Scale;
  /** Framework of the application around the server. */
  readonly mount: Mount;
  readonly schema: SchemaLibrary;
  readonly client: boolean;
  readonly extras: readonly Extra[];
  readonly runtime: Runtime;
}

/** Choices as text from the command line; `undefined` when not given. */
export interface SelectionText {
  readonly features?: string | undefined;
  readonly transport?: string | undefined;
  readonly target?: string | undefined;
  readonly auth?: string | undefined;
  readonly provider?: string | undefined;
  readonly scale?: string | undefined;
  readonly mount?: string | undefined;
  readonly schema?: string | undefined;
  readonly client?: boolean | undefined;
  readonly extras?: string | undefined;
  readonly runtime?: string | undefined;
}

/** Parses the given choices and fills in defaults. @throws {UserError} with the possible words. */
export function readSelection(given: SelectionText): Selection {
  const text = trimWords(given);
  const { auth = text.provider === undefined ? "none" : "oauth" } = text;
  const provider = readProvider(text.provider, auth);
  const isProtected = auth !== "none";
  const isScaled = text.scale !== undefined && text.scale !== "none";
  const isMounted = text.mount !== undefined && text.mount !== "none";
  const isForHttp = isProtected || isScaled || isMounted;
  const target = readTarget(text);
  const { transport, further } = isPlatform(target)
    ? ({ transport: "worker", further: [] } as const)
    : readTransports(text.transport ?? (isForHttp ? "http" : "stdio"));
  if (isProtected) rejectUnprotected(further);
  const scale = readScale(text.scale ?? "none", transport);
  const mount = readMount(text, { transport, target, further, scale });
  return {
    features: readSuitingFeatures(text.features ?? "tools,resources,prompts", target),
    transport,
    target,
    further,
    auth: readProtection(auth, transport),
    ...(provider && { provider }),
    scale,
    mount,
    schema: readWord("--schema", text.schema ?? "zod", schemaLibraries),
    client: text.client ?? false,
    extras: withImage(readExtras(text.extras ?? "agents", { transport, target }), scale).filter((extra) =>
      suitsApplication(extra, { mount }),
    ),
    runtime: readWord("--runtime", text.runtime ?? "dependency", runtimes),
  };
}

/** Removes the spaces around each choice. */
function trimWords(given: SelectionText): SelectionText {
  const entries = Object.entries(given).map(([name, choice]: [string, string | boolean | undefined]) => [
    name,
    typeof choice === "string" ? choice.trim() : choice,
  ]);
  return { ...given, ...Object.fromEntries(entries) };
}

/** Parses the words of `--features`. Tools are always included, so `none` is rejected. @throws {UserError} with the possible words. */
export function readFeatures(text: string): readonly Feature[] {
  const chosen = readWords("--features", text, { words: features, groups: ["all"] });
  return features.filter((feature) => feature === "tools" || chosen.includes(feature));
}

/**
 * Parses `--target`. `--transport worker` is another spelling of `--target worker`. @throws {UserError} when the transports do not suit the target.
 */
function readTarget({ target, transport }: SelectionText): DeployTarget {
  if (target !== undefined) {
    const found = readWord("--target", target, deployTargets);
    checkTransports(found, transport);
    return found;
  }
  return transport !== undefined && readTransports(transport).transport === "worker" ? "worker" : "node";
}

/** Parses `--features` for a target; `all` selects only the suitable ones. @throws {UserError} when tasks would be lost. */
function readSuitingFeatures(text: string, target: DeployTarget): readonly Feature[] {
  const chosen = readFeatures(text);
  if (keepsMemory(target) || !chosen.includes("tasks")) return chosen;
  if (isAll(text)) return chosen.filter((feature) => isFeatureOf(feature, target));
  throw new UserError(
    `--features tasks: ${target} runs many instances without shared memory. Remove tasks, or choose --target node.`,
  );
}

/** True if a project for a target can have the feature: tasks live in the memory of a process, or in an engine. */
export function isFeatureOf(feature: Feature, target: DeployTarget): boolean {
  return feature !== "tasks" || keepsMemory(target);
}

/** Returns the choices for the protocol layer of a project. */
export function toLayerChoices(selection: Selection, revisions: readonly string[]): LayerChoices {
  return {
    revisions,
    features: withRequired(selection.features),
    transports: transportsOf(selection),
    client: selection.client,
    validator: selection.schema === "json",
    auth: selection.auth,
    ...(selection.scale !== "none" && { scale: selection.scale }),
  };
}

/** Adds the features required by others: files of skills and views are resources. */
export function withRequired(chosen: readonly Feature[]): readonly Feature[] {
  const isNeeded = chosen.includes("skills") || chosen.includes("apps");
  return features.filter((feature) => chosen.includes(feature) || (isNeeded && feature === "resources"));
}

/**
 * Parses the transports of an existing project.
 * @throws {UserError} when files outside its layer would have to change: a function for the edge is no program, and authentication needs HTTP.
 */
export function readReach(text: string, { transports, auth }: LayerChoices): readonly Transport[] {
  const { transport: service, further } = readTransports(text);
  if ((service === "worker") !== transports.includes("worker"))
    throw new UserError(
      `--transport ${service}: this project supports ${transports.join(" and ")}, and ${service} needs another src/server.ts and build.js. Create a new project, and copy your code into it.`,
    );
  if (auth === "none") return transportsOf({ transport: service, further });
  if (!isProtectable(service))
    throw new UserError(`--transport ${service}: this project authenticates clients over HTTP. Choose http or both.`);
  rejectUnprotected(further);
  return transportsOf({ transport: service, further });
}

/**
 * Parses the words of `--transport`. stdio and HTTP together are `both`. The others are additions to one of them, because hosts start a server on
 * stdio or reach it over HTTP.
 * @throws {UserError} with the possible words.
 */
export function readTransports(text: string): Pick<Selection, "transport" | "further"> {
  const words = text.split(",").map((word) => word.trim());
  const unknown = words.find((word) => ![...services, ...furtherTransports].some((known) => known === word));
  if (unknown !== undefined)
    throw new UserError(
      // A function for a platform is chosen with --target; its word is accepted, but is no transport.
      `--transport: unknown value ${JSON.stringify(unknown)}. Choose from ${[...services, ...furtherTransports].filter((word) => word !== "worker").join(", ")}.`,
    );
  const further = furtherTransports.filter((word) => words.includes(word));
  const has = (service: Service): boolean => words.includes(service);
  if (has("worker") && new Set(words).size > 1)
    throw new UserError("--transport worker: a function for the edge has no other transport. Remove the others.");
  const isBoth = has("both") || (has("stdio") && has("http"));
  const transport = isBoth ? "both" : services.find(has);
  if (transport !== undefined) return { transport, further };
  throw new UserError(
    `--transport ${text}: hosts do not connect over this transport. Choose stdio or http as well, as in stdio,${text}.`,
  );
}

/** Rejects TCP, whose connections cannot carry credentials. */
function rejectUnprotected(further: readonly FurtherTransport[]): void {
  if (further.includes("tcp")) throw new UserError("--transport tcp has no authentication; remove tcp or --auth.");
}

/** True if the server can authenticate callers. A stdio server cannot: it belongs to the program that starts it. */
export function isProtectable(service: Service): boolean {
  return service !== "stdio";
}

function readProtection(text: string, service: Service): Protection {
  const auth = readWord("--auth", text, protections);
  if (auth === "none" || isProtectable(service)) return auth;
  throw new UserError(
    `--auth ${auth}: a project for ${service} has no authentication. Choose --transport http or both, or a --target.`,
  );
}

/** Parses the authorization server of a preset. @throws {UserError} when there is no such preset, or the project accepts no access tokens. */
function readProvider(text: string | undefined, auth: string): ProviderName | undefined {
  if (text === undefined) return undefined;
  const provider = readWord("--provider", text, providerNames);
  if (auth === "oauth") return provider;
  throw new UserError(`--provider ${provider}: access tokens need --auth oauth, not ${auth}. Remove one of them.`);
}

/** Adds the container image to the extras of a project for several nodes, which `compose.yaml` builds. */
export function withImage(chosen: readonly Extra[], scale: Scale): readonly Extra[] {
  return extras.filter((extra) => chosen.includes(extra) || (extra === "docker" && scale !== "none"));
}

/** True if several nodes can serve a project: clients reach them through a load balancer. */
export function isScalable(service: Service): boolean {
  return service === "http" || service === "both";
}

/** Parses the engine of several nodes. @throws {UserError} when there is no such engine, or the service is not scalable. */
export function readScale(text: string, service: Service): Scale {
  const scale = readWord("--scale", text, scales);
  if (scale === "none" || isScalable(service)) return scale;
  if (service === "worker")
    throw new UserError(`--scale ${scale}: nodes that share an engine are processes of Node. Choose --target node.`);
  throw new UserError(`--scale ${scale}: several nodes serve over HTTP only. Choose --transport http or both.`);
}

/** Parses the framework to mount the server in. @throws {UserError} when it is unknown, or another choice needs a program of its own. */
function readMount(
  text: SelectionText,
  { transport, target, further, scale }: Pick<Selection, "transport" | "target" | "further" | "scale">,
): Mount {
  const mount = readWord("--mount", text.mount ?? "none", mounts);
  if (mount === "none") return mount;
  if (isPlatform(target))
    throw new UserError(
      `--mount ${mount}: ${target} calls a function, not an application; remove --mount or --target.`,
    );
  if (transport !== "http" || further.length > 0)
    throw new UserError(`--mount ${mount}: the application serves HTTP only; remove --transport ${text.transport}.`);
  if (scale !== "none")
    throw new UserError(`--mount ${mount} has no engine; remove --mount, and mount src/handler.ts of the project.`);
  if (mount === "next" && text.extras?.split(",").some((word) => word.trim() === "docker"))
    throw new UserError(
      "--extras docker: its image runs dist/server.js; for Next.js, use the image in its documentation.",
    );
  return mount;
}

/** True if a project can have an extra file beside the application around its server: Next.js has an image of its own. */
export function suitsApplication(extra: Extra, { mount }: Pick<Selection, "mount">): boolean {
  return mount !== "next" || extra !== "docker";
}

/** Parses `--extras`; `all` selects only the extras suitable for the service. */
function readExtras(
  text: string,
  { transport: service, target }: Pick<Selection, "transport" | "target">,
): readonly Extra[] {
  const wanted = readWords("--extras", text, { words: extras, groups: ["all", "none"] });
  const misfit = isAll(text) ? undefined : wanted.find((extra) => !isExtraOf(extra, service));
  if (misfit === undefined) return wanted.filter((extra) => isExtraOf(extra, service));
  throw new UserError(
    `--extras ${misfit}: ${places[misfit]?.includes("http") ? "Node" : "a host"} cannot start a project for ${service === "worker" ? target : service}. ` +
      `Leave it out, or choose --transport ${places[misfit]?.join(", ").replace(/, (?=\w+$)/, " or ")}.`,
  );
}

function transportsOf({ transport, further }: Pick<Selection, "transport" | "further">): readonly Transport[] {
  return [...(transport === "both" ? (["stdio", "http"] as const) : [transport]), ...further];
}

/** Parses one word of a list. @throws {UserError} with the possible words. */
export function readWord<Word extends string>(flag: string, text: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === text.trim());
  if (found !== undefined) return found;
  rejectFormer(flag, text.trim());
  throw new UserError(`${flag}: unknown value ${JSON.stringify(text)}. Choose one of ${words.join(", ")}.`);
}

/** Words of version 0.1.0 by option, with the present words for them. */
const formerWords: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    "--features",
    new Map([
      ["changes", "list-changed"],
      ["questions", "input"],
      ["ui", "apps"],
    ]),
  ],
  [
    "--runtime",
    new Map([
      ["emitted", "vendored"],
      ["package", "dependency"],
    ]),
  ],
]);

/** Rejects a word with another name now. @throws {UserError} with this name. */
function rejectFormer(flag: string, word: string): void {
  const now = formerWords.get(flag)?.get(word);
  if (now !== undefined) throw new UserError(`${flag}: ${word} is ${now} now.`);
}

/** True if the text contains `all`, which includes every other word. */
function isAll(text: string): boolean {
  return text.split(",").some((word) => word.trim() === "all");
}

/** Possible words, and the words for all or none of them. */
interface Vocabulary<Word extends string> {
  readonly words: readonly Word[];
  readonly groups: readonly ("all" | "none")[];
}

/** Parses several words with commas, or one for a group; returns them in the order of the list. */
function readWords<Word extends string>(
  flag: string,
  text: string,
  { words, groups }: Vocabulary<Word>,
): readonly Word[] {
  if (isAll(text)) return words;
  if (text.trim() === "none" && groups.includes("none")) return [];
  const given = text.split(",").map((word) => word.trim());
  const unknown = given.find((word) => !words.some((known) => known === word));
  if (unknown === undefined) return words.filter((word) => given.includes(word));
  rejectFormer(flag, unknown);
  throw new UserError(
    `${flag}: unknown value ${JSON.stringify(unknown)}. Choose from ${words.join(", ")}, or use ${groups.join(" or ")}.`,
  );
}

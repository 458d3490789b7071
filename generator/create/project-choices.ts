import { UserError } from "../user-error.ts";
import {
  offerings,
  protections,
  type LayerChoices,
  type Offering,
  type Protection,
  type Transport,
} from "./layer/choices.ts";

/** Libraries that tools may be described with; `json` is plain JSON Schema. */
export const schemaLibraries = ["zod", "valibot", "arktype", "json"] as const;

/** One of them. */
export type SchemaLibrary = (typeof schemaLibraries)[number];

/** Ways of serving that a project is made for. */
export const services = ["stdio", "http", "both", "worker"] as const;

/** One of them. */
export type Service = (typeof services)[number];

/** Further transports of a program, on ports of their own. */
export const furtherTransports = ["websocket", "tcp"] as const;

/** One of them. */
export type FurtherTransport = (typeof furtherTransports)[number];

/** Files for other programs that a project may come with. */
export const extras = [
  "docker",
  "ci",
  "vscode",
  "claude-code",
  "cursor",
  "claude-desktop",
  "registry",
  "mcpb",
  "agents",
] as const;

/** One of them. */
export type Extra = (typeof extras)[number];

/** Programs and images run what Node can start; hosts that start a server speak to it on stdio. */
const places: { readonly [Name in Extra]?: readonly Service[] } = {
  docker: ["stdio", "http", "both"],
  "claude-desktop": ["stdio", "both"],
  mcpb: ["stdio", "both"],
};

/** Whether such a file says something true of a project that is reached in this way. */
export function isExtraOf(extra: Extra, service: Service): boolean {
  return places[extra]?.includes(service) ?? true;
}

/** Where the protocol layer of a project is: among its own sources, or in a dependency on this package. */
export const runtimes = ["emitted", "package"] as const;

/** One of them. */
export type Runtime = (typeof runtimes)[number];

/** Everything that is chosen about a project but for its name and its revisions. */
export interface Selection {
  readonly serve: readonly Offering[];
  readonly transport: Service;
  readonly further: readonly FurtherTransport[];
  readonly auth: Protection;
  readonly schema: SchemaLibrary;
  readonly client: boolean;
  readonly extras: readonly Extra[];
  readonly runtime: Runtime;
}

/** The same as text from the command line; what was not given is `undefined`. */
export interface SelectionText {
  readonly serve?: string | undefined;
  readonly transport?: string | undefined;
  readonly auth?: string | undefined;
  readonly schema?: string | undefined;
  readonly client?: boolean | undefined;
  readonly extras?: string | undefined;
  readonly runtime?: string | undefined;
}

/** Reads what was given and fills in defaults. Throws a {@link UserError} that names the possible words. */
export function readSelection(text: SelectionText): Selection {
  const isProtected = text.auth !== undefined && text.auth !== "none";
  const { transport, further } = readTransports(text.transport ?? (isProtected ? "http" : "stdio"));
  if (isProtected) refuseUnprotected(further);
  return {
    serve: readServe(text.serve ?? "tools,resources,prompts"),
    transport,
    further,
    auth: readProtection(text.auth ?? "none", transport),
    schema: readWord("--schema", text.schema ?? "zod", schemaLibraries),
    client: text.client ?? false,
    extras: readExtras(text.extras ?? "agents", transport),
    runtime: readWord("--runtime", text.runtime ?? "emitted", runtimes),
  };
}

/** Reads what shall be offered: always tools, so that `none` is refused. Throws a {@link UserError} that names the possible words. */
export function readServe(text: string): readonly Offering[] {
  const serve = readWords("--serve", text, { words: offerings, groups: ["all"] });
  return offerings.filter((offering) => offering === "tools" || serve.includes(offering));
}

/** What the protocol layer of such a project is made for. */
export function toLayerChoices(selection: Selection, revisions: readonly string[]): LayerChoices {
  return {
    revisions,
    offers: toOffers(selection.serve),
    transports: transportsOf(selection),
    client: selection.client,
    validator: selection.schema === "json",
    auth: selection.auth,
  };
}

/** What has to be offered so that this can be: files of skills are resources, and so are views. */
export function toOffers(serve: Selection["serve"]): Selection["serve"] {
  const isNeeded = serve.includes("skills") || serve.includes("ui");
  return offerings.filter((offering) => serve.includes(offering) || (isNeeded && offering === "resources"));
}

/**
 * How a project that is there shall be reached. Throws a {@link UserError} where other files than its layer would have to be others: a function for
 * the edge is no program, and whoever lets callers in needs HTTP.
 */
export function readReach(text: string, { transports, auth }: LayerChoices): readonly Transport[] {
  const { transport: service, further } = readTransports(text);
  if ((service === "worker") !== transports.includes("worker"))
    throw new UserError(
      `--transport ${service}: this project is made for ${transports.join(" and ")}, and for ${service} its src/server.ts and build.js are others. Make a new project, and take what is yours along.`,
    );
  if (auth === "none") return transportsOf({ transport: service, further });
  if (!isProtectable(service))
    throw new UserError(
      `--transport ${service}: this project asks callers who they are, over HTTP. Choose http or both.`,
    );
  refuseUnprotected(further);
  return transportsOf({ transport: service, further });
}

/**
 * Reads the words of `--transport`. stdio and HTTP together are `both`; the others come in addition to one of them, because hosts start a server on
 * stdio or reach it over HTTP. Throws a {@link UserError} that names the possible words.
 */
export function readTransports(text: string): Pick<Selection, "transport" | "further"> {
  const words = text.split(",").map((word) => word.trim());
  const unknown = words.find((word) => ![...services, ...furtherTransports].some((known) => known === word));
  if (unknown !== undefined)
    throw new UserError(
      `--transport: there is no ${JSON.stringify(unknown)}. Choose among ${[...services, ...furtherTransports].join(", ")}.`,
    );
  const further = furtherTransports.filter((word) => words.includes(word));
  const has = (service: Service): boolean => words.includes(service);
  if (has("worker") && new Set(words).size > 1)
    throw new UserError("--transport worker: a function for the edge is reached over nothing else. Choose it alone.");
  const isBoth = has("both") || (has("stdio") && has("http"));
  const transport = isBoth ? "both" : services.find(has);
  if (transport !== undefined) return { transport, further };
  throw new UserError(
    `--transport ${text}: no host reaches a server over that alone. Choose stdio or http as well, as in stdio,${text}.`,
  );
}

/** Connections of TCP have no place for credentials. */
function refuseUnprotected(further: readonly FurtherTransport[]): void {
  if (further.includes("tcp")) throw new UserError("--transport tcp has no authentication; leave out tcp or --auth.");
}

/** True if callers can be asked for credentials: a stdio server belongs to the program that starts it. */
export function isProtectable(service: Service): boolean {
  return service !== "stdio";
}

function readProtection(text: string, service: Service): Protection {
  const auth = readWord("--auth", text, protections);
  if (auth === "none" || isProtectable(service)) return auth;
  throw new UserError(
    `--auth ${auth}: a project for ${service} asks for no credentials. Choose --transport http, both or worker.`,
  );
}

/** All of them are all that fit. */
function readExtras(text: string, service: Service): readonly Extra[] {
  const wanted = readWords("--extras", text, { words: extras, groups: ["all", "none"] });
  const misfit = isAll(text) ? undefined : wanted.find((extra) => !isExtraOf(extra, service));
  if (misfit === undefined) return wanted.filter((extra) => isExtraOf(extra, service));
  throw new UserError(
    `--extras ${misfit}: ${places[misfit]?.includes("http") ? "Node" : "a host"} cannot start a project for ${service}. ` +
      `Leave it out, or choose --transport ${places[misfit]?.join(", ").replace(/, (?=\w+$)/, " or ")}.`,
  );
}

function transportsOf({ transport, further }: Pick<Selection, "transport" | "further">): readonly Transport[] {
  return [...(transport === "both" ? (["stdio", "http"] as const) : [transport]), ...further];
}

/** One word of several. Throws a {@link UserError} that names them. */
export function readWord<Word extends string>(flag: string, text: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === text.trim());
  if (found !== undefined) return found;
  throw new UserError(`${flag}: there is no ${JSON.stringify(text)}. Choose one of ${words.join(", ")}.`);
}

/** With `all` whatever else was said is said, too. */
function isAll(text: string): boolean {
  return text.split(",").some((word) => word.trim() === "all");
}

/** Words that may be given, and the words that stand for all or none of them. */
interface Vocabulary<Word extends string> {
  readonly words: readonly Word[];
  readonly groups: readonly ("all" | "none")[];
}

/** Several words with commas, or one for a group; in the order of the list. */
function readWords<Word extends string>(
  flag: string,
  text: string,
  { words, groups }: Vocabulary<Word>,
): readonly Word[] {
  if (isAll(text)) return words;
  if (text === "none" && groups.includes(text)) return [];
  const given = text.split(",").map((word) => word.trim());
  const unknown = given.find((word) => !words.some((known) => known === word));
  if (unknown === undefined) return words.filter((word) => given.includes(word));
  throw new UserError(
    `${flag}: there is no ${JSON.stringify(unknown)}. Choose among ${words.join(", ")}, or say ${groups.join(" or ")}.`,
  );
}

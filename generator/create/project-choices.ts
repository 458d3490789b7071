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
  const transport = readWord("--transport", text.transport ?? (isProtected ? "http" : "stdio"), services);
  return {
    serve: readServe(text.serve ?? "tools,resources,prompts"),
    transport,
    auth: readProtection(text.auth ?? "none", transport),
    schema: readWord("--schema", text.schema ?? "zod", schemaLibraries),
    client: text.client ?? false,
    extras: readExtras(text.extras ?? "agents", transport),
    runtime: readWord("--runtime", text.runtime ?? "emitted", runtimes),
  };
}

/** Reads what shall be offered: always tools. Throws a {@link UserError} that names the possible words. */
export function readServe(text: string): readonly Offering[] {
  const serve = readWords("--serve", text, offerings);
  return offerings.filter((offering) => offering === "tools" || serve.includes(offering));
}

/** What the protocol layer of such a project is made for. */
export function toLayerChoices(selection: Selection, revisions: readonly string[]): LayerChoices {
  return {
    revisions,
    offers: toOffers(selection.serve),
    transports: transportsOf(selection.transport),
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
  const service = readWord("--transport", text, services);
  if ((service === "worker") !== transports.includes("worker"))
    throw new UserError(
      `--transport ${service}: this project is made for ${transports.join(" and ")}, and for ${service} its src/server.ts and build.js are others. Make a new project, and take what is yours along.`,
    );
  if (auth !== "none" && !isProtectable(service))
    throw new UserError(
      `--transport ${service}: this project asks callers who they are, over HTTP. Choose http or both.`,
    );
  return transportsOf(service);
}

/** Whether anybody could be asked who they are: a program on stdio is used by whoever starts it. */
export function isProtectable(service: Service): boolean {
  return service === "http" || service === "both";
}

function readProtection(text: string, service: Service): Protection {
  const auth = readWord("--auth", text, protections);
  if (auth === "none" || isProtectable(service)) return auth;
  throw new UserError(
    `--auth ${auth}: a project for ${service} asks nobody who they are. Choose --transport http or both.`,
  );
}

/** All of them are all that fit. */
function readExtras(text: string, service: Service): readonly Extra[] {
  const wanted = readWords("--extras", text, extras);
  const misfit = isAll(text) ? undefined : wanted.find((extra) => !isExtraOf(extra, service));
  if (misfit === undefined) return wanted.filter((extra) => isExtraOf(extra, service));
  throw new UserError(
    `--extras ${misfit}: ${places[misfit]?.includes("http") ? "Node" : "a host"} cannot start a project for ${service}. ` +
      `Leave it out, or choose --transport ${places[misfit]?.join(", ").replace(/, (?=\w+$)/, " or ")}.`,
  );
}

function transportsOf(service: Service): readonly Transport[] {
  return service === "both" ? ["stdio", "http"] : [service];
}

/** One word of several. */
function readWord<Word extends string>(flag: string, text: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === text.trim());
  if (found !== undefined) return found;
  throw new UserError(`${flag}: there is no ${JSON.stringify(text)}. Choose one of ${words.join(", ")}.`);
}

/** With `all` whatever else was said is said, too. */
function isAll(text: string): boolean {
  return text.split(",").some((word) => word.trim() === "all");
}

/** Several words with commas, `all` or `none`; in the order of the list. */
function readWords<Word extends string>(flag: string, text: string, words: readonly Word[]): readonly Word[] {
  if (isAll(text)) return words;
  if (text === "none") return [];
  const given = text.split(",").map((word) => word.trim());
  const unknown = given.find((word) => !words.some((known) => known === word));
  if (unknown === undefined) return words.filter((word) => given.includes(word));
  throw new UserError(
    `${flag}: there is no ${JSON.stringify(unknown)}. Choose among ${words.join(", ")}, or say all or none.`,
  );
}

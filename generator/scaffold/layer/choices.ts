/** Features of a server. `tools` are always included. */
export const features = [
  "tools",
  "resources",
  "prompts",
  "list-changed",
  "input",
  "tasks",
  "skills",
  "apps",
  "methods",
] as const;

/**
 * One feature. `list-changed`: lists that change while clients are connected. `input`: requests of a handler to the client, for elicitation, sampling
 * and roots. `apps`: views shown by a host for the results of tools. `methods`: handlers by the name of a method.
 */
export type Feature = (typeof features)[number];

/**
 * True if lists of the server may change while clients are connected. Tools alone may be a fixed list. Every other feature except `input` and
 * `methods` brings change notifications.
 */
export function hasListChanged(chosen: readonly Feature[]): boolean {
  return chosen.some((feature) => feature !== "tools" && feature !== "input" && feature !== "methods");
}

/** True if a project has every method of its revisions: a client may meet each, and a handler by name may serve each. */
export function hasEveryMethod({ client, features: chosen }: Pick<LayerChoices, "client" | "features">): boolean {
  return client || chosen.includes("methods");
}

/** True if a feature is, or may be, an extension of the protocol. */
export function hasExtension(chosen: readonly Feature[]): boolean {
  return chosen.some((feature) => feature === "tasks" || feature === "skills" || feature === "apps");
}

/** Transports of a server; `worker` is the fetch handler of edge platforms. */
export const transports = ["stdio", "http", "worker", "websocket", "tcp"] as const;

/** One transport of a server. */
export type Transport = (typeof transports)[number];

/** Authentication of callers over HTTP: none, access tokens, or API keys. */
export const protections = ["none", "oauth", "api-key"] as const;

/** One kind of authentication over HTTP. */
export type Protection = (typeof protections)[number];

/** Engines to share among the nodes of a server; `none`: the server is one process. */
export const scales = ["none", "redis", "nats"] as const;

/** One engine for several nodes. */
export type Scale = (typeof scales)[number];

/** Engine shared by several nodes. */
export type EngineName = Exclude<Scale, "none">;

/** Endings of the imports between the modules of a project: as the source has it, as the compiled module has it, or none. */
export const importEndings = ["ts", "js", "none"] as const;

/** Ending of the imports between the modules of a project. */
export type ImportEnding = (typeof importEndings)[number];

/** Returns the path of the import of a `.ts` module with another ending. */
export function toImportPath(path: string, ending: ImportEnding = "ts"): string {
  return path.replace(/\.ts$/, ending === "none" ? "" : `.${ending}`);
}

/** Returns a module whose relative imports have another ending than `.ts`. */
export function withImportEnding(code: string, ending: ImportEnding = "ts"): string {
  if (ending === "ts") return code;
  return code.replaceAll(relativeImport, (path) => toImportPath(path, ending));
}

/** Matches the path of a relative import. Generated modules are formatted, so it is on one line with its keyword. */
const relativeImport = /(?<=\b(?:from|import) ")\.{1,2}\/[^"\n]*\.ts(?=")/g;

/** Choices the files of `src/mcp/` depend on. */
export interface LayerChoices {
  /** Revisions of the project, newest first. Its types are from the first. */
  readonly revisions: readonly string[];
  readonly features: readonly Feature[];
  readonly transports: readonly Transport[];
  /** True if the project is a client, too. */
  readonly client: boolean;
  /** True if plain JSON Schemas are enforced, by the package `@cfworker/json-schema`. */
  readonly validator: boolean;
  /** True if slow patterns are enforced too, by the package `re2js`. Default: `false`. */
  readonly re2js?: boolean;
  /** Authentication over HTTP. Access tokens (`oauth`) are verified by the package `jose`. */
  readonly auth: Protection;
  /** Engine shared by the nodes of the server. Default: `none`. */
  readonly scale?: Scale;
  /** Ending of the imports between modules. Default: `ts`. */
  readonly imports?: ImportEnding;
  /** Spec folder of the revisions, relative to the project, with forward slashes. Absent: the revisions of this package. */
  readonly spec?: string;
}

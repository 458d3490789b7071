import type { RevisionModel } from "../../model.ts";
import type { ProjectSource } from "../../openapi/source.ts";
import type { SpecModels } from "../../read/spec-models.ts";
import type { Launcher } from "./launcher.ts";
import type { PackageManager } from "./package-manager.ts";
import type { Selection } from "./project-choices.ts";
import type { RuntimeDependency } from "./runtime-package.ts";
import { declarationsByName, resolveObject } from "../../model/resolve.ts";

/** Options of the files of a project. */
export interface ProjectOptions {
  /** Absolute path of the project, for the client configuration in its README. */
  readonly folder: string;
  /** Package name, already checked. */
  readonly name: string;
  /** Revisions of the project, newest first. Its types are from the first. */
  readonly revisions: readonly string[];
  readonly selection: Selection;
  readonly manager: PackageManager;
  /** Dependency on the runtime, as the selection wants it. */
  readonly runtime: RuntimeDependency;
  /** Present if the project runs the command line of a clone. */
  readonly launcher?: Launcher;
  /** Source of its tools. Default: an example. */
  readonly source?: ProjectSource;
  /** Spec folder of the revisions, relative to the project, with forward slashes. Default: the folder of this package. */
  readonly spec?: string;
  /** Models of the spec folder. */
  readonly models: SpecModels;
  /** Cancels the generation of tools, which may take long. */
  readonly signal?: AbortSignal;
}

/** Returns the model of the newest revision of a project, whose types its code has. */
export function newestOf({ revisions, models }: Pick<ProjectOptions, "revisions" | "models">): RevisionModel {
  const model = models.models.find(({ id }) => id === revisions[0]);
  if (!model) throw new Error(`Revision ${revisions[0]} has no model; this is a bug in generator/scaffold.`);
  return model;
}

/** Returns the models of the revisions of a project. */
export function servedModels({ revisions, models }: Pick<ProjectOptions, "revisions" | "models">): RevisionModel[] {
  return models.models.filter(({ id }) => revisions.includes(id));
}

/** True if the project has a tool with a request for the user's input. */
export function isEliciting(options: ProjectOptions): boolean {
  return declares(newestOf(options), "ElicitResult") && options.selection.features.includes("input");
}

/** Returns the possible members of tools in a revision. */
export function toolMembers(model: RevisionModel): ReadonlySet<string> {
  const tool = resolveObject({ kind: "reference", name: "Tool" }, model);
  return new Set(tool?.properties.map(({ name }) => name));
}

/** Facts about a revision on which generated tools depend. */
export function revisionFacts(model: RevisionModel): {
  readonly toolMembers: ReadonlySet<string>;
  readonly hasAudio: boolean;
} {
  return { toolMembers: toolMembers(model), hasAudio: declares(model, "AudioContent") };
}

/** True if a revision declares a type. */
export function declares(model: RevisionModel, name: string): boolean {
  return declarationsByName(model).has(name);
}

/** True if the transport of a revision over HTTP is HTTP with SSE: the revision has sessions, but no header for their ids. */
export function isOverSse({ rules }: RevisionModel): boolean {
  return rules.lifecycle === "handshake" && !rules.headers.some(({ source }) => source === "session");
}

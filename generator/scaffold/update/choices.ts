import { existsSync } from "node:fs";
import { join } from "node:path";
import { chooseRevisions, type RevisionEntry } from "../layer/catalogue.ts";
import type { LayerChoices, Transport } from "../layer/choices.ts";
import type { ManagerCommands } from "../create/package-manager.ts";
import { enginePackages } from "../create/project-packages.ts";
import { readFeatures, readReach, readScale, withRequired, type Service } from "../create/project-choices.ts";

/** Requested changes of an installed layer; absent members stay as they are. */
export interface Wish {
  /** Revisions, as for a new project. */
  readonly protocol?: string;
  /** Features, as for a new project. */
  readonly features?: string;
  /** Transports: stdio, http or both, with websocket or tcp in addition. */
  readonly transport?: string;
  /** True to include a client, false to remove it. */
  readonly client?: boolean;
  /** Engine shared by several nodes, or `none`, as for a new project. */
  readonly scale?: string;
}

/** Applies requested changes to the choices of a layer, with the revisions of a catalogue. @throws {UserError} when a change is not possible. */
export function toChoices(old: LayerChoices, wish: Wish, catalogue: readonly RevisionEntry[]): LayerChoices {
  const { scale: oldScale, ...others } = old;
  const transports = wish.transport === undefined ? old.transports : readReach(wish.transport, old);
  // An engine that the project has already is checked, too: its transports may be others now.
  const scale = readScale(wish.scale ?? oldScale ?? "none", serviceOf(transports));
  return {
    ...others,
    ...(scale !== "none" && { scale }),
    revisions: chooseRevisions(wish.protocol ?? old.revisions.join(","), catalogue),
    features: wish.features === undefined ? old.features : withRequired(readFeatures(wish.features)),
    transports,
    client: wish.client ?? old.client,
  };
}

/** True if the new choices remove something the project's code may use: another spec folder may have other types of a revision. */
export function isLess(old: LayerChoices, next: LayerChoices): boolean {
  return (
    old.spec !== next.spec ||
    old.revisions.some((revision) => !next.revisions.includes(revision)) ||
    old.features.some((feature) => !next.features.includes(feature)) ||
    old.transports.some((transport) => !next.transports.includes(transport)) ||
    (old.client && !next.client) ||
    (old.scale !== undefined && old.scale !== next.scale)
  );
}

/** Describes the changed choices, except revisions, and the necessary steps in the project, one line each. */
export function describeChoices(
  old: LayerChoices,
  next: LayerChoices,
  { project, commands }: { readonly project: string; readonly commands: PackageCommands },
): readonly string[] {
  const lines: string[] = [];
  if (old.features.join() !== next.features.join())
    lines.push(`Features: ${next.features.join(", ")}; before: ${old.features.join(", ")}.`);
  if (next.features.includes("skills") && !old.features.includes("skills"))
    lines.push(`Skills are read with the package yaml: ${commands.add("yaml")}`);
  if (next.transports.includes("websocket") && !old.transports.includes("websocket"))
    lines.push(`WebSockets are served with the package ws: ${commands.add("ws", "@types/ws")}`);
  if (old.transports.join() !== next.transports.join()) lines.push(...describeTransports(old, next, project));
  if (old.scale !== next.scale) lines.push(...describeEngine(old, next, commands));
  if (old.client !== next.client) lines.push(`Client: ${next.client ? "included" : "removed"}.`);
  return lines;
}

/** Describes other transports. Files outside the layer belong to the user: they are named, and stay as they are. */
function describeTransports(
  { transports: before }: LayerChoices,
  { transports }: LayerChoices,
  project: string,
): readonly string[] {
  const isPresent = (path: string): boolean => existsSync(join(project, path));
  const isWithoutHttp = before.includes("http") && !transports.includes("http");
  const files = isWithoutHttp ? ["src/handler.ts", "handler.d.ts", "src/mcp-handler.ts"].filter(isPresent) : [];
  // Older projects have a file for the transports alone.
  const tests = ["test/links.ts", "test/client.ts"].filter(isPresent);
  return [
    `Transports: ${transports.join(", ")}; before: ${before.join(", ")}.`,
    ...tests.slice(0, 1).map((file) => `The tests use the transports in ${file}.`),
    ...(files.length > 0 ? [`Remove what serves HTTP, and the lines that use it: ${files.join(", ")}.`] : []),
  ];
}

/** Commands of the package manager of a project to change its packages. */
type PackageCommands = Pick<ManagerCommands, "add" | "remove">;

/** Describes another engine. Files outside the layer belong to the user: they are named, and stay as they are. */
function describeEngine(
  { scale: before = "none" }: LayerChoices,
  { scale = "none" }: LayerChoices,
  commands: PackageCommands,
): readonly string[] {
  const added = Object.keys(enginePackages[scale]);
  const removed = Object.keys(enginePackages[before]);
  const files = "src/engine.ts, test/cluster.test.ts, compose.yaml and deploy/";
  return [
    `Engine of several nodes: ${scale}; before: ${before}.`,
    ...(added.length === 0 ? [] : [`Its client is a package: ${commands.add(...added)}`]),
    ...(removed.length === 0 ? [] : [`That of ${before} is no longer used: ${commands.remove(...removed)}`]),
    scale === "none"
      ? `Remove ${files}, and connectEngine from src/server.ts and src/handler.ts.`
      : `Take ${files} from a new project with --scale ${scale}${before === "none" ? ", and pass connectEngine() as its src/server.ts and src/handler.ts do" : ""}.`,
  ];
}

/** Service with these transports. An engine does not depend on stdio beside HTTP. */
function serviceOf(transports: readonly Transport[]): Service {
  if (transports.includes("worker")) return "worker";
  return transports.includes("http") ? "http" : "stdio";
}

import { countText, outputLine } from "../../generator/internal/text.ts";
import { runPhase } from "../../generator/internal/phase.ts";
import { settingsOf } from "../../generator/openapi/api-settings.ts";
import { sourceNotes } from "../../generator/openapi/source-notes.ts";
import { UserError } from "../../generator/internal/user-error.ts";
import { listTools, manifestName } from "../../generator/scaffold/add/bundle-manifest.ts";
import { growLayer } from "../../generator/scaffold/add/grow-layer.ts";
import { planApi, type ApiOptions, type ApiPlan } from "../../generator/scaffold/add/plan-api.ts";
import type { KeptEdit } from "../../generator/scaffold/add/plan-files.ts";
import { writeFiles, type RestoreFiles } from "../../generator/scaffold/add/write-files.ts";
import { commandsOf, readManager, readTestSteps } from "../../generator/scaffold/create/package-manager.ts";
import { requireProject } from "../../generator/scaffold/layer/installed-layer.ts";
import { nextStepsText } from "./report.ts";
import { runInterruptibly } from "./stop-signal.ts";

/** Options of `create-mcp-server add openapi`. */
export interface AddOpenapiOptions extends ApiOptions {
  /** Write nothing, and exit with 1 if the project differs from the document. */
  readonly check: boolean;
  /** Write nothing, and list the changes. */
  readonly dryRun: boolean;
}

/** `create-mcp-server add openapi <document>`: adds the tools of an API to a project, or updates them. Returns the exit code. */
export function runAddOpenapi(options: AddOpenapiOptions): Promise<number> {
  return runInterruptibly((signal) => addOpenapi(options, signal));
}

async function addOpenapi({ check, dryRun, ...options }: AddOpenapiOptions, signal: AbortSignal): Promise<number> {
  requireProject(options.folder);
  if (check && options.force) throw new UserError("--check writes nothing; remove --force.");
  const plan = await planApi(options, signal);
  const { place } = plan.record;
  for (const line of sourceNotes(plan.source, `${place.folder}/api.ts`)) console.error(line);
  for (const line of changeLines(plan)) console.log(line);
  const isDifferent = countChanges(plan) > 0;
  if (check || dryRun) {
    for (const line of fileLines(plan)) console.log(line);
    if (!isDifferent) console.log(`${place.folder}/ is up to date with ${plan.record.document}.`);
    return check && isDifferent ? 1 : 0;
  }
  if (!isDifferent) {
    console.log(`${place.folder}/ is up to date with ${plan.record.document}; nothing was written.`);
    return 0;
  }
  await apply(options.folder, plan, signal);
  await printNext(options.folder, plan);
  return 0;
}

const longest = 500;

function countChanges({ files, others, growth }: ApiPlan): number {
  return files.writes.size + files.removals.length + others.size + (growth ? 1 : 0);
}

/** Lines about operations and edits. */
function changeLines({ operations, files, isNew }: ApiPlan): string[] {
  const changes = operations.map(({ kind, operation, tool, parts }) => {
    const detail = parts.length > 0 ? `: ${parts.join(", ")}` : "";
    return `${kind.padEnd(10)} ${outputLine(`${operation}, tool ${tool}${detail}`, longest)}`;
  });
  return [...(isNew && changes.length > manyChanges ? [] : changes), ...files.edits.map(editLine)];
}

/** Number of operations above which the operations of a new API are not listed. */
const manyChanges = 50;

function editLine({ path, part, kind }: KeptEdit): string {
  const place = part === undefined ? path : `${path}: ${part}`;
  const reasons = {
    kept: "your edit stays",
    conflict: "your edit stays, but its generated text changed; compare it, or replace it with --force",
    orphaned: "its operation is not in the document any more, but you edited it; remove the file, or undo the edit",
  };
  return `${kind.padEnd(10)} ${outputLine(place, longest)}: ${reasons[kind]}`;
}

/** Preview of the files a run would write, one line each. */
function fileLines({ files, others, growth }: ApiPlan): string[] {
  return [
    ...[...files.writes.keys(), ...others.keys()].map((path) => `write      ${path}`),
    ...files.removals.map((path) => `remove     ${path}`),
    ...(growth ? [`regenerate src/mcp/ with ${growth.part}`] : []),
  ];
}

async function apply(folder: string, plan: ApiPlan, signal: AbortSignal): Promise<void> {
  const { files, others, growth, operations, source } = plan;
  const changes = { writes: new Map([...files.writes, ...others]), removals: files.removals };
  const write = (): Promise<RestoreFiles> => writeFiles(folder, changes, signal);
  await runPhase("Writing files", async () => {
    await (growth ? growLayer(folder, growth, write) : write());
  });
  const named = operations.filter(({ kind, formerTool }) => kind === "new" || formerTool !== undefined);
  const added = named.map(({ tool }) => tool);
  const tools = source.contract.tools.filter(({ name }) => added.includes(name));
  const listed = tools.map(({ name, description = name }) => ({ name, description }));
  const removed = operations.flatMap(({ kind, tool, formerTool }) => formerTool ?? (kind === "gone" ? [tool] : []));
  if (!(await listTools(folder, { added: listed, removed })))
    console.error(`Warning: ${manifestName} has no list of tools; write the tools into it by hand.`);
}

async function printNext(folder: string, { record, isNew, server, source, packages, files }: ApiPlan): Promise<void> {
  const { install } = commandsOf(await readManager(folder));
  const count = Object.keys(record.operations).length;
  const added = `Added ${countText(count, "tool")} in ${record.place.folder}/, registered in ${server}.`;
  const updated = `Updated ${record.place.folder}/: ${countText(files.writes.size, "file")} written, ${files.removals.length} removed.`;
  console.log(isNew ? added : updated);
  const settings = source.api && isNew ? settingsOf(source.api).filter((one) => one.default === undefined) : [];
  for (const { name, description } of settings) console.log(`setting    ${name}: ${outputLine(description)}`);
  const installs = packages.length > 0 ? [`${install}  (for ${packages.join(", ")})`] : [];
  const next = nextStepsText([...installs, ...(await readTestSteps(folder))]);
  if (next !== "") console.log(next);
}

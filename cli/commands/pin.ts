import { resolve } from "node:path";
import type { ExtensionModel } from "../../generator/model.ts";
import { pinExtension, type ExtensionPinReport, type PinExtensionOptions } from "../../generator/pin/pin-extension.ts";
import { pinRevision, type PinOptions, type PinReport } from "../../generator/pin/pin.ts";
import { runPhase } from "../../generator/internal/phase.ts";
import { quoteForShell } from "../../generator/internal/text.ts";
import { findProject, readInstalledLayer } from "../../generator/scaffold/layer/installed-layer.ts";
import { emitText } from "../../tools/diff/report/text.ts";
import { compareExtensionModels, compareRevisionModels } from "../../tools/diff/revisions.ts";
import { writeExtensionPage } from "./extension-page.ts";
import { reportProblem } from "./report.ts";

/** `create-mcp-server pin`: adds the schema of a revision to a spec folder. Returns the exit code. */
export async function runPin(options: PinOptions): Promise<number> {
  try {
    const report = await runPhase("Reading the schema", () => pinRevision(options));
    for (const warning of report.warnings) console.error(`Warning: ${warning}`);
    console.log(reportText(report));
    return 0;
  } catch (error) {
    return reportProblem(error);
  }
}

/** `create-mcp-server pin --extension`: adds the schema of an extension to a spec folder. Returns the exit code. */
export async function runPinExtension(options: PinExtensionOptions): Promise<number> {
  try {
    const report = await runPhase("Reading the schema", () => pinExtension(options));
    const { spec, model, decisions } = report;
    if (decisions.open.length === 0) await writeExtensionPage(spec, model);
    for (const warning of report.warnings) console.error(`Warning: ${warning}`);
    console.log(extensionText(report, await nextCommand(report)));
    return 0;
  } catch (error) {
    return reportProblem(error);
  }
}

function extensionText(report: ExtensionPinReport, next: string): string {
  const { spec, isNew, id, name, pin, core, declarations, overlay, decisions, previous } = report;
  const path = `${spec}/extensions/${name}/overlay.json`;
  const counted = `${declarations} declarations, sha256 ${pin.sha256.slice(0, 12)}, from ${pin.source}`;
  const blocks = [
    `Pinned ${id} (${pin.status}) in ${spec}/extensions/${name}: ${counted}, with the types of ${core.id}.`,
  ];
  if (isNew) blocks.push(`${spec} was created with the revisions of create-mcp-server.`);
  if (overlay.kind === "kept") blocks.push(`${path} matches the schema and was kept.`);
  else {
    blocks.push(`${path} was proposed from ${overlay.base}.`);
    blocks.push(...listText("Omitted entries, which refer to names missing from this schema:", overlay.dropped));
    blocks.push(...listText("Decisions required before generation:", decisions.open));
    const toVerify = [...decisions.confirm, "clause: the links point to the right pages"];
    blocks.push(...listText("To verify against the specification of the extension:", toVerify));
  }
  if (decisions.open.length === 0) blocks.push(`${spec}/extensions/${name}/README.md describes it.`);
  if (previous) blocks.push(extensionChangesText(previous, report));
  if (overlay.kind === "kept") blocks.push(`Next: ${next}`);
  else blocks.push(`Next: review and complete ${path}, then ${next}`);
  return blocks.join("\n\n");
}

/** Lists the differences to the version before, in part if there are many. */
function extensionChangesText(previous: ExtensionModel, { model }: ExtensionPinReport): string {
  const text = emitText(compareExtensionModels(previous, model));
  const lines = text.split("\n");
  const hidden = lines.length - linesShown;
  return hidden <= 0 ? text : [...lines.slice(0, linesShown), `  and ${hidden} more`].join("\n");
}

/** Returns the command that generates the extension: in a project beside its layer. */
async function nextCommand({ spec, core }: ExtensionPinReport): Promise<string> {
  const folder = quoteForShell(spec);
  const project = findProject(process.cwd());
  if (project === undefined) return `create-mcp-server generate --spec ${folder} --protocol ${core.id} --out generated`;
  const layer = await readInstalledLayer(project).catch(() => undefined);
  const isKnown = layer?.choices.spec !== undefined && resolve(project, layer.choices.spec) === resolve(spec);
  return isKnown ? "create-mcp-server update" : `create-mcp-server update --spec ${folder}`;
}

function reportText(report: PinReport): string {
  const { spec, isNew, revision, pin, declarations, overlay, decisions } = report;
  const path = `${spec}/${revision}/overlay.json`;
  const blocks = [
    `Pinned ${revision} (${pin.status}) in ${spec}: ${declarations} declarations, sha256 ${pin.sha256.slice(0, 12)}, from ${pin.source}.`,
  ];
  if (report.files.length > 0)
    blocks.push(`${spec}/${revision}/schema.ts has the declarations of ${report.files.join(", ")}.`);
  if (isNew) blocks.push(`${spec} was created with the revisions of create-mcp-server.`);
  if (overlay.kind === "kept") blocks.push(`${path} matches the schema and was kept.`);
  else {
    blocks.push(`${path} was proposed from the overlay of ${overlay.base}.`);
    blocks.push(...listText("Omitted entries, which refer to names missing from this schema:", overlay.dropped));
  }
  blocks.push(...listText("Decisions required before generation:", decisions.open));
  if (overlay.kind !== "kept") {
    blocks.push(
      ...listText("To verify against the specification:", [
        ...decisions.confirm,
        "clause: the links point to the right pages",
      ]),
    );
  }
  const undecided = report.undecided.map(({ overlay: file, text, entries }) =>
    [`${file}: ${text}. ${adviceText(entries)}`, ...entries.map((entry) => `      ${JSON.stringify(entry)}`)].join(
      "\n",
    ),
  );
  blocks.push(...listText("Decisions required in `conversions` before older revisions are generated:", undecided));
  blocks.push(
    ...listText("Extensions that do not fit this revision; change or remove them before generation:", report.unfit),
  );
  if (report.compared) blocks.push(changesText(report.compared, spec));
  const generate = `create-mcp-server generate --spec ${spec} --protocol ${revision} --out generated`;
  const isDone = overlay.kind === "kept" && decisions.open.length === 0;
  blocks.push(isDone ? `Next: ${generate}` : `Next: review and complete ${path}, then ${generate}`);
  return blocks.join("\n\n");
}

function adviceText(entries: readonly unknown[]): string {
  if (entries.length === 0) return "No rule alone is accepted; give each place a rule";
  return entries.length === 1 ? "Add:" : "Add one of:";
}

/** Lists what `diff` lists, in part if there is much. */
function changesText([older, newer]: NonNullable<PinReport["compared"]>, spec: string): string {
  const lines = emitText(compareRevisionModels(older, newer, [older, newer])).split("\n");
  const hidden = lines.length - linesShown;
  if (hidden <= 0) return lines.join("\n");
  const more = `  and ${hidden} more: create-mcp-server diff ${older.id} ${newer.id} --spec ${spec}`;
  return [...lines.slice(0, linesShown), more].join("\n");
}

const linesShown = 40;

function listText(title: string, entries: readonly string[]): string[] {
  return entries.length === 0 ? [] : [[title, ...entries.map((entry) => `  - ${entry}`)].join("\n")];
}

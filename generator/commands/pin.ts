import { pinRevision, type PinOptions, type PinReport } from "../pin/pin.ts";
import { reportProblem } from "./report.ts";

/** `create-mcp-server pin`: adds the schema of a revision to a spec folder. Returns the exit code. */
export async function runPin(options: PinOptions): Promise<number> {
  try {
    const report = await pinRevision(options);
    for (const warning of report.warnings) console.error(`Warning: ${warning}`);
    console.log(reportText(report));
    return 0;
  } catch (error) {
    return reportProblem(error);
  }
}

function reportText(report: PinReport): string {
  const { spec, isNew, revision, pin, declarations, overlay, decisions } = report;
  const path = `${spec}/${revision}/overlay.json`;
  const blocks = [
    `Pinned ${revision} (${pin.status}) in ${spec}: ${declarations} declarations, sha256 ${pin.sha256.slice(0, 12)}, from ${pin.source}.`,
  ];
  if (isNew) blocks.push(`${spec} is new: it has the revisions of create-mcp-server as well.`);
  if (overlay.kind === "kept") blocks.push(`${path} fits as it is and was kept.`);
  else {
    blocks.push(`${path} is a proposal that starts from the overlay of ${overlay.base}.`);
    blocks.push(...listText("Left out, because it names what this schema does not have:", overlay.dropped));
    blocks.push(...listText("To decide, before the generator goes on:", decisions.open));
    blocks.push(
      ...listText("To confirm with the specification:", [
        ...decisions.confirm,
        "clause: that the links lead to the right pages",
      ]),
    );
  }
  const undecided = report.undecided.map(({ overlay: file, text }) => `${file}: ${text}`);
  blocks.push(...listText("To decide in `conversions`, before older revisions are generated again:", undecided));
  const generate = `create-mcp-server generate --spec ${spec} --protocol ${revision} --out generated`;
  blocks.push(overlay.kind === "kept" ? `Next: ${generate}` : `Next: read ${path} and complete it, then ${generate}`);
  return blocks.join("\n\n");
}

function listText(title: string, entries: readonly string[]): string[] {
  return entries.length === 0 ? [] : [[title, ...entries.map((entry) => `  - ${entry}`)].join("\n")];
}

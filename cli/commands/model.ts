import { join } from "node:path";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { openSpecFolder } from "../../generator/read/spec-folder.ts";
import { reportProblem } from "./report.ts";
import { chooseSpec, type SpecFlags } from "./spec-revisions.ts";

/** `create-mcp-server model`: prints the model of one revision as JSON. Returns the exit code. */
export async function runModel(options: SpecFlags & { readonly revision: string }): Promise<number> {
  try {
    const folder = await openSpecFolder((await chooseSpec(options)) ?? join(packageRoot, "spec"));
    process.stdout.write(`${JSON.stringify(await folder.readModel(options.revision), undefined, 2)}\n`);
    return 0;
  } catch (error) {
    return reportProblem(error);
  }
}

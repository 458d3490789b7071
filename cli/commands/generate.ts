import { driftText } from "../../generator/internal/tree.ts";
import { runPhase } from "../../generator/internal/phase.ts";
import { generate, type GenerateOptions } from "../../generator/generate.ts";
import { reportProblem } from "./report.ts";
import { chooseSpec, type SpecFlags } from "./spec-revisions.ts";

/** `create-mcp-server generate`: writes the generated layer, or checks it. Returns the exit code. */
export async function runGenerate(flags: Omit<GenerateOptions, "spec"> & SpecFlags): Promise<number> {
  try {
    const { spec: _given, ...options } = flags;
    const spec = await chooseSpec(flags);
    const given = { ...options, ...(spec !== undefined && { spec }) };
    const { files, drift } = await runPhase("Generating", () => generate(given));
    const out = options.out ?? "generated";
    for (const difference of drift) console.log(driftText(difference));
    if (options.check && drift.length > 0) {
      console.error(
        `${drift.length} of ${files} files in ${out} differ from the spec; run the same command without --check to write them.`,
      );
      return 1;
    }
    console.log(`${out}: ${files} files, ${options.check ? "all up to date" : `${drift.length} written`}.`);
    return 0;
  } catch (error) {
    return reportProblem(error);
  }
}

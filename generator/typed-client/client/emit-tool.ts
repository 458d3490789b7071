import { commentText, safeText } from "../../internal/text.ts";
import { emitType } from "../tool-schema/type-text.ts";
import { checkFunctions, emitCheck, type CheckText } from "./check-text.ts";
import type { ToolPlan } from "./plan.ts";

/** Ending of import paths: `ts` for sources run directly by Node or a bundler, `js` for others. */
export type ImportEnding = "ts" | "js";

/** File of one tool. */
export interface ToolFile {
  readonly text: string;
  /** True if the code calls the engine for slow patterns. */
  readonly usesRe2: boolean;
}

/** Writes the unformatted file of one tool: types of its arguments and its result, and the checks of both. */
export async function emitTool(plan: ToolPlan, ending: ImportEnding): Promise<ToolFile> {
  const { entry, type, member, input, output } = plan;
  const names = typeNames(plan);
  const types = [await emitType(input, { name: names.arguments, prefix: `${type}Argument` })];
  const checks = [emitCheck(input, `${type}Argument`)];
  if (output && names.structured !== undefined) {
    types.push(await emitType(output, { name: names.structured, prefix: `${type}Structured` }));
    checks.push(emitCheck(output, `${type}Structured`));
  }
  const [args, structured] = checks.map(({ expression }) => expression);
  const row = [
    `name: ${JSON.stringify(entry.name)}`,
    `arguments: ${args}`,
    ...(structured === undefined ? [] : [`structured: ${structured}`]),
  ];
  const rowType = `Tool<${names.arguments}, ${names.structured ?? "unknown"}>`;
  const text = [
    importText(checks, ending),
    `import type { Tool } from "../session.${ending}";`,
    types.join("\n"),
    checks.flatMap(({ declarations }) => declarations).join("\n\n"),
    `${toolDoc(plan)}export const ${member}: ${rowType} = { ${row.join(", ")} };`,
  ].join("\n\n");
  return { text, usesRe2: checks.some(({ uses }) => uses.has("compileRe2")) };
}

/** Returns the names of the types of a tool. Without an output schema there is no type of its structured content. */
export function typeNames({ type, output }: ToolPlan): { readonly arguments: string; readonly structured?: string } {
  return { arguments: `${type}Arguments`, ...(output && { structured: `${type}Structured` }) };
}

/** Returns the doc comment of a tool. */
export function toolDoc({ entry }: ToolPlan): string {
  const { destructiveHint, readOnlyHint } = entry.annotations ?? {};
  const hint = readOnlyHint === true ? "Declared read-only." : destructiveHint === true ? "Declared destructive." : "";
  const text = [safeText(entry.description ?? entry.title ?? "").trim(), hint]
    .filter((part) => part !== "")
    .join("\n\n");
  return commentText(text === "" ? `Tool ${safeText(entry.name)}.` : text);
}

function importText(checks: readonly CheckText[], ending: ImportEnding): string {
  const uses = new Set(checks.flatMap((check) => [...check.uses]));
  const used = checkFunctions.filter((name) => uses.has(name));
  const names = [...used, ...(checks.some(({ declarations }) => declarations.length > 0) ? ["type Check"] : [])];
  const re2 = uses.has("compileRe2") ? [`import { compileRe2 } from "../re2.${ending}";`] : [];
  return [`import { ${names.join(", ")} } from "../check.${ending}";`, ...re2].join("\n");
}

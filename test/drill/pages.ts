import { readLosses } from "../../generator/conversions/conversions.ts";
import { readSpecModels } from "../../generator/read/spec-models.ts";
import { emitReference } from "../../generator/reference/pages.ts";
import { after, before, type Drawn } from "./draw.ts";
import type { Step } from "./step.ts";

/** Writes the pages about the protocol, and lists what clients of the revision before do not get: both name what was drawn. */
export async function readPages(step: Step, drawn: Drawn, spec: string): Promise<void> {
  const { models, extensions } = await readSpecModels(spec);
  const { method, inputRequest, notification, optional, required, content } = drawn;
  const text = [...emitReference(models, extensions).values()].join("\n");
  for (const name of [after, method.method, method.header, inputRequest.method, notification.method, content.type])
    step.check(`the pages name ${name}`, text.includes(name));
  const target = models.find(({ id }) => id === before);
  if (!target) throw new Error(`${before} is not in the spec folder`);
  const losses = readLosses(models, target).map(({ type, member }) => [type, ...(member ? [member] : [])].join("."));
  const members = [...optional, ...(required.isKnown ? [] : [required])].map(({ type, member }) => `${type}.${member}`);
  for (const name of [...members, `ContentBlock.${content.type}`, method.method, inputRequest.method])
    step.check(`${name} is listed as a loss`, losses.includes(name), losses);
}

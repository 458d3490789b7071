import { expect, it } from "vitest";
import { toCompatModel, toJsonSchema } from "./json-schema.ts";
import { compareSchemas } from "./compare.ts";
import { readOfficialSchema } from "./official.ts";
import { readDeclared, revisions } from "./revisions.ts";
import { editSchema } from "./schema-edits.ts";

it("the comparator detects every effective single edit of the official schemas, and no other", () => {
  const missed: string[] = [];
  const imagined: string[] = [];
  const counts = { effective: 0, noOp: 0 };
  const noOps = new Map<string, number>();
  for (const revision of revisions) {
    const ours = toJsonSchema(toCompatModel(readDeclared(revision)));
    for (const { definition, text, schema, noOp } of editSchema(readOfficialSchema(revision))) {
      const isDetected = compareSchemas(schema, ours, [definition]).length > 0;
      counts[noOp === undefined ? "effective" : "noOp"] += 1;
      if (noOp !== undefined) noOps.set(noOp, (noOps.get(noOp) ?? 0) + 1);
      if (!isDetected && noOp === undefined) missed.push(`${revision} ${text}`);
      if (isDetected && noOp !== undefined) imagined.push(`${revision} ${text} (${noOp})`);
    }
  }
  console.log(
    `${counts.effective} effective edits, ${missed.length} missed; ${counts.noOp} edits without effect:`,
    noOps,
  );
  expect(missed).toEqual([]);
  expect(imagined).toEqual([]);
  expect(counts.effective).toBeGreaterThanOrEqual(3_700);
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toCompatModel, toJsonSchema } from "./json-schema.ts";
import { isObject } from "../../templates/support.ts";
import { compareSchemas } from "./compare.ts";
import { readOfficialSchema } from "./official.ts";
import { readDeclared, revisions } from "./revisions.ts";

/** Known differences by revision; each has a reason, and one that no longer exists must be deleted. */
const divergences: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "../../spec/divergences.json"), "utf8"));

it("spec/divergences.json lists the revisions under spec/ and no others", () => {
  expect(isObject(divergences) ? Object.keys(divergences) : []).toEqual(revisions);
});

describe.each(revisions)("schema.ts of %s", (revision) => {
  it("schema.ts is equal to the official schema.json, with its two quirks emulated", () => {
    const ours = toJsonSchema(toCompatModel(readDeclared(revision)));
    expect(compareSchemas(readOfficialSchema(revision), ours)).toEqual([]);
  });

  it("schema.ts differs from the official schema.json exactly where spec/divergences.json says, each line with a reason", () => {
    const known = isObject(divergences) ? divergences[revision] : undefined;
    const lines: unknown[] = Array.isArray(known) ? known : [];
    const found = compareSchemas(readOfficialSchema(revision), toJsonSchema(readDeclared(revision)));
    console.log(`${revision}: ${found.length} differences, all named`);
    expect(lines).toEqual(found.map((difference) => ({ ...difference, reason: expect.stringMatching(/\w{3}.*\.$/) })));
  });
});

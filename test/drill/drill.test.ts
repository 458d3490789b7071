import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { readSchema } from "../../generator/read/schema.ts";
import { after, before, drawRevision } from "./draw.ts";
import { addMember, addSemicolon, addTag, addToUnion, changeConstant, removeType, renameLiteral } from "./edits.ts";
import { StepRunner, toTable } from "./step.ts";

const schema = readFileSync(join(packageRoot, "spec", before, "schema.ts"), "utf8");

const small = `/**
 * Some letters.
 */
export type Letter = "a" | "b";
export type Word = One | Two;
export type Listed =
  | One
  | Two;
/** One. */
export interface One {
  letter?: Letter;
  two?: Two[];
}
/** Two. */
export interface Two {
  kind: "a" | "c";
}
export interface Three {
  kind: "t";
}
export const CODE = -1;
`;

describe("edits of a schema", () => {
  test.each<[what: string, edited: string, part: string]>([
    ["an alternative in one line", addToUnion(small, "Word", "Three"), "Word = Three | One | Two;"],
    ["an alternative in a list", addToUnion(small, "Listed", "Three"), "Listed =\n  | Three\n  | One\n  | Two;"],
    ["a member", addMember(small, "Two", "more?: string"), "Two {\n  more?: string;\n"],
    ["a literal", renameLiteral(small, "Two", { from: "a", to: "z" }), 'kind: "z" | "c"'],
    ["a constant", changeConstant(small, "CODE", -7), "CODE = -7;"],
    ["a type without its uses", removeType(small, "Two"), "Word = One;\nexport type Listed =\n  | One;"],
    ["a type that comes first", removeType(small, "One"), "Word = Two;"],
    ["a semicolon", addSemicolon(small, "Two"), "};\nexport interface Three"],
    ["a tag", addTag(small, "Letter", "@since 1"), " * Some letters.\n * @since 1\n */\nexport type Letter"],
  ])("an edit changes %s", (_what, edited, part) => {
    expect(edited).toContain(part);
    expect(() => readSchema("schema.ts", edited)).not.toThrow();
  });

  test.each<[what: string, edit: () => string]>([
    ["a type", () => addMember(small, "Four", "a: string")],
    ["a union", () => addToUnion(small, "One", "Three")],
    ["an interface", () => addMember(small, "Word", "a: string")],
    ["a literal", () => renameLiteral(small, "Letter", { from: "z", to: "y" })],
    ["a constant", () => changeConstant(small, "NONE", 1)],
  ])("an edit rejects %s that the schema does not have", (_what, edit) => {
    expect(edit).toThrow("draw another one");
  });
});

describe("a fictional revision", () => {
  test("a fictional revision is the same for the same seed, and another one for another seed", () => {
    expect(drawRevision(7, schema)).toEqual(drawRevision(7, schema));
    expect(drawRevision(7, schema).schema).not.toBe(drawRevision(8, schema).schema);
  });

  test("a fictional revision has every change that was drawn", () => {
    const drawn = drawRevision(3, schema);
    const { declarations, constants, warnings } = readSchema("schema.ts", drawn.schema);
    const names = declarations.map(({ name }) => name);
    const { method, inputRequest, notification, content, removedType, errorCode } = drawn;
    const added = [method.type, inputRequest.type].map((type) => `${type}Request`);
    expect(names).toEqual(expect.arrayContaining([...added, `${notification.type}Notification`, content.type]));
    expect(names).not.toContain(removedType);
    expect(constants).toContainEqual(expect.objectContaining({ name: errorCode.constant, value: errorCode.to }));
    expect(constants).toContainEqual(expect.objectContaining({ name: "LATEST_PROTOCOL_VERSION", value: after }));
    expect(warnings.map(({ text }) => text)).toEqual([expect.stringContaining(`@${drawn.tag} `)]);
  });
});

describe("steps of a drill", () => {
  test("a step keeps its problems, and an error is one of them", async () => {
    const steps = new StepRunner();
    await steps.run("first", async (step) => {
      step.expect("one", 1, 1);
      step.expect("two", { a: 1 }, { a: 2 });
    });
    const outcome = await steps.run("second", () => Promise.reject(new Error("broken")));
    expect(outcome).toBeUndefined();
    const table = toTable(steps.results);
    expect(table).toMatch(/^first +0\.\d s +2 checks +failed\nsecond +0\.\d s +0 checks +failed$/m);
    expect(table).toContain('- first: two: expected {"a":2}; found {"a":1}');
    expect(table).toContain("- second: Error: broken");
  });
});

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { extension as skills } from "../../../generated/extensions/skills/index.ts";
import { extension as tasks } from "../../../generated/extensions/tasks/index.ts";
import { extension as ui } from "../../../generated/extensions/ui/index.ts";
import { describeUnstable, readStages } from "../../../generator/read/stages.ts";
import { describeUnstableFeatures } from "../../../generator/scaffold/create/feature-stages.ts";
import { emitExplanation } from "../../../tools/explain/text.ts";

const stages = readStages();

describe("stages of extensions", () => {
  test("every implemented extension has a stage", () => {
    expect(Object.keys(stages)).toEqual(expect.arrayContaining([skills.id, tasks.id, ui.id]));
  });

  test.each(Object.entries(stages))(
    "the stage of %s is one of SEP-3392, with its source: %j",
    (_id, { stage, clause, read }) => {
      expect(["experimental", "beta", "stable"]).toContain(stage);
      expect(clause).toMatch(/^https:\/\//);
      expect(read).toMatch(/^20\d\d-\d\d-\d\d$/);
    },
  );

  test("the guide shows all stages", () => {
    const guide = readFileSync(new URL("../../../docs/extensions.md", import.meta.url), "utf8");
    const rows = guide.split("\n").map((line) => line.replaceAll(/\s*\|\s*/g, "|"));
    for (const [id, { stage, revision = "not published", clause, read }] of Object.entries(stages))
      expect(rows).toContain(`|\`${id}\`|${stage}|${revision}|[read ${read}](${clause})|`);
  });

  test("an extension that may change is described, also an unknown one", () => {
    expect(describeUnstable(tasks.id, stages)).toBe("io.modelcontextprotocol/tasks is beta");
    expect(describeUnstable(ui.id, stages)).toBeUndefined();
    expect(describeUnstable("com.example/toString", stages)).toBe("com.example/toString has no known stage");
    expect(describeUnstable("toString", stages)).toBe("toString has no known stage");
  });

  test("`create` warns about features with such an extension", () => {
    expect(describeUnstableFeatures(["tools", "tasks", "apps", "prompts"])).toEqual([
      "the feature tasks uses an extension that may change: io.modelcontextprotocol/tasks is beta.",
    ]);
    expect(describeUnstableFeatures(["tools", "apps"])).toEqual([]);
  });

  test("`explain` lists declared extensions that may change", () => {
    const explanation = {
      server: { name: "a", version: "1" },
      revision: "1",
      written: "1",
      parts: [],
      possible: [],
      extensions: [{ id: ui.id, stage: "stable" }, { id: tasks.id, stage: "beta" }, { id: "com.example/x\u001b[2J" }],
    };
    const text = emitExplanation(explanation);
    expect(text).toContain(
      "Extensions that may change incompatibly:\n  io.modelcontextprotocol/tasks: beta\n  com.example/x",
    );
    expect(text).not.toContain("\u001b");
    expect(text).not.toContain(ui.id);
    expect(emitExplanation({ ...explanation, extensions: [] })).not.toContain("Extensions");
  });
});

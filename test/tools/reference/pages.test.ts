import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readLosses } from "../../../generator/conversions/conversions.ts";
import type { ExtensionModel, Method, RevisionModel } from "../../../generator/model.ts";
import { resolveObject } from "../../../generator/model/resolve.ts";
import { readSpecModels } from "../../../generator/read/spec-models.ts";
import { emitReference } from "../../../tools/reference/pages.ts";
import { linksOf, toAnchor } from "../../repository/markdown.ts";

const folder = join(import.meta.dirname, "..", "..", "..", "docs", "protocol");

let models: readonly RevisionModel[];
let extensions: readonly ExtensionModel[];
let pages: ReadonlyMap<string, string>;
let sections: ReadonlyMap<string, string>;

beforeAll(async () => {
  ({ models, extensions } = await readSpecModels());
  pages = emitReference(models, extensions);
  sections = new Map([...pages].flatMap(([file, text]) => sectionsOf(file, text)));
});

/** Sections of a page about messages, with all of their parts, and about types, by the name of the file and the heading. */
function sectionsOf(file: string, text: string): (readonly [string, string])[] {
  return text.split(/^(?=## )/m).flatMap((part) => {
    const parts = part.startsWith("## Types\n") ? part.split(/^(?=### )/m) : [part];
    return parts.map((section) => [`${file} ${/^#+ (.+)/.exec(section)?.[1] ?? ""}`, section] as const);
  });
}

/** Returns the section about a message of the core or of an extension. */
function sectionOf(name: string, isIn: (file: string) => boolean = (file) => !file.startsWith("extension-")): string {
  const found = [...sections].find(([address]) => isIn(address) && address.endsWith(`.md ${name}`));
  return found?.[1] ?? "";
}

function fieldsOf(shape: Parameters<typeof resolveObject>[0] | undefined, model: RevisionModel): string[] {
  const object = shape && resolveObject(shape, model);
  return object?.properties.map(({ name, optional }) => `| \`${name}${optional ? "?" : ""}\` |`) ?? [];
}

test("the committed pages are those of the committed data", () => {
  expect(readdirSync(folder).sort()).toEqual([...pages.keys()].sort());
  for (const [file, text] of pages) expect(readFileSync(join(folder, file), "utf8"), file).toBe(text);
});

describe("messages", () => {
  test("every message of every revision is in the index, with its sender", () => {
    const index = pages.get("README.md") ?? "";
    for (const [column, { id, methods }] of models.entries()) {
      for (const { name, senders } of methods) {
        const row = index.split("\n").find((line) => line.startsWith(`| [${name}](`)) ?? "";
        const cell = row.split(" | ")[column + 3] ?? "";
        expect(cell, `${name} at ${id}`).toContain(senders.length > 1 ? "both" : senders[0]);
      }
    }
  });

  test("every message of every revision has a section with its name in code, its types, its capability and its fields", () => {
    let fields = 0;
    for (const model of models) {
      for (const method of model.methods) {
        const section = sectionOf(method.name);
        const expected = [...factsOf(method), ...fieldsOf(method.params?.shape, model)];
        for (const text of expected) expect(section, `${method.name} at ${model.id}`).toContain(text);
        fields += expected.length;
      }
    }
    expect(fields).toBeGreaterThan(500);
  });

  test("every message of every extension has a section", () => {
    for (const extension of extensions) {
      const isIn = (file: string): boolean => file.startsWith(`extension-${extension.name}.md`);
      for (const method of extension.methods) {
        for (const text of factsOf(method)) expect(sectionOf(method.name, isIn), method.name).toContain(text);
      }
    }
    expect(extensions.flatMap(({ methods }) => methods).length).toBeGreaterThan(5);
  });

  function factsOf({ handler, type, gates, result }: Method): string[] {
    const capabilities = [gates.client, gates.server].flatMap((gate) => (gate ? [`\`${gate.path.join(".")}\``] : []));
    const results = result?.kind === "reference" ? [`\`${result.name}\``] : [];
    return [`\`${handler}\``, `\`${type}\``, ...capabilities, ...results];
  }
});

describe("types", () => {
  test("every type of every revision has one section, or is described by the section of its message", () => {
    const titles = [...sections.keys()].filter((address) => !address.startsWith("extension-"));
    for (const { declarations, id } of models) {
      for (const { name } of declarations) {
        const own = titles.filter((address) => address.endsWith(`.md ${name}`));
        const isOfMessage = [...sections.values()].some((text) => text.includes(`[\`${name}\`](#${anchorOf(text)})`));
        expect(own.length === 1 || isOfMessage, `${name} at ${id}`).toBe(true);
      }
    }
  });

  test("a field that has changed has one row for each form, with the revisions that have it", () => {
    const section = sectionOf("tools/call");
    expect(section).toContain("| `structuredContent?` | `unknown` | 2026-07-28 |");
    expect(section).toContain("| `structuredContent?` | `{ [key: string]: unknown }` | 2025-06-18 to 2025-11-25 |");
    expect(section).toContain("| `isError?` | `boolean` | all |");
  });

  test("every link leads to one heading of a page", () => {
    for (const [file, text] of pages) {
      for (const { target } of linksOf(text).filter((link) => !/^(https:|\.\.\/)/.test(link.target))) {
        const [path = "", anchor = ""] = target.split("#");
        const page = pages.get(path === "" ? file : path) ?? "";
        const headings = page.split("\n").filter((line) => /^#+ /.test(line) && anchorOf(line) === anchor);
        expect(headings.length, `${file}: ${target}`).toBe(anchor === "" ? 0 : 1);
        expect(page, `${file}: ${target}`).not.toBe("");
      }
    }
  });

  /** Returns the anchor of the heading that a text begins with. */
  function anchorOf(text: string): string {
    return toAnchor(/^#+ (.+)/.exec(text)?.[1] ?? "");
  }
});

describe("conversions", () => {
  test("every loss of every revision is on its page, with the reason", () => {
    let losses = 0;
    for (const model of models) {
      const page = pages.get(`${model.id}.md`)?.split("\n## Losses\n")[1] ?? "";
      for (const { type, member, since } of readLosses(models, model)) {
        const name = member === undefined ? type : `${type}.${member}`;
        const row = page.split("\n").find((line) => line.includes(`\`${name}\``)) ?? "";
        expect(row, `${name} at ${model.id}`).toContain(`| ${since} |`);
        losses += 1;
      }
    }
    expect(losses).toBeGreaterThan(100);
  });

  test("the section of a message says what is converted for which revisions, and what is lost", () => {
    const section = sectionOf("tools/call");
    expect(section).toMatch(
      /`CallToolResult.structuredContent` \| result \| 2025-06-18 \| 2024-11-05 to 2025-03-26 \| .*structured-to-text.*with a loss/,
    );
    expect(section).toMatch(
      /`CallToolRequestParams.task` \| parameters \| 2025-11-25 \| 2024-11-05 to 2025-06-18 \| Omitted: \*\*lost\*\*/,
    );
    expect(sectionOf("server/discover")).toContain("Not available at 2024-11-05 to 2025-11-25");
  });

  test("changes between revisions are listed at the message and on the page of the revision", () => {
    expect(sectionOf("tools/call")).toContain("- 2025-06-18: `CallToolResult.structuredContent` added as optional.");
    expect(pages.get("2025-06-18.md")).toMatch(
      /\[`CallToolResult\.structuredContent`\]\(tools\.md#toolscall\) \| added as optional \| additive \| additive/,
    );
  });
});

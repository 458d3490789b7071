import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runDocs } from "../../../cli/commands/docs.ts";
import { searches } from "../../docs/searches.ts";
import { packageRoot } from "../../../generator/internal/package-info.ts";

afterEach(() => vi.restoreAllMocks());

async function docs(...topic: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  let text = "";
  for (const name of ["log", "error"] as const)
    vi.spyOn(console, name).mockImplementation((line: unknown) => void (text += `${String(line)}\n`));
  return { code: await runDocs({ topic }), text };
}

const read = (path: string): string => readFileSync(join(packageRoot, path), "utf8");

describe("the command docs", () => {
  it("without a topic, the guides are listed with their titles", async () => {
    const { code, text } = await docs();
    expect(code).toBe(0);
    expect(text).toMatch(/^ {2}run +Run it for others$/m);
    expect(text).not.toContain("README");
  });

  it("a guide is printed by its name", async () => {
    expect(await docs("testing")).toEqual({ code: 0, text: read("docs/testing.md") });
  });

  it("other words find the sections that contain all of them", async () => {
    const { code, text } = await docs("Input", "Required");
    expect(code).toBe(0);
    expect(text).toMatch(/^docs serve-all: /m);
    expect(text.split("\n").every((line) => line === "" || line.startsWith("docs "))).toBe(true);
  });

  it.each(searches)("the words %j find the guide %s first", async (words, guide) => {
    const { code, text } = await docs(words);
    expect(code).toBe(0);
    // The name of a guide prints it.
    const first = words === guide ? read(`docs/${guide}.md`) : `docs ${guide}: `;
    expect(text.slice(0, first.length)).toBe(first);
    expect(text.split("\n").length).toBeLessThanOrEqual(words === guide ? Infinity : 21);
  });

  it.each(["../package", "no-such-words-at-all"])(
    "the topic %j is rejected with the names of the guides",
    async (topic) => {
      const { code, text } = await docs(topic);
      expect(code).toBe(2);
      expect(text).toContain("the guides are first-server, ");
    },
  );
});

/* A guide is one line of docs/README.md. `UPDATE_GOLDEN=1` writes that line to docs/llms.txt as well. */
it("docs/llms.txt lists the guides of docs/README.md with the same descriptions", () => {
  const guides = [...read("docs/README.md").matchAll(/^\| \[([^\]]+)\]\(([^)]+)\)\s*\| (.+?)\s*\|$/gm)];
  const base = "https://github.com/create-mcp-server/create-mcp-server/blob/main/docs/";
  const lines = guides.map(([, title, file, use]) => `- [${title}](${base}${file}): ${use}`);
  const listed = read("docs/llms.txt");
  const wanted = listed.replace(/(?<=## Guides\n\n)(?:- .*\n)*/, `${lines.join("\n")}\n`);
  if (process.env["UPDATE_GOLDEN"]) writeFileSync(join(packageRoot, "docs/llms.txt"), wanted);
  else expect(listed).toBe(wanted);
  expect(lines.length).toBeGreaterThan(10);
});

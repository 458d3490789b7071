import { createHash } from "node:crypto";
import { lstatSync, rmSync, symlinkSync } from "node:fs";
import { rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { parseYaml } from "../../../runtime/adapters/yaml.ts";
import { readSkills } from "../../../runtime/skills/folder.ts";
import { skillLimits, toSkillEntry } from "../../../runtime/skills/skill.ts";
import { createFolder, manifest } from "./samples.ts";

const bytes = new Uint8Array([0, 255, 10, 13]);

function sha256(content: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

describe("a folder of skills", () => {
  test("a folder with a SKILL.md is a skill, with every file below it and the digest of its bytes (XK-02)", async () => {
    const text = manifest("pdf", "license: MIT\nmetadata:\n  version: 1.10\n  dates: [2026-01-02]\n");
    const folder = await createFolder({
      "README.md": "no part of any skill",
      "pdf/SKILL.md": text,
      "pdf/references/FORMS und Felder.md": "\uFEFFForms\r\n",
      "pdf/logo.bin": bytes,
      "pdf/.env": "SECRET=1",
      "pdf/.git/config": "",
    });
    const [skill, ...others] = await readSkills(folder, { parseYaml });
    expect(others).toEqual([]);
    expect(skill && toSkillEntry(skill)).toEqual({
      uri: "skill://pdf/SKILL.md",
      frontmatter: {
        name: "pdf",
        description: "What pdf is for",
        license: "MIT",
        metadata: { version: 1.1, dates: ["2026-01-02"] },
      },
      resources: [
        { uri: "skill://pdf/SKILL.md", digest: sha256(text), size: text.length },
        { uri: "skill://pdf/logo.bin", digest: sha256(bytes), size: 4 },
        {
          uri: "skill://pdf/references/FORMS%20und%20Felder.md",
          digest: sha256("\uFEFFForms\r\n"),
          size: 10,
        },
      ],
    });
    expect(skill?.files.map(({ mimeType }) => mimeType)).toEqual([
      "text/markdown",
      "application/octet-stream",
      "text/markdown",
    ]);
  });

  test("skills may be nested; the outer one has the files of the inner one too (XK-02)", async () => {
    const folder = await createFolder({
      "acme/billing/refunds/SKILL.md": manifest("refunds"),
      "acme/billing/refunds/disputes/SKILL.md": manifest("disputes"),
      "zebra/SKILL.md": manifest("zebra"),
    });
    const skills = await readSkills(pathToFileURL(`${folder}/`), { parseYaml });
    expect(skills.map(({ path, files }) => [path, files.map((file) => file.path)])).toEqual([
      ["acme/billing/refunds", ["SKILL.md", "disputes/SKILL.md"]],
      ["acme/billing/refunds/disputes", ["SKILL.md"]],
      ["zebra", ["SKILL.md"]],
    ]);
  });

  test("a folder may be a skill itself, and several may be named", async () => {
    const folder = await createFolder({
      "one/SKILL.md": manifest("one"),
      "one/a/b.md": "b",
      "two/x/SKILL.md": manifest("x"),
    });
    const skills = await readSkills([join(folder, "one"), join(folder, "two")], { parseYaml });
    expect(skills.map(({ path, files }) => [path, files.map((file) => file.path)])).toEqual([
      ["one", ["SKILL.md", "a/b.md"]],
      ["x", ["SKILL.md"]],
    ]);
  });
});

interface Mistake {
  readonly what: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Parts of the message: where it is, what it is. */
  readonly says: readonly string[];
}

const mistakes: readonly Mistake[] = [
  {
    what: "a name that is a path elsewhere",
    files: { "a/SKILL.md": manifest("a"), "a/references\\FORMS.md": "" },
    says: ['"references\\\\FORMS.md" is not a relative path inside it', '"/"'],
  },
  { what: "no skill at all", files: { "a.md": "text" }, says: ["has no skill", "SKILL.md"] },
  {
    what: "another name than its folder",
    files: { "a/pdf/SKILL.md": manifest("pfd") },
    says: [join("a", "pdf", "SKILL.md"), '"pfd"', '"pdf"', "rename"],
  },
  {
    what: "a name with capitals",
    files: { "Pdf/SKILL.md": manifest("Pdf") },
    says: [join("Pdf", "SKILL.md"), "a-z 0-9"],
  },
  { what: "two hyphens in a row", files: { "a--b/SKILL.md": manifest("a--b") }, says: ["a--b", "single hyphens"] },
  { what: "no frontmatter", files: { "a/SKILL.md": "# a\n" }, says: [join("a", "SKILL.md"), "frontmatter"] },
  { what: "frontmatter that does not end", files: { "a/SKILL.md": "---\nname: a\n" }, says: ["frontmatter"] },
  { what: "frontmatter that is no YAML", files: { "a/SKILL.md": "---\nname: [a\n---\n" }, says: ["is not valid YAML"] },
  { what: "a list as frontmatter", files: { "a/SKILL.md": "---\n- a\n---\n" }, says: ["no fields"] },
  { what: "no name", files: { "a/SKILL.md": "---\ndescription: d\n---\n" }, says: ['no string "name"'] },
  { what: "no description", files: { "a/SKILL.md": "---\nname: a\n---\n" }, says: ['no string "description"'] },
  {
    what: "a number that JSON lacks",
    files: { "a/SKILL.md": manifest("a", "n: .inf\n") },
    says: ["at n the value is Infinity"],
  },
  { what: "a field twice", files: { "a/SKILL.md": manifest("a", "name: b\n") }, says: ["is not valid YAML", "unique"] },
  {
    what: "references that grow",
    files: { "a/SKILL.md": manifest("a", toBomb()) },
    says: ["is not valid YAML", "alias"],
  },
  {
    what: "a field of the protocol",
    files: { "a/SKILL.md": manifest("a", "metadata:\n  io.modelcontextprotocol/x: 1\n") },
    says: ["io.modelcontextprotocol/x", "reserved for the protocol"],
  },
  { what: "bytes that are no text", files: { "a/SKILL.md": new Uint8Array([255]) }, says: ["UTF-8"] },
  {
    what: "frontmatter without end",
    files: { "a/SKILL.md": manifest("a", `x: ${"y".repeat(70_000)}\n`) },
    says: ["longer"],
  },
  {
    what: "too many files",
    files: {
      "a/SKILL.md": manifest("a"),
      ...Object.fromEntries(Array.from({ length: skillLimits.files }, (_, i) => [`a/${i}.txt`, ""])),
    },
    says: ["513 files", "512"],
  },
  {
    what: "too many bytes",
    files: { "a/SKILL.md": manifest("a"), "a/x": new Uint8Array(skillLimits.bytes) },
    says: ["2 files", "16777216"],
  },
  {
    what: "a file that is too large",
    files: { "a/SKILL.md": manifest("a"), "a/x": new Uint8Array(skillLimits.bytes + 1) },
    says: [join("a", "x"), "16777217 bytes"],
  },
];

function toBomb(): string {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let i = 1; i < 9; i++)
    lines.push(`a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(", ")}]`);
  return `${lines.join("\n")}\n`;
}

describe("a folder that cannot be served", () => {
  test.each(mistakes)("$what: the error names the problem and the path (XK-02)", async ({ files, says }) => {
    const error = await readSkills(await createFolder(files), { parseYaml }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    for (const part of says) expect(String(error)).toContain(part);
  });

  test.each(["file", "folder"])("a link to a %s outside is rejected", async (kind) => {
    const outside = await createFolder({ "secret/key.pem": "secret" });
    const folder = await createFolder({ "a/SKILL.md": manifest("a") });
    await symlink(join(outside, kind === "file" ? "secret/key.pem" : "secret"), join(folder, "a", "key"));
    await expect(readSkills(folder, { parseYaml })).rejects.toThrow(/a.key is a link or a device/);
  });

  test("a link in the place of SKILL.md is rejected", async () => {
    const folder = await createFolder({ "a/x": "" });
    const outside = await createFolder({ "SKILL.md": manifest("a") });
    await symlink(join(outside, "SKILL.md"), join(folder, "a", "SKILL.md"));
    await expect(readSkills(folder, { parseYaml })).rejects.toThrow(/is a link or a device/);
  });

  test("a folder that is replaced by a link to another while the skills are read is rejected", async () => {
    const outside = await createFolder({ "secret/SKILL.md": manifest("b"), "secret/key": "secret" });
    const folder = await createFolder({ "a/SKILL.md": manifest("a"), "b/SKILL.md": manifest("b"), "b/key": "" });
    const replacing: typeof parseYaml = (text) => {
      if (!lstatSync(join(folder, "b")).isSymbolicLink()) {
        rmSync(join(folder, "b"), { recursive: true });
        symlinkSync(join(outside, "secret"), join(folder, "b"));
      }
      return parseYaml(text);
    };
    await expect(readSkills(folder, { parseYaml: replacing })).rejects.toThrow(/b is no longer a folder/);
  });

  test("the same skill in two folders is rejected", async () => {
    const one = await createFolder({ "a/SKILL.md": manifest("a") });
    const two = await createFolder({ "a/SKILL.md": manifest("a") });
    await expect(readSkills([one, two], { parseYaml })).rejects.toThrow(/The skill "a" is in two of the folders/);
  });

  test("changed files are not served: digests stay those of the bytes", async () => {
    const folder = await createFolder({ "a/SKILL.md": manifest("a"), "a/x.md": "before" });
    const [skill] = await readSkills(folder, { parseYaml });
    await writeFile(join(folder, "a", "x.md"), "after");
    await rename(join(folder, "a"), join(folder, "b"));
    const file = skill?.files.find(({ path }) => path === "x.md");
    expect(file?.digest).toBe(sha256("before"));
    expect(new TextDecoder().decode(file?.bytes)).toBe("before");
  });
});

import { expect, test } from "vitest";
import { createSkill } from "../../../runtime/skills/create-skill.ts";

const frontmatter = { name: "pdf", description: "Reads PDF files." };

test.each(["references\\FORMS.md", "../FORMS.md", "a//b", "/a", ".", "C:\\a"])(
  "a path of a file system is rejected as a file of a skill: %s",
  async (path) => {
    await expect(createSkill({ frontmatter, body: "", files: { [path]: "" } })).rejects.toThrow(
      `The skill "pdf": ${JSON.stringify(path)} is not a relative path inside it; use names separated by "/"`,
    );
  },
);

test.each(["acme\\billing", "../acme"])(
  "a path of a file system is rejected as the folder of a skill: %s",
  async (folder) => {
    await expect(createSkill({ frontmatter, body: "", folder })).rejects.toThrow("is not a relative path inside it");
  },
);

test("a second SKILL.md is rejected", async () => {
  await expect(createSkill({ frontmatter, body: "", files: { "SKILL.md": "" } })).rejects.toThrow(
    'The skill "pdf" has two files "SKILL.md"; remove one of them',
  );
});

test("slashes separate paths on every system", async () => {
  const { files } = await createSkill({ frontmatter, body: "", files: { "references/FORMS.md": "" } });
  expect(files.map(({ path }) => path)).toEqual(["SKILL.md", "references/FORMS.md"]);
});

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findDeadLinks } from "../../.build/site-links.ts";
import { createTemporaryFolder } from "../kit/temporary-folders.ts";

/* `npm run docs` ends with an error if the site has one of these links. */

const links: readonly (readonly [target: string, isDead: boolean])[] = [
  ["#here", false],
  ["#nowhere", true],
  ["guides/first.html", false],
  ["/guides/first.html#a&amp;b", false],
  ["guides/first.html#nowhere", true],
  ["guides/", false],
  ["guides/missing.html", true],
  ["/missing/", true],
  ["https://example.com/missing", false],
  ["data:,", false],
];

test("links of the site to files and headings that do not exist are found", async () => {
  const site = await createTemporaryFolder("site-links");
  await mkdir(join(site, "guides"));
  const anchors = links.map(([target]) => `<a class="link" href="${target}">link</a>`).join("\n");
  await writeFile(join(site, "index.html"), `<h2 id="here">Here</h2>\n${anchors}`);
  await writeFile(join(site, "guides", "first.html"), '<h2 id="a&amp;b">A</h2><a href="../index.html#here">back</a>');
  await writeFile(join(site, "guides", "index.html"), '<a href="first.html#gone">first</a>');
  const expected = links.flatMap(([target, isDead]) => (isDead ? [`index.html: ${target}`] : []));
  expect((await findDeadLinks(site)).sort()).toEqual([...expected, "guides/index.html: first.html#gone"].sort());
});

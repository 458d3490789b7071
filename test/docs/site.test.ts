import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { landingText } from "../../.build/site-landing.ts";
import { readDescriptions, readGroups } from "../../.build/site-sidebar.ts";

const index = readFileSync("docs/README.md", "utf8");

describe("the sidebar of the site", () => {
  it("the groups lead from the start to the proof", () => {
    const names = readGroups(index).map(({ text }) => text);
    expect(names).toEqual(["Start", "Build", "Clients", "Run", "Secure", "Scale", "Reference", "Proof"]);
  });

  it("a guide is a row of one group", () => {
    const links = readGroups(index).flatMap(({ items }) => items.map(({ link }) => link));
    expect(new Set(links).size).toBe(links.length);
    expect(links).toContain("/first-server");
    expect(Object.keys(readDescriptions(index))).toEqual(links);
  });

  it("a row that is added is part of its group", () => {
    const row = "| [New](new-page.md) | do something new |";
    const groups = readGroups(index.replace(/(## Clients\n\n.*\n.*\n)/, `$1${row}\n`));
    expect(groups[2]?.items[0]).toEqual({ text: "New", link: "/new-page" });
  });
});

describe("the landing page of the site", () => {
  const text = landingText(readFileSync("README.md", "utf8"));

  it("the landing page has the reasons, the start, a tool and the picture of the README", () => {
    expect(text.match(/^## .+/gm)).toEqual(["## Why", "## Quick start", "## A tool"]);
    expect(text).toContain('src="./pictures/develop-light.webp"');
  });

  it("the links of the landing page lead to pages of the site", () => {
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
    expect(links.filter((link) => !/^https:|^[\w-]+\.md(#|$)/.test(link))).toEqual([]);
  });
});

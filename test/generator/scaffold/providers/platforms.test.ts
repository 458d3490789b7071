import { describe, expect, test } from "vitest";
import { readSelection, type SelectionText } from "../../../../generator/scaffold/create/project-choices.ts";
import { providerNames, type ProviderName } from "../../../../generator/scaffold/providers/provider.ts";
import {
  localEnvironment,
  requiredSettings,
  requirementsOf,
  settingsOf,
} from "../../../../generator/scaffold/providers/providers.ts";
import { emitFiles } from "../../../kit/projects.ts";

/*
 * Presets of authorization servers on platforms that call a function.
 */

type Read = (path: string) => string;

async function emit(provider: ProviderName, target: string): Promise<Read> {
  const files = await emitFiles({ revisions: ["2025-11-25"], selection: readSelection({ provider, target }) });
  return (path) => files.get(path) ?? expect.unreachable(path);
}

describe.each(providerNames)("a project for the authorization server %s on a platform", (provider) => {
  test(`AWS Lambda gets every setting of ${provider}, and requires those without which the server does not start`, async () => {
    const read = await emit(provider, "lambda");
    const template = read("template.yaml");
    for (const { name } of settingsOf(provider)) {
      const [, parameter] = new RegExp(`^ +${name}: !Ref ([A-Za-z\\d]+)$`, "m").exec(template) ?? [];
      const isRequired = requiredSettings(provider).includes(name);
      const form = `  ${parameter}:\n    Type: String\n${isRequired ? "" : '    Default: ""\n'}    Description: `;
      expect(template, name).toContain(form);
    }
  });

  test(`the command of the README has what a server with tokens of the local issuer for ${provider} needs`, async () => {
    const readme = (await emit(provider, "lambda"))("README.md");
    const [, variables = ""] = /^((?:[A-Z\d_]+=\S+ )+)npm run dev$/m.exec(readme) ?? [];
    const local = { ...localEnvironment(provider), RESOURCE: "http://127.0.0.1:3000/mcp" };
    const words = Object.entries(local).map(([name, value]) => `${name}=${value}`);
    expect(variables.trim().split(" ").sort()).toEqual(words.sort());
    for (const requirement of requirementsOf(provider))
      for (const name of requirement.split(" or ")) expect(readme).toContain(`\`${name}\``);
  });
});

test.each([
  ["worker", "(wrangler.jsonc, vars)", true],
  ["lambda", "(template.yaml, Environment)", false],
  ["vercel", "(vercel env add)", false],
  ["deno", "(environment variables)", false],
  ["bun", "(environment variables)", false],
])("a project for %s names the place of its settings", async (target, place, hasWrangler) => {
  const read = await emit("clerk", target);
  expect(read("src/auth.ts")).toContain(`${place}.`);
  expect(read("README.md")).toContain("`CLERK_DOMAIN`, `AUDIENCE_SCOPES` or `AUDIENCE_CLIENTS`, `RESOURCE`.");
  expect(read("README.md").includes("wrangler.jsonc")).toBe(hasWrangler);
});

test.each<readonly [SelectionText, boolean]>([
  [{ transport: "http" }, true],
  [{ transport: "both" }, true],
  [{ mount: "express" }, false],
  [{ mount: "next" }, false],
  [{ target: "lambda" }, false],
])("the README of a project with %j names --help only if there is a program that has it", async (text, hasProgram) => {
  const selection = readSelection({ ...text, provider: "clerk" });
  const files = await emitFiles({ revisions: ["2025-11-25"], selection });
  expect(files.get("README.md")?.includes("which `--help` lists")).toBe(hasProgram);
});

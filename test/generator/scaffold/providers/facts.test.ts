import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../../../generator/internal/package-info.ts";
import { readSelection } from "../../../../generator/scaffold/create/project-choices.ts";
import { providerFacts } from "../../../../generator/scaffold/providers/facts.ts";
import { providerNames } from "../../../../generator/scaffold/providers/provider.ts";
import { findProvider, requiredSettings, settingsOf } from "../../../../generator/scaffold/providers/providers.ts";
import { emitFiles } from "../../../kit/projects.ts";

const guide = readFileSync(join(packageRoot, "docs", "authorization.md"), "utf8");
const rows = new Set(guide.split("\n").map((line) => line.replaceAll(/ +/g, " ").trim()));

describe.each(providerNames)("the authorization server %s", (name) => {
  const facts = providerFacts[name];

  test(`the guide has the facts about ${name}`, () => {
    const { title, issuer, audience, scopes, registration, clientDocuments, resourceIndicators } = facts;
    expect(rows).toContain(`| \`${name}\`: ${title} | \`${issuer}\` | ${audience} | ${scopes} |`);
    expect(rows).toContain(
      `| \`${name}\` | ${registration} | ${clientDocuments} | ${resourceIndicators} | ${facts.issuerInResponses} |`,
    );
    for (const limit of facts.limits) expect(guide).toContain(limit);
    for (const source of facts.sources) expect(guide).toContain(`(${source})`);
    expect(guide).toContain(`read on ${facts.checked}`);
  });

  test(`each setting of ${name} is described once, used by its code, and named in its checklist or limits`, () => {
    const names = settingsOf(name).map((setting) => setting.name);
    expect(new Set(names).size).toBe(names.length);
    const { code } = findProvider(name);
    const used = [code.issuer, ...Object.values(code.required), ...code.options].join("\n");
    for (const { name: setting } of code.settings)
      if (setting !== "TOKEN_INFO_URL") expect(used, setting).toContain(setting);
    const texts = [...facts.steps, ...facts.limits].join("\n");
    for (const setting of requiredSettings(name)) {
      expect(names).toContain(setting);
      // Every server with access tokens has RESOURCE.
      if (setting !== "RESOURCE") expect(texts).toContain(setting);
    }
  });

  test(`the README of a project for ${name} has its checklist, its limits and its settings`, async () => {
    const revisions = ["2025-11-25"];
    const files = await emitFiles({ revisions, selection: readSelection({ provider: name, scale: "redis" }) });
    const readme = files.get("README.md") ?? "";
    expect(readme).toContain(`### Set up ${facts.title}`);
    for (const text of [...facts.steps, ...facts.limits]) expect(readme).toContain(text);
    for (const setting of settingsOf(name)) {
      expect(readme).toContain(`| \`${setting.name}\` |`);
      expect(files.get("compose.yaml"), setting.name).toContain(`    ${setting.name}:`);
    }
    expect(readme).toContain("check --auth <url>");
    expect(readme).not.toMatch(/\{\{|undefined|\[object/);
    expect(files.get("src/definition.ts")).toContain("settings,");
  });
});

describe("--provider", () => {
  test("--provider implies access tokens over HTTP", () => {
    expect(readSelection({ provider: "auth0" })).toMatchObject({ auth: "oauth", provider: "auth0", transport: "http" });
    expect(readSelection({ auth: "oauth" })).not.toHaveProperty("provider");
  });

  test.each([
    [{ provider: "okta" }, /--provider: unknown value "okta"\. Choose one of auth0, entra/],
    [{ provider: "auth0", auth: "api-key" }, /--provider auth0: access tokens need --auth oauth, not api-key/],
    [{ provider: "auth0", auth: "none" }, /not none/],
    [{ provider: "auth0", transport: "stdio" }, /--auth oauth: a project for stdio has no authentication/],
  ])("the choices %j are rejected with advice", (text, message) => {
    expect(() => readSelection(text)).toThrow(message);
  });
});

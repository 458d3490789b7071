import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { loadTemplates } from "../../../../generator/internal/templates.ts";
import { packageRoot } from "../../../../generator/internal/package-info.ts";
import { schemaLibraries } from "../../../../generator/scaffold/create/project-choices.ts";
import { providerNames, type ProviderName } from "../../../../generator/scaffold/providers/provider.ts";
import {
  emitProviderFiles,
  providerTemplates,
  type ProviderFilesOptions,
} from "../../../../generator/scaffold/providers/provider-files.ts";
import { revisions } from "../../../../generated/revisions.ts";
import type { Guard } from "../../../../runtime/auth/server/index.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { createHttpHandler } from "../../../../runtime/server/run/http-handler.ts";
import { acceptBoth, initialize } from "../../../kit/http-exchange.ts";
import { modulePackage } from "../../../kit/compile.ts";
import { createTemporaryFolder } from "../../../kit/temporary-folders.ts";
import { emitFolder, linkPackages, writeFiles } from "../../../kit/projects.ts";

/*
 * Presets of authorization servers: the emitted code with tokens as each of them issues them.
 */

const templates = loadTemplates(join(packageRoot, "templates"), providerTemplates);
const url = "http://127.0.0.1:3000/mcp";
const root = await createTemporaryFolder("providers");

function folderOf(provider: ProviderName): string {
  return join(root, provider);
}

function emit(provider: ProviderName, more: Partial<ProviderFilesOptions> = {}): ReturnType<typeof emitProviderFiles> {
  const common = { transport: "http", scale: "none", schema: "zod", settingsModule: "settings.ts" } as const;
  return emitProviderFiles({ ...common, ...more, provider, url }, templates);
}

beforeAll(async () => {
  linkPackages(root, ["zod", "jose", "valibot", "@valibot/to-json-schema", "arktype", "@cfworker/json-schema"]);
  writeFiles(root, new Map([["package.json", modulePackage]]));
  const layer = await emitFolder({ auth: "oauth", transports: ["stdio", "http"], validator: true, scale: "redis" });
  writeFiles(join(root, "mcp"), layer);
  // Each schema library has its turn.
  for (const [index, provider] of providerNames.entries()) {
    const schema = schemaLibraries[index % schemaLibraries.length] ?? "zod";
    writeFiles(folderOf(provider), await emit(provider, { schema }));
    symlinkSync(join(root, "mcp"), join(folderOf(provider), "src", "mcp"));
  }
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

type Sent = Readonly<Record<string, string>>;

interface Access {
  readonly environment: Readonly<Record<string, string>>;
  readonly credentials: Sent;
  readonly insufficient: Sent;
  readonly rejected: readonly { readonly name: string; readonly shown: Sent; readonly challenge: RegExp }[];
}

/** Loads the emitted modules as a project does, and returns a function that sends a request to its server. */
async function start(provider: ProviderName): Promise<{
  readonly access: Access;
  readonly send: (path: string, headers: Sent) => Promise<Response>;
}> {
  const load = (path: string): Promise<unknown> => import(pathToFileURL(join(folderOf(provider), path)).href);
  const access: Access = Object(await load("test/access.ts"));
  for (const [name, value] of Object.entries(access.environment)) vi.stubEnv(name, value);
  const { authenticate }: { authenticate: Guard } = Object(await load("src/auth.ts"));
  vi.spyOn(console, "error").mockReturnValue();
  const handler = createHttpHandler(createServer({ name: "demo", version: "1.0.0" }, revisions), { authenticate });
  return {
    access,
    send(path, headers) {
      const body = JSON.stringify(initialize("2025-11-25"));
      const init =
        path === "/mcp"
          ? { method: "POST", body, headers: { ...headers, accept: acceptBoth, "content-type": "application/json" } }
          : {};
      return handler.fetch(new Request(new URL(path, url), init));
    },
  };
}

describe.each(providerNames)("a project for the authorization server %s", (provider) => {
  test(`a project for ${provider} accepts its tokens, and rejects all others with the expected challenge`, async () => {
    const { access, send } = await start(provider);
    expect((await send("/mcp", access.credentials)).status).toBe(200);
    expect(access.rejected.length).toBeGreaterThan(7);
    for (const { name, shown, challenge } of access.rejected) {
      const response = await send("/mcp", shown);
      expect(response.status, name).toBe(401);
      expect(response.headers.get("www-authenticate"), name).toMatch(challenge);
    }
    const missing = await send("/mcp", access.insufficient);
    expect(missing.status).toBe(403);
    expect(missing.headers.get("www-authenticate")).toMatch(/^Bearer error="insufficient_scope", scope="[^"]+"/);
    const metadata = await send("/.well-known/oauth-protected-resource/mcp", {});
    const { RESOURCE, ISSUER } = access.environment;
    expect(await metadata.json()).toMatchObject({ resource: RESOURCE, authorization_servers: [ISSUER] });
  });
});

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { runInit, type InitOptions } from "../../../../cli/commands/init.ts";
import { runAdd } from "../../../../cli/commands/add.ts";
import { runUpdate } from "../../../../cli/commands/update.ts";
import { listAll, temporaryFolder } from "../../../kit/temporary-folders.ts";
import { writeFiles } from "../../../kit/projects.ts";
import { captured, type CommandResult } from "../../../kit/commands.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

function write(files: Readonly<Record<string, string | object>>): void {
  writeFiles(
    folder,
    Object.entries(files).map(([path, text]) => [
      path,
      typeof text === "string" ? text : JSON.stringify(text, undefined, 2),
    ]),
  );
}

function init(options: Partial<InitOptions> = {}): Promise<CommandResult> {
  return captured(() => runInit({ directory: folder, install: false, dryRun: false, protocol: "latest", ...options }));
}

const read = (path: string): string => readFileSync(join(folder, path), "utf8");

const nodenext = { compilerOptions: { module: "nodenext" } };
const express = { name: "shop", type: "module", dependencies: { express: "^5.0.0" } };

describe("init", () => {
  test("a Worker without a known framework is rejected, unless node:http is chosen", async () => {
    write({ "package.json": { name: "edge", type: "module" }, "tsconfig.json": nodenext, "wrangler.jsonc": "{}" });
    const { code, stderr } = await init();
    expect(stderr).toContain("the application is a Worker without a known framework; install hono");
    expect(code).toBe(2);
    expect((await init({ framework: "node", dryRun: true })).code).toBe(0);
  });

  test("adds a server to a module in TypeScript, which update and add then change", async () => {
    write({
      "package.json": express,
      "tsconfig.json": nodenext,
      "src/index.ts": 'import express from "express";\nexport const web = express();\n',
    });
    const before = read("src/index.ts");
    const { code, stdout, stderr } = await init({ protocol: "2025-11-25" });
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('Add to src/index.ts:\n\n  import { mcp, paths } from "./mcp-handler.js";');
    expect(stdout).toContain("web.all(paths, mcp);");
    expect(read("src/index.ts")).toBe(before);
    expect(read("src/mcp-handler.ts")).toContain('from "./mcp/index.js"');
    expect(JSON.parse(read("src/mcp/mcp.lock.json"))).toMatchObject({ imports: "js", transports: ["http"] });
    const added = await captured(() => runAdd({ kind: "tool", name: "forecast", folder }));
    expect(added.code, added.stderr).toBe(0);
    expect(added.stdout).toContain("Added src/tools/forecast.ts, registered in src/mcp-server.ts.");
    expect(read("src/mcp-server.ts")).toContain('from "./tools/forecast.js"');
    expect(read("src/tools/forecast.ts")).toContain('from "../mcp/index.js"');
    const actions = { check: false, dryRun: false, codemod: false, force: false, undo: false };
    const updated = await captured(() => runUpdate({ directory: folder, protocol: "all", ...actions }));
    expect(updated.code, updated.stderr).toBe(0);
    expect(read("src/mcp/index.ts")).toContain('/declarations.js"');
    expect(read("src/mcp/index.ts")).not.toMatch(/from "\.[^"]*\.ts"/);
  });

  test.each([
    [
      "CommonJS",
      { "package.json": { name: "a", dependencies: { express: "~4.16.1" } }, "app.js": "var app = express();" },
      'const { mcp, paths } = require("./dist/mcp-handler.cjs");',
    ],
    [
      "a plugin of Fastify",
      {
        "package.json": { name: "a", type: "module", main: "app.js", dependencies: { fastify: "^5.0.0" } },
        "app.js": "export default async function (fastify, opts) {}",
      },
      'import { mcp } from "./dist/mcp-handler.mjs";\n\n  fastify.register(mcp);',
    ],
    [
      "Hono in a folder of its own",
      {
        "package.json": {
          name: "a",
          type: "module",
          scripts: { dev: "tsx watch api/index.ts" },
          dependencies: { hono: "4" },
        },
        "tsconfig.json": { compilerOptions: { module: "esnext", moduleResolution: "bundler" } },
        "api/index.ts": "const api = new Hono<Env>();",
      },
      'import { mcp, paths } from "../src/mcp-handler.js";\n\n  for (const path of paths) api.all(path, mcp);',
    ],
    [
      "no framework",
      { "package.json": { type: "module" }, "index.js": "const web = createServer(serve);" },
      "if (mcp(request, response)) return;",
    ],
    [
      "Next.js",
      {
        "package.json": { name: "a", dependencies: { next: "16.1.0", hono: "4" } },
        "tsconfig.json": { compilerOptions: { module: "esnext", moduleResolution: "bundler" } },
        "app/page.tsx": "",
      },
      "app/mcp/route.ts serves the server",
    ],
  ])("lists the changes of an application with %s, and writes nothing", async (_what, files, lines) => {
    write(files);
    const before = listAll(folder);
    const { code, stdout, stderr } = await init({ dryRun: true });
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("Nothing was written.");
    expect(stdout).toContain('package.json, dependencies: "zod"');
    expect(stdout).toContain(lines);
    expect(listAll(folder)).toEqual(before);
  });

  test("shares the secret of the isolates of a worker, and inspects its port", async () => {
    write({
      "package.json": { name: "edge", type: "module", dependencies: { hono: "4" } },
      "tsconfig.json": { compilerOptions: { module: "esnext", moduleResolution: "bundler" } },
      "wrangler.jsonc": "{}",
      "src/index.ts": "const app = new Hono();",
    });
    const { code, stderr } = await init({ features: "tools,input" });
    expect(code, stderr).toBe(0);
    expect(read("src/mcp-server.ts")).toContain("cursorKeys: [new TextEncoder().encode(STATE_KEY)]");
    expect(read("src/mcp-server.ts")).toContain('typeof process === "undefined" ? {} : process.env');
    expect(read("src/mcp-handler.ts")).toContain('allowedHosts: "any"');
    expect(read("package.json")).toContain("inspect --open http://127.0.0.1:8787/mcp");
  });

  const commonJs = { compilerOptions: { module: "commonjs", moduleResolution: "node10", ignoreDeprecations: "6.0" } };

  test.each([
    ["no package.json", {}, {}, "has no package.json; run npm init in it"],
    ["a layer", { "package.json": express, "src/mcp/mcp.lock.json": "{}" }, {}, "create-mcp-server update"],
    ["a folder in the way", { "package.json": express, "src/mcp/a.ts": "" }, {}, "src/mcp exists already; rename it"],
    ["a file in the way", { "package.json": express, "src/mcp-server.ts": "" }, {}, "src/mcp-server.ts exists already"],
    ["an old framework", { "package.json": { dependencies: { express: "^3" } } }, {}, "Express 3 is not supported"],
    [
      "a framework without an adapter",
      { "package.json": { dependencies: { koa: "2" } } },
      {},
      "koa is not supported; use the adapter for node:http by hand with --framework node.",
    ],
    ["two frameworks", { "package.json": { dependencies: { express: "5", hono: "4" } } }, {}, "--framework express"],
    ["an absent framework", { "package.json": express }, { framework: "hono" }, "does not have hono; install it"],
    ["a name with spaces", { "package.json": { name: "a b" } }, {}, "cannot be a package name"],
    ["an old zod", { "package.json": { dependencies: { zod: "^3.25.0" } } }, {}, "tools need ^4"],
    [
      "a script in the way",
      { "package.json": { scripts: { "mcp:inspect": "a" } } },
      {},
      "a script mcp:inspect already",
    ],
    ["a workspace", { "package.json": { workspaces: ["packages/*"] } }, {}, "name the folder of a package"],
    ["no App Router", { "package.json": { dependencies: { next: "16" } } }, {}, "has no App Router"],
    ["CommonJS", { "package.json": { name: "a" }, "tsconfig.json": commonJs }, {}, 'set "module": "nodenext"'],
    [
      "required modules",
      { "package.json": { name: "a" }, "tsconfig.json": { compilerOptions: { module: "node16" } } },
      {},
      "compiles to CommonJS",
    ],
    [
      "settings that the layer does not compile with",
      {
        "package.json": express,
        "tsconfig.json": { extends: "./strictest.json", ...nodenext },
        "strictest.json": { compilerOptions: { noPropertyAccessFromIndexSignature: true } },
      },
      {},
      "tsconfig.json sets noPropertyAccessFromIndexSignature, with which src/mcp/ does not compile; set it to false.",
    ],
    [
      "settings that are not there",
      { "package.json": express, "tsconfig.json": { extends: "./no.json" } },
      {},
      "cannot be read",
    ],
  ])("rejects %s with the next step, and writes nothing", async (_what, files, options, message) => {
    write(files);
    const before = listAll(folder);
    const { code, stderr } = await init(options);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(listAll(folder)).toEqual(before);
  });

  test("removes what it added if a file cannot be written", async () => {
    write({ "package.json": express, vendor: "a file where a folder is needed" });
    const before = read("package.json");
    const { code, stderr } = await init();
    expect(code, stderr).toBe(2);
    expect(stderr).toContain("nothing was added");
    expect(existsSync(join(folder, "src"))).toBe(false);
    expect(read("package.json")).toBe(before);
  });
});

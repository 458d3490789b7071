import { parseServerCard } from "../../../../runtime/server-card/read-card.ts";
import { parseDocument } from "yaml";
import { describe, expect, it } from "vitest";
import yargs from "yargs";
import { createCommand } from "../../../../cli/commands/create-command.ts";
import {
  extras,
  readSelection,
  toLayerChoices,
  type SelectionText,
} from "../../../../generator/scaffold/create/project-choices.ts";
import { commandsOf } from "../../../../generator/scaffold/create/package-manager.ts";
import type { Tree } from "../../../../generator/internal/tree.ts";
import { allRevisions, emitFiles, expectFormatted } from "../../../kit/projects.ts";

const [newest = ""] = allRevisions;

function emit(selection: SelectionText): Promise<Tree> {
  return emitFiles({ revisions: [newest], selection });
}

interface Manifest {
  readonly devDependencies: object;
}

function manifestOf(tree: Tree): Manifest {
  const manifest: Manifest = JSON.parse(tree.get("package.json") ?? "");
  return manifest;
}

describe("the choices of a project", () => {
  it.each([
    [{ features: "tool" }, '--features: unknown value "tool". Choose from tools, '],
    [{ features: "" }, '--features: unknown value ""'],
    [{ features: "tools,__proto__" }, '--features: unknown value "__proto__"'],
    [{ features: "tools;prompts" }, "--features: unknown value"],
    [{ transport: "tcp" }, "hosts do not connect over this transport. Choose stdio or http as well, as in stdio,tcp."],
    [{ transport: "websocket,tcp" }, "as in stdio,websocket,tcp."],
    [{ transport: "stdio,quic" }, '--transport: unknown value "quic". Choose from stdio, http, both, websocket, tcp.'],
    [{ transport: "worker,tcp" }, "--transport worker: a function for the edge has no other transport."],
    [{ transport: "http,tcp", auth: "oauth" }, "--transport tcp has no authentication"],
    [{ transport: "stdio,websocket", auth: "oauth" }, "--auth oauth: a project for stdio has no authentication."],
    [{ transport: "constructor" }, "--transport: unknown value"],
    [{ transport: "http", auth: "basic" }, '--auth: unknown value "basic". Choose one of none, oauth, api-key.'],
    [{ transport: "stdio", auth: "oauth" }, "--auth oauth: a project for stdio has no authentication."],
    [{ transport: "stdio", auth: "api-key" }, "Choose --transport http or both, or a --target."],
    [
      { target: "netlify" },
      '--target: unknown value "netlify". Choose one of node, worker, lambda, vercel, deno, bun.',
    ],
    [{ target: "lambda", transport: "http,websocket" }, "--transport websocket: lambda calls a function over HTTP."],
    [{ target: "vercel", transport: "worker" }, "--transport worker: vercel calls a function over HTTP."],
    [{ target: "bun", transport: "stdio" }, "Remove --transport or --target."],
    [{ target: "node", transport: "worker" }, "--transport worker is a platform; remove --target node"],
    [{ target: "lambda", scale: "redis" }, "processes of Node. Choose --target node."],
    [
      { target: "lambda", features: "tools,tasks" },
      "--features tasks: lambda runs many instances without shared memory.",
    ],
    [{ transport: "worker", features: "tasks" }, "--features tasks: worker runs many instances"],
    [{ target: "deno", extras: "docker" }, "--extras docker: Node cannot start a project for deno."],
    [{ scale: "kafka", transport: "http" }, '--scale: unknown value "kafka". Choose one of none, redis, nats.'],
    [
      { scale: "redis", transport: "stdio" },
      "--scale redis: several nodes serve over HTTP only. Choose --transport http",
    ],
    [{ scale: "redis", transport: "worker" }, "--scale redis: nodes that share an engine are processes of Node."],
    [{ mount: "express", target: "lambda" }, "--mount express: lambda calls a function, not an application; remove"],
    [{ mount: "hono", transport: "worker" }, "--mount hono: worker calls a function, not an application; remove"],
    [
      { mount: "next", transport: "stdio" },
      "--mount next: the application serves HTTP only; remove --transport stdio.",
    ],
    [{ schema: "yup" }, '--schema: unknown value "yup". Choose one of zod, valibot, arktype, json.'],
    [{ schema: "toString" }, "--schema: unknown value"],
    [{ extras: "docker,../x" }, '--extras: unknown value "../x". Choose from docker, '],
    [{ runtime: "npm" }, '--runtime: unknown value "npm". Choose one of dependency, vendored.'],
    [{ extras: "ALL" }, "--extras: unknown value"],
    [{ extras: "mcpb", transport: "http" }, "--extras mcpb: a host cannot start a project for http."],
    [{ extras: "claude-desktop", transport: "worker" }, "Leave it out, or choose --transport stdio or both."],
    [{ extras: "ci,docker", transport: "worker" }, "--extras docker: Node cannot start a project for worker."],
    [{ extras: "docker", transport: "worker" }, "choose --transport stdio, http or both."],
  ])("the choices %j are rejected with the possible values", (text, message) => {
    expect(() => readSelection(text)).toThrow(message);
  });

  it("every choice has a default", () => {
    expect(readSelection({})).toEqual({
      features: ["tools", "resources", "prompts"],
      transport: "stdio",
      target: "node",
      further: [],
      auth: "none",
      scale: "none",
      mount: "none",
      schema: "zod",
      client: false,
      extras: ["agents"],
      runtime: "dependency",
    });
  });

  it.each([
    ["stdio", []],
    ["http", ["claude-desktop", "mcpb"]],
    ["worker", ["docker", "claude-desktop", "mcpb", "otel"]],
  ])("`--extras all` for %s includes all extras except those that cannot start the server", (transport, without) => {
    const { extras: found } = readSelection({ transport, extras: "all" });
    expect(extras.filter((extra) => !found.includes(extra))).toEqual(without);
  });

  it("features always include tools and are sorted", () => {
    expect(readSelection({ features: "prompts,resources" }).features).toEqual(["tools", "resources", "prompts"]);
    expect(readSelection({ features: "tools" }).features).toEqual(["tools"]);
    expect(() => readSelection({ features: "none" })).toThrow(
      /^--features: unknown value "none"\. Choose from tools, .*, or use all\.$/,
    );
    expect(readSelection({ features: "all,tools" }).features).toEqual(readSelection({ features: "all" }).features);
  });

  it("the choices of the layer follow from the choices of the project", () => {
    const selection = readSelection({ transport: "both", schema: "json", client: true, auth: "oauth" });
    expect(toLayerChoices(selection, [newest])).toEqual({
      revisions: [newest],
      features: selection.features,
      transports: ["stdio", "http"],
      client: true,
      validator: true,
      auth: "oauth",
    });
  });

  it.each([
    ["stdio,http", "both", []],
    ["both", "both", []],
    ["http, stdio, both", "both", []],
    ["tcp,stdio,websocket", "stdio", ["websocket", "tcp"]],
    ["http,websocket", "http", ["websocket"]],
  ])("the choice `--transport %s` sets the transports of project and layer", (text, transport, further) => {
    const selection = readSelection({ transport: text });
    expect(selection).toMatchObject({ transport, further });
    const both = transport === "both" ? ["stdio", "http"] : [transport];
    expect(toLayerChoices(selection, [newest]).transports).toEqual([...both, ...further]);
  });

  it.each(["skills", "apps"])("the feature %s adds resources to the layer, and no example of a resource", (feature) => {
    const selection = readSelection({ features: feature });
    expect(selection.features).toEqual(["tools", feature]);
    expect(toLayerChoices(selection, [newest]).features).toEqual(["tools", "resources", feature]);
  });

  it.each(["worker", "lambda", "vercel", "deno", "bun"])("a project for %s serves a function over HTTP", (target) => {
    expect(readSelection({ target })).toMatchObject({ target, transport: "worker", further: [] });
    expect(readSelection({ target, transport: "http" })).toEqual(readSelection({ target }));
    expect(readSelection({ target, features: "all" }).features.includes("tasks")).toBe(/deno|bun/.test(target));
  });

  it("the transport worker is another spelling of the target worker", () => {
    expect(readSelection({ transport: "worker" })).toEqual(readSelection({ target: "worker" }));
    expect(readSelection({ transport: "worker", target: "worker" })).toEqual(readSelection({ target: "worker" }));
  });

  it("the transport is HTTP by default if callers need credentials", () => {
    expect(readSelection({ auth: "api-key" })).toMatchObject({ transport: "http", auth: "api-key" });
    expect(readSelection({ auth: "none" }).transport).toBe("stdio");
  });
});

describe("a project", () => {
  it.each([
    ["zod", ["zod"]],
    ["valibot", ["@valibot/to-json-schema", "valibot"]],
    ["arktype", ["arktype"]],
    ["json", ["@cfworker/json-schema"]],
  ])("a project with %s has no dependencies at run time because the library is bundled", async (schema, packages) => {
    const tree = await emit({ schema });
    const manifest = manifestOf(tree);
    expect(manifest).not.toHaveProperty("dependencies");
    for (const name of packages) {
      expect(manifest.devDependencies).toHaveProperty([name]);
      // The adapter of the runtime imports the validator.
      const wanted = schema === "json" ? 'from "mcp-server-runtime/adapters/cfworker"' : `from "${name}"`;
      const isUsed = [...tree].some(([path, text]) => path.startsWith("src/") && text.includes(wanted));
      expect(isUsed, name).toBe(true);
    }
  });

  it.each([
    [
      "oauth",
      ["jose"],
      /export \{ introspectTokens, readTokenInfo, requireBearerToken \}/,
      /requireApiKey|limitAuthFailures/,
    ],
    ["api-key", [], /export \{ limitAuthFailures, requireApiKey \}/, /adapters\/jose|requireBearerToken/],
    ["none", [], /serveHttp/, /\/auth\/|rateLimit|auditLog|requestLogger/],
  ])(
    "a project with --auth %s has the packages, files and exports of that protection, and no others",
    async (auth, packages, has, isMissing) => {
      const tree = await emit({ auth, transport: "http" });
      const usual = ["@types/node", "esbuild", "mcp-server-runtime", "typescript", "vitest", "zod"];
      expect(Object.keys(manifestOf(tree).devDependencies)).toEqual([...usual, ...packages].sort());
      expect(tree.get("src/mcp/index.ts")).toMatch(has);
      expect([...tree.keys(), tree.get("src/mcp/index.ts")].join("\n")).not.toMatch(isMissing);
      expect(JSON.parse(tree.get("src/mcp/mcp.lock.json") ?? "")).toHaveProperty("auth", auth);
      expect(tree.has("test/access.test.ts")).toBe(auth !== "none");
      expect(tree.get("README.md")?.includes("rejected with 401")).toBe(auth !== "none");
      await expectFormatted(tree);
    },
  );

  it.each([
    ["stdio", [], /serves at/, false],
    ["stdio,tcp", ["tcp"], /npm start -- --websocket/, false],
    ["http,websocket", ["websocket"], /npm start -- --tcp/, true],
    ["both,websocket,tcp", ["websocket", "tcp"], /8787/, true],
  ])(
    "a project with --transport %s serves, tests and describes only these transports",
    async (transport, further, not, hasWs) => {
      const tree = await emit({ transport });
      const readme = tree.get("README.md") ?? "";
      const links = tree.get("test/client.ts") ?? "";
      expect(Object.keys(manifestOf(tree).devDependencies).filter((name) => /\bws$/.test(name))).toEqual(
        hasWs ? ["@types/ws", "ws"] : [],
      );
      expect(readme).not.toMatch(not);
      const entry = tree.get("src/mcp/index.ts") ?? "";
      expect(entry.includes("createFurtherTransports")).toBe(further.length > 0);
      for (const name of further) {
        expect(readme).toContain(`npm start -- --${name} `);
        expect(links).toContain(name === "tcp" ? "openTcp(program)" : "openWebSocket(program, ");
        expect(entry).toMatch(name === "tcp" ? /tcp: \(service\) => listenTcp/ : /=> listenWebSocket/);
      }
      await expectFormatted(tree);
    },
  );

  it("a project with WebSocket and TCP imports each transport from its entry of the runtime", async () => {
    const text = (await emit({ transport: "stdio,websocket,tcp" })).get("src/mcp/index.ts") ?? "";
    expect(text).toContain('import { listenWebSocket } from "mcp-server-runtime/transports/websocket-server";');
    expect(text).toContain('import { createFurtherTransports, listenTcp } from "mcp-server-runtime/transports";');
    expect(text).toContain("return runStdio(server, { further, ...options });");
    expect(text).not.toMatch(/\bas run\b/);
  });

  it("the help names every extra", async () => {
    const help = (await createCommand.add(yargs([])).getHelp()).replaceAll(/\s+/g, " ");
    expect(help).toContain(`Comma-separated extra files, all or none: ${extras.join(", ")}`);
  });

  it("a project with all extras has their files, with valid JSON and no unfilled placeholders", async () => {
    const [without, tree] = [await emit({ extras: "none" }), await emit({ extras: "all" })];
    const added = [...tree.keys()].filter((path) => !without.has(path));
    expect(added.length).toBeGreaterThanOrEqual(extras.length);
    for (const path of added) {
      const text = tree.get(path) ?? "";
      expect(text, path).not.toMatch(/\{\{(?! matrix)/);
      if (path.endsWith(".json")) expect(() => JSON.parse(text), path).not.toThrow();
    }
  });

  it.each([
    [{ features: "tools" }, "with a tool as examples", "`defineTool`: it checks what `execute` takes and returns."],
    [
      { features: "input,prompts" },
      "with two tools and a prompt as",
      "`defineTool` or `definePrompt`: they check what `execute` and `get`",
    ],
    [
      { features: "all" },
      "with two tools, a resource, a view and a prompt as examples",
      "`defineTool`, `defineResource` or `definePrompt`",
    ],
    [
      { features: "skills", transport: "worker" },
      "with a tool and a skill as examples",
      "`defineTool` or `defineResource`:",
    ],
  ])(
    "README and AGENTS of a project with %j describe its examples and the functions that define more",
    async (text, start, definers) => {
      const tree = await emit(text);
      expect(tree.get("README.md")).toContain(`your server, ${start}`);
      expect(tree.get("AGENTS.md")).toContain(`Define each with ${definers}`);
    },
  );

  it.each([
    ["node", "dist/server.js"],
    ["worker", "dist/server.js"],
    ["lambda", "dist/index.mjs"],
    ["vercel", "dist/vercel.js"],
    ["deno", "dist/main.js"],
    ["bun", "dist/main.js"],
  ])("README and AGENTS of a project for %s name its bundle, %s", async (target, bundle) => {
    const tree = await emit({ target });
    expect(tree.get("README.md")).toContain(`\`${bundle}\` contains the runtime.`);
    expect(tree.get("AGENTS.md")).toContain(`bundles the server into one file, \`${bundle}\`.`);
  });

  it.each([
    ["stdio", {}, /--http|HOST|8787/, /`docker run -i demo` serves over stdin and stdout\./],
    [
      "http",
      {},
      /stdin/,
      /npm start +# serves at [^]*`HOST=0\.0\.0\.0` opens[^]*docker run -p 127\.0\.0\.1:3000:3000 demo` serves/,
    ],
    ["both", {}, /8787/, /npm start +# waits[^]*npm start -- --http 3000 +# serves at[^]*like `--http`/],
    [
      "worker",
      {},
      /stdin|docker|npm start|mcpb/,
      /npm run dev +# serves at [^]*\.example|the address in it with your own/,
    ],
    ["http", { auth: "api-key" }, /stdin/, /--header "X-API-Key: \$KEY"[^]*"X-API-Key": "\$\{input:key\}"/],
  ])(
    "the README of a project for %s with %j describes how to run it and the purpose of each extra file",
    async (transport, more, not, has) => {
      const tree = await emit({ transport, extras: "all", ...more });
      const readme = tree.get("README.md") ?? "";
      expect(readme).toMatch(has);
      expect(readme).not.toMatch(not);
      for (const path of readme.matchAll(/^- (`.*?)`?: /gm))
        for (const [, name = ""] of path[0].matchAll(/`([^`]+?)\/?`/g))
          expect(
            [...tree.keys()].some((known) => known === name || known.startsWith(`${name}/`)),
            name,
          ).toBe(true);
      for (const [path] of tree)
        if (/^(src\/auth|skills|Dockerfile|server\.json|manifest|\.vscode|\.mcp\.json|AGENTS)/.test(path))
          expect(readme).toContain(path);
      await expectFormatted([["README.md", readme]]);
    },
  );

  it.each([
    [{ auth: "oauth" }, "-e ISSUER -e RESOURCE "],
    [{ auth: "api-key" }, "-e API_KEYS "],
    [{ provider: "clerk" }, "-e CLERK_DOMAIN -e AUDIENCE_SCOPES -e AUDIENCE_CLIENTS -e RESOURCE "],
    [
      { auth: "oauth", transport: "both" },
      "-e MCP_HTTP_PORT=3000 -e HOST=0.0.0.0 -e ALLOWED_HOSTS=localhost,127.0.0.1 -e ISSUER -e RESOURCE ",
    ],
  ])("the README of a project with %j passes the variables for access control to its image", async (text, passed) => {
    const readme = (await emit({ ...text, extras: "docker" })).get("README.md");
    expect(readme).toContain(`\`docker run -p 127.0.0.1:3000:3000 ${passed}demo\` serves over HTTP`);
  });

  it("the README shows how to call other servers if the project is also a client", async () => {
    expect((await emit({ client: true })).get("README.md")).toContain(
      'connectHttp, createClient } from "./mcp/index.ts"',
    );
    expect((await emit({})).get("README.md")).not.toContain("createClient");
  });

  it("configurations of hosts read the API key from variables or prompts", async () => {
    const tree = await emit({ transport: "http", auth: "api-key", extras: "all" });
    const read = (path: string): unknown => JSON.parse(tree.get(path) ?? "");
    const url = "http://127.0.0.1:3000/mcp";
    expect(read(".mcp.json")).toEqual({
      mcpServers: { demo: { type: "http", url, headers: { "X-API-Key": "${KEY}" } } },
    });
    expect(read(".cursor/mcp.json")).toEqual({ mcpServers: { demo: { url, headers: { "X-API-Key": "${env:KEY}" } } } });
    expect(read(".vscode/mcp.json")).toMatchObject({
      inputs: [{ type: "promptString", id: "key", password: true }],
      servers: { demo: { type: "http", url, headers: { "X-API-Key": "${input:key}" } } },
    });
    expect(read("server.json")).toHaveProperty("packages.0.transport.headers.0.name", "X-API-Key");
    expect(tree.get("test/key.ts")).toContain("KEY=${key}");
  });

  it.each([
    ["stdio", /slim\n[^]*USER node\nCMD \["node", /],
    ["http", /\nEXPOSE 3000\nHEALTHCHECK CMD \["node", "-e", "fetch[^\n]*\nCMD \["node", /],
    ["both", /USER node\n# Serves stdin and stdout, and HTTP[^\n]*\nCMD \["node", /],
  ])("the image of a project for %s matches its transport", async (transport, says) => {
    expect((await emit({ transport, extras: "docker" })).get("Dockerfile")).toMatch(says);
  });

  it.each([
    ["oauth", "test/token.ts", /console\.log\(`TOKEN=\$\{/, /prints a token: TOKEN=[^]*Bearer \$TOKEN"/],
    ["api-key", "test/key.ts", /`for the client: {2}KEY=\$\{/, /prints a new key \(KEY=[^]*X-API-Key: \$KEY"/],
  ])(
    "a project with --auth %s prints its credential as the shell variable that the README uses",
    async (auth, path, prints, says) => {
      const tree = await emit({ transport: "http", auth });
      expect(tree.get(path)).toMatch(prints);
      expect(tree.get("README.md")).toMatch(says);
    },
  );

  it.each<readonly [SelectionText, string | undefined]>([
    [{ transport: "worker" }, undefined],
    [{ target: "lambda", auth: "api-key" }, "X-API-Key"],
    [{ mount: "next" }, undefined],
    [{ mount: "next", auth: "api-key" }, "X-API-Key"],
  ])("a project with %j is listed in the registry by its address, without a package", async (text, header) => {
    const tree = await emit({ ...text, extras: "registry" });
    const listed: unknown = JSON.parse(tree.get("server.json") ?? "");
    expect(listed).toMatchObject({ remotes: [{ type: "streamable-http", url: "https://demo.example.com/mcp" }] });
    expect(Object(listed).remotes[0].headers?.[0].name).toBe(header);
    expect(listed).not.toHaveProperty("packages");
    expect(manifestOf(tree)).toMatchObject({ private: true });
    expect(tree.get("README.md")).not.toContain("publish to npm");
  });

  it.each(["http", "both", "worker"])("a project with an address has a valid Server Card: %s", async (transport) => {
    const auth = transport === "http" ? "api-key" : "none";
    const tree = await emit({ transport, auth, extras: "registry" });
    const card = parseServerCard(tree.get("server-card.json") ?? "");
    expect(card.name).toBe(Object(JSON.parse(tree.get("server.json") ?? "")).name);
    expect(card.remotes?.[0]?.supportedProtocolVersions?.length).toBeGreaterThan(0);
    expect(card.remotes?.[0]?.headers?.[0]?.name).toBe(auth === "none" ? undefined : "X-API-Key");
    expect(tree.get("README.md")).toContain("`server-card.json`");
  });

  it("a project without an address has no Server Card", async () => {
    const tree = await emit({ transport: "stdio", extras: "registry" });
    expect([tree.has("server.json"), tree.has("server-card.json")]).toEqual([true, false]);
  });

  it.each<readonly [SelectionText, readonly string[]]>([
    [{}, ["npm", "registry"]],
    [{ transport: "both", auth: "api-key" }, ["npm", "registry"]],
    [{ transport: "worker" }, ["registry"]],
  ])("a workflow publishes a project with %j without a secret", async (text, jobs) => {
    const tree = await emit({ ...text, extras: "registry" });
    const workflow = tree.get(".github/workflows/publish.yml") ?? "";
    const { errors, warnings } = parseDocument(workflow, { uniqueKeys: true });
    expect([...errors, ...warnings]).toEqual([]);
    const parsed = parseDocument(workflow).toJS();
    expect(Object.keys(parsed.jobs)).toEqual(jobs);
    for (const job of jobs) expect(parsed.jobs[job].permissions).toEqual({ contents: "read", "id-token": "write" });
    expect(workflow).toContain("./mcp-publisher login github-oidc\n");
    expect(workflow.includes("npm publish --provenance")).toBe(jobs.includes("npm"));
    expect(workflow).not.toMatch(/secrets\.|&quot;|\{\{(?!\})/);
    expect(tree.get("README.md")).toContain("`.github/workflows/publish.yml`");
  });

  it("the manifest of the bundle lists every initial tool", async () => {
    const tree = await emit({ extras: "mcpb", features: "input" });
    expect(JSON.parse(tree.get("manifest.json") ?? "").tools).toMatchObject([
      { name: "measure_text" },
      { name: "greet" },
    ]);
  });

  it("a project publishes its build output under the name in the registry", async () => {
    const tree = await emit({ extras: "registry", features: "skills" });
    const { name } = Object(JSON.parse(tree.get("server.json") ?? ""));
    const manifest = manifestOf(tree);
    // Copies of packages with native code fit one platform; npm installs those of each user.
    const files = ["dist", "!dist/node_modules"];
    expect(manifest).toMatchObject({ mcpName: name, bin: { demo: "dist/server.js" }, files: [...files, "skills"] });
    expect(manifest).not.toHaveProperty("private");
    expect(manifest).not.toHaveProperty("dependencies");
    expect(tree.get("src/server.ts")).toMatch(/^#!\/usr\/bin\/env node\nimport /);
    expect(manifestOf(await emit({ extras: "none" }))).toMatchObject({ private: true, files });
  });

  it("a project at the edge has a configuration for deployment and keeps no state in memory", async () => {
    const tree = await emit({ transport: "worker" });
    const config = tree.get("wrangler.jsonc") ?? "";
    const settings: unknown = JSON.parse(config.replaceAll(/^ *\/\/.*\n/gm, ""));
    expect(settings).toMatchObject({ name: "demo", main: "src/server.ts", compatibility_flags: ["nodejs_compat"] });
    expect(settings).toHaveProperty("compatibility_date");
    expect(manifestOf(tree)).toMatchObject({
      scripts: { dev: "wrangler dev", deploy: "tsc && wrangler deploy" },
      devDependencies: { wrangler: expect.anything() },
    });
    expect(tree.get("src/server.ts")).toContain('{ sessions: false, allowedHosts: "any" },');
    expect(tree.get(".gitignore")).toContain(".dev.vars");
  });

  it.each([
    ["lambda", ["src/lambda.ts", "src/local.ts", "template.yaml"], "AWS_LAMBDA_FUNCTION_NAME"],
    ["vercel", ["api/mcp.js", "public/robots.txt", "src/local.ts", "src/vercel.ts", "vercel.json"], "VERCEL"],
    ["deno", ["deno.json", "src/main.ts"], "DENO_DEPLOY"],
    ["bun", ["src/main.ts"], "ALLOWED_HOSTS"],
  ])(
    "a project for %s has the files of its platform, and accepts local names only elsewhere",
    async (target, own, name) => {
      const [plain, tree] = [await emit({ transport: "http" }), await emit({ target })];
      expect([...tree.keys()].filter((path) => !plain.has(path)).sort()).toEqual(own);
      expect(manifestOf(tree)).not.toHaveProperty("bin");
      expect(manifestOf(tree).devDependencies).not.toHaveProperty("wrangler");
      expect(tree.get("src/server.ts")).toContain(name);
      expect(tree.get("src/server.ts")).toMatch(/localhost["',]+ ?"?127\.0\.0\.1/);
      expect(tree.get("README.md")).toContain("## Deploy");
      for (const path of ["vercel.json", "deno.json"]) if (tree.has(path)) JSON.parse(tree.get(path) ?? "");
    },
  );

  it.each(["deno", "bun"])("a project for %s permits blanks between the names in ALLOWED_HOSTS", async (target) => {
    const text = (await emit({ target })).get("src/server.ts");
    expect(text).toContain('ALLOWED_HOSTS.split(",").map((name) => name.trim())');
    expect(text).toContain('const ALLOWED_HOSTS = process.env.ALLOWED_HOSTS || "localhost,127.0.0.1";');
  });

  it("the functions of Vercel include the resource metadata if there is any", async () => {
    const rewrites = async (auth: string): Promise<unknown> =>
      JSON.parse((await emit({ target: "vercel", auth })).get("vercel.json") ?? "").rewrites;
    expect(await rewrites("api-key")).toEqual([{ source: "/mcp", destination: "/api/mcp" }]);
    expect(await rewrites("oauth")).toContainEqual({
      source: "/.well-known/oauth-protected-resource/mcp",
      destination: "/api/mcp",
    });
  });

  it.each(["oauth", "api-key"])("a project at the edge with --auth %s requires credentials", async (auth) => {
    const tree = await emit({ transport: "worker", auth });
    expect(tree.get("src/server.ts")).toContain('{ sessions: false, allowedHosts: "any", authenticate },');
    expect([...tree.keys()]).toEqual(expect.arrayContaining(["src/auth.ts", "test/access.test.ts"]));
    expect(tree.get("src/auth.ts")).toContain('typeof process === "undefined" ? {} : process.env');
  });

  it("a project at the edge has no executable", async () => {
    const tree = await emit({ transport: "worker" });
    expect(manifestOf(tree)).not.toHaveProperty("bin");
    expect(tree.get("src/server.ts")).toMatch(/^import /);
    expect(tree.get("build.js")).toContain('platform: "worker"');
  });

  it.each([
    ["http", "http://127.0.0.1:3000/mcp"],
    ["worker", "http://127.0.0.1:8787/mcp"],
  ])("configurations of hosts contain the address of a project for %s", async (transport, url) => {
    const tree = await emit({ transport, extras: "vscode,claude-code,cursor" });
    for (const path of [".vscode/mcp.json", ".mcp.json", ".cursor/mcp.json", "README.md"])
      expect(tree.get(path)).toContain(url);
    const [, hosts = ""] = tree.get("README.md")?.split("## Use it in a client") ?? [];
    expect(hosts.split("\n## ")[0]).not.toMatch(/dist\/server\.js|claude_desktop_config/);
    expect(tree.get("README.md")).not.toContain("stdin");
    expect(tree.get("README.md")).toContain(`claude mcp add --transport http demo ${url}`);
  });

  it("the README of a project has addresses and keys of HTTP only if the project serves it", async () => {
    const readme = async (text: SelectionText): Promise<string> => (await emit(text)).get("README.md") ?? "";
    expect(await readme({})).not.toMatch(/--transport http|X-API-Key|\/mcp\b.*3000|127\.0\.0\.1|ALLOWED_HOSTS/);
    const address = "claude mcp add --transport http demo http://127.0.0.1:3000/mcp";
    expect(await readme({ transport: "both" })).toContain(`${address}\n`);
    expect(await readme({ transport: "both", auth: "api-key" })).toContain(`${address} --header "X-API-Key: $KEY"\n`);
  });

  it.each(["npm", "pnpm", "yarn", "bun"] as const)(
    "a project with lint has a script for it, which the workflow and AGENTS.md name for %s",
    async (manager) => {
      const of = (text: string) => emitFiles({ manager, selection: { extras: text } });
      const [plain, linted] = [await of("ci,agents"), await of("ci,agents,lint")];
      const { run } = commandsOf(manager);
      const checks = [run("typecheck"), run("test")];
      const [first, last] = checks.map((command) => `\`${command}\``);
      expect(plain.get("AGENTS.md")).toContain(`run ${first} and ${last}.`);
      expect(linted.get("AGENTS.md")).toContain(`run ${first}, \`${run("lint")}\` and ${last}.`);
      expect(plain.get(".github/workflows/ci.yml")).not.toContain("lint");
      expect(linted.get(".github/workflows/ci.yml")).toContain(
        [checks[0], run("lint"), checks[1]].map((command) => `      - run: ${command}\n`).join(""),
      );
      expect(manifestOf(linted)).toMatchObject({ scripts: { lint: "oxlint" }, devDependencies: { oxlint: "^1.94.0" } });
      expect(manifestOf(plain).devDependencies).not.toHaveProperty("oxlint");
    },
  );

  it("a project whose server has settings lists them in .env.example", async () => {
    const text = (await emit({ provider: "auth0" })).get(".env.example") ?? "";
    expect(text).toMatch(/^# Domain of the tenant.*\n# AUTH0_DOMAIN=$/m);
    expect((await emit({ provider: "auth0" })).get("README.md")).toContain("- `.env.example`:");
    for (const none of [{}, { auth: "api-key" }, { target: "vercel", provider: "auth0" }])
      expect((await emit(none)).has(".env.example"), JSON.stringify(none)).toBe(false);
  });

  it.each([
    { transport: "both", client: true, extras: "all", auth: "api-key" },
    { transport: "http", auth: "oauth" },
    { transport: "worker", schema: "json" },
  ])(
    "a project with a vendored runtime differs only in vendor/, .gitignore, README.md and package.json: %j",
    async (text) => {
      const [plain, tree] = [await emit(text), await emit({ ...text, runtime: "vendored" })];
      for (const [path, source] of tree) {
        if (path.startsWith("vendor/")) expect(plain.has(path), path).toBe(false);
        else if (!/^(README\.md|package\.json|\.gitignore)$/.test(path)) expect(source, path).toBe(plain.get(path));
      }
      expect([...plain.keys()].filter((path) => !tree.has(path))).toEqual([]);
      expect(manifestOf(tree).devDependencies).toMatchObject({
        ...manifestOf(plain).devDependencies,
        "mcp-server-runtime": "file:vendor/mcp-server-runtime",
      });
      expect(tree.get("README.md")).toContain("`vendor/mcp-server-runtime/`");
      expect(plain.get("README.md")).not.toContain("`vendor/mcp-server-runtime/`");
    },
  );

  it("spaces around a choice do not count", () => {
    const text = { extras: "none ", auth: " none", scale: "none ", mount: " none ", features: " all", schema: "json " };
    expect(readSelection(text)).toEqual(
      readSelection({ extras: "none", auth: "none", scale: "none", mount: "none", features: "all", schema: "json" }),
    );
  });
});

import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Node, Project } from "ts-morph";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { listAll, temporaryFolder } from "../../kit/temporary-folders.ts";
import { checkFunctions } from "../../../generator/typed-client/client/check-text.ts";
import type { ClientCommandOptions } from "../../../cli/commands/client.ts";
import type { Impact } from "../../../generator/typed-client/contract/impact.ts";
import { readText, serveRaw } from "../../kit/raw-server.ts";
import { createCatalogue } from "./catalogue.ts";
import { client } from "../../kit/commands.ts";
import { compileEmitted, modulePackage, onlyStrict } from "../../kit/compile.ts";
import { packageRoot } from "../../../generator/internal/package-info.ts";

const offer = {
  server: { name: "@acme/shop-server", version: "1.0.0" },
  tools: [
    {
      name: "find_items",
      description: "Finds items.",
      inputSchema: {
        type: "object",
        properties: {
          query: { type: "string", minLength: 1 },
          limit: { type: "integer", minimum: 1 },
          weights: {
            type: "object",
            propertyNames: { type: "string", enum: ["price", "age"] },
            additionalProperties: { type: "number" },
          },
        },
        required: ["query"],
      },
      outputSchema: {
        type: "object",
        properties: { items: { type: "array", items: { type: "string" } } },
        required: ["items"],
      },
    },
    { name: "ping", inputSchema: { type: "object" } },
  ],
  prompts: [{ name: "greet", arguments: [{ name: "who", required: true }, { name: "tone" }] }],
  resourceTemplates: [{ uriTemplate: "shop://items/{id}{?page}", name: "item" }],
};

/** The compiler is asked. */
const slow = 300_000;

function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), modulePackage);
  for (const [name, value] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
  }
  return folder;
}

const sourcesOf = (folder: string): string[] =>
  listAll(folder)
    .filter((path) => path.endsWith(".ts"))
    .map((path) => join(folder, path));

describe("create-mcp-server client", () => {
  test.each([
    [undefined, /connectClient\(\.\.\.\) of mcp-server-runtime\n$/],
    [true, /of src\/mcp\n$/],
    [false, /of src\/mcp, after npx create-mcp-server update --client\n$/],
  ])(
    "`client` names the source of `connectClient` for the layer of the project (client: %j)",
    async (isClient, says) => {
      const cwd = folderWith({ "tools.json": offer });
      const lock = { format: 2, revisions: ["2025-11-25"], features: [], transports: [], client: isClient, files: {} };
      if (isClient !== undefined) mkdirSync(join(cwd, "src", "mcp"), { recursive: true });
      if (isClient !== undefined) writeFileSync(join(cwd, "src", "mcp", "mcp.lock.json"), JSON.stringify(lock));
      const place = vi.spyOn(process, "cwd").mockReturnValue(cwd);
      onTestFinished(() => place.mockRestore());
      const { code, stdout } = await client([join(cwd, "tools.json")], { out: join(cwd, "src", "shop-client") });
      expect(code).toBe(0);
      expect(stdout).toMatch(says);
    },
  );

  test(
    "`client` writes a client and a mock that work together and need no package",
    async () => {
      const cwd = folderWith({ "tools.json": offer });
      const { code, stdout, stderr } = await client([join(cwd, "tools.json")], {
        out: join(cwd, "src", "shop-server-client"),
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain("2 tools, 1 prompt, 1 resource template,");
      const folder = join(cwd, "src", "shop-server-client");
      writeFileSync(
        join(cwd, "use.ts"),
        `import { ArgumentError, createShopServerClient, ResultError, ToolFailure } from "./src/shop-server-client/index.ts";
      import { mockShopServer } from "./src/shop-server-client/mock.ts";

      const session = mockShopServer({
        tools: {
          findItems: ({ query, limit = 1 }) => ({ items: Array.from({ length: limit }, () => query) }),
          ping: () => { throw new ToolFailure("ping", [{ type: "text", text: "out of order" }]); },
        },
        prompts: { greet: ({ who, tone = "kind" }) => ({ messages: [{ role: "user", content: { who, tone } }] }) },
        resources: (uri) => ({ contents: [{ uri, text: "an item" }] }),
      });
      const shop = createShopServerClient(session);
      const { structured, text } = await shop.tools.findItems({ query: "tea", limit: 2 });
      const items: readonly string[] = structured.items;
      const names = (thrown: unknown) => (thrown instanceof Error ? [thrown.name, thrown.message] : []);
      export const seen: unknown = {
        items,
        text,
        failure: await shop.tools.ping().catch(names),
        argument: await shop.tools.findItems({ query: "" }).catch(names),
        // @ts-expect-error there is no such key
        key: await shop.tools.findItems({ query: "x", weights: { age: 1, size: 2 } }).catch(names),
        prompt: (await shop.prompts.greet({ who: "you" })).messages,
        resource: (await shop.resources.item({ id: "a/b", page: 2 })).contents,
        calls: session.calls.map(({ kind, name }) => kind + " " + name),
        liar: await createShopServerClient({ ...session, callTool: async () => ({ content: [], structuredContent: { items: [1] } }) })
          .tools.findItems({ query: "x" }).catch(names),
        older: await createShopServerClient({ ...session, callTool: async () => ({ content: [] }) })
          .tools.findItems({ query: "x" }).catch(names),
        errors: [ArgumentError, ResultError].length,
      };
      // @ts-expect-error a required argument is missing
      void (() => shop.tools.findItems({ limit: 1 }));
      // @ts-expect-error there is no such argument
      void (() => shop.tools.findItems({ query: "", limits: 1 }));
      // @ts-expect-error there is no such member
      void structured.item;
      // @ts-expect-error a variable is missing
      void (() => shop.resources.item({ page: 1 }));
      // @ts-expect-error a mock must return what the tool declares
      mockShopServer({ tools: { findItems: () => ({ item: [] }) } });
      `,
      );
      expect(await compileEmitted(cwd, [...sourcesOf(folder), join(cwd, "use.ts")])).toEqual([]);
      const { seen }: { seen: unknown } = await import(pathToFileURL(join(cwd, "use.ts")).href);
      expect(seen).toEqual({
        items: ["tea", "tea"],
        text: '{"items":["tea","tea"]}',
        failure: ["ToolFailure", "ping: out of order"],
        argument: ["ArgumentError", "find_items: argument query: expected at least 1 characters"],
        key: ["ArgumentError", 'find_items: argument weights/size: expected a name that is one of "price", "age"'],
        prompt: [{ role: "user", content: { who: "you", tone: "kind" } }],
        resource: [{ uri: "shop://items/a%2Fb?page=2", text: "an item" }],
        calls: ["tool find_items", "tool ping", "prompt greet", "resource shop://items/a%2Fb?page=2"],
        liar: ["ResultError", "find_items: the result does not fit its schema: items/0: expected string"],
        older: [
          "ResultError",
          "find_items: the result does not fit its schema: structuredContent: expected a value, which servers of older revisions cannot send",
        ],
        errors: 2,
      });
    },
    slow,
  );

  test(
    "a generated client compiles: arguments are optional only where their type requires none",
    async () => {
      const word = { type: "string" };
      const needs = (name: string) => ({ type: "object", properties: { [name]: word }, required: [name] });
      const inputs: Readonly<Record<string, object>> = {
        one: { type: "object", oneOf: [needs("a"), needs("b")] },
        any: { type: "object", anyOf: [needs("a"), needs("b")] },
        all: { type: "object", allOf: [needs("a"), { type: "object", properties: { b: word } }] },
        reference: { type: "object", $ref: "#/$defs/a", $defs: { a: needs("a") } },
        deep: { type: "object", anyOf: [{ $ref: "#/$defs/a" }], $defs: { a: { allOf: [needs("a")] } } },
        inherited: { type: "object", properties: { constructor: word, toString: word, valueOf: word } },
        own: { type: "object", properties: { hasOwnProperty: word } },
        none: { type: "object", anyOf: [needs("a"), { type: "object", properties: { b: word } }] },
      };
      const tools = Object.entries(inputs).map(([name, inputSchema]) => ({ name, inputSchema }));
      const prompts = [
        { name: "say", arguments: [{ name: "toString" }, { name: "word", required: true }, { name: "word" }] },
      ];
      const cwd = folderWith({ "tools.json": { server: { name: "odd", version: "1" }, tools, prompts } });
      const { code, stderr } = await client([join(cwd, "tools.json")], { out: join(cwd, "odd") });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      writeFileSync(
        join(cwd, "use.ts"),
        `import { createOddClient, type Session } from "./odd/index.ts";
      export async function use(session: Session): Promise<void> {
        const { tools } = createOddClient(session);
        await tools.none();
        await tools.deep({ a: "x" });
        // @ts-expect-error one of two arguments is needed
        await tools.one();
      }
      `,
      );
      expect(await compileEmitted(cwd, [...sourcesOf(join(cwd, "odd")), join(cwd, "use.ts")])).toEqual([]);
    },
    slow,
  );

  test("`client` leaves out a tool whose schema is nested too deep and keeps the other tools of the server", async () => {
    const cwd = folderWith({});
    const deep = {
      type: "object",
      properties: Array.from({ length: 90 }).reduce((inner) => ({ a: { items: inner } }), {}),
    };
    const lists = {
      tools: [
        { name: "deep", inputSchema: deep },
        { name: "flat", inputSchema: { type: "object" } },
      ],
    };
    const server = await serveRaw(async (request, response) => {
      const message = JSON.parse((await readText(request)) || "{}");
      const params = {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "x", version: "1" },
      };
      if (message.id === undefined) return response.writeHead(request.method === "POST" ? 202 : 405).end();
      const result = message.method === "initialize" ? params : lists;
      return response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
    });
    onTestFinished(() => void server.close());
    const { code, stdout, stderr } = await client([server.url], { out: join(cwd, "out"), name: "deep" });
    expect(stderr).toMatch(/^left out +deep: it is nested deeper than 64 levels$/m);
    expect([code, stdout]).toEqual([0, expect.stringContaining("1 tool,")]);
  });

  describe("patterns that can take exponential time", () => {
    const pattern = "^(a+)+$";
    const list = {
      server: { name: "slow", version: "1.0.0" },
      tools: [
        {
          name: "spell",
          inputSchema: { type: "object", properties: { word: { type: "string", pattern } } },
          outputSchema: { type: "object", properties: { word: { type: "string", pattern } }, required: ["word"] },
        },
      ],
    };

    test("a pattern that can take exponential time is reported and not enforced", async () => {
      const cwd = folderWith({ "tools.json": list });
      const { code, stderr } = await client([join(cwd, "tools.json")], { out: join(cwd, "slow") });
      expect(code).toBe(0);
      expect(stderr).toMatch(/^widened +spell +inputSchema\/properties\/word\/pattern: .*not enforced$/m);
      expect(
        sourcesOf(join(cwd, "slow"))
          .map((path) => readFileSync(path, "utf8"))
          .join(),
      ).not.toMatch(/\(a\+\)\+\$", "u"|re2/);
    });

    test(
      "a pattern that can take exponential time is enforced by re2js with the option `re2js`",
      async () => {
        const cwd = folderWith({ "tools.json": list });
        symlinkSync(join(packageRoot, "node_modules"), join(cwd, "node_modules"));
        const { stdout, stderr } = await client([join(cwd, "tools.json")], { out: join(cwd, "slow"), re2js: true });
        expect(stderr).toBe("");
        expect(stdout).toContain("npm install re2js");
        expect(await compileEmitted(cwd, sourcesOf(join(cwd, "slow")))).toEqual([]);
        const { createSlowClient } = await import(pathToFileURL(join(cwd, "slow", "index.ts")).href);
        const respond = (word: string) => ({ content: [], structuredContent: { word } });
        const call = (word: string): Promise<unknown> =>
          createSlowClient({ callTool: () => Promise.resolve(respond(word)) }).tools.spell();
        expect(await call("a".repeat(60))).toMatchObject({ structured: { word: "a".repeat(60) } });
        await expect(call(`${"a".repeat(60)}!`)).rejects.toThrow(`word: expected text that matches ${pattern}`);
        const { code } = await client([join(cwd, "tools.json")], { out: join(cwd, "slow"), re2js: true, check: true });
        expect(code).toBe(0);
      },
      slow,
    );

    test(
      "a tool with such a pattern may have the name of the function that compiles it",
      async () => {
        const tools = list.tools.map((tool) => ({ ...tool, name: "compile_re2" }));
        const cwd = folderWith({ "tools.json": { ...list, tools } });
        symlinkSync(join(packageRoot, "node_modules"), join(cwd, "node_modules"));
        await client([join(cwd, "tools.json")], { out: join(cwd, "slow"), re2js: true });
        expect(await compileEmitted(cwd, sourcesOf(join(cwd, "slow")))).toEqual([]);
      },
      slow,
    );
  });

  test(
    "the client of 120 tools with every construct and hostile names has declarations and checks only",
    async () => {
      const cwd = folderWith({ "big.json": createCatalogue() });
      const { code, stdout } = await client([join(cwd, "big.json")], { out: join(cwd, "big") });
      expect(code).toBe(0);
      expect(stdout).toContain("120 tools");
      const files = sourcesOf(join(cwd, "big"));
      expect(await compileEmitted(cwd, files)).toEqual([]);
      expect(await compileEmitted(cwd, files, onlyStrict)).toEqual([]);
      const project = new Project({ skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true });
      const tools = project.addSourceFilesAtPaths(files.filter((path) => path.includes("/tools/")));
      expect(tools).toHaveLength(120);
      const strangers = tools.flatMap((file) =>
        file
          .getStatements()
          .filter(
            (statement) =>
              !Node.isImportDeclaration(statement) &&
              !Node.isInterfaceDeclaration(statement) &&
              !Node.isTypeAliasDeclaration(statement) &&
              !Node.isVariableStatement(statement),
          ),
      );
      expect(strangers).toEqual([]);
      const called = tools.flatMap((file) =>
        file
          .getDescendants()
          .filter(Node.isCallExpression)
          .map((call) => call.getExpression().getText()),
      );
      expect(called.filter((name) => !checkFunctions.some((known) => known === name))).toEqual([]);
    },
    slow,
  );

  test("`client --check` reports changes of the server with their impact, and `client` applies them", async () => {
    const [find, ping] = offer.tools;
    const newer = {
      ...offer,
      tools: [{ ...find, inputSchema: { ...find?.inputSchema, required: ["query", "limit"] } }, ping],
    };
    const cwd = folderWith({
      "old.json": offer,
      "new.json": newer,
      "more.json": { ...offer, tools: [...offer.tools, { name: "more" }] },
    });
    const out = join(cwd, "out");
    const check = (file: string, failOn: Impact = "risky") => client([join(cwd, file)], { out, check: true, failOn });
    expect((await check("old.json")).stderr).toContain("has no mcp.client.lock.json");
    await client([join(cwd, "old.json")], { out: join(cwd, "out") });
    const before = listAll(cwd);
    expect(await check("old.json")).toMatchObject({ code: 0, stdout: "The server matches the lock file.\n" });
    const broken = await check("new.json");
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/^breaking {2}tool find_items, arguments limit: now required\nImpact: breaking/);
    expect(await check("more.json")).toMatchObject({ code: 0, stdout: expect.stringContaining("Impact: additive") });
    expect((await check("more.json", "additive")).code).toBe(1);
    expect(listAll(cwd)).toEqual(before);
    await client([join(cwd, "new.json")], { out: join(cwd, "out") });
    expect((await check("new.json")).code).toBe(0);
  });

  test("`client` rejects edited files without `--force`, and removes files of tools that no longer exist", async () => {
    const cwd = folderWith({ "old.json": offer, "new.json": { ...offer, tools: offer.tools.slice(0, 1) } });
    await client([join(cwd, "old.json")], { out: join(cwd, "out") });
    const path = join(cwd, "out", "tools", "ping.ts");
    writeFileSync(path, `${readFileSync(path, "utf8")}// mine\n`);
    const rejected = await client([join(cwd, "new.json")], { out: join(cwd, "out") });
    expect(rejected).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("out has edited files (tools/ping.ts)"),
    });
    const checked = await client([join(cwd, "old.json")], { out: join(cwd, "out"), check: true });
    expect(checked).toMatchObject({ code: 1, stderr: expect.stringContaining("with --force instead of --check") });
    expect((await client([join(cwd, "new.json")], { out: join(cwd, "out"), force: true })).code).toBe(0);
    expect(readdirSync(join(cwd, "out", "tools"))).toEqual(["find-items.ts"]);
  });

  const rejecting = `require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id } = JSON.parse(line);
    const error = { code: -32603, message: "fetch failed" };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error }));
  });`;

  test.each<[string, readonly string[], Partial<ClientCommandOptions>, RegExp]>([
    ["no server", [], {}, /no server is given/],
    ["an empty address", [" "], {}, /no server is given/],
    ["a file that does not exist", ["absent.json"], {}, /absent\.json does not exist; check the path/],
    ["a file that is not JSON", ["broken.json"], {}, /broken\.json is not JSON/],
    ["a folder", ["folder.json"], {}, /folder\.json cannot be read/],
    ["a JSON string", ["text.json"], {}, /is not a list of tools/],
    ["an object without tools", ["object.json"], {}, /is not a list of tools/],
    ["tools that are not a list", ["map.json"], {}, /is not a list of tools/],
    ["a tool without a name", ["nameless.json"], {}, /tools\[0\] has no usable name/],
    ["a tool whose name is a number", ["number.json"], {}, /tools\[0\] has no usable name/],
    ["prompts that are not a list", ["prompts.json"], {}, /"prompts" is not a list/],
    ["an empty list of tools", ["empty.json"], {}, /offers no tools/],
    ["a name without Latin letters", ["japanese.json"], {}, /--name <name>/],
    ["an address with another scheme", ["ftp://example.org/"], {}, /is not the address of a server/],
    ["an invalid address", ["http://"], {}, /is not the address of a server/],
    ["an address without a server", ["http://127.0.0.1:9/mcp"], {}, /127\.0\.0\.1:9\/mcp cannot be read/],
    ["a program that does not exist", ["no-such-program-anywhere", "x"], {}, /no-such-program-anywhere cannot be read/],
    [
      "a program that exits",
      [process.execPath, "-e", "console.error('no key'); process.exit(3)"],
      {},
      /^create-mcp-server: \S+ cannot be read: .*ended with code 3; its last words: no key\)\. Run the command.*\n$/,
    ],
    [
      "a program that returns an error",
      [process.execPath, "-e", rejecting],
      {},
      /cannot be read: it returned the error -32603: fetch failed\. Run the command/,
    ],
    [
      "a program that writes invalid messages",
      [process.execPath, "-e", "console.log('hello'); setInterval(() => {}, 1000)"],
      { timeout: 1 },
      /cannot be read: it did not respond to initialize within 1 s; raise --timeout for a slow server\. It sent something wrong: The message is not valid JSON\. Run the command/,
    ],
    ["an unclosed quote", ["node 'x"], {}, /an unclosed quote/],
    ["an unknown revision", ["tools.json"], { protocol: "1999-01-01" }, /unknown revision "1999-01-01"/],
    ["a header without a value", ["tools.json"], { header: ["secret"] }, /--header is malformed/],
    ["a header with a line break", ["tools.json"], { header: ["A: b\nc: d"] }, /--header is malformed/],
    [
      "a header variable that is not set",
      ["tools.json"],
      { headerEnv: ["A=NO_SUCH_VARIABLE"] },
      /the environment variable NO_SUCH_VARIABLE is empty or not set/,
    ],
    ["a header variable without a name", ["tools.json"], { headerEnv: ["x"] }, /--header-env is malformed/],
    [
      "a variable that is not set",
      ["tools.json"],
      { env: ["NO_SUCH_VARIABLE"] },
      /the environment variable NO_SUCH_VARIABLE is not set/,
    ],
    ["an invalid name of a variable", ["tools.json"], { env: ["1=2"] }, /--env is malformed/],
    ["a timeout of zero", ["tools.json"], { timeout: 0 }, /--timeout is not a number of seconds/],
    [
      "a folder with other files",
      ["tools.json"],
      { out: "full" },
      /full is not empty and was not generated by this command/,
    ],
    ["a folder that is a file", ["tools.json"], { out: "tools.json" }, /tools\.json cannot be read \(ENOTDIR\)/],
    ["an invalid lock file", ["tools.json"], { out: "locked" }, /is not a lock file of this version/],
    ["losses with `--strict`", ["loss.json"], { strict: true }, /some schemas cannot be represented completely/],
  ])("`client` rejects %s with the reason, and writes nothing", async (_what, target, options, message) => {
    const cwd = folderWith({
      "tools.json": offer,
      "broken.json": "{",
      "text.json": '"x"',
      "object.json": {},
      "map.json": { tools: {} },
      "nameless.json": { tools: [{}] },
      "number.json": { tools: [{ name: 1 }] },
      "prompts.json": { tools: [], prompts: {} },
      "empty.json": { tools: [] },
      "japanese.json": { server: { name: "日本" }, tools: [{ name: "a" }] },
      "loss.json": { server: { name: "a" }, tools: [{ name: "a", inputSchema: { type: "object", not: {} } }] },
    });
    for (const name of ["folder.json", "full", "locked"]) mkdirSync(join(cwd, name));
    writeFileSync(join(cwd, "full", "file"), "");
    writeFileSync(join(cwd, "locked", "mcp.client.lock.json"), "{}");
    const before = listAll(cwd);
    const words = target.map((word) => (/^[\w-]+\.json$/.test(word) ? join(cwd, word) : word));
    const { code, stderr } = await client(words, { ...options, out: join(cwd, options.out ?? "out") });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n +at /);
    expect(code).toBe(2);
    expect(listAll(cwd)).toEqual(before);
  });

  test.each([
    [
      "an unknown key",
      'Bearer realm="API key"',
      /Set a variable to the value of the required header, and pass --header-env Name=VARIABLE/,
    ],
    [
      "no access token",
      'Bearer resource_metadata="https://a.example/meta"',
      /OAuth.*--header-env Authorization=VARIABLE/,
    ],
  ])("`client` names the authorization that a server requires: %s", async (_what, wanted, advice) => {
    const bodies = ["Who are you?", "no key", ""];
    const server = await serveRaw((_request, response) => {
      response.writeHead(401, { "www-authenticate": wanted }).end(bodies[0]);
    });
    onTestFinished(() => void server.close());
    const { code, stderr } = await client([server.url], { header: ["X-Key: secret"] });
    expect(code).toBe(2);
    expect(stderr).toContain(`rejected this client (HTTP 401): Who are you? It requires ${wanted}. `);
    for (const said of [": no key.", "."]) {
      bodies.shift();
      const { stderr: other } = await client([server.url]);
      expect(other).toContain(`rejected this client (HTTP 401)${said} It requires ${wanted}. `);
    }
    expect(stderr).toMatch(advice);
    expect(stderr).not.toContain("secret");
  });

  test("`client` does not propose credentials when a server rejects the host name", async () => {
    const server = await serveRaw((_request, response) => response.writeHead(403).end("Host not allowed"));
    onTestFinished(() => void server.close());
    const { stderr } = await client([server.url]);
    expect(stderr).toContain("rejected this client (HTTP 403): Host not allowed. Check which host names and clients");
    expect(stderr).not.toContain("--header-env");
  });

  test("`client` leaves out unusable tools and resource templates with the reason", async () => {
    const tools = [
      { name: "fine" },
      { name: "list", inputSchema: [] },
      { name: "fine" },
      { name: "text", inputSchema: { type: "string" } },
    ];
    const cwd = folderWith({ "tools.json": { tools, resourceTemplates: [{ uriTemplate: "a://{", name: "bad" }] } });
    const { code, stderr, stdout } = await client([join(cwd, "tools.json")], { name: "x", out: join(cwd, "x") });
    expect(code).toBe(0);
    expect(stdout).toContain("2 tools");
    expect(stderr.split("\n")).toEqual([
      "corrected  text  inputSchema: arguments are always an object",
      "left out   fine: its name is already used",
      "left out   list: it is not a JSON Schema object",
      expect.stringMatching(/^left out {3}bad: URI template .* not closed/),
      "",
    ]);
  });

  test.each([
    ["tools", { tools: [{ name: "ping" }] }],
    ["prompts", { prompts: [{ name: "greet" }] }],
    ["resources", { resourceTemplates: [{ uriTemplate: "a://{b}", name: "item" }] }],
  ])(
    "a client has no empty types when its server offers %s only",
    async (_what, offered) => {
      const cwd = folderWith({ "list.json": { tools: [], ...offered } });
      const { code, stderr } = await client([join(cwd, "list.json")], { name: "desk", out: join(cwd, "desk") });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const texts = ["index.ts", "mock.ts"].map((name) => readFileSync(join(cwd, "desk", name), "utf8"));
      expect(texts.join("\n")).not.toMatch(/(interface \w+ |\?: )\{\s*\}/);
      expect(await compileEmitted(cwd, sourcesOf(join(cwd, "desk")))).toEqual([]);
    },
    slow,
  );
});

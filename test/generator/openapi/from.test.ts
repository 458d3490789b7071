import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Node, Project, SyntaxKind } from "ts-morph";
import { describe, expect, it } from "vitest";
import { runCreate } from "../../../cli/commands/create.ts";
import type { Tree } from "../../../generator/internal/tree.ts";
import { readSource } from "../../../generator/openapi/source.ts";
import { captured, type CommandResult } from "../../kit/commands.ts";
import { createCatalogue } from "../typed-client/catalogue.ts";
import { listAll, temporaryFolder } from "../../kit/temporary-folders.ts";
import { pets } from "./pets.ts";
import { allRevisions, emitFiles, expectFormatted } from "../../kit/projects.ts";

async function emit(
  file: string,
  text: string,
  revisions: readonly string[] = allRevisions,
  features = "tools",
): Promise<Tree> {
  const folder = mkdtempSync(join(tmpdir(), "from-"));
  const path = join(folder, file);
  writeFileSync(path, text);
  const source = await readSource(path).finally(() => rmSync(folder, { recursive: true }));
  const selection = { schema: "json", features, extras: "mcpb,registry,vscode,claude-code,cursor,docker" };
  return emitFiles({ revisions, selection, source });
}

const textOf = (tree: Tree, path: string): string => tree.get(path) ?? expect.unreachable(`${path} was not emitted`);

/** Statements that are neither imports, types, data nor constants made by one of our functions, and code within texts. */
function strangeCode(text: string): string[] {
  const file = new Project({ useInMemoryFileSystem: true }).createSourceFile("a.ts", text);
  const odd = file.getStatements().filter((statement) => {
    if (!Node.isVariableStatement(statement)) return !/^(Import|Interface|TypeAlias)/.test(statement.getKindName());
    const value = statement.getDeclarations()[0]?.getInitializer();
    if (Node.isObjectLiteralExpression(value)) return false;
    return !Node.isCallExpression(value) || !/^define[A-Z]/.test(value.getExpression().getText());
  });
  const templates = file.getDescendantsOfKind(SyntaxKind.TemplateExpression);
  const calls = file.getDescendantsOfKind(SyntaxKind.CallExpression).map((call) => call.getExpression().getText());
  const known =
    /^(define(Tool|Prompt|Resource|ResourceTemplate)|fromJsonSchema|callApi|toOutput|readApi|toList|toDeep|toJson|todo)$/;
  return [...[...odd, ...templates].map((node) => node.getText()), ...calls.filter((name) => !known.test(name))];
}

describe("a project from an OpenAPI document", async () => {
  const tree = await emit("openapi.yaml", pets);

  it("a project has configurations of hosts that pass the token of the API without containing it", () => {
    const names = ["API_TOKEN"];
    const envs = (spell: (name: string) => string): object =>
      Object.fromEntries(names.map((name) => [name, spell(name)]));
    const read = (path: string): unknown => JSON.parse(textOf(tree, path));
    const vscode = read(".vscode/mcp.json");
    expect(vscode).toHaveProperty(
      "servers.demo.env",
      envs((name) => `\${input:${name}}`),
    );
    expect(vscode).toHaveProperty(
      "inputs",
      names.map((id) => expect.objectContaining({ type: "promptString", id })),
    );
    expect(read(".mcp.json")).toHaveProperty(
      "mcpServers.demo.env",
      envs((name) => `\${${name}}`),
    );
    expect(read(".cursor/mcp.json")).toHaveProperty(
      "mcpServers.demo.env",
      envs((name) => `\${env:${name}}`),
    );
    expect(textOf(tree, "README.md")).toContain(`docker run -i ${names.map((name) => `-e ${name} `).join("")}demo`);
  });

  it("a project has a file for every supported operation, and a list of them", () => {
    const files = [...tree.keys()].filter((path) => path.startsWith("src/tools/"));
    expect(files.map((path) => path.slice("src/tools/".length)).sort()).toEqual([
      "add-photos.ts",
      "create-pet.ts",
      "delete-pet.ts",
      "get-pets-pet-id.ts",
      "list-pets.ts",
      "post-upload.ts",
      "rename-pet.ts",
    ]);
    for (const path of files) expect(textOf(tree, "src/tools.ts")).toContain(path.slice("src/".length));
  });

  it("media types are the same in upper case", async () => {
    const shouted = pets.replace(/\b(application|multipart)\/[\w-]+(?=:)/g, (type) => type.toUpperCase());
    expect(shouted).toContain("APPLICATION/JSON");
    const sources = (files: Tree): object => Object.fromEntries([...files].filter(([path]) => path.startsWith("src/")));
    expect(sources(await emit("openapi.yaml", shouted))).toEqual(sources(tree));
  });

  it("the input of a tool has the members of the request without read-only ones", () => {
    const text = textOf(tree, "src/tools/create-pet.ts");
    const [input = "", output = ""] = text.split("export interface CreatePetResult ");
    expect(input).not.toContain("id: number");
    expect(output).toContain("id: number");
    expect(text).toContain('required: ["body"]');
    expect(text).toContain('body: { type: "application/json", value: args.body }');
  });

  it("a tool sends every parameter at the place that the API declares", () => {
    const text = textOf(tree, "src/tools/list-pets.ts");
    expect(text).toContain('query: { limit: args.limit, tags: toList(args.tags, ",") }');
    expect(text).toContain('headers: { "X-Request-ID": args["X-Request-ID"] }');
    expect(textOf(tree, "src/tools/get-pets-pet-id.ts")).toContain("parameters: { petId: args.petId }");
    expect(textOf(tree, "src/tools/rename-pet.ts")).toContain('"application/x-www-form-urlencoded"');
    const photos = textOf(tree, "src/tools/add-photos.ts");
    expect(photos).toContain("cookies: { session: args.session, seen: args.seen }");
    expect(photos).toContain('files: { portrait: "image/png", others: "application/octet-stream" }');
    expect(photos).toContain('contentEncoding: "base64"');
    expect(photos).not.toContain("maxLength");
  });

  it("`src/api.ts` has the place of the token, and `src/settings.ts` the address of the API", () => {
    const text = textOf(tree, "src/api.ts");
    const settings = textOf(tree, "src/settings.ts");
    expect(settings).toContain('defaultAddress = "https://eu.pets.example/v1"');
    expect(settings).toMatch(/API_TOKEN: \{[^}]*writeOnly: true/);
    expect(textOf(tree, "src/server.ts")).toMatch(/defineServer\(\{[^}]* settings,/);
    expect(text).toContain('API_TOKEN: { place: "header", name: "X-Api-Key", prefix: "" }');
    expect(textOf(tree, "src/tools/list-pets.ts")).toContain('access: ["API_TOKEN"]');
  });

  it("configurations for hosts contain the variable of the token", () => {
    const readme = textOf(tree, "README.md");
    const env = { API_TOKEN: "..." };
    const configs = [...readme.matchAll(/```json\n([\s\S]*?)\n```/g)].map(([, json = ""]): unknown => JSON.parse(json));
    expect(configs).toMatchObject([
      { mcpServers: { demo: { env } } },
      { servers: { demo: { env } } },
      { mcpServers: { demo: { env } } },
    ]);
    expect(readme).toContain("claude mcp add demo --env API_TOKEN=... -- node ");
    expect(JSON.parse(textOf(tree, "manifest.json"))).toMatchObject({
      server: { mcp_config: { env: { API_TOKEN: "${user_config.API_TOKEN}" } } },
      user_config: { API_TOKEN: { type: "string", sensitive: true, required: true } },
    });
    expect(JSON.parse(textOf(tree, "server.json"))).toMatchObject({
      packages: [{ environmentVariables: [{ name: "API_TOKEN", isRequired: true, isSecret: true }] }],
    });
  });

  it("configurations contain a variable for each token, and mark tokens that are optional", async () => {
    const locked = pets
      .replace(
        "components:\n  securitySchemes:",
        "components:\n  securitySchemes:\n    sign-in: { type: oauth2, flows: {} }",
      )
      .replace("operationId: listPets", "operationId: listPets\n      security: [{}, { sign-in: [] }]")
      .replace("operationId: deletePet", "operationId: deletePet\n      security: [{ key: [] }]");
    const tree = await emit("openapi.yaml", locked);
    const env = { API_TOKEN_KEY: "..." };
    const configs = [...textOf(tree, "README.md").matchAll(/```json\n([\s\S]*?)\n```/g)].map(([, json = ""]): unknown =>
      JSON.parse(json),
    );
    expect(Object(configs[0]).mcpServers.demo.env).toEqual(env);
    expect(textOf(tree, "README.md")).toMatch(/`API_TOKEN_KEY`: Token \(security scheme key\)\.\n/);
    expect(textOf(tree, "README.md")).toMatch(/`API_TOKEN_SIGN_IN`: Token \(security scheme sign-in\)\. .*without it/);
    expect(JSON.parse(textOf(tree, "manifest.json"))).toMatchObject({
      server: {
        mcp_config: { env: { API_TOKEN_KEY: "${user_config.API_TOKEN_KEY}", API_TOKEN_SIGN_IN: expect.any(String) } },
      },
      user_config: { API_TOKEN_KEY: { required: true }, API_TOKEN_SIGN_IN: { required: false, sensitive: true } },
    });
    const [package_] = JSON.parse(textOf(tree, "server.json")).packages;
    expect(package_.environmentVariables).toMatchObject([
      { name: "API_TOKEN_SIGN_IN", isRequired: false, isSecret: true },
      { name: "API_TOKEN_KEY", isRequired: true, isSecret: true },
    ]);
  });

  it("files of a project are formatted, and its test names the request of a tool", async () => {
    await expectFormatted(
      [...tree].filter(([path]) => /^(src\/(?!mcp\/)|test\/|README|manifest|server\.json)/.test(path)),
    );
    expect(textOf(tree, "test/server.test.ts")).toContain('request: "DELETE /pets/sample"');
  });

  it("text of the document does not become code", () => {
    for (const [path, text] of tree) if (path.startsWith("src/tools/")) expect(strangeCode(text), path).toEqual([]);
    expect(textOf(tree, "src/tools/create-pet.ts")).toContain("${process.exit(1)} {{x}} */");
  });

  it("a tool has no member that its revision does not define", async () => {
    const text = textOf(await emit("openapi.yaml", pets, allRevisions.slice(-1)), "src/tools/delete-pet.ts");
    expect(text).not.toMatch(/annotations|outputSchema:|title:/);
  });

  it("a document emits the same bytes each time", async () => {
    // The document has another path each time.
    const textsOf = (files: Tree): readonly (readonly [string, string])[] =>
      [...files].map(([path, text]) => [path, text.replace(/\/from-\w+\//, "/")]);
    expect(textsOf(await emit("openapi.yaml", pets))).toEqual(textsOf(tree));
  });
});

describe("a project from a list of tools", () => {
  it("a project has a typed stub and a failing test for each tool of a large catalogue", async () => {
    // The catalogue has names that no tool may have, too.
    const tools = createCatalogue().tools.filter((one) => /^(?!__proto__)[\w.-]+$/.test(Object(one).name));
    const tree = await emit("tools.json", JSON.stringify({ tools }));
    const files = [...tree].filter(([path]) => path.startsWith("src/tools/"));
    expect(files).toHaveLength(tools.length);
    for (const [path, text] of files) {
      expect(strangeCode(text), path).toEqual([]);
      expect(text, path).toMatch(/execute: \(\) => todo\("/);
    }
    const tests = textOf(tree, "test/server.test.ts");
    expect(tests.match(/^ {2}\{? ?name: |\{ name: "/gm)?.length).toBeGreaterThan(tools.length / 2);
    const manifest: unknown = JSON.parse(textOf(tree, "manifest.json"));
    expect(Object(manifest).tools).toHaveLength(tools.length);
  }, 60_000);

  it("names of files are valid on Windows, and no two of them differ in case only", async () => {
    const names = ["aux", "Con", "NUL.txt", "Get", "get", "GET", "com1", "a.b"];
    const tree = await emit("tools.json", JSON.stringify({ tools: names.map((name) => ({ name, inputSchema: {} })) }));
    const files = [...tree.keys()].filter((path) => path.startsWith("src/tools/"));
    expect(files.map((path) => path.slice("src/tools/".length)).sort()).toEqual(
      ["a-b", "aux-tool", "com1-tool", "con-tool", "get", "get2", "get3", "nul-txt"].map((name) => `${name}.ts`),
    );
  });

  it("a project is written from the lock file of a client as well", async () => {
    const contract = { server: { name: "a", version: "1" }, revision: "", tools: [{ name: "a-b" }] };
    const tree = await emit("mcp.client.lock.json", JSON.stringify({ format: 1, contract, files: {} }));
    expect(textOf(tree, "src/tools/a-b.ts")).toContain('name: "a-b"');
  });
});

const evil = "`${process.exit(1)}` */ {{x}} \\u0022";
const contract = {
  tools: [{ name: "a" }],
  prompts: [
    {
      name: "class",
      description: evil,
      arguments: [{ name: "text", description: evil, required: true }, { name: "a b" }],
    },
    { name: evil },
  ],
  resources: [
    { uri: "test://a", name: "guide", mimeType: "text/plain", description: evil },
    { uri: "test://b", name: "guide" },
  ],
  resourceTemplates: [{ uriTemplate: "test://items/{id}{?page}", name: "guide", description: evil }],
};

describe("a project from a contract", async () => {
  const tree = await emit(
    "mcp.client.lock.json",
    JSON.stringify({ contract }),
    allRevisions,
    "tools,resources,prompts",
  );

  it("a project has a typed stub for every prompt, resource and template, and lists of them", () => {
    const files = [...tree.keys()].filter((path) => /^src\/(prompts|resources)\b/.test(path)).sort();
    expect(files).toEqual([
      "src/prompts.ts",
      "src/prompts/class-prompt.ts",
      expect.stringMatching(/^src\/prompts\/[\w-]+-prompt\.ts$/),
      "src/resources.ts",
      "src/resources/guide-resource.ts",
      "src/resources/guide-resource2.ts",
      "src/resources/guide-template.ts",
    ]);
    const prompt = textOf(tree, "src/prompts/class-prompt.ts");
    expect(prompt).toContain('"a b": {}');
    expect(prompt).toContain("required: true");
    expect(prompt).toContain('get: () => todo("class")');
    expect(textOf(tree, "src/resources/guide-template.ts")).toContain('uriTemplate: "test://items/{id}{?page}"');
    expect(textOf(tree, "src/server.ts")).toContain("prompts: [...prompts]");
    expect(textOf(tree, "src/server.ts")).toContain("resources: [...resources]");
    expect(textOf(tree, "src/server.ts")).toContain("resourceTemplates: [...resourceTemplates]");
    expect(textOf(tree, "test/server.test.ts")).toContain('{ name: "class", arguments: { text: "sample" } }');
  });

  it("text of the contract does not become code, and files are formatted", async () => {
    await expectFormatted([...tree].filter(([path]) => /^(src\/(?!mcp\/)|test\/)/.test(path)));
    for (const [path, text] of tree)
      if (/^src\/(prompts|resources)\//.test(path)) expect(strangeCode(text), path).toEqual([]);
  });

  it("a project has the selected features only", async () => {
    const some = await emit("lock.json", JSON.stringify({ contract }));
    expect([...some.keys()].filter((path) => /^src\/(prompts|resources)\b/.test(path))).toEqual([]);
    const others = await emit("lock.json", JSON.stringify({ tools: [{ name: "a" }] }), allRevisions, "tools,prompts");
    expect(textOf(others, "src/server.ts")).toContain("prompts: [shorten]");
  });
});

const operation = { responses: {} };
const api = (paths: object, more: object = {}): string => JSON.stringify({ openapi: "3.0.0", paths, ...more });
const get = (schema: unknown): string =>
  api({ "/a": { get: { ...operation, parameters: [{ name: "q", in: "query", schema }] } } });
const tool = (inputSchema: unknown, name = "a"): string => JSON.stringify({ tools: [{ name, inputSchema }] });
const input = (q: string): string => `{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"q":${q}}}}]}`;
const deep = (levels: number): string => `${'{"not":'.repeat(levels)}{}${"}".repeat(levels)}`;

const rejected: readonly (readonly [string, string, string, RegExp])[] = [
  ["an empty file", "a.yaml", "", /not a list of tools/],
  ["a plain string", "a.yaml", "hello", /not a list of tools/],
  [
    "a program",
    "server.mjs",
    "import { a } from 'b';",
    /is a program; pass an OpenAPI document, tools\.json or mcp\.cl/,
  ],
  [
    "a recording",
    "a.jsonl",
    '{"format":"mcp-recording","version":1}\n{}\n',
    /is a recording; generate a client .* --from/,
  ],
  ["a page in HTML", "docs.html", "<!DOCTYPE html>\n<html></html>", /is a page in HTML; pass the OpenAPI document/],
  ["invalid JSON", "a.json", '{"openapi":', /is not JSON/],
  ["invalid YAML", "a.yaml", "paths: [\nopenapi: 3.0.0", /is not YAML: .*line 2/s],
  ["a YAML bomb", "a.yaml", bomb(), /is not YAML: .*alias/],
  ["YAML that is nested 100,000 levels deep", "a.yaml", `openapi: ${"[".repeat(100_000)}`, /is not YAML|nested deeper/],
  ["YAML with a repeated key", "a.yaml", "openapi: 3.0.0\nopenapi: 3.1.0", /is not YAML: .*unique/],
  ["YAML with code in a tag", "a.yaml", "openapi: !!js/function 'function(){process.exit(0)}'", /"openapi" should be/],
  ["a document with webhooks only", "a.json", '{"openapi":"3.1.0","webhooks":{"a":{}}}', /webhooks only/],
  [
    "Swagger 2",
    "a.json",
    '{"swagger":"2.0","paths":{}}',
    /a\.json is Swagger 2\.0.*npx swagger2openapi --patch a\.json -o openapi\.json.*use openapi\.json/s,
  ],
  ["an unsupported version of OpenAPI", "a.json", '{"openapi":"4.0.0","paths":{}}', /should be 3.0 or 3.1/],
  ["a document without paths", "a.json", '{"openapi":"3.1.0"}', /"paths" is not an object/],
  ["a document without operations", "a.json", api({}), /has no operation/],
  ["a path that is not an object", "a.json", api({ "/a": 1 }), /is not an object/],
  ["an operation that is not an object", "a.json", api({ "/a": { get: [] } }), /get of "\/a" is not an object/],
  [
    "a document whose only operation has an unsupported body",
    "a.json",
    api(upload("image/*")),
    /has no operation that can be called: POST \/a/,
  ],
  ["a form without a schema", "a.json", api(upload("multipart/form-data")), /no object schema for its parts/],
  [
    "a form with a part named `__proto__`",
    "a.json",
    form('{"__proto__":{"type":"string","format":"binary"}}'),
    /"__proto__"/,
  ],
  [
    "a form with a $ref to a file",
    "a.json",
    form('{"a":{"$ref":"file:///etc/passwd"}}'),
    /points outside the document/,
  ],
  ["a name of a cookie with a semicolon", "a.json", api(parameter("cookie", "a; b")), /a cookie has no valid name/],
  ["a parameter without a name", "a.json", api({ "/a": { get: { parameters: [{ in: "query" }] } } }), /no "name"/],
  ["a name of a header with a line break", "a.json", api(parameter("header", "a\r\nb: c")), /no valid name/],
  [
    "a server with another scheme",
    "a.json",
    api({ "/a": { get: operation } }, server("file:///etc/")),
    /not an http or https address/,
  ],
  [
    "a server with a user name and a password",
    "a.json",
    api({ "/a": { get: operation } }, server("https://ann:secret@api.example/")),
    /contains a user name or a password; remove them/,
  ],
  ["a $ref to a file", "a.json", get({ $ref: "file:///etc/passwd" }), /points outside the document/],
  ["a $ref to a relative path", "a.json", get({ $ref: "../a.json#/x" }), /points outside the document/],
  ["a $ref to an address", "a.json", get({ $ref: "http://127.0.0.1:9/x" }), /points outside the document/],
  [
    "an operation that is a $ref to a file",
    "a.json",
    api({ "/a": { get: { $ref: "resources/a.yml" } } }),
    /GET \/a: .*points outside the document.*npx @redocly\/cli bundle/,
  ],
  [
    "a path that is a $ref to an address",
    "a.json",
    api({ "/a": { $ref: "http://127.0.0.1:9/x" } }),
    /points outside the document/,
  ],
  ["a $ref without a target", "a.json", get({ $ref: "#/components/schemas/None" }), /does not resolve/],
  ["a $ref into a prototype", "a.json", get({ $ref: "#/constructor/prototype" }), /does not resolve/],
  ["a parameter that refers to itself", "a.json", api(circle()), /refers to itself|leads nowhere/],
  ["tsType in an API", "a.json", get({ tsType: "any; process.exit(0)" }), /tsType would insert text into the code/],
  ["5,001 operations", "a.json", api(many(5_001)), /has 5001 operations, more than 5000/],
  ["more than two million values", "a.json", `{"openapi":"3.0.0","x":[${"1,".repeat(2_000_000)}1]}`, /2000000 values/],
  ["more than 20 MB", "a.json", `{"openapi":"3.0.0","x":"${"x".repeat(20_000_000)}"}`, /has more than 20 MB/],
  ["a document that is nested 600 levels deep", "a.json", `{"openapi":"3.0.0","x":${deep(600)}}`, /deeper than 512/],
  ["a schema that is nested 300 levels deep", "a.json", get(JSON.parse(deep(300))), /nested deeper/],
  ["a schema that is nested 3,000 levels deep", "a.json", input(deep(3_000)), /nested deeper/],
  [
    "tsType in a tool",
    "a.json",
    input('{"tsType":"string; process.exit(0)"}'),
    /tsType would insert text into the code/,
  ],
  ["tsEnumNames in a tool", "a.json", input('{"enum":["a"],"tsEnumNames":["a}; x"]}'), /tsEnumNames would insert text/],
  ["a $ref to a file in a tool", "a.json", input('{"$ref":"/etc/passwd"}'), /points outside the schema/],
  ["a $ref to an address in a tool", "a.json", input('{"$ref":"https://example.org/a"}'), /points outside the schema/],
  ["a $ref that is not a string", "a.json", input('{"$ref":1}'), /is not a string/],
  ["a $ref without a target in a tool", "a.json", input('{"$ref":"#/$defs/None"}'), /does not resolve/],
  ["a property named `__proto__`", "a.json", input('{"properties":{"__proto__":{"type":"string"}}}'), /"__proto__"/],
  ["a name of a tool with code", "a.json", tool({}, "${process.exit(0)}"), /a name consists of/],
  ["a name of a tool with a template expression", "a.json", tool({}, "{{#each this}}"), /a name consists of/],
  ["a name of a tool with a slash", "a.json", tool({}, "a/b"), /a name consists of/],
  ["a name of a tool with a line break", "a.json", tool({}, "a\nb"), /a name consists of/],
  ["a schema that is a list", "a.json", tool([]), /inputSchema is not a JSON Schema/],
  ["an empty list of tools", "a.json", '{"tools":[]}', /lists no tools/],
  ["a tool without a name", "a.json", '{"tools":[{}]}', /has no usable name/],
  [
    "a name of a prompt that changes the direction of text",
    "a.json",
    besides({ prompts: [{ name: "a\u202eb" }] }),
    /invisible characters/,
  ],
  ["a name of a prompt with a line break", "a.json", besides({ prompts: [{ name: "a\nb" }] }), /invisible characters/],
  ["two prompts with the same name", "a.json", besides({ prompts: [{ name: "a" }, { name: "a" }] }), /already used/],
  ["a resource whose address is not a URI", "a.json", besides({ resources: [{ uri: "a b" }] }), /is not a URI/],
  ["a repeated resource", "a.json", besides({ resources: [{ uri: "a:b" }, { uri: "a:b" }] }), /is listed twice/],
  ["an invalid URI template", "a.json", besides({ resourceTemplates: [{ uriTemplate: "a:{" }] }), /URI template/],
];

function besides(more: object): string {
  return JSON.stringify({ tools: [{ name: "a" }], ...more });
}

function bomb(): string {
  const lines = Array.from({ length: 12 }, (_, at) => `b${at}: &b${at} [${`*b${at - 1},`.repeat(9)}]`);
  return ["openapi: 3.0.0", ...lines].join("\n").replace(/\[(\*b-1,)+\]/, "[x]");
}

function upload(type: string): object {
  return { "/a": { post: { requestBody: { content: { [type]: { schema: {} } } }, ...operation } } };
}

function form(properties: string): string {
  const schema = `{"type":"object","properties":${properties}}`;
  return `{"openapi":"3.0.0","paths":{"/a":{"post":{"requestBody":{"content":{"multipart/form-data":{"schema":${schema}}}}}}}}`;
}

function parameter(place: string, name: string): object {
  return { "/a": { get: { ...operation, parameters: [{ name, in: place }] } } };
}

function server(url: string): object {
  return { servers: [{ url }] };
}

function circle(): object {
  return { "/a": { get: { parameters: [{ $ref: "#/paths/~1a/get/parameters/0" }] } } };
}

/** A path with as many operations. */
function many(count: number): object {
  const paths = Array.from({ length: count }, (_, at) => [`/${at}`, { get: operation }] as const);
  return Object.fromEntries(paths);
}

describe("create --from", () => {
  function create(cwd: string, from: string, more: object = {}): Promise<CommandResult> {
    const options = { directory: join(cwd, "demo"), yes: true, install: false, git: false, dryRun: false };
    return captured(() => runCreate({ ...options, from: join(cwd, from), ...more }));
  }

  it("a tool sends no credentials to a server at another origin, and `create` reports the address", async () => {
    const cwd = temporaryFolder();
    const document = {
      ...server("https://api.example/v1"),
      components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } },
      security: [{ key: [] }],
    };
    const paths = {
      "/own": { get: { ...operation, operationId: "own" } },
      "/part": { get: { ...operation, operationId: "part", ...server("https://api.example/v2") } },
      "/elsewhere": { get: { ...operation, operationId: "elsewhere", ...server("https://evil.example/v1") } },
    };
    writeFileSync(join(cwd, "api.json"), api(paths, document));
    const { code, stderr } = await create(cwd, "api.json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("https://evil.example/v1") });
    expect(stderr).toContain("other host elsewhere: ");
    expect(stderr).not.toContain("other host part");
    const text = (name: string): string => readFileSync(join(cwd, "demo", "src", "tools", `${name}.ts`), "utf8");
    expect(text("own")).toContain('access: ["API_TOKEN"]');
    expect(text("part")).toContain('access: ["API_TOKEN"]');
    expect(text("elsewhere")).toContain('address: "https://evil.example/v1"');
    expect(text("elsewhere")).not.toContain("access:");
  });

  it.each([
    ["in its paths", { "/a": { ...server("https://api.example/v1"), get: { ...operation, operationId: "read" } } }],
    [
      "in its operations",
      { "/a": { get: { ...operation, operationId: "read", ...server("https://api.example/v1") } } },
    ],
  ])("a tool sends credentials to the server that a document names %s only", async (_place, paths) => {
    const cwd = temporaryFolder();
    const components = { securitySchemes: { key: { type: "http", scheme: "bearer" } } };
    writeFileSync(join(cwd, "api.json"), api(paths, { components, security: [{ key: [] }] }));
    const { code, stderr } = await create(cwd, "api.json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining("other host") });
    const text = readFileSync(join(cwd, "demo", "src", "tools", "read.ts"), "utf8");
    expect(text).toContain('access: ["API_TOKEN"]');
    expect(text).not.toContain("address:");
  });

  it.each(rejected)("`create --from` rejects %s, and writes nothing (R59, R62)", async (_what, file, text, message) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, file), text);
    const { code, stderr } = await create(cwd, file);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n +at /);
    expect(code).toBe(2);
    expect(listAll(cwd)).toEqual([file]);
  });

  it.each([
    ["a file that does not exist", "none.yaml", {}, /none\.yaml cannot be read/],
    ["a folder", ".", {}, /cannot be read/],
    [
      "an address",
      "none",
      { from: "https://api.example.org/v3/openapi.yaml?a=b" },
      /Addresses are not fetched.*curl -o openapi\.yaml 'https:\/\/api\.example\.org\/v3\/openapi\.yaml\?a=b'.*use openapi\.yaml/,
    ],
    ["another schema library", "a.json", { schema: "zod" }, /remove --schema/],
  ])("`create --from` rejects %s", async (_what, from, more, message) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "a.json"), tool({ type: "object" }));
    expect(await create(cwd, from, more)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
    expect(existsSync(join(cwd, "demo"))).toBe(false);
  });

  it("`create --from` writes all features of a contract unless `--features` selects fewer", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "lock.json"), JSON.stringify({ contract }));
    expect((await create(cwd, "lock.json")).code).toBe(0);
    expect(existsSync(join(cwd, "demo", "src", "prompts.ts"))).toBe(true);
    rmSync(join(cwd, "demo"), { recursive: true });
    expect((await create(cwd, "lock.json", { features: "tools" })).code).toBe(0);
    expect(existsSync(join(cwd, "demo", "src", "prompts.ts"))).toBe(false);
  });

  it("`create --from` leaves out all unusable tools of a list with reasons, and writes the others", async () => {
    const cwd = temporaryFolder();
    const bad = { type: "object", properties: { q: { tsType: "any" } } };
    const tools = [
      { name: "a/b" },
      { name: "good" },
      { name: "c d" },
      { name: "good" },
      { name: "e", inputSchema: bad },
    ];
    writeFileSync(join(cwd, "tools.json"), JSON.stringify({ tools }));
    const { code, stderr } = await create(cwd, "tools.json");
    expect(stderr.split("\n").filter((line) => line.startsWith("left out"))).toEqual([
      expect.stringMatching(/^left out {3}tool "a\/b": a name consists of/),
      expect.stringMatching(/^left out {3}tool "c d": a name consists of/),
      'left out   tool "good": its name is already used',
      expect.stringMatching(/^left out {3}tool "e": .*tsType would insert text into the code/),
    ]);
    expect(code).toBe(0);
    expect(textOf(new Map(listAll(join(cwd, "demo")).map((path) => [path, path])), "src/tools/good.ts")).toBeDefined();
    expect(readFileSync(join(cwd, "demo", "src", "tools.ts"), "utf8")).toMatch(/tools = \[goodTool\]/);
  });

  it("`create --from` gives the reason for every tool when none is usable", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "tools.json"), JSON.stringify({ tools: [{ name: "a/b" }, { name: "c d" }] }));
    const { code, stderr } = await create(cwd, "tools.json");
    expect(stderr).toMatch(/lists no usable tool[^]*"a\/b"[^]*"c d"/);
    expect(code).toBe(2);
  });

  it.each([
    ["tag", "Write", ["create-pet", "delete-pet"]],
    ["names of operations", "listPets,createPet", ["create-pet", "list-pets"]],
    ["names with a star", "*Pet", ["create-pet", "delete-pet"]],
    ["paths with a star", "/pets/{petId}*", ["add-photos", "delete-pet", "get-pets-pet-id", "rename-pet"]],
    ["methods with a path", "GET /pets", ["list-pets"]],
  ])("`--only` selects operations by %s", async (_what, only, files) => {
    const cwd = temporaryFolder();
    const tagged = pets.replaceAll(/(operationId: (?:createPet|deletePet))/g, "$1\n      tags: [write]");
    writeFileSync(join(cwd, "api.yaml"), tagged);
    expect(await create(cwd, "api.yaml", { only })).toMatchObject({ code: 0 });
    const written = listAll(join(cwd, "demo")).filter((path) => path.startsWith("src/tools/"));
    expect(written.map((path) => path.slice("src/tools/".length, -".ts".length)).sort()).toEqual(files);
  });

  it("`--only` selects tools of a list", async () => {
    const cwd = temporaryFolder();
    const tools = ["get_a", "get_b", "put_a", "bad name"].map((name) => ({ name }));
    writeFileSync(join(cwd, "tools.json"), JSON.stringify({ tools }));
    const { code, stderr } = await create(cwd, "tools.json", { only: "get_*" });
    expect([code, stderr]).toEqual([0, ""]);
    const written = listAll(join(cwd, "demo")).filter((path) => path.startsWith("src/tools/"));
    expect(written.sort()).toEqual(["src/tools/get-a.ts", "src/tools/get-b.ts"]);
  });

  it.each([
    ["api.yaml", "listPets,nothing", /--only: api.yaml has no operation "nothing".*listPets/],
    ["tools.json", "x*", /--only: tools.json has no tool "x\*".*"a"/],
  ])("`--only` names the entries of %s when nothing matches", async (file, only, message) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, file), file === "api.yaml" ? pets : tool({}));
    expect(await create(cwd, file, { only })).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
    expect(existsSync(join(cwd, "demo"))).toBe(false);
  });

  it.each([
    ["no source", "", { from: undefined, output: "strict" }, /--output is for .*add --from openapi\.yaml/],
    ["a list of tools", "tools.json", { output: "none" }, /--output applies to APIs only.*remove --output/],
    [
      "an unknown mode",
      "api.yaml",
      { output: "lax" },
      /--output: unknown value "lax"\. Choose one of none, loose, strict/,
    ],
  ])("`create` rejects --output with %s", async (_what, from, more, message) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "api.yaml"), pets);
    writeFileSync(join(cwd, "tools.json"), tool({}));
    expect(await create(cwd, from, more)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
    expect(existsSync(join(cwd, "demo"))).toBe(false);
  });

  it.each([
    [undefined, "toOutput<GetPetsPetIdResult>(response)", "widen("],
    ["loose", "toOutput<GetPetsPetIdResult>(response)", "widen("],
    ["strict", "toOutput<GetPetsPetIdResult>(response)", "throw new ToolError(`${method} ${path} returned JSON"],
    ["none", "=> readApi({", "readApi("],
  ])("tools treat responses according to the mode of --output: %s", async (output, inTool, inApi) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "api.yaml"), pets);
    expect(await create(cwd, "api.yaml", { output })).toMatchObject({ code: 0, stderr: "" });
    const text = (path: string): string => readFileSync(join(cwd, "demo", "src", path), "utf8").replace(/\s+/g, " ");
    expect(text("tools/get-pets-pet-id.ts")).toContain(inTool);
    expect(text("api.ts").includes("callApi")).toBe(output !== "none");
    expect(text("api.ts")).toContain(inApi);
    expect(text("api.ts").includes("widen(")).toBe(output === undefined || output === "loose");
  });

  it.each(["hasOwnProperty", "constructor", "toString", "valueOf"])(
    "the name %s is accepted wherever a document can have a name",
    async (name) => {
      const cwd = temporaryFolder();
      const text = { type: "string" };
      const schema = { type: "object", properties: { [name]: text }, required: [name] };
      const content = { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } };
      const parameters = ["path", "query", "header", "cookie"].map((place) => {
        return { name, in: place, required: place === "path", schema: text };
      });
      const operation = {
        operationId: name,
        tags: [name],
        parameters,
        requestBody: { content },
        security: [{ [name]: [] }],
        responses: { 200: { description: "ok", content } },
      };
      const securitySchemes = { [name]: { type: "apiKey", in: "header", name } };
      const components = { securitySchemes, schemas: { [name]: schema } };
      writeFileSync(join(cwd, "api.json"), api({ [`/a/{${name}}`]: { post: operation } }, { components }));
      expect(await create(cwd, "api.json")).toMatchObject({ code: 0, stderr: "" });
      const [file = ""] = listAll(join(cwd, "demo", "src", "tools"));
      expect(readFileSync(join(cwd, "demo", "src", "tools", file), "utf8")).toContain(`${name}: string;`);
    },
  );

  it.each([
    ["issues/list-for-repo", "issues_list_for_repo"],
    ["list-pets", "list-pets"],
    ["listPets_all-of-them", "listPets_all_of_them"],
    ["pets.list", "pets_list"],
  ])("the operation %s becomes a tool whose name has one separator: %s", async (operationId, name) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "api.json"), api({ "/a": { get: { ...operation, operationId } } }));
    const { plan } = await readSource(join(cwd, "api.json"));
    expect(plan.tools.map(({ entry }) => entry.name)).toEqual([name]);
  });

  it.each([
    [
      "a scheme that every object has a member of",
      { components: { securitySchemes: { key: { type: "http", scheme: "constructor" } } } },
    ],
    [
      "a scheme that is no text",
      { components: { securitySchemes: { key: { type: "http", scheme: { toString: 1 } } } } },
    ],
    [
      "a variable that is no text",
      { servers: [{ url: "https://{a}", variables: { a: { default: { toString: 1 } } } }] },
    ],
    ["an operationId that is no text", {}],
  ])("%s is ignored", async (what, more) => {
    const cwd = temporaryFolder();
    const operationId = what.startsWith("an operationId") ? { toString: 1 } : "get_a";
    writeFileSync(join(cwd, "api.json"), api({ "/a": { get: { ...operation, operationId } } }, more));
    const { api: read, plan } = await readSource(join(cwd, "api.json"));
    expect(plan.tools.map(({ entry }) => entry.name)).toEqual(["get_a"]);
    expect(read).toMatchObject({ credentials: [] });
  });

  it("`create` rejects --only without a source", async () => {
    const cwd = temporaryFolder();
    expect(await create(cwd, "", { from: undefined, only: "a" })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--only .*--from/),
    });
  });

  it("tools stay small when all schemas of an API refer to each other, and the loss is reported once", async () => {
    const cwd = temporaryFolder();
    const names = Array.from({ length: 400 }, (_, at) => `Part${at}`);
    const schemas = Object.fromEntries(
      names.map((name, at) => {
        const next = [1, 2, 3].map((by) => [`to${by}`, { $ref: `#/components/schemas/Part${(at * 3 + by) % 400}` }]);
        return [name, { type: "object", properties: { id: { type: "string" }, ...Object.fromEntries(next) } }];
      }),
    );
    const response = { $ref: "#/components/schemas/Part0" };
    const responses = { 200: { description: "ok", content: { "application/json": { schema: response } } } };
    writeFileSync(
      join(cwd, "api.json"),
      api({ "/a": { get: { responses } }, "/b": { get: { responses } } }, { components: { schemas } }),
    );
    const { code, stderr } = await create(cwd, "api.json");
    expect(code).toBe(0);
    expect(stderr.trim().split("\n")).toEqual([
      expect.stringMatching(/^no auth {4}api\.json declares no credentials; .* in src\/api\.ts$/),
      expect.stringMatching(/^widened {4}2 tools: /),
    ]);
    const text = readFileSync(join(cwd, "demo", "src", "tools", "get-a.ts"), "utf8");
    expect(text.length).toBeLessThan(60_000);
    expect(text).toContain("to1?: GetAResultPart1");
  });

  it("`create --from` names the security schemes that it does not use", async () => {
    const cwd = temporaryFolder();
    const securitySchemes = { key: { type: "apiKey", in: "header", name: "X-Key" }, sso: { type: "openIdConnect" } };
    const unknown = { other: { type: "mutualTLS" } };
    const components = { securitySchemes: { ...securitySchemes, ...unknown } };
    const security = [{ key: [] }, { sso: [] }, { other: [] }];
    const get = { responses: { 204: { description: "ok" } }, security };
    writeFileSync(join(cwd, "api.json"), api({ "/a": { get } }, { components }));
    const { code, stderr } = await create(cwd, "api.json");
    expect([code, stderr.trim()]).toEqual([
      0,
      "access     uses key; api.json also accepts sso: edit src/api.ts to use it",
    ]);
  });

  it("an abort signal ends the emission between two files", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "api.json"), api(many(50)));
    const source = await readSource(join(cwd, "api.json"));
    const stop = new AbortController();
    const revisions = allRevisions.slice(0, 1);
    const selection = { schema: "json", features: "tools" };
    const emitting = emitFiles({ revisions, selection, source, signal: stop.signal });
    setTimeout(() => stop.abort(new Error("enough")));
    await expect(emitting).rejects.toThrow("enough");
  });

  it("`create --from` recommends `--only` for a large number of tools", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "api.json"), api(many(130)));
    const { code, stderr } = await create(cwd, "api.json");
    expect([code, stderr.trim()]).toEqual([0, expect.stringMatching(/^no auth .*\n130 tools are .*--only/)]);
  });

  it("`create --from` keeps patterns, reports those that the validator does not enforce, and removes invalid ones", async () => {
    const cwd = temporaryFolder();
    const word = { type: "string", pattern: "^(a+)+$" };
    const code = { type: "string", not: { pattern: "(?i)x" } };
    const ahead = { type: "string", pattern: "^(?=a)(a+)+$" };
    const tools = [{ name: "spell", inputSchema: { type: "object", properties: { word, code, ahead } } }];
    writeFileSync(join(cwd, "tools.json"), JSON.stringify({ tools }));
    const { code: exit, stderr } = await create(cwd, "tools.json");
    expect(exit).toBe(0);
    expect(stderr).toMatch(/^widened +spell +inputSchema\/properties\/ahead\/pattern: .*not enforced$/m);
    expect(stderr).not.toContain("word");
    const text = readFileSync(join(cwd, "demo", "src", "tools", "spell.ts"), "utf8");
    expect(text).toContain('pattern: "^(a+)+$"');
    expect(text).not.toMatch(/\(\?i\)|not:/);
  });

  it("schemas keep the formats of JSON Schema and OpenAPI, and no others", async () => {
    const cwd = temporaryFolder();
    const formats = ["date-time", "int64", "word64type", "constructor"];
    const properties = Object.fromEntries(formats.map((format, at) => [`a${at}`, { type: "string", format }]));
    writeFileSync(
      join(cwd, "tools.json"),
      JSON.stringify({ tools: [{ name: "t", inputSchema: { type: "object", properties } }] }),
    );
    expect((await create(cwd, "tools.json")).code).toBe(0);
    const text = readFileSync(join(cwd, "demo", "src", "tools", "t.ts"), "utf8");
    expect([...text.matchAll(/format: "(.*?)"/g)].map(([, format]) => format)).toEqual(["date-time", "int64"]);
  });

  it("merge keys of a document in YAML add the members of other maps", async () => {
    const path = join(temporaryFolder(), "openapi.yaml");
    writeFileSync(
      path,
      `openapi: 3.0.3
info: { title: Shop, version: 1.0.0 }
x-base: &base { id: { type: integer }, name: { type: integer } }
x-get: &get { responses: { "200": { description: ok } } }
paths:
  /items:
    post:
      <<: *get
      operationId: add
      requestBody:
        content:
          application/json:
            schema: { type: object, properties: { <<: *base, name: { type: string }, "<<": { type: boolean } } }
`,
    );
    const { contract } = await readSource(path);
    expect(contract.tools[0]?.inputSchema).toHaveProperty("properties.body.properties", {
      id: { type: "integer" },
      name: { type: "string" },
      "<<": { type: "boolean" },
    });
    writeFileSync(path, "openapi: 3.0.3\npaths: { <<: 5 }\n");
    await expect(readSource(path)).rejects.toThrow("is not YAML: Merge sources must be maps");
  });

  it("`create --from` accepts names of Object.prototype, and leaves out a name with half a surrogate pair", async () => {
    const cwd = temporaryFolder();
    const tool = (name: string, argument: string) => ({
      name,
      inputSchema: { type: "object", properties: { [argument]: { type: "string" } } },
    });
    const tools = [tool("own", "hasOwnProperty"), tool("half", "a\ud800"), tool("fine", "valueOf")];
    writeFileSync(join(cwd, "tools.json"), JSON.stringify({ tools }));
    const { code, stderr } = await create(cwd, "tools.json");
    expect(code).toBe(0);
    expect(stderr).toMatch(/^left out +tool "half": .*a lone surrogate/m);
    expect(readFileSync(join(cwd, "demo", "src", "tools", "own.ts"), "utf8")).toContain("hasOwnProperty?: string");
    expect(existsSync(join(cwd, "demo", "src", "tools", "half.ts"))).toBe(false);
  });

  it("`create --from` reports operations that it leaves out, and writes the others", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "api.yaml"), pets.replace("application/octet-stream", "application/xml"));
    const { code, stderr } = await create(cwd, "api.yaml");
    expect(stderr).toContain("left out   POST /upload: its body is application/xml");
    expect(code).toBe(0);
    expect(readFileSync(join(cwd, "demo", "package.json"), "utf8")).toContain('"@cfworker/json-schema"');
  });

  it("`create --from` leaves out operations with broken references, and names them", async () => {
    const cwd = temporaryFolder();
    const operation = { responses: { 200: { description: "ok" } } };
    const broken = { $ref: "#/components/schemas/None" };
    const bodied = { ...operation, requestBody: { content: { "application/json": { schema: broken } } } };
    const paths = { "/pets": { get: operation, post: bodied, put: { $ref: "put.yaml" } }, "/none": broken };
    writeFileSync(join(cwd, "api.json"), api(paths));
    const { code, stderr } = await create(cwd, "api.json");
    expect(stderr).toContain('left out   POST /pets: $ref does not resolve ("#/components/schemas/None")');
    expect(stderr).toContain('left out   PUT /pets: $ref points outside the document ("put.yaml")');
    expect(stderr).toContain('left out   /none: $ref does not resolve ("#/components/schemas/None")');
    expect(code).toBe(0);
    expect(readFileSync(join(cwd, "demo", "src", "tools.ts"), "utf8")).toMatch(/getPetsTool\] as const/);
  });

  it("`create --from` leaves out bodies of GET and HEAD requests, and operations that require one", async () => {
    const cwd = temporaryFolder();
    const requestBody = { content: { "application/json": { schema: { type: "object" } } } };
    const responses = { 200: { description: "ok" } };
    const required = { responses, requestBody: { ...requestBody, required: true } };
    const paths = { "/pets": { get: { responses, requestBody }, head: required, delete: required } };
    writeFileSync(join(cwd, "api.json"), api(paths));
    const { code, stderr } = await create(cwd, "api.json");
    expect(stderr).toContain("left out   body of GET /pets: fetch cannot send a body with GET");
    expect(stderr).toContain("left out   HEAD /pets: fetch sends no body with HEAD requests");
    expect(code).toBe(0);
  });

  it("`create --from` leaves out operations with the method TRACE, which `fetch` does not send", async () => {
    const cwd = temporaryFolder();
    const operation = { responses: { 200: { description: "ok" } } };
    writeFileSync(join(cwd, "api.json"), api({ "/pets": { get: operation, trace: operation } }));
    const { code, stderr } = await create(cwd, "api.json");
    expect(stderr).toContain("left out   TRACE /pets: fetch does not send TRACE requests");
    expect(code).toBe(0);
  });

  it.each(["label", "matrix"])(
    "`create --from` leaves out operations with a path parameter in the style %s",
    async (style) => {
      const cwd = temporaryFolder();
      const parameters = [{ name: "ids", in: "path", required: true, style, schema: { type: "array" } }];
      const responses = { 200: { description: "ok" } };
      const paths = { "/pets/{ids}": { get: { parameters, responses } }, "/pets": { get: { responses } } };
      writeFileSync(join(cwd, "api.json"), api(paths));
      const { code, stderr } = await create(cwd, "api.json");
      expect(stderr).toContain(`left out   GET /pets/{ids}: its parameter ids uses the style ${style}`);
      expect(code).toBe(0);
    },
  );
});

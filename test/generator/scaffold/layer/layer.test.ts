import { describe, expect, it } from "vitest";
import { features, type LayerChoices } from "../../../../generator/scaffold/layer/choices.ts";
import { emitLayer } from "../../../../generator/scaffold/layer/emit-layer.ts";
import { lockName } from "../../../../generator/scaffold/layer/lock.ts";
import type { Tree } from "../../../../generator/internal/tree.ts";
import { allRevisions, emitFolder, models, smallest } from "../../../kit/projects.ts";

const [newest = "", newestWithSessions = ""] = allRevisions;
const older = allRevisions.slice(1);

async function entryOf(choices: Partial<LayerChoices> = {}): Promise<string> {
  return (await emitFolder({ revisions: [newestWithSessions], ...choices })).get("index.ts") ?? expect.unreachable();
}

function textOf(tree: Tree, path: string): string {
  return tree.get(path) ?? expect.unreachable(`${path} was not emitted`);
}

describe("files of src/mcp", () => {
  it.each([
    [
      "resources/read",
      ["tools", "resources", "prompts"],
      "no resources (resources/read); choose other features, as in --features tools,prompts.",
    ],
    ["resources/read", ["tools", "resources", "skills", "apps"], "as in --features tools."],
    [
      "prompts/get",
      ["tools", "resources", "prompts"],
      "no prompts (prompts/get); choose other features, as in --features tools,resources.",
    ],
  ] as const)("the layer is rejected for a revision without %s and the features %j", async (method, chosen, says) => {
    const missing = models.models.map((model) => ({
      ...model,
      methods: model.methods.filter(({ name }) => name !== method),
    }));
    const choices = { ...smallest, revisions: [newest], features: chosen };
    const emitting = emitLayer(choices, { ...models, models: missing });
    await expect(emitting).rejects.toMatchObject({ name: "UserError", message: expect.stringContaining(says) });
  });

  it("the layer consists of an entry, a lock and the data of each revision", async () => {
    expect([...(await emitFolder()).keys()].sort()).toEqual(
      [
        "index.ts",
        lockName,
        `${newest}/declarations.ts`,
        `${newest}/methods.ts`,
        `${newest}/types.ts`,
        `${newest}/validate.ts`,
        ...older.flatMap((id) => ["convert.ts", "methods.ts", "validate.ts"].map((file) => `${id}/${file}`)),
      ].sort(),
    );
  });

  it("the layer has the same file names for all choices, and at most eight for each revision", async () => {
    const names = [...(await emitFolder()).keys()];
    const most = await emitFolder({
      features,
      transports: ["stdio", "http", "websocket", "tcp"],
      client: true,
      validator: true,
      auth: "oauth",
    });
    expect([...most.keys()]).toEqual(names);
    for (const id of allRevisions)
      expect(names.filter((name) => name.startsWith(`${id}/`)).length).toBeLessThanOrEqual(8);
  });

  it("the files import only each other and the runtime", async () => {
    for (const [path, text] of await emitFolder({ features, client: true, auth: "oauth", transports: ["http"] })) {
      const from = [...text.matchAll(/\bfrom "([^"]+)";$/gm)].map(([, specifier = ""]) => specifier);
      expect(
        from.filter((specifier) => !/^(\.\.?\/|mcp-server-runtime(\/|$))/.test(specifier)),
        path,
      ).toEqual([]);
    }
  });

  it("the files contain only data, checks, conversions and the definition functions", async () => {
    const limited = features.filter((feature) => feature !== "methods");
    for (const [path, text] of await emitFolder({ features: limited }))
      if (path !== "index.ts") expect(text, path).not.toMatch(/\bclass\b|\basync\b|\bawait\b|\bimport\(/);
  });

  it("the files are identical each time they are emitted", async () => {
    const choices = { ...smallest, features };
    expect([...(await emitLayer(choices, models))]).toEqual([...(await emitLayer(choices, models))]);
  });

  it("the files do not depend on the order in which a spec folder lists its revisions", async () => {
    const choices = { ...smallest, features: ["tools", "prompts"] } as const;
    const reversed = { ...models, models: models.models.toReversed() };
    expect((await emitLayer(choices, models)).get("index.ts")).toBe(
      (await emitLayer(choices, reversed)).get("index.ts"),
    );
  });

  it("the layer cannot be emitted for a revision without a model", async () => {
    await expect(emitFolder({ revisions: ["1999-01-01"] })).rejects.toThrow("this is a bug in generator/scaffold");
  });
});

describe("data of a server with tools", () => {
  it("the data contain no check of another feature", async () => {
    for (const [path, text] of await emitFolder()) {
      if (!path.endsWith("validate.ts")) continue;
      for (const name of [
        "GetPrompt",
        "PromptArg",
        "CreateMessage",
        "Elicit",
        "ListTasks",
        "CreateTask",
        "ReadResourceRequest",
        "InputRe",
      ])
        expect(text.includes(`check${name}`), `${path} ${name}`).toBe(false);
    }
  });

  it("the data contain no method of another feature and no notification of changes", async () => {
    for (const [path, text] of await emitFolder())
      if (path.endsWith("methods.ts"))
        expect(
          /^ {2}"(?:notifications\/)?(?:resources|prompts|tasks|completion|sampling|elicitation|roots|subscriptions)\/.*$/m.exec(
            text,
          )?.[0],
          path,
        ).toBeUndefined();
  });

  it("the data contain documented types at the newest revision only", async () => {
    const layer = await emitFolder();
    const types = textOf(layer, `${newest}/types.ts`);
    expect(types).toContain("export interface CallToolResult");
    expect(types).not.toMatch(/export interface (GetPromptResult|ReadResourceResult|SubscriptionsListenRequest)\b/);
    expect([...layer.keys()].filter((path) => path.endsWith("/types.ts"))).toHaveLength(1);
  });

  it("every exported check is used by a table or by another revision", async () => {
    const layer = await emitFolder();
    for (const id of allRevisions) {
      const text = textOf(layer, `${id}/validate.ts`);
      const called = (name: string): boolean =>
        [...layer].some(([path, other]) => path !== `${id}/validate.ts` && new RegExp(`\\b${name}\\b`).test(other)) ||
        (text.match(new RegExp(`\\b${name}\\(`, "g")) ?? []).length > 1;
      const declared = [...text.matchAll(/^(?:export )?function (\w+)/gm)].map(([, name = ""]) => name);
      expect(declared.length).toBeGreaterThan(5);
      expect(declared.filter((name) => !called(name))).toEqual([]);
    }
  });

  it("older revisions import checks from newer ones, and newer revisions do not import from older ones", async () => {
    const layer = await emitFolder();
    const taken = older.flatMap((id) =>
      [...textOf(layer, `${id}/validate.ts`).matchAll(/from "\.\.\/([\d-]+)\/validate\.ts"/g)].map(
        ([, from = ""]): [string, string] => [id, from],
      ),
    );
    expect(taken.length).toBeGreaterThan(5);
    for (const [id, from] of taken) expect(from > id).toBe(true);
    expect(textOf(layer, `${newest}/validate.ts`)).not.toContain("/validate.ts");
  });
});

describe("conversions to older revisions", () => {
  /** Returns the rows of one table of a `convert.ts`. */
  function tableOf(text: string, name: string): string {
    const [found, rows = ""] = new RegExp(`^ {2}${name}: \\{(?:\\},|\n(.*?)^ {2}\\},)`, "ms").exec(text) ?? [];
    return found === undefined ? expect.unreachable(name) : rows;
  }

  it.each(older)("conversions of a server at %s apply to the messages that it sends", async (id) => {
    const text = textOf(await emitFolder({ features }), `${id}/convert.ts`);
    for (const table of ["clientRequests", "clientNotifications"])
      expect(tableOf(text, table), table).not.toContain("params:");
    for (const table of ["serverRequests", "serverNotifications"])
      expect(tableOf(text, table), table).not.toContain("result:");
    expect(tableOf(text, "clientRequests")).toContain('"tools/list": { result: toListToolsResult }');
  });

  it.each(older)("conversions of a client at %s apply to both directions", async (id) => {
    const text = textOf(await emitFolder({ features, client: true }), `${id}/convert.ts`);
    expect(tableOf(text, "clientRequests")).toContain("params:");
    expect(tableOf(text, "clientRequests")).toContain("result:");
  });

  it.each(older)("conversions at %s cover only the features of the project", async (id) => {
    const text = textOf(await emitFolder(), `${id}/convert.ts`);
    expect(text).toContain("export function toListToolsResult(");
    expect(text).not.toMatch(/toListPromptsResult|toReadResourceResult|prompts\/|resources\//);
  });
});

describe("entry of src/mcp", () => {
  it.each([
    { features: ["tools", "resources"], has: ["defineResource", "  resources,"] },
    { features: ["tools", "prompts"], has: ["definePrompt", "  prompts,"] },
    { features: ["tools", "tasks"], has: ["ServerTasks", "features: [tasks]"] },
    { features: ["tools", "input"], has: ["ServerRequestState", "CapabilityError", "features: [sessionInput]"] },
    { features: ["tools", "resources", "skills"], has: ["ServerSkills", "readSkills", "  skills,"] },
    { features: ["tools", "resources", "apps"], has: ["UiSupport", "createUiResource", "  apps,"] },
    { features: ["tools", "methods"], has: ["features: [methods]"] },
    { transports: ["http"], has: ["serveHttp", "runHttp as run"] },
    { transports: ["stdio", "http"], has: ["serveHttp", "runServer as run"] },
    { transports: ["worker"], has: ["createHttpHandler"] },
    { client: true, has: ["createClient", "connectHttp", "connectStdio"] },
    { validator: true, has: ["createCfworkerValidator"] },
    { re2js: true, has: ["compileRe2"] },
    { transports: ["http"], auth: "oauth", has: ["requireBearerToken", "verifyJwt", "rateLimit", "auditLog"] },
    { transports: ["http"], auth: "api-key", has: ["requireApiKey", "limitAuthFailures", "requestLogger"] },
  ] as const)("the entry names only the parts of the runtime that the choice needs: %j", async ({ has, ...more }) => {
    const [least, entry] = [await entryOf(), await entryOf(more)];
    for (const name of has) {
      expect(entry, name).toContain(name);
      expect(least, name).not.toContain(name);
    }
  });

  it("the entry accepts connections only for the lifecycles of its revisions", async () => {
    expect(await entryOf({ revisions: [newest] })).toContain("createAcceptor: createStatelessAcceptor,");
    expect(await entryOf({ revisions: [newestWithSessions] })).toContain("createAcceptor: createSessionAcceptor,");
    expect(await entryOf({ revisions: older })).toContain("createAcceptor: createSessionAcceptor,");
    expect(await entryOf({ revisions: allRevisions })).toContain("createAcceptor: createDualAcceptor,");
  });

  it("the entry requests input by the mechanism of its revisions", async () => {
    const revisions = allRevisions;
    expect(await entryOf({ features: ["tools", "input"] })).toContain("features: [sessionInput]");
    expect(await entryOf({ features: ["tools", "input"], revisions })).toMatch(/inputRequired,[^]*features: \[input\]/);
    const stateless = { features: ["tools", "input"], revisions: [newest] } as const;
    expect(await entryOf(stateless)).toMatch(/inputRequired,[^]*features: \[statelessInput\]/);
    expect(await entryOf({ features: ["tools", "input"] })).not.toContain("inputRequired");
  });

  it("the entry has the extension for tasks if a revision is stateless", async () => {
    const tasks = { features: ["tools", "tasks"] } as const;
    expect(await entryOf(tasks)).not.toContain("tasksExtension");
    expect(await entryOf({ ...tasks, revisions: [newest] })).toContain("tasksExtension,");
    expect(await entryOf({ ...tasks, revisions: [newest], client: true })).toContain(
      'export { extension as tasksExtension } from "mcp-server-runtime/extensions/tasks";',
    );
  });

  it("the entry has subscriptions if lists change and a revision supports subscriptions", async () => {
    expect(await entryOf({ revisions: [newest] })).not.toContain("subscriptions");
    expect(await entryOf({ revisions: [newest], features: ["tools", "list-changed"] })).toContain("subscriptions");
    expect(await entryOf({ features: ["tools", "list-changed"] })).not.toContain("subscriptions");
  });

  it("the entry of a worker reads no folders of skills", async () => {
    const entry = await entryOf({ features: ["tools", "resources", "skills"], transports: ["worker"] });
    expect(entry).not.toMatch(/readSkill|adapters\/yaml/);
    expect(entry).toContain("createSkill");
  });

  it("the entry gives the server the lists of its features, as values and as types", async () => {
    expect(await entryOf()).toContain("export type Server = features.CoreServer & { readonly tools: Unchanging };");
    expect(await entryOf({ features: ["tools", "list-changed"] })).toContain(
      "export type Server = features.CoreServer & features.ToolLists;",
    );
    expect(await entryOf({ features: ["tools", "resources", "prompts"] })).toMatch(
      /export type Server = features\.CoreServer &\s+features\.ToolLists &\s+features\.ResourceLists &\s+features\.PromptLists;/,
    );
  });
});

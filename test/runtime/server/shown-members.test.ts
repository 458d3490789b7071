import { describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { requestMetadata } from "../../kit/messages.ts";
import { callServer } from "../../kit/calls.ts";

/* Definitions have members that are no part of the protocol: options of the server, and fields of classes that may be secret. */

class Query {
  readonly connection = "postgres://user:password@db";
  readonly title = "Query";
  readonly #rows = 7;
  get name(): string {
    return "query";
  }
  execute(): string {
    return `${this.#rows} rows`;
  }
}

class Table {
  readonly uri = "db://table";
  readonly uriTemplate = "db://{table}";
  readonly name = "table";
  readonly connection = "postgres://user:password@db";
  readonly arguments = { table: { required: true, secret: "password" } };
  read(): string {
    return "";
  }
  get(): string {
    return "";
  }
}

const table = new Table();
const definition = {
  name: "test",
  version: "1",
  title: "Test",
  password: "password",
  tool: [],
  tools: [new Query()],
  resources: [table],
  resourceTemplates: [table],
  prompts: [table],
};

describe("members of a definition that the protocol does not have are not sent", () => {
  test("a server introduces itself without them", () => {
    expect(createServer(definition, revisions).info).toEqual({ name: "test", version: "1", title: "Test" });
  });

  test.each(revisions)("lists of $id have entries without them", async (revision) => {
    const server = createServer(definition, revisions);
    const read = (method: string): Promise<unknown> =>
      callServer(server, revision, [method, { _meta: requestMetadata() }]);
    expect(await read("tools/list")).toMatchObject({
      tools: [{ name: "query", title: "Query", inputSchema: { type: "object" } }],
    });
    const lists = [read("tools/list"), read("resources/list"), read("resources/templates/list"), read("prompts/list")];
    expect(JSON.stringify(await Promise.all(lists))).not.toMatch(/password|connection|secret/);
    expect(await read("prompts/list")).toMatchObject({
      prompts: [{ name: "table", arguments: [{ name: "table", required: true }] }],
    });
  });

  test("a tool of a class is called with its fields", async () => {
    const [newest] = revisions;
    if (!newest) throw new Error("there is no revision");
    const call = callServer(createServer(definition, revisions), newest, [
      "tools/call",
      { name: "query", _meta: requestMetadata() },
    ]);
    expect(await call).toMatchObject({ content: [{ type: "text", text: "7 rows" }] });
  });
});

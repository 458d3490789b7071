import { describe, expect, it } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { capabilitiesOf } from "../../../generator/model/capabilities.ts";
import { readSchema } from "../../../generator/read/schema.ts";

describe("capabilitiesOf", () => {
  it("`capabilitiesOf` prefixes nested capabilities with their parent, also in named types", () => {
    const text = `export interface Listing { list?: object; cancel?: {} }
      export interface ClientCapabilities { a?: { b?: object; c?: { d?: {} } }; tasks?: Listing; open?: { [key: string]: object } }
      export interface ServerCapabilities {}`;
    const model = readSchema("test.ts", text);
    const names = ["a", "a.b", "a.c", "a.c.d", "tasks", "tasks.list", "tasks.cancel", "open"];
    expect(capabilitiesOf("client", model)).toEqual(names);
    expect(capabilitiesOf("server", model)).toEqual([]);
  });

  it("`capabilitiesOf` ends for a type that contains itself", () => {
    const model = readSchema(
      "test.ts",
      "export interface ServerCapabilities { inner?: ServerCapabilities; b?: object }",
    );
    expect(capabilitiesOf("server", model)).toEqual(["inner", "b"]);
    expect(capabilitiesOf("client", model)).toEqual([]);
  });

  it.each([
    ["2024-11-05", false, false, false],
    ["2025-03-26", false, false, false],
    ["2025-06-18", false, false, true],
    ["2025-11-25", true, true, true],
    ["2026-07-28", true, true, true],
  ])("the tables of %s contain nested capabilities", (id, context, tools, elicitation) => {
    const client = revisions.find((revision) => revision.id === id)?.capabilities.client ?? [];
    const names = ["sampling", "sampling.context", "sampling.tools", "elicitation"];
    expect(names.map((name) => client.includes(name))).toEqual([true, context, tools, elicitation]);
  });
});

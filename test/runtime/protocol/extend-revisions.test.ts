import { describe, expect, test } from "vitest";
import {
  fail,
  isObject,
  type Check,
  type Extension,
  type NotificationRow,
  type Revision,
} from "../../../generated/support.ts";
import { extendRevisions } from "../../../runtime/protocol/revision/extend-revisions.ts";
import { statelessRevision, newest, row } from "../../kit/revisions.ts";

const id = "com.example/echo";

const isText: Check = (value) =>
  isObject(value) && typeof value.word === "string" ? undefined : fail("string", "word");

function notification(method: string, handler: string): NotificationRow {
  return { kind: "notification", method, handler, params: () => undefined, paramsOptional: true };
}

function create(changes: Partial<Extension> = {}): Extension {
  return {
    id,
    status: "released",
    lifecycles: ["per-request"],
    declared: {},
    clientRequests: {},
    serverRequests: {},
    clientNotifications: {},
    serverNotifications: {},
    headers: [],
    results: [],
    members: [],
    ...changes,
  };
}

function extend(...extensions: readonly Extension[]): Revision {
  const [extended = statelessRevision] = extendRevisions([statelessRevision], extensions, "server");
  return extended;
}

describe("identifiers of extensions", () => {
  test.each(["com.example/echo", "a/b", "a.b/c", "a.b2c/d", "A1.b-2/x.y_z-1", "a/1"])("%j is valid (B-004)", (name) => {
    expect(extend(create({ id: name })).extensions).toEqual({ [name]: {} });
  });

  test.each([
    "echo",
    "/echo",
    "com.example/",
    "1com/echo",
    "com..example/echo",
    "com.1example/echo",
    "com-/echo",
    "com.example-/echo",
    "com.example/-a",
    "com.example/a-",
    "com.example/a b",
    "a/b/c",
    " a/b",
    "a/b ",
  ])("%j is rejected (B-004)", (name) => {
    expect(() => extend(create({ id: name }))).toThrow(
      `${JSON.stringify(name)} is not a valid extension identifier; use a prefix and a name, such as "com.example/search"`,
    );
  });
});

describe("settings of extensions", () => {
  const declared = { server: isText, client: (): ReturnType<Check> => fail("absent") };

  test("settings are declared, and those of the other side are not checked", () => {
    const settings = { word: "hi" };
    expect(extend(create({ declared, settings })).extensions).toEqual({ [id]: settings });
    expect(extend(create({ settings })).extensions).toEqual({ [id]: settings });
  });

  test("invalid settings are rejected with their place", () => {
    expect(() => extend(create({ declared }))).toThrow(`Extension ${id}: its settings/word must be string`);
    expect(() => extendRevisions([statelessRevision], [create({ declared })], "client")).toThrow(
      `Extension ${id}: its settings must be absent`,
    );
  });
});

describe("revisions with extensions", () => {
  test("a revision is extended if the extension can be used with its lifecycle", () => {
    const [first, second] = extendRevisions([statelessRevision, newest], [create()], "server");
    expect(first).toMatchObject({ id: statelessRevision.id, extensions: { [id]: {} } });
    expect(second).toBe(newest);
  });

  test("earlier extensions are replaced", () => {
    const extended = extend(create({ clientRequests: { "echo/say": row("echo/say", "sayEcho") } }));
    expect(extended.core).toBe(statelessRevision);
    const again = extendRevisions([extended], [create({ id: "com.example/other" })], "server");
    expect(again).toMatchObject([{ core: statelessRevision, extensions: { "com.example/other": {} } }]);
    expect(again[0]?.clientRequests).not.toHaveProperty("echo/say");
    expect(again[0]?.core).toBe(statelessRevision);
    expect(extendRevisions([extended], [], "server")[0]).toBe(statelessRevision);
  });

  test("several extensions are added", () => {
    const [one, two] = ["com.example/one", "com.example/two"];
    const extended = extend(create({ id: one }), create({ id: two, settings: { a: 1 } }));
    expect(extended.extensions).toEqual({ [one]: {}, [two]: { a: 1 } });
    expect(extended.core).toBe(statelessRevision);
    expect(() => extend(create(), create())).toThrow(`The extension ${id} is duplicated; pass it once`);
  });

  test("methods and headers of an extension stand beside those of the revision", () => {
    const header = { name: "Mcp-Echo", source: "params.word", required: false };
    const extension = create({
      clientRequests: { "echo/say": row("echo/say", "sayEcho") },
      serverRequests: { "echo/ask": row("echo/ask", "askEcho") },
      clientNotifications: { "notifications/echo": notification("notifications/echo", "echo") },
      serverNotifications: { "notifications/echoed": notification("notifications/echoed", "echoed") },
      headers: [header],
    });
    const extended = extend(extension);
    expect(extended.clientRequests).toEqual({ ...statelessRevision.clientRequests, ...extension.clientRequests });
    // At a revision without sessions, servers send no requests.
    expect(extended.serverRequests).toEqual(statelessRevision.serverRequests);
    expect(extended.clientNotifications).toEqual({
      ...statelessRevision.clientNotifications,
      ...extension.clientNotifications,
    });
    expect(extended.serverNotifications).toEqual({
      ...statelessRevision.serverNotifications,
      ...extension.serverNotifications,
    });
    expect(extended.headers).toEqual([...statelessRevision.headers, header]);
  });

  test("an extension cannot define a method of the revision", () => {
    const extension = create({ clientRequests: { "tools/call": row("tools/call", "steal") } });
    expect(() => extend(extension)).toThrow(`The extension ${id} defines tools/call, which is already defined`);
  });
});

describe("further results of a method", () => {
  const results = [{ method: "tools/call", kind: "echo", check: isText }];

  test("a result is checked by its kind", () => {
    const { clientRequests } = extend(create({ results }));
    const call = clientRequests["tools/call"];
    expect(call?.kinds).toEqual(["echo"]);
    expect(call?.result({ resultType: "echo", word: "hi" })).toBeUndefined();
    expect(call?.result({ resultType: "echo", word: 7 })).toEqual({ path: "word", expected: "string" });
    expect(call?.result({ resultType: "complete", content: [] })).toBeUndefined();
    expect(call?.result({ resultType: "complete", content: 7 })).toMatchObject({ path: "content" });
    expect(call?.result("echo")).toMatchObject({ path: "" });
    expect(call?.method).toBe("tools/call");
    expect(clientRequests["tools/list"]).toBe(statelessRevision.clientRequests["tools/list"]);
  });

  test("kinds of several extensions stand beside each other", () => {
    const other = create({
      id: "com.example/other",
      results: [{ method: "tools/call", kind: "shout", check: isText }],
    });
    expect(extend(create({ results }), other).clientRequests["tools/call"]?.kinds).toEqual(["echo", "shout"]);
  });

  test.each(["echo/none", "constructor"])("results of the unknown method %s are ignored", (method) => {
    const { clientRequests } = extend(create({ results: [{ method, kind: "echo", check: isText }] }));
    expect(clientRequests).toEqual(statelessRevision.clientRequests);
  });
});

describe("further members of params", () => {
  const core: Check = (value) => (isObject(value) && value.bad === true ? fail("good", "bad") : undefined);
  const base: Revision = {
    ...statelessRevision,
    clientRequests: { "tools/call": { ...row("tools/call", "callTool"), params: core } },
    serverNotifications: { "notifications/a": { ...notification("notifications/a", "a"), params: core } },
  };
  const at = ["_meta", "x/y"];
  const members = ["tools/call", "notifications/a"].map((method) => ({ method, at, check: isText }));
  const check = (params: unknown, extension: Partial<Extension> = { members }): unknown => {
    const [extended = base] = extendRevisions([base], [create(extension)], "client");
    const call = extended.clientRequests["tools/call"]?.params(params);
    expect(extended.serverNotifications["notifications/a"]?.params(params)).toEqual(call);
    expect(extended.clientRequests["tools/call"]?.handler).toBe("callTool");
    return call;
  };

  test.each<[unknown, unknown]>([
    [{ _meta: { "x/y": { word: "hi" } } }, undefined],
    [{ _meta: { "x/y": { word: 7 } } }, { path: "_meta/x~1y/word", expected: "string" }],
    [{ _meta: { "x/y": null } }, { path: "_meta/x~1y/word", expected: "string" }],
    [
      { bad: true, _meta: { "x/y": { word: 7 } } },
      { path: "bad", expected: "good" },
    ],
    [{ _meta: {} }, undefined],
    [{ _meta: null }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])("the params %j are checked: %j", (params, expected) => {
    expect(check(params)).toEqual(expected);
  });

  test("members of an unknown method are ignored", () => {
    expect(check({ word: 7 }, { members: [{ method: "echo/none", at: [], check: isText }] })).toBeUndefined();
  });
});

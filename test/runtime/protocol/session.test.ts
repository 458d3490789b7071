import { describe, expect, test } from "vitest";
import type { EmptyCapability, Gate, Role } from "../../../generated/support.ts";
import {
  isImplementationInfo,
  isOpen,
  unknownImplementation,
  type Session,
} from "../../../runtime/protocol/session/session.ts";
import { newest } from "../../kit/revisions.ts";

function session(role: Role, client: object, server: object): Session {
  const clientParty = { info: { name: "c", version: "1" }, capabilities: { ...client } };
  const serverParty = { info: { name: "s", version: "1" }, capabilities: { ...server } };
  const isServer = role === "server";
  return {
    revision: newest,
    role,
    own: isServer ? serverParty : clientParty,
    peer: isServer ? clientParty : serverParty,
    instructions: undefined,
  };
}

describe("capabilities of a session", () => {
  const cases: readonly [string, Gate, object, boolean][] = [
    ["an empty object declares", { side: "server", path: ["tools"] }, { tools: {} }, true],
    ["true declares", { side: "server", path: ["resources", "subscribe"] }, { resources: { subscribe: true } }, true],
    [
      "false does not",
      { side: "server", path: ["resources", "subscribe"] },
      { resources: { subscribe: false } },
      false,
    ],
    ["null does not", { side: "server", path: ["tools"] }, { tools: null }, false],
    ["absence does not", { side: "server", path: ["tools"] }, {}, false],
    ["an absent parent does not", { side: "server", path: ["resources", "subscribe"] }, {}, false],
    [
      "a parent that is true has no members",
      { side: "server", path: ["resources", "subscribe"] },
      { resources: true },
      false,
    ],
    [
      "a parent that is null has no members",
      { side: "server", path: ["resources", "subscribe"] },
      { resources: null },
      false,
    ],
  ];
  test.each(cases)(
    "a method is allowed when its side declared the capability: %s",
    (_, gate, capabilities, expected) => {
      expect(isOpen(gate, session("server", {}, capabilities))).toBe(expected);
      expect(isOpen(gate, session("client", {}, capabilities))).toBe(expected);
    },
  );

  test("the other side's capabilities do not count", () => {
    expect(isOpen({ side: "client", path: ["roots"] }, session("server", {}, { roots: {} }))).toBe(false);
  });

  test("an empty elicitation capability means form, and only form (E-01)", () => {
    const open = (member: string, elicitation: object): boolean =>
      isOpen({ side: "client", path: ["elicitation", member] }, session("server", { elicitation }, {}));
    expect([open("form", {}), open("url", {}), open("form", { url: {} }), open("url", { url: {} })]).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  describe("the meaning of an empty capability", () => {
    const rules: readonly EmptyCapability[] = [
      { side: "client", path: ["a"], means: "b" },
      { side: "client", path: ["c", "d"], means: "e" },
    ];

    test.each<[string, readonly string[], object, boolean]>([
      ["an empty object has the member", ["a", "b"], { a: {} }, true],
      ["an empty object within another has the member", ["c", "d", "e"], { c: { d: {} } }, true],
      ["another empty object has no member", ["x", "b"], { x: {} }, false],
      ["an object with other members does not have the member", ["a", "b"], { a: { x: {} } }, false],
      ["the member has no members", ["a", "b", "x"], { a: {} }, false],
      ["true has no member", ["a", "b"], { a: true }, false],
      ["an absent object has no member", ["a", "b"], {}, false],
    ])("%s", (_, path, capabilities, expected) => {
      const ruled = {
        ...session("server", capabilities, capabilities),
        revision: { ...newest, emptyCapabilities: rules },
      };
      expect(isOpen({ side: "client", path }, ruled)).toBe(expected);
      expect(isOpen({ side: "server", path }, ruled)).toBe(false);
    });
  });
});

test("a program has a name and a version", () => {
  expect(isImplementationInfo({ name: "a", version: "1", title: "A" })).toBe(true);
  expect(isImplementationInfo({ name: "a", version: 1 })).toBe(false);
  expect(isImplementationInfo({ name: 1, version: "1" })).toBe(false);
  expect(isImplementationInfo(null)).toBe(false);
});

test("the program of a peer that did not identify itself is unknown, and has no version", () => {
  expect(unknownImplementation).toEqual({ name: "unknown", version: "" });
});

import { describe, expect, test } from "vitest";
import type { Gate, Role } from "../../../generated/support.ts";
import { isOpen, type Session } from "../../../runtime/protocol/session/session.ts";
import { newest } from "../fixture-revision.ts";

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
});

import { describe, expect, it } from "vitest";
import { shareChecks, type SharedChecks } from "../../../../generator/scaffold/layer/shared-checks.ts";
import type { CheckFunction } from "../../../../generator/emit/check-text.ts";

function check(name: string, text = "(v) { ... }", calls: readonly string[] = []): CheckFunction {
  return { name, text, calls, support: [] };
}

function namesOf({ functions }: SharedChecks | undefined = { revision: "", functions: [], shared: new Map() }) {
  return functions.map(({ name }) => name);
}

/** Shares the checks of a newer and an older revision; returns those of the older one. */
function shareWithNewer(newer: readonly CheckFunction[], older: readonly CheckFunction[]) {
  const [first, second] = shareChecks([
    { revision: "new", functions: newer },
    { revision: "old", functions: older },
  ]);
  expect(first).toEqual({ revision: "new", functions: newer, shared: new Map() });
  return { own: namesOf(second), shared: Object.fromEntries(second?.shared ?? []) };
}

describe("checks that revisions share", () => {
  it("a check with the same name, text and calls is taken from the newer revision", () => {
    const tool = check("checkTool", "(v) { return checkText(v); }", ["checkText"]);
    expect(shareWithNewer([tool, check("checkText")], [tool, check("checkText"), check("checkOld")])).toEqual({
      own: ["checkOld"],
      shared: { new: ["checkTool", "checkText"] },
    });
  });

  it("a check with another text stays in the older revision", () => {
    expect(shareWithNewer([check("checkTool", "a")], [check("checkTool", "b")])).toEqual({
      own: ["checkTool"],
      shared: {},
    });
  });

  it("a check with the same text stays when a check that it calls differs", () => {
    const list = check("checkList", "list", ["checkTool"]);
    const tool = check("checkTool", "tool", ["checkText"]);
    const older = [list, tool, check("checkText", "b")];
    expect(shareWithNewer([list, tool, check("checkText", "a")], older)).toEqual({
      own: ["checkList", "checkTool", "checkText"],
      shared: {},
    });
  });

  it("a check stays when the newer revision does not have a check that it calls", () => {
    const list = check("checkList", "list", ["checkTool"]);
    expect(shareWithNewer([list], [list, check("checkTool")]).own).toEqual(["checkList", "checkTool"]);
  });

  it("checks that call themselves or each other are shared", () => {
    const [tree, leaf, self] = [
      check("checkTree", "tree", ["checkLeaf"]),
      check("checkLeaf", "leaf", ["checkTree"]),
      check("checkSelf", "self", ["checkSelf"]),
    ];
    expect(shareWithNewer([tree, leaf, self], [tree, leaf, self])).toEqual({
      own: [],
      shared: { new: ["checkTree", "checkLeaf", "checkSelf"] },
    });
  });

  it("checks that call each other stay together when one of them differs", () => {
    const tree = check("checkTree", "tree", ["checkLeaf"]);
    const leafOf = (text: string): CheckFunction => check("checkLeaf", text, ["checkTree"]);
    expect(shareWithNewer([tree, leafOf("a")], [tree, leafOf("b")]).own).toEqual(["checkTree", "checkLeaf"]);
  });

  it("each check stays in the newest revision that has it, and every older one names that revision", () => {
    const same = check("checkTool");
    const middle = check("checkText");
    const [, second, third] = shareChecks([
      { revision: "3", functions: [same] },
      { revision: "2", functions: [same, middle] },
      { revision: "1", functions: [same, middle] },
    ]);
    expect([namesOf(second), [...(second?.shared ?? [])]]).toEqual([["checkText"], [["3", ["checkTool"]]]]);
    expect([namesOf(third), [...(third?.shared ?? [])]]).toEqual([
      [],
      [
        ["3", ["checkTool"]],
        ["2", ["checkText"]],
      ],
    ]);
  });

  it("a check is not taken from a newer revision that calls another version of the same name", () => {
    const list = check("checkList", "list", ["checkText"]);
    const [, second, third] = shareChecks([
      { revision: "3", functions: [list, check("checkText", "c")] },
      { revision: "2", functions: [list, check("checkText", "b")] },
      { revision: "1", functions: [list, check("checkText", "b")] },
    ]);
    expect(namesOf(second)).toEqual(["checkList", "checkText"]);
    expect([...(third?.shared ?? [])]).toEqual([["2", ["checkList", "checkText"]]]);
  });

  it("a check is shared when the newer revision takes a check that it calls from a still newer one", () => {
    const text = check("checkText");
    const list = check("checkList", "list", ["checkText"]);
    const [, second, third] = shareChecks([
      { revision: "3", functions: [text] },
      { revision: "2", functions: [list, text] },
      { revision: "1", functions: [list, text] },
    ]);
    expect(namesOf(second)).toEqual(["checkList"]);
    expect([namesOf(third), [...(third?.shared ?? [])]]).toEqual([
      [],
      [
        ["3", ["checkText"]],
        ["2", ["checkList"]],
      ],
    ]);
  });

  it("a model with one revision shares no checks", () => {
    expect(shareChecks([{ revision: "1", functions: [check("checkTool")] }])).toEqual([
      { revision: "1", functions: [check("checkTool")], shared: new Map() },
    ]);
    expect(shareChecks([])).toEqual([]);
  });
});

import { expect, it } from "vitest";
import { openSpecFolder } from "../../generator/read/spec-folder.ts";
import { extensions, revisions } from "./revisions.ts";

const spec = await openSpecFolder("spec");

it("the comparison of handlers and calls has every revision and every extension", () => {
  expect(Object.keys(revisions).sort()).toEqual([...spec.pins.keys()].sort());
  expect(Object.keys(extensions).sort()).toEqual([...spec.extensions.keys()].sort());
});

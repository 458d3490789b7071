import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { testHostileInput } from "./everything-hostile.ts";
import { testInterop } from "./everything-interop.ts";
import { createEverythingProject, type EverythingProject } from "./everything-project.ts";
import { testWire } from "./everything-wire.ts";

// Tests of the example in this repository, run on a project that was created from it. A vendored runtime has the same files, as runtime-package.test.ts proves.
const root = realpathSync(mkdtempSync(join(tmpdir(), "everything-")));
let project: EverythingProject | undefined;
const open = (): EverythingProject => {
  if (!project) throw new Error("There is no project.");
  return project;
};

beforeAll(async () => {
  project = await createEverythingProject(join(root, "everything"), { install: "npm" });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("the wire of a scaffolded project", () => testWire(open));
describe("a scaffolded project and hostile peers", () => testHostileInput(open));
describe("a scaffolded project and official SDKs", () => testInterop(open));

import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Project, ts } from "ts-morph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Tree } from "../../generator/internal/tree.ts";
import { formatTypeScript } from "../../generator/internal/format.ts";
import { emitTree } from "../../generator/generate.ts";
import { pinRevision } from "../../generator/pin/pin.ts";
import { openSpecFolder } from "../../generator/read/spec-folder.ts";

/*
 * Our declarations are those of the official files: pinning the unmodified upstream schemas changes nothing but comments.
 * The official files are not part of this project; MCP_UPSTREAM_DIR names a folder with <revision>/schema.ts for each.
 */
const upstream = process.env.MCP_UPSTREAM_DIR;
const { pins } = await openSpecFolder("spec");
const files = ["types.ts", "validate.ts", "methods.ts", "server.ts", "client.ts", "index.ts"];

describe.each([...pins])("upstream %s", (revision, pinned) => {
  let folder = "";
  let spec = "";
  let ours: Tree = new Map();
  let theirs: Tree = new Map();

  beforeAll(async () => {
    if (upstream === undefined)
      throw new Error(
        "Set MCP_UPSTREAM_DIR to a folder with <revision>/schema.ts of every pinned revision, unmodified.",
      );
    folder = await mkdtemp(join(tmpdir(), "upstream-"));
    spec = join(folder, "spec");
    await cp("spec", spec, { recursive: true });
    await pinRevision({ revision, from: join(upstream, revision, "schema.ts"), spec });
    [ours, theirs] = [await emitTree({ revisions: [revision] }), await emitTree({ spec, revisions: [revision] })];
  });

  afterAll(async () => {
    if (folder !== "") await rm(folder, { recursive: true });
  });

  it("the upstream file has the pinned hash (T1)", async () => {
    const after = (await openSpecFolder(spec)).pins.get(revision);
    expect(after?.sha256).toBe(pinned.sha256);
  });

  it.each(files)("the upstream file gives the same %s, comments aside", async (name) => {
    const path = `${revision}/${name}`;
    expect(await withoutComments(theirs.get(path))).toBe(await withoutComments(ours.get(path)));
  });
});

/** The compiler's own printer drops comments; the formatter then makes up for its line breaks. */
async function withoutComments(text: string | undefined): Promise<string> {
  if (text === undefined) throw new Error("the file was not generated");
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  const file = project.createSourceFile("/file.ts", text);
  return formatTypeScript(ts.createPrinter({ removeComments: true }).printFile(file.compilerNode));
}

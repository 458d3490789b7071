import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { previousName, replaceLayer, restoreLayer } from "../../../../generator/scaffold/layer/replace-layer.ts";
import { listAll, temporaryFolder } from "../../../kit/temporary-folders.ts";

test("`restoreLayer` keeps the previous layer if it cannot be moved to its place", async () => {
  const project = temporaryFolder();
  mkdirSync(join(project, previousName));
  writeFileSync(join(project, previousName, "index.ts"), "before");
  // Nothing can be moved into a file.
  writeFileSync(join(project, "src"), "");
  await expect(restoreLayer(project, join(project, "src", "mcp"))).rejects.toThrow(
    /could not be replaced \(\w+\); it is as it was\. End programs/,
  );
  expect(listAll(project)).toEqual([previousName, `${previousName}/index.ts`, "src"]);
  expect(readFileSync(join(project, previousName, "index.ts"), "utf8")).toBe("before");
});

test("`restoreLayer` restores the previous layer where there is none, as after a replacement that was cut off", async () => {
  const project = temporaryFolder();
  mkdirSync(join(project, previousName));
  writeFileSync(join(project, previousName, "index.ts"), "before");
  await restoreLayer(project, join(project, "src", "mcp"));
  expect(listAll(project)).toEqual(["src", "src/mcp", "src/mcp/index.ts"]);
});

test("`replaceLayer` does not write through an existing symbolic link", async () => {
  const project = temporaryFolder();
  const outside = temporaryFolder();
  mkdirSync(join(project, "src", "mcp"), { recursive: true });
  symlinkSync(outside, join(project, `.mcp-next-${process.pid}`));
  await replaceLayer(project, join(project, "src", "mcp"), new Map([["index.ts", "new"]]));
  expect(listAll(outside)).toEqual([]);
  expect(readFileSync(join(project, "src", "mcp", "index.ts"), "utf8")).toBe("new");
});

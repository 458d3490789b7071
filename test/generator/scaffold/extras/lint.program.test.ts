import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../../../generator/internal/package-info.ts";
import { deployTargets } from "../../../../generator/scaffold/create/deploy-target.ts";
import type { SelectionText } from "../../../../generator/scaffold/create/project-choices.ts";
import { mounts } from "../../../../generator/scaffold/mount/frameworks.ts";
import { providerNames } from "../../../../generator/scaffold/providers/provider.ts";
import { temporaryFolder } from "../../../kit/temporary-folders.ts";
import { emitFiles, writeFiles } from "../../../kit/projects.ts";

/* `--extras lint`: the linter accepts every new project as it is. */

const linter = join(packageRoot, "node_modules", "oxlint", "bin", "oxlint");

const choices: readonly SelectionText[] = [
  ...["zod", "valibot", "arktype", "json"].map((schema) => ({ schema, transport: "both", features: "all" })),
  { transport: "http,websocket,tcp", client: true, extras: "all" },
  { scale: "redis", extras: "otel,lint", auth: "oauth" },
  { scale: "nats", auth: "api-key" },
  ...providerNames.map((provider) => ({ provider })),
  ...mounts.map((mount) => ({ mount, auth: mount === "none" ? "none" : "api-key" })),
  ...deployTargets.map((target) => ({ target, auth: target === "node" ? "none" : "oauth" })),
];

test.each(choices)("a new project with %j is linted without a problem, and its problems are found", async (text) => {
  const folder = temporaryFolder();
  writeFiles(folder, await emitFiles({ folder, selection: { extras: "lint", ...text } }));
  const lint = () => spawnSync(process.execPath, [linter], { cwd: folder, encoding: "utf8" });
  const { status, stdout } = lint();
  expect(status, stdout).toBe(0);
  writeFiles(folder, new Map([["src/more.ts", "debugger;\n"]]));
  expect(lint().status).toBe(1);
});

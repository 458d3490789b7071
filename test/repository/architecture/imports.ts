import type { Rule } from "./rule.ts";
import { isAllowedInCli, isAllowedInGenerator, isAllowedInTools } from "./command-folders.ts";
import { isOfRuntime } from "./rooms.ts";
import { isAllowedInRuntime, isSharedByGenerated } from "./runtime-folders.ts";
import { pathOf, resolveFrom, specifiersOf } from "./sources.ts";

/** Directions of imports. */
export const importRules: readonly Rule[] = [
  {
    name: "1. imports go one way",
    check: (file) => specifiersOf(file).flatMap((specifier) => findForbiddenImport(pathOf(file), specifier)),
    broken: {
      "generated/2000-01-01/a.ts": 'import "../../runtime/protocol/peer.ts";',
      "generated/2000-01-01/b.ts": 'import "../2000-01-02/types.ts";',
      "generated/2000-01-01/c.ts": 'import "ajv";',
      "generated/2000-01-01/d.ts": 'import "../extensions/a/types.ts";',
      "generated/extensions/a/a.ts": 'import "../b/types.ts";',
      "generated/extensions/a/b.ts": 'import "../../2000-01-01/methods.ts";',
      "runtime/server/e.ts": 'import "../../generated/extensions/a/methods.ts";',
      "runtime/server/h.ts": 'import "./skills/feature.ts";',
      "runtime/server/definition.ts": 'import "./apps/tool-ui.ts";',
      "runtime/gateway/a.ts": 'import "./tasks/task-bridge.ts";',
      "generator/a.ts": 'import "../runtime/protocol/peer/peer.ts";',
      "generator/b.ts": 'import "../generated/support.ts";',
      "generator/emit/a.ts": 'import "../../runtime/index.ts";',
      "generator/emit/b.ts": 'import "../scaffold/create/run.ts";',
      "generator/internal/a.ts": 'import type { Shape } from "../model.ts";',
      "generator/new-room/a.ts": 'import "../internal/text.ts";',
      "cli/commands/a.ts": 'import "../../examples/command-line.ts";',
      "cli/commands/b.ts": 'import "../../generated/2000-01-01/types.ts";',
      "cli/commands/c.ts": "export const c = await import(String(1));",
      "generator/emit/c.ts": 'import "../../tools/live/connect.ts";',
      "generator/scaffold/a.ts": 'import "../../cli/commands/report.ts";',
      "tools/live/a.ts": 'import "../check/check.ts";',
      "tools/live/b.ts": 'import "../../cli/commands/report.ts";',
      "tools/live/c.ts": 'import "../../generator/scaffold/create/run.ts";',
      "tools/dev/a.ts": 'import "../../generator/internal/files.ts";',
      "tools/dev/b.ts": 'import "../live/connect.ts";',
      "cluster/a.ts": 'import "../tools/dev/report.ts";',
      "cluster/b.ts": 'import "../runtime/server/server.ts";',
      "cluster/c.ts": 'import "@redis/client";',
      "cluster/metrics/a.ts": 'import "../redis/redis-engine.ts";',
      "runtime/server/g.ts": 'import "../../cluster/cluster.ts";',
      "runtime/transport/b.ts": 'import "../../cluster/stores/node-directory.ts";',
      "generator/c.ts": 'export * from "../spec/2000-01-01/schema.ts";',
      "generator/d.ts": 'import "zod";',
      "runtime/jsonrpc/a.ts": 'import "../framing/ndjson.ts";',
      "runtime/jsonrpc/b.ts": 'import "../../generated/revisions.ts";',
      "runtime/framing/a.ts": 'export const a = await import("../transport/stdio/stdio-server.ts");',
      "runtime/server/a.ts": 'import "../client/client.ts";',
      "runtime/server/b.ts": 'import "zod";',
      "runtime/server/c.ts": 'import "../adapters/ajv.ts";',
      "runtime/transport/a.ts": 'import "../auth/client/index.ts";',
      "runtime/index.ts": 'export * from "./auth/client/index.ts";',
      "runtime/tasks/index.ts": 'export * from "../gateway/gateway.ts";',
      "runtime/server/f.ts": 'import "../tasks/index.ts";',
      "runtime/protocol/index.ts": 'export * from "../../generated/revisions.ts";',
      "runtime/auth/client/a.ts": 'import "jose";',
      "runtime/client/a.ts": 'import "../server/server.ts";',
      "runtime/lifecycle/a.ts": 'import "node:fs";',
      "runtime/server/d.ts": "export const d = await import(String(1));",
      "runtime/new-room/a.ts": 'import "../jsonrpc/message.ts";',
      "templates/support.ts": 'import "node:fs";',
    },
  },
];

function findForbiddenImport(path: string, specifier: string): string[] {
  const target = resolveFrom(path, specifier);
  return isAllowed(path, target) ? [] : [`may not import ${target}`];
}

function isAllowed(path: string, target: string): boolean {
  if (isOfRuntime(path)) return isAllowedInRuntime(path, target);
  const [folder = "", part = ""] = path.split("/");
  switch (folder) {
    case "templates":
      return target.startsWith("templates/");
    case "generated":
      if (part === "extensions") return isAllowedInExtension(path, target);
      return (
        isSharedByGenerated(target) ||
        (part === "revisions.ts" ? target.startsWith("generated/") : target.startsWith(`generated/${part}/`))
      );
    case "generator":
      return isAllowedInGenerator(path, part, target);
    case "tools":
      return isAllowedInTools(path, target);
    case "cli":
      return isAllowedInCli(path, target);
    default:
      return true;
  }
}

/** An extension uses types and checks of the core, and those of no other extension. */
function isAllowedInExtension(path: string, target: string): boolean {
  const own = path.split("/").slice(0, 3).join("/");
  return (
    target.startsWith(`${own}/`) ||
    target === "generated/support.ts" ||
    /^generated\/\d[^/]*\/(types|validate)\.ts$/.test(target)
  );
}

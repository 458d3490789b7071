import { join } from "node:path";
import type { Addition } from "../../generator/scaffold/add/addition.ts";
import { manifestName, unlistTool } from "../../generator/scaffold/add/bundle-manifest.ts";
import { recordRemoval, type RecordedRemoval } from "../../generator/scaffold/add/record-removal.ts";
import { planRemoval } from "../../generator/scaffold/add/removal.ts";
import { writeFiles } from "../../generator/scaffold/add/write-files.ts";
import { readTestSteps } from "../../generator/scaffold/create/package-manager.ts";
import { requireProject } from "../../generator/scaffold/layer/installed-layer.ts";
import { apiLockName, apiLockText, readApiLock } from "../../generator/openapi/api-lock.ts";
import { readIfPresent } from "../../generator/internal/files.ts";
import { outputLine } from "../../generator/internal/text.ts";
import { nextStepsText } from "./report.ts";
import { runInterruptibly } from "./stop-signal.ts";

/** `create-mcp-server remove tool|resource|prompt <name>`: removes a definition, its registration and its test. Returns the exit code. */
export function runRemove({
  kind,
  name,
  folder,
}: {
  readonly kind: Addition;
  readonly name: string;
  /** Folder of the project. */
  readonly folder: string;
}): Promise<number> {
  return runInterruptibly(async (signal) => {
    requireProject(folder);
    const { files, mentions, name: removed } = await planRemoval(folder, kind, name);
    const lock = kind === "tool" ? await readIfPresent(join(folder, apiLockName)) : undefined;
    const removal = { project: folder, tool: removed, files };
    const unlisted = lock === undefined ? undefined : await recordRemoval(readApiLock(lock), removal);
    const gone = [...files].flatMap(([path, text]) => (text === undefined ? [path] : []));
    const writes = new Map([...files].flatMap(([path, text]) => (text === undefined ? [] : [[path, text]])));
    if (unlisted) writes.set(apiLockName, apiLockText(unlisted.apis));
    await writeFiles(folder, { writes, removals: gone }, signal);
    if (unlisted)
      console.log(
        `${unlisted.operation} of ${unlisted.document} gets no tool, until add openapi selects it with --only`,
      );
    if (kind === "tool" && (await unlistTool(folder, removed))) console.log(`Removed ${removed} from ${manifestName}`);
    for (const place of mentions) console.log(`${place} still mentions ${removed}`);
    const changed = [...files.keys()].filter((path) => !gone.includes(path));
    const done = [
      ...(changed.length > 0 ? [`Removed ${removed} from ${changed.join(" and ")}.`] : []),
      ...(gone.length > 0 ? [`Deleted ${gone.join(" and ")}.`] : []),
    ];
    const next = nextStepsText([...(unlisted ? nextOf(unlisted) : []), ...(await readTestSteps(folder))]);
    console.log(`${done.join(" ")} ${next}`.trimEnd());
    return 0;
  });
}

/** Returns the step after the removal of a tool of an API: its tests call all tools of the API. */
function nextOf({ document, tests, isLast }: RecordedRemoval): readonly string[] {
  if (tests.length === 0) return [];
  return [isLast ? `delete ${tests.join(" and ")}` : `npx create-mcp-server add openapi ${outputLine(document)}`];
}

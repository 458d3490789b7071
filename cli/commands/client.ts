import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import {
  clientLockName,
  emitClientLock,
  findEdited,
  readClientLock,
  type ClientLock,
} from "../../generator/typed-client/client/lock.ts";
import { emitClient } from "../../generator/typed-client/client/emit-client.ts";
import { planClient, type ClientPlan, type PlanOptions, lossLines } from "../../generator/typed-client/client/plan.ts";
import { readVariables } from "../../generator/typed-client/client/variables.ts";
import { compareContracts } from "../../generator/typed-client/contract/compare-contracts.ts";
import type { Contract } from "../../generator/typed-client/contract/contract.ts";
import { isAtLeast, worstOf, type ContractChange, type Impact } from "../../generator/typed-client/contract/impact.ts";
import { compareGenerated, driftText, writeTree } from "../../generator/internal/tree.ts";
import { readAccess, type AccessFlags } from "../../tools/live/access.ts";
import { fetchContract } from "../../tools/live/fetch-contract.ts";
import { chooseRevisions } from "../../tools/live/choose-revisions.ts";
import { describeTarget, readTarget, type Target } from "../../tools/live/target.ts";
import { runPhase } from "../../generator/internal/phase.ts";
import { packageRoot, packageVersion } from "../../generator/internal/package-info.ts";
import { toFileName, toMemberName } from "../../generator/typed-client/tool-schema/names.ts";
import { isEnforceable } from "../../generator/typed-client/tool-schema/patterns.ts";
import { outputLine, countText } from "../../generator/internal/text.ts";
import { systemCode, UserError } from "../../generator/internal/user-error.ts";
import { readInstalledLayer } from "../../generator/scaffold/layer/installed-layer.ts";
import { readRecording } from "../../tools/replay/read-recording.ts";
import { readRecordedContract } from "../../tools/replay/recorded-contract.ts";
import { reportProblem } from "./report.ts";
import { openSpecRevisions, type SpecFlags } from "./spec-revisions.ts";

/** Options of `create-mcp-server client`. */
export interface ClientCommandOptions extends AccessFlags, SpecFlags {
  /** A command and its arguments, an address, or a file. */
  readonly target: readonly string[];
  /** Recording with the lists of the server, in place of a target. */
  readonly from?: string;
  /** Folder of the client. Default: `src/<name>-client`. */
  readonly out?: string;
  /** Name of the server in the code. Default: the name reported by the server. */
  readonly name?: string;
  /** Protocol revision to use. */
  readonly protocol?: string;
  /** Ending of import paths. */
  readonly imports: "ts" | "js";
  /** Check slow patterns with the package `re2js`, which the project then needs. */
  readonly re2js: boolean;
  /** Write nothing; report the differences of the server and the files from the lock. */
  readonly check: boolean;
  /** Lowest impact that makes `--check` fail. */
  readonly failOn: Impact;
  /** Overwrite files edited by hand. */
  readonly force: boolean;
  /** Fail when any part of a schema got lost. */
  readonly strict: boolean;
}

/** `create-mcp-server client`: writes a typed client of a server, or checks one. Returns the exit code. */
export async function runClient(options: ClientCommandOptions): Promise<number> {
  try {
    const target = readSource(options);
    const contract = await readOffer(target, options);
    if (contract.tools.length + contract.prompts.length + contract.resourceTemplates.length === 0) {
      throw new UserError(
        `${describeTarget(target)} offers no tools, prompts or resource templates; no client was generated.`,
      );
    }
    return await (options.check ? check(contract, target, options) : write(contract, target, options));
  } catch (error) {
    return reportProblem(error);
  }
}

function readSource({ target, from }: ClientCommandOptions): Target {
  if (from === undefined) return readTarget(target);
  if (target.length > 0) throw new UserError("a server and --from are given; pass one of them.");
  return { kind: "file", path: from };
}

async function readOffer(target: Target, options: ClientCommandOptions): Promise<Contract> {
  const tables = await openSpecRevisions(options);
  const { revisions } = tables;
  if (options.from !== undefined) return readRecordedContract(await readRecording(options.from, tables));
  const spoken = chooseRevisions(options.protocol, revisions);
  const access = { ...readAccess(options), revisions: spoken };
  return runPhase("Reading the server", () => fetchContract(target, access));
}

async function write(contract: Contract, target: Target, options: ClientCommandOptions): Promise<number> {
  const name = nameOf(contract, target, options);
  const folder = folderOf(name, options);
  const lock = await readClientLock(folder);
  if (!options.force) await rejectOverwriting(folder, lock);
  const emitted = await runPhase("Generating the client", () =>
    emitClient(planClient(contract, planning(name, options)), settings(options)),
  );
  const { plan } = emitted;
  const tree = new Map(emitted.tree);
  tree.set(clientLockName, emitClientLock(tree, { contract, name, version: packageVersion() }));
  reportLosses(plan);
  if (options.strict && countLosses(plan) > 0) {
    throw new UserError("some schemas cannot be represented completely (--strict); nothing was written.");
  }
  const written = await writeTree(folder, tree);
  const place = relative(process.cwd(), folder) || ".";
  console.log(
    `${place}: ${offerText(plan)}, ${countText(tree.size, "file")}, ${written.length} of them written or removed.`,
  );
  const from = `${place.startsWith("..") ? "" : "./"}${place.replaceAll("\\", "/")}/index.${options.imports}`;
  const opener = await describeOpener();
  if (tree.has("re2.ts")) console.log("The client requires the package re2js: npm install re2js");
  console.log(`Usage:\n  import { create${plan.type}Client } from "${from}";`);
  console.log(`  const ${toMemberName(name)} = create${plan.type}Client(session); // session: ${opener}`);
  return 0;
}

/** Describes how to open a session in the project in the working directory. */
async function describeOpener(): Promise<string> {
  if (!existsSync(join(process.cwd(), "src", "mcp"))) return "connectClient(...) of mcp-server-runtime";
  const isClient = await readInstalledLayer(process.cwd()).then(
    ({ choices }) => choices.client,
    () => true,
  );
  const own = "createClient(...).connect(...) of src/mcp";
  return isClient ? own : `${own}, after npx create-mcp-server update --client`;
}

async function check(contract: Contract, target: Target, options: ClientCommandOptions): Promise<number> {
  const folder = options.out ?? folderOf(nameOf(contract, target, options), options);
  const lock = await readClientLock(folder);
  if (!lock)
    throw new UserError(
      `${folder} has no ${clientLockName}; generate the client with the same command without --check.`,
    );
  const changes = compareContracts(lock.contract, contract);
  const plan = planClient(lock.contract, planning(lock.name, options));
  const generated = await runPhase("Generating the client", () => emitClient(plan, settings(options)));
  const tree = new Map(generated.tree);
  tree.set(
    clientLockName,
    emitClientLock(tree, { contract: lock.contract, name: lock.name, version: packageVersion() }),
  );
  const drifts = await compareGenerated(folder, tree);
  for (const change of changes) console.log(changeText(change));
  for (const drift of drifts) console.log(driftText(drift));
  const isEdited = (await findEdited(folder, lock)).length > 0;
  const next = isEdited
    ? "move edits elsewhere, then run the same command with --force instead of --check"
    : "run the same command without --check";
  const impact = worstOf(changes.map(({ client }) => client));
  if (drifts.length > 0)
    console.error(
      `${countText(drifts.length, "file")} in ${folder} ${drifts.length === 1 ? "differs" : "differ"} from the generated text; ${next}.`,
    );
  if (changes.length === 0) console.log("The server matches the lock file.");
  else console.log(`Impact: ${impact}. ${countText(changes.length, "change")}; ${next} to update the client.`);
  return drifts.length > 0 || (changes.length > 0 && isAtLeast(impact, options.failOn)) ? 1 : 0;
}

/** Returns one line about a change, for people. */
function changeText({ client, subject, detail }: ContractChange): string {
  return `${client.padEnd(8)}  ${outputLine(subject)}: ${outputLine(detail)}`;
}

function planning(name: string, { re2js }: ClientCommandOptions): PlanOptions {
  return { name, readVariables, ...(re2js && { acceptPattern: isEnforceable }) };
}

function settings({ imports }: ClientCommandOptions): Parameters<typeof emitClient>[1] {
  return { ending: imports, version: packageVersion(), packageFolder: packageRoot };
}

function nameOf(contract: Contract, target: Target, { name }: ClientCommandOptions): string {
  // Names of servers are often those of packages or registries. The part before the slash is not specific to the server.
  const own = contract.server.name.replace(/^.*\//, "");
  const file = target.kind === "file" ? target.path.replace(/^.*[\\/]|\.jsonl?$/gi, "") : "";
  const wanted = name ?? (own || file);
  if (/[A-Za-z]/.test(wanted)) return wanted;
  throw new UserError("the server's name is not a valid identifier; pass one with --name <name>");
}

function folderOf(name: string, { out }: ClientCommandOptions): string {
  return out ?? join("src", `${toFileName(name)}-client`);
}

/** Rejects a folder unless it is empty, or belongs to a client whose files were not edited. */
async function rejectOverwriting(folder: string, lock: ClientLock | undefined): Promise<void> {
  const edited = lock ? await findEdited(folder, lock) : [];
  if (edited.length > 0) {
    throw new UserError(
      `${folder} has edited files (${edited.join(", ")}); move the changes elsewhere, or overwrite them with --force.`,
    );
  }
  if (lock) return;
  const present = await readdir(folder).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return [];
    throw new UserError(`${folder} cannot be read (${systemCode(error)}); choose another folder with --out.`);
  });
  if (present.length > 0) {
    throw new UserError(
      `${folder} is not empty and was not generated by this command; choose another folder with --out, or pass --force.`,
    );
  }
}

function reportLosses(plan: ClientPlan): void {
  for (const line of lossLines(plan)) console.error(line);
}

function countLosses({ tools, rejected }: ClientPlan): number {
  return rejected.length + tools.reduce((sum, { losses }) => sum + losses.length, 0);
}

function offerText({ tools, prompts, templates }: ClientPlan): string {
  return [
    countText(tools.length, "tool"),
    countText(prompts.length, "prompt"),
    countText(templates.length, "resource template"),
  ].join(", ");
}

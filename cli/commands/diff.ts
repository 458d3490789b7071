import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { clientLockName } from "../../generator/typed-client/client/lock.ts";
import type { Contract } from "../../generator/typed-client/contract/contract.ts";
import { isAtLeast, type Impact } from "../../generator/typed-client/contract/impact.ts";
import type { Comparison } from "../../tools/diff/comparison.ts";
import { emitComparison, type ReportFormat } from "../../tools/diff/report/emit.ts";
import { compareExtensionModels, compareRevisionModels } from "../../tools/diff/revisions.ts";
import { compareServers } from "../../tools/diff/servers.ts";
import { readAccess, type AccessFlags } from "../../tools/live/access.ts";
import { findCardDifferences } from "../../runtime/server-card/differences.ts";
import { compareCards, compareCardWithServer } from "../../tools/diff/cards.ts";
import { fetchContract, fetchServerInfo, type FetchContractOptions } from "../../tools/live/fetch-contract.ts";
import { findCard, type FoundCard } from "../../tools/live/server-card.ts";
import { chooseRevisions } from "../../tools/live/choose-revisions.ts";
import { describeTarget, readTarget, type Target } from "../../tools/live/target.ts";
import { runPhase } from "../../generator/internal/phase.ts";
import type { ExtensionModel } from "../../generator/model.ts";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { openSpecFolder, type SpecFolder } from "../../generator/read/spec-folder.ts";
import { UserError } from "../../generator/internal/user-error.ts";
import { reportProblem, printReport } from "./report.ts";
import { chooseSpec, openSpecRevisions, type SpecFlags } from "./spec-revisions.ts";

/** Options of `create-mcp-server diff`. */
export interface DiffCommandOptions extends AccessFlags, SpecFlags {
  /** Revisions, addresses, commands in quotes, lists of tools, lock files, folders with one, or Server Cards. */
  readonly older: string;
  readonly newer: string;
  readonly protocol?: string;
  readonly format: ReportFormat;
  /** File for the report. Default: standard output. */
  readonly output?: string;
  /** Identifier of an extension: then two versions of it are compared, each a schema or a spec folder. */
  readonly extension?: string;
  /** Lowest impact for either side that makes the command fail. Default: none. */
  readonly failOn?: Impact;
}

/** `create-mcp-server diff`: compares two revisions, two servers, or Server Cards. Returns the exit code. */
export async function runDiff(options: DiffCommandOptions): Promise<number> {
  try {
    const comparison = await compare(options);
    await printReport(emitComparison(comparison, options.format), options.output);
    const { failOn } = options;
    if (failOn === undefined) return 0;
    return comparison.changes.some(({ client, server }) => isAtLeast(client, failOn) || isAtLeast(server, failOn))
      ? 1
      : 0;
  } catch (error) {
    return reportProblem(error);
  }
}

async function compare(options: DiffCommandOptions): Promise<Comparison> {
  const { older, newer, extension } = options;
  if (extension !== undefined) return compareVersions(extension, options);
  const spec = await openSpecFolder((await chooseSpec(options)) ?? join(packageRoot, "spec"));
  const named = [older, newer].filter((word) => spec.pins.has(word));
  if (named.length === 2) return compareNamed(older, newer, spec);
  if (named.length === 1 || [older, newer].some(isDate)) {
    const stray = [older, newer].find((word) => !spec.pins.has(word)) ?? "";
    throw new UserError(
      `unknown revision ${JSON.stringify(stray)}; choose one of ${[...spec.pins.keys()].join(", ")}, or pass two servers.`,
    );
  }
  return compareTargets(toTarget(older), toTarget(newer), options);
}

/** Compares two servers, two Server Cards, or a card with a server. */
async function compareTargets(older: Target, newer: Target, options: DiffCommandOptions): Promise<Comparison> {
  const names = [describeTarget(older), describeTarget(newer)] as const;
  const [olderCard, newerCard] = [await findCard(older), await findCard(newer)];
  if (olderCard && newerCard) return compareCards(olderCard.card, newerCard.card, names);
  if (olderCard) return compareWithCard(olderCard, newer, { names, isCardOlder: true, options });
  if (newerCard) return compareWithCard(newerCard, older, { names, isCardOlder: false, options });
  // One after the other: two versions of a server often use the same file or port.
  const contracts = [await pull(older, options), await pull(newer, options)] as const;
  return compareServers(...contracts, names);
}

async function compareWithCard(
  { card }: FoundCard,
  target: Target,
  {
    names,
    isCardOlder,
    options,
  }: {
    readonly names: readonly [string, string];
    readonly isCardOlder: boolean;
    readonly options: DiffCommandOptions;
  },
): Promise<Comparison> {
  if (target.kind === "file")
    throw new UserError(`${target.path} lists no identity; compare the server card with a server or another card.`);
  const info = await fetchServerInfo(target, await toFetching(options));
  const url = target.kind === "url" ? { url: target.url } : {};
  return compareCardWithServer(findCardDifferences(card, { info, ...url }), { names, isCardOlder });
}

async function compareNamed(older: string, newer: string, spec: SpecFolder): Promise<Comparison> {
  const all = await Promise.all([...spec.pins.keys()].map((id) => spec.readModel(id)));
  const [before, after] = [older, newer].map((id) => all.find((model) => model.id === id));
  if (!before || !after)
    throw new UserError(`the revisions ${older} and ${newer} cannot be read; check the spec folder.`);
  return compareRevisionModels(before, after, all);
}

/** Compares two versions of an extension. A spec folder stands for the version that it has pinned. */
async function compareVersions(extension: string, options: DiffCommandOptions): Promise<Comparison> {
  const spec = (await chooseSpec(options)) ?? join(packageRoot, "spec");
  // Loads the compiler, which other comparisons do not need.
  const [{ readExtensionVersion, readPinnedExtension }, { findNames }] = await Promise.all([
    import("../../generator/pin/draft-extension.ts"),
    import("../../generator/pin/extension-id.ts"),
  ]);
  const read = async (word: string): Promise<ExtensionModel> => {
    if (!existsSync(join(word, "pins.json"))) return readExtensionVersion(word, { extension, spec });
    const folder = await openSpecFolder(word);
    return readPinnedExtension(folder, (await findNames(folder, extension)).name);
  };
  const [older, newer] = await Promise.all([read(options.older), read(options.newer)]);
  return compareExtensionModels(older, newer);
}

function isDate(word: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(word);
}

/** Returns the target of a word. A folder means the lock file in it. */
function toTarget(word: string): Target {
  const isFolder = existsSync(word) && statSync(word).isDirectory();
  return readTarget([isFolder ? join(word, clientLockName) : word]);
}

async function pull(target: Target, options: DiffCommandOptions): Promise<Contract> {
  const fetching = await toFetching(options);
  return runPhase(`Reading ${describeTarget(target)}`, () => fetchContract(target, fetching));
}

async function toFetching(options: DiffCommandOptions): Promise<FetchContractOptions> {
  const { revisions } = await openSpecRevisions(options);
  return { ...readAccess(options), revisions: chooseRevisions(options.protocol, revisions) };
}

import type { ConnectionFactoryOptions } from "../../runtime/client/index.ts";
import { connectUpstream, readPartLosses, type PartLosses } from "../../runtime/gateway/index.ts";
import type { Revision } from "../../runtime/index.ts";
import { readLosses, type Loss } from "../../generator/conversions/conversions.ts";
import { readPossibleLosses } from "../../tools/explain/possible.ts";
import {
  emitExplanation,
  type Explanation,
  type ExplainedExtension,
  type ExplainedPart,
} from "../../tools/explain/text.ts";
import { runPhase } from "../../generator/internal/phase.ts";
import { isRecord, toJsonText } from "../../generator/internal/json-text.ts";
import { readAccess, type AccessFlags } from "../../tools/live/access.ts";
import { toObservedServer } from "../../tools/inspect/connect-server.ts";
import { readServerAddress, type ServerAddress } from "../../tools/live/server-address.ts";
import { explainUnreachable, explainUnreadable } from "../../tools/live/unreachable.ts";
import type { RevisionModel } from "../../generator/model.ts";
import { packageVersion } from "../../generator/internal/package-info.ts";
import { readSpecModels } from "../../generator/read/spec-models.ts";
import { findStage, readStages } from "../../generator/read/stages.ts";
import { UserError } from "../../generator/internal/user-error.ts";
import { reportProblem } from "./report.ts";
import { openSpecRevisions, type SpecFlags } from "./spec-revisions.ts";

/** Options of `create-mcp-server explain`. */
export interface ExplainOptions extends Omit<AccessFlags, "sse">, SpecFlags {
  /** The server: an address, a module, or a command and its arguments. */
  readonly server: readonly string[];
  /** Revision of the clients. */
  readonly protocol: string;
  /** Print JSON instead of text. */
  readonly json: boolean;
}

/** `create-mcp-server explain`: lists the parts of a server hidden from clients of a revision. Returns the exit code. */
export async function runExplain(options: ExplainOptions): Promise<number> {
  try {
    const explanation = await explain(options);
    console.log(options.json ? toJsonText(explanation) : emitExplanation(explanation));
    return 0;
  } catch (error) {
    return reportProblem(error);
  }
}

/**
 * Connects to a server and finds the parts hidden from clients of the revision.
 *
 * @throws {UserError} when the server cannot be reached or read, or there is no such revision.
 */
export async function explain({ server, protocol, ...flags }: Omit<ExplainOptions, "json">): Promise<Explanation> {
  const { spec, revisions } = await openSpecRevisions(flags);
  const target = revisions.find(({ id }) => id === protocol);
  if (!target) {
    const ids = revisions.map(({ id }) => id).join(", ");
    throw new UserError(`--protocol: unknown revision ${JSON.stringify(protocol)}; choose one of ${ids}.`);
  }
  const access = readAccess(flags);
  const { timeout } = access;
  const { info, written, parts, extensions } = await runPhase("Reading the server", async () =>
    ask(await readServerAddress(server, access), { target, revisions, timeout }),
  );
  const { models } = await runPhase("Reading schemas", () => readSpecModels(spec));
  return {
    server: info,
    revision: target.id,
    written,
    parts: addReasons(parts, models, target.id),
    extensions: addStages(extensions),
    possible: readPossible(models, { target: target.id, written }),
  };
}

/** Reads what a server offers, the revision of the connection, and the parts hidden from clients of the revision `target`. */
async function ask(
  place: ServerAddress,
  {
    target,
    revisions,
    timeout,
  }: { readonly target: Revision; readonly revisions: readonly Revision[]; readonly timeout: number },
): Promise<{
  readonly info: Explanation["server"];
  readonly written: string;
  readonly parts: readonly PartLosses[];
  /** Identifiers of the declared extensions. */
  readonly extensions: readonly string[];
}> {
  const timeouts = { initialize: timeout, request: timeout };
  // The message quotes the last words of a program.
  const server = toObservedServer(place, () => {});
  const connection = await connectUpstream(server)({ ...asker, revisions, timeouts }).catch((cause: unknown) => {
    throw new UserError(`the server cannot be reached: ${explainUnreachable(place, cause)}`, { cause });
  });
  try {
    const { name, version } = connection.serverInfo;
    const parts = await readPartLosses(connection, target).catch((cause: unknown) => {
      throw new UserError(`the server cannot be read: ${explainUnreadable(cause)}`, { cause });
    });
    const { extensions } = connection.serverCapabilities;
    const ids = isRecord(extensions) ? Object.keys(extensions) : [];
    return { info: { name, version }, written: connection.revision.id, parts, extensions: ids };
  } finally {
    await connection.close();
  }
}

/** Options of the connection. Some servers show certain tools only to clients with support for input requests. */
const asker: Omit<ConnectionFactoryOptions, "revisions"> = {
  info: { name: "create-mcp-server", version: packageVersion() },
  capabilities: { roots: {}, sampling: {}, elicitation: {} },
  onNewSession() {},
  onNotificationsLost() {},
};

function addStages(ids: readonly string[]): readonly ExplainedExtension[] {
  const stages = readStages();
  return ids.map((id) => {
    const { stage, revision } = findStage(id, stages) ?? {};
    return { id, ...(stage !== undefined && { stage }), ...(revision !== undefined && { revision }) };
  });
}

function readPossible(
  models: readonly RevisionModel[],
  { target: id, written }: { readonly target: string; readonly written: string },
): readonly Loss[] {
  const target = models.find((model) => model.id === id);
  return target && written > id ? readPossibleLosses(models, { target, written }) : [];
}

/** Adds the reasons. The converters report the losses; the overlays give the reasons. */
function addReasons(
  parts: readonly PartLosses[],
  models: readonly RevisionModel[],
  id: string,
): readonly ExplainedPart[] {
  const target = models.find((model) => model.id === id);
  const known = target ? readLosses(models, target) : [];
  return parts.map(({ losses, ...part }) => ({
    ...part,
    losses: losses.map((loss) => {
      const { since = "", reason = "" } =
        known.find(({ type, member = "" }) => type === loss.type && member === loss.member) ?? {};
      return { ...loss, since, reason };
    }),
  }));
}

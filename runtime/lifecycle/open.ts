import type { RequestRow, Revision } from "../../generated/support.ts";
import { isObject } from "../../generated/support.ts";
import type { Channel } from "../rpc/channel.ts";
import { createRoutes, type Handlers } from "../rpc/dispatch.ts";
import { createDowngrade } from "../rpc/downgrade.ts";
import { InvalidMessageError, VersionError } from "../rpc/errors.ts";
import { Peer, type PeerOptions } from "../rpc/peer.ts";
import { isProgramInfo, type Capabilities, type ProgramInfo } from "../rpc/session.ts";
import { answerPing, createOpeningRoutes, readOpeningRows, resolve, type PerRevision } from "./opening.ts";
import { findRevision, readHandshakeRevisions, readSupported } from "./negotiate.ts";

/** What a client is and answers. */
export interface OpenOptions extends PeerOptions {
  readonly info: PerRevision<ProgramInfo>;
  readonly capabilities?: PerRevision<Capabilities>;
  /** The revisions that are spoken; the first is proposed. */
  readonly revisions: readonly Revision[];
  /** Functions by handler name: `createMessage`, `elicit`, `listRoots`, ... Notifications too: `toolListChanged`. */
  readonly handlers?: PerRevision<Handlers>;
  /** Gives the handshake up and closes the connection. */
  readonly signal?: AbortSignal;
}

/**
 * Opens a session from the client's side. A failed handshake closes the connection: it is never cancelled.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization
 */
export async function openHandshake(channel: Channel, options: OpenOptions): Promise<Peer> {
  const revisions = readHandshakeRevisions(options.revisions);
  options.signal?.throwIfAborted();
  const peer = new Peer(channel, createOpeningRoutes(readOpeningRows(revisions[0])), {
    ...options,
    answersNoise: false,
  });
  const giveUp = (): void => void peer.close();
  options.signal?.addEventListener("abort", giveUp, { once: true });
  try {
    peer.start();
    peer.begin();
    await negotiate(peer, revisions, options);
    await peer.sendNotification({ jsonrpc: "2.0", method: "notifications/initialized" });
    return peer;
  } catch (error) {
    await peer.close();
    options.signal?.throwIfAborted();
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", giveUp);
  }
}

/** Some servers refuse an unknown revision instead of offering another; then one of those that they name is tried, once. */
async function negotiate(
  peer: Peer,
  revisions: readonly [Revision, ...Revision[]],
  options: OpenOptions,
): Promise<void> {
  const [preferred] = revisions;
  try {
    await propose(peer, preferred, options);
  } catch (error) {
    const supported = readSupported(error);
    if (!supported) throw error;
    const other = revisions.find((revision) => revision !== preferred && supported.includes(revision.id));
    if (!other) throw new VersionError(toIds(revisions), supported);
    await propose(peer, other, options);
  }
}

/** The session opens while the answer is being read, so that what follows it in the same chunk finds it open. */
function propose(peer: Peer, revision: Revision, options: OpenOptions): Promise<void> {
  const row = readInitializeRow(revision);
  const info = resolve(options.info, revision);
  const capabilities = options.capabilities === undefined ? {} : resolve(options.capabilities, revision);
  const params = { protocolVersion: revision.id, capabilities, clientInfo: info };
  return new Promise((done, reject) => {
    peer.ask({ ...row, result: acceptAll }, params, {
      resolve(result) {
        openSession(peer, result, { info, capabilities }, options);
        done();
      },
      reject,
    });
  });
}

function openSession(
  peer: Peer,
  result: unknown,
  own: { readonly info: ProgramInfo; readonly capabilities: Capabilities },
  options: OpenOptions,
): void {
  const answer = isObject(result) ? result : {};
  const revisions = readHandshakeRevisions(options.revisions);
  const revision = findRevision(answer.protocolVersion, revisions);
  if (!revision) throw new VersionError(toIds(revisions), [String(answer.protocolVersion)]);
  const issue = readInitializeRow(revision).result(result);
  if (issue) throw new InvalidMessageError("initialize", "result", issue);
  const { serverInfo, capabilities } = answer;
  if (!isProgramInfo(serverInfo) || !isObject(capabilities)) {
    throw new InvalidMessageError("initialize", "result", { path: "", expected: "an InitializeResult" });
  }
  const instructions = typeof answer.instructions === "string" ? answer.instructions : undefined;
  const handlers = options.handlers === undefined ? {} : resolve(options.handlers, revision);
  const { onLoss: mode, onError } = options;
  const downgrade = createDowngrade(revision, { role: "client", written: revisions[0], mode, onError });
  const builtins = new Map([["ping", answerPing]]);
  const routes = createRoutes(revision, { role: "client", handlers, builtins, downgrade });
  const server = { info: serverInfo, capabilities };
  peer.open({ revision, role: "client", own, peer: server, instructions, downgrade }, routes);
  peer.confirm();
}

function readInitializeRow(revision: Revision): RequestRow {
  return readOpeningRows(revision).initialize;
}

function toIds(revisions: readonly Revision[]): readonly string[] {
  return revisions.map((revision) => revision.id);
}

function acceptAll(): undefined {
  return undefined;
}

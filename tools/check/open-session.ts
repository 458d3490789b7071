import { isObject, type Revision } from "../../generated/support.ts";
import { Conversation, own, type CallOutcome } from "./conversation.ts";
import { textOf } from "./server-text.ts";
import { HttpWire } from "./wires/http-wire.ts";
import type { WireFactory } from "./wires/wire.ts";

/** First request of a session that was not opened. */
export interface Rejection {
  readonly revision: Revision;
  readonly response: CallOutcome;
  /** First text sent by the server instead of a message. */
  readonly stray: string | undefined;
}

/** Opens a session in exactly this revision. Returns the outcome of the first request if the server does not support it. */
export async function openSession(wires: WireFactory, revision: Revision): Promise<Conversation | Rejection> {
  const wire = await wires.open();
  const conversation = new Conversation(wire, revision);
  const response = await (revision.lifecycle === "handshake" ? shakeHands(conversation) : discover(conversation));
  if (response === true) return conversation;
  await wire.close();
  return { revision, response, stray: wire.strayData.find(({ kind }) => kind === "text")?.text };
}

/**
 * Creates a session beside the first one of the same revision. Probes share it, because to start a program takes longer than all messages of a probe.
 * `open` returns it, and opens it unless it is open; `undefined` on failure.
 */
export function createSecondSession(reopen: () => Promise<Conversation | undefined>): {
  open(): Promise<Conversation | undefined>;
  close(): Promise<void>;
} {
  let current: Conversation | undefined;
  const close = async (): Promise<void> => {
    const former = current;
    current = undefined;
    await former?.wire.close();
  };
  return {
    close,
    async open() {
      if (current?.wire.isOpen) return current;
      await close();
      current = await reopen();
      return current;
    },
  };
}

/** Resolves to `true`, or to the response that did not open a session. */
async function shakeHands(conversation: Conversation): Promise<true | CallOutcome> {
  const { revision } = conversation;
  const response = await conversation.ask("initialize", {
    protocolVersion: revision.id,
    capabilities: own.capabilities,
    clientInfo: own.info,
  });
  if (response.kind !== "result" || response.result.protocolVersion !== revision.id) return response;
  take(conversation, response.result, response.result.serverInfo);
  if (conversation.wire instanceof HttpWire) conversation.wire.agree(revision);
  await conversation.notify("notifications/initialized");
  return true;
}

async function discover(conversation: Conversation): Promise<true | CallOutcome> {
  const { revision } = conversation;
  const response = await conversation.ask("server/discover");
  if (response.kind !== "result") return response;
  const { supportedVersions: supported, _meta: meta } = response.result;
  if (!Array.isArray(supported) || !supported.includes(revision.id)) return response;
  const info = revision.reservedMeta.find(({ on, type }) => on === "result" && type === "Implementation");
  take(conversation, response.result, isObject(meta) && info ? meta[info.key] : undefined);
  return true;
}

function take(
  conversation: Conversation,
  { capabilities, instructions }: Record<string, unknown>,
  info: unknown,
): void {
  conversation.instructions = typeof instructions === "string" ? instructions : "";
  conversation.capabilities = isObject(capabilities) ? capabilities : {};
  const { name, version } = isObject(info) ? info : {};
  conversation.info = {
    ...(isObject(info) && info),
    name: textOf(name ?? ""),
    version: textOf(version ?? ""),
  };
}

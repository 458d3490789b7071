import { setTimeout as sleep } from "node:timers/promises";
import { isObject, type Revision } from "../../../generated/support.ts";
import { connect, type ClientConnection } from "../../../runtime/client/connect.ts";
import { findMethod } from "../../../runtime/protocol/methods/method-rows.ts";
import { knownExtensions } from "../../../runtime/gateway/extensions.ts";
import type { Channel } from "../../../runtime/jsonrpc/channel.ts";
import { extendRevisions } from "../../../runtime/protocol/revision/extend-revisions.ts";
import { uiMimeType } from "../../../runtime/server/apps/ui-resource.ts";
import { tap, type Seen } from "./tap.ts";

/** Capabilities of a client with every extension of this package. */
export const everything: Readonly<Record<string, object>> = {
  "io.modelcontextprotocol/tasks": {},
  "io.modelcontextprotocol/skills": {},
  "io.modelcontextprotocol/ui": { mimeTypes: [uiMimeType] },
};

/** Goes through everything that extensions add at a revision, and gives every message of the conversation. */
export async function converseExtended(
  channel: Channel,
  core: Revision,
  extensions: Readonly<Record<string, object>> = everything,
): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  const known = knownExtensions.map((extension) => ({ ...extension, declared: {} }));
  const [revision = core] = extendRevisions([core], known, "client");
  const hasForms = core.id >= "2025-06-18";
  const usable = Object.keys(extensions).filter((id) => Object.hasOwn(revision.extensions ?? {}, id));
  const connection = await connect(tap(channel, seen), {
    info: { name: "test", version: "1" },
    revisions: [revision],
    capabilities: {
      ...(hasForms && { elicitation: core.id >= "2025-11-25" ? { form: {} } : {} }),
      ...(usable.length > 0 && { extensions: Object.fromEntries(usable.map((id) => [id, extensions[id]])) }),
    },
    handlers: { elicit: () => ({ action: "accept", content: {} }) },
  });
  try {
    const talk = { connection, revision };
    const uri = "skill://acme/refunds/SKILL.md";
    await request(talk, "tools/list", {});
    await request(talk, "resources/list", {});
    await request(talk, "resources/read", { uri: "ui://exact/board" });
    await request(talk, "skills/list", {});
    await request(talk, "skills/get", { uri });
    await request(talk, "skills/get", { uri: "skill://none" });
    await request(talk, "resources/directory/read", { uri: "skill://acme/refunds" });
    await request(talk, "resources/read", { uri });
    await request(talk, "tools/call", { name: "show", arguments: {} });
    for (const name of hasForms ? ["work", "fails", "asks"] : ["work", "fails"])
      await follow(talk, name, "tasks/update");
    if (usable.includes("io.modelcontextprotocol/tasks")) await follow(talk, "endless", "tasks/cancel");
  } finally {
    await connection.close();
  }
  return seen;
}

interface Talk {
  readonly connection: ClientConnection;
  readonly revision: Revision;
}

/** Sends a request. A rejection is part of the conversation, because errors are messages, too. */
async function request(
  { connection, revision }: Talk,
  method: string,
  params: object,
): Promise<Record<string, unknown>> {
  if (!findMethod(revision.clientRequests, method)) return {};
  try {
    const result = await connection.request(method, params);
    return isObject(result) ? result : {};
  } catch (error) {
    const isExpected = error instanceof Error && ["PeerError", "CapabilityError"].includes(error.name);
    if (!isExpected && !(error instanceof Error && error.name === "MissingCapabilityError")) throw error;
    return {};
  }
}

/** Calls a tool, and where that becomes a task listens to it, responds to its input requests, and waits for its end. */
async function follow(talk: Talk, name: string, middle: "tasks/update" | "tasks/cancel"): Promise<void> {
  const started = await request(talk, "tools/call", { name, arguments: {} });
  const { taskId } = started;
  if (started.resultType !== "task") return;
  const stop = new AbortController();
  const notifications = { taskIds: [taskId] };
  const listening = talk.connection.request("subscriptions/listen", { notifications }, { signal: stop.signal });
  listening.catch(() => {});
  for (let round = 0; round < 400; round += 1) {
    const task = await request(talk, "tasks/get", { taskId });
    if (typeof task.status === "string" && ["completed", "failed", "cancelled"].includes(task.status)) break;
    const inputRequests = isObject(task.inputRequests) ? Object.keys(task.inputRequests) : [];
    const inputResponses = Object.fromEntries(inputRequests.map((key) => [key, { action: "accept", content: {} }]));
    if (middle === "tasks/cancel") await request(talk, middle, { taskId });
    else if (inputRequests.length > 0) await request(talk, middle, { taskId, inputResponses });
    await sleep(10);
  }
  await sleep(20);
  stop.abort();
}

import { isObject, type Revision } from "../../../generated/support.ts";
import { requestMetadata } from "../../kit/messages.ts";
import type { RunningGateway } from "./command-run.ts";

/** A conversation in bytes: nothing of ours or of anybody else's is between the test and the wire. */
export interface RawWire {
  request(method: string, params?: object): Promise<Record<string, unknown>>;
}

type Message = Record<string, unknown>;

/** Opens a conversation with an address: a session where the revision has them. */
export async function openHttp(url: string, revision: Revision): Promise<RawWire> {
  const isStateless = revision.lifecycle === "per-request";
  const fixed: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const post = async (message: Message): Promise<Message> => {
    const { method, params } = message;
    const name = isObject(params) ? (params.name ?? params.uri) : undefined;
    const mirrored = { "mcp-method": String(method), ...(typeof name === "string" && { "mcp-name": name }) };
    const headers = { ...fixed, ...(isStateless && mirrored) };
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(message) });
    const session = response.headers.get("mcp-session-id");
    if (session !== null) fixed["mcp-session-id"] = session;
    const text = await response.text();
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const bodies = isStream ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data = ""]) => data) : [text];
    return (
      bodies
        .filter((body) => body !== "")
        .map(parse)
        .find((body) => body.id === message.id) ?? {}
    );
  };
  if (isStateless) fixed["mcp-protocol-version"] = revision.id;
  const wire = createWire(revision, post);
  if (!isStateless) await open(wire, revision, post);
  // Since then later requests repeat what was agreed on.
  if (revision.id >= "2025-06-18") fixed["mcp-protocol-version"] = revision.id;
  return wire;
}

/** Opens a conversation with a gateway on its stdin and stdout. */
export async function openStdio(gateway: RunningGateway, revision: Revision): Promise<RawWire> {
  const responseTo = async (id: unknown): Promise<Message> => {
    for (;;) {
      const found = gateway
        .stdout()
        .split("\n")
        .slice(0, -1)
        .map(parse)
        .find((line) => line.id === id);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const post = (message: Message): Promise<Message> => {
    gateway.write(`${JSON.stringify(message)}\n`);
    return message.id === undefined ? Promise.resolve({}) : responseTo(message.id);
  };
  const wire = createWire(revision, post);
  if (revision.lifecycle === "handshake") await open(wire, revision, post);
  return wire;
}

function createWire({ lifecycle }: Revision, post: (message: Message) => Promise<Message>): RawWire {
  let count = 0;
  const more = lifecycle === "per-request" ? { _meta: requestMetadata() } : {};
  return {
    request(method, params = {}) {
      count += 1;
      return post({ jsonrpc: "2.0", id: `raw-${count}`, method, params: { ...params, ...more } });
    },
  };
}

async function open(wire: RawWire, { id }: Revision, post: (message: Message) => Promise<Message>): Promise<void> {
  const params = { protocolVersion: id, capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  const { result } = await wire.request("initialize", params);
  if (!isObject(result) || result.protocolVersion !== id) throw new Error(`not opened: ${JSON.stringify(result)}`);
  await post({ jsonrpc: "2.0", method: "notifications/initialized" });
}

function parse(text: string): Message {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error(`not a message: ${text}`);
  return value;
}

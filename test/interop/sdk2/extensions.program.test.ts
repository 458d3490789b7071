import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { revisions } from "../../../generated/revisions.ts";
import { connectHttp } from "../../../runtime/client/connect-http.ts";
import { connectStdio } from "../../../runtime/client/connect-stdio.ts";
import type { ConnectionFactory } from "../../../runtime/client/connection-factory.ts";
import { createUntypedClient } from "../../../runtime/client/create-client.ts";
import { defineExtension } from "../../../runtime/server/extensions/define-extension.ts";
import { createGateway } from "../../../runtime/gateway/gateway.ts";
import { serveGatewayHttp } from "../../../runtime/gateway/serve.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { createProgram } from "../../kit/programs.ts";
import { clientNotifications, clientRequests, extension, id } from "../../runtime/server/extensions/echo.ts";
import { statelessRevision, newest as handshake } from "../../kit/revisions.ts";
import { createOfficialEcho, createOurEcho } from "./echo-servers.ts";
import { serveFetch } from "./server.ts";

/* The extension of a user, with the official library and its own handlers at the other end. */

const script = await createProgram(new URL("echo-stdio-server.ts", import.meta.url));
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const text = z.object({ text: z.string() });

/** What is the same of a client of either library. */
interface EchoClient {
  readonly revision: string | undefined;
  readonly faded: readonly string[];
  say(said: string): Promise<unknown>;
  spell(): Promise<unknown>;
  receive(said: string): Promise<unknown>;
}

async function joinOfficial(
  place: { readonly url: string } | { readonly args: readonly string[] },
  mode: "legacy" | "auto",
): Promise<EchoClient> {
  const faded: string[] = [];
  const client = new Client(
    { name: "official", version: "1" },
    { capabilities: { extensions: { [id]: {} } }, versionNegotiation: { mode } },
  );
  client.setNotificationHandler("notifications/echo/faded", { params: text }, (params) => void faded.push(params.text));
  client.setRequestHandler("echo/voice", { params: text, result: text }, (params) => ({ text: `~${params.text}~` }));
  const transport =
    "url" in place
      ? new StreamableHTTPClientTransport(new URL(place.url))
      : new StdioClientTransport({ command: process.execPath, args: [...place.args] });
  await client.connect(transport);
  ends.push(() => client.close());
  return {
    revision: client.getNegotiatedProtocolVersion(),
    faded,
    say: (said) => client.request({ method: "echo/say", params: { text: said } }, text),
    spell: () => client.request({ method: "echo/spell", params: { text: "" } }, text),
    receive: (said) => client.notification({ method: "notifications/echo/heard", params: { text: said } }),
  };
}

async function joinOurs(open: ConnectionFactory, revision = revisions): Promise<EchoClient> {
  const faded: string[] = [];
  const echo = defineExtension(extension, {
    requests: { "echo/voice": ({ text: said }) => ({ text: `~${said}~` }) },
    notifications: { "notifications/echo/faded": ({ text: said }) => void faded.push(said) },
  });
  const client = createUntypedClient({
    info: { name: "ours", version: "1" },
    revisions: revision,
    extensions: [echo],
  });
  ends.push(() => client.close());
  const session = await client.connect(open);
  return {
    revision: session.revision.id,
    faded,
    say: (said) => session.request(clientRequests["echo/say"], { text: said }),
    spell: () => session.request(clientRequests["echo/spell"], { text: "" }),
    receive: (said) => session.notify(clientNotifications["notifications/echo/heard"], { text: said }),
  };
}

/** `hears` is false where the server of a notification has no memory of it. */
async function exercise(client: EchoClient, revision: string, { hears }: { readonly hears: boolean }): Promise<void> {
  expect(client.revision).toBe(revision);
  expect(await client.say("abc")).toMatchObject({ text: "ABC" });
  if (revision === handshake.id) expect(await client.say("voice")).toMatchObject({ text: "~voice~" });
  await expect.poll(() => client.faded[0], { timeout: 60_000 }).toBe("abc…");
  await client.receive("x");
  if (hears) await expect.poll(() => client.spell(), { timeout: 60_000 }).toMatchObject({ text: "x" });
}

async function serveOurs(): Promise<string> {
  const listener = await serveHttp(createOurEcho(), { port: 0 });
  ends.push(() => listener.close());
  return listener.url;
}

async function gatewayTo(url: string): Promise<string> {
  const gateway = await createGateway({ kind: "url", url }, { revisions, extensions: [defineExtension(extension)] });
  const listener = await serveGatewayHttp(gateway);
  ends.push(
    () => gateway.close(),
    () => listener.close(),
  );
  return listener.url;
}

describe.each([
  ["legacy", handshake.id],
  ["auto", statelessRevision.id],
] as const)("an official client in the mode %s", (mode, revision) => {
  test("uses an extension of ours over HTTP", async () => {
    const client = await joinOfficial({ url: await serveOurs() }, mode);
    await exercise(client, revision, { hears: true });
  });

  test("uses an extension of ours over stdio", async () => {
    const client = await joinOfficial({ args: [script, "ours"] }, mode);
    await exercise(client, revision, { hears: true });
  });

  test("uses an extension of ours through a gateway", async () => {
    const client = await joinOfficial({ url: await gatewayTo(await serveOurs()) }, mode);
    expect(client.revision).toBe(revision);
    expect(await client.say("abc")).toMatchObject({ text: "ABC" });
  });
});

describe("our client", () => {
  const command = process.execPath;

  test("uses an extension of an official server without sessions", async () => {
    const handler = createMcpHandler(() => createOfficialEcho());
    const official = await serveFetch((request) => handler.fetch(request));
    ends.push(() => official.close());
    const client = await joinOurs((options) => connectHttp(official.url, options));
    // Each request gets a server of its own, which has heard nothing.
    await exercise(client, statelessRevision.id, { hears: false });
  });

  test("uses an extension of an official server over stdio", async () => {
    const client = await joinOurs((options) => connectStdio({ command, args: [script, "official"] }, options));
    await exercise(client, handshake.id, { hears: true });
  });

  test.each([statelessRevision, handshake])(
    "uses an extension of a server of ours over stdio at $id",
    async (revision) => {
      const open: ConnectionFactory = (options) => connectStdio({ command, args: [script, "ours"] }, options);
      await exercise(await joinOurs(open, [revision]), revision.id, { hears: true });
    },
  );

  test.each([statelessRevision, handshake])(
    "uses an extension of an official server through a gateway at $id",
    async (revision) => {
      const gateway = await createGateway(
        { kind: "command", command, args: [script, "official"] },
        { revisions, extensions: [defineExtension(extension)] },
      );
      const listener = await serveGatewayHttp(gateway);
      ends.push(
        () => gateway.close(),
        () => listener.close(),
      );
      const client = await joinOurs((options) => connectHttp(listener.url, options), [revision]);
      await exercise(client, revision.id, { hears: revision === handshake });
    },
  );
});

import { describe, expect, test } from "vitest";
import { isObject } from "../../../generated/support.ts";
import { createClient } from "../../../runtime/client/create-client.ts";
import {
  communityProfile,
  createCommunityProfile,
  type CommunityOptions,
} from "../../../runtime/compatibility/community-profile.ts";
import type { Profile } from "../../../runtime/protocol/profile.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import { handshakeRevisions, newest } from "../../kit/revisions.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { initialize, initialized } from "../../kit/messages.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";

const structured = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
  },
} as const;

const server = createServer(
  {
    name: "server",
    version: "1",
    onError() {},
    tools: [
      { name: "plain", execute: () => "fine" },
      { name: "full", outputSchema: structured, execute: () => ({ a: 1 }) },
      { name: "bad", execute: () => Promise.reject(new Error("secret")) },
      {
        name: "steps",
        async execute(_args, { progress }: { progress(done: number): Promise<void> }) {
          await progress(1);
          return "done";
        },
      },
    ],
  },
  handshakeRevisions,
);

async function callTool(
  profile: Profile | undefined,
  params: object,
  revision = newest.id,
): Promise<readonly unknown[]> {
  const wire = new Wire();
  serve(server, wire, profile ? { profile } : {});
  wire.post(initialize(revision), initialized);
  await settle();
  wire.sent.length = 0;
  wire.post({ jsonrpc: "2.0", id: 7, method: "tools/call", params });
  await settle();
  return wire.sent.splice(0);
}

const withOption = (name: keyof CommunityOptions): Profile => createCommunityProfile({ [name]: true });

describe("topLevelProgressToken", () => {
  const params = { name: "steps", arguments: {}, progressToken: "top" };
  const tokensOf = (sent: readonly unknown[]): readonly unknown[] =>
    sent.flatMap((message) => (isObject(message) && isObject(message.params) ? [message.params.progressToken] : []));

  test.each(handshakeRevisions.map(({ id }) => id))(
    "topLevelProgressToken accepts a token beside _meta, at %s",
    async (id) => {
      expect(tokensOf(await callTool(withOption("topLevelProgressToken"), params, id))).toEqual(["top"]);
    },
  );

  test("topLevelProgressToken does not replace the token of _meta", async () => {
    const both = { ...params, _meta: { progressToken: "official" } };
    expect(tokensOf(await callTool(withOption("topLevelProgressToken"), both))).toEqual(["official"]);
  });

  test.each([undefined, communityProfile])(
    "topLevelProgressToken is off without the profile: profile %#",
    async (profile) => {
      expect(tokensOf(await callTool(profile, params))).toEqual([]);
    },
  );
});

describe("alwaysStructured", () => {
  const profile = withOption("alwaysStructured");
  const resultOf = async (used: Profile | undefined, name: string, revision?: string): Promise<unknown> => {
    const response = (await callTool(used, { name }, revision)).at(-1);
    return isObject(response) ? response.result : undefined;
  };
  const knowing = handshakeRevisions.filter(({ knownMembers }) => knownMembers.includes("Tool.outputSchema"));

  test.each(knowing.map(({ id }) => id))(
    "alwaysStructured adds an empty object where a tool gives none, at %s",
    async (id) => {
      expect(await resultOf(profile, "plain", id)).toEqual({
        content: [{ type: "text", text: "fine" }],
        structuredContent: {},
      });
    },
  );

  test("alwaysStructured changes neither structured content nor failures", async () => {
    expect(await resultOf(profile, "full")).toMatchObject({ structuredContent: { a: 1 } });
    expect(await resultOf(profile, "bad")).toMatchObject({ isError: true });
    expect(await resultOf(profile, "bad")).not.toHaveProperty("structuredContent");
  });

  test("alwaysStructured adds nothing at revisions without structured content", async () => {
    const others = handshakeRevisions.filter((revision) => !knowing.includes(revision));
    expect(others.length).toBeGreaterThan(0);
    for (const { id } of others) {
      expect(await resultOf(profile, "plain", id)).toEqual({ content: [{ type: "text", text: "fine" }] });
    }
  });

  test.each([undefined, communityProfile])("alwaysStructured is off without the profile: profile %#", async (used) => {
    expect(await resultOf(used, "plain")).not.toHaveProperty("structuredContent");
  });
});

describe("lenientResourceLinks", () => {
  const bare = { type: "resource", resource: { uri: "a://b", mimeType: "text/plain" }, annotations: { priority: 1 } };
  const link = {
    type: "resource_link",
    uri: "a://b",
    name: "a://b",
    mimeType: "text/plain",
    annotations: { priority: 1 },
  };

  async function call(profile: Profile | undefined, result: object, revision = newest): Promise<unknown> {
    const wire = new Wire();
    const client = createClient({
      info: { name: "c", version: "1" },
      revisions: [revision],
      ...(profile && { profile }),
    });
    const opening = client.connect(wire);
    await settle();
    const capabilities = { tools: {}, prompts: {} };
    const serverInfo = { name: "s", version: "1" };
    respond(wire, { protocolVersion: revision.id, capabilities, serverInfo });
    const session = await opening;
    wire.sent.length = 0;
    const isPrompt = "messages" in result;
    const called = (isPrompt ? session.getPrompt("p") : session.callTool("t")).catch((error: unknown) => error);
    await settle();
    respond(wire, result);
    const outcome: unknown = await called;
    wire.end();
    await client.close();
    return outcome;
  }

  function respond(wire: Wire, result: object): void {
    const request = wire.sent.find((message) => isObject(message) && "id" in message && "method" in message);
    wire.post({ jsonrpc: "2.0", id: isObject(request) ? request.id : undefined, result });
  }

  const profile = withOption("lenientResourceLinks");

  test("lenientResourceLinks reads a resource without contents as a link, in results of tools and in prompts", async () => {
    const text = { type: "text", text: "x" };
    expect(await call(profile, { content: [text, bare] })).toMatchObject({ content: [text, link] });
    expect(await call(profile, { messages: [{ role: "user", content: bare }] })).toMatchObject({
      messages: [{ role: "user", content: link }],
    });
    expect(await call(profile, { content: [{ type: "resource", uri: "a://b", name: "n" }] })).toMatchObject({
      content: [{ type: "resource_link", uri: "a://b", name: "n" }],
    });
  });

  test.each([
    ["text", { type: "resource", resource: { uri: "a://b", text: "" } }],
    ["a blob", { type: "resource", resource: { uri: "a://b", blob: "" } }],
  ])("lenientResourceLinks does not change a resource with %s", async (_name, block) => {
    expect(await call(profile, { content: [block] })).toMatchObject({ content: [block] });
  });

  test("lenientResourceLinks keeps invalid content that is no link", async () => {
    for (const block of [{ type: "resource" }, { type: "resource", resource: { uri: 5 } }]) {
      expect(await call(profile, { content: [block] })).toBeInstanceOf(Error);
    }
  });

  test("lenientResourceLinks has no effect at a revision without links", async () => {
    const oldest = handshakeRevisions.at(-1) ?? newest;
    expect(await call(profile, { content: [bare] }, oldest)).toBeInstanceOf(Error);
  });

  test.each([undefined, communityProfile])(
    "lenientResourceLinks is off without the profile: profile %#",
    async (used) => {
      expect(await call(used, { content: [bare] })).toBeInstanceOf(Error);
    },
  );
});

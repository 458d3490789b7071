import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod";
import type { Declarations } from "../../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../../generated/revisions.ts";
import type { Revision } from "../../../../generated/support.ts";
import { connectHttp } from "../../../../runtime/client/connect-http.ts";
import type { ClientOptions } from "../../../../runtime/client/options.ts";
import { createClient } from "../../../../runtime/client/create-client.ts";
import type { ClientSession } from "../../../../runtime/client/session/client-session.ts";
import { forRevisions } from "../../../../runtime/server/for-revisions.ts";
import { serveHttp } from "../../../../runtime/server/run/serve-http.ts";
import { connectInMemory } from "../../../../runtime/testing/connect-to.ts";
import { text } from "../../../kit/messages.ts";

/* Elicitation with a message and a schema, and sampling with a text, at every revision. */

const { defineServer, defineTool } = forRevisions<Declarations>(revisions);

const trip = z.object({
  seat: z.enum(["12A", "12B"]),
  code: z.string().regex(/^[A-Z]{2}$/),
  bags: z.int().positive().default(1).describe("Number of bags"),
  meal: z.union([z.literal("a").meta({ title: "Apple" }), z.literal("b").meta({ title: "Bread" })]).optional(),
});

const tools = [
  defineTool({ name: "seat", execute: async (_args, { elicit }) => JSON.stringify(await elicit("Seat?", trip)) }),
  defineTool({
    name: "shirt",
    async execute(_args, { elicit }) {
      const properties = { name: { type: "string" }, size: { type: "string", enum: ["S", "M"] } } as const;
      return JSON.stringify(await elicit("Shirt?", { type: "object", properties, required: ["name"] }));
    },
  }),
  defineTool({
    name: "twice",
    async execute(_args, { elicit }) {
      const even = z.object({ n: z.number().transform((n) => `number ${n}`) });
      const first = await elicit("One?", even);
      const second = await elicit("Two?", even, { key: "second" });
      return JSON.stringify([first.content, second.content]);
    },
  }),
  defineTool({
    name: "summary",
    execute: (_args, { sample }) => sample("Summarize", { systemPrompt: "Be brief.", temperature: 0.5 }),
  }),
  defineTool({ name: "long", execute: (_args, { sample }) => sample("Tell", { maxTokens: 5_000, key: "story" }) }),
];

const server = defineServer({ name: "typed", version: "1", tools, onError() {} });

interface Responses {
  /** Content of each form, or the action without content, in order. */
  readonly forms?: readonly (Record<string, string | number | boolean> | "decline" | "cancel")[];
  readonly sampled?: Declarations["CreateMessageResult"]["content"];
}

/** Params that a client has received. */
interface Received {
  readonly forms: unknown[];
  readonly sampling: unknown[];
}

type TypedSession = ClientSession<Declarations>;

/** Ways to connect a client of a revision. */
const ways: Readonly<Record<string, (options: ClientOptions<Declarations>) => Promise<TypedSession>>> = {
  "in memory": (options) => connectInMemory<Declarations>(server, options),
  async "over HTTP"(options) {
    const listener = await serveHttp(server, { port: 0 });
    closing.push(() => listener.close());
    return createClient<Declarations>(options).connect((opening) => connectHttp(listener.url, opening));
  },
};

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Calls a tool as a client of a revision, which sends these responses. */
async function call(
  tool: string,
  { revision, way, ...responses }: Responses & { readonly revision: Revision; readonly way: string },
): Promise<{ readonly outcome: unknown; readonly received: Received }> {
  const { forms = [], sampled = { type: "text", text: "Short." } } = responses;
  const received: Received = { forms: [], sampling: [] };
  const left = [...forms];
  const session = await ways[way]?.({
    info: { name: "test", version: "1" },
    revisions: [revision],
    elicitation: {
      form(params) {
        received.forms.push(params);
        const next = left.shift() ?? "cancel";
        return typeof next === "string" ? { action: next } : { action: "accept", content: next };
      },
    },
    sampling: {
      createMessage(params) {
        received.sampling.push(params);
        return { role: "assistant", model: "m", content: sampled };
      },
    },
  });
  if (!session) throw new Error(`no way ${way}`);
  closing.push(() => session.close());
  const outcome = await session.callTool(tool).catch((error: unknown) => error);
  return { outcome, received };
}

const failure = (message: RegExp): object => ({
  isError: true,
  content: [{ type: "text", text: expect.stringMatching(message) }],
});

const good = { seat: "12B", code: "AB", bags: 2 } as const;

const withElicitation = revisions.filter(({ capabilities }) => capabilities.client.includes("elicitation"));
const withoutElicitation = revisions.filter((revision) => !withElicitation.includes(revision));

/** True where forms have defaults and titles of choices as JSON Schema. */
const isNewer = ({ capabilities }: Revision): boolean => capabilities.client.includes("elicitation.url");

describe.each(Object.keys(ways))("%s", (way) => {
  describe.each(withElicitation)("at $id", (revision) => {
    test("a form has exactly the keywords of the revision", async () => {
      const { received } = await call("seat", { way, revision, forms: [good] });
      const meal = isNewer(revision)
        ? {
            type: "string",
            oneOf: [
              { const: "a", title: "Apple" },
              { const: "b", title: "Bread" },
            ],
          }
        : { type: "string", enum: ["a", "b"], enumNames: ["Apple", "Bread"] };
      expect(received.forms).toEqual([
        expect.objectContaining({
          message: "Seat?",
          requestedSchema: {
            type: "object",
            properties: {
              seat: { type: "string", enum: ["12A", "12B"] },
              code: { type: "string" },
              bags: {
                type: "integer",
                description: "Number of bags",
                minimum: 1,
                ...(isNewer(revision) && { default: 1 }),
              },
              meal,
            },
            required: ["seat", "code"],
          },
        }),
      ]);
    });

    test("an accepted form has the content that the schema returns", async () => {
      const { outcome } = await call("seat", { way, revision, forms: [{ seat: "12A", code: "XY" }] });
      expect(outcome).toMatchObject(
        text(JSON.stringify({ action: "accept", content: { seat: "12A", code: "XY", bags: 1 } })),
      );
    });

    test.each(["decline", "cancel"] as const)("a form without content has the action %s", async (action) => {
      const { outcome } = await call("seat", { way, revision, forms: [action] });
      expect(outcome).toMatchObject(text(JSON.stringify({ action })));
    });

    test("a form of plain JSON Schema has the requested content", async () => {
      const { outcome } = await call("shirt", { way, revision, forms: [{ name: "Ada", size: "M" }] });
      expect(outcome).toMatchObject(text(JSON.stringify({ action: "accept", content: { name: "Ada", size: "M" } })));
    });

    test("a handler that requests two forms gets the content of each", async () => {
      const { outcome } = await call("twice", { way, revision, forms: [{ n: 1 }, { n: 2 }] });
      expect(outcome).toMatchObject(text(JSON.stringify([{ n: "number 1" }, { n: "number 2" }])));
    });

    test("content that only the schema rejects is an error that names the field", async () => {
      const { outcome } = await call("seat", { way, revision, forms: [{ ...good, code: "abc" }] });
      if (revision.lifecycle === "handshake")
        expect(outcome).toMatchObject(failure(/^The result of elicitation\/create at content\/code must be .*schema/));
      else
        expect(outcome).toMatchObject({
          code: -32602,
          message: expect.stringMatching(/inputResponses\/elicit-1\/content\/code must be/),
        });
    });
  });

  test.each(withoutElicitation)("a form is not sent to a client of $id", async (revision) => {
    const { outcome, received } = await call("seat", { way, revision });
    expect(outcome).toMatchObject(failure(/requires the client capability elicitation/));
    expect(received.forms).toEqual([]);
  });

  test.each(revisions)("a sampling request with a text gives text at $id", async (revision) => {
    const { outcome, received } = await call("summary", { way, revision });
    expect(outcome).toMatchObject(text("Short."));
    const content = { type: "text", text: "Summarize" };
    expect(received.sampling).toEqual([
      expect.objectContaining({
        messages: [{ role: "user", content }],
        maxTokens: 1_000,
        systemPrompt: "Be brief.",
        temperature: 0.5,
      }),
    ]);
    expect((await call("long", { way, revision })).received.sampling).toEqual([
      expect.objectContaining({ maxTokens: 5_000 }),
    ]);
  });

  test.each(revisions)("a response that is not text is an error at $id", async (revision) => {
    const sampled = { type: "image", data: "", mimeType: "image/png" } as const;
    const { outcome } = await call("summary", { way, revision, sampled });
    if (revision.lifecycle === "handshake")
      expect(outcome).toMatchObject(failure(/^The result of sampling\/createMessage at content\/type must be "text"/));
    else
      expect(outcome).toMatchObject({
        code: -32602,
        message: expect.stringMatching(/inputResponses\/createMessage-1\/content\/type must be "text"/),
      });
  });
});

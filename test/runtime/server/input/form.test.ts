import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Declarations } from "../../../../generated/2025-11-25/index.ts";
import type { Revision } from "../../../../generated/support.ts";
import type { AnyTool } from "../../../../runtime/server/any-definition.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import type { ErrorReport } from "../../../../runtime/jsonrpc/error-report.ts";
import { connectInMemory } from "../../../../runtime/testing/connect-to.ts";
import { newest, revisionOf } from "../../../kit/revisions.ts";

const older = revisionOf("2025-06-18");

/** Sends a form to a client of a server that is pinned to a revision. */
async function send(
  schema: unknown,
  revision: Revision = newest,
): Promise<{ readonly form: unknown; readonly problem: string | undefined }> {
  const reports: ErrorReport[] = [];
  let form: unknown;
  const ask: AnyTool = {
    name: "ask",
    // The type of the context says nothing of the schema: it is checked when it is used.
    execute: async (_args, { elicit }) => JSON.stringify(typeof elicit === "function" && (await elicit("?", schema))),
  };
  const onError = (report: ErrorReport): void => void reports.push(report);
  const server = createServer({ name: "forms", version: "1", onError, tools: [ask] }, [revision]);
  await using session = await connectInMemory<Declarations>(server, {
    elicitation: {
      form({ requestedSchema }) {
        form = requestedSchema;
        return { action: "cancel" };
      },
    },
  });
  await session.callTool("ask");
  const [report] = reports;
  return { form, problem: report?.error.cause instanceof Error ? report.error.cause.message : report?.error.message };
}

describe("schemas of libraries", () => {
  const form = {
    type: "object",
    properties: {
      seat: { type: "string", enum: ["12A", "12B"] },
      mail: { type: "string", format: "email" },
      bags: { type: "integer", minimum: 1 },
      window: { type: "boolean" },
      extras: { type: "array", items: { type: "string", enum: ["bag", "meal"] } },
    },
    required: ["bags", "mail", "seat", "window"],
  };

  test.each<[string, unknown]>([
    [
      "zod",
      z.object({
        seat: z.enum(["12A", "12B"]),
        mail: z.email(),
        bags: z.int().positive(),
        window: z.boolean(),
        extras: z.array(z.enum(["bag", "meal"])).optional(),
      }),
    ],
    [
      "valibot",
      toStandardJsonSchema(
        v.object({
          seat: v.picklist(["12A", "12B"]),
          mail: v.pipe(v.string(), v.email()),
          bags: v.pipe(v.number(), v.integer(), v.minValue(1)),
          window: v.boolean(),
          extras: v.optional(v.array(v.picklist(["bag", "meal"]))),
        }),
      ),
    ],
    [
      "arktype",
      type({
        seat: "'12A' | '12B'",
        mail: "string.email",
        bags: "number.integer > 0",
        window: "boolean",
        "extras?": "('bag' | 'meal')[]",
      }),
    ],
    ["JSON Schema", { ...form, additionalProperties: false, title: "Trip" }],
  ])("%s gives the form of the protocol", async (_library, schema) => {
    const { form: sent, problem } = await send(schema);
    expect(problem).toBeUndefined();
    expect(sent).toEqual({ ...form, required: expect.arrayContaining(form.required) });
  });
});

describe("keywords of forms", () => {
  const titled = [
    { const: "a", title: "A" },
    { const: "b", title: "b" },
  ];

  test.each<[string, z.ZodType, object]>([
    [
      "a label",
      z.string().meta({ title: "Name", description: "Your name" }),
      { title: "Name", description: "Your name" },
    ],
    ["lengths", z.string().min(1).max(3), { minLength: 1, maxLength: 3 }],
    ["a pattern, which is left out", z.string().regex(/a/), {}],
    ["a format of forms", z.iso.date(), { format: "date" }],
    ["a format that forms do not have", z.uuid(), {}],
    ["a default", z.string().default("a"), { default: "a" }],
  ])("a string with %s", async (_what, field, expected) => {
    const { form } = await send(z.object({ field }));
    expect(form).toMatchObject({ properties: { field: { type: "string", ...expected } } });
    expect(Object.keys(Object(form).properties.field).sort()).toEqual(["type", ...Object.keys(expected)].sort());
  });

  test.each<[string, z.ZodType, object]>([
    ["bounds", z.number().min(1).max(2.5), { type: "number", minimum: 1, maximum: 2.5 }],
    ["excluded bounds of a fraction, which are left out", z.number().gt(1), { type: "number" }],
    ["excluded bounds of a whole number", z.int().gt(1).lt(5), { type: "integer", minimum: 2, maximum: 4 }],
    ["the bounds of safe integers, which are left out", z.int(), { type: "integer" }],
    ["consent", z.literal(true), { type: "boolean" }],
    ["one choice", z.literal("a"), { type: "string", enum: ["a"] }],
    [
      "choices with titles",
      z.union([z.literal("a").meta({ title: "A" }), z.literal("b")]),
      { type: "string", oneOf: titled },
    ],
    [
      "several choices with titles",
      z.array(z.union([z.literal("a").meta({ title: "A" }), z.literal("b")])).min(1),
      { type: "array", items: { anyOf: titled }, minItems: 1 },
    ],
  ])("a field with %s", async (_what, field, expected) => {
    expect((await send(z.object({ field }))).form).toMatchObject({ properties: { field: expected } });
    expect(Object.keys(Object((await send(z.object({ field }))).form).properties.field)).toHaveLength(
      Object.keys(expected).length,
    );
  });

  test("a server of a revision without titles and defaults sends what the revision has", async () => {
    const schema = z.object({
      choice: z.union([z.literal("a").meta({ title: "A" }), z.literal("b")]),
      name: z.string().default("Ada"),
      window: z.boolean().default(true),
    });
    expect((await send(schema, older)).form).toEqual({
      type: "object",
      properties: {
        choice: { type: "string", enum: ["a", "b"], enumNames: ["A", "b"] },
        name: { type: "string" },
        window: { type: "boolean", default: true },
      },
      required: ["choice"],
    });
  });
});

describe("schemas that a form cannot request", () => {
  test.each<[string, unknown, RegExp, Revision?]>([
    ["a nested object", z.object({ home: z.object({}) }), /^The form field "home" is an object; use strings/],
    ["a free list", z.object({ tags: z.array(z.string()) }), /^The form field "tags" is a free list; list its choices/],
    ["a list of objects", z.object({ tags: z.array(z.object({})) }), /^The form field "tags" is a free list;/],
    ["null", z.object({ name: z.string().nullable() }), /^The form field "name" is of several types;/],
    [
      "alternatives",
      z.object({ name: z.union([z.string(), z.number()]) }),
      /^The form field "name" is of several types;/,
    ],
    [
      "choices of numbers",
      z.object({ n: z.literal([1, 2]) }),
      /^The form field "n" has choices that are not strings; use strings as choices$/,
    ],
    ["any value", z.object({ name: z.any() }), /^The form field "name" /],
    ["a record", z.record(z.string(), z.string()), /^The schema of a form has no named fields; use an object schema/],
    ["a string", z.string(), /^A form cannot use the schema: its input schema has the root type "string"; wrap it/],
    ["a raw shape", { name: z.string() }, /is an object of schemas; wrap it in z\.object/],
    ["no schema", undefined, /^A form cannot use the schema: its input is not a schema; use zod 4/],
    [
      "several choices at a revision without them",
      z.object({ tags: z.array(z.enum(["a"])) }),
      /^The form field "tags" has several choices, which the revision lacks; use a boolean field/,
      older,
    ],
  ])("%s is an error before anything is sent", async (_what, schema, message, revision) => {
    const { form, problem } = await send(schema, revision);
    expect(problem).toMatch(message);
    expect(form).toBeUndefined();
  });
});

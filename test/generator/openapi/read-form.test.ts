import { describe, expect, test } from "vitest";
import { readForm, readWholeFile, type Form } from "../../../generator/openapi/read-form.ts";
import { readEncoding, readStyle } from "../../../generator/openapi/read-style.ts";

/* Bodies with several parts, and how parameters and members of forms are serialized. */

describe("forms of several parts", () => {
  const text = { type: "string" };
  const file = { type: "string", contentEncoding: "base64", description: "A file, in base64" };
  const octets = "application/octet-stream";
  const formOf = (properties: object, encoding?: object, openapi = "3.1.0"): Form =>
    readForm({ schema: { type: "object", properties }, ...(encoding && { encoding }) }, { openapi });

  test.each<readonly [string, object, object | undefined, Partial<Form>]>([
    ["text", { a: text }, undefined, { schema: { properties: { a: text } }, files: {}, types: {} }],
    [
      "bytes",
      { a: { type: "string", format: "binary" } },
      undefined,
      { schema: { properties: { a: file } }, files: { a: octets } },
    ],
    [
      "bytes with words about them",
      {
        a: {
          type: "string",
          format: "binary",
          title: "T",
          description: "Photo",
          nullable: true,
          readOnly: true,
          maxLength: 5,
        },
      },
      undefined,
      {
        schema: {
          properties: { a: { ...file, title: "T", description: "Photo (base64)", nullable: true, readOnly: true } },
        },
      },
    ],
    [
      "bytes with an empty description",
      { a: { type: "string", format: "binary", description: "" } },
      undefined,
      { schema: { properties: { a: file } } },
    ],
    [
      "a media type in the schema",
      { a: { type: "string", contentMediaType: "image/png" } },
      undefined,
      { files: { a: "image/png" }, types: {} },
    ],
    [
      "a media type and an encoding in the schema",
      { a: { type: "string", contentMediaType: "image/png", contentEncoding: "base64" } },
      undefined,
      { files: {}, types: { a: "image/png" } },
    ],
    [
      "a media type of the part",
      { a: {} },
      { a: { contentType: "image/png, image/gif" } },
      { files: { a: "image/png" } },
    ],
    ...["text/csv", "application/json", "application/problem+json", "application/x-www-form-urlencoded"].map(
      (contentType) =>
        ["text of a type", { a: {} }, { a: { contentType } }, { files: {}, types: { a: contentType } }] as const,
    ),
    [
      "a type like text",
      { a: {} },
      { a: { contentType: "application/x-www-form-urlencoded2" } },
      { files: { a: "application/x-www-form-urlencoded2" } },
    ],
    ["anything", { a: true }, undefined, { schema: { properties: { a: true } }, files: {}, types: {} }],
    [
      "a media type that is no text",
      { a: { contentMediaType: 5 } },
      { a: { contentType: 5 } },
      { files: {}, types: {} },
    ],
    ["plain text", { a: text }, { a: { contentType: "text/plain" } }, { files: {}, types: {} }],
    ["an invalid type", { a: {} }, { a: { contentType: "image" } }, { files: {}, types: {} }],
    [
      "a list of files",
      { a: { type: "array", maxItems: 2, items: { type: "string", format: "binary" } } },
      undefined,
      { schema: { properties: { a: { type: "array", maxItems: 2, items: file } } }, files: { a: octets } },
    ],
    [
      "a file or null",
      { a: { title: "T", anyOf: [{ type: "string", format: "binary" }, { type: "null" }] } },
      undefined,
      { schema: { properties: { a: { title: "T", anyOf: [file, { type: "null" }] } } }, files: { a: octets } },
    ],
    ["two kinds of files", { a: { anyOf: [{ type: "string", format: "binary" }, text] } }, undefined, { files: {} }],
    ["a file or anything", { a: { anyOf: [{ type: "string", format: "binary" }, true] } }, undefined, { files: {} }],
    ["null alone", { a: { anyOf: [{ type: "null" }, { type: "null" }] } }, undefined, { files: {} }],
    [
      "three alternatives",
      { a: { oneOf: [{ type: "string", format: "binary" }, text, { type: "null" }] } },
      undefined,
      { files: {} },
    ],
    [
      "a file or null in exclusive alternatives",
      { a: { oneOf: [{ type: "null" }, { type: "string", format: "binary" }] } },
      undefined,
      { schema: { properties: { a: { anyOf: [file, { type: "null" }] } } }, files: { a: octets } },
    ],
    [
      "a file of a media type, or null",
      { a: { anyOf: [{ type: "string", contentMediaType: "image/png" }, { type: "null" }] } },
      undefined,
      { files: { a: "image/png" } },
    ],
    [
      "a list of files of a media type",
      { a: { type: "array", items: { type: "string", contentMediaType: "image/png" } } },
      undefined,
      { files: { a: "image/png" } },
    ],
    ["bytes or null", { a: { type: ["string", "null"], format: "binary" } }, undefined, { files: { a: octets } }],
    ["items of no list", { a: { items: { type: "string", format: "binary" } } }, undefined, { files: {} }],
    [
      "a number of a media type",
      { a: { type: "integer" } },
      { a: { contentType: "image/png" } },
      { files: {}, types: { a: "image/png" } },
    ],
    [
      "a media type between blanks",
      { a: {} },
      { a: { contentType: " image/png , text/csv" } },
      { files: { a: "image/png" } },
    ],
    [
      "a style that a media type does not replace",
      { a: { type: "array" } },
      { a: { style: "pipeDelimited", contentType: "image/png" } },
      { files: {}, types: {}, styles: { a: "|" } },
    ],
    [
      "a file with a style",
      { a: { type: "string", format: "binary" } },
      { a: { style: "pipeDelimited" } },
      { files: { a: octets } },
    ],
    [
      "text of a type with a style",
      { a: { type: "string", contentMediaType: "image/png", contentEncoding: "base64" } },
      { a: { style: "pipeDelimited" } },
      { files: {}, types: { a: "image/png" } },
    ],
    ["a style", { a: { type: "array", items: text } }, { a: { style: "pipeDelimited" } }, { styles: { a: "|" } }],
  ])("a part is %s", (_, properties, encoding, expected) => {
    const form = formOf(properties, encoding);
    const { files = form.files, types = form.types } = expected;
    expect(form).toMatchObject(expected);
    expect(form.schema).toEqual({ ...form.schema, ...expected.schema });
    expect([form.files, form.types, form.styles]).toEqual([files, types, expected.styles]);
  });

  test("styles of parts do not exist in OpenAPI 3.0", () => {
    const encoding = { a: { style: "pipeDelimited" } };
    for (const version of ["3.0.3", "3"]) expect(formOf({ a: {} }, encoding, version)).not.toHaveProperty("styles");
    const typed = { a: { style: "form", contentType: "image/png" } };
    expect(formOf({ a: {} }, typed, "3.0.3").files).toEqual({ a: "image/png" });
    for (const version of ["3.1.0", "3.1.3"]) expect(formOf({ a: {} }, encoding, version)).toHaveProperty("styles");
  });

  test("parts are found in schemas that a schema extends, also in a circle", () => {
    const document = {
      openapi: "3.1.0",
      a: { allOf: [{ $ref: "#/b" }], properties: { x: { type: "string", format: "binary" } } },
      b: { allOf: [{ $ref: "#/a" }], properties: { y: { type: "string", format: "binary" } } },
    };
    expect(readForm({ schema: { $ref: "#/a" } }, document).files).toEqual({ x: octets, y: octets });
  });

  test.each([{}, { type: "string" }, { allOf: [{ type: "string" }] }, { $ref: "#/circle" }])(
    "a body without parts is left out: %j",
    (schema) => {
      const document = { circle: { allOf: [{ $ref: "#/circle" }] } };
      expect(() => readForm({ schema }, document)).toThrow("its body has no object schema for its parts");
    },
  );

  test.each([{ type: "object" }, { properties: {} }, { allOf: [{ type: "object" }] }])(
    "a body of an object has parts: %j",
    (schema) => {
      const whole = { ...schema, type: "object", properties: {} };
      expect(readForm({ schema }, {})).toMatchObject({ schema: whole, files: {}, types: {} });
      expect(Object.hasOwn(readForm({ schema }, {}).schema, "allOf")).toBe("allOf" in schema);
    },
  );

  test("a whole file is text in base64", () => {
    expect(readWholeFile({ schema: { type: "string", format: "binary" } }, {})).toEqual(file);
    const schema = { type: "string", format: "binary", title: "T", description: "D" };
    expect(readWholeFile({ schema }, {})).toEqual({ ...file, title: "T", description: "D (base64)" });
    for (const media of [{}, { schema: true }]) expect(readWholeFile(media, {})).toEqual(file);
  });
});

describe("styles", () => {
  test.each<readonly [object, string]>([
    [{ in: "path" }, "comma"],
    [{ in: "path", explode: true }, "named"],
    [{ in: "header", explode: true }, "named"],
    [{ in: "cookie", explode: true }, "comma"],
    [{ in: "query" }, "repeat"],
    [{ in: "query", explode: false }, "comma"],
    [{ in: "query", style: "form", explode: true }, "repeat"],
    [{ in: "query", style: "deepObject" }, "deep"],
    [{ in: "query", style: "pipeDelimited" }, "pipe"],
    [{ in: "query", style: "pipeDelimited", explode: true }, "repeat"],
    [{ in: "query", style: "spaceDelimited" }, "space"],
    [{ in: "query", content: { "application/json": {} } }, "json"],
    [{ in: "path", content: { "Application/vnd.a+JSON; charset=utf-8": {} } }, "json"],
    [{ in: "query", content: { "text/plain": {} } }, "repeat"],
    [{ in: "path", content: { "application/jsonx": {} } }, "comma"],
    [{ in: "query", content: {} }, "repeat"],
  ])("a parameter %j is sent as %s", (parameter, style) => {
    expect(readStyle({ ...parameter })).toBe(style);
  });

  const schema = { properties: { list: { type: "array" }, one: { type: "object" }, any: {} } };
  test.each<readonly [object, object]>([
    [{}, {}],
    [{ encoding: "text" }, {}],
    [{ encoding: { list: {} } }, {}],
    [{ encoding: { list: { style: "form" } } }, {}],
    [{ encoding: { one: { style: "form" } } }, { styles: { one: "members" } }],
    [{ encoding: { any: { explode: true } } }, { styles: { any: "members" } }],
    [{ encoding: { list: { explode: false }, one: { style: "deepObject" } } }, { styles: { list: ",", one: "deep" } }],
    [{ encoding: { list: { style: "spaceDelimited" } } }, { styles: { list: " " } }],
    [{ encoding: { one: { contentType: "application/json" } } }, { styles: { one: "json" } }],
    [{ encoding: { one: { contentType: "text/plain" } } }, {}],
    [{ encoding: { one: { contentType: "application/json", style: "form" } } }, { styles: { one: "members" } }],
    [{ encoding: { list: { allowReserved: true } } }, { reserved: ["list"] }],
    [{ encoding: { one: { allowReserved: false } } }, { styles: { one: "members" } }],
  ])("the encoding %j of a form is read", (media, expected) => {
    expect(readEncoding({ schema, ...media }, {})).toEqual(expected);
  });
});

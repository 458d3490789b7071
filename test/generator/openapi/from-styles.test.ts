import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { ToolError } from "../../../runtime/server/errors.ts";
import { readText, serveRaw, type RawServer } from "../../kit/raw-server.ts";
import { writeSources } from "./write-sources.ts";

/* Styles of parameters and forms. The values without reserved characters are those of the table of examples in OpenAPI 3.0.4 and 3.1.1. */

const text = "blue";
const list = ["blue", "black", "brown"];
const map = { R: 100, G: 200, B: 150 };
/** Characters that separate values in some style, or end a value. */
const odd = "a,b|c d&e=f/g?h#i;j+k%41é";
const encoded = "a%2Cb%7Cc%20d%26e%3Df%2Fg%3Fh%23i%3Bj%2Bk%2541%C3%A9";
const kept = "a,b%7Cc%20d%26e=f/g?h%23i;j%2Bk%41%C3%A9";
const comma = "a,b";
const rejected = (item: string, separator: string): ToolError =>
  new ToolError(`${JSON.stringify(item)} contains "${separator}", which separates the values of a list; change it.`);

/** Members of the parameter or of the encoding, a value, and the text that is sent, or the error. */
type Cell = readonly [options: string, value: unknown, sent: string | ToolError];

const queries: readonly Cell[] = [
  ["style: form, explode: false", text, "color=blue"],
  ["style: form, explode: false", "", "color="],
  ["style: form, explode: false", list, "color=blue,black,brown"],
  ["style: form, explode: false", map, "color=R,100,G,200,B,150"],
  ["style: form, explode: false", odd, `color=${encoded}`],
  ["style: form, explode: false", [odd, "z"], `color=${encoded},z`],
  ["style: form, explode: false", { [odd]: odd }, `color=${encoded},${encoded}`],
  ["style: form, explode: true", text, "color=blue"],
  ["style: form, explode: true", list, "color=blue&color=black&color=brown"],
  ["style: form, explode: true", map, "R=100&G=200&B=150"],
  ["style: form, explode: true", odd, `color=${encoded}`],
  ["style: form, explode: true", [odd, "z"], `color=${encoded}&color=z`],
  ["style: form, explode: true", { [odd]: odd }, `${encoded}=${encoded}`],
  ["style: spaceDelimited, explode: false", text, "color=blue"],
  ["style: spaceDelimited, explode: false", list, "color=blue%20black%20brown"],
  ["style: spaceDelimited, explode: false", map, "color=R%20100%20G%20200%20B%20150"],
  ["style: spaceDelimited, explode: false", odd, `color=${encoded}`],
  ["style: spaceDelimited, explode: false", ["a,b|c", "z"], "color=a%2Cb%7Cc%20z"],
  ["style: spaceDelimited, explode: false", ["a b"], rejected("a b", " ")],
  ["style: spaceDelimited, explode: true", list, "color=blue&color=black&color=brown"],
  ["style: pipeDelimited, explode: false", text, "color=blue"],
  ["style: pipeDelimited, explode: false", list, "color=blue%7Cblack%7Cbrown"],
  ["style: pipeDelimited, explode: false", map, "color=R%7C100%7CG%7C200%7CB%7C150"],
  ["style: pipeDelimited, explode: false", odd, `color=${encoded}`],
  ["style: pipeDelimited, explode: false", ["a,b c", "z"], "color=a%2Cb%20c%7Cz"],
  ["style: pipeDelimited, explode: false", { a: "x|y" }, rejected("x|y", "|")],
  ["style: pipeDelimited, explode: true", list, "color=blue&color=black&color=brown"],
  ["style: deepObject, explode: true", map, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
  [
    "style: deepObject, explode: true",
    { at: { day: 2 }, any: ["a"] },
    "color%5Bat%5D%5Bday%5D=2&color%5Bany%5D%5B0%5D=a",
  ],
  ["style: deepObject, explode: true", { "a&b": odd }, `color%5Ba%26b%5D=${encoded}`],
  ["style: form, explode: false, allowReserved: true", odd, `color=${kept}`],
  ["style: form, explode: true, allowReserved: true", [odd, "z"], `color=${kept}&color=z`],
  ["style: form, explode: true, allowReserved: true", { R: odd }, `R=${kept}`],
  ["style: deepObject, explode: true, allowReserved: true", { R: odd }, `color%5BR%5D=${kept}`],
  ["style: form, explode: false, allowReserved: true", ["/a", "b:c"], "color=/a,b:c"],
];

const paths: readonly Cell[] = [
  ["style: simple, explode: false", text, "blue"],
  ["style: simple, explode: false", list, "blue,black,brown"],
  ["style: simple, explode: false", map, "R,100,G,200,B,150"],
  ["style: simple, explode: false", odd, encoded],
  ["style: simple, explode: false", [odd, "z"], `${encoded},z`],
  ["style: simple, explode: false", [".."], new ToolError('color cannot be "..".')],
  ["style: simple, explode: true", text, "blue"],
  ["style: simple, explode: true", list, "blue,black,brown"],
  ["style: simple, explode: true", map, "R=100,G=200,B=150"],
  ["style: simple, explode: true", { [odd]: odd }, `${encoded}=${encoded}`],
  ["style: simple, explode: false", "\ud800", new ToolError('"\\ud800" is not valid Unicode; correct it.')],
];

const headers: readonly Cell[] = [
  ["style: simple, explode: false", text, "blue"],
  ["style: simple, explode: false", list, "blue,black,brown"],
  ["style: simple, explode: false", map, "R,100,G,200,B,150"],
  ["style: simple, explode: false", "a,b|c d&e=f", "a,b|c d&e=f"],
  ["style: simple, explode: false", ["a|b c&d", "z"], "a|b c&d,z"],
  ["style: simple, explode: false", [comma, "z"], rejected(comma, ",")],
  ["style: simple, explode: true", map, "R=100,G=200,B=150"],
  ["style: simple, explode: true", { a: comma }, rejected(comma, ",")],
];

const cookies: readonly Cell[] = [
  ["style: form, explode: false", text, "color=blue"],
  ["style: form, explode: false", list, "color=blue,black,brown"],
  ["style: form, explode: false", map, "color=R,100,G,200,B,150"],
  ["style: form, explode: false", [odd, "z"], `color=${encoded},z`],
];

const forms: readonly Cell[] = [
  ...queries.filter(([, value]) => value !== ""),
  ["contentType: application/json", list, "color=%5B%22blue%22%2C%22black%22%2C%22brown%22%5D"],
  ["contentType: application/json", "blue", "color=%22blue%22"],
  ["contentType: application/json", null, ""],
  ["contentType: text/plain", odd, `color=${encoded}`],
  ["contentType: text/plain", list, "color=blue&color=black&color=brown"],
  ["contentType: application/json, style: form", list, "color=blue&color=black&color=brown"],
  ["style: form, explode: true", { a: 1, b: null, c: ["x"] }, "a=1&c=%5B%22x%22%5D"],
  ["style: form, explode: false", [], ""],
];

const partsOf = (...pairs: readonly (readonly [name: string, text: string])[]): string =>
  pairs.map(([name, own]) => `form-data; name="${name}"\n\n${own}`).join("\n---\n");

const parts: readonly Cell[] = [
  ["style: form, explode: false", list, partsOf(["color", "blue,black,brown"])],
  ["style: form, explode: false", map, partsOf(["color", "R,100,G,200,B,150"])],
  ["style: form, explode: false", odd, partsOf(["color", odd])],
  ["style: form, explode: false", [comma], rejected(comma, ",")],
  ["style: form, explode: true", ["blue", odd], partsOf(["color", "blue"], ["color", odd])],
  ["style: form, explode: true", { R: 100, [odd]: odd }, partsOf(["R", "100"], [odd, odd])],
  ["style: spaceDelimited, explode: false", list, partsOf(["color", "blue black brown"])],
  ["style: pipeDelimited, explode: false", map, partsOf(["color", "R|100|G|200|B|150"])],
  ["style: pipeDelimited, explode: false", ["a|b"], rejected("a|b", "|")],
  ["style: deepObject, explode: true", map, partsOf(["color[R]", "100"], ["color[G]", "200"], ["color[B]", "150"])],
  ["style: form, explode: false, contentType: application/json", list, partsOf(["color", "blue,black,brown"])],
];

const table = { query: queries, path: paths, header: headers, cookie: cookies, form: forms, part: parts } as const;
const cells = Object.entries(table).flatMap(([place, all]) => all.map((cell) => [place, ...cell] as const));

const nameOf = (place: string, options: string): string => `${place} ${options}`.replaceAll(/\W+/g, "-").toLowerCase();

const forbidden: readonly string[] = ["form", "part"];

/** Writes an operation with one value. */
function operationOf(place: string, options: string): string {
  const name = nameOf(place, options);
  const type = place === "form" ? "application/x-www-form-urlencoded" : "multipart/form-data";
  const media = `{ schema: { type: object }, encoding: { color: { ${options} } } }`;
  const member = forbidden.includes(place)
    ? `requestBody: { content: { ${type}: ${media} } }`
    : `parameters: [{ name: color, in: ${place}, required: true, schema: {}, ${options} }]`;
  const path = place === "path" ? `/${name}/{color}` : `/${name}`;
  return `  "${path}": { post: { operationId: ${name}, ${member}, responses: { "200": { description: ok } } } }`;
}

interface Sent {
  readonly path: string;
  readonly header: string;
  readonly cookie: string;
  readonly body: string;
}

type Run = (args: object, context: { readonly signal: AbortSignal }) => Promise<unknown>;

const sent: Sent[] = [];
const root = mkdtempSync(join(tmpdir(), "from-styles-"));
let api: RawServer | undefined;

beforeAll(async () => {
  api = await serveRaw(async (request, response) => {
    const { url: path = "", headers: all } = request;
    const [header, cookie] = [all.color, all.cookie].map(String);
    sent.push({ path, header: header ?? "", cookie: cookie ?? "", body: await readText(request) });
    response.end("done");
  });
  vi.stubEnv("API_BASE_URL", api.origin);
  const operations = new Set(cells.map(([place, options]) => operationOf(place, options)));
  await writeSources(
    `openapi: 3.1.0\ninfo: { title: Styles, version: 1.0.0 }\npaths:\n${[...operations].join("\n")}\n`,
    root,
  );
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await api?.close();
  rmSync(root, { recursive: true });
});

/** Returns what was sent as the value, with its name if the place has one. */
function readSent(place: string, { path, header, cookie, body }: Sent): string {
  if (place === "query") return path.slice(path.indexOf("?") + 1);
  if (place === "path") return path.split("/").slice(2).join("/");
  if (place === "header") return header;
  if (place === "cookie") return cookie;
  if (place === "form") return body;
  const boundary = body.slice(0, body.indexOf("\r\n"));
  const own = body.split(boundary).slice(1, -1);
  return own
    .map((part) => part.trim().replace("Content-Disposition: ", ""))
    .join("\n---\n")
    .replaceAll("\r", "");
}

test.each(cells)(
  "a value in the %s with {%s} is sent as OpenAPI describes: %j",
  async (place, options, value, expected) => {
    onTestFinished(() => void sent.splice(0));
    const file = pathToFileURL(join(root, "src", "tools", `${nameOf(place, options)}.ts`)).href;
    const [tool]: { readonly execute: Run }[] = Object.values(await import(file));
    const args = forbidden.includes(place) ? { body: { color: value } } : { color: value };
    const call = tool?.execute(args, { signal: new AbortController().signal }) ?? expect.unreachable(file);
    if (typeof expected !== "string") {
      await expect(call).rejects.toThrow(expected);
      return expect(sent).toEqual([]);
    }
    await call;
    expect(sent.map((one) => readSent(place, one))).toEqual([expected]);
  },
);

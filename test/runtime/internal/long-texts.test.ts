import { setFlagsFromString } from "node:v8";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hideSecretText } from "../../../runtime/server/middleware/redact.ts";
import { checkContentBlock } from "../../../runtime/server/check-content.ts";
import { fromBase64, fromBase64Url, isBase64 } from "../../../runtime/framing/base64.ts";
import { formats } from "../../../runtime/internal/string-formats.ts";
import { mask } from "../../../tools/replay/against/volatile.ts";
import { MessageRedactor } from "../../../tools/replay/redact-message.ts";
import { isTime } from "../../../tools/replay/against/volatile.ts";
import { spellingsOf } from "../../../runtime/server/resources/uri-spellings.ts";
import { checkSkillName, readSkillName } from "../../../runtime/skills/skill.ts";
import { quoteText } from "../../../runtime/transport/http-client/endpoint.ts";
import { quoteReason } from "../../../runtime/auth/client/errors.ts";
import { SkillFiles } from "../../../runtime/client/skills/skill-files.ts";
import { readAccess } from "../../../generator/openapi/read-access.ts";
import { readOperation } from "../../../generator/openapi/read-operation.ts";
import { filterTraffic } from "../../../tools/inspect/page/messages/traffic.ts";
import { readAddress } from "../../../generator/openapi/read-address.ts";
import { isJsonType } from "../../../generator/openapi/read-style.ts";
import { toFileName, toMemberName } from "../../../generator/typed-client/tool-schema/names.ts";
import { lastLines } from "../../../generator/scaffold/create/run.ts";
import { breakCommandsInMarkup } from "../../../generator/internal/text.ts";
import { explainCause } from "../../../generator/internal/user-error.ts";

const length = 6_000_000;
const long = "x".repeat(length);

/*
 * A process that has compiled many patterns no longer optimizes new ones. Then a repetition without bound keeps a place to return to for each character,
 * and long texts exceed the stack.
 */
describe("texts of 6 MB in a process that does not optimize patterns", { timeout: 60_000 }, () => {
  beforeAll(() => setFlagsFromString("--no-regexp-optimization"));
  afterAll(() => setFlagsFromString("--regexp-optimization"));

  test("the patterns of this process are not optimized", () => {
    expect(() => /^[a-z]+$/.test(long)).toThrow(RangeError);
  });

  test.each([
    ["one word", long, long],
    ["a private key", `a -----BEGIN PRIVATE KEY-----${long}`, "a [redacted]"],
    ["user information of a URL before a long path", `https://ada:b@c/${long}`, `https://[redacted]@c/${long}`],
    ["a URL with a long host", `https://${long}/`, `https://${long}/`],
    ["blanks behind the scheme of a credential", `bearer${" ".repeat(length)}x`, `bearer${" ".repeat(length)}x`],
    ["the beginning of a JSON web token", `eyJ${long}`, `eyJ${long}`],
  ])("%s is read for secrets", (_name, text, expected) => {
    expect(hideSecretText(text) === expected).toBe(true);
  });

  test.each([
    ["a member", `{"data":"${long}","token":"abc"}`, `{"data":"${long}","token":"[redacted]"}`],
    ["a secret member", `{"token":"${long}"}`, '{"token":"[redacted]"}'],
    ["blanks behind the name of a member", `{"token"${" ".repeat(length)}`, `{"token"${" ".repeat(length)}`],
    ["a query parameter", `https://a/?token=${long}&b=1`, "https://a/?token=[redacted]&b=1"],
    ["an environment variable", `A_TOKEN=${long}\nB=1`, "A_TOKEN=[redacted]\nB=1"],
  ])("%s is redacted in a recording", (_name, text, expected) => {
    expect(new MessageRedactor([]).redactValue(text) === expected).toBe(true);
  });

  test.each([
    ["the beginning of a JSON web token", `eyJ${long}`],
    ["a time with a long fraction", `1:00:00.${"0".repeat(length)}`],
    ["hexadecimal digits", "a0".repeat(length / 2)],
  ])("%s is compared with a recording", (_name, text) => {
    expect(mask(text).length).toBeGreaterThan(0);
  });

  test("base64 is checked and decoded", () => {
    const data = "AAAA".repeat(length / 4);
    expect(checkContentBlock({ type: "image", mimeType: "image/png", data })).toBeUndefined();
    expect(isBase64(`${data.slice(1)}!`)).toBe(false);
    expect(fromBase64(data)?.length).toBe((length / 4) * 3);
    expect(fromBase64Url(data)?.length).toBe((length / 4) * 3);
  });

  test("fields of forms are checked", () => {
    expect(formats.email.accepts(`${long}@example.com`)).toBe(false);
    expect(formats["date-time"].accepts(`2026-01-01T00:00:00.${"0".repeat(length)}Z`)).toBe(false);
  });

  test.each([
    ["a URI with letters beyond ASCII", () => spellingsOf(`a://b/${"\u00e9".repeat(length / 9)}`).length, 3],
    ["a URI with escapes of letters", () => spellingsOf(`a://b/${"%C3%A9".repeat(length / 6)}`).length, 3],
    [
      "the URI of a skill in many folders",
      () => readSkillName(`skill://${"a/".repeat(length / 2)}SKILL.md`),
      undefined,
    ],
    ["the name of a skill", () => checkSkillName(long) === undefined, false],
    ["the blank body of a rejection", () => quoteText(" ".repeat(length)), ""],
    ["the reason of an authorization server", () => quoteReason("\u00e9".repeat(length), "").length, 206],
    [
      "the address of an API with a long variable",
      () => readAddress([{ url: `https://a/{${long}}` }], { origin: "a.json" }),
      undefined,
    ],
    [
      "the address of an API with many slashes",
      () => readAddress([{ url: `https://a/${"/".repeat(100_000)}b` }], { origin: "a.json" })?.length,
      100_011,
    ],
    ["a media type", () => isJsonType(`application/${long}`), false],
    ["the title of an API", () => toFileName(`a${".".repeat(length)}b`), "a-b"],
    ["a member name of capitals", () => toMemberName("A".repeat(length)).length, length],
    ["the name of a member that may be a time", () => isTime(1e12, `start${"_".repeat(length)}time`, 0), true],
    [
      "a blank line of an installer",
      () => lastLines({ ok: false, output: `a\n${" ".repeat(length)}\u00a0b` }).length,
      length + 4,
    ],
    [
      "the id of an operation",
      () => {
        const operation = { operationId: `a${".".repeat(length)}`, responses: {} };
        return readOperation({ path: `/{${long}`, method: "get", item: {}, operation, document: {} }).name;
      },
      "a",
    ],
    [
      "the names of security schemes",
      () => {
        const scheme = { type: "http", scheme: "bearer" };
        const document = { components: { securitySchemes: { [long]: scheme, b: scheme } } };
        return readAccess(document, { securities: [[{ [long]: [], b: [] }]], variables: "API" }).sent[0]?.length;
      },
      2,
    ],
    [
      "the filter of a timeline",
      () =>
        filterTraffic([], { text: " ".repeat(length), method: "", direction: "", side: "", onlyProblems: false })
          .length,
      0,
    ],
    ["the reason of a failed command", () => explainCause(new Error(`a${" ".repeat(length)}b`)).length < length, true],
    [
      "blank lines of a report",
      () => breakCommandsInMarkup(`${"\n".repeat(length)}::error`) === `${"\n".repeat(length)}&#58;:error`,
      true,
    ],
  ])("%s is read", (_name, read, expected) => {
    expect(read()).toBe(expected);
  });

  test("the URI of a file of a skill is decoded", () => {
    const resource = { uri: `skill://a/${"%41".repeat(length / 3)}`, digest: "", size: 1 };
    const entry = { uri: "skill://a/SKILL.md", frontmatter: { name: "a", description: "A" }, resources: [resource] };
    expect(new SkillFiles(entry, { readResource: () => Promise.reject(new Error()) }, 1)).toBeDefined();
  });
});

test.each([
  ["several query parameters", "?a=1&token=2&b=3&key=4", "?a=1&token=[redacted]&b=3&key=[redacted]"],
  ["a query parameter without a value", "?token=&a=1", "?token=&a=1"],
  ["a secret with a question mark", "?token=a?key=b c", "?token=[redacted] c"],
  [
    "environment variables",
    "export MY_KEY=1 2\nNAME=3\nA_TOKEN=4",
    "export MY_KEY=[redacted]\nNAME=3\nA_TOKEN=[redacted]",
  ],
])("redacting replaces %s in a recording", (_name, text, expected) => {
  expect(new MessageRedactor(["my_key"]).redactValue(text)).toBe(expected);
});

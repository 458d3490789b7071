import { describe, expect, test } from "vitest";
import * as support from "../../../templates/convert-support.ts";
import { conversionFunctions } from "./conversion-functions.ts";

const text = "export interface TextContent { type: 'text'; text: string }";
const resource = "export interface EmbeddedResource { type: 'resource'; resource: object }";
const video = "export interface VideoContent { type: 'video'; data: string; mimeType: string }";
const older = `${text} ${resource} export type Params = TextContent | EmbeddedResource`;

describe("rules for new kinds of content", () => {
  test("the function of the rule gets the name of the alternative", () => {
    const newer = `${text} ${resource} ${video} export type Params = TextContent | EmbeddedResource | VideoContent`;
    expect(conversionFunctions(older, newer, [{ rule: "content-to-resource", at: ["VideoContent"] }])).toEqual([
      "function toParams(v: unknown, loss?: OnLoss): unknown {",
      "if (!isObject(v)) return v;",
      "switch (v.type) {",
      'case "video":',
      'return toParams(contentToResource(v, {"type":"Params","member":"VideoContent"}, loss), loss);',
      "return v;",
    ]);
  });

  test("content without bytes cannot become a resource", () => {
    const newer = `${text} ${resource} export interface Poll { type: 'poll' } export type Params = TextContent | EmbeddedResource | Poll`;
    expect(() => conversionFunctions(older, newer, [{ rule: "content-to-resource", at: ["Poll"] }])).toThrow(
      "the rule content-to-resource needs the member data, which Poll does not require; use another rule",
    );
  });

  test("content cannot become a kind that the place does not have", () => {
    const place = `${text} export interface Other { type: 'other' } export type Params = TextContent | Other`;
    const newer = `${text} ${video} export interface Other { type: 'other' } export type Params = TextContent | Other | VideoContent`;
    expect(() => conversionFunctions(place, newer, [{ rule: "content-to-resource", at: ["VideoContent"] }])).toThrow(
      "the rule content-to-resource makes content of the type resource, which Params does not have; use another rule",
    );
  });
});

describe("converted content", () => {
  const losses: object[] = [];
  const place = { type: "ContentBlock", member: "VideoContent" };
  const content = { type: "video", data: "QUJD+/==", mimeType: "video/mp4", annotations: { priority: 1 } };

  test("a resource has a URI with the type of the content", () => {
    expect(support.contentToResource(content, place, (loss) => losses.push(loss))).toEqual({
      type: "resource",
      resource: { uri: "attachment:video-8-QUJD", mimeType: "video/mp4", blob: "QUJD+/==" },
      annotations: { priority: 1 },
    });
    expect(losses).toEqual([{ ...place, rule: "content-to-resource" }]);
  });

  test("audio keeps its URIs", () => {
    const audio = { type: "audio", data: "QUJD", mimeType: "audio/wav" };
    expect(support.audioToResource(audio, "ContentBlock")).toEqual({
      type: "resource",
      resource: { uri: "attachment:audio-4-QUJD", mimeType: "audio/wav", blob: "QUJD" },
    });
    expect(support.audioToText(audio, "ContentBlock")).toEqual({ type: "text", text: "[audio, audio/wav]" });
  });

  test.each([
    [content, { type: "text", text: "[video, video/mp4]", annotations: { priority: 1 } }],
    [{ type: "poll" }, { type: "text", text: "[poll]" }],
  ])("the text for %j tells what it was", (value, expected) => {
    expect(support.contentToText(value, place)).toEqual(expected);
  });
});

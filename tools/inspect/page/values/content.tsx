import type { ComponentChild } from "preact";
import { isSameValue } from "./comparison.ts";
import { JsonView } from "./json-view.tsx";
import { isObject, memberOf, objectsOf, textOf, visibleText, type JsonObject } from "./values.ts";

/*
 * Content of results and prompts. Images and sounds are shown only as data of a few known types; nothing is loaded from elsewhere.
 */

/** Content blocks of a result or a message. */
export function ContentBlocks({ content }: { readonly content: unknown }): ComponentChild {
  const blocks = blocksOf(content);
  if (blocks.length === 0) return <p class="muted">No content.</p>;
  return (
    <div class="blocks">
      {blocks.map((block, at) => (
        <Block key={at} block={block} />
      ))}
    </div>
  );
}

function blocksOf(content: unknown): readonly JsonObject[] {
  return Array.isArray(content) ? objectsOf(content) : isObject(content) ? [content] : [];
}

function Block({ block }: { readonly block: JsonObject }): ComponentChild {
  switch (block.type) {
    case "text":
      return <TextBlock text={textOf(block.text)} />;
    case "image":
      return <Media kind="image" mimeType={textOf(block.mimeType)} data={textOf(block.data)} />;
    case "audio":
      return <Media kind="audio" mimeType={textOf(block.mimeType)} data={textOf(block.data)} />;
    case "resource":
      return <ResourceContent content={isObject(block.resource) ? block.resource : {}} />;
    case "resource_link":
      return (
        <p class="block">
          Resource link:{" "}
          <SafeLink uri={textOf(block.uri)}>{textOf(block.title) || textOf(block.name) || textOf(block.uri)}</SafeLink>
        </p>
      );
    default:
      return <JsonView value={block} label="Content" />;
  }
}

/** Content of a resource. */
export function ResourceContent({ content }: { readonly content: JsonObject }): ComponentChild {
  const mimeType = textOf(content.mimeType);
  const kind = mediaTypes.audio.has(mimeType) ? "audio" : "image";
  return (
    <div class="block">
      <p class="block-head">
        <code>{visibleText(textOf(content.uri))}</code>{" "}
        {mimeType !== "" && <span class="tag">{visibleText(mimeType)}</span>}
      </p>
      {typeof content.text === "string" && <TextBlock text={content.text} />}
      {typeof content.blob === "string" && <Media kind={kind} mimeType={mimeType} data={content.blob} />}
    </div>
  );
}

function TextBlock({ text }: { readonly text: string }): ComponentChild {
  const parsed = readJsonText(text);
  if (parsed !== undefined) return <JsonView value={parsed} label="Text, which is JSON" />;
  return (
    <pre class="text" tabIndex={0} role="group" aria-label="Text">
      {visibleText(text.slice(0, longestText))}
      {text.length > longestText && `… (${text.length} characters)`}
    </pre>
  );
}

const longestText = 200_000;

function readJsonText(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || text.length > longestText) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface MediaProps {
  readonly kind: "image" | "audio";
  readonly mimeType: string;
  readonly data: string;
}

function Media({ kind, mimeType, data }: MediaProps): ComponentChild {
  const isShown = mediaTypes[kind].has(mimeType) && /^[\w+/=\s-]*$/.test(data) && data !== "";
  const size = `${mimeType || "no media type"}, ${data.length} characters of Base64`;
  if (!isShown) return <p class="block muted">Not shown: {visibleText(size)}.</p>;
  const source = `data:${mimeType};base64,${data}`;
  return (
    <figure class="block media">
      {kind === "image" ? (
        <img src={source} alt={`Image of the server (${mimeType})`} />
      ) : (
        <audio controls src={source} aria-label={`Audio of the server (${mimeType})`} />
      )}
      <figcaption>{size}</figcaption>
    </figure>
  );
}

/** Media types that browsers decode without running anything. SVG is none of them. */
const mediaTypes: Readonly<Record<MediaProps["kind"], ReadonlySet<string>>> = {
  image: new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]),
  audio: new Set([
    "audio/wav",
    "audio/x-wav",
    "audio/mpeg",
    "audio/ogg",
    "audio/webm",
    "audio/flac",
    "audio/mp4",
    "audio/aac",
  ]),
};

/** Link to a page. Only addresses of http and https are links; every other URI is text. */
export function SafeLink({ uri, children }: { readonly uri: string; readonly children: string }): ComponentChild {
  const text = visibleText(children);
  if (!isPageAddress(uri)) return <code>{text}</code>;
  return (
    <a href={uri} target="_blank" rel="noopener noreferrer nofollow" title={visibleText(uri)}>
      {text}
    </a>
  );
}

function isPageAddress(uri: string): boolean {
  return URL.canParse(uri) && /^https?:$/.test(new URL(uri).protocol);
}

/** Result of a tool: its content and its structured content, or everything as JSON. Text with the same structured content is not shown again. */
export function ToolResult({ result }: { readonly result: unknown }): ComponentChild {
  const structured = memberOf(result, "structuredContent");
  const blocks = blocksOf(memberOf(result, "content"));
  const own = blocks.filter((block) => !isRepetition(block, structured));
  return (
    <>
      {memberOf(result, "isError") === true && <p class="issue">The tool reports an error.</p>}
      {(!isObject(result) || !("content" in result)) && <JsonView value={result} label="Result" />}
      {isObject(result) && "content" in result && (own.length > 0 || blocks.length === 0) && (
        <ContentBlocks content={own} />
      )}
      {structured !== undefined && (
        <>
          <h4>Structured content{own.length < blocks.length && ", also sent as text"}</h4>
          <JsonView value={structured} label="Structured content" />
        </>
      )}
    </>
  );
}

/** True for a text with the structured content as JSON. Servers add it for clients that read only texts. */
function isRepetition({ type, text, ...others }: JsonObject, structured: unknown): boolean {
  if (structured === undefined || type !== "text" || Object.keys(others).length > 0) return false;
  const parsed = readJsonText(textOf(text));
  return parsed !== undefined && isSameValue(parsed, structured);
}

import { isObject } from "../../generated/support.ts";
import { hideSecretText, isSecretName } from "../../runtime/server/middleware/redact.ts";
import { parseJson } from "../../generator/internal/json-text.ts";
import { fitSecret, isChoice, schemaOf, type ValueSchema } from "./fit-secret.ts";
import { hideMembers, mapStrings } from "./hide-json.ts";
import { KnownSecrets, shortestSecret } from "./known-secrets.ts";
import { OutputSchemas, type NamedRequest } from "./output-schemas.ts";

/** Replaces secrets in the messages of one recording. */
export class MessageRedactor {
  readonly #names: ReadonlySet<string>;
  readonly #known = new KnownSecrets();
  readonly #schemas = new OutputSchemas();

  /** @param names - further members whose values are secret, in upper or lower case, in content of the server and its users */
  constructor(names: readonly string[]) {
    this.#names = new Set(names.map((name) => name.toLowerCase()));
  }

  /**
   * Returns a message without secrets. Its envelope stays: id, method and error code.
   *
   * @param connection - name of the connection, where there are several: their requests may have the same ids
   */
  redact(message: unknown, connection = ""): unknown {
    if (!isObject(message)) return undefined;
    const request = this.#schemas.findRequest(message, connection);
    return this.#redactTwice(() =>
      mapMembers(message, (name, member) => {
        if (name === "params" || name === "result") return this.redactValue(member, request);
        if (name === "error" && isObject(member)) return this.#redactError(member);
        return envelopeNames.has(name) ? member : this.#redactMember(name, member, free);
      }),
    );
  }

  /**
   * Returns params or a result without secrets.
   *
   * @param request - request a result belongs to. Values in its structured content stay if the schema of the tool restricts them to a few.
   */
  redactValue(value: unknown, request?: NamedRequest): unknown {
    this.#schemas.learn(value);
    const schema = this.#schemas.find(request);
    return this.#redactTwice(() =>
      isObject(value)
        ? mapMembers(value, (name, member) => {
            const fits = schema && name === "structuredContent";
            return fits
              ? this.#redactPart(member, { ...free, schema })
              : this.#redactMember(name, member, { isFree: false });
          })
        : this.#redactPart(value, { isFree: false }),
    );
  }

  /** Redacts once more when there were new secrets: they may also be in texts before the member that named them. */
  #redactTwice(redact: () => unknown): unknown {
    const { size } = this.#known;
    const redacted = redact();
    return this.#known.size === size ? redacted : redact();
  }

  #redactPart(value: unknown, part: Part): unknown {
    if (typeof value === "string") return this.#redactText(value, part);
    if (Array.isArray(value)) {
      const schema = schemaOf(part.schema, undefined);
      return value.map((item) => this.#redactPart(item, { ...part, schema }));
    }
    return isObject(value) ? mapMembers(value, (name, member) => this.#redactMember(name, member, part)) : value;
  }

  #redactError(error: Record<string, unknown>): object {
    return mapMembers(error, (name, member) => (name === "code" ? member : this.#redactMember(name, member, free)));
  }

  #redactMember(name: string, member: unknown, part: Part): unknown {
    const { isFree } = part;
    const schema = schemaOf(part.schema, name);
    if (protocolNames.has(name) && !isObject(member)) return member;
    if (schemaNames.has(name)) return this.#redactSchema(member, false);
    if (inputNames.has(name) && isObject(member) && !isFree)
      return mapMembers(member, (key, input) => this.#redactInput(input, this.#isSecret(key)));
    if (isSecretName(name) || (isFree && this.#isNamed(name))) return this.#hide(member, schema);
    if (name === "argument" && isObject(member)) return this.#redactArgument(member, { isFree });
    return this.#redactPart(member, {
      isFree: isFree || isFreeMember(name, member),
      isText: textNames.has(name),
      schema,
    });
  }

  /** Redacts an input request, or the response to one. A secret key hides what the user enters, and keeps the members of the protocol. */
  #redactInput(input: unknown, isSecret: boolean): unknown {
    if (!isSecret) return this.#redactPart(input, { isFree: false });
    if (!isObject(input)) return this.#hide(input);
    return mapMembers(input, (name, member) => {
      if (name === "params") return this.#redactInput(member, isSecret);
      if (name === "requestedSchema") return this.#redactSchema(member, isSecret);
      if (name === "content") return this.#hideContent(member, "role" in input);
      return inputMembers.has(name) ? this.#redactMember(name, member, { isFree: false }) : this.#hide(member);
    });
  }

  /** Redacts the fields of a form, or the content blocks of a sampled message. */
  #hideContent(content: unknown, isBlock: boolean): unknown {
    if (Array.isArray(content)) return content.map((item) => this.#hideContent(item, isBlock));
    if (!isObject(content)) return this.#hide(content);
    return mapMembers(content, (name, member) => (isBlock && name === "type" ? member : this.#hide(member)));
  }

  /** Redacts the argument of a completion, whose name is a value. */
  #redactArgument(argument: Record<string, unknown>, part: Part): unknown {
    const { name, value } = argument;
    const isSecret = typeof name === "string" && this.#isSecret(name);
    return isSecret ? { ...argument, value: this.#hide(value) } : this.#redactPart(argument, part);
  }

  #isNamed(name: string): boolean {
    return this.#names.has(name.toLowerCase());
  }

  /** Redacts a schema. Its names are names of members: a secret one hides the values the schema has for the member. */
  #redactSchema(schema: unknown, isSecret: boolean): unknown {
    if (typeof schema === "string") return hideSecretText(schema);
    if (Array.isArray(schema)) return schema.map((item) => this.#redactSchema(item, isSecret));
    if (!isObject(schema)) return schema;
    return mapMembers(schema, (keyword, member) => {
      if (sampleKeywords.has(keyword)) return this.#redactSample(member, isSecret);
      if (choiceKeywords.has(keyword)) return this.#redactChoices(member);
      if (textNames.has(keyword) && typeof member === "string") return this.#known.hideIn(hideSecretText(member));
      if (!mapKeywords.has(keyword) || !isObject(member)) return this.#redactSchema(member, isSecret);
      return mapMembers(member, (name, inner) => this.#redactSchema(inner, isSecret || this.#isSecret(name)));
    });
  }

  /** Redacts a default value, or examples. */
  #redactSample(sample: unknown, isSecret: boolean): unknown {
    if (isSecret || this.#isKnown(sample)) return this.#hide(sample);
    if (Array.isArray(sample)) return sample.map((item) => this.#redactSample(item, isSecret));
    return this.#redactPart(sample, free);
  }

  /** Redacts values permitted by a schema. Clients and mocks need them, under any name: only long texts that were secrets elsewhere are hidden. */
  #redactChoices(value: unknown): unknown {
    if (typeof value === "string" && value.length >= shortestSecret && this.#isKnown(value)) return this.#hide(value);
    if (typeof value === "string") return hideSecretText(value);
    if (Array.isArray(value)) return value.map((item) => this.#redactChoices(item));
    return isObject(value) ? mapMembers(value, (_name, member) => this.#redactChoices(member)) : value;
  }

  /** True for a secret of an earlier message. */
  #isKnown(value: unknown): boolean {
    return typeof value === "string" && this.#known.has(value);
  }

  #isSecret(name: string): boolean {
    return isSecretName(name) || this.#isNamed(name);
  }

  /** Redacts a secret with any content. Its type stays the same, and it fits its schema. */
  #hide(value: unknown, schema?: ValueSchema): unknown {
    if (typeof value === "string") return this.#hideText(value, schema);
    if (typeof value === "number") return schema ? fitSecret(value, 0, schema) : 0;
    if (Array.isArray(value)) return value.map((item) => this.#hide(item, schemaOf(schema, undefined)));
    if (!isObject(value)) return value;
    return mapMembers(value, (name, member) => this.#hide(member, schemaOf(schema, name)));
  }

  #hideText(text: string, schema?: ValueSchema): unknown {
    // A recording that is replayed has such texts itself.
    if (text === "" || isRedacted(text)) return text;
    if (schema && isChoice(text, schema)) return text;
    const usual = this.#known.replace(text);
    return schema ? fitSecret(text, usual, schema) : usual;
  }

  /** Redacts parts of a text that look like secrets, and values of members, parameters and variables with secret names in it. */
  #redactText(text: string, { isFree, isText }: Part): string {
    if ((isFree || isText) && text.length >= shortestSecret && this.#isKnown(text)) return this.#known.replace(text);
    const shown = this.#redactNamed(text, 0);
    return isFree || isText ? this.#known.hideIn(shown) : shown;
  }

  #redactNamed(text: string, depth: number): string {
    const isSecret = (name: string): boolean => this.#isSecret(name);
    const remember = (secret: string): void => void (secret.length >= shortestSecret && this.#hideText(secret));
    const members = hideMembers(hideSecretText(text), isSecret, (literal) => remember(literal.slice(1, -1)));
    const parameters = hideAssigned(members, queryParameter, { isSecret, remember });
    const shown = hideAssigned(parameters, environmentVariable, { isSecret, remember });
    return depth < deepestText ? mapStrings(shown, (literal) => this.#redactEncoded(literal, depth)) : shown;
  }

  /** Redacts JSON within a string of JSON, as the body of a response is in a list of responses. */
  #redactEncoded(literal: string, depth: number): string {
    const text = literal.includes('\\"') ? parseJson(literal) : undefined;
    if (typeof text !== "string") return literal;
    const redacted = this.#redactNamed(text, depth + 1);
    return redacted === text ? literal : JSON.stringify(redacted);
  }
}

/** True for a text in the place of a secret. */
export function isRedacted(text: string): boolean {
  return /^\[redacted(?: \d+)?\]$/.test(text);
}

/** True if any text in a value is in the place of a secret. */
export function hasRedacted(value: unknown): boolean {
  if (typeof value === "string") return isRedacted(value);
  if (Array.isArray(value)) return value.some(hasRedacted);
  return isObject(value) && Object.values(value).some(hasRedacted);
}

interface Part {
  /** True for content of the server or its users. Members of the protocol itself have no names of their choice. */
  readonly isFree: boolean;
  /** True for a member of the protocol with a text of the server, which may repeat a secret. */
  readonly isText?: boolean;
  readonly schema?: ValueSchema | undefined;
}

const free: Part = { isFree: true };

/** True for members of the protocol whose content belongs to the server or its users. */
function isFreeMember(name: string, member: unknown): boolean {
  // A list is one of content blocks, an object the input of a user.
  return freeNames.has(name) || (name === "content" && isObject(member));
}

const freeNames: ReadonlySet<string> = new Set([
  "arguments",
  "input",
  "structuredContent",
  "_meta",
  "data",
  "metadata",
]);

/** Members of the protocol with texts of the server. */
const textNames: ReadonlySet<string> = new Set([
  "text",
  "message",
  "title",
  "description",
  "instructions",
  "uri",
  "url",
  "statusMessage",
  "systemPrompt",
  "reason",
]);

/** Members with input requests or their responses, by keys of the server's choice. */
const inputNames: ReadonlySet<string> = new Set(["inputRequests", "inputResponses"]);

/** Members of input requests and responses without anything entered by a user. */
const inputMembers: ReadonlySet<string> = new Set([
  "method",
  "_meta",
  "mode",
  "message",
  "url",
  "elicitationId",
  "action",
  "messages",
  "systemPrompt",
  "modelPreferences",
  "includeContext",
  "temperature",
  "maxTokens",
  "stopSequences",
  "metadata",
  "tools",
  "toolChoice",
  "role",
  "model",
  "stopReason",
  "roots",
]);

/** Members of a message outside its content. */
const envelopeNames: ReadonlySet<string> = new Set(["jsonrpc", "id", "method"]);

/** Members of the protocol whose names look like secrets. */
const protocolNames: ReadonlySet<string> = new Set(["progressToken", "maxTokens"]);

/** Members with a JSON Schema. */
const schemaNames: ReadonlySet<string> = new Set(["inputSchema", "outputSchema", "requestedSchema"]);

/** Keywords of a schema with possible values of a member. */
const sampleKeywords: ReadonlySet<string> = new Set(["default", "examples"]);

/** Keywords of a schema with the values to which a member is restricted. */
const choiceKeywords: ReadonlySet<string> = new Set(["const", "enum"]);

/** Keywords of a schema with schemas by name. */
const mapKeywords: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);

/** Levels of JSON in strings of JSON to search for secrets. */
const deepestText = 4;

/** Values in a text. Each follows a match of `begin`, whose first group is its name, and ends before the next match of `end`. */
interface Assignment {
  readonly begin: RegExp;
  readonly end: RegExp;
}

const queryParameter: Assignment = { begin: /[?&]([\w.~-]{1,100})=/g, end: /[&\s"'<>#]/g };
const environmentVariable: Assignment = { begin: /^(?:export )?([A-Z][A-Z\d_]{1,100})=/gm, end: /[\n\r\u2028\u2029]/g };

/** Hides values with secret names in a text. */
function hideAssigned(
  text: string,
  { begin, end }: Assignment,
  { isSecret, remember }: { isSecret(name: string): boolean; remember(secret: string): void },
): string {
  let shown = "";
  let from = 0;
  for (const { 0: before, 1: name = "", index } of text.matchAll(begin)) {
    const value = index + before.length;
    if (index < from || !isSecret(name)) continue;
    end.lastIndex = value;
    const next = end.exec(text)?.index ?? text.length;
    if (next === value) continue;
    remember(text.slice(value, next));
    shown += `${text.slice(from, value)}[redacted]`;
    from = next;
  }
  return shown + text.slice(from);
}

function mapMembers(
  value: Record<string, unknown>,
  map: (name: string, member: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, map(name, member)]));
}

/** An HTTP API, as far as tools need it. */
export interface Api {
  readonly title: string;
  /** First word of the names of its settings: `API` in `API_TOKEN`. */
  readonly variables: string;
  /** Address of its first server; absent when the document lists no complete address. */
  readonly address?: string;
  readonly credentials: readonly Credential[];
  /** Names of security schemes that operations accept instead of these credentials. */
  readonly unusedSchemes?: readonly string[];
  readonly operations: readonly Operation[];
  /** Operations the tools cannot call, with reasons. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/** Position of a token in a request. */
export interface CredentialPlace {
  readonly place: "header" | "query" | "cookie";
  readonly name: string;
  /** Text before the token. */
  readonly prefix: string;
}

/** A token sent by requests. */
export interface Credential extends CredentialPlace {
  /** Name of its security scheme in the document. */
  readonly scheme: string;
  /** Environment variable for it. */
  readonly variable: string;
  /** True if every operation can be called without it. */
  readonly isOptional: boolean;
}

/** True if the token is a user's name and password. */
export function isPassword({ prefix }: CredentialPlace): boolean {
  return prefix === basicPrefix;
}

/** Text before a user's name and password. */
export const basicPrefix = "Basic ";

/** One operation, which becomes one tool. */
export interface Operation {
  /** Name of the tool, unique within the API. */
  readonly name: string;
  /** HTTP method, in upper case. */
  readonly method: string;
  /** Path, with its parameters in braces. */
  readonly path: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  /** Body of the request; absent when the operation has none. */
  readonly body?: OperationBody;
  readonly input: Readonly<Record<string, unknown>>;
  /** True if deep parts of its schemas accept anything, because the full schemas would be too large. */
  readonly isOpen: boolean;
  /** Address of its own server, if it has one; empty when it is not known. */
  readonly address?: string;
  /** Environment variables of the credentials sent by the request. */
  readonly access: readonly string[];
  /** Declared security schemes that cannot be sent, with their kinds: `login (http digest)`. */
  readonly unsupported: readonly string[];
  /** True if the document describes a body that cannot be sent with its method. */
  readonly omitsBody?: boolean;
  /** True if the response is a file. */
  readonly returnsFile: boolean;
  /** Schema of the successful responses if one of them is a JSON object. */
  readonly output?: Readonly<Record<string, unknown>>;
  /** Other successful responses that are no JSON object: without content, text, or another JSON value. */
  readonly others?: readonly ("empty" | "text" | "value")[];
}

/** The body of a request. */
export interface OperationBody {
  /** Media type of the body. */
  readonly type: string;
  /** True if the body is a file. Its argument is text in base64. */
  readonly isFile: boolean;
  /** Media types of the parts with files. */
  readonly files: Readonly<Record<string, string>>;
  /** Media types of the other parts, where they have one of their own. */
  readonly types: Readonly<Record<string, string>>;
  /** Styles of members of a form, if the document declares one. */
  readonly styles?: Readonly<Record<string, MemberStyle>>;
  /** Members of a URL-encoded form whose reserved characters are not encoded. */
  readonly reserved?: readonly string[];
}

/**
 * Serialization of a member of a form: one pair for each inner member, without or with all names (`range[from]`), JSON, or items with a separator.
 */
export type MemberStyle = "members" | "deep" | "json" | "," | "|" | " ";

/** A parameter of the API, and the argument with its value. */
export interface Parameter {
  /** Name in the API. */
  readonly name: string;
  /** Name of the argument of the tool. */
  readonly argument: string;
  readonly place: "path" | "query" | "header" | "cookie";
  /** Serialization of several values. */
  readonly style: "repeat" | "comma" | "pipe" | "space" | "deep" | "json" | "named";
  /** True if reserved characters of a query parameter are not encoded. */
  readonly keepsReserved?: boolean;
}

/** Name of the argument for the body. */
export const bodyArgument = "body";

/** Error about an operation that cannot become a tool. */
export class LeftOut extends Error {
  override readonly name = "LeftOut";
}

/**
 * Treatment of API responses by tools. `none`: tools have no output schema, and the JSON is text. `loose`: the advertised schema accepts every
 * response, and a deviation from the document is logged. `strict`: a deviation is an error of the tool.
 */
export const outputModes = ["none", "loose", "strict"] as const;

/** Name of a treatment of API responses. */
export type OutputMode = (typeof outputModes)[number];

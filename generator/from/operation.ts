/** An HTTP API, as far as tools are made of it. */
export interface Api {
  readonly title: string;
  /** Address of its first server; absent when it says none that is complete. */
  readonly address?: string;
  readonly credentials: readonly Credential[];
  readonly operations: readonly Operation[];
  /** Operations that cannot be called, and why. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/** Where a token stands in a request. */
export interface CredentialPlace {
  readonly place: "header" | "query" | "cookie";
  readonly name: string;
  /** What comes before it. */
  readonly prefix: string;
}

/** A token that requests take with them. */
export interface Credential extends CredentialPlace {
  /** What the document calls it. */
  readonly scheme: string;
  /** The variable of the environment that has it. */
  readonly variable: string;
  /** Whether everything can be called without it. */
  readonly isOptional: boolean;
}

/** Whether the token is a user's name and password. */
export function isPassword({ prefix }: CredentialPlace): boolean {
  return prefix === basicPrefix;
}

/** What stands before a user's name and password. */
export const basicPrefix = "Basic ";

/** One operation, which becomes one tool. */
export interface Operation {
  /** Name of the tool. */
  readonly name: string;
  /** In upper case. */
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  /** What is sent. */
  readonly body?: OperationBody;
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether deep parts of its schemas may be anything, because there is too much of them. */
  readonly isOpen: boolean;
  /** Address of its own server, where it has one; empty when that is not known. */
  readonly address?: string;
  /** Variables of the credentials that go with it. */
  readonly access: readonly string[];
  /** Whether it answers with a file. */
  readonly answersFile: boolean;
  /** Schema of the JSON object that it answers, if it does. */
  readonly output?: Readonly<Record<string, unknown>>;
}

/** The body of a request. */
export interface OperationBody {
  /** Its media type. */
  readonly type: string;
  /** Whether it is a file, so that its argument is text in base64. */
  readonly isFile: boolean;
  /** Media types of its parts that are files. */
  readonly files: Readonly<Record<string, string>>;
  /** Media types of its other parts that have one of their own. */
  readonly types: Readonly<Record<string, string>>;
  /** Members of which each value has a name of its own: `range[from]`. */
  readonly deep: readonly string[];
}

/** A parameter, and the argument that it is taken from. */
export interface Parameter {
  /** As the API calls it. */
  readonly name: string;
  /** As the tool calls it. */
  readonly argument: string;
  readonly place: "path" | "query" | "header" | "cookie";
  /** How several values are written. */
  readonly style: "repeat" | "comma" | "pipe" | "space" | "deep" | "json" | "named";
}

/** Name of the argument that is sent as the body. */
export const bodyArgument = "body";

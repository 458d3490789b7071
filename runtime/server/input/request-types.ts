import type {
  MethodsOf,
  ParamsArgument,
  RequestsOfServers,
  ResponseOf,
  SentParamsOf,
} from "../../protocol/revision/method-types.ts";
import type { MissingMethod, Unavailable } from "../../protocol/revision/missing.ts";
import type { FromJsonSchema } from "../json-schema.ts";

/**
 * Input requests of a handler to the client. They fail with a `CapabilityError` when the client did not declare the capability. With stateless
 * requests, the handler stops at an input request without a response, and runs again from its beginning when the response arrives. What it does
 * before must be the same each time. Use `once` for work that must not happen twice.
 */
export type ClientRequests<P> = (P extends InputRequestTypes<"CreateMessage", infer Params, infer Result>
  ? {
      /**
       * Requests a completion of the client's model. With a text, the result is the text of the response; any other response is a `ToolError`. With
       * params of the protocol, the result is the protocol's as well.
       *
       * @example
       * ```ts
       * const joke = defineTool({
       *   name: "joke",
       *   execute: (_args, { sample }) => sample("Tell a joke.", { maxTokens: 100 }),
       * });
       * ```
       */
      sample<T extends string | ProtocolParams>(
        request: T | Params,
        options?: SampleOptions<T, Params>,
      ): Promise<[ProtocolParams] extends [T] ? Result : string>;
    }
  : {
      /** Unavailable: the revision has no sampling. */
      readonly sample: Unavailable<MissingMethod<P, "CreateMessageRequest">>;
    }) &
  (P extends InputRequestTypes<"Elicit", infer Params, infer Result>
    ? {
        /**
         * Requests input of the user. With a message and a schema, the content of the response is checked and typed by the schema; content rejected
         * by the schema is a `ToolError`. With params of the protocol, the result is the protocol's as well.
         *
         * @example
         * ```ts
         * import * as z from "zod";
         *
         * const choose = defineTool({
         *   name: "choose_seat",
         *   async execute(_args, { elicit }) {
         *     const { content } = await elicit("Which seat?", z.object({ seat: z.enum(["12A", "12B"]) }));
         *     return content ? `Seat ${content.seat}` : "No seat";
         *   },
         * });
         * ```
         */
        elicit<const S = undefined>(
          request: [FormKind<S>] extends ["none"] ? Params : string,
          schema?: [FormProblem<P, Params, S>] extends [never] ? S : Unavailable<FormProblem<P, Params, S>>,
          options?: InputRequestOptions,
        ): Promise<Elicited<S, Result>>;
      }
    : {
        /** Unavailable: the revision has no elicitation. */
        readonly elicit: Unavailable<MissingMethod<P, "ElicitRequest">>;
      }) &
  (P extends { ListRootsResult: { roots: infer Roots } }
    ? {
        /** Lists the folders the user has opened to the server. */
        roots(options?: InputRequestOptions): Promise<Roots>;
      }
    : {
        /** Unavailable: the revision has no roots. */
        readonly roots: Unavailable<MissingMethod<P, "ListRootsRequest">>;
      }) &
  ([MethodsOf<P, RequestsOfServers>] extends [never]
    ? {
        /** Unavailable: the project has no requests by method. */
        readonly request: Unavailable<MissingMethod<P, "ServerRequest">>;
      }
    : {
        /**
         * Sends a request of the revision by its method, and returns the result of the protocol. `sample`, `elicit` and `roots` are shorter where they suffice.
         *
         * @throws {Error} when the revision of the client has no such request
         */
        request<Method extends Exclude<MethodsOf<P, RequestsOfServers>, "ping">>(
          method: Method,
          ...given: [...ParamsArgument<SentParamsOf<P, Method>>, options?: InputRequestOptions]
        ): Promise<ResponseOf<P, Method>>;
      });

/** Options of an input request to the client. */
export interface InputRequestOptions {
  /** Key of the input request where it is part of a result. Default: its kind and a number. */
  readonly key?: string;
}

/** Response of the user to a form. `content` is absent unless the user has accepted. */
export type FormResponse<Content> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" | "cancel"; readonly content?: undefined };

/**
 * Options of a sampling request. With a text, `maxTokens` is 1000 by default. With params of the protocol, the params contain everything but the key.
 */
type SampleOptions<T, Params> = [ProtocolParams] extends [T]
  ? InputRequestOptions
  : InputRequestOptions & Readonly<Partial<Pick<Params, Extract<keyof Params, SampleOption>>>>;

type SampleOption =
  "maxTokens" | "systemPrompt" | "modelPreferences" | "temperature" | "stopSequences" | "includeContext" | "metadata";

/** Stands for a request that is not a text: from it the compiler knows the type of the result. No value has this type. */
interface ProtocolParams {
  readonly [protocolParams]: never;
}
declare const protocolParams: unique symbol;

type InputRequestTypes<Name extends string, Params, Result> = {
  readonly [K in `${Name}Request`]: { params: Params };
} & {
  readonly [K in `${Name}Result`]: Result;
};

/** Kind of the second argument of `elicit`. */
type FormKind<S> = [S] extends [StandardSchema]
  ? "schema"
  : [S] extends [InputRequestOptions | undefined]
    ? "none"
    : [S] extends [{ readonly type: "object" }]
      ? "json"
      : "other";

interface StandardSchema {
  readonly "~standard": object;
}

/** Reason why the second argument of `elicit` cannot be used; `never` if it can. Parts of a schema without a trace in its type are checked later. */
type FormProblem<P, Params, S> = {
  none: never;
  schema: ContentProblem<P, InputOf<S>>;
  json: FieldProblem<
    S extends { readonly properties: infer Fields } ? WrongFields<Fields, FieldSchema<Params>> : never
  >;
  other: "wrap it in z.object({ ... })";
}[FormKind<S>];

/** Schemas of fields in the forms of a revision. */
type FieldSchema<Params> = Params extends { requestedSchema: { properties: { [name: string]: infer Field } } }
  ? DeepReadonly<Field>
  : never;

type DeepReadonly<T> = T extends object ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> } : T;

type WrongFields<Fields, Known> = {
  [Name in keyof Fields]: [Match<Fields[Name], Known>] extends [never] ? Name : never;
}[keyof Fields];

/** `true` if a field fits one of several types exactly, without further members; `never` otherwise. */
type Match<Field, Known> = Known extends unknown
  ? [Field] extends [Known]
    ? [Exclude<keyof Field, keyof Known>] extends [never]
      ? true
      : never
    : never
  : never;

/** Reason why a form cannot request values of a type; `never` if it can. */
type ContentProblem<P, I> = unknown extends I
  ? never
  : [I] extends [readonly unknown[] | string | number | boolean | bigint | null | undefined]
    ? "wrap it in z.object({ ... })"
    : string extends keyof I
      ? "name each field of the form"
      : FieldProblem<
          { [Name in keyof I]-?: IsField<P, Exclude<I[Name], undefined>> extends true ? never : Name }[keyof I]
        >;

type FieldProblem<Name> = Name extends string
  ? `fields of a form are strings, numbers, booleans or choices: change ${Name}`
  : never;

type IsField<P, Value> = [Value] extends [string]
  ? true
  : [Value] extends [boolean]
    ? true
    : [Value] extends [number]
      ? number extends Value
        ? true
        : false
      : [Value] extends [readonly (infer Choice)[]]
        ? HasSeveralChoices<P> extends true
          ? [Choice] extends [string]
            ? string extends Choice
              ? false
              : true
            : false
          : false
        : false;

/** True if the forms of a revision have fields with several choices. */
type HasSeveralChoices<P> = P extends { ElicitResult: { content?: { [name: string]: infer Value } } }
  ? string[] extends Value
    ? true
    : false
  : false;

type Elicited<S, Result> = {
  none: Result;
  schema: FormResponse<OutputOf<S>>;
  json: FormResponse<FormContent<S>>;
  other: FormResponse<unknown>;
}[FormKind<S>];

type InputOf<S> = S extends { readonly "~standard": { readonly types?: { readonly input: infer I } | undefined } }
  ? I
  : unknown;

type OutputOf<S> = S extends { readonly "~standard": { readonly types?: { readonly output: infer O } | undefined } }
  ? O
  : unknown;

/** Content of a form described by a JSON Schema. */
type FormContent<S> = S extends { readonly properties: infer Fields }
  ? Flat<
      { readonly [Name in keyof Fields as Extract<Name, RequiredNames<S>>]: FieldOf<Fields[Name]> } & {
        readonly [Name in keyof Fields as Exclude<Name, RequiredNames<S>>]?: FieldOf<Fields[Name]>;
      }
    >
  : unknown;

type RequiredNames<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

type FieldOf<Field> = Field extends { readonly oneOf: readonly { readonly const: infer Choice }[] }
  ? Choice
  : Field extends { readonly items: { readonly anyOf: readonly { readonly const: infer Choice }[] } }
    ? Choice[]
    : FromJsonSchema<Field>;

type Flat<T> = { [Name in keyof T]: T[Name] } & {};

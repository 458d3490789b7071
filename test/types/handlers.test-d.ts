import { expectTypeOf, test } from "vitest";
import type { ClientRequests as SkillRequests } from "../../generated/extensions/skills/methods.ts";
import type { TaskSubscriptionNotifications } from "../../generated/extensions/tasks/index.ts";
import type { ClientRequestParams } from "../../runtime/client/session/requests.ts";
import type { SkillRequestParams } from "../../runtime/client/skills/skill-reader.ts";
import type { ServedHandlers } from "../../runtime/server/methods/served-handlers.ts";
import type { Extensions, revisions } from "./revisions.ts";

/*
 * The runtime imports no revision, so its handlers and calls have types of their own. They fit the generated `ServerHandlers` and `ClientCalls` of
 * every revision, and the requests of every extension.
 */

type Revisions = typeof revisions;

test("handlers of the runtime accept the params of every revision and extension", () => {
  type Ours = ParamsOfHandlers<ServedHandlers>;
  type Theirs = { [Id in keyof Revisions]: ParamsOfHandlers<HandlersOf<Revisions[Id]>> } & ExtensionParams;
  expectNone<UnknownName<Ours, Theirs>>();
  expectNone<UnknownMember<Ours, Everywhere<Ours, Theirs>>>();
  expectNone<Rejected<Ours, Theirs>>();
});

test("calls of the client have params that every revision and extension accepts", () => {
  type Theirs = { [Id in keyof Revisions]: ParamsOfHandlers<CallsOf<Revisions[Id]>> } & ExtensionParams;
  expectNone<UnknownName<ClientRequestParams, Theirs>>();
  expectNone<UnknownMember<ClientRequestParams, Everywhere<ClientRequestParams, Theirs>>>();
  expectNone<Unfit<ClientRequestParams, Theirs>>();
});

test("requests about skills have params that the extension accepts", () => {
  type Theirs = { skills: { [Method in keyof SkillRequests]: ParamsOfRow<SkillRequests[Method]> } };
  expectNone<UnknownName<SkillRequestParams, Theirs>>();
  expectNone<UnknownMember<SkillRequestParams, Theirs["skills"]>>();
  expectNone<Unfit<SkillRequestParams, Theirs>>();
});

test("the comparison finds a wrong name, an unknown member, and params that do not fit", () => {
  type Theirs = {
    old: { call: { name: string; level: "a" | "b" } };
    new: { call: { name: string; more?: { at: 1 } } };
  };
  expectTypeOf<UnknownName<{ call: object; cal: object }, Theirs>>().toEqualTypeOf<"cal">();
  type Wrong = { call: { nam?: string; name: string; more?: { to?: 1 } } };
  expectTypeOf<UnknownMember<Wrong, Everywhere<Wrong, Theirs>>>().toEqualTypeOf<"call.nam" | "call.more.to">();
  expectTypeOf<Rejected<{ call: { level: string } }, Theirs>>().toEqualTypeOf<"call at new">();
  expectTypeOf<Unfit<{ call: { name: string; more?: { at: number } } }, Theirs>>().toEqualTypeOf<"call at old">();
});

/** Fails to compile unless a type is empty, with what it has. */
function expectNone<Found extends never>(): Found[] {
  return [];
}

/** Handlers of a server at a revision. */
type HandlersOf<Module> = Module extends { implementServer(handlers: infer Handlers): unknown } ? Handlers : never;

/** Calls of a client at a revision. */
type CallsOf<Module> = Module extends { ClientCalls: { prototype: infer Calls } } ? Calls : never;

/** First argument of each function, by its name. */
type ParamsOfHandlers<Handlers> = {
  [Name in keyof Handlers]-?: Handlers[Name] extends ((...given: infer Given) => unknown) | undefined
    ? Given[0]
    : never;
};

type ParamsOfRow<Row> = Row extends { readonly "~types"?: { readonly params: infer Params } } ? Params : never;

/** Params of the requests of each extension, by handler name, and of the methods to which it adds members. */
type ExtensionParams = {
  [Extension in keyof Extensions]: ParamsOfRequests<Extensions[Extension]>;
} & { members: { subscriptionsListen: { notifications: TaskSubscriptionNotifications } } };

type ParamsOfRequests<Declarations> = {
  [
    Name in keyof Declarations as Name extends `${infer Base}Request` ? Uncapitalize<Base> : never
  ]: Declarations[Name] extends {
    params?: infer Params;
  }
    ? Params
    : never;
};

/** Names that exist nowhere. */
type UnknownName<Ours, Theirs> = Exclude<keyof Ours, KeyOf<Theirs[keyof Theirs]>>;

/** Params of our names wherever they exist. */
type Everywhere<Ours, Theirs> = { [Name in keyof Ours]: MemberOf<Theirs[keyof Theirs], Name> };

/** Paths of the members that exist nowhere. */
type UnknownMember<Ours, Theirs> = {
  [Name in LiteralKey<Ours>]: Name extends KeyOf<Theirs>
    ? Below<Name, UnknownMember<MemberOf<Ours, Name>, MemberOf<Theirs, Name>>>
    : Name;
}[LiteralKey<Ours>];

type Below<Name extends string, Path> = Path extends string ? `${Name}.${Path}` : never;

/** Names of handlers that do not accept the params of a place. */
type Rejected<Ours, Theirs> = Differing<Ours, Theirs, { [Place in keyof Theirs]: Accepted<Theirs[Place], Ours> }>;

type Accepted<Theirs, Ours> = {
  [Name in keyof Theirs & keyof Ours]: Plain<Theirs[Name]> extends Ours[Name] ? true : false;
};

/** Names of calls with params that a place does not accept. Params and members of type `object` come from the user. */
type Unfit<Ours, Theirs> = Differing<Ours, Theirs, { [Place in keyof Theirs]: Fitting<Ours, Theirs[Place]> }>;

type Fitting<Ours, Theirs> = {
  [Name in keyof Theirs & keyof Ours]: [keyof Ours[Name], Ours[Name]] extends [never, object]
    ? true
    : Ours[Name] extends Erased<Theirs[Name]>
      ? true
      : false;
};

type Differing<Ours, Theirs, Found> = {
  [Place in keyof Found & keyof Theirs & string]: {
    [Name in keyof Found[Place] & keyof Ours & string]: Found[Place][Name] extends true ? never : `${Name} at ${Place}`;
  }[keyof Found[Place] & keyof Ours & string];
}[keyof Found & keyof Theirs & string];

/** Members instead of an interface, which has no index. */
type Plain<T> = T extends readonly unknown[] ? T : T extends object ? { [Name in keyof T]: Plain<T[Name]> } : T;

/** What a client knows of params without the revision: any string in place of some, any object in place of one with free names, and no metadata. */
type Erased<T> = T extends string
  ? string
  : T extends number
    ? number
    : T extends readonly (infer Item)[]
      ? readonly Erased<Item>[]
      : T extends object
        ? string extends keyof T
          ? object
          : { readonly [Name in keyof T as Exclude<Name, "_meta">]: Erased<T[Name]> }
        : T;

type KeyOf<T> = T extends unknown ? keyof T : never;

type LiteralKey<T> = T extends object
  ? T extends readonly unknown[]
    ? never
    : { [Name in keyof T]-?: string extends Name ? never : Name & string }[keyof T]
  : never;

type MemberOf<T, Name> = T extends unknown ? (Name extends keyof T ? T[Name] : never) : never;

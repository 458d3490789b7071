import { ts } from "ts-morph";
import type { Overlay } from "../../generator/model/overlay.ts";

/* Changes of one name or member in the files of a revision. All functions are pure: texts go in, changed texts come out. */

/** Files of a revision. */
export interface SpecTexts {
  readonly schema: string;
  readonly overlay: Overlay;
}

/** Kinds of changes from one revision to the next. */
export type ChangeKind =
  | "value renamed"
  | "constant renamed"
  | "constant changed"
  | "declaration renamed"
  | "method renamed"
  | "member renamed"
  | "member removed"
  | "member required"
  | "member optional"
  | "header renamed"
  | "error renamed"
  | "error code changed"
  | "meta key renamed";

/** One change. The overlay is changed with the schema, as the person who pins the revision would do it. */
export interface SingleChange {
  readonly kind: ChangeKind;
  /** What is changed: `LoggingLevel:info`, `Tool.title`, `tools/list`, `Mcp-Name`. */
  readonly subject: string;
  /** Old and new text. */
  readonly from: string;
  readonly to: string;
  readonly apply: (texts: SpecTexts) => SpecTexts;
}

/** Returns the files of a revision under another date, as if it was the one after it. What the revision has removed is not removed again. */
export function toNextRevision(texts: SpecTexts, dates: { readonly from: string; readonly to: string }): SpecTexts {
  const { removed: _removed, ...overlay } = texts.overlay;
  const dated = JSON.stringify(overlay).replaceAll(`/${dates.from}/`, `/${dates.to}/`);
  return { schema: texts.schema.replaceAll(dates.from, dates.to), overlay: JSON.parse(dated) };
}

/** Returns every single change possible in the files. */
export function listChanges(texts: SpecTexts): readonly SingleChange[] {
  const { places, declarations, constants } = examine(texts.schema);
  return [
    ...places.flatMap(({ place, values }) => values.map((value) => renameValue(place, value))),
    ...constants.flatMap(({ name, value }) => [renameConstant(name), changeConstant(name, value)]),
    ...declarations.map(renameDeclaration),
    ...places.flatMap(({ place, method }) => (method === undefined ? [] : [renameMethod(place, method)])),
    ...places.flatMap(({ place, member }) => (member ? changeMember(place, member) : [])),
    ...(texts.overlay.headers ?? []).map(({ name }) => renameHeader(name)),
    ...texts.overlay.errors.flatMap(({ name, code }) => [renameError(name), changeErrorCode(name, code)]),
    ...(texts.overlay.reservedMeta ?? []).map(({ key }) => renameMetaKey(key)),
  ];
}

/** Gives a value of an enumeration, or a constant of a member, another text: `LoggingLevel`, `info`. */
export function renameValue(place: string, from: string): SingleChange {
  const to = `${from}Renamed`;
  return {
    kind: "value renamed",
    subject: `${place}:${from}`,
    from,
    to,
    apply({ schema, overlay }) {
      const nodes = find(schema, place).literals.filter(({ text }) => text === from);
      const { resultTypes, tolerances, tags } = overlay;
      const renamed = mapStrings({ resultTypes, tolerances, tags }, (text) => (text === from ? to : text));
      const isOfResults = place === "ResultType" || tolerances?.some(({ at }) => at === place);
      return {
        schema: edit(
          schema,
          nodes.map((node) => ({ ...node, text: JSON.stringify(to) })),
        ),
        overlay: isOfResults ? parse({ ...overlay, ...renamed }) : overlay,
      };
    },
  };
}

/** Gives an exported constant another name. */
export function renameConstant(from: string): SingleChange {
  const to = `${from}_RENAMED`;
  return {
    kind: "constant renamed",
    subject: from,
    from,
    to,
    apply: ({ schema, overlay }) => ({
      schema: renameIdentifiers(schema, from, to),
      overlay: { ...overlay, errors: overlay.errors.map((error) => renameMember(error, "constant", from, to)) },
    }),
  };
}

/** Gives an exported constant another value. */
export function changeConstant(name: string, value: string | number): SingleChange {
  const to = typeof value === "number" ? String(value - 1) : `${value}.1`;
  return {
    kind: "constant changed",
    subject: name,
    from: String(value),
    to,
    apply: ({ schema, overlay }) => ({
      schema: edit(
        schema,
        find(schema, name).literals.map((node) => ({
          ...node,
          text: typeof value === "number" ? to : JSON.stringify(to),
        })),
      ),
      overlay: {
        ...overlay,
        errors: overlay.errors.map((error) => (error.constant === name ? { ...error, code: Number(to) } : error)),
      },
    }),
  };
}

/** Gives a declaration another name, wherever it is used. */
export function renameDeclaration(from: string): SingleChange {
  const to = from.replace(/(Request|Notification|Result|ResultResponse|Params|)$/, "Renamed$1");
  const rename = (text: string): string =>
    text === from || text.startsWith(`${from}.`) ? to + text.slice(from.length) : text;
  return {
    kind: "declaration renamed",
    subject: from,
    from,
    to,
    apply: ({ schema, overlay }) => ({
      schema: renameIdentifiers(schema, from, to),
      overlay: parse(mapStrings(overlay, rename)),
    }),
  };
}

/** Gives a method another name on the wire. */
export function renameMethod(place: string, from: string): SingleChange {
  const to = `${from}Renamed`;
  return {
    kind: "method renamed",
    subject: from,
    from,
    to,
    apply: ({ schema, overlay }) => ({
      schema: edit(
        schema,
        find(schema, place).literals.map((node) => ({ ...node, text: JSON.stringify(to) })),
      ),
      overlay: parse(mapStrings(overlay, (text) => (text === from ? to : text))),
    }),
  };
}

/** Returns the changes of a member: another name, none any more, required if it was optional, and the other way round. */
export function changeMember(
  place: string,
  { name, isOptional }: { readonly name: string; readonly isOptional: boolean },
): readonly SingleChange[] {
  return [
    renamePlace(place, name),
    removeMember(place, name),
    (isOptional ? requireMember : makeOptional)(place, name),
  ];
}

/** Gives a member another name. */
export function renamePlace(place: string, from: string): SingleChange {
  const to = `${from}Renamed`;
  const renamed = `${place}Renamed`;
  const path = place.split(".").slice(1).join(".");
  return {
    kind: "member renamed",
    subject: place,
    from,
    to,
    apply: ({ schema, overlay }) => ({
      schema: edit(schema, [toName(find(schema, place), to)]),
      overlay: renameCapabilities(parse(mapStrings(overlay, (text) => (text === place ? renamed : text))), {
        type: place.split(".")[0],
        from: path,
        to: `${path}Renamed`,
      }),
    }),
  };
}

/** Removes a member. */
export function removeMember(place: string, name: string): SingleChange {
  return {
    kind: "member removed",
    subject: place,
    from: name,
    to: "",
    apply: ({ schema, overlay }) => ({
      schema: edit(schema, [{ ...find(schema, place).withComments, text: "" }]),
      overlay: withoutPlace(overlay, place),
    }),
  };
}

/** Makes an optional member required. */
export function requireMember(place: string, name: string): SingleChange {
  return {
    kind: "member required",
    subject: place,
    from: name,
    to: name,
    apply: ({ schema, overlay }) => {
      const { question } = find(schema, place);
      return { schema: edit(schema, question ? [{ ...question, text: "" }] : []), overlay };
    },
  };
}

/** Makes a required member optional. */
export function makeOptional(place: string, name: string): SingleChange {
  return {
    kind: "member optional",
    subject: place,
    from: name,
    to: name,
    apply: ({ schema, overlay }) => {
      const { end } = find(schema, place).name;
      return { schema: edit(schema, [{ start: end, end, text: "?" }]), overlay };
    },
  };
}

/** Gives a header another name. */
export function renameHeader(from: string): SingleChange {
  const to = `${from}-Renamed`;
  return {
    kind: "header renamed",
    subject: from,
    from,
    to,
    apply: ({ schema, overlay: { headers = [], ...overlay } }) => ({
      schema,
      overlay: { ...overlay, headers: headers.map((header) => renameMember(header, "name", from, to)) },
    }),
  };
}

/** Gives an error another name in the overlay. */
export function renameError(from: string): SingleChange {
  const to = `${from}Renamed`;
  return {
    kind: "error renamed",
    subject: from,
    from,
    to,
    apply: ({ schema, overlay }) => ({
      schema,
      overlay: { ...overlay, errors: overlay.errors.map((error) => renameMember(error, "name", from, to)) },
    }),
  };
}

/** Gives an error another code, in the overlay and in the constant of the schema. */
export function changeErrorCode(name: string, code: number): SingleChange {
  return {
    kind: "error code changed",
    subject: name,
    from: String(code),
    to: String(code - 1),
    apply(texts) {
      const error = texts.overlay.errors.find((one) => one.name === name);
      if (error?.constant !== undefined) return changeConstant(error.constant, error.code).apply(texts);
      const errors = texts.overlay.errors.map((one) => (one.name === name ? { ...one, code: one.code - 1 } : one));
      return { ...texts, overlay: { ...texts.overlay, errors } };
    },
  };
}

/** Gives a key of `_meta` another name, in the overlay and in the types of the schema. */
export function renameMetaKey(from: string): SingleChange {
  const to = `${from}Renamed`;
  return {
    kind: "meta key renamed",
    subject: from,
    from,
    to,
    apply: ({ schema, overlay: { reservedMeta = [], ...overlay } }) => ({
      schema: edit(
        schema,
        examine(schema).places.flatMap((found) =>
          found.member?.name === from && found.node ? [toName(found.node, to)] : [],
        ),
      ),
      overlay: { ...overlay, reservedMeta: reservedMeta.map((meta) => renameMember(meta, "key", from, to)) },
    }),
  };
}

/** Part of a text to replace. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface Edit extends Span {
  readonly text: string;
}

interface Literal extends Span {
  readonly text: string;
}

/** A declaration or a member in a schema. */
interface Found {
  /** With the comments before it. */
  readonly withComments: Span;
  readonly name: Span & { readonly isQuoted: boolean };
  readonly question: Span | undefined;
  readonly literals: readonly Literal[];
}

interface FoundPlace {
  readonly place: string;
  readonly node: Found;
  readonly values: readonly string[];
  readonly method: string | undefined;
  readonly member: { readonly name: string; readonly isOptional: boolean } | undefined;
}

interface Examined {
  readonly source: ts.SourceFile;
  readonly places: readonly FoundPlace[];
  readonly declarations: readonly string[];
  readonly constants: readonly { readonly name: string; readonly value: string | number }[];
}

/** Examined schemas, by their text: a table of changes examines the same schema for each. */
const examined = new Map<string, Examined>();

function examine(schema: string): Examined {
  const known = examined.get(schema);
  if (known) return known;
  const source = ts.createSourceFile("schema.ts", schema, ts.ScriptTarget.ESNext, true);
  const result: Examined = {
    source,
    places: source.statements.flatMap((statement) => placesIn(statement, source)),
    declarations: source.statements.flatMap((statement) =>
      ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement) ? [statement.name.text] : [],
    ),
    constants: source.statements.flatMap((statement) => constantsIn(statement, source)),
  };
  examined.set(schema, result);
  return result;
}

function placesIn(statement: ts.Statement, source: ts.SourceFile): readonly FoundPlace[] {
  if (ts.isInterfaceDeclaration(statement)) {
    const { name } = statement;
    return [
      toPlace(name.text, { whole: statement, name, question: undefined, type: undefined }, source),
      ...statement.members.flatMap((member) => membersIn(member, name.text, source)),
    ];
  }
  if (!ts.isTypeAliasDeclaration(statement)) return [];
  const { name, type } = statement;
  const inner = ts.isTypeLiteralNode(type) ? type.members : [];
  return [
    toPlace(name.text, { whole: statement, name, question: undefined, type }, source),
    ...inner.flatMap((member) => membersIn(member, name.text, source)),
  ];
}

function membersIn(member: ts.TypeElement, parent: string, source: ts.SourceFile): readonly FoundPlace[] {
  if (!ts.isPropertySignature(member)) return [];
  const { name, questionToken: question, type } = member;
  const key = ts.isStringLiteral(name) || ts.isIdentifier(name) ? name.text : name.getText(source);
  const place = `${parent}.${key}`;
  const own = toPlace(place, { whole: member, name, question, type }, source);
  const isOptional = question !== undefined;
  const method = key === "method" ? own.values[0] : undefined;
  const inner = type && ts.isTypeLiteralNode(type) ? type.members : [];
  return [
    { ...own, method, values: method === undefined ? own.values : [], member: { name: key, isOptional } },
    // A key with a point in it cannot be part of a longer path.
    ...(key.includes(".") ? [] : inner.flatMap((one) => membersIn(one, place, source))),
  ];
}

interface Nodes {
  readonly whole: ts.Node;
  readonly name: ts.Node;
  readonly question: ts.Node | undefined;
  readonly type: ts.TypeNode | undefined;
}

function toPlace(place: string, { whole, name, question, type }: Nodes, source: ts.SourceFile): FoundPlace {
  const literals = type ? literalsIn(type, source) : [];
  const node: Found = {
    withComments: { start: whole.pos, end: whole.end },
    name: { ...spanOf(name, source), isQuoted: ts.isStringLiteral(name) },
    question: question && spanOf(question, source),
    literals,
  };
  return { place, node, values: literals.map(({ text }) => text), method: undefined, member: undefined };
}

function literalsIn(type: ts.TypeNode, source: ts.SourceFile): readonly Literal[] {
  if (ts.isUnionTypeNode(type)) return type.types.flatMap((one) => literalsIn(one, source));
  if (!ts.isLiteralTypeNode(type) || !ts.isStringLiteral(type.literal)) return [];
  return [{ ...spanOf(type.literal, source), text: type.literal.text }];
}

function constantsIn(statement: ts.Statement, source: ts.SourceFile): Examined["constants"] {
  if (!ts.isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.flatMap(({ name, initializer }) => {
    if (!initializer) return [];
    const text = initializer.getText(source);
    return [{ name: name.getText(source), value: ts.isStringLiteral(initializer) ? initializer.text : Number(text) }];
  });
}

function spanOf(node: ts.Node, source: ts.SourceFile): Span {
  return { start: node.getStart(source), end: node.end };
}

/** Returns the nodes of a declaration, a member or a constant. */
function find(schema: string, place: string): Found {
  const { places, source } = examine(schema);
  const found = places.find((one) => one.place === place)?.node ?? findConstant(source, place);
  if (!found) throw new Error(`${place} is not in the schema`);
  return found;
}

function findConstant(source: ts.SourceFile, name: string): Found | undefined {
  for (const statement of source.statements.filter(ts.isVariableStatement)) {
    const found = statement.declarationList.declarations.find((one) => one.name.getText(source) === name);
    if (!found?.initializer) continue;
    const value = spanOf(found.initializer, source);
    return {
      withComments: { start: statement.pos, end: statement.end },
      name: { ...spanOf(found.name, source), isQuoted: false },
      question: undefined,
      literals: [{ ...value, text: found.initializer.getText(source) }],
    };
  }
  return undefined;
}

function toName({ name }: Found, to: string): Edit {
  return { start: name.start, end: name.end, text: name.isQuoted ? JSON.stringify(to) : to };
}

/** Applies edits from the last to the first: the positions of the others stay true. */
function edit(text: string, edits: readonly Edit[]): string {
  const sorted = [...edits].sort((one, other) => other.start - one.start);
  return sorted.reduce(
    (result, { start, end, text: inserted }) => result.slice(0, start) + inserted + result.slice(end),
    text,
  );
}

function renameIdentifiers(schema: string, from: string, to: string): string {
  const { source } = examine(schema);
  const edits: Edit[] = [];
  const visit = (node: ts.Node): void => {
    const isProperty = node.parent !== undefined && ts.isPropertySignature(node.parent) && node.parent.name === node;
    if (ts.isIdentifier(node) && node.text === from && !isProperty) edits.push({ ...spanOf(node, source), text: to });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return edit(schema, edits);
}

function renameMember<Entry extends object, Key extends keyof Entry>(
  entry: Entry,
  key: Key,
  from: string,
  to: string,
): Entry {
  return entry[key] === from ? { ...entry, [key]: to } : entry;
}

/** Renames a capability in the gates of methods and in the list of possibly empty capabilities. */
function renameCapabilities(
  overlay: Overlay,
  { type, from, to }: { readonly type: string | undefined; readonly from: string; readonly to: string },
): Overlay {
  if (type !== "ClientCapabilities" && type !== "ServerCapabilities") return overlay;
  const rename = (path: readonly string[]): readonly string[] => {
    const text = path.join(".");
    return text === from || text.startsWith(`${from}.`) ? (to + text.slice(from.length)).split(".") : path;
  };
  const methods = Object.entries(overlay.methods).map(([name, facts]) => [
    name,
    facts.gate ? { ...facts, gate: { ...facts.gate, path: rename(facts.gate.path) } } : facts,
  ]);
  const { emptyCapabilities = [] } = overlay;
  const empty = emptyCapabilities.map((capability) => {
    const path = rename([...capability.path, capability.means]);
    return { ...capability, path: path.slice(0, -1), means: path.at(-1) ?? "" };
  });
  return { ...overlay, methods: Object.fromEntries(methods), emptyCapabilities: empty };
}

/** Removes the entries of the overlay about a removed place. */
function withoutPlace(overlay: Overlay, place: string): Overlay {
  const { tolerances, nulls, minimums, integers } = overlay;
  const without = <Entry extends { readonly at: string }>(entries: readonly Entry[] | undefined): readonly Entry[] =>
    (entries ?? []).filter(({ at }) => at !== place);
  return {
    ...overlay,
    ...(tolerances && { tolerances: without(tolerances) }),
    ...(nulls && { nulls: without(nulls) }),
    ...(minimums && { minimums: without(minimums) }),
    ...(integers && { integers: without(integers) }),
  };
}

/** Changes every text in a value, except clauses; keys of objects as well. */
function mapStrings(value: unknown, change: (text: string) => string): object {
  return JSON.parse(
    JSON.stringify(value, (_key, part: unknown) => {
      if (typeof part === "string") return change(part);
      if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
      return Object.fromEntries(Object.entries(part).map(([key, inner]) => [change(key), inner]));
    }),
  );
}

/** Returns a changed overlay as an overlay. The reader of the revision checks what matters. */
function parse(value: object): Overlay {
  return JSON.parse(JSON.stringify(value));
}

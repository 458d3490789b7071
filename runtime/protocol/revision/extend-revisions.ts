import {
  escapeKey,
  isObject,
  under,
  type Check,
  type Extension,
  type NotificationRow,
  type RequestRow,
  type Revision,
  type Role,
  type Table,
} from "../../../generated/support.ts";
import { isDefinedExtension } from "./defined-extension.ts";

/**
 * Returns revisions with these extensions and no others, each as far as it can be used there: methods, headers, and results.
 *
 * @throws {Error} when an extension's identifier or declared settings are invalid, or when two extensions conflict
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export function extendRevisions(
  revisions: readonly Revision[],
  extensions: readonly Extension[],
  role: Role,
): readonly Revision[] {
  const declaring = extensions.map((extension) => withSettings(extension, role));
  for (const extension of declaring) checkSettings(extension, role);
  return revisions.map((revision) => {
    const usable = declaring.filter(({ lifecycles }) => lifecycles.includes(revision.lifecycle));
    return usable.reduce(extend, revision.core ?? revision);
  });
}

function withSettings(extension: Extension, role: Role): Extension & { readonly settings: object } {
  const { settings = isDefinedExtension(extension) ? extension.sides[role] : undefined } = extension;
  return { ...extension, settings: settings ?? {} };
}

function checkSettings({ id, declared, settings = {} }: Extension, role: Role): void {
  if (!identifier.test(id)) {
    const advice = 'use a prefix and a name, such as "com.example/search"';
    throw new Error(`${JSON.stringify(id)} is not a valid extension identifier; ${advice}`);
  }
  const issue = declared[role]?.(settings);
  if (!issue) return;
  const place = ["settings", ...(issue.path === "" ? [] : [issue.path])].join("/");
  throw new Error(`Extension ${id}: its ${place} must be ${issue.expected}`);
}

/** Matches labels that begin with a letter, and a name. The prefix prevents two authors from using the same word with different meanings. */
const identifier =
  /^[A-Za-z](?:[A-Za-z\d-]*[A-Za-z\d])?(?:\.[A-Za-z](?:[A-Za-z\d-]*[A-Za-z\d])?)*\/[A-Za-z\d](?:[\w.-]*[A-Za-z\d])?$/;

function extend(revision: Revision, extension: Extension): Revision {
  const { id, headers, results, members, settings = {} } = extension;
  const { extensions = {} } = revision;
  if (Object.hasOwn(extensions, id)) throw new Error(`The extension ${id} is duplicated; pass it once`);
  const withResults = results.reduce(
    (table, { method, kind, check }) => replace(table, method, (row) => withResult(row, kind, check)),
    addRows(revision.clientRequests, extension.clientRequests, id),
  );
  const withParams = <Row extends RequestRow | NotificationRow>(table: Table<Row>): Table<Row> =>
    members.reduce(
      (whole, { method, at, check }) =>
        replace(whole, method, (row) => ({ ...row, params: withMembers(row, at, check) })),
      table,
    );
  return {
    ...revision,
    core: revision.core ?? revision,
    extensions: { ...extensions, [id]: settings },
    clientRequests: withParams(withResults),
    // Where each request has a lifecycle of its own, servers send none.
    serverRequests:
      revision.lifecycle === "handshake"
        ? addRows(revision.serverRequests, extension.serverRequests, id)
        : revision.serverRequests,
    clientNotifications: addRows(revision.clientNotifications, extension.clientNotifications, id),
    serverNotifications: withParams(addRows(revision.serverNotifications, extension.serverNotifications, id)),
    headers: [...revision.headers, ...headers],
  };
}

function addRows<Row>(table: Table<Row>, more: Table<Row>, id: string): Table<Row> {
  const taken = Object.keys(more).find((method) => Object.hasOwn(table, method));
  if (taken !== undefined) throw new Error(`The extension ${id} defines ${taken}, which is already defined`);
  return { ...table, ...more };
}

function replace<Row>(table: Table<Row>, method: string, change: (row: Row) => Row): Table<Row> {
  const row = Object.hasOwn(table, method) ? table[method] : undefined;
  return row === undefined ? table : { ...table, [method]: change(row) };
}

/** Adds a result of the extension. It is recognized by its kind, which only results of this method may have. */
function withResult(row: RequestRow, kind: string, check: Check): RequestRow {
  const result: Check = (value) => (isObject(value) && value.resultType === kind ? check(value) : row.result(value));
  return { ...row, result, kinds: [...(row.kinds ?? []), kind] };
}

function withMembers({ params }: RequestRow | NotificationRow, at: readonly string[], check: Check): Check {
  return (value) => {
    const issue = params(value);
    if (issue) return issue;
    const object = at.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
    const added = object === undefined ? undefined : check(object);
    return added && at.reduceRight((inner, key) => under(escapeKey(key), inner), added);
  };
}

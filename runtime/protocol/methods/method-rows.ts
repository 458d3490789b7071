import type { Table } from "../../../generated/support.ts";

/** Returns the row of a table with this method, if the revision has it. Names of the prototype do not count. */
export function findMethod<Row>(table: Readonly<Record<string, Row>>, method: string): Row | undefined {
  return Object.hasOwn(table, method) ? table[method] : undefined;
}

/** Returns the row of a table with this handler name, if the revision has it. */
export function findRow<Row extends { readonly handler: string }>(table: Table<Row>, handler: string): Row | undefined {
  return Object.values(table).find((row) => row.handler === handler);
}

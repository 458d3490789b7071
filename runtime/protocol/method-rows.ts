import type { Table } from "../../generated/support.ts";

/** The row of a table with this method, if the revision has it: names of the prototype are none. */
export function findMethod<Row>(table: Readonly<Record<string, Row>>, method: string): Row | undefined {
  return Object.hasOwn(table, method) ? table[method] : undefined;
}

/** The row of a table with this handler name, if the revision has it. */
export function findRow<Row extends { readonly handler: string }>(table: Table<Row>, handler: string): Row | undefined {
  return Object.values(table).find((row) => row.handler === handler);
}

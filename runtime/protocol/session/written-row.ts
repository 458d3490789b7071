import type { EmbeddedRow, RequestRow } from "../../../generated/support.ts";
import { findRow } from "../methods/method-rows.ts";
import type { Session } from "./session.ts";

/**
 * Returns the row of a request inside of a result with the checks of the code's revision: the request and its response are converted with the
 * messages around them.
 */
export function toWrittenRow<Row extends RequestRow | EmbeddedRow>(
  row: Row,
  { converter }: Pick<Session, "converter">,
): Row {
  if (!converter) return row;
  const { embeddedRequests, serverRequests } = converter.written;
  const written = findRow(embeddedRequests, row.handler) ?? findRow(serverRequests, row.handler);
  return written ? { ...row, params: written.params, result: written.result } : row;
}

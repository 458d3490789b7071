import type { SingleChange } from "../../drill/changes.ts";
import type { Outcome } from "./judge.ts";

/** A change with its outcome: one row of the table. */
export interface Row {
  readonly change: SingleChange;
  readonly outcome: Outcome;
}

/** True if a row is not accepted, and neither stops with the name of what was changed nor is generated exactly. */
export function isFault({ change, outcome }: Row): boolean {
  if (outcome.kind === "exact" || (outcome.kind === "stops" && outcome.names)) return false;
  return !accepted.some(({ rows }) => rows.includes(`${change.kind}: ${change.subject}`));
}

/** Rows accepted although nothing tells of the change, with the reason. */
export const accepted: readonly { readonly reason: string; readonly rows: readonly string[] }[] = [
  {
    reason: "The type inherits the member from `Error`, which allows any code.",
    rows: ["ParseError", "InvalidRequestError", "MethodNotFoundError", "InvalidParamsError", "InternalError"].map(
      (type) => `member removed: ${type}.code`,
    ),
  },
  {
    reason: "The value tells fields of a form apart, so that the check of their union has other branches.",
    rows: [
      "UntitledSingleSelectEnumSchema.type:string",
      "TitledSingleSelectEnumSchema.type:string",
      "UntitledMultiSelectEnumSchema.type:array",
      "TitledMultiSelectEnumSchema.type:array",
      "LegacyTitledEnumSchema.type:string",
    ].map((value) => `value renamed: ${value}`),
  },
];

import type { ConversionRule, RevisionModel } from "../../../generator/model.ts";
import type { Overlay } from "../../../generator/model/overlay.ts";
import { readRevision } from "../../../generator/read/revision.ts";

const clause = "https://example.org/spec";

/** A revision with a single method, `do/it`, whose params are declared as `Params`. The numbers of some types or members are integers. */
export function readToy(
  id: string,
  declarations: string,
  conversions?: readonly ConversionRule[],
  integers?: readonly string[],
): RevisionModel {
  const value: Overlay = {
    lifecycle: { clause, kind: "handshake" },
    batching: { clause, accepted: false },
    methods: { "do/it": { clause, gate: null } },
    errors: [],
    ...(conversions && { conversions }),
    ...(integers && { integers: integers.map((at) => ({ clause, at })) }),
  };
  return readRevision({
    id,
    status: "released",
    schema: { path: `spec/${id}/schema.ts`, text: `${protocol}\n${declarations}` },
    overlay: { path: `spec/${id}/overlay.json`, value },
  });
}

const protocol = `
export interface DoRequest {
  method: "do/it";
  params: Params;
}

export interface DoResult {
  done: boolean;
}

export type ClientRequest = DoRequest;
`;

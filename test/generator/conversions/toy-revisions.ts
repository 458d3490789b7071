import type { ConversionRule, RevisionModel } from "../../../generator/model.ts";
import type { Overlay } from "../../../generator/model/overlay.ts";
import { readRevision } from "../../../generator/read/revision.ts";

const clause = "https://example.org/spec";

/** A revision with a single method, `do/it`, whose params are declared as `Params`. */
export function readToy(id: string, declarations: string, conversions?: readonly ConversionRule[]): RevisionModel {
  const value: Overlay = {
    lifecycle: { clause, kind: "handshake" },
    batching: { clause, accepted: false },
    methods: { "do/it": { clause, gate: null } },
    errors: [],
    ...(conversions && { conversions }),
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

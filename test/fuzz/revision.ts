import { join } from "node:path";
import { toJsonSchema } from "../oracle/json-schema.ts";
import type { Declaration, Method, RevisionModel, Shape } from "../../generator/model.ts";
import { openSpecFolder } from "../../generator/read/spec-folder.ts";
import type { Revision, Role } from "../../generated/support.ts";
import { findUnknown } from "../generator/conversions/convert-walk.ts";
import { createValidators } from "../oracle/official-validators.ts";
import type { Random } from "../kit/random.ts";
import { createValueMaker } from "../oracle/values.ts";
import { handshakeRevisions } from "../kit/revisions.ts";

/** Part of a method for which a value is made or checked. */
export type Part = "params" | "result";

/** Revision as its model describes it. Values are checked by ajv, which is independent of the generated validators. */
export interface FuzzRevision {
  readonly revision: Revision;
  readonly methods: readonly Method[];
  /** Methods of one kind that a role may send. */
  sentBy(role: Role, kind: "request" | "notification"): readonly Method[];
  /** True if a value is valid as a part of a method. */
  isValid(method: Method, part: Part, value: unknown): boolean;
  /** Keys of a value that the revision does not know. */
  findUnknown(method: Method, part: Part, value: unknown): readonly string[];
  /** Makes a valid value. */
  make(method: Method, part: Part, random: Random): unknown;
}

/** Reads revisions, newest first. Default: those with a handshake. */
export async function readFuzzRevisions(
  revisions: readonly Revision[] = handshakeRevisions,
): Promise<readonly FuzzRevision[]> {
  const folder = await openSpecFolder(join(import.meta.dirname, "../../spec"));
  return Promise.all(revisions.map(async (revision) => toFuzzRevision(revision, await folder.readModel(revision.id))));
}

function toFuzzRevision(revision: Revision, read: RevisionModel): FuzzRevision {
  const parts = read.methods.flatMap(toDeclarations);
  const model: RevisionModel = { ...read, declarations: [...read.declarations, ...parts] };
  const names = new Set(parts.map(({ name }) => name));
  const validate = createValidators(toJsonSchema(model));
  // Shared by all methods, because it caches resolved types.
  let source: Random = Math.random;
  const maker = createValueMaker(model, () => source());
  return {
    revision,
    methods: model.methods,
    sentBy: (role, kind) => model.methods.filter((method) => method.kind === kind && method.senders.includes(role)),
    isValid: (method, part, value) => !names.has(nameOf(method, part)) || validate(nameOf(method, part))(value),
    findUnknown(method, part, value) {
      const shape = part === "params" ? method.params?.shape : toResultShape(method);
      return shape ? findUnknown(value, shape, model) : [];
    },
    make(method, part, random) {
      if (!names.has(nameOf(method, part))) return undefined;
      source = random;
      return maker(nameOf(method, part));
    },
  };
}

/** Params and result get names of their own, as some are written inline. */
function toDeclarations(method: Method): readonly Declaration[] {
  const result = toResultShape(method);
  return [
    ...(method.params ? [toDeclaration(nameOf(method, "params"), method.params.shape)] : []),
    ...(result ? [toDeclaration(nameOf(method, "result"), result)] : []),
  ];
}

function toDeclaration(name: string, shape: Shape): Declaration {
  return { name, kind: "alias", extends: [], shape, location: { line: 1, column: 1 } };
}

function toResultShape({ result, alternatives }: Method): Shape | undefined {
  if (!result || alternatives.length === 0) return result;
  return {
    kind: "union",
    of: [result, ...alternatives.map(({ type }) => ({ kind: "reference", name: type }) as const)],
  };
}

function nameOf({ name }: Method, part: Part): string {
  return `${part}.${name.replaceAll("/", ".")}`;
}

import { SpecError, type SpecProblem } from "../internal/spec-error.ts";
import type { Constant, Declaration, ObjectShape, OmitShape, Property, ReferenceShape, Shape } from "../model.ts";
import { override } from "../model/resolve.ts";
import { mapDeclaration } from "../model/shapes.ts";
import { readConstants } from "./constants.ts";
import { constrain } from "./constrain.ts";
import { findUnknownTags, readComment } from "./doc-comment.ts";
import { readEnum } from "./enum.ts";
import { collectStatements, createNames, findStatements } from "./file-names.ts";
import { createInstances } from "./instances.ts";
import { readImports, rejectTaken, type Imports } from "./imports.ts";
import { toObject } from "./keyed-types.ts";
import { readMembers, rejectDuplicates } from "./members.ts";
import { mergeInterfaces } from "./merge-interfaces.ts";
import { readShape } from "./shape.ts";
import { createCircleCheck, namesIn, rejectNonObjects, spreadUnions } from "./structure.ts";
import { locationOf, parseSource, reject, ts } from "./syntax.ts";
import type { DeclarationStatement, NamedStatements, TypeContext } from "./type-context.ts";
import { readBases, typeParametersOf } from "./type-reference.ts";
import { includesUndefined, withoutUndefined } from "./unions.ts";

/** All declarations of a schema file, in source order. */
export interface Schema {
  readonly constants: readonly Constant[];
  readonly declarations: readonly Declaration[];
  /** Tags without a meaning for the reader, which are kept as documentation: one for each name, at its first place. */
  readonly warnings: readonly SpecProblem[];
}

/**
 * Reads a protocol schema written in TypeScript: a local file or the unmodified upstream file. Types keep their names, their order and their
 * optionality as written. Utility types, type parameters and members of other types are replaced by their meaning in a message.
 *
 * @throws {SpecError} at the first construct without a meaning for messages, or without a place in the model, with file, line and column.
 * @param core - declarations for the file to import: an extension uses those of the core
 */
export function readSchema(path: string, text: string, core: readonly Declaration[] = []): Schema {
  const file = parseSource(path, text.replaceAll("\r\n", "\n"));
  const imports = readImports(path, file, core);
  const { constants, context, readAll } = openFile(path, file, { core, imports });
  const { check } = context.file;
  const written = readAll();
  if (written.length === 0)
    throw new SpecError({ file: path, text: "no exported declarations; is this a protocol schema.ts?" });
  rejectDuplicates(path, [...constants, ...written]);
  rejectTaken(path, written, { imports, core });
  const own = settleUndefined(written);
  for (const { name } of own) check({ kind: "reference", name });
  const scope = [...core, ...own];
  const complete = own.map((declaration) => spreadUnions(path, declaration, { declarations: scope }));
  rejectNonObjects(path, complete, { declarations: [...core, ...complete] });
  return { constants, declarations: complete, warnings: findUnknownTags(path, file) };
}

/** Collects the meaning of the names in a file. */
function openFile(
  path: string,
  { statements }: ts.SourceFile,
  { core, imports }: { readonly core: readonly Declaration[]; readonly imports: Imports },
): {
  readonly constants: readonly Constant[];
  readonly context: TypeContext;
  /** Reads the declarations in source order. The declarations made of a recursive generic type follow it. */
  readonly readAll: () => readonly Declaration[];
} {
  const isImport = (statement: ts.Statement): boolean => core.length > 0 && ts.isImportDeclaration(statement);
  const { constants, structures } = readConstants(path, statements.filter(ts.isVariableStatement));
  const types = collectStatements(
    path,
    statements.filter((statement) => !ts.isVariableStatement(statement) && !isImport(statement)),
  );
  const contextOf = ({ namespaces }: NamedStatements): TypeContext => ({ ...context, namespaces });
  const declarations = createNames(path, types, { core, contextOf, read: readDeclaration });
  const constantNames = new Set(constants.map(({ name }) => name));
  const isTaken = (name: string): boolean =>
    declarations.isTaken(name) || imports.has(name) || constantNames.has(name) || structures.has(name);
  const { instantiate, namesOf } = createInstances(path, { ...declarations, isTaken });
  const checkName = createCircleCheck(path, declarations);
  const context: TypeContext = {
    path,
    file: {
      constants: new Map(constants.map((constant) => [constant.name, constant])),
      structures,
      find: (parts, namespaces) => findStatements(types, parts, namespaces),
      declarations,
      instantiate,
      findOpen: declarations.findOpen,
      openMembers: { known: new Map(), open: new Set() },
      imports,
      check: (shape) => namesIn(shape).forEach(checkName),
    },
    parameters: new Map(),
    namespaces: [],
    depth: 0,
    read: readShape,
    readMembers,
  };
  const isGeneric = ({ statements: [statement] }: NamedStatements): boolean => typeParametersOf(statement).length > 0;
  const readAll = (): readonly Declaration[] => {
    const all = [...types.values()];
    for (const named of all) if (!isGeneric(named)) declarations.get(named.name);
    const names = all.flatMap((named) => (isGeneric(named) ? namesOf(named.name) : [named.name]));
    return names.map((name) => declarations.get(name)).filter((declaration) => declaration !== undefined);
  };
  return { constants, context, readAll };
}

/** Reads the statements of one name. */
function readDeclaration(context: TypeContext, { name, statements }: NamedStatements): Declaration {
  const [first, ...others] = statements.map((statement) => readStatement(context, name, statement));
  if (!first) throw new Error(`\`${name}\` has no statement; this is a bug in the generator.`);
  return others.reduce((merged, other) => mergeInterfaces(context.path, merged, other), first);
}

function readStatement(context: TypeContext, name: string, statement: DeclarationStatement): Declaration {
  const { path } = context;
  if (ts.isEnumDeclaration(statement)) return readEnum(path, name, statement);
  const { doc, tags } = readComment(path, statement);
  const common = { name, ...(doc && { doc }), location: locationOf(statement) };
  if (ts.isTypeAliasDeclaration(statement)) {
    const shape = constrain(context, statement.type, { shape: readShape(context, statement.type), tags });
    if (shape.kind === "never")
      throw reject(path, statement.type, "this kind of type is not supported; no message has it");
    return { ...common, kind: "alias", extends: [], shape };
  }
  if (Object.keys(tags).length > 0) throw reject(path, statement, "type tags are not supported on an interface");
  return { ...common, kind: "interface", ...readInterface(context, statement) };
}

/** Members of bases without a name, such as `Pick<Base, "key">`, become own members. */
function readInterface(
  context: TypeContext,
  statement: ts.InterfaceDeclaration,
): { readonly extends: readonly (ReferenceShape | OmitShape)[]; readonly shape: ObjectShape } {
  const own = readMembers(context, statement.members);
  const named: (ReferenceShape | OmitShape)[] = [];
  const unnamed: ObjectShape[] = [];
  for (const { node, shape } of readBases(context, statement)) {
    for (const part of shape.kind === "intersection" ? shape.of : [shape]) {
      if (part.kind === "reference" || part.kind === "omit") named.push(part);
      else unnamed.push(toObject(context, node, part));
    }
  }
  return { extends: named, shape: unnamed.reduceRight((members, base) => override(base, members), own) };
}

/** A property may be absent if its type is an alias with `undefined`. The alias itself stands for the values of messages. */
function settleUndefined(declarations: readonly Declaration[]): readonly Declaration[] {
  const optional = new Set<string>();
  const mayBeAbsent = (shape: Shape): boolean => {
    if (shape.kind === "reference") return optional.has(shape.name);
    return includesUndefined(shape) || (shape.kind === "union" && shape.of.some(mayBeAbsent));
  };
  let count: number;
  do {
    count = optional.size;
    for (const { name, kind, shape } of declarations) if (kind === "alias" && mayBeAbsent(shape)) optional.add(name);
  } while (optional.size > count);
  if (optional.size === 0) return declarations;
  const settle = (property: Property): Property =>
    mayBeAbsent(property.shape) ? { ...property, optional: true } : property;
  return declarations.map((declaration) =>
    mapDeclaration({ ...declaration, shape: withoutUndefined(declaration.shape) }, (shape) =>
      shape.kind === "object" ? { ...shape, properties: shape.properties.map(settle) } : shape,
    ),
  );
}

import type { Constant, ObjectShape, Shape } from "../model.ts";
import type { Names } from "../model/resolve.ts";
import type { Instances } from "./instances.ts";
import type { Imports } from "./imports.ts";
import type { OpenDeclaration, OpenMembers } from "./open-members.ts";
import type { ts } from "./syntax.ts";

/** Place in a schema file where a type expression is read. */
export interface TypeContext {
  readonly path: string;
  readonly file: FileNames;
  /** Types of the type parameters in scope. */
  readonly parameters: ReadonlyMap<string, Shape>;
  /** Namespaces around the expression, from the outermost. */
  readonly namespaces: readonly string[];
  /** Nesting depth of the expression. */
  readonly depth: number;
  /** Reads a type expression inside this one. */
  readonly read: (context: TypeContext, node: ts.TypeNode) => Shape;
  /** Reads the members of an interface or of an object type. */
  readonly readMembers: (context: TypeContext, members: ts.NodeArray<ts.TypeElement>) => ObjectShape;
}

/** Meaning of the names in a schema file. */
export interface FileNames {
  readonly constants: ReadonlyMap<string, Constant>;
  /** Types of constant arrays and objects: `typeof NAME`. */
  readonly structures: ReadonlyMap<string, Shape>;
  /** Finds the statements of a name, which may be qualified, from the innermost namespace outwards. */
  readonly find: (parts: readonly string[], namespaces: readonly string[]) => NamedStatements | undefined;
  /** Declarations by name, including the core. Each is read on first use. */
  readonly declarations: Names;
  /** Returns the shape of a generic type with types for its parameters. */
  readonly instantiate: Instances["instantiate"];
  /** Returns a declaration while it is read. */
  readonly findOpen: (name: string) => OpenDeclaration | undefined;
  readonly openMembers: OpenMembers;
  /** Core names by their local names in the file. */
  readonly imports: Imports;
  /** Checks the types behind a shape. @throws {SpecError} when they contain themselves. */
  readonly check: (shape: Shape) => void;
}

/** Statements of one type: an interface may be declared in parts. */
export interface NamedStatements {
  /** Name in the model. It includes the namespaces: `ns.Type` is `nsType`. */
  readonly name: string;
  readonly namespaces: readonly string[];
  readonly statements: readonly [DeclarationStatement, ...DeclarationStatement[]];
}

/** Declaration of a type. */
export type DeclarationStatement = ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.EnumDeclaration;

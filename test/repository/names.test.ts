import { ts } from "ts-morph";
import { beforeAll, describe, expect, test } from "vitest";
import { readNames, usedNames, type Names, type NameSections } from "../../generator/model/names.ts";
import type { ExtensionModel, RevisionModel, Shape } from "../../generator/model.ts";
import { mapDeclaration } from "../../generator/model/shapes.ts";
import { readSpecModels } from "../../generator/read/spec-models.ts";
import { nodesOf } from "./architecture/nodes.ts";
import { isOfRuntime } from "./architecture/rooms.ts";
import { files, pathOf } from "./architecture/sources.ts";

/* `spec/names.json` lists the protocol's names compared or sent by the runtime. A revision without one of them stops generation. */

/** Words of the protocol with another meaning, in all files or in some. A new use elsewhere has to be listed, or read from a table. */
const otherMeanings: readonly { readonly word: string; readonly means: string; isMeant(path: string): boolean }[] = [
  {
    word: "error",
    means: "kind of a message, event of a stream, part of an entry: everything but a log level",
    isMeant: (path) => !path.startsWith("runtime/server/logging/"),
  },
  {
    word: "warning",
    means: "level of a note, only where the revision has it",
    isMeant: (path) => path === "runtime/server/logging/log-levels.ts",
  },
  {
    word: "auto",
    means: "form of HTTP responses",
    isMeant: (path) => path.startsWith("runtime/transport/http-server/"),
  },
  {
    word: "web",
    means: "type of an application that registers",
    isMeant: (path) => path === "runtime/auth/client/grants/registration.ts",
  },
  {
    word: "inline",
    means: "place of a source map",
    isMeant: (path) => path === "tools/dev/watch-server.ts",
  },
  {
    word: "maxTokens",
    means: "name of a member",
    isMeant: (path) => path === "runtime/server/input/request-types.ts",
  },
];

let names: Names;
let models: readonly RevisionModel[];
/** Revisions and extensions. */
let all: readonly Pick<ExtensionModel | RevisionModel, "declarations" | "methods">[];
let sections: readonly NameSections[];

beforeAll(async () => {
  names = readNames();
  const spec = await readSpecModels();
  models = spec.models;
  all = [...spec.models, ...spec.extensions];
  sections = [names, ...Object.values(names.extensions)];
}, 120_000);

interface Literal {
  readonly path: string;
  readonly text: string;
}

const literals: readonly Literal[] = files
  .filter((file) => isOfRuntime(pathOf(file)))
  .flatMap((file) =>
    nodesOf(file).flatMap((node) => {
      const isName =
        ts.isStringLiteralLike(node) && !ts.isImportDeclaration(node.parent) && !ts.isExportDeclaration(node.parent);
      return isName ? [{ path: pathOf(file), text: node.text }] : [];
    }),
  );

function textsIn(shape: Shape): readonly string[] {
  return shape.kind === "literal" && typeof shape.value === "string" ? [shape.value] : [];
}

/** Returns the texts allowed by the types of a revision, except names of methods. */
function valuesOf(model: (typeof all)[number]): readonly string[] {
  const methods = new Set(all.flatMap((one) => one.methods).map(({ name }) => name));
  const found: string[] = [];
  const note = (shape: Shape): Shape => {
    found.push(...textsIn(shape));
    return shape;
  };
  for (const declaration of model.declarations) mapDeclaration(declaration, note);
  return found.filter((text) => !methods.has(text));
}

describe("spec/names.json", () => {
  test("each listed name is in a revision", () => {
    const unknown = usedNames(names).filter((name) => !models.some((model) => name.isIn(model)));
    expect(unknown.map(({ name }) => name)).toEqual([]);
  });

  test("each name is listed once", () => {
    for (const section of sections) {
      const used = usedNames(section).map(({ name }) => name);
      expect(used.filter((name, at) => used.indexOf(name) !== at)).toEqual([]);
    }
  });

  test("methods that the runtime names, on the wire or as handlers, are listed", () => {
    const listed = new Set(sections.flatMap(({ methods: own = {} }) => Object.keys(own)));
    const methods = all.flatMap((model) => model.methods).filter(({ name }) => !listed.has(name));
    const unlisted = new Set(methods.flatMap(({ name, handler }) => [name, handler]));
    expect(literals.filter(({ text }) => unlisted.has(text))).toEqual([]);
  });

  test("values of the protocol that the runtime compares or sends are listed", () => {
    const listed = new Set(sections.flatMap((section) => (section.values ?? []).flatMap((one) => one.values)));
    const values = new Set(all.flatMap(valuesOf).filter((text) => !listed.has(text)));
    const unlisted = literals.filter(
      ({ path, text }) =>
        values.has(text) && !otherMeanings.some(({ word, isMeant }) => word === text && isMeant(path)),
    );
    expect(values).toContain("emergency");
    expect(unlisted).toEqual([]);
  });

  test("values with another meaning are used", () => {
    const unneeded = otherMeanings.filter(
      ({ word, isMeant }) => !literals.some(({ path, text }) => text === word && isMeant(path)),
    );
    expect(unneeded.map(({ word }) => word)).toEqual([]);
  });
});

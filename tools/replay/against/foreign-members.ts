import type { Method, ObjectShape, RevisionModel, Shape } from "../../../generator/model.ts";
import { resolveAlias, resolveObject } from "../../../generator/model/resolve.ts";
import type { CompareOptions, Path } from "./compare-values.ts";

/** Members of the protocol present in only one of two revisions. A conversion between the revisions adds or removes them. */
export class ForeignMembers {
  readonly #models: readonly [RevisionModel, RevisionModel];

  constructor(one: RevisionModel, other: RevisionModel) {
    this.#models = [one, other];
  }

  /** Returns the test for such members in the results of a method. */
  ofResult(method: string): CompareOptions["isIgnored"] {
    return this.#createTest(method, ({ result }) => result);
  }

  /** Returns the test for such members in the params of a method. */
  ofParams(method: string): CompareOptions["isIgnored"] {
    return this.#createTest(method, ({ params }) => params?.shape);
  }

  #createTest(name: string, select: (method: Method) => Shape | undefined): CompareOptions["isIgnored"] {
    const roots = this.#models.map((model): Place => {
      const method = model.methods.find((one) => one.name === name);
      const shape = method && select(method);
      return { model, shapes: shape ? expand(shape, model) : [] };
    });
    return (path) => isForeign(path, roots);
  }
}

/** Possible shapes of a value at a revision. */
interface Place {
  readonly model: RevisionModel;
  readonly shapes: readonly Shape[];
}

function isForeign(path: Path, roots: readonly Place[]): boolean {
  const name = path.at(-1);
  if (typeof name !== "string" || (path.length === 1 && convertedMembers.has(name))) return false;
  let places = roots;
  for (const part of path.slice(0, -1)) {
    if (schemaMembers.has(part) && places.some((place) => isDeclared(part, place))) return false;
    places = places.map((place) => step(place, part));
  }
  if (places.some((place) => objectsOf(place).length === 0)) return false;
  return new Set(places.map((place) => isDeclared(name, place))).size > 1;
}

function isDeclared(name: string | number, place: Place): boolean {
  return objectsOf(place).some(({ properties }) => properties.some((property) => property.name === name));
}

/** Returns the shapes of a member, or of an item: items with names are members of their list in a path. */
function step({ model, shapes }: Place, part: string | number): Place {
  const members = objectsOf({ model, shapes }).flatMap(({ properties, index }) => {
    const shape = properties.find(({ name }) => name === part)?.shape ?? index;
    return shape ? [shape] : [];
  });
  const items = shapes.flatMap((shape) => (shape.kind === "array" ? [...(shape.prefix ?? []), shape.items] : []));
  const found = members.length > 0 ? members : items;
  return { model, shapes: found.flatMap((shape) => expand(shape, model)) };
}

/** Returns the alternatives of a shape. */
function expand(shape: Shape, model: RevisionModel): readonly Shape[] {
  const target = resolveAlias(shape, model);
  return target.kind === "union" ? target.of.flatMap((one) => expand(one, model)) : [target];
}

function objectsOf({ model, shapes }: Place): readonly ObjectShape[] {
  return shapes.flatMap((shape) => resolveObject(shape, model) ?? []);
}

/** Members of results that a gateway converts to requests of the server, and the reverse. */
const convertedMembers: ReadonlySet<string> = new Set(["inputRequests", "requestState"]);

/** Members with a JSON Schema. Each revision declares other keywords of it, and permits all. */
const schemaMembers: ReadonlySet<string | number> = new Set(["inputSchema", "outputSchema", "requestedSchema"]);

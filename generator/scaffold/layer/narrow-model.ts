import type { Declaration, Method, Property, RevisionModel, Shape } from "../../model.ts";
import { capabilitiesType } from "../../model/capabilities.ts";
import { hasEveryMethod, hasExtension, hasListChanged, type LayerChoices, type Feature } from "./choices.ts";

/**
 * Returns the part of a revision for a project. Methods of capabilities outside the project are removed. Values of such a capability are checked as
 * objects only.
 */
export function narrowModel(model: RevisionModel, choices: LayerChoices): RevisionModel {
  if (hasEveryMethod(choices)) return model;
  const unused = unusedCapabilities(choices);
  const asksNothing = inputCapabilities.every((name) => unused.has(name));
  const narrow = asksNothing ? withoutInput : (shape: Shape): Shape => shape;
  return {
    ...model,
    methods: model.methods
      .filter((method) => !unused.has(capabilityOf(method)))
      .map((method) => ({
        ...method,
        ...(method.result && { result: narrow(method.result) }),
        alternatives: unused.has("tasks") ? [] : method.alternatives,
      })),
    declarations: model.declarations.map((declaration) =>
      isCapabilities(declaration)
        ? mapProperties(declaration, (property) =>
            unused.has(property.name) ? { ...property, shape: { kind: "anyObject" } } : property,
          )
        : mapProperties(declaration, (property) => ({ ...property, shape: narrow(property.shape) })),
    ),
  };
}

/** Capabilities of the features a project leaves out, and of no feature at all. */
function unusedCapabilities({ features }: LayerChoices): ReadonlySet<string> {
  const used = new Set<Feature>(features);
  return new Set([
    ...(used.has("resources") ? [] : ["resources"]),
    ...(used.has("prompts") ? [] : ["prompts"]),
    ...(used.has("resources") || used.has("prompts") ? [] : ["completions"]),
    ...(used.has("input") ? [] : inputCapabilities),
    ...(used.has("tasks") ? [] : ["tasks"]),
    ...(hasListChanged(features) ? [] : ["subscriptions"]),
    ...(hasExtension(features) ? [] : ["extensions"]),
    "experimental",
  ]);
}

/** Capabilities of clients for the requests by which a server gets input. */
const inputCapabilities = ["sampling", "elicitation", "roots"] as const;

/** Returns the capability of a method, otherwise the first word of its name: `completion/complete` needed no capability at first. */
function capabilityOf({ name, gates }: Method): string {
  const gate = gates.client ?? gates.server;
  const [word = ""] = gate?.path ?? name.replace(/^notifications\//, "").split("/");
  return word === "completion" ? "completions" : word;
}

function isCapabilities({ name }: Declaration): boolean {
  return name === capabilitiesType("client") || name === capabilitiesType("server");
}

function mapProperties(declaration: Declaration, change: (property: Property) => Property): Declaration {
  const { shape } = declaration;
  if (shape.kind !== "object") return declaration;
  return { ...declaration, shape: { ...shape, properties: shape.properties.map(change) } };
}

/** Removes input requests from results, and reduces their responses in params to objects. */
function withoutInput(shape: Shape): Shape {
  if (shape.kind === "reference" && shape.name === "InputResponses") return { kind: "anyObject" };
  if (shape.kind !== "union") return shape;
  const plain = shape.of.filter((member) => member.kind !== "reference" || member.name !== "InputRequiredResult");
  const [only] = plain;
  return only && plain.length === 1 ? only : shape;
}

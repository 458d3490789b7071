import { expect, test } from "vitest";
import {
  findSubtypes,
  isBaseReference,
  markBases,
  prepareAlternatives,
} from "../../../generator/openapi/discriminators.ts";

/* Alternatives of schemas, and the values of a discriminator that select them. */

const at = (name: string): string => `#/components/schemas/${name}`;
const refer = (name: string): object => ({ $ref: at(name) });
const extend = (name: string, more: object = {}): object => ({ allOf: [refer(name)], ...more });
const kind = (value: object): object => ({ properties: { kind: value } });
const pet = (mapping?: object, more: object = { properties: { kind: { type: "string" } } }): object => ({
  discriminator: { propertyName: "kind", ...(mapping && { mapping }) },
  ...more,
});

/** Returns a value without the marks of references. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

const subtypesOf = (schemas: object): unknown => plain(findSubtypes(at("Pet"), { components: { schemas } }));
const selected = (name: string, value: object | undefined, ...others: object[]): object => ({
  allOf: [...(value ? [kind(value)] : []), ...others, refer(name)],
});

test.each<[what: string, schemas: object, anyOf: object[] | undefined]>([
  ["by its name", { Pet: pet(), Cat: extend("Pet") }, [selected("Cat", { const: "Cat" })]],
  [
    "by a schema that extends it",
    { Pet: pet(), Lion: extend("Cat"), Cat: extend("Pet") },
    [selected("Cat", { const: "Cat" }), selected("Lion", { const: "Lion" })],
  ],
  [
    "in a circle",
    { Pet: { ...pet(), allOf: [refer("Cat")] }, Cat: extend("Pet") },
    [selected("Cat", { const: "Cat" })],
  ],
  ["by a mapping", { Pet: pet({ cat: "Cat" }), Cat: extend("Pet") }, [selected("Cat", { const: "cat" })]],
  [
    "by two values",
    { Pet: pet({ cat: "Cat", tom: at("Cat") }), Cat: extend("Pet") },
    [selected("Cat", { enum: ["cat", "tom"] })],
  ],
  [
    "by a mapping and by its name",
    { Pet: pet({ cat: "Cat" }), Cat: extend("Pet"), Dog: extend("Pet") },
    [selected("Cat", { const: "cat" }), selected("Dog", { const: "Dog" })],
  ],
  [
    "without extending it",
    { Pet: pet({ car: "Car" }), Car: { type: "object" } },
    [selected("Car", { const: "car" }, refer("Pet"))],
  ],
  ["by a mapping that leads nowhere", { Pet: pet({ cat: "None", dog: at("Bool") }), Bool: true }, undefined],
  [
    "by itself and by another",
    { Pet: pet({ pet: "Pet", cat: "Cat" }), Cat: extend("Pet") },
    [selected("Pet", { const: "pet" }), selected("Cat", { const: "cat" })],
  ],
  ["by itself only", { Pet: pet({ pet: "Pet" }) }, undefined],
  [
    "by one of the values of its own",
    { Pet: pet({ cat: "Cat", tom: "Cat" }), Cat: extend("Pet", kind({ enum: ["tom", "x"] })) },
    [selected("Cat", { const: "tom" })],
  ],
  [
    "by a value of its own that nothing names",
    { Pet: pet(), Cat: extend("Pet", kind({ const: "feline" })) },
    [selected("Cat", undefined)],
  ],
  [
    "by a value of what it extends",
    { Pet: pet(), Cat: { allOf: [refer("Pet"), refer("Own")] }, Own: kind({ const: "Cat" }) },
    [selected("Cat", { const: "Cat" })],
  ],
  [
    "beside values without a subtype",
    { Pet: pet({ cat: "Cat" }, kind({ enum: ["cat", "fish", 5] })), Cat: extend("Pet") },
    [selected("Cat", { const: "cat" }), selected("Pet", { enum: ["fish", 5] })],
  ],
  [
    "beside values that all have a subtype",
    { Pet: pet({ cat: "Cat" }, kind({ enum: ["cat"] })), Cat: extend("Pet") },
    [selected("Cat", { const: "cat" })],
  ],
  [
    "beside values without a mapping",
    { Pet: pet(undefined, kind({ enum: ["Cat", "fish"] })), Cat: extend("Pet") },
    [selected("Cat", { const: "Cat" })],
  ],
  ["without a name of the property", { Pet: { discriminator: { mapping: {} } }, Cat: extend("Pet") }, undefined],
  ["without a discriminator", { Pet: {}, Cat: extend("Pet") }, undefined],
  ["beside alternatives of its own", { Pet: { ...pet(), anyOf: [] }, Cat: extend("Pet") }, undefined],
  ["beside exclusive alternatives of its own", { Pet: { ...pet(), oneOf: [] }, Cat: extend("Pet") }, undefined],
])("a subtype is selected %s", (_what, schemas, anyOf) => {
  expect(subtypesOf(schemas)).toEqual(anyOf && { anyOf });
});

test.each([{}, { components: {} }, { components: { schemas: [] } }])(
  "a schema outside of the components has no subtypes among %j",
  (more) => {
    expect(findSubtypes("#/Pet", { Pet: pet({ cat: "Cat" }), ...more })).toBeUndefined();
  },
);

test.each([
  [32, true],
  [33, false],
])("a schema with %i subtypes has alternatives: %j", (count, expected) => {
  const cats = Array.from({ length: count }, (_, number) => [`Cat${number}`, extend("Pet")]);
  expect(subtypesOf({ Pet: pet(), ...Object.fromEntries(cats) }) !== undefined).toBe(expected);
});

const schemas = { Cat: kind({ type: "string" }), Dog: {} };
const discriminator = { propertyName: "kind", mapping: { cat: "Cat" } };

test.each<[schema: Record<string, unknown>, prepared: object]>([
  [{ type: "object" }, { type: "object" }],
  [{ anyOf: [{}, 5] }, { anyOf: [{}, 5] }],
  [{ oneOf: [{}, 5] }, { anyOf: [{}, 5] }],
  [
    { anyOf: [{}], oneOf: [true] },
    { anyOf: [{}], allOf: [{ anyOf: [true] }] },
  ],
  [
    { anyOf: [{}], oneOf: [true], allOf: [false] },
    { anyOf: [{}], allOf: [false, { anyOf: [true] }] },
  ],
  [{ oneOf: "cat" }, { oneOf: "cat" }],
  [{ anyOf: "cat", oneOf: [true] }, { anyOf: [true] }],
  [
    { discriminator, oneOf: [refer("Cat"), refer("Dog"), {}] },
    { discriminator, anyOf: [selected("Cat", { const: "cat" }), refer("Dog"), {}] },
  ],
  [
    { discriminator, anyOf: [refer("Cat")] },
    { discriminator, anyOf: [selected("Cat", { const: "cat" })] },
  ],
])("the alternatives of %j are prepared", (schema, prepared) => {
  expect(plain(prepareAlternatives(schema, { components: { schemas } }))).toEqual(prepared);
});

test.each<[what: string, schema: Record<string, unknown>, isMarked: boolean]>([
  ["beside members", { properties: {}, allOf: [refer("Cat")] }, true],
  ["beside another one", { allOf: [refer("Cat"), {}] }, true],
  ["by itself", { allOf: [refer("Cat")] }, false],
])("a schema that is extended %s is meant without its alternatives: %j", (_what, schema, isMarked) => {
  const [first] = Object(prepareAlternatives(schema, {})).allOf;
  expect(isBaseReference(first)).toBe(isMarked);
  expect(first).toMatchObject(refer("Cat"));
});

test("only what a schema extends is marked", () => {
  expect(plain(markBases({ allOf: [refer("Cat"), true] }))).toEqual({ allOf: [refer("Cat"), true] });
  for (const other of [5, true, {}, { allOf: {} }]) expect(markBases(other)).toBe(other);
});

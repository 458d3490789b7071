import { isObject } from "../../templates/support.ts";
import { pick, type Random } from "../kit/random.ts";

/** A value that differs from another in one place. */
export interface Mutant {
  readonly mutation: string;
  readonly value: unknown;
}

/** Changes one random place of a value in one random way. The value itself is left alone. */
export function mutate(value: unknown, random: Random): Mutant {
  const path = pick(pathsOf(value), random);
  const [mutation, change] = pick(mutations, random);
  return { mutation, value: changeAt(value, path, (found) => change(found, random)) };
}

type Path = readonly (string | number)[];

/** Stands for a member that is to be left out. */
const dropped: unique symbol = Symbol("dropped");

const mutations: readonly (readonly [string, (value: unknown, random: Random) => unknown])[] = [
  ["drop", () => dropped],
  ["null", () => null],
  [
    "type change",
    (value, random) =>
      pick(
        ["text", 7, true, {}, [], { type: "text" }, [{}]].filter(
          (other) => typeof other !== typeof value || Array.isArray(other) !== Array.isArray(value),
        ),
        random,
      ),
  ],
  ["fraction", (value) => (typeof value === "number" ? value + 0.5 : 1.5)],
  ["negative", (value) => (typeof value === "number" ? -value - 1 : -1)],
  ["large", () => 1e21],
  ["infinity", (_, random) => pick([Infinity, -Infinity, NaN], random)],
  ["empty", (value) => (typeof value === "string" ? "" : Array.isArray(value) ? [] : isObject(value) ? {} : "")],
  ["another text", (value) => (typeof value === "string" ? `${value}2` : "another")],
  [
    "extra key",
    (value, random) =>
      withKey(value, pick(["another", "constructor", "toString", "hasOwnProperty", "type", "0"], random), 1),
  ],
  [
    "__proto__ key",
    (value, random) => withKey(value, "__proto__", pick([null, 1, { type: "text", text: 7, polluted: true }], random)),
  ],
  ["many", (value) => Array.from({ length: 101 }, () => (Array.isArray(value) ? (value[0] ?? "text") : value))],
  ["doubled", (value) => (Array.isArray(value) ? [...value, ...value] : [value])],
  ["deep", (value, random) => wrapped(value, 20 + Math.floor(random() * 40))],
];

function pathsOf(value: unknown, path: Path = []): Path[] {
  const parts = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : [];
  return [path, ...parts.flatMap(([key, part]: readonly [string | number, unknown]) => pathsOf(part, [...path, key]))];
}

/** Objects are rebuilt from entries, which keeps `__proto__` an ordinary key. */
function changeAt(value: unknown, path: Path, change: (value: unknown) => unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return settled(change(value));
  const inside = (part: unknown): unknown => (rest.length === 0 ? change(part) : changeAt(part, rest, change));
  if (Array.isArray(value)) {
    return value.map((part: unknown, at) => (at === head ? inside(part) : part)).filter((part) => part !== dropped);
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, part]): [string, unknown] => [
    key,
    key === head ? inside(part) : part,
  ]);
  return Object.fromEntries(entries.filter(([, part]) => part !== dropped));
}

/** A whole value cannot be left out. */
function settled(value: unknown): unknown {
  return value === dropped ? null : value;
}

function withKey(value: unknown, key: string, own: unknown): unknown {
  return Object.fromEntries([...(isObject(value) ? Object.entries(value) : []), [key, own]]);
}

function wrapped(value: unknown, depth: number): unknown {
  return Array.from({ length: depth }).reduce<unknown>(
    (inner, _, at) => (at % 2 === 0 ? [inner] : { nested: inner }),
    value,
  );
}

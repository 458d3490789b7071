/**
 * Returns a new object with the members of both; the second object takes precedence. For hot paths: an object literal with two spreads takes ten
 * times as long to create, and the object lives longer than it should.
 */
export function merge<First extends object, Second extends object>(first: First, second: Second): First & Second {
  // Assigning a member named `__proto__` would change the prototype.
  if (Object.hasOwn(first, "__proto__") || Object.hasOwn(second, "__proto__")) return { ...first, ...second };
  return Object.assign({}, first, second);
}

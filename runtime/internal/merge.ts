/**
 * A new object with the members of both; where both have one, that of the second counts. For hot paths: a literal with two spreads makes an
 * object that is ten times as slow to make, and lives longer than it should.
 */
export function merge<First extends object, Second extends object>(first: First, second: Second): First & Second {
  // Assigning a member of that name would change the prototype.
  if (Object.hasOwn(first, "__proto__") || Object.hasOwn(second, "__proto__")) return { ...first, ...second };
  return Object.assign({}, first, second);
}

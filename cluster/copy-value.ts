/** Returns a deep copy of a value as in JSON: members with the value `undefined` are omitted. */
export function copyValue<T>(value: T): T {
  return value === undefined ? value : JSON.parse(JSON.stringify(value));
}

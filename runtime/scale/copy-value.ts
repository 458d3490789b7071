/** Returns a deep copy of a value as JSON has it: members that are `undefined` are omitted. */
export function copyValue<T>(value: T): T {
  return value === undefined ? value : JSON.parse(JSON.stringify(value));
}

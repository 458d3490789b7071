import { isObject } from "../../generated/support.ts";
import { checkMeta } from "../protocol/session/meta-keys.ts";
import { SetupError } from "../jsonrpc/errors.ts";

/**
 * Checks the keys of the `_meta` of a definition.
 *
 * @throws {SetupError} when a key is invalid
 */
export function checkMetaOf(shown: object, where: string): void {
  const meta: unknown = Reflect.get(shown, "_meta");
  const problem = isObject(meta) ? checkMeta(meta) : undefined;
  if (problem !== undefined) throw new SetupError(`${where}: ${problem}`);
}

import { createCfworkerValidator } from "../../../runtime/adapters/cfworker.ts";

const schema = { type: "object", properties: { a: { type: "number" } } } as const;
const validate = createCfworkerValidator();

function canMakeCode(): boolean {
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- It shows that this process makes no code.
    return new Function("return true")() === true;
  } catch {
    return false;
  }
}

console.log(
  JSON.stringify({
    canMakeCode: canMakeCode(),
    valid: validate({ a: 1 }, schema).length,
    invalid: validate({ a: "1" }, schema).length,
  }),
);

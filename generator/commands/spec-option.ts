/** Option of every command about revisions of the protocol. */
export const specOption = {
  type: "string",
  describe: "Spec folder, as created by `pin`; --no-spec: the spec folder of the package",
  defaultDescription: "the spec folder of the project in the working directory, or of the package",
  /** The value of `--no-spec` is `false`. */
  coerce: (value: unknown): string | false => (value === false ? value : String(value)),
} as const;

/** Value of the option `spec`. */
export interface SpecFlags {
  /** Spec folder; `false`: the one of this package. Default: the one of the project in the working directory, if there is a project. */
  readonly spec?: string | false;
}

/** Leaves out `spec` if it was not given. */
export function toSpec(spec: string | false | undefined): SpecFlags {
  return spec === undefined ? {} : { spec };
}

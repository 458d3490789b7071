/**
 * Passes all further output of this process to stderr on to a function as well. When the function returns false, it gets no more until it calls its
 * second argument: a program may write faster than another process reads.
 */
export function copyOutput(copy: (text: string, resume: () => void) => unknown): void {
  const { stderr } = process;
  const write = stderr.write.bind(stderr);
  let isBehind = false;
  stderr.write = (chunk: string | Uint8Array, ...others: readonly unknown[]): boolean => {
    if (!isBehind) {
      const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
      isBehind = copy(text, () => (isBehind = false)) === false;
    }
    return Reflect.apply(write, undefined, [chunk, ...others]);
  };
}

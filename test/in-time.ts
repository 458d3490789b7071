/** Result of a promise that must settle within 50 s: a bound against hanging, just before a test times out. */
export async function inTime<Result>(work: Promise<Result>, subject: string): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${subject} takes longer than 50 s`)), 50_000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

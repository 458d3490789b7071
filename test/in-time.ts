/** Result of a promise that must settle within 10 s: long for what works, and well before a test times out. */
export async function inTime<Result>(work: Promise<Result>, subject: string): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${subject} takes longer than 10 s`)), 10_000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

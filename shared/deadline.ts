// Work that is waited for until a deadline, and no longer.

/**
 * What `work` comes to; or, once `ms` milliseconds are over, what `late` answers or throws. The work goes on then, and nobody
 * hears how it ends.
 */
export async function withDeadline<Value, Late>(
  work: Promise<Value>,
  ms: number,
  late: () => Late,
): Promise<Value | Late> {
  const over = Promise.withResolvers<Late>()
  const timer = setTimeout(() => over.resolve(new Promise((resolve) => resolve(late()))), ms)
  try {
    return await Promise.race([work, over.promise])
  } finally {
    clearTimeout(timer)
  }
}

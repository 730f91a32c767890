// Waits for work until a deadline.

/**
 * The result of `work`, or after `ms` milliseconds the result or error of `late`. The work then goes on, and its result is
 * ignored.
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

// Waits for work until a deadline.

/**
 * The result of `work`, or after `ms` milliseconds the result or error of `onTimeout`. The work then goes on, and its result is
 * ignored.
 */
export async function withDeadline<Value, Late>(
  work: Promise<Value>,
  ms: number,
  onTimeout: () => Late,
): Promise<Value | Late> {
  const timedOut = Promise.withResolvers<Late>()
  const timer = setTimeout(() => timedOut.resolve(new Promise((resolve) => resolve(onTimeout()))), ms)
  try {
    return await Promise.race([work, timedOut.promise])
  } finally {
    clearTimeout(timer)
  }
}

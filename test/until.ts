// Waiting for something to become true, with a deadline.
const STEP_MS = 10

/** Asks again and again until the answer is neither undefined nor false; fails after the deadline. */
export async function until<T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  deadlineMs = 8_000,
): Promise<T> {
  const end = Date.now() + deadlineMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (Date.now() > end) throw new Error(`waited ${deadlineMs} ms in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
  }
}

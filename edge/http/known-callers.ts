// Whose tokens were good lately, by their digests: a guess that spares a call of the database, which judges it every time.

/** Those who are forgotten are judged in two steps again. */
const AT_MOST = 5000

/** Of the isolate. */
const known = new Map<string, string>()

export const idOfKnownCaller = (tokenHash: string): string | undefined => known.get(tokenHash)

/** The database has failed: then nothing is tried that would have to be undone. */
export const forgetCallers = (): void => known.clear()

export function rememberCaller(tokenHash: string, instanceId: string): void {
  if (known.size >= AT_MOST) known.clear()
  known.set(tokenHash, instanceId)
}

// A cache of tokens that were valid lately, by digest. It saves a call to the database, which still checks the token every time.

/** A caller that is not in the cache costs two calls instead of one. */
const AT_MOST = 5000

/** Shared by all requests of the isolate. */
const known = new Map<string, string>()

export const idOfKnownCaller = (tokenHash: string): string | undefined => known.get(tokenHash)

export const forgetCaller = (tokenHash: string): void => void known.delete(tokenHash)

/** After a failure of the database, when a key that was taken early would have to be freed. */
export const forgetCallers = (): void => known.clear()

export function rememberCaller(tokenHash: string, instanceId: string): void {
  if (known.size >= AT_MOST) known.clear()
  known.set(tokenHash, instanceId)
}

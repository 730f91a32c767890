// A cache of tokens that were recently valid, by digest. It saves a call to the database, which still checks the token every time.

/** A caller that is not in the cache costs two calls instead of one. */
const AT_MOST = 5000

/** Shared by all requests of the isolate. */
const knownCallers = new Map<string, string>()

export const findKnownCaller = (tokenHash: string): string | undefined => knownCallers.get(tokenHash)

export const forgetCaller = (tokenHash: string): void => void knownCallers.delete(tokenHash)

/** After a failure of the database, when a key that was claimed early would have to be released. */
export const forgetCallers = (): void => knownCallers.clear()

export function rememberCaller(tokenHash: string, instanceId: string): void {
  if (knownCallers.size >= AT_MOST) knownCallers.clear()
  knownCallers.set(tokenHash, instanceId)
}

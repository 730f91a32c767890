// Requests a URL of a part until it responds.

import { setTimeout as wait } from 'node:timers/promises'

const STEP_MS = 20
/** A part that gets a request while it starts on a busy machine may never respond to it. */
const ATTEMPT_MS = 5000

/** Resolves when `url` responds with success, or when `signal` is aborted. */
export async function waitUntilReady(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // The part does not listen or respond yet, so this tries again.
    const attemptSignal = AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)])
    const isReady = await fetch(url, { signal: attemptSignal })
      .then(({ ok }) => ok)
      .catch(() => false)
    if (isReady) return
    await wait(STEP_MS, undefined, { signal }).catch(() => undefined)
  }
}

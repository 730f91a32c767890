// Requests a URL of a part until it answers.

import { setTimeout as wait } from 'node:timers/promises'

const STEP_MS = 20
/** A part that is requested while it starts on a busy machine may never answer that request. */
const A_TRY_MS = 5000

/** Resolves once `url` answers with success; ends quietly when `signal` is aborted. */
export async function answers(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // The part does not listen or answer yet, so this tries again.
    const asking = AbortSignal.any([signal, AbortSignal.timeout(A_TRY_MS)])
    const said = await fetch(url, { signal: asking })
      .then(({ ok }) => ok)
      .catch(() => false)
    if (said) return
    await wait(STEP_MS, undefined, { signal }).catch(() => undefined)
  }
}

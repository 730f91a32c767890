// Asking a part over HTTP until it answers.

import { setTimeout as wait } from 'node:timers/promises'

const STEP_MS = 20

/** Resolves once `url` answers and `wanted` says yes to the answer; ends quietly when `signal` is aborted. */
export async function answers(
  url: string,
  signal: AbortSignal,
  wanted: (response: Response) => boolean | Promise<boolean> = (response) => response.ok,
): Promise<void> {
  while (!signal.aborted) {
    // Nobody listens yet: that is what is being waited for.
    const response = await fetch(url, { signal }).catch(() => undefined)
    if (response && (await wanted(response))) return
    await wait(STEP_MS, undefined, { signal }).catch(() => undefined)
  }
}

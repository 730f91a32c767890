// Typing or recording that is shown in a chat for a while: shown again while it lasts, then ended.

import { SECOND } from '@msgnet/shared/date-time.ts'
import type { Connection, Presence } from '../driver/driver.ts'
import type { Cancel, Clock } from '../process/machine-clock.ts'
import type { SessionDeps } from './session-deps.ts'

/** Phones hide the state some seconds after it was shown last. */
const SHOWN_AGAIN_MS = 10 * SECOND
const DEADLINE_MS = 10 * SECOND

export class TimedPresence {
  readonly #clock: Clock
  readonly #log: SessionDeps['log']
  /** By the chat's id. */
  readonly #ends = new Map<string, Cancel>()

  constructor({ clock, log }: Pick<SessionDeps, 'clock' | 'log'>) {
    this.#clock = clock
    this.#log = log
  }

  /** `presence` is shown already. In `ms` milliseconds it ends, unless `cancel` was called. `getNetwork`: undefined while not logged in. */
  endLater(
    chat: string,
    { presence, ms }: { presence: Presence; ms: number },
    getNetwork: () => Connection | undefined,
  ): void {
    this.cancel(chat)
    const show = (state: Presence) => {
      const shown = getNetwork()?.showPresence(chat, state, AbortSignal.timeout(DEADLINE_MS))
      shown?.catch((error) => this.#log.warn({ error }, 'failed to show presence'))
    }
    const stopRepeating = this.#clock.runEvery(SHOWN_AGAIN_MS, () => show(presence))
    const stopEnd = this.#clock.runAfter(ms, () => {
      this.cancel(chat)
      show('paused')
    })
    this.#ends.set(chat, () => {
      stopRepeating()
      stopEnd()
    })
  }

  /** What is shown stays until the phones hide it: a message that arrives does that at once. */
  cancel(chat: string): void {
    this.#ends.get(chat)?.()
    this.#ends.delete(chat)
  }

  cancelAll(): void {
    for (const chat of [...this.#ends.keys()]) this.cancel(chat)
  }
}

// Detects sockets that look open and are dead: no frame arrives, or no sent message is acknowledged.

import { SECOND } from '../../../../shared/clock.ts'
import type { Cancel, Clock } from '../../../clock.ts'

/** The library sends a keep-alive this often while no other frame arrives. */
export const KEEP_ALIVE_MS = 15 * SECOND
/** The interval of a keep-alive, plus the time for its answer. */
const SILENT_MS = KEEP_ALIVE_MS + 7 * SECOND
/** Sends in a row without an acknowledgement before their deadline. */
const UNANSWERED_SENDS = 3

export interface Liveness {
  /** A frame has arrived. */
  heard(): void
  /** A send has ended, with an acknowledgement or without. */
  sent(answered: boolean): void
  stop(): void
}

/** `dead` is called once, with the reason, when the socket has to be given up. */
export function watchLiveness(clock: Clock, dead: (why: string) => void): Liveness {
  let heardAt = clock.now()
  let unanswered = 0
  let cancel: Cancel

  const giveUp = (why: string) => {
    stop()
    dead(why)
  }
  const stop = () => cancel()
  /** Not every second: with a thousand sessions that woke the process a thousand times a second. */
  function watch(): void {
    const left = heardAt + SILENT_MS - clock.now()
    if (left <= 0) giveUp('the network says nothing any more')
    else cancel = clock.after(left, watch)
  }
  watch()

  return {
    heard() {
      heardAt = clock.now()
    },
    sent(answered) {
      unanswered = answered ? 0 : unanswered + 1
      if (unanswered === UNANSWERED_SENDS) giveUp('the network acknowledges nothing any more')
    },
    stop,
  }
}

// Detects sockets that look open and are dead: no frame arrives, or no sent message is acknowledged.

import { SECOND } from '../../../../shared/date-time.ts'
import type { Cancel, Clock } from '../../../machine-clock.ts'

/** The library sends a keep-alive this often while no other frame arrives. */
export const KEEP_ALIVE_MS = 15 * SECOND
/** The interval of a keep-alive, plus the time for its answer. */
const UNRESPONSIVE_MS = KEEP_ALIVE_MS + 7 * SECOND
/** Sends in a row without an acknowledgement before their deadline. */
const MAX_UNACKNOWLEDGED = 3

export interface Liveness {
  /** A frame has arrived. */
  recordFrame(): void
  /** A send has ended, with an acknowledgement or without. */
  recordSend(acknowledged: boolean): void
  stop(): void
}

/** `dead` is called once, with the reason, when the socket has to be given up. */
export function watchLiveness(clock: Clock, onDead: (why: string) => void): Liveness {
  let receivedAt = clock.now()
  let unacknowledged = 0
  let cancel: Cancel

  const giveUp = (why: string) => {
    stop()
    onDead(why)
  }
  const stop = () => cancel()
  /** Not every second: with a thousand sessions that woke the process a thousand times a second. */
  function scheduleCheck(): void {
    const left = receivedAt + UNRESPONSIVE_MS - clock.now()
    if (left <= 0) giveUp('the network says nothing any more')
    else cancel = clock.runAfter(left, scheduleCheck)
  }
  scheduleCheck()

  return {
    recordFrame() {
      receivedAt = clock.now()
    },
    recordSend(acknowledged) {
      unacknowledged = acknowledged ? 0 : unacknowledged + 1
      if (unacknowledged === MAX_UNACKNOWLEDGED) giveUp('the network acknowledges nothing any more')
    },
    stop,
  }
}

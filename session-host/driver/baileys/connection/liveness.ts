// Sockets that look open and are not: nothing comes any more, or nothing that is sent is ever acknowledged.

import { SECOND } from '../../../../shared/clock.ts'
import type { Clock } from '../../../clock.ts'

/** The library asks the network for a sign of life this often where nothing else comes. */
export const KEEP_ALIVE_MS = 15 * SECOND
/** Such a question, and the time for its answer. */
const SILENT_MS = KEEP_ALIVE_MS + 7 * SECOND
/** Sends in a row that had no word of the server's until their deadline. */
const UNANSWERED_SENDS = 3

export interface Liveness {
  /** A frame has come. */
  heard(): void
  /** A send has ended: with the server's word on it, or without. */
  sent(answered: boolean): void
  stop(): void
}

/** `still` is called once, with the reason, when the socket is better given up. */
export function watchLiveness(clock: Clock, still: (why: string) => void): Liveness {
  let heardAt = clock.now()
  let unanswered = 0

  const giveUp = (why: string) => {
    stop()
    still(why)
  }
  const stop = clock.every(SECOND, () => {
    if (clock.now() - heardAt > SILENT_MS) giveUp('the network says nothing any more')
  })

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

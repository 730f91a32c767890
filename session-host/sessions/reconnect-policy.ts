// What follows when a socket to the network has ended.

import { MINUTE, SECOND } from '../../shared/clock.ts'
import type { DisconnectReason } from '../../shared/contract/instance.ts'
import type { Closing } from '../driver/driver.ts'

const BAD_SESSION_TRIES = 3
const PAIRING_TRIES = 3
/** 515 follows every pairing once; a network that keeps saying it is treated as one that is down. */
const RESTART_TRIES = 3

export interface Standing {
  /** The stored credential is one that the phone has signed. */
  linked: boolean
  /** Endings in a row without a login that lasted, this one not counted. */
  failures: number
  /** Those of them, the last ones, that were of this one's kind. */
  alike: number
}

export type Verdict =
  | { do: 'retry'; afterMs: number; reason: DisconnectReason }
  | { do: 'end'; reason: DisconnectReason; forget: boolean }

export function judge({ kind }: Closing, { linked, failures, alike }: Standing): Verdict {
  const backOff = (reason: DisconnectReason = ''): Verdict => ({
    do: 'retry',
    afterMs: backoffMs(failures),
    reason,
  })
  const end = (reason: DisconnectReason, forget = false): Verdict => ({ do: 'end', reason, forget })
  // While a device is being paired every ending but these is a hitch: what it was told says nothing of the account.
  const pairAgain = () => (failures + 1 < PAIRING_TRIES ? backOff() : end('unreachable', true))

  switch (kind) {
    case 'restart':
      return alike < RESTART_TRIES ? { do: 'retry', afterMs: 0, reason: '' } : backOff()
    case 'logged_out':
      return linked ? end('logged_out', true) : pairAgain()
    case 'banned':
      return end('banned')
    case 'mismatch':
      return end('bad_session')
    case 'replaced':
      // Fighting for the place would go on for ever: whoever wants it back asks for it.
      return end('replaced')
    case 'pairing_expired':
      return end('pairing_expired', true)
    case 'bad_session':
      if (!linked) return pairAgain()
      return alike + 1 < BAD_SESSION_TRIES ? backOff() : end('bad_session')
    case 'unreachable':
      return linked ? backOff('unreachable') : end('unreachable', true)
    case 'storage':
      return linked ? backOff('bad_session') : pairAgain()
    case 'lost':
      return linked ? backOff() : pairAgain()
  }
}

/**
 * What counts of the failures before a login: it shows that the network takes this device, so the next wait is seconds,
 * not a minute; but not that it will last, so it is not the first.
 */
export const failuresAfterLogin = (failures: number): number => Math.min(failures, 3)

/** Full jitter: anything between nothing and a limit that doubles from 1 s to 1 min. */
export const backoffMs = (failures: number): number =>
  Math.random() * Math.min(MINUTE, SECOND * 2 ** Math.min(failures, 6))

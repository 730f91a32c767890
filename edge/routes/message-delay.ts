// Computes how long a message waits before it is sent, in milliseconds.

import { SECOND } from '@msgnet/shared/date-time.ts'

/** Of an instance, in seconds. */
interface Pacing {
  delayMin: number
  delayMax: number
}

/** The delay of the request, or else a random one from the instance's setting. */
export function chooseDelay(
  { delayMin, delayMax }: Pacing,
  { delay }: { delay?: number | undefined },
): number | undefined {
  if (delay !== undefined || delayMax === 0) return delay
  return Math.round((delayMin + Math.random() * (delayMax - delayMin)) * SECOND)
}

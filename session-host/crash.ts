// Named points at which a test ends this process, as a power cut would. Without CRASH_AT they cost a comparison.

import type { Log } from './log.ts'

export const crashPoints = [
  'before-journal',
  'after-journal',
  'after-network-write',
  'before-outcome',
  'after-outcome',
  'before-outbox-commit',
  'after-outbox-commit',
  'before-credential-commit',
  'after-credential-commit',
  'before-receipt',
] as const
export type CrashPoint = (typeof crashPoints)[number]

let armed: CrashPoint | undefined

/** From SIGUSR2 on, the next time that the process comes by. Only where the network is simulated (config.ts). */
export function mayCrashAt(point: CrashPoint, log: Log): void {
  process.on('SIGUSR2', () => {
    armed = point
    log.warn({ crashAt: point }, 'this process will end there')
  })
}

export function crashPoint(point: CrashPoint): void {
  if (point === armed) process.kill(process.pid, 'SIGKILL')
}

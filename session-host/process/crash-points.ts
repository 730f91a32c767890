// Named points at which a test kills this process. Without CRASH_AT each costs one comparison.

import type { Log } from './host-log.ts'

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
  'after-imported-keys',
  'before-receipt',
  'before-media-stored',
  'after-media-stored',
  'before-due-send',
  'before-due-commit',
  'after-due-commit',
  'after-due-send',
] as const
export type CrashPoint = (typeof crashPoints)[number]

let armed: CrashPoint | undefined

/** After SIGUSR2 the process ends at the next pass of `point`. Only on a simulated network (config.ts). */
export function armCrashPoint(point: CrashPoint, log: Log): void {
  process.on('SIGUSR2', () => {
    armed = point
    log.warn({ crashAt: point }, 'process will end at crash point')
  })
}

export function crashIfArmed(point: CrashPoint): void {
  if (point === armed) process.kill(process.pid, 'SIGKILL')
}

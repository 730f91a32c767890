// The time of day in a process of a laboratory: it runs as the machine's does, and the process that started this one moves it ahead. In any other process
// this does nothing. Loaded before everything else (`node --import`), so that nothing holds on to the machine's clock.
//
// Only the time of day moves. Timeouts, heartbeats and leases go by other clocks, so no connection ends because a month has passed.

import { OperatorError } from './operator-errors.ts'

/** What the process that started this one sends. */
export interface TimeMove {
  /** Milliseconds ahead of the machine's clock. */
  timeAhead: number
}

/** The response, when what has become due was begun. */
export interface TimeMoved {
  timeMoved: number
}

/** `ahead`: milliseconds ahead of the machine's clock. */
type Listener = (ahead: number) => Promise<void>

const listeners: Listener[] = []

/** Called after the time was moved, which happens in a laboratory only: timers that were set for a time of day are too late then. */
export function onTimeMoved(listener: Listener): void {
  if (isInLab) listeners.push(listener)
}

export const isInLab = process.env.LABORATORY === 'on'

/** Throws if the network is not simulated: people's devices would live at a false time. */
export function refuseLab(network: string): void {
  if (isInLab && network !== 'simulator')
    throw new OperatorError(
      'LABORATORY moves the clock, so it is for the simulated network only: leave it out.',
    )
}

if (isInLab) replaceClock(globalThis.Date)

function replaceClock(MachineDate: DateConstructor): void {
  // Threads begin with the variables of their process.
  let ahead = Number(process.env.LABORATORY_AHEAD ?? 0)
  const now = () => MachineDate.now() + ahead
  globalThis.Date = new Proxy(MachineDate, {
    construct: (target, args, caller) => Reflect.construct(target, args.length > 0 ? args : [now()], caller),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  })
  process.on('message', (message: Partial<TimeMove>) => {
    if (message.timeAhead === undefined) return
    ahead = message.timeAhead
    process.env.LABORATORY_AHEAD = String(ahead)
    void Promise.all(listeners.map((listener) => listener(ahead))).then(() =>
      process.send?.({ timeMoved: ahead } satisfies TimeMoved),
    )
  })
}

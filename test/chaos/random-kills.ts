// Random kills: twenty devices, each of which gets a long history, traffic all the while, and a part killed at a random moment in every round.

import { setTimeout as wait } from 'node:timers/promises'
import { createDevice, linkWithPast, subscribeReceiver } from '../device.ts'
import { startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { Arrivals } from './arrivals.ts'
import { createDice } from './dice.ts'
import { createInstant, type Interruption, watchInterruption } from './interruptions.ts'
import { isWebhookClean, startOtherWebhooks, type WebhookVerdict } from './several-webhooks.ts'
import { startVariedTraffic } from './traffic.ts'
import { checkTraffic, isClean, readMessageIds, type Verdict } from './verdict.ts'

/** `all`: every process at once, as a power cut would. */
export const victims = ['session host', 'edge', 'simulator', 'all'] as const
export type Victim = (typeof victims)[number]

export interface Plan {
  rounds: number
  seed: number
  devices: number
  /** Called after each round, to show progress. `waiting`: messages that were written and not delivered yet. */
  onKill?(round: number, victim: Victim, waiting: number): void
  /** Called after the kills, with what is waited for next. */
  onWait?(what: string): void
}

/** The longest pause before a kill in the first quarter of a run: so that kills meet histories, and the recovery from other kills. */
const EARLY_PAUSE_MS = 2500
/**
 * Afterwards: most of a run is ordinary traffic. The share of events that come twice is the kills a second times the time that a
 * delivery is under way, so in a loop of kills it would only say how fast the loop is.
 */
const LATER_PAUSE_MS = 20_000
const LINKED_WITHIN_MS = 120_000
const EVENTS = ['messages', 'messages_update', 'messages_edit', 'history']
/** One device in so many has five webhooks. */
const OTHERS_EVERY = 4
/** Of each phone: so long that its history is under way while the first parts are killed. */
const PAST = { chats: 40, messages: 6000, groups: 4 }

interface Verdicts extends Verdict {
  /** How often the edge was killed, alone or with everything. */
  edgeKills: number
  /** Of the devices with five of them. */
  webhooks: WebhookVerdict[]
}

/** A kill of the edge leaves at most one delivery of each webhook under way, and only that one comes again. */
export const isRunClean = (verdicts: Verdicts): boolean =>
  isClean(verdicts) &&
  verdicts.webhooks.every(isWebhookClean) &&
  [verdicts, ...verdicts.webhooks].every(({ mostRepeated }) => mostRepeated <= verdicts.edgeKills)

export async function killAtRandom({
  rounds,
  seed,
  devices: count,
  onKill,
  onWait,
}: Plan): Promise<Verdicts> {
  const dice = createDice(seed)
  const receiver = await startReceiver()
  const others = await startOtherWebhooks()
  const world = await startWorld({
    WEBHOOK_ALLOWLIST: [receiver.place, ...others.places].join(),
    ACTION_TIMEOUT_MS: '10000',
    LOG_LEVEL: 'warn',
    MEDIA: 'keep',
  })
  try {
    // All at once, so that the kills meet the histories of all of them.
    const fresh = await Promise.all(
      Array.from({ length: count }, (_, n) => createDevice(world, `Chaos ${n}`)),
    )
    for (const [n, device] of fresh.entries()) {
      await subscribeReceiver(device, receiver, EVENTS)
      if (n % OTHERS_EVERY === 0) await others.addTo(device, EVENTS)
    }
    const devices = await Promise.all(
      fresh.map((device) => linkWithPast(world, device, PAST, LINKED_WITHIN_MS)),
    )
    const traffic = await startVariedTraffic(world, devices, dice)
    let edgeKills = 0
    const interruptions: Interruption[] = []
    const arrivals = new Arrivals(receiver, readMessageIds)
    for (let round = 1; round <= rounds; round++) {
      await wait(dice.rollDie(round <= Math.ceil(rounds / 4) ? EARLY_PAUSE_MS : LATER_PAUSE_MS))
      const victim = dice.pickItem(victims)
      if (victim === 'edge' || victim === 'all') edgeKills++
      const interruption = watchKill(world, victim)
      await killVictim(world, victim)
      if (victim !== 'edge') interruptions.push(await interruption)
      onKill?.(round, victim, arrivals.listMissing(traffic.written.keys()).length)
    }
    onWait?.('every key has its final response')
    await traffic.stop()
    const witness = {
      devices,
      receiver,
      traffic,
      past: PAST.messages,
      interruptions,
      ...(onWait && { onWait }),
    }
    const verdict = await checkTraffic(world, witness)
    onWait?.('the other webhooks have everything')
    return { ...verdict, edgeKills, webhooks: await others.check(world, receiver) }
  } finally {
    await world.close()
    await receiver.close()
    await others.close()
  }
}

/** Called just before its kill. Only the network is written to. */
const watchKill = (world: World, victim: Victim): Interruption | Promise<Interruption> =>
  victim === 'simulator' ? watchInterruption(Number(new URL(world.run.simulatorUrl).port)) : createInstant()

/** Ends it without warning; resolves when it runs again. */
export async function killVictim(world: World, victim: Victim): Promise<void> {
  if (victim === 'all') return world.killAndRestart()
  const before = world.findPid(victim)
  try {
    process.kill(before, 'SIGKILL')
  } catch (thrown) {
    // It ended by itself at this moment, and is being started again as well.
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown
  }
  await until(() => world.run.parts[victim] !== before, { within: 60_000 })
}

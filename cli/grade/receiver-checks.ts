// What a receiver of webhooks must do, each with how it is tried.

import { randomBytes } from 'node:crypto'
import { type Answer, type Delivery, type GradedReceiver, POST_TIMEOUT } from './graded-receiver.ts'

const AT_ONCE = 20
const LARGE_BYTES = 512 * 1024
/** Older ones are refused by the specification of Standard Webhooks. */
const OLD_SECONDS = 600
const REPEATS = 3
const ROUNDS = 3

export interface Finding {
  outcome: 'right' | 'wrong' | 'not judged'
  /** What was seen, in a few words. */
  seen: string
}

export interface ReceiverCheck {
  title: string
  /** What goes wrong for its owner otherwise; printed when the check fails. */
  otherwise: string
  /** Whether anyone could write to it, or events are lost: nothing else makes up for that. */
  isGrave?: true
  run(receiver: GradedReceiver): Promise<Finding>
}

const right = (seen: string): Finding => ({ outcome: 'right', seen })
const wrong = (seen: string): Finding => ({ outcome: 'wrong', seen })

const describe = ({ status, ms }: Answer): string =>
  status ? `${status} in ${ms} ms` : `no answer in ${ms} ms`

/** Whether all are taken. */
function checkTaken(answers: Answer[]): Finding {
  const refused = answers.find(({ isTaken }) => !isTaken)
  if (refused) return wrong(describe(refused))
  const slowest = Math.max(...answers.map(({ ms }) => ms))
  return right(
    answers.length === 1
      ? describe(answers[0] as Answer)
      : `${answers.length} taken, the slowest in ${slowest} ms`,
  )
}

/** Whether it is refused by a 4xx. */
const checkRefused = (answer: Answer): Finding =>
  answer.status >= 400 && answer.status < 500 ? right(describe(answer)) : wrong(describe(answer))

const withoutHeader = ({ headers, ...delivery }: Delivery, name: string): Delivery => ({
  ...delivery,
  headers: Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name)),
})

const takesGenuine: ReceiverCheck = {
  title: 'takes a genuine event',
  otherwise: 'every event is repeated for three days, and is dead then',
  isGrave: true,
  run: async (receiver) => checkTaken([await receiver.post(receiver.createDelivery())]),
}

const forgeries: ReceiverCheck[] = [
  {
    title: 'refuses an event that is signed with another secret',
    otherwise: 'anyone can make up events',
    isGrave: true,
    async run(receiver) {
      const secret = `whsec_${randomBytes(32).toString('base64')}`
      return checkRefused(await receiver.post(receiver.createDelivery({ secret })))
    },
  },
  {
    title: 'refuses a body that was changed after it was signed',
    otherwise: 'anyone on the way can change events',
    isGrave: true,
    async run(receiver) {
      const delivery = receiver.createDelivery()
      return checkRefused(
        await receiver.post({ ...delivery, body: delivery.body.replace('"grade"', '"Grade"') }),
      )
    },
  },
  {
    title: 'refuses an event without a signature',
    otherwise: 'anyone can make up events',
    isGrave: true,
    run: async (receiver) =>
      checkRefused(await receiver.post(withoutHeader(receiver.createDelivery(), 'webhook-signature'))),
  },
  {
    title: 'refuses an event that was signed ten minutes ago',
    otherwise: 'who has recorded a delivery can send it again for ever',
    run: async (receiver) => checkRefused(await receiver.post(receiver.createDelivery({ age: OLD_SECONDS }))),
  },
]

const spellings: ReceiverCheck[] = [
  {
    title: 'takes an event with two signatures, of which the second is its own',
    otherwise: 'events are refused while a secret is being renewed',
    async run(receiver) {
      const delivery = receiver.createDelivery()
      const other = receiver.createDelivery({ secret: `whsec_${randomBytes(32).toString('base64')}` })
      const both = `${other.headers['webhook-signature']} ${delivery.headers['webhook-signature']}`
      return checkTaken([
        await receiver.post({ ...delivery, headers: { ...delivery.headers, 'webhook-signature': both } }),
      ])
    },
  },
  {
    title: 'verifies the bytes as they came, and not JSON that it has written anew',
    otherwise: 'events with rare characters or another order of fields are refused',
    async run(receiver) {
      const write = (envelope: object) =>
        JSON.stringify(envelope, null, 1).replace('grade', '\\u0067rade \u{1F33B}')
      return checkTaken([await receiver.post(receiver.createDelivery({ write }))])
    },
  },
  {
    title: 'takes types and fields that it does not know',
    otherwise: 'the next version of the gateway stops its events',
    run: async (receiver) =>
      checkTaken([
        await receiver.post(
          receiver.createDelivery({ fields: { EventType: 'later', later: { kind: [1] } } }),
        ),
      ]),
  },
  {
    title: 'takes an event of half a mebibyte',
    otherwise: 'long messages never arrive',
    run: async (receiver) =>
      checkTaken([
        await receiver.post(receiver.createDelivery({ fields: { text: 'long '.repeat(LARGE_BYTES / 5) } })),
      ]),
  },
]

/** How often it works on an event that comes several times. */
async function countRepeats(receiver: GradedReceiver): Promise<number> {
  const delivery = receiver.createDelivery()
  const post = () => receiver.post(receiver.repeatDelivery(delivery))
  await Promise.all(Array.from({ length: REPEATS }, post))
  await post()
  return (await receiver.countWorked()).get(delivery.id) ?? 0
}

const repeats: ReceiverCheck[] = [
  {
    title: 'takes an event that comes again, alone and at the same time',
    otherwise: 'an event whose answer was lost is repeated for three days',
    async run(receiver) {
      const delivery = receiver.createDelivery()
      const answers = [await receiver.post(delivery)]
      const repeat = () => receiver.post(receiver.repeatDelivery(delivery))
      answers.push(await repeat(), ...(await Promise.all(Array.from({ length: REPEATS }, repeat))))
      return checkTaken(answers)
    },
  },
  {
    title: 'works on an event once, however often it comes',
    otherwise: 'a customer is answered twice',
    async run(receiver) {
      if (!receiver.canList) return { outcome: 'not judged', seen: 'needs --list' }
      const times = await countRepeats(receiver)
      return times === 1 ? right('once') : wrong(`${times} times`)
    },
  },
  {
    title: 'takes an older event after a newer one',
    otherwise: 'what was repeated late is lost',
    async run(receiver) {
      const [older, newer] = [receiver.createDelivery(), receiver.createDelivery()]
      return checkTaken([await receiver.post(newer), await receiver.post(older)])
    },
  },
  {
    title: `answers ${AT_ONCE} at once, each within ${POST_TIMEOUT / 1000} s`,
    otherwise: 'a busy hour is repeated again and again',
    async run(receiver) {
      const deliveries = Array.from({ length: AT_ONCE }, () => receiver.createDelivery())
      return checkTaken(await Promise.all(deliveries.map((delivery) => receiver.post(delivery))))
    },
  },
]

const keepsConfirmed: ReceiverCheck = {
  title: 'has what it confirmed, once, when it was killed right after',
  otherwise: 'events that the gateway counts as delivered are lost',
  isGrave: true,
  async run(receiver) {
    if (!receiver.canList || !receiver.canRestart)
      return { outcome: 'not judged', seen: 'needs --list and --restart' }
    const all: Delivery[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const deliveries = Array.from({ length: AT_ONCE }, () => receiver.createDelivery())
      all.push(...deliveries)
      await killWhileBusy(receiver, deliveries)
    }
    const worked = await receiver.countWorked()
    const lost = all.filter(({ id }) => !worked.has(id)).length
    // What works on every repeat does so without a kill too, and another check says it.
    const worksOnce = (await countRepeats(receiver)) === 1
    const twice = worksOnce ? all.filter(({ id }) => (worked.get(id) ?? 0) > 1).length : 0
    if (lost + twice > 0) return wrong(`of ${all.length} events ${lost} lost, ${twice} more than once`)
    return right(`${all.length} events, ${ROUNDS} kills`)
  },
}

/** Kills it at the first answer; what was not confirmed comes again. */
async function killWhileBusy(receiver: GradedReceiver, deliveries: Delivery[]): Promise<void> {
  const posts = deliveries.map((delivery) => receiver.post(delivery))
  const firstTaken = Promise.withResolvers<void>()
  for (const post of posts) void post.then(({ isTaken }) => isTaken && firstTaken.resolve())
  const answered = Promise.all(posts)
  await Promise.race([firstTaken.promise, answered])
  await receiver.restart()
  // Now it is back.
  await receiver.postUntilTaken(receiver.createDelivery())
  const answers = await answered
  for (const [at, delivery] of deliveries.entries())
    if (!answers[at]?.isTaken) await receiver.postUntilTaken(delivery)
}

/** The first decides whether the others can be judged. */
export const receiverChecks: readonly ReceiverCheck[] = [
  takesGenuine,
  ...forgeries,
  ...spellings,
  ...repeats,
  keepsConfirmed,
]

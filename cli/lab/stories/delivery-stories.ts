// Stories of deliveries: what comes twice, late, or all at once.

import { DAY, MINUTE } from '@msgnet/shared/date-time.ts'
import { isMessage, type Story, waitUntilTaken, write } from './story-parts.ts'

export const deliveryStories: Story[] = [
  {
    name: 'an event that comes twice',
    happens:
      'the program takes an event, and its answer is lost on the way: the gateway sends it again, with the same webhook-id',
    should: 'act once: store webhook-id with what it causes, and answer 2xx to the repetition',
    async play(lab, instance) {
      lab.receiver.change({ forget: 1 }, instance.id)
      const from = await lab.createPhone()
      const id = await write(lab, from, instance, 'once, please')
      await lab.waitForDelivery('the first delivery', isMessage(id))
      await lab.passTime(MINUTE)
      await lab.until('the second delivery', async () => {
        const all = lab.receiver.received.filter(({ envelope }) => isMessage(id)(envelope))
        return all.some(({ isRepeated }) => isRepeated)
      })
      return { messages: [id], from }
    },
  },
  {
    name: 'a receiver that is slow',
    happens:
      'the program takes an event, and the gateway hears nothing of it for 20 seconds: after 15 it counts as a `timeout`, and the event is sent again',
    should: 'answer as soon as the event is stored, work on it afterwards, and act once',
    async play(lab, instance) {
      lab.receiver.change({ dawdle: 1 }, instance.id)
      const from = await lab.createPhone()
      const id = await write(lab, from, instance, 'take your time')
      await lab.until('the delivery to time out', async () => {
        const { errors } = await lab.callAs(instance, 'GET', '/webhook/errors')
        return errors.length > 0
      })
      await lab.passTime(MINUTE)
      await waitUntilTaken(lab, id)
      return { messages: [id], from }
    },
  },
  {
    name: 'a receiver that is away for a day',
    happens: 'the receiver answers 503 for a day, in which three messages come; then it is back',
    should: 'take events that are a day old, each once, and by `seq` see that none is missing',
    async play(lab, instance) {
      lab.receiver.change({ away: 503 }, instance.id)
      const friend = await lab.createPhone()
      const messages: string[] = []
      for (const text of ['one', 'two', 'three']) messages.push(await write(lab, friend, instance, text))
      // The others wait while it is tried again.
      await lab.waitForDelivery('the first of them', isMessage(messages[0] ?? ''))
      await lab.passTime(DAY)
      lab.receiver.change({ away: 0 }, instance.id)
      // By then each has been tried again.
      await lab.passTime(DAY)
      for (const id of messages) await waitUntilTaken(lab, id)
      return { messages, from: friend }
    },
  },
  {
    name: 'a receiver that answers 410',
    happens:
      'the receiver answers 410 to a message: delivery is paused as `gone`, and the next message waits. The same webhook is saved again, and what died is delivered by a replay: it comes after the later one',
    should:
      'answer 410 only where it wants no more, and put events in order by `seq`, which a replay does not change',
    async play(lab, instance) {
      const friend = await lab.createPhone()
      lab.receiver.change({ away: 410 }, instance.id)
      const refused = await write(lab, friend, instance, 'unwanted')
      await lab.until('the webhook to be paused', async () => {
        const { deliveryStatus } = await lab.callAs(instance, 'GET', '/webhook')
        return deliveryStatus.paused === 'gone'
      })
      const waiting = await write(lab, friend, instance, 'while it is gone')
      lab.receiver.change({ away: 0 }, instance.id)
      await lab.saveWebhook(instance)
      await waitUntilTaken(lab, waiting)
      await lab.callAs(instance, 'POST', '/v1/events/replay', { status: 'dead' })
      await waitUntilTaken(lab, refused)
      return { messages: [refused, waiting], from: friend }
    },
  },
  {
    name: 'fifty messages at once',
    happens: 'someone writes fifty messages in one go',
    should: 'take all of them, keep their order by `seq`, and answer 2xx as soon as each is stored',
    async play(lab, instance) {
      const friend = await lab.createPhone()
      const { ids } = await lab.gateway.sim('POST', '/messages', {
        from: friend,
        to: instance.number,
        text: 'again',
        count: 50,
      })
      for (const id of ids) await waitUntilTaken(lab, id)
      return { messages: ids, from: friend }
    },
  },
  {
    name: 'a gateway that is killed',
    happens:
      'while the program has an event and has not answered yet, the edge of the gateway is killed and starts again; four more messages come meanwhile. That event comes again, with the same webhook-id, and then the others in their order',
    should:
      'act once: store webhook-id with what it causes; and repeat a call that found nobody there, with its Idempotency-Key',
    async play(lab, instance) {
      const friend = await lab.createPhone()
      lab.receiver.change({ dawdle: 1 }, instance.id)
      const first = await write(lab, friend, instance, 'one')
      await lab.waitForDelivery('the first of them', isMessage(first))
      lab.gateway.killEdge()
      const messages = [first]
      for (const text of ['two', 'three', 'four', 'five'])
        messages.push(await write(lab, friend, instance, text))
      for (const id of messages) await waitUntilTaken(lab, id)
      return { messages, from: friend }
    },
  },
]

// Outages of receivers, and a stranger with wrong tokens.

import { setTimeout as wait } from 'node:timers/promises'
import { subscribeReceiver } from '../../device.ts'
import { WAITING } from '../../stored-deliveries.ts'
import { type Outage, repeatWork, writeText } from './outage.ts'

export const deliveries: Outage[] = [
  {
    what: 'the receiver answers 410, and messages arrive',
    alerts: ['WebhookGone'],
    async begin(stage) {
      const { device, receiver } = stage
      receiver.status = 410
      const stop = repeatWork(2000, () => writeText(stage))
      return async () => {
        stop()
        receiver.status = 204
        await subscribeReceiver(device, receiver)
      }
    },
  },
  {
    what: 'the receiver answers 500, and its event is an hour old',
    alerts: ['DeliveryQueueOld', 'DeliveriesFail'],
    async begin(stage) {
      const { world, device, receiver } = stage
      receiver.status = 500
      const stop = repeatWork(1000, () => writeText(stage))
      await wait(5000)
      await world.queryDatabase(
        `update events set created_at = created_at - 3600000 where (instance_id, seq) in (
          select w.instance_id, waiting.seq from (${WAITING}) waiting join webhooks w on w.lane = waiting.lane)`,
      )
      return async () => {
        stop()
        receiver.status = 204
        await subscribeReceiver(device, receiver)
      }
    },
  },
  {
    what: 'a stranger tries ten tokens a second',
    alerts: ['WrongCredentials'],
    begin: async ({ world }) => repeatWork(90, () => world.callAs('mgi_wrong').get('/instance/status')),
  },
]

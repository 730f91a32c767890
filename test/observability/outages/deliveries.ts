// Outages of receivers, and a stranger with wrong tokens.

import { setTimeout as wait } from 'node:timers/promises'
import { subscribe } from '../../device.ts'
import { every, type Outage, write } from './outage.ts'

export const deliveries: Outage[] = [
  {
    what: 'the receiver answers 410, and messages arrive',
    alerts: ['WebhookGone'],
    async begin(stage) {
      const { device, receiver } = stage
      receiver.answer = 410
      const stop = every(2000, () => write(stage))
      return async () => {
        stop()
        receiver.answer = 204
        await subscribe(device, receiver)
      }
    },
  },
  {
    what: 'the receiver answers 500, and its event is an hour old',
    alerts: ['DeliveryQueueOld', 'DeliveriesFail'],
    async begin(stage) {
      const { world, device, receiver } = stage
      receiver.answer = 500
      const stop = every(1000, () => write(stage))
      await wait(5000)
      await world.database(`update events set created_at = created_at - 3600000 where status = 'pending'`)
      return async () => {
        stop()
        receiver.answer = 204
        await subscribe(device, receiver)
      }
    },
  },
  {
    what: 'a stranger tries ten tokens a second',
    alerts: ['WrongCredentials'],
    begin: async ({ world }) => every(90, () => world.as('mgi_wrong').get('/instance/status')),
  },
]

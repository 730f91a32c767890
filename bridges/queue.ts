// Feeds RabbitMQ, NATS JetStream or Amazon SQS with the events of the gateway: each until it is stored there, in the order of its instance.
// docs/use/queues.md says how it is set up.

import { withOperatorErrors } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { readQueueSettings } from './queue/queue-settings.ts'

await runCommand(async () => {
  const settings = readQueueSettings()
  // It opens the file of the bridge as it is imported.
  await withOperatorErrors(async () => void (await import('./bridge-store.ts')))
  const { feedQueue } = await import('./queue/feed-queue.ts')
  await feedQueue(settings)
})
// Open connections would keep it running.
process.exit()

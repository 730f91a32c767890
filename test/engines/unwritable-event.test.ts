// An event that the code of a webhook's form cannot write, on a real file of the database.

import { Lane } from '@msgnet/edge/delivery/lane.ts'
import { setLogWriter } from '@msgnet/edge/observability/edge-log.ts'
import { encodeUtf8 } from '@msgnet/edge/runtime/bytes.ts'
import { deliveryDelays } from '@msgnet/shared/delivery-schedule.ts'
import { expect, onTestFinished, test } from 'vitest'
import { addEvents, addInstances, openEdgeFile } from './edge-file.ts'

const INSTANCE = 'id-00001'
const INSERT_WEBHOOK = `insert into webhooks (lane, id, instance_id, position, mode, url, events, ignored_events, enabled, created_at, updated_at, cursor)
    values (1, 'w', '${INSTANCE}', 0, 'own', 'https://example.com/', '["messages"]', '[]', 1, 0, 0, 0)`

test.each(['toParts', 'createBody'])(
  'an event whose %s throws is dead at the end of its attempts, and those behind it are delivered',
  async (thrower) => {
    const lines: string[] = []
    setLogWriter((line) => lines.push(line))
    onTestFinished(() => setLogWriter(console.log))
    const { database } = await openEdgeFile()
    await database.write([addInstances(1), addEvents(INSTANCE, 2, 1)])
    await database.write([{ sql: INSERT_WEBHOOK, args: [] }])
    const failAt = (step: string, seq: number) => {
      if (seq === 1 && step === thrower) throw new TypeError('no such field')
    }
    const posted: string[] = []
    const format = {
      name: 'contract',
      toParts({ id, seq }: { id: string; seq: number }) {
        failAt('toParts', seq)
        const createBody = () => {
          failAt('createBody', seq)
          return encodeUtf8(id)
        }
        return [{ id, url: 'https://example.com/', createBody }]
      },
    }
    const runtime = {
      openDatabase: () => database,
      async fetch(_reach: string, _url: string, { body }: { body: Uint8Array }) {
        posted.push(new TextDecoder().decode(body))
        return new Response(null, { status: 200 })
      },
    }
    const env = { LOG_LEVEL: 'error', runtime, dialects: { findFormat: () => format } }
    const failures: unknown[] = []
    const schedule = {
      wakeAt: async () => undefined,
      wakeAfterFailure: async (error: unknown) => void failures.push(error),
    }
    const lane = new Lane(env as never, schedule, 1)
    const query = async (sql: string) => (await database.read([{ sql, args: [] }]))[0]?.rows
    for (let attempts = 1; attempts <= deliveryDelays.length + 1; attempts++) {
      await lane.runAll()
      expect(await query('select attempts, last_error from deliveries where seq = 1')).toEqual([
        [attempts, 'event_not_writable'],
      ])
      await database.write([
        { sql: "update deliveries set next_attempt_at = 0 where seq = 1 and status = 'pending'", args: [] },
      ])
    }
    expect(await query('select status from deliveries order by seq')).toEqual([['dead'], ['delivered']])
    expect(posted).toEqual([`${INSTANCE}2`])
    expect(failures).toEqual([])
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'failed to write event in its form',
      seq: 1,
      error: { message: expect.stringContaining('no such field') },
    })
  },
)

// An import whose body stays open: so much of it is sent that the session host is reading it.

import { credentialLines } from '@msgnet/shared/api/sample-values.ts'
import { MIB } from '@msgnet/shared/contract/limits.ts'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import type { Device } from './device.ts'
import { until } from './until.ts'
import type { SharedWorld } from './world.ts'

/** More than all that lies between a caller and a session host can hold. */
const ROWS = 32

export function openImport(world: SharedWorld, device: Device) {
  const caller = new AbortController()
  const rows = Array.from({ length: ROWS }, (_, n) =>
    JSON.stringify({ kind: 'sender-key-memory', id: `${n}@g.us`, value: {}, more: 'x'.repeat(MIB) }),
  )
  const lines = [...credentialLines.trim().split('\n').slice(0, -1), ...rows]
  const end = JSON.stringify({ end: true, rows: lines.length - 1 })
  const { promise: ending, resolve: finish } = Promise.withResolvers<void>()
  const encoder = new TextEncoder()
  let isRead = false
  const body = new ReadableStream({
    async pull(controller) {
      const line = lines.shift()
      if (line !== undefined) return controller.enqueue(encoder.encode(`${line}\n`))
      isRead = true
      await ending
      controller.enqueue(encoder.encode(`${end}\n`))
      controller.close()
    },
  })
  const answer = fetch(`${world.run.baseUrl}/instance/import`, {
    method: 'POST',
    headers: { token: device.token, 'content-type': 'application/x-ndjson' },
    body,
    duplex: 'half',
    signal: caller.signal,
  } as RequestInit).then(
    async (response) => ({
      status: response.status,
      error: ((await response.json().catch(() => ({}))) as { error?: string }).error,
    }),
    () => ({ status: 0, error: undefined }),
  )
  return {
    answer,
    finish,
    leave: () => caller.abort(),
    waitUntilRead: () => until(() => isRead, { within: MINUTE }),
  }
}

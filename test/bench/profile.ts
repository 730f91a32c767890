// Where a part's processor time goes while one row of the costs is measured: a profile that browsers' developer tools open.

import { writeFileSync } from 'node:fs'
import { WebSocket } from 'ws'
import { until } from '../until.ts'
import type { Part } from './cost.ts'
import { startCostStage } from './cost-stage.ts'
import { rows } from './costs.ts'

/** Node listens there once it is signalled. */
const INSPECTOR = 'http://127.0.0.1:9229/json'
const SAMPLE_US = 200

/** Writes `file`. `chosen`: a word in the row's name. */
export async function profileRow(part: Part, chosen: string, file: string): Promise<void> {
  const row = rows.find(({ what }) => what.includes(chosen))
  if (!row) throw new Error(`no row has ${chosen} in its name`)
  const stage = await startCostStage()
  try {
    process.kill(stage.world.run.parts[part] as number, 'SIGUSR1')
    const inspector = await openInspector()
    // What is compiled and created by then is in no profile.
    await row.measureCost(stage)
    await inspector.request('Profiler.enable')
    await inspector.request('Profiler.setSamplingInterval', { interval: SAMPLE_US })
    await inspector.request('Profiler.start')
    await row.measureCost(stage)
    const { profile } = await inspector.request('Profiler.stop')
    writeFileSync(file, JSON.stringify(profile))
    inspector.close()
  } finally {
    await stage.close()
  }
}

interface Inspector {
  request(method: string, params?: object): Promise<{ profile?: unknown }>
  close(): void
}

async function openInspector(): Promise<Inspector> {
  const url = await until(async () => {
    const targets = (await (await fetch(INSPECTOR)).json()) as { webSocketDebuggerUrl: string }[]
    return targets[0]?.webSocketDebuggerUrl
  })
  const socket = new WebSocket(url, { maxPayload: 2 ** 30 })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const waiting = new Map<number, (result: { profile?: unknown }) => void>()
  socket.on('message', (data) => {
    const { id, result } = JSON.parse(String(data))
    waiting.get(id)?.(result)
    waiting.delete(id)
  })
  let requests = 0
  return {
    request(method, params = {}) {
      const id = ++requests
      const answer = new Promise<{ profile?: unknown }>((resolve) => waiting.set(id, resolve))
      socket.send(JSON.stringify({ id, method, params }))
      return answer
    },
    close: () => socket.close(),
  }
}

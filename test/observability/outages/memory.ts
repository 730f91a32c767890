// Outages of memory: a host that does not release memory, and an edge without its limits, full of files that no host downloads.

import { setTimeout as wait } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { combineWorks, freezeProcess, type Outage, type Stage } from './outage.ts'

/** Limits off, and acts that wait as long as the outage may last. */
export const withoutLimits = {
  INSTANCE_BODY_MB: '0',
  BODY_MB: '0',
  SEND_RATE: '0',
  ACTION_TIMEOUT_MS: '600000',
}

/** Runs it in a process of Node, whose inspector a signal opens. */
async function evaluateIn(pid: number, expression: string): Promise<void> {
  process.kill(pid, 'SIGUSR1')
  await wait(1000)
  const [target] = (await (await fetch('http://127.0.0.1:9229/json')).json()) as {
    webSocketDebuggerUrl: string
  }[]
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '')
  await new Promise((resolve) => socket.once('open', resolve))
  const response = new Promise((resolve) => socket.once('message', resolve))
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }))
  await response
  socket.close()
}

const FILES = 300
const FILE = Buffer.alloc(8_800_000, 7).toString('base64')

/** Sends files to a host that is frozen. Returns a function that ends these requests. */
async function fillEdge({ world, device, friend }: Stage): Promise<() => void> {
  const leaving = new AbortController()
  const body = JSON.stringify({ number: friend, type: 'document', file: FILE })
  const headers = { token: device.token, 'content-type': 'application/json' }
  for (let sent = 0; sent < FILES; sent++) {
    fetch(`${world.run.baseUrl}/send/media`, { method: 'POST', headers, body, signal: leaving.signal }).catch(
      () => undefined,
    )
    await wait(20)
  }
  return () => leaving.abort()
}

export const memory: Outage[] = [
  {
    what: 'the host keeps 3.2 GB',
    alerts: ['HostMemoryHigh'],
    async begin({ world }) {
      const pid = world.findPid('session host')
      await evaluateIn(pid, 'globalThis.hog = Buffer.alloc(3.2e9, 1); 0')
      return () =>
        evaluateIn(pid, 'delete globalThis.hog; gc?.(); 0').then(() => process.kill(pid, 'SIGTERM'))
    },
  },
  {
    what: 'the edge has no limits, and files wait for a host that is frozen',
    alerts: ['EdgeMemoryHigh'],
    async begin(stage) {
      const thaw = freezeProcess(stage.world.findPid('session host'))
      const stop = await fillEdge(stage)
      // The run book's action: it is restarted.
      return combineWorks(stop, thaw, () => process.kill(stage.world.findPid('edge'), 'SIGTERM'))
    },
  },
]

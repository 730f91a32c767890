// Outages of processes: dead, frozen, slow, or one too many.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  combineWorks,
  freezeProcess,
  killRepeatedly,
  type Outage,
  repeatWork,
  sendText,
  slowDown,
  writeText,
} from './outage.ts'

export const processes: Outage[] = [
  {
    what: 'the host is killed whenever it starts',
    alerts: ['HostDown'],
    begin: async (stage) => killRepeatedly(stage, 'session host'),
  },
  {
    what: 'the host is frozen, as if its machine were away',
    alerts: ['HostDown', 'HostAway', 'SessionsDown', 'ServerErrors'],
    async begin(stage) {
      const thaw = freezeProcess(stage.world.findPid('session host'))
      return combineWorks(
        repeatWork(300, () => sendText(stage)),
        thaw,
      )
    },
  },
  {
    what: 'the edge is killed whenever it starts',
    alerts: ['EdgeDown', 'HostNotLinked', 'EdgeNotHeard', 'HostWithoutLease'],
    begin: async (stage) => killRepeatedly(stage, 'edge'),
  },
  {
    what: 'the edge is frozen, and messages arrive',
    alerts: ['EdgeDown', 'EdgeNotHeard', 'OutboxGrowsOld'],
    async begin(stage) {
      const thaw = freezeProcess(stage.world.findPid('edge'))
      return combineWorks(
        repeatWork(2000, () => writeText(stage)),
        thaw,
      )
    },
  },
  {
    what: 'a second process has the token of the host',
    alerts: ['ContestedLink'],
    async begin({ world }) {
      const [, token = ''] = readFileSync(join(world.dataDir, 'host-token'), 'utf8').trim().split(' ')
      const { url, rootKey } = await world.sim('GET', '/network')
      const child = spawn(
        process.execPath,
        [join(import.meta.dirname, '../../../session-host/run-host.ts')],
        {
          env: {
            PATH: process.env.PATH ?? '',
            EDGE_URL: world.run.baseUrl,
            HOST_TOKEN: token,
            DATA_DIR: join(world.dataDir, 'second'),
            METRICS_PORT: '0',
            NETWORK_URL: String(url),
            NETWORK_ROOT_KEY: String(rootKey),
            HOST_SEAL_KEYS: `second:${Buffer.alloc(32, 7).toString('base64')}`,
          },
          stdio: 'ignore',
        },
      )
      return () => child.kill('SIGKILL')
    },
  },
  {
    what: 'the host gets no processor for 0.4 s of every 0.8',
    alerts: ['EventLoopLate'],
    begin: async ({ world }) => slowDown(world.findPid('session host'), 400, 800),
  },
  {
    what: 'the edge gets no processor for 3 s of every 4',
    alerts: ['EdgeLate'],
    begin: async ({ world }) => slowDown(world.findPid('edge'), 3000, 4000),
  },
]

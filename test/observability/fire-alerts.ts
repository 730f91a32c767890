// `PROMETHEUS=… npm run test:alerts`: causes each outage in a real gateway and prints when its alerts fire and end. Exit 1 if one does not.

import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startDatabaseServer } from '../database-server.ts'
import { startReceiver } from '../receiver.ts'
import { deliveries } from './outages/deliveries.ts'
import { devices } from './outages/devices.ts'
import { memory, withoutLimits } from './outages/memory.ts'
import { mountDisk, type Outage, type Stage, startStage } from './outages/outage.ts'
import { processes } from './outages/processes.ts'
import { databases, folders, listServerOutages } from './outages/storage.ts'
import { type Changes, type Prometheus, startPrometheus } from './prometheus.ts'

const FIRES_WITHIN = 300
const ENDS_WITHIN = 240

/** Waits that would make this too long. */
const shorter: Changes = {
  BackupOld: { for: '1m' },
  DeliveriesFail: { for: '1m' },
  EventLoopLate: { for: '1m' },
  EdgeMemoryHigh: { for: '1m' },
  HostMemoryHigh: { for: '1m' },
}

interface Row {
  alert: string
  outage: string
  fired?: number
  ended?: number
}

const rows: Row[] = []
const countSeconds = (since: number) => Math.round((performance.now() - since) / 1000)

/** Asks every second until it is so, or until the time is over. */
async function watchUntil(within: number, isSo: () => Promise<boolean>): Promise<void> {
  const began = performance.now()
  while (countSeconds(began) < within && !(await isSo())) await wait(1000)
}

async function runOutage(stage: Stage, prometheus: Prometheus, outage: Outage): Promise<void> {
  const own = outage.alerts.map((alert): Row => ({ alert, outage: outage.what }))
  rows.push(...own)
  // What the outage before has left must be over.
  await watchUntil(ENDS_WITHIN, async () => {
    const active = await prometheus.listFiring('pending')
    return !own.some(({ alert }) => active.has(alert))
  })
  const began = performance.now()
  const mend = await outage.begin(stage)
  await watchUntil(FIRES_WITHIN, async () => {
    const firing = await prometheus.listFiring()
    for (const row of own) if (firing.has(row.alert)) row.fired ??= countSeconds(began)
    return own.every(({ fired }) => fired !== undefined)
  })
  await mend()
  const mended = performance.now()
  await watchUntil(ENDS_WITHIN, async () => {
    const firing = await prometheus.listFiring()
    for (const row of own)
      if (row.fired !== undefined && !firing.has(row.alert)) row.ended ??= countSeconds(mended)
    return own.every(({ fired, ended }) => fired === undefined || ended !== undefined)
  })
  for (const { alert, fired, ended } of own)
    console.log(
      `${alert.padEnd(22)} fired after ${fired ?? '-'} s, ended after ${ended ?? '-'} s  (${outage.what})`,
    )
}

/** `disk`: what of DATA_DIR has a disk of its own. */
async function playOutages(outages: Outage[], env: Record<string, string>, disk?: string): Promise<void> {
  const receiver = await startReceiver()
  const stage = await startStage(env, receiver)
  const { world } = stage

  if (disk)
    await world.killAndRestart(() => {
      const folder = join(world.dataDir, disk)
      const copy = mkdtempSync(join(tmpdir(), 'copy-'))
      mkdirSync(folder, { recursive: true })
      cpSync(folder, copy, { recursive: true })
      stage.disk = mountDisk(folder)
      cpSync(copy, folder, { recursive: true })
      rmSync(copy, { recursive: true })
    })
  const prometheus = await startPrometheus(binary, world.run, shorter)
  try {
    for (const outage of outages.filter(({ what }) => what.includes(part)))
      await runOutage(stage, prometheus, outage)
  } finally {
    await prometheus.close()
    await world.close().catch(() => undefined)
    stage.disk?.unmountDisk()
    rmSync(world.dataDir, { recursive: true, force: true })
    await receiver.close()
  }
}

async function playServers(): Promise<void> {
  const database = await startDatabaseServer()
  try {
    await playOutages(listServerOutages(database), database.env)
  } finally {
    await database.close()
  }
}

const binary = process.env.PROMETHEUS ?? 'prometheus'
const isRoot = process.getuid?.() === 0
const [, , only, part = ''] = process.argv
const stages: Record<string, () => Promise<void>> = {
  processes: () => playOutages(processes, {}),
  databases: () =>
    playOutages(isRoot ? databases : databases.slice(0, -1), {}, isRoot ? 'database' : undefined),
  servers: playServers,
  devices: () => playOutages(devices, { ACTION_TIMEOUT_MS: '2000' }),
  deliveries: () => playOutages(deliveries, {}),
  memory: () => playOutages(memory, withoutLimits),
  ...(isRoot && { folders: () => playOutages(folders, {}, '.') }),
}
await Promise.all(Object.entries(stages).map(([name, run]) => (only === undefined || only === name) && run()))
console.table(rows)
process.exit(rows.every(({ fired, ended }) => fired !== undefined && ended !== undefined) ? 0 : 1)

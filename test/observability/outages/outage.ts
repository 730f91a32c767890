// What an outage is, a gateway to do it to, and what outages are made of.

import { execFileSync, spawnSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readRun } from '@msgnet/cli/data-folder/run-record.ts'
import { createDevice, createPhone, type LinkedDevice, linkDevice, subscribeReceiver } from '../../device.ts'
import type { Receiver } from '../../receiver.ts'
import { startWorld, type World } from '../../world.ts'

export interface Disk {
  /** Leaves so many KiB. */
  fillDisk(left: number): void
  emptyDisk(): void
  unmountDisk(): void
}

export interface Stage {
  world: World
  receiver: Receiver
  device: LinkedDevice
  /** Another account, to write from and to. */
  friend: string
  /** Of DATA_DIR or of its database, where the stage has one of its own. */
  disk?: Disk
}

export interface Outage {
  what: string
  alerts: string[]
  begin(stage: Stage): Promise<() => unknown>
}

type Work = () => unknown

/** Repeats it until it is stopped. */
export function repeatWork(ms: number, work: Work): () => void {
  let stopped = false
  const runWork = async () => {
    while (!stopped) {
      try {
        await work()
      } catch {
        // It fails while the outage lasts.
      }
      await wait(ms)
    }
  }
  void runWork()
  return () => {
    stopped = true
  }
}

export const combineWorks =
  (...works: Work[]) =>
  async () => {
    for (const work of works) await work()
  }

/** Ends a part again and again, because its supervisor starts it again. */
export const killRepeatedly = ({ world }: Stage, part: string) =>
  repeatWork(200, () => {
    const pid = readRun(world.dataDir)?.parts[part]
    if (pid) process.kill(pid, 'SIGKILL')
  })

export const freezeProcess = (pid: number): Work => {
  process.kill(pid, 'SIGSTOP')
  return () => process.kill(pid, 'SIGCONT')
}

/** Gives a process no processor for `ms` of every `of`. */
export function slowDown(pid: number, ms: number, of: number): Work {
  const stop = repeatWork(of - ms, async () => {
    process.kill(pid, 'SIGSTOP')
    await wait(ms)
    process.kill(pid, 'SIGCONT')
  })
  return stop
}

export const writeText = ({ world, device, friend }: Stage, text = 'hello') =>
  world.sim('POST', '/messages', { from: friend, to: device.number, text })
export const sendText = ({ device, friend }: Stage, number = friend) =>
  device.caller.post('/send/text', { number, text: 'hello' })

export async function startStage(env: Record<string, string>, receiver: Receiver): Promise<Stage> {
  const world = await startWorld({ ...env, WEBHOOK_ALLOWLIST: receiver.place })
  recordBackup(world.dataDir, Date.now())
  const fresh = await createDevice(world, 'Shop')
  await subscribeReceiver(fresh, receiver)
  return { world, receiver, device: await linkDevice(world, fresh), friend: await createPhone(world) }
}

/** A disk of 600 MB for this folder. Needs the rights of root. */
export function mountDisk(folder: string): Disk {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=600000k', 'none', folder])
  const filler = join(folder, 'filler')
  return {
    fillDisk(left) {
      // What uses the disk may take a page between the look and the file: then look again.
      for (let attempt = 1; ; attempt++) {
        const { bavail, bsize } = statfsSync(folder)
        const bytes = bavail * bsize - left * 1024
        const { status, stderr } = spawnSync('fallocate', ['-l', String(bytes), filler])
        if (status === 0) return
        if (attempt === 20) throw new Error(`the disk was not filled: ${stderr}`)
      }
    },
    emptyDisk: () => rmSync(filler),
    unmountDisk: () => execFileSync('umount', ['-l', folder]),
  }
}

/** As `npm run backup` does. */
export const recordBackup = (dataDir: string, at: number): void =>
  writeFileSync(join(dataDir, 'last-backup.json'), JSON.stringify({ at: new Date(at).toISOString() }))

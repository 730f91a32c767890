// Checks of this machine: Node, open files, the disk, the data folder, and its clock against the network's.

import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { measureDiskSpace } from '@msgnet/shared/node/data-folder-metrics.ts'
import { isLockedElsewhere } from '@msgnet/shared/node/sqlite-errors.ts'
import { type Finding, fail, ok, warn } from './doctor-finding.ts'

const NODE = 24
const MIB = 1024 * 1024
const GIB = 1024 * MIB
const DISK = { fail: 256 * MIB, warn: 2 * GIB }
/** The network's times are whole seconds, and an answer takes its time. */
const SKEW = { warn: 5 * SECOND, fail: 2 * MINUTE }
/** A session has one socket, and opens others for files. */
const FILES = { base: 100, session: 2 }
const OTHERS = 0o077

export function checkNode(version = process.versions.node): Finding {
  const major = Number(version.split('.')[0])
  if (major >= NODE) return ok('node', `Node ${version}`)
  return fail(
    'node',
    `Node ${version} cannot run this`,
    `Install Node ${NODE}, or run npm ci on Linux with glibc.`,
  )
}

/** Node raises the soft limit to the hard one when it starts, so what this process has is what a host has. */
export function checkOpenFiles(slots: number, limits = readLimits()): Finding {
  const [, limit = ''] = /^Max open files\s+(\S+)/m.exec(limits) ?? []
  if (limit === '') return ok('open files', 'this system does not tell its limit')
  const files = limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit)
  const needed = FILES.base + FILES.session * slots
  const says = `${limit} for ${slots} sessions`
  const advice = `Raise it to ${needed} or more: LimitNOFILE= in the unit, or ulimit -n.`
  if (files >= needed) return ok('open files', says)
  return files < FILES.base + slots ? fail('open files', says, advice) : warn('open files', says, advice)
}

const readLimits = () => (existsSync('/proc/self/limits') ? readFileSync('/proc/self/limits', 'utf8') : '')

export async function checkDisk(dataDir: string, measure = measureDiskSpace): Promise<Finding> {
  const { freeBytes, sizeBytes } = await measure(findExisting(dataDir))
  const says = `${(freeBytes / GIB).toFixed(1)} of ${(sizeBytes / GIB).toFixed(1)} GiB are free`
  const advice = 'Make room: on a full disk no message is taken, and none is sent.'
  if (freeBytes < DISK.fail) return fail('disk', says, advice)
  return freeBytes < DISK.warn ? warn('disk', says, advice) : ok('disk', says)
}

const findExisting = (path: string): string => (existsSync(path) ? path : findExisting(dirname(path)))

export function checkFolder(dataDir: string): Finding {
  if (!existsSync(dataDir))
    return warn('data folder', `${dataDir} is not there`, 'The first start makes it; or set DATA_DIR.')
  const { uid, mode } = statSync(dataDir)
  const own = process.getuid?.() ?? uid
  const says = `${dataDir} belongs to user ${uid}, mode ${(mode & 0o777).toString(8)}`
  // Root may read everything, and runs this for the user of a unit.
  if (own !== uid && own !== 0)
    return fail('data folder', `${says}; this is user ${own}`, 'Run this as the user of the host.')
  if (mode & OTHERS) return warn('data folder', says, `Others can read it: chmod 700 ${dataDir}`)
  try {
    accessSync(dataDir, constants.W_OK)
  } catch {
    return fail('data folder', `${says}, and cannot be written`, 'Mount it so that it can be written.')
  }
  return ok('data folder', says)
}

/** The lock of `npm start`; hosts that are run alone have none. */
export function checkLock(dataDir: string): Finding {
  const file = join(dataDir, 'lock')
  if (!existsSync(file)) return ok('lock', 'no gateway has locked the folder')
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(file)
    lock.exec('BEGIN EXCLUSIVE; ROLLBACK')
    return ok('lock', 'no gateway runs on the folder')
  } catch (error) {
    if (isLockedElsewhere(error)) return ok('lock', 'a gateway runs on the folder')
    const { message } = error as Error
    return fail(
      'lock',
      `${file}: ${message}`,
      'Run this as the user of the host; if that does not help, delete the file.',
    )
  } finally {
    lock?.close()
  }
}

/** `networkTime` as the network said it, `now` when its answer arrived: milliseconds since the epoch. */
export function checkClock(networkTime: number | undefined, now: number): Finding {
  if (networkTime === undefined)
    return warn('clock', 'the network sent no time', 'Compare this clock with another one: timedatectl')
  const skew = now - networkTime
  const says = `${(Math.abs(skew) / SECOND).toFixed(0)} s ${skew < 0 ? 'behind' : 'ahead of'} the network's`
  const advice =
    'Set the clock by NTP (timedatectl set-ntp true): with a wrong one links and codes expire too early.'
  if (Math.abs(skew) >= SKEW.fail) return fail('clock', says, advice)
  return Math.abs(skew) >= SKEW.warn ? warn('clock', says, advice) : ok('clock', says)
}

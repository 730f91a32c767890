// Outages of the database and of disks, and a backup that was never made.

import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { databasePath } from '@msgnet/cli/data-folder/database-file.ts'
import { HOUR } from '@msgnet/shared/date-time.ts'
import type { DatabaseServer } from '../../database-server.ts'
import {
  combineWorks,
  freezeProcess,
  type Outage,
  recordBackup,
  repeatWork,
  sendText,
  slowDown,
  writeText,
} from './outage.ts'

/** Of a database that is a file of the edge. */
export const databases: Outage[] = [
  {
    what: 'another process holds the write lock',
    alerts: ['DatabaseTakesNoWrites'],
    begin: async ({ world }) => holdWriteLock(databasePath(world.dataDir)),
  },
  {
    what: 'another process holds the write lock for 1.2 s of every 1.4',
    alerts: ['DatabaseSlow'],
    async begin(stage) {
      const path = databasePath(stage.world.dataDir)
      const holding = repeatWork(200, async () => {
        const release = holdWriteLock(path)
        await wait(1200)
        release()
      })
      return combineWorks(
        repeatWork(100, () => sendText(stage)),
        holding,
      )
    },
  },
  {
    what: 'the disk of the database is full, and messages arrive',
    alerts: ['DatabaseDiskFull', 'DatabaseTakesNoWrites', 'OutboxGrowsOld', 'HostAway'],
    async begin(stage) {
      stage.disk?.fillDisk(40)
      const stop = repeatWork(1000, () =>
        combineWorks(
          () => writeText(stage, 'x'.repeat(3000)),
          () => sendText(stage),
        )(),
      )
      return combineWorks(stop, () => stage.disk?.emptyDisk())
    },
  },
]

/** Of a libSQL server that DATABASE_URL names. */
export const listServerOutages = (database: DatabaseServer): Outage[] => [
  {
    what: 'the database server is frozen',
    alerts: ['DatabaseRefuses', 'DatabaseTakesNoWrites'],
    begin: async () => freezeProcess(database.pid),
  },
  {
    what: 'the database server gets no processor for 0.8 s of every 1.2',
    alerts: ['DatabaseSlow'],
    async begin(stage) {
      const stop = repeatWork(100, () => stage.device.caller.get('/instance/status'))
      return combineWorks(slowDown(database.pid, 800, 1200), stop)
    },
  },
]

/** Until the answer is called. */
function holdWriteLock(path: string): () => void {
  const file = new DatabaseSync(path, { timeout: 10_000 })
  file.exec('BEGIN IMMEDIATE')
  return () => {
    file.exec('ROLLBACK')
    file.close()
  }
}

export const folders: Outage[] = [
  {
    what: 'the disk has 50 MB of 600 left',
    alerts: ['DiskAlmostFull', 'DiskFull'],
    async begin(stage) {
      stage.disk?.fillDisk(50_000)
      return () => stage.disk?.emptyDisk()
    },
  },
  {
    what: 'the last backup is 27 hours old',
    alerts: ['BackupOld'],
    async begin({ world }) {
      recordBackup(world.dataDir, Date.now() - 27 * HOUR)
      return () => recordBackup(world.dataDir, Date.now())
    },
  },
]

// Outages of the database and of disks, and a backup that was never made.

import { DatabaseSync } from 'node:sqlite'
import { databasePath } from '../../../local/data-folder/database-file.ts'
import { HOUR } from '../../../shared/clock.ts'
import { all, every, freeze, type Outage, recordBackup, send, slowDown, write } from './outage.ts'

export const databases: Outage[] = [
  {
    what: 'the database is frozen',
    alerts: ['DatabaseRefuses', 'DatabaseTakesNoWrites'],
    begin: async ({ world }) => freeze(world.pid('database')),
  },
  {
    what: 'another process holds the write lock',
    alerts: ['DatabaseTakesNoWrites'],
    async begin({ world }) {
      const file = new DatabaseSync(databasePath(world.dataDir), { timeout: 10_000 })
      file.exec('BEGIN IMMEDIATE')
      return () => {
        file.exec('ROLLBACK')
        file.close()
      }
    },
  },
  {
    what: 'the database gets no processor for 0.8 s of every 1.2',
    alerts: ['DatabaseSlow'],
    async begin(stage) {
      const stop = every(100, () => stage.device.caller.get('/instance/status'))
      return all(slowDown(stage.world.pid('database'), 800, 1200), stop)
    },
  },
  {
    what: 'the disk of the database is full, and messages arrive',
    alerts: ['DatabaseDiskFull', 'DatabaseTakesNoWrites', 'OutboxGrowsOld', 'HostAway'],
    async begin(stage) {
      stage.disk?.fill(40)
      const stop = every(1000, () =>
        all(
          () => write(stage, 'x'.repeat(3000)),
          () => send(stage),
        )(),
      )
      return all(stop, () => stage.disk?.empty())
    },
  },
]

export const folders: Outage[] = [
  {
    what: 'the disk has 50 MB of 600 left',
    alerts: ['DiskAlmostFull', 'DiskFull'],
    async begin(stage) {
      stage.disk?.fill(50_000)
      return () => stage.disk?.empty()
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

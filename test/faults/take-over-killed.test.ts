// The take-over of a former database, in part or in vain: whatever it was interrupted in, the next one ends with all rows or says why not.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { databasePath, prepareDatabaseFile, refuseDatabaseFile } from '../../cli/data-folder/database-file.ts'

const ROWS = 1000
let dataDir: string
let folder: string
let server: string
let file: string
let said: string[]

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'take-over-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  file = databasePath(dataDir)
  folder = join(dataDir, 'database')
  server = join(folder, 'dbs', 'default', 'data')
  said = []
  mkdirSync(join(server, '..', 'wallog'), { recursive: true })
  for (const name of ['database-key.pem', 'database-key.pub.pem']) writeFileSync(join(dataDir, name), 'a key')
  fillServerFile().close()
})

/** With its last rows in the write-ahead log only, as a killed server leaves it, while the database is open. */
function fillServerFile(): DatabaseSync {
  const database = new DatabaseSync(server)
  database.exec(`pragma journal_mode = wal; pragma wal_autocheckpoint = 0; pragma user_version = 7;
    create table if not exists events (n integer primary key autoincrement, text text);
    with recursive counted(n) as (select 1 union all select n + 1 from counted where n < ${ROWS})
      insert into events (text) select 'text ' || n from counted`)
  return database
}

const takeOver = () => prepareDatabaseFile({ DATA_DIR: dataDir }, (line) => void said.push(line))

function expectWhole(rows = ROWS): void {
  expect(readdirSync(folder).sort()).toEqual(['dbs', 'edge.db'])
  expect(readFileSync(join(folder, 'dbs'), 'utf8')).toContain('docs/upgrade.md')
  expect(readdirSync(dataDir).sort()).toEqual(['database', 'format'])
  const database = new DatabaseSync(file)
  expect(database.prepare('select count(*) as n, max(n) as last from events').get()).toEqual({
    n: rows,
    last: rows,
  })
  expect(database.prepare('pragma user_version').get()).toEqual({ user_version: 7 })
  database.close()
}

test('a previous database is copied with its log, and its folder and keys are deleted', async () => {
  const open = fillServerFile()
  const killed = join(dataDir, 'killed')
  renameSync(join(folder, 'dbs'), killed)
  mkdirSync(join(server, '..'), { recursive: true })
  for (const end of ['', '-wal'])
    writeFileSync(`${server}${end}`, readFileSync(join(killed, 'default', `data${end}`)))
  open.close()
  rmSync(killed, { recursive: true })
  await takeOver()
  expectWhole(2 * ROWS)
  expect(said).toEqual([
    expect.stringMatching(/^Copying the database of the earlier version \(\d+ MiB\)/),
    expect.stringContaining(`The database is now the file ${file}`),
  ])
  await takeOver()
  expect(said).toHaveLength(2)
})

test('an incomplete copy is made again', async () => {
  writeFileSync(`${file}.tmp`, 'half')
  writeFileSync(`${file}.tmp-journal`, 'half')
  await takeOver()
  expectWhole()
})

test('a complete copy is put in place, even if its folder was partly deleted', async () => {
  renameSync(server, `${file}.tmp`)
  renameSync(join(folder, 'dbs'), join(folder, 'dbs.copied'))
  await takeOver()
  expectWhole()
  mkdirSync(join(folder, 'dbs.copied', 'default'), { recursive: true })
  await takeOver()
  expectWhole()
})

test('a database in use by a server is refused and not changed', async () => {
  const open = fillServerFile()
  try {
    await expect(takeOver()).rejects.toThrow(`${server} is in use: stop the database server first.`)
    expect(existsSync(file)).toBe(false)
  } finally {
    open.close()
  }
  await takeOver()
  expectWhole(2 * ROWS)
}, 60_000)

test('a damaged database is refused and not changed', async () => {
  const bytes = readFileSync(server)
  writeFileSync(server, bytes.fill(7, 4096))
  await expect(takeOver()).rejects.toThrow(`${server} was not copied, and nothing was changed.`)
  expect(readFileSync(server).equals(bytes)).toBe(true)
  expect(readdirSync(folder)).toEqual(['dbs'])
  expect(existsSync(join(dataDir, 'format'))).toBe(false)
})

test('with both databases the start is refused', async () => {
  new DatabaseSync(file).close()
  await expect(takeOver()).rejects.toThrow('has two databases')
  expect(existsSync(server)).toBe(true)
})

test('an edge under Miniflare refuses a folder with another database, and an edge in Node refuses the folder of Miniflare', async () => {
  const refused = 'has the database of an edge in Node: set DATA_DIR to another folder.'
  expect(() => refuseDatabaseFile({ DATA_DIR: dataDir })).toThrow(refused)
  await takeOver()
  expect(() => refuseDatabaseFile({ DATA_DIR: dataDir })).toThrow(refused)
  rmSync(folder, { recursive: true })
  refuseDatabaseFile({ DATA_DIR: dataDir })
  mkdirSync(join(dataDir, 'database-server'))
  await expect(takeOver()).rejects.toThrow('has the database of an edge under Miniflare')
})

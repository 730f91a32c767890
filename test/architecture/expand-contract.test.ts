// Migrations only add: the release before goes on with the newer tables, and what it used is dropped a release later.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  findBreaks,
  listSnapshots,
  readMigrations,
  readTables,
  releases,
  sides,
  type Tables,
} from './expand-contract.ts'
import { root } from './sources.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

test('this version and its last migrations are in the list of releases', () => {
  expect(releases.map((release) => release.version)).toContain(version)
})

describe.each(sides)('the tables of the %s', (side) => {
  const migrations = readMigrations(side)
  const last = migrations.at(-1)?.number ?? -1

  test('are numbered without gaps, and releases name numbers that exist', () => {
    expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, n) => n))
    expect(releases.filter((release) => release[side] > last)).toEqual([])
  })

  // drizzle writes one with each migration, and needs the last one only; those of releases say what older processes know.
  test('stand as a whole beside the last migration and those of releases only', () => {
    const kept = [...new Set([...releases.map((release) => release[side]), last])]
    expect(listSnapshots(side)).toEqual(kept)
  })

  test('can be used by the release before, after each migration', () => {
    // Before the first release no process of an earlier version could meet them.
    const unreleased = migrations.filter(({ number }) => number > (releases[0]?.[side] ?? 0))
    const faults = unreleased.flatMap((migration) => {
      const before = releases.findLast((release) => release[side] < migration.number)
      const known = before ? readTables(side, before[side]) : {}
      return findBreaks(migration, known).map((fault) => `${migration.name}: ${fault}`)
    })
    expect(faults).toEqual([])
  })
})

describe('the rule', () => {
  const known: Tables = { hosts: ['id', 'region'], events: ['id', 'seq'] }
  const declared = '-- contract: not used since 0.2.0, which reads place\n'

  test.each([
    ['drops a column in use', `${declared}ALTER TABLE \`hosts\` DROP COLUMN \`region\`;`],
    ['drops a table in use', `${declared}DROP TABLE \`events\`;`],
    ['renames a column', 'ALTER TABLE `hosts` RENAME COLUMN `region` TO `place`;'],
    ['renames a table', 'ALTER TABLE "hosts" RENAME TO "places";'],
    [
      'makes a table anew',
      `${declared}CREATE TABLE \`__new_hosts\` (\`id\` text);\n--> statement-breakpoint\nDROP TABLE \`hosts\`;\n--> statement-breakpoint\nALTER TABLE \`__new_hosts\` RENAME TO \`hosts\`;`,
    ],
    ['adds what must be there', 'ALTER TABLE `hosts` ADD `place` text NOT NULL;'],
    ['allows only one of what there were several', 'CREATE UNIQUE INDEX `one` ON `events` (`seq`);'],
    ['drops what nobody uses, and does not say so', 'ALTER TABLE `hosts` DROP COLUMN `place`;'],
  ])('refuses a migration that %s', (_, sql) => {
    expect(findBreaks({ sql }, known)).toHaveLength(1)
  })

  test.each([
    [
      'adds a table with all it likes',
      'CREATE TABLE `tokens` (`id` text NOT NULL);\nCREATE UNIQUE INDEX `t` ON `tokens` (`id`);',
    ],
    [
      'adds columns that may be left out',
      "ALTER TABLE `hosts` ADD `a` text DEFAULT '' NOT NULL;\nALTER TABLE `hosts` ADD `b` blob;",
    ],
    [
      'drops what the release before no longer uses, and says why',
      `${declared}ALTER TABLE \`hosts\` DROP COLUMN \`place\`;\nDROP TABLE \`places\`;`,
    ],
    ['changes an index', 'DROP INDEX `events_by_seq`;\nCREATE INDEX `events_by_seq` ON `events` (`seq`);'],
  ])('takes a migration that %s', (_, sql) => {
    expect(findBreaks({ sql }, known)).toEqual([])
  })
})

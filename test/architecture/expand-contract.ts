// What a migration does to the code of the release before it, read from its SQL: expand first, contract a release later.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './sources.ts'

/** Tables and their columns, as the code of a release knows them. */
export type Tables = Record<string, string[]>

export interface Migration {
  name: string
  number: number
  sql: string
}

export interface Release {
  version: string
  /** Numbers of its last migrations. */
  edge: number
  host: number
}

export const sides = ['edge', 'host'] as const
type Side = (typeof sides)[number]

export const releases: Release[] = JSON.parse(readFileSync(join(root, 'migrations/releases.json'), 'utf8'))

export const readMigrations = (side: Side): Migration[] =>
  readdirSync(join(root, 'migrations', side))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({
      name,
      number: Number(name.slice(0, 4)),
      sql: readFileSync(join(root, 'migrations', side, name), 'utf8'),
    }))

/** The numbers of the migrations whose tables are written down. */
export const listSnapshots = (side: Side): number[] =>
  readdirSync(join(root, 'migrations', side, 'meta'))
    .filter((name) => name.endsWith('_snapshot.json'))
    .map((name) => Number(name.slice(0, 4)))
    .sort((one, other) => one - other)

/** drizzle writes down the tables with each migration: these are those that the code was made of. */
export function readTables(side: Side, number: number): Tables {
  const file = join(root, 'migrations', side, 'meta', `${String(number).padStart(4, '0')}_snapshot.json`)
  if (!existsSync(file)) throw new Error(`there is no ${file}`)
  const { tables } = JSON.parse(readFileSync(file, 'utf8')) as { tables: Record<string, { columns: object }> }
  return Object.fromEntries(Object.entries(tables).map(([name, { columns }]) => [name, Object.keys(columns)]))
}

/** Declares that a migration takes away what no release uses any more: its first line, and why. */
const CONTRACT = /^-- contract: .{10,}/

const NAME = '[`"]?(\\w+)[`"]?'
const patterns = {
  dropTable: new RegExp(`^drop table (?:if exists )?${NAME}`, 'i'),
  dropColumn: new RegExp(`^alter table ${NAME} drop (?:column )?${NAME}`, 'i'),
  renameTable: new RegExp(`^alter table ${NAME} rename to `, 'i'),
  renameColumn: new RegExp(`^alter table ${NAME} rename (?:column )?${NAME} to `, 'i'),
  addColumn: new RegExp(`^alter table ${NAME} add (?:column )?${NAME} (.*)`, 'is'),
  unique: new RegExp(`^create unique index (?:if not exists )?${NAME} on ${NAME}`, 'i'),
}

const splitStatements = (sql: string): string[] =>
  sql
    .replace(/^\s*--.*$/gm, '')
    .replace(/\/\*.*?\*\//gs, '')
    .replaceAll('--> statement-breakpoint', '')
    .split(';')
    .map((statement) => statement.trim().replace(/\s+/g, ' '))
    .filter(Boolean)

/** What the code of the release whose tables are `known` could not live with. */
export function findBreaks({ sql }: Pick<Migration, 'sql'>, known: Tables): string[] {
  const isKnown = (table = '', column?: string) =>
    column === undefined ? table in known : (known[table]?.includes(column) ?? false)
  const faults: string[] = []
  let takesAway = false
  for (const statement of splitStatements(sql)) {
    const matchPattern = (name: keyof typeof patterns) => patterns[name].exec(statement)
    const [, droppedTable] = matchPattern('dropTable') ?? []
    const [, table, column] = matchPattern('dropColumn') ?? []
    const [, renamedTable] = matchPattern('renameTable') ?? []
    const [, tableOf, renamed] = matchPattern('renameColumn') ?? []
    const [, widened, added, definition = ''] = matchPattern('addColumn') ?? []
    const [, index, indexed] = matchPattern('unique') ?? []
    takesAway ||= droppedTable !== undefined || column !== undefined
    if (isKnown(droppedTable))
      faults.push(`it drops the table ${droppedTable}, which the release before uses`)
    if (column && isKnown(table, column))
      faults.push(`it drops ${table}.${column}, which the release before uses`)
    if (isKnown(renamedTable)) faults.push(`it renames the table ${renamedTable}`)
    if (!renamedTable && renamed && isKnown(tableOf, renamed)) faults.push(`it renames ${tableOf}.${renamed}`)
    if (isKnown(widened) && /\bnot null\b/i.test(definition) && !/\bdefault\b/i.test(definition))
      faults.push(`it adds ${widened}.${added}, which the release before would leave out`)
    if (isKnown(indexed)) faults.push(`the unique index ${index} may refuse what the release before writes`)
  }
  if (takesAway && !CONTRACT.test(sql))
    faults.push('it takes something away and does not say why in its first line: -- contract: …')
  return faults
}

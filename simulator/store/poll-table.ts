// Polls: the data that a phone with the message needs to vote.
import type { DatabaseSync } from 'node:sqlite'
import { readBlob, readInteger, readText } from './network-database.ts'

export type Poll = { name: string; choices: string[]; selectable: number; secret: Buffer }

export function createPollTable(database: DatabaseSync) {
  const find = database.prepare('select * from polls where id = ? and creator = ?')
  const add = database.prepare('insert or ignore into polls values (?, ?, ?, ?, ?, ?)')

  return {
    /** By the poll's message, and its creator's number. */
    find(id: string, creator: string): Poll | undefined {
      const row = find.get(id, creator)
      return (
        row && {
          name: readText(row, 'name'),
          choices: JSON.parse(readText(row, 'choices')),
          selectable: readInteger(row, 'selectable'),
          secret: readBlob(row, 'secret'),
        }
      )
    },
    add(id: string, creator: string, { name, choices, selectable, secret }: Poll) {
      add.run(id, creator, name, JSON.stringify(choices), selectable, secret)
    },
  }
}

// Polls: the data that a phone with the message needs to vote.
import type { DatabaseSync } from 'node:sqlite'
import { MAX_POLL_CHOICES } from '../network-limits.ts'
import { readBlob, readInteger, readText } from './network-database.ts'

export type Poll = { name: string; choices: string[]; selectable: number; secret: Buffer }

export function createPollTable(database: DatabaseSync) {
  const find = database.prepare('select * from polls where id = ? and creator = ?')
  const add = database.prepare('insert or ignore into polls values (?, ?, ?, ?, ?, ?)')
  const setChoices = database.prepare('update polls set choices = ? where id = ? and creator = ?')

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
    /** False if there is no such poll, or if it has this choice, or no room for it. */
    addChoice(id: string, creator: string, choice: string): boolean {
      const poll = this.find(id, creator)
      if (!poll || poll.choices.includes(choice) || poll.choices.length >= MAX_POLL_CHOICES) return false
      setChoices.run(JSON.stringify([...poll.choices, choice]), id, creator)
      return true
    },
    add(id: string, creator: string, { name, choices, selectable, secret }: Poll) {
      add.run(id, creator, name, JSON.stringify(choices), selectable, secret)
    },
  }
}

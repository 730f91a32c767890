// A person at a terminal: is shown codes, told what to do, and asked when it is done.

import { createInterface } from 'node:readline/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import qrcode from 'qrcode'
import { type ChatKind, type Person, tasks } from './person-tasks.ts'

const chats: Record<ChatKind, string> = {
  old: 'a person with whom the account has an old chat',
  stranger: 'a person with whom it has none, who knows of this',
  lidOnly: 'a person who is known by LID only (…@lid)',
  group: 'a group whose members are numbers (…@g.us)',
  lidGroup: 'a group whose members are LIDs (…@g.us)',
}

export function createTerminalPerson(): Person & { close(): void } {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const ask = async (question: string): Promise<string> => {
    const answer = await terminal.question(`  ${question} `).catch((cause) => {
      throw new OperatorError('The day was interrupted. The same command goes on with it.', { cause })
    })
    return answer.trim()
  }
  return {
    async linkDevice(pairing) {
      const shown =
        pairing.method === 'qr'
          ? await qrcode.toString(pairing.qr, { type: 'terminal', small: true })
          : pairing.code
      console.log(`${shown}\n  On the phone: “Linked devices”, “Link a device”. Scan within a minute.`)
    },
    nameChat: (kind) => ask(`The number or id of ${chats[kind]} (empty to leave it out):`),
    perform: async (task) =>
      (await ask(`${tasks[task]} Enter when it is done, “no” to leave it out:`)) !== 'no',
    async rest(seconds) {
      console.log(`  Nothing is to be done for ${seconds} seconds.`)
      await wait(seconds * 1000)
    },
    close: () => terminal.close(),
  }
}

// The page that says of each kind of message what came of it.

import { join } from 'node:path'
import { readContent } from '@msgnet/session-host/driver/baileys/messages/message-content.ts'
import { applyPatches } from '@msgnet/session-host/driver/baileys/patches/apply-patches.ts'
import type { proto } from 'baileys'
import { beforeAll, expect, test } from 'vitest'
import { kindSamples } from '../kind-samples.ts'
import { newerKinds, receiveField, receiveSample } from './received-kinds.ts'

/** They change another message, and are told as an event. */
const CHANGES = new Set<string>(['delete', 'edit', 'keep', 'pin', 'reaction', 'vote'])
const PAGE = join(import.meta.dirname, '../../docs/code/kinds.md')

const HEAD = `# Each kind of message, and what came of it

For each field that a message of the network may have, a sample was read: what its record says. \`npm run kinds\` runs the tests of the samples and writes this
page anew, and a run fails if a row is not as it says here. What a reader gets of each is in [message-kinds.md](../use/message-kinds.md).
`

beforeAll(() => applyPatches())

const formatRow = (...cells: string[]) => `| ${cells.join(' | ')} |`
const formatWord = (word: string) => (word ? `\`${word}\`` : '')
const formatText = (text: string) => text.replaceAll('\n', ' / ').replaceAll('|', '\\|')

function describeMessage(name: string, message: proto.IMessage): string {
  const record = readContent(message)
  if (!record) return formatRow(name, 'of the protocol: no record', '', '', '')
  const { type, messageType, text, content } = record
  const fields = Object.keys(content).map(formatWord).join(', ')
  const kind = CHANGES.has(type) ? `a change: ${formatWord(type)}` : formatWord(type)
  return formatRow(name, kind, formatWord(messageType), formatText(text), fields)
}

function renderPage(): string {
  const head = [
    formatRow('Field', 'Type', '`messageType`', 'Text', '`content`'),
    formatRow('---', '---', '---', '---', '---'),
  ]
  const known = Object.entries(kindSamples).map(([name, sample]) =>
    describeMessage(formatWord(name), receiveSample(name, sample)),
  )
  const newer = newerKinds.map(([number, words, part]) =>
    describeMessage(`${number}, ${words}`, receiveField(number, part)),
  )
  return [
    HEAD,
    ...head,
    ...known,
    '\n## Newer than the library\n\nBy the number of their field.\n',
    ...head,
    ...newer,
    '',
  ].join('\n')
}

test('the page shows what came of each kind; `npm run kinds` updates it', async () => {
  await expect(renderPage()).toMatchFileSnapshot(PAGE)
})

test('no record is empty: it has words or content, changes something, or says that it is on the phone only', () => {
  const messages = Object.entries(kindSamples).map(([name, sample]) => receiveSample(name, sample))
  const empty = messages.flatMap((message) => {
    const record = readContent(message)
    if (!record || CHANGES.has(record.type) || record.truncated) return []
    return record.text === '' && Object.keys(record.content).length === 0 ? record.messageType : []
  })
  expect(empty).toEqual([])
})

// Kinds of messages that are newer than the library's types, read by the numbers of their fields.

import { proto } from 'baileys'
import { type NewerField, type Parts, readParts } from '../newer-fields.ts'
import { cutOptionName } from '../poll-content.ts'
import { dropEmpty, limitWords, type Reading, readMoney, readPerson, readTarget } from './kind-reading.ts'

/** Of a split bill. */
const MAX_PEOPLE = 64
const FREQUENCIES = ['', 'weekly', 'biWeekly', 'monthly']

const readers: Record<number, (parts: Parts) => Reading | undefined> = {
  121: readAddedChoice,
  122: readEventInvite,
  124: readReminder,
  125: readSplit,
  128: (parts) => ({
    type: 'other',
    content: { payment: 'splitPaid', splitId: getWords(parts, 1), from: readPerson(parts.getText(2)) },
  }),
  129: readMusic,
}

/** Undefined for a kind without a reader, and for bytes that are another message. */
export function readNewerKind({ number, bytes }: NewerField): Reading | undefined {
  const read = readers[number]
  if (!read) return undefined
  try {
    return read(readParts(bytes))
  } catch {
    // Its sender wrote something else.
    return undefined
  }
}

const getWords = (parts: Parts, field: number): string => limitWords(parts.getText(field))

/** A choice that the phone of its writer did not seal. */
function readAddedChoice(parts: Parts): Reading | undefined {
  const key = proto.MessageKey.decode(parts.getBytes(1) ?? new Uint8Array())
  const option = proto.Message.PollCreationMessage.Option.decode(parts.getBytes(2) ?? new Uint8Array())
  const { target, content } = readTarget(key)
  const choice = cutOptionName(option.optionName ?? '')
  return target && choice
    ? { type: 'other', text: choice, target, content: { ...content, choice } }
    : undefined
}

function readEventInvite(parts: Parts): Reading {
  const [title, caption] = [getWords(parts, 3), getWords(parts, 6)]
  return {
    type: 'other',
    text: caption || title,
    content: {
      title,
      ...dropEmpty({
        caption,
        event: getWords(parts, 2),
        startTime: parts.getNumber(5) * 1000,
        endTime: parts.getNumber(8) * 1000,
        joinLink: getWords(parts, 9),
        cancelled: parts.getNumber(7) === 1,
      }),
    },
  }
}

const readPart = (bytes: Uint8Array | undefined) => readMoney(bytes && proto.Money.decode(bytes))

function readReminder(parts: Parts): Reading {
  return {
    type: 'other',
    text: getWords(parts, 3),
    content: {
      payment: 'reminder',
      note: getWords(parts, 3),
      ...readPart(parts.getBytes(9)),
      ...dropEmpty({
        reminderId: getWords(parts, 1),
        frequency: FREQUENCIES[parts.getNumber(4)] ?? '',
        payee: readPerson(parts.getText(7)),
        payer: readPerson(parts.getText(8)),
      }),
    },
  }
}

function readSplit(parts: Parts): Reading {
  const people = parts.listBytes(5)
  return {
    type: 'other',
    text: getWords(parts, 3),
    content: {
      payment: 'split',
      note: getWords(parts, 3),
      splitId: getWords(parts, 1),
      ...readPart(parts.getBytes(2)),
      people: people.slice(0, MAX_PEOPLE).map((bytes) => {
        const person = readParts(bytes)
        const share = readPart(person.getBytes(2))
        return { jid: readPerson(person.getText(1)), ...share, paid: person.getNumber(3) === 1 }
      }),
    },
    truncated: people.length > MAX_PEOPLE,
  }
}

function readMusic(parts: Parts): Reading {
  const song = readParts(parts.getBytes(1) ?? new Uint8Array())
  const [artist, title] = [getWords(song, 3), getWords(song, 4)]
  return {
    type: 'other',
    text: [title, artist].filter(Boolean).join('\n'),
    content: { title, artist, ...dropEmpty({ url: getWords(parts, 2) }) },
  }
}

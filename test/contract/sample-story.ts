// Responses as the documentation shows them: values that differ from run to run are replaced by those of the samples.

import * as story from '@msgnet/shared/api/sample-values.ts'
import type { SampleResult } from './sample-requests.ts'

/** A list is shown with two items at most. */
const LIST_SHOWN = 2
const MAX_CHARACTERS = 20_000
const NOW_MS = story.head.timestamp
const NOW = new Date(NOW_MS).toISOString()

/** Counted or measured while it ran. */
const measured = ['ms', 'lag', 'latencyMs', 'durationMs', 'sessions', 'seq', 'nextSeq', 'uptime']

/** The same text is the same text everywhere in an answer. */
function createNamer() {
  const standIns = new Map<string, string>()
  return (kind: string, original: string, make: (nth: number) => string): string => {
    const key = `${kind} ${original}`
    const nth = [...standIns.keys()].filter((name) => name.startsWith(`${kind} `)).length
    const name = standIns.get(key) ?? make(nth)
    standIns.set(key, name)
    return name
  }
}

const createStoryUuid = (nth: number) =>
  story.fresh.id.replace(/.$/, (last) => ((Number.parseInt(last, 16) + nth) % 16).toString(16))
const replaceLastDigit = (text: string, count: number) =>
  count === 0 ? text : text.slice(0, -1) + String(count % 10)

/** The answer's value in the story; undefined where it is no JSON, or too long to be shown. */
export function replaceByStory({ response, standIns }: SampleResult): unknown {
  if (!response.headers.get('content-type')?.startsWith('application/json')) return undefined
  const name = createNamer()
  const replaceKnown = (text: string) =>
    standIns.reduce((now, [original, replacement]) => now.replaceAll(original, replacement), text)
  const rewriteText = (text: string): string =>
    replaceKnown(text)
      .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, NOW)
      .replace(/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, (id) =>
        name('uuid', id, createStoryUuid),
      )
      .replace(/^(data:[\w/]+;base64,.{12}).*$/s, '$1…')
      .replace(/2@[\w+/=,]{40,}/, story.pairing.qr.qr)
      .replace(/^[\dA-Z]{4}-[\dA-Z]{4}$/, story.pairing.code.code)
      .replace(/\bmgi_[\w-]{43}/g, story.instanceToken)
      .replace(/\bmgs_[\w-]{43}/g, `mgs_${'0123456789'.repeat(4)}abc`)
      .replace(/\bmgh_[\w-]{43}/g, story.hostToken)
      .replace(/\bmga_[\w-]{43}/g, story.adminToken)
      .replace(/\b\d{10,}@g\.us/g, (jid) => name('group', jid, () => story.groupJid))
      .replace(/\b[\dA-F]{16,}\b(?!@)/g, (id) =>
        name('message', id, (count) => replaceLastDigit(story.sent.messageid, count)),
      )
      .replace(/\b\d{10,}@lid/g, (lid) => name('lid', lid, (count) => `11223344556677${count}@lid`))
      .replace(/https:\/\/chat\.whatsapp\.com\/[\w-]+/g, story.inviteLink)
      .replace(/https:\/\/127\.0\.0\.1:\d+\/v\/\S+/g, 'https://media.msgnet.net/v/f/3EB0C767D097B7C7C4A2.enc')
      .replace(/\bmgl_[\w-]{43}/g, `mgl_${'0123456789'.repeat(4)}abc`)
      .replace(/\b55119[01]\d{7}\b/g, (number) =>
        name('phone', number, (count) => replaceLastDigit('5511977776660', count)),
      )
      .replace(/https:\/\/127\.0\.0\.1:\d+\/pp\/(small\/)?\d+\.jpg/g, 'https://pps.example.net/7.jpg')
      .replace(/http:\/\/127\.0\.0\.1:\d+\/media\?file=.*/g, 'https://gateway.example.com/media?file=AWs…')
      .replace(/http:\/\/127\.0\.0\.1:\d+\/hook/g, story.webhook.url)
      .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'https://gateway.example.com')
      .replace(/^Owner$/, story.connected.profileName)
  const rewriteValue = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return rewriteText(value)
    if (typeof value === 'number')
      return value > 1_700_000_000_000 ? NOW_MS : measured.includes(key) ? 7 : value
    if (Array.isArray(value))
      return value.slice(0, isList(value) ? LIST_SHOWN : undefined).map((one) => rewriteValue(one))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([field, inner]) => [rewriteText(field), rewriteValue(inner, field)]),
    )
  }
  const shown = rewriteValue(response.body)
  return JSON.stringify(shown).length > MAX_CHARACTERS ? undefined : shown
}

/** Of records: words are shown all. */
const isList = ([first]: unknown[]): boolean => typeof first === 'object'

/** There while a device is being linked, if the network was quick. */
const byChance = ['pairing']

/** What two answers to the same request have in common: the status, and which fields there are, each of which kind. */
export function describeShape(status: number | undefined, value: unknown): unknown {
  const describeKind = (one: unknown) => (Array.isArray(one) ? 'array' : one === null ? 'null' : typeof one)
  if (describeKind(value) !== 'object') return [status, describeKind(value)]
  const fields = Object.entries(value as object).filter(([name]) => !byChance.includes(name))
  return [status, Object.fromEntries(fields.map(([name, inner]) => [name, describeKind(inner)]))]
}

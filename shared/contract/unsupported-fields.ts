// Fields of the API family that we know and do not support. They are refused by name and never ignored.

/** Only a text has the others. */
const LARGE_PREVIEW = 'linkPreviewLarge'
const previews = ['linkPreviewTitle', 'linkPreviewDescription', 'linkPreviewImage', LARGE_PREVIEW]
/** Of records, of the API family, and misspelt: a request names the time `sendAt`, and without that the message would go at once. */
const times = ['scheduledFor', 'scheduled_for', 'schedule', 'scheduleAt', 'sendat', 'send_at']
/** Only files can be shown once. */
const sends = [...previews, 'viewOnce', ...times]
/** The fields by kind of request. */
export const unsupportedFields = {
  send: sends,
  sendText: [LARGE_PREVIEW, 'viewOnce', ...times],
  sendMedia: [...previews, 'thumbnail', ...times],
  /** Each file has its own words. */
  sendAlbum: [...sends, 'async', 'sendAt', 'thumbnail', 'text', 'caption'],
  sendStatus: ['thumbnail', 'mentions', 'replyid', 'viewOnce', ...times],
  download: ['transcribe', 'download_quoted', 'openai_apikey'],
} as const satisfies Record<string, readonly string[]>

/** The first of `names` that has a value in `body` other than `null`, `""` or `false`. */
export function findUnsupportedField(body: unknown, names: readonly string[]): string | undefined {
  if (names.length === 0 || typeof body !== 'object' || body === null || Array.isArray(body)) return undefined
  const fields = body as Record<string, unknown>
  return names.find(
    (name) => Object.hasOwn(fields, name) && ![null, '', false].includes(fields[name] as null),
  )
}

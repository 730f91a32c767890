// Fields of the API family that we know and do not support. They are refused by name and never ignored.

/** Only a text has the others. */
const LARGE_PREVIEW = 'linkPreviewLarge'
const previews = ['linkPreviewTitle', 'linkPreviewDescription', 'linkPreviewImage', LARGE_PREVIEW]
/** Of records: a request names it `sendAt`, and without that the message would go at once. */
const SCHEDULED = 'scheduledFor'
/** Only files can be shown once. */
const sends = [...previews, 'viewOnce', SCHEDULED]
/** The fields by kind of request. */
export const unsupportedFields = {
  send: sends,
  sendText: [LARGE_PREVIEW, 'viewOnce', SCHEDULED],
  sendMedia: [...previews, 'thumbnail', SCHEDULED],
  /** Each file has its own words. */
  sendAlbum: [...sends, 'async', 'sendAt', 'thumbnail', 'text', 'caption'],
  sendStatus: ['thumbnail', 'mentions', 'replyid', 'viewOnce', SCHEDULED],
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

// What samples of kinds of messages have in common.

export interface KindSample {
  fields: unknown
  /** Undefined for a kind of the protocol, which makes no record. */
  record?: {
    type: string
    text: string
    content: Record<string, unknown>
    messageType?: string
    sealed?: boolean
    mediaType?: string
    reaction?: string
    target?: string
    truncated?: boolean
  }
}

export const TARGET = { remoteJid: '5511900000001@s.whatsapp.net', fromMe: false, id: 'TARGET' }
export const BYTES = 'AAECAwQFBgcICQoLDA0ODw=='
export const AT = 1_790_000_000
export const hello = { conversation: 'Hello' }
export const sealed = { targetMessageKey: TARGET, encPayload: BYTES, encIv: BYTES }
export const file = {
  url: 'https://mmg.whatsapp.net/f',
  mimetype: 'image/jpeg',
  fileLength: 5,
  mediaKey: BYTES,
}
export const fileContent = { mimetype: 'image/jpeg', fileLength: 5, URL: file.url }

export const nothing: KindSample = { fields: {} }
export const wrap = (wrapper: string, message: object = hello): KindSample => ({
  fields: { message },
  record: { type: 'text', text: 'Hello', messageType: 'conversation', content: { text: 'Hello', wrapper } },
})
/** A wrapper of which a reader need not know. */
export const cover = (message: object = hello): KindSample => ({
  fields: { message },
  record: { type: 'text', text: 'Hello', messageType: 'conversation', content: { text: 'Hello' } },
})
export const options = [{ optionName: 'Today' }, { optionName: 'Tomorrow' }]
export const poll = { name: 'When?', options, selectableOptionsCount: 1 }
export const pollRecord = {
  type: 'poll',
  text: 'When?',
  content: { choices: ['Today', 'Tomorrow'], selectableCount: 1 },
}
export const results = { name: 'When?', pollVotes: [{ optionName: 'Today', optionVoteCount: 3 }] }
export const resultsRecord = {
  type: 'other',
  text: 'When?',
  content: { results: [{ choice: 'Today', votes: 3 }] },
}
export const media = (mediaType: string, more: object = {}) => ({
  type: 'media',
  mediaType,
  text: '',
  content: { ...fileContent, ...more },
})

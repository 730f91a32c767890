// Apart from fetch-preview.ts, because it reads text alone: the encoding that the bytes of a web page, its server or the page itself names.

const BYTE_ORDER_MARKS: [string, number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16be', [0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
]
/** Where browsers look for it, in bytes. */
const HEAD_BYTES = 1024
const CHARSET = /charset\s*=\s*["']?\s*([\w-]{1,40})/i

export function decodePage(bytes: Uint8Array, contentType: string): string {
  const marked = BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES))
  const [, named] = CHARSET.exec(contentType) ?? CHARSET.exec(head) ?? []
  return createDecoder(marked?.[0] ?? named ?? 'utf-8').decode(bytes)
}

function createDecoder(name: string) {
  try {
    return new TextDecoder(name)
  } catch {
    // Not a name that browsers know.
    return new TextDecoder()
  }
}

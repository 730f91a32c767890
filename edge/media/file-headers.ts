// Headers under which a file of a message is served. Type and name are its sender's words, and the origin is ours.

const UNKNOWN_TYPE = 'application/octet-stream'
const TOKEN = '[a-z0-9!#$&^_.+-]{1,100}'
/** What a browser shows and never runs. Formats in XML, such as SVG, can hold scripts. */
const PASSIVE_TYPE = new RegExp(`^(?:application/pdf|(?:image|audio|video)/(?!svg|xml|[^;]*\\+xml)${TOKEN})$`)
/** As in `audio/ogg; codecs=opus`. */
const PARAMETER = /^\s*[a-z0-9_-]{1,40}=(?:[\w.+-]{1,80}|"[\w.,+ -]{1,80}")\s*$/i

/** Any other type, also one that is only almost such, is one that browsers save. */
export function chooseServedType(mimetype: string): string {
  const [type = '', ...parameters] = mimetype.split(';')
  const plain = type.trim().toLowerCase()
  if (!PASSIVE_TYPE.test(plain)) return UNKNOWN_TYPE
  return [plain, ...parameters.filter((one) => PARAMETER.test(one)).map((one) => one.trim())].join('; ')
}

/** Control characters, line separators, and marks that change the direction of text, so that `fdp.exe` reads as `exe.pdf`. */
const UNSEEN = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu
const MAX_NAME = 180
const ENDING = /\.[a-z0-9]{1,10}$/i

/** A name in one folder, which shows what it is. Empty if nothing is left. */
export function cleanName(fileName: string): string {
  const name = fileName.toWellFormed().replace(UNSEEN, '').replace(/[/\\]/g, '_').trim()
  const [ending = ''] = ENDING.exec(name) ?? []
  const stem = [...name.slice(0, name.length - ending.length)]
  return stem.slice(0, MAX_NAME).join('') + ending
}

/** RFC 6266: `filename` is for programs that do not read `filename*`. */
function formatDisposition(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** `id`: the name of a file without one. */
export const buildFileHeaders = ({
  mimetype,
  fileName,
  id,
}: {
  mimetype: string
  fileName: string
  id: string
}) => ({
  'content-type': chooseServedType(mimetype),
  // It must be saved and never run.
  'content-disposition': formatDisposition(cleanName(fileName) || id),
  'content-security-policy': "default-src 'none'; sandbox",
  // A customer's own page may show a picture by its link. Whoever has the link can read the file anyway.
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'private, no-store',
})

// Words of languages that are written without spaces, and emoji, as the index of messages finds them: each sign of theirs is a word by itself, and
// what is typed of them is a phrase. The index alone takes all up to the next space for one word, and leaves emoji out.

type Ranges = readonly (readonly [first: number, last: number])[]

const UNSPACED: Ranges = [
  // Thai and Lao, Burmese, Khmer.
  [0xe00, 0xeff],
  [0x1000, 0x109f],
  [0x1780, 0x17ff],
  // Kana, and Chinese characters.
  [0x3005, 0x3007],
  [0x3040, 0x30ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xf900, 0xfaff],
  [0xff66, 0xff9f],
  [0x2_0000, 0x3_23af],
]
const EMOJI: Ranges = [
  [0x2300, 0x23ff],
  [0x2600, 0x27bf],
  [0x2b00, 0x2bff],
  [0x1_f000, 0x1_faff],
]
/** Asks for the coloured form of the sign before it, and would be a part of the next word. */
const VARIANT = 0xfe0f

const toClass = (ranges: Ranges): string =>
  ranges.map((range) => range.map((code) => String.fromCodePoint(code)).join('-')).join('')

const [unspaced, emoji, variant] = [toClass(UNSPACED), toClass(EMOJI), String.fromCodePoint(VARIANT)]
const SIGNS = new RegExp(`[${unspaced}${emoji}${variant}]`, 'gu')
const AN_EMOJI = new RegExp(`[${emoji}]`, 'u')

export const hasEmoji = (text: string): boolean => AN_EMOJI.test(text)

/** `text` with spaces around each of those signs, and emoji as words that the index has. The same as `buildSeparation` does in SQL. */
export const separateSigns = (text: string): string =>
  text.replace(SIGNS, (sign) => {
    if (sign === variant) return ''
    return AN_EMOJI.test(sign) ? ` e${sign.codePointAt(0)?.toString(16)} ` : ` ${sign} `
  })

/** What follows in a longer text stays as it is: each sign takes a few microseconds, during which all sessions wait. */
const MAX_SEPARATED = 1024
/** Signs of one piece: a text is taken apart in two steps, because each sign that is taken off copies what is left. */
const PIECE = 64
const SEPARATED = `CASE
  WHEN rest GLOB '[${unspaced}]*' THEN ' ' || substr(rest, 1, 1) || ' '
  WHEN rest GLOB '[${emoji}]*' THEN printf(' e%x ', unicode(rest))
  WHEN unicode(rest) = ${VARIANT} THEN ''
  ELSE substr(rest, 1, 1) END`

/** An expression for the text of the expression `text`, in which a value has no NUL. */
export const buildSeparation = (text: string): string =>
  `iif(${text} GLOB '*[${unspaced}${emoji}${variant}]*', (
    WITH RECURSIVE pieces (n, piece, later) AS (
      SELECT 0, '', substr(${text}, 1, ${MAX_SEPARATED})
      UNION ALL SELECT n + 1, substr(later, 1, ${PIECE}), substr(later, ${PIECE} + 1) FROM pieces WHERE later <> ''
    ), signs (n, done, rest) AS (
      SELECT n, '', piece FROM pieces
      UNION ALL SELECT n, done || ${SEPARATED}, substr(rest, 2) FROM signs WHERE rest <> ''
    ) SELECT group_concat(done, '') || substr(${text}, ${MAX_SEPARATED} + 1)
      FROM (SELECT done FROM signs WHERE rest = '' ORDER BY n)
  ), ${text})`

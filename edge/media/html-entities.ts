// Apart from page-words.ts, because it knows no page: the characters that HTML writes by number or by name, of the names those of Western Europe.

/** From 160 to 255. */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
const NAMED = new Map([
  ...LATIN.split(' ').map((name, index): [string, string] => [name, String.fromCharCode(160 + index)]),
  ...Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", euro: '€', trade: '™', hellip: '…' }),
  ...Object.entries({ ndash: '–', mdash: '—', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', bull: '•' }),
])
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]\w{1,9}));/gi
const LAST_CODE_POINT = 0x10_ff_ff

/** A name that is not known stays as it is written. */
export const decodeEntities = (text: string): string =>
  text.replace(ENTITY, (written, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name) ?? written
    return toCharacter(decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal))
  })

function toCharacter(code: number): string {
  // Browsers read these numbers as the older encoding has them.
  if (code >= 128 && code < 160) return new TextDecoder('windows-1252').decode(Uint8Array.of(code))
  const isCharacter = code > 0 && code <= LAST_CODE_POINT && !(code >= 0xd8_00 && code < 0xe0_00)
  return isCharacter ? String.fromCodePoint(code) : '\ufffd'
}

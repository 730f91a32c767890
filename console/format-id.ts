// Formats ids for people: a number as it is written, with its country code apart; another id as it is.

/** Those of one and two digits; the others have three. */
const COUNTRY_CODE = /^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d*)$/

export function formatId(id: string): string {
  const [name = '', server] = id.split('@')
  return server === 's.msgnet.net' ? formatPhone(name) : id
}

/** +49 151 234 567 89 */
export function formatPhone(digits: string): string {
  const [, code = '', rest = digits] = COUNTRY_CODE.exec(digits) ?? []
  const grouped =
    code === '55'
      ? rest.replace(/^(\d\d)(\d{4,5})(\d{4})$/, '$1 $2-$3')
      : code === '1'
        ? rest.replace(/^(\d{3})(\d{3})(\d{4})$/, '$1 $2-$3')
        : rest.replace(/\d{3}(?=\d{2})/g, '$& ')
  return `+${code} ${grouped}`
}

// Apart from send-message.ts, because it is a format of its own: the card of a contact that phones exchange.

interface Contact {
  fullName: string
  /** Digits; several numbers are separated by commas. */
  phoneNumber: string
  organization: string
  email: string
  url: string
}

/** vCard 3.0 (RFC 2426). */
export function formatVcard({ fullName, phoneNumber, organization, email, url }: Contact): string {
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${escapeText(fullName)};;;`,
    `FN:${escapeText(fullName)}`,
    ...(organization ? [`ORG:${escapeText(organization)}`] : []),
    // `waid` lets the phone find the account behind the number.
    ...phoneNumber.split(',').map((phone) => `TEL;type=CELL;type=VOICE;waid=${phone}:+${phone}`),
    ...(email ? [`EMAIL:${escapeText(email)}`] : []),
    ...(url ? [`URL:${escapeText(url)}`] : []),
    'END:VCARD',
  ].join('\n')
}

const escapeText = (text: string) => text.replace(/[\\,;]/g, '\\$&').replace(/\r\n|[\r\n]/g, '\\n')

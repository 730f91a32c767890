// Checks by the URL alone where a webhook may go. The address of a name is checked again at the connection.

import { explainNonPublic } from './addresses.ts'
import { limits } from './contract/limits.ts'

export type Destination =
  /** `privateOutbound`: on the operator's allowlist, reached through the outbound that may use private addresses. */
  | { allowed: true; url: string; privateOutbound: boolean }
  | {
      allowed: false
      /** Continues a sentence that begins with the name of the field. */
      why: string
    }

/** The variable has the same name for webhooks and for files that a caller's URL names. */
const UNLESS_ALLOWED = 'unless the operator lists its host and port in WEBHOOK_ALLOWLIST'

const refuse = (why: string): Destination => ({ allowed: false, why })

/**
 * `allowlist`: `host:port`, comma-separated. Returns the URL normalised and without its fragment, which is never sent;
 * two spellings of one URL give the same result.
 */
export function checkDestination(text: string, allowlist: string): Destination {
  if (text.length > limits.maxWebhookUrlLength)
    return refuse(`must have at most ${limits.maxWebhookUrlLength} characters`)
  // The URL parser drops these silently, so the URL that is called would differ from the text.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  if (/[\u0000-\u0020\u007f\\]/.test(text))
    return refuse('must have no blanks, control characters or backslashes')
  const url = URL.parse(text)
  if (!url || !/^https?:\/\/[^/]/i.test(text)) return refuse('must be an absolute https:// URL')
  if (url.username || url.password || parseAuthority(text).includes('@'))
    return refuse('must have no credentials')
  url.hash = ''
  if (url.href.length > limits.maxWebhookUrlLength)
    return refuse(`must have at most ${limits.maxWebhookUrlLength} characters once it is encoded`)

  const secure = url.protocol === 'https:'
  const port = Number(url.port || (secure ? 443 : 80))
  if (isAllowlisted(allowlist, url.hostname, port))
    return { allowed: true, url: url.href, privateOutbound: true }
  if (!secure) return refuse(`must be https, ${UNLESS_ALLOWED}`)
  if (port !== 443 && port <= 1023) return refuse('must have port 443 or one above 1023')
  const why = explainNonPublic(url.hostname)
  return why
    ? refuse(`must be on the public internet, ${UNLESS_ALLOWED}: ${why}`)
    : { allowed: true, url: url.href, privateOutbound: false }
}

const parseAuthority = (text: string) => text.split('/', 3)[2]?.split(/[?#]/, 1)[0] ?? ''

function isAllowlisted(allowlist: string, hostname: string, port: number): boolean {
  return allowlist.split(',').some((entry) => {
    const [, host, listedPort] = /^(.+):(\d+)$/.exec(entry.trim()) ?? []
    return Number(listedPort) === port && URL.parse(`http://${host}`)?.hostname === hostname
  })
}

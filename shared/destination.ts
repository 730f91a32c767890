// Checks by the URL alone where a webhook may go. The address of a name is checked again at the connection.

import { whyNotPublic } from './addresses.ts'
import { limits } from './contract/version.ts'

export type Destination =
  /** `privateOutbound`: on the operator's allowlist, reached through the outbound that may use private addresses. */
  | { allowed: true; url: string; privateOutbound: boolean }
  | {
      allowed: false
      /** Continues a sentence that begins with the name of the field. */
      why: string
    }

const no = (why: string): Destination => ({ allowed: false, why })

/**
 * `allowlist`: `host:port`, comma-separated. Returns the URL normalised and without its fragment, which is never sent;
 * two spellings of one URL give the same result.
 */
export function judgeDestination(given: string, allowlist: string): Destination {
  if (given.length > limits.webhookUrlLength)
    return no(`must have at most ${limits.webhookUrlLength} characters`)
  // The URL parser drops these silently, so the URL that is called would differ from the text.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  if (/[\u0000-\u0020\u007f\\]/.test(given))
    return no('must have no blanks, control characters or backslashes')
  const url = URL.parse(given)
  if (!url || !/^https?:\/\/[^/]/i.test(given)) return no('must be an absolute https:// URL')
  if (url.username || url.password || authority(given).includes('@')) return no('must have no credentials')
  url.hash = ''
  if (url.href.length > limits.webhookUrlLength)
    return no(`must have at most ${limits.webhookUrlLength} characters once it is encoded`)

  const secure = url.protocol === 'https:'
  const port = Number(url.port || (secure ? 443 : 80))
  if (isListed(allowlist, url.hostname, port)) return { allowed: true, url: url.href, privateOutbound: true }
  if (!secure) return no('must be https')
  if (port !== 443 && port <= 1023) return no('must have port 443 or one above 1023')
  const why = whyNotPublic(url.hostname)
  return why
    ? no(`must be on the public internet: ${why}`)
    : { allowed: true, url: url.href, privateOutbound: false }
}

const authority = (given: string) => given.split('/', 3)[2]?.split(/[?#]/, 1)[0] ?? ''

function isListed(allowlist: string, hostname: string, port: number): boolean {
  return allowlist.split(',').some((entry) => {
    const [, host, listedPort] = /^(.+):(\d+)$/.exec(entry.trim()) ?? []
    return Number(listedPort) === port && URL.parse(`http://${host}`)?.hostname === hostname
  })
}

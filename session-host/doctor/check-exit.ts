// Checks a proxy: whether it connects us, and which address the world sees behind it.

import { ProxyAgent } from '../driver/tunnel/tunnel-agent.ts'
import { type Finding, fail, ok, warn } from './doctor-finding.ts'
import { describeFailure, type Fetched, fetchText } from './fetch-text.ts'

/** `echo`: a page that says the caller's address, alone or as `ip=…` among other lines. */
export async function checkExit(proxy: string, echo: string, local: boolean): Promise<Finding> {
  const secure = echo.startsWith('https:') ? 'https:' : 'http:'
  const agent = new ProxyAgent(proxy, secure, { local })
  try {
    const seen = readAddress(await fetchText(echo, { agent }))
    const own = await fetchText(echo).then(readAddress, () => '')
    if (seen === '')
      return warn('proxy', 'it connects; the page says no address', `Name another page: --echo (${echo})`)
    if (seen === own)
      return warn(
        'proxy',
        `it leaves by our own address, ${seen}`,
        'The network sees this machine: is that meant?',
      )
    return ok('proxy', `leaves by ${seen}${own && `; without it ${own}`}`)
  } catch (error) {
    return fail(
      'proxy',
      `it does not connect: ${describeFailure(error)}`,
      'Instances with this proxy stay disconnected: none goes past it.',
    )
  } finally {
    agent.destroy()
  }
}

function readAddress({ text }: Fetched): string {
  const [, address = text.trim()] = /^ip=(\S+)$/m.exec(text) ?? []
  return /^[\da-fA-F.:]{3,45}$/.test(address) ? address : ''
}

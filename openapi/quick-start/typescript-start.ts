// The quick start in TypeScript, for Node without packages.

import { customer, shop } from '@msgnet/shared/api/sample-values.ts'
import { verificationSamples } from '@msgnet/shared/verification-samples.ts'
import { SAMPLE_ORIGIN } from '../sample-origin.ts'
import type { Steps } from './start-steps.ts'

export const typescriptSteps: Steps = {
  prepare: `import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"

const origin = '${SAMPLE_ORIGIN}'
const admin = { admintoken: readFileSync('.data/admin-token', 'utf8').trim() }

async function call(method: string, path: string, headers: Record<string, string>, body?: object) {
  const response = await fetch(origin + path, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    body: body ? JSON.stringify(body) : null,
  })
  if (!response.ok) throw new Error(\`\${path}: \${response.status} \${await response.text()}\`)
  return response.json()
}

const wait = () => new Promise((resolve) => setTimeout(resolve, 1000))
`,
  create: `const made = await call('POST', '/instance/init', admin, { name: 'Shop' })
const auth = { token: made.instance.token }
`,
  connect: `const shown = await call('POST', '/instance/connect', auth)
const qr = shown.pairing.qr
`,
  scan: `const simulation = '/console/laboratory'
await call('POST', \`\${simulation}/sim/phones\`, admin, { number: '${shop}', name: 'The Shop' })
await call('POST', \`\${simulation}/sim/phones\`, admin, { number: '${customer}', name: 'Bruno' })
await call('POST', \`\${simulation}/sim/phones/${shop}/scan\`, admin, { qr })
while ((await call('GET', '/instance/status', auth)).instance.status !== 'connected') await wait()
`,
  webhook: `const { url } = await call('GET', \`\${simulation}/receiver\`, admin)
const secret = \`whsec_\${randomBytes(32).toString('base64')}\`
await call('POST', '/webhook', auth, { url, events: 'all', secret })
console.log(await call('POST', '/webhook/test', auth))
`,
  verify: `${verificationSamples.TypeScript}
const last = await call('GET', \`\${simulation}/receiver/test\`, admin)
const body = Buffer.from(last.body, 'base64')
if (!isGenuine(secret, last.headers, body)) throw new Error('The delivery is not genuine.')
console.log('genuine:', JSON.parse(body.toString()))
`,
  send: `const sent = await call(
  'POST',
  '/send/text',
  { ...auth, 'idempotency-key': 'order-7' },
  { number: '${customer}', text: 'Your order 7 is on its way.' },
)
console.log(sent.messageid, sent.status)
`,
  receive: `await call('POST', \`\${simulation}/sim/messages\`, admin, { from: '${customer}', to: '${shop}', text: 'Thank you!' })
const listDelivered = () => call('GET', '/v1/events?status=delivered', auth)
while (!JSON.stringify(await listDelivered()).includes('Thank you!')) await wait()
console.log(await call('POST', '/chat/find', auth))
`,
}

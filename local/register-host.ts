// `npm run host:register`: asks a running edge for a host's token and writes it into the environment file of that host.

import { readFileSync } from 'node:fs'
import { parseArgs, parseEnv } from 'node:util'
import { writeSecret } from './keys/secret-file.ts'

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: '/etc/msgnet' },
    region: { type: 'string', default: 'local' },
    slots: { type: 'string', default: '200' },
  },
})
const hostFile = `${values.folder}/host.env`
const read = (file: string) => parseEnv(readFileSync(file, 'utf8'))
const edgeUrl = process.env.EDGE_URL ?? read(hostFile).EDGE_URL ?? ''
const adminToken = process.env.ADMIN_TOKEN ?? read(`${values.folder}/edge.env`).ADMIN_TOKEN ?? ''
const text = readFileSync(hostFile, 'utf8').trimEnd()
if (read(hostFile).HOST_TOKEN) {
  console.error(`${hostFile} has a HOST_TOKEN already: nothing was changed.`)
  process.exit(1)
}

const answer = await fetch(`${edgeUrl}/v1/hosts`, {
  method: 'POST',
  headers: { admintoken: adminToken, 'content-type': 'application/json' },
  body: JSON.stringify({ region: values.region, slots: Number(values.slots) }),
})
const { host, token, message } = (await answer.json()) as {
  host?: { id: string }
  token?: string
  message?: string
}
if (!host || !token) {
  console.error(`The edge refused to register a host (${answer.status}): ${message}`)
  process.exit(1)
}
writeSecret(hostFile, `${text}\nHOST_TOKEN=${token}`)
console.log(`Host ${host.id} is registered in region ${values.region}; its token is in ${hostFile}.`)

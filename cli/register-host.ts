// `npm run host:register`: asks a running edge for a host's token and writes it into the environment file of that host.

import { readFileSync } from 'node:fs'
import { parseArgs, parseEnv } from 'node:util'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { writeSecret } from './keys/secret-file.ts'

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new OperatorError(
      `${file} cannot be read (${(error as NodeJS.ErrnoException).code}): npm run setup writes it.`,
    )
  }
}

function writeEnvironment(file: string, text: string): void {
  try {
    writeSecret(file, text)
  } catch (error) {
    throw new OperatorError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`)
  }
}

async function registerWithEdge(): Promise<void> {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string', default: '/etc/msgnet' },
      region: { type: 'string', default: 'local' },
      slots: { type: 'string', default: '200' },
    },
  })
  const hostFile = `${values.folder}/host.env`
  const text = readText(hostFile).trimEnd()
  const { HOST_TOKEN, EDGE_URL } = parseEnv(text)
  if (HOST_TOKEN) throw new OperatorError(`${hostFile} has a HOST_TOKEN already: nothing was changed.`)
  const edgeUrl = process.env.EDGE_URL ?? EDGE_URL ?? ''
  const adminToken =
    process.env.ADMIN_TOKEN ?? parseEnv(readText(`${values.folder}/edge.env`)).ADMIN_TOKEN ?? ''

  // The token is shown once, so the file that takes it must be one that can be written.
  writeEnvironment(hostFile, text)
  const response = await fetch(`${edgeUrl}/v1/hosts`, {
    method: 'POST',
    headers: { admintoken: adminToken, 'content-type': 'application/json' },
    body: JSON.stringify({ region: values.region, slots: Number(values.slots) }),
  }).catch(() => {
    throw new OperatorError(`The edge does not respond at ${edgeUrl}: start it first.`)
  })
  const body = (await response.json().catch(() => {
    throw new OperatorError(
      `The server at ${edgeUrl} is not an edge: it responded with ${response.status}, and not in JSON.`,
    )
  })) as { host?: { id: string }; token?: string; message?: string } | null
  const { host, token, message } = body ?? {}
  if (!host || !token) {
    const why = message === undefined ? '.' : `: ${message}`
    throw new OperatorError(`The edge refused to register a host (${response.status})${why}`)
  }
  writeEnvironment(hostFile, `${text}\nHOST_TOKEN=${token}`)
  console.log(`Host ${host.id} is registered in region ${values.region}; its token is in ${hostFile}.`)
}

await runCommand(registerWithEdge)

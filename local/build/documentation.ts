// Writes the API's description, made from the schemas, beside the bundle, so that the edge only serves text.
// Also a command that `wrangler deploy` runs before it bundles the edge.

import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openapiDocument } from '../../documentation/document.ts'
import { SAMPLE_ORIGIN } from '../../documentation/origin.ts'
import { documentationPage } from '../../documentation/page/page.ts'
import { routeTools } from '../../documentation/tools.ts'

const folder = join(import.meta.dirname, '..', '..', '.build')

export function writeDocumentation(): void {
  const document = openapiDocument()
  const page = documentationPage(document)
  const exported = {
    openapi: JSON.stringify(document),
    tools: JSON.stringify(routeTools()),
    page: page.html,
    policy: policyOf(page),
    sampleOrigin: SAMPLE_ORIGIN,
  }
  mkdirSync(folder, { recursive: true })
  // Tests run several starts at the same time: each writes its own file and renames it into place.
  const draft = join(folder, `documentation.js.${process.pid}`)
  const lines = Object.entries(exported).map(
    ([name, text]) => `export const ${name} = ${JSON.stringify(text)}\n`,
  )
  writeFileSync(draft, lines.join(''))
  renameSync(draft, join(folder, 'documentation.js'))
}

function policyOf({ style, script }: { style: string; script: string }): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  return [
    "default-src 'none'",
    `style-src ${hash(style)}`,
    `script-src ${hash(script)}`,
    // Requests that a reader tries on the page may only go to the server of the page.
    "connect-src 'self'",
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join('; ')
}

if (import.meta.main) writeDocumentation()

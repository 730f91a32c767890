// Writes the API's description, made from the schemas, as a module, so that the edge only serves text.

import { createHash } from 'node:crypto'
import { openapiDocument } from '../../openapi/document.ts'
import { SAMPLE_ORIGIN } from '../../openapi/origin.ts'
import { documentationPage } from '../../openapi/page/page.ts'
import { routeTools } from '../../openapi/tools.ts'
import { writeModule } from './write-module.ts'

/** `mark`: a comment that becomes the module's first line. */
export function writeDocumentation(file: string, mark: string): void {
  const document = openapiDocument()
  const page = documentationPage(document)
  writeModule(file, mark, {
    openapi: JSON.stringify(document),
    tools: JSON.stringify(routeTools()),
    page: page.html,
    policy: policyOf(page),
    sampleOrigin: SAMPLE_ORIGIN,
  })
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

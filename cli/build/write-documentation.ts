// Writes the API's description, made from the schemas, as a module of text for the edge. Apart from page-modules.ts, because
// loading the schemas is slow and most starts do not need them.

import { createHash } from 'node:crypto'
import { buildOpenapiDocument } from '@msgnet/openapi/document.ts'
import { renderDocumentationPage } from '@msgnet/openapi/page/documentation-page.ts'
import { listRouteTools } from '@msgnet/openapi/route-tools.ts'
import { SAMPLE_ORIGIN } from '@msgnet/openapi/sample-origin.ts'
import { bundlePageScript } from './bundle-page-script.ts'
import { writeModule } from './write-module.ts'

/** `mark`: a comment that becomes the module's first line. */
export async function writeDocumentation(file: string, mark: string): Promise<void> {
  const document = buildOpenapiDocument()
  const page = renderDocumentationPage(document, await bundlePageScript())
  writeModule(file, mark, {
    openapi: JSON.stringify(document),
    tools: JSON.stringify(listRouteTools()),
    page: page.html,
    policy: buildPolicy(page),
    sampleOrigin: SAMPLE_ORIGIN,
  })
}

function buildPolicy({ style, script }: { style: string; script: string }): string {
  const hashSource = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  return [
    "default-src 'none'",
    `style-src ${hashSource(style)}`,
    `script-src ${hashSource(script)}`,
    // Requests that a reader tries on the page may only go to the server of the page.
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

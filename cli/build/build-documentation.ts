// Makes the API's description from the schemas, as files for the edge. Apart from page-files.ts, because
// loading the schemas is slow and most starts do not need them.

import { createHash } from 'node:crypto'
import { toUazapiDocument } from '@msgnet/edge/uazapi/uazapi-document.ts'
import { buildOpenapiDocument } from '@msgnet/openapi/document.ts'
import { renderDocumentationPage } from '@msgnet/openapi/page/documentation-page.ts'
import { listRouteTools } from '@msgnet/openapi/route-tools.ts'
import { SAMPLE_ORIGIN } from '@msgnet/openapi/sample-origin.ts'
import type { BuiltDocs } from '@msgnet/shared/api/built-docs.ts'
import { bundlePageScript } from './bundle-page-script.ts'

export async function buildDocumentation(): Promise<Record<string, string>> {
  const document = buildOpenapiDocument()
  const page = renderDocumentationPage(document, await bundlePageScript())
  const docs: BuiltDocs = { html: page.html, policy: buildPolicy(page), sampleOrigin: SAMPLE_ORIGIN }
  return {
    'openapi.json': JSON.stringify(document),
    'openapi.uazapi.json': JSON.stringify(toUazapiDocument(document)),
    'tools.json': JSON.stringify(listRouteTools()),
    'docs.json': JSON.stringify(docs),
  }
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

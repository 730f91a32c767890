// Apart from build-documentation.ts, because it needs the bundler only: bundles the script of the documentation page.

import { join } from 'node:path'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { build } from 'esbuild'
import { projectRoot } from './root.ts'

export async function bundlePageScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(projectRoot, 'openapi', 'page', 'browser', 'start-page.ts')],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2023',
    charset: 'utf8',
    logLevel: 'silent',
  })
  const [script] = outputFiles
  if (!script) throw new OperatorError('The script of the documentation page was not built.')
  // Inside a page an end tag ends the script, wherever it stands.
  return script.text.trim().replaceAll('</script', '<\\/script')
}

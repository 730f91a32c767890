// The generated files of the clients in other languages, by their path in the project.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../root.ts'
import { buildClientModel } from './client-model.ts'
import { buildGoCode } from './go-code.ts'
import { buildN8nCode } from './n8n-code.ts'
import { buildPhpCode } from './php-code.ts'
import { buildPythonCode } from './python-code.ts'

export function generateClientFiles(): Record<string, string> {
  const model = buildClientModel()
  const license = readFileSync(join(projectRoot, 'LICENSE'), 'utf8')
  const packages = {
    python: buildPythonCode(model),
    go: buildGoCode(model),
    php: buildPhpCode(model),
    'n8n-nodes-msgnet': buildN8nCode(model),
  }
  return Object.fromEntries(
    Object.entries(packages).flatMap(([language, files]) =>
      Object.entries({ ...files, LICENSE: license }).map(([path, text]) => [
        `clients/${language}/${path}`,
        text,
      ]),
    ),
  )
}

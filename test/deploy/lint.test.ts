// What is deployed as containers satisfies the linters of its languages; compose.yaml the published schema too.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { expect, onTestFinished, test } from 'vitest'

/** The output of the linter; empty when it found nothing. */
const runLint = (bin: string, ...args: string[]): Promise<string> =>
  promisify(execFile)(process.execPath, [join(projectRoot, 'node_modules', bin), ...args]).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => `${stdout}${stderr}`,
  )

const lintImage = (file: string) => runLint('dockerfile-utils/bin/dockerfile-utils', 'lint', file)

const lintCompose = async (file: string): Promise<string[]> => {
  const settings = ['--config', join(import.meta.dirname, 'dclint.json'), '--formatter', 'json']
  const found = JSON.parse(await runLint('dclint/bin/dclint.cjs', ...settings, file)) as {
    messages: { rule: string; message: string; line: number }[]
  }[]
  return found.flatMap(({ messages }) =>
    messages.map(({ rule, line, message }) => `${line}: ${rule}: ${message}`),
  )
}

const writeFile = (name: string, text: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'lint-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

test('the linter accepts our Dockerfile, and finds the faults of a wrong one', async () => {
  const wrong = writeFile('Dockerfile', 'FROM node\nENTRYPOINT ["a"]\nENTRYPOINT ["b"]\nEXPOSE many\n')
  expect(await lintImage(wrong)).toMatch(/only be one ENTRYPOINT[\s\S]*Invalid containerPort/)
  expect(await lintImage(join(projectRoot, 'deploy', 'Dockerfile'))).toBe('')
})

test('the schema and the linter accept our compose files', async () => {
  const wrong = writeFile('compose.yaml', 'services:\n  one:\n    image: a:1\n    comand: [b]\n')
  expect(await lintCompose(wrong)).toEqual([expect.stringContaining('invalid-schema')])
  for (const name of ['compose.yaml', 'one-container.yaml'])
    expect(await lintCompose(join(projectRoot, 'deploy', name))).toEqual([])
  // A platform names the project itself.
  for (const name of ['coolify.yaml', 'dokploy/docker-compose.yml'])
    expect(await lintCompose(join(projectRoot, 'deploy', 'templates', name))).toEqual([
      expect.stringContaining('require-project-name-field'),
    ])
})

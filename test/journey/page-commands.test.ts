// The curl commands of the pages, block by block in a shell, as they stand there. Those of by-hand.md and one-server.md have tests of their own.

import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { afterAll, expect, test } from 'vitest'
import { createDevice } from '../device.ts'
import { borrowScene } from '../scene.ts'

const { world, device } = await borrowScene({ DIALECTS: 'uazapi,evolution,cloud' })
const folder = mkdtempSync(join(tmpdir(), 'page-commands-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A command that is refused fails its block, with what it printed; a `grep` that finds nothing does not. */
const PREAMBLE = `set -e -o pipefail; exec >&2
curl() { command curl --silent --show-error --fail-with-body "$@"; echo; }
grep() { command grep "$@" || true; }
`
const isCommand = (line: string) => /^curl .*(\$API|\$GATEWAY|localhost:8787)/.test(line)
/** What goes on from the line before. */
const isFurther = (line: string) => /^( |#|$)/.test(line)

const blocks = ['docs/use', 'docs/run'].flatMap((place) =>
  readdirSync(join(projectRoot, place))
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => {
      const page = readFileSync(join(projectRoot, place, name), 'utf8')
      return [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => ({
        page: `${place}/${name}`,
        block,
      }))
    })
    .filter(({ block }) => {
      const lines = block.split('\n')
      return lines.some(isCommand) && lines.every((line) => isCommand(line) || isFurther(line))
    }),
)

/** Of a webhook on the page about them, elsewhere of an instance that can be linked. */
async function createId(page: string): Promise<string> {
  if (page !== 'docs/use/webhooks.md') return (await createDevice(world)).id
  const webhook = { url: 'https://receiver.example.com/hook', events: 'messages' }
  return (await device.caller.post('/v1/webhooks', webhook)).body.webhook.id
}

test('the pages have them', () => {
  const pages = new Set(blocks.map(({ page }) => page.replace(/^.*\//, '')))
  expect([...pages].sort()).toEqual([
    'administration.md',
    'dialects.md',
    'tokens.md',
    'versions.md',
    'webhooks.md',
  ])
  expect(blocks.length).toBeGreaterThan(10)
})

test.each(blocks)('$page: $block', async ({ page, block }) => {
  const variables = {
    API: world.run.baseUrl,
    GATEWAY: world.run.baseUrl,
    ADMIN: readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim(),
    TOKEN: device.token,
    ID: await createId(page),
  }
  const script = PREAMBLE + block.replaceAll('localhost:8787', new URL(world.run.baseUrl).host)
  await promisify(execFile)('bash', ['-c', script], { cwd: folder, env: { ...process.env, ...variables } })
})

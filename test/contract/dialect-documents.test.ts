// Each form of the API has its document at its prefix, made from the routes that it serves.

import { routes } from '@msgnet/shared/api/api.ts'
import { dialectNames } from '@msgnet/shared/contract/webhook-formats.ts'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import { createPlainCaller } from '../caller.ts'
import type { Seen } from '../scene.ts'
import { asDeployed } from '../world.ts'

const world = await borrowForFile({ DIALECTS: dialectNames.join() })
const prefixes: Record<(typeof dialectNames)[number], string> = {
  uazapi: '/uazapi',
  evolution: '/evolution',
  cloud: '/graph',
}
const readDocument = async (prefix: string): Promise<Seen> => {
  const { status, body } = await createPlainCaller(world.run.baseUrl, {}).get(`${prefix}/openapi.json`)
  expect([status, body.openapi]).toEqual([200, '3.1.1'])
  return body
}

test.each(Object.entries(prefixes))('the linter reports no problem of that of %s', async (_, prefix) => {
  const config = await createConfig({ extends: ['recommended'] })
  const source = JSON.stringify(await readDocument(prefix))
  const problems = await lintFromString({ source, config })
  expect(problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([])
})

test.each(Object.entries(prefixes))(
  'every operation of that of %s is served where it says',
  async (_, prefix) => {
    const document = await readDocument(prefix)
    const { href } = new URL(document.servers[0].url, `${world.run.baseUrl}${prefix}/openapi.json`)
    expect(href.replace(/\/$/, '')).toBe(world.run.baseUrl + prefix)
    const operations = Object.entries(document.paths as Seen).flatMap(([path, one]) =>
      Object.entries(one as Seen).map(([method, operation]) => ({
        path,
        method,
        operation: operation as Seen,
      })),
    )
    expect(operations.length).toBeGreaterThan(10)
    const secured = operations.filter(({ operation }) => operation.security.length > 0)
    const answers = await Promise.all(
      secured.map(async ({ path, method }) => {
        const url = href.replace(/\/$/, '') + path.replace(/\{\w+\}/g, 'a')
        const { status } = await fetch(url, { method: method.toUpperCase() })
        return [method, path, status]
      }),
    )
    expect(answers.filter(([, , status]) => status !== 401)).toEqual([])
  },
)

// The script on Cloudflare is without the words of the documentation.
test.skipIf(asDeployed)('a route of Evolution that is one of the contract has its summary', async () => {
  const { paths } = await readDocument('/evolution')
  expect(paths['/message/sendText/{instance}'].post.summary).toBe(routes.sendText.summary)
  expect(paths['/group/leaveGroup/{instance}'].delete.summary).toBe(routes.leaveGroup.summary)
})

test('a form that is not served has none', async () => {
  const other = await borrowForFile({ DIALECTS: 'uazapi,cloud', INTERACTIVE: 'on' })
  const { status } = await createPlainCaller(other.run.baseUrl, {}).get('/evolution/openapi.json')
  expect(status).toBe(404)
})

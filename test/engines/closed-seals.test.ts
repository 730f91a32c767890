// A media link whose seal does not open is refused like that of a stranger, and the log says why.

import { randomBytes } from 'node:crypto'
import { openLink, sealLink } from '@msgnet/edge/media/media-links.ts'
import { setLogWriter } from '@msgnet/edge/observability/edge-log.ts'
import { webCryptography } from '@msgnet/edge/runtime/web-cryptography.ts'
import type { Env } from '@msgnet/edge/settings/env.ts'
import { expect, onTestFinished, test } from 'vitest'

const createEnv = (id: string) =>
  ({
    SEAL_KEYS: `${id}:${randomBytes(32).toString('base64')}`,
    runtime: { cryptography: webCryptography },
  }) as unknown as Env

test('a link that was sealed with a key that is gone is refused, and logged once a minute', async () => {
  const lines: string[] = []
  setLogWriter((line) => lines.push(line))
  onTestFinished(() => setLogWriter(console.log))
  const [before, after] = [createEnv('old'), createEnv('new')]
  const instance = { id: crypto.randomUUID() }
  const sealed = await sealLink(before, { instance, tokenHash: 'ab', actor: { kind: 'instance' } }, '3EB0')
  expect(await openLink(before, sealed)).toMatchObject({ instance: instance.id, messageid: '3EB0' })
  // Of no form that a seal has.
  expect(await openLink(before, 'x')).toBeUndefined()
  expect(lines).toEqual([])
  for (let times = 0; times < 3; times += 1) expect(await openLink(after, sealed)).toBeUndefined()
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 'warn',
      msg: 'failed to open media link',
      error: { message: expect.stringContaining('no seal key named "old" is configured') },
    },
  ])
})

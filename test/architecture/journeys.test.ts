// The journeys in the docs are as long as they say: each numbered step is one file, and the table counts them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from './sources.ts'

const page = readFileSync(join(root, 'docs', 'code', 'journeys.md'), 'utf8')
const counted = [...page.matchAll(/^\| (a [a-z ]+) \| (\d+) \| \d+.*\|$/gm)]

describe.each(counted.map(([, journey = '', files = '']) => ({ journey, files: Number(files) })))(
  '$journey',
  ({ journey, files }) => {
    const [chapter = ''] = new RegExp(`^## ${journey}[\\s\\S]*?(?=^## |$(?![\\s\\S]))`, 'im').exec(page) ?? []
    const steps = [...chapter.matchAll(/^\d+\. \[([^\]]+)\]/gm)].map(([, path = '']) => path)

    test('has as many files on its spine as the table says, each once', () => {
      expect(new Set(steps).size).toBe(files)
      expect(steps).toHaveLength(files)
      expect(chapter).toContain(`**Spine: ${files} files`)
    })
  },
)

test('there are four', () => {
  expect(counted).toHaveLength(4)
})

// Labels that are made at the same time are several labels.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

test('labels that callers make at once each have an id of their own', async () => {
  const instance = await world.linkPhone('5511620000001')
  const names = ['paid', 'open', 'late']
  const outcomes = await Promise.all(
    names.map((name) => world.edge.performAction(instance, 'label.edit', { name, color: 1, delete: false })),
  )
  expect(outcomes.map(({ kind }) => kind)).toEqual(['done', 'done', 'done'])
  const listed = await world.edge.performAction(instance, 'label.list', {})
  expect(listed.kind === 'done' && listed.result.map(({ name }) => name)).toEqual(names)
})

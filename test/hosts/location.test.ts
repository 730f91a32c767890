// Which part of the world a durable object is asked for, by the region of its host.

import { expect, test } from 'vitest'
import { placedNear } from '../../edge/cloudflare/location.ts'

test.each([
  ['eu-west', 'weur'],
  ['europe-central2', 'eeur'],
  ['us-west-2', 'wnam'],
  ['us-east-1', 'enam'],
  ['sa-east-1', 'sam'],
  ['brazilsouth', 'sam'],
  ['ap-southeast-2', 'oc'],
  ['ap-south-1', 'apac'],
  ['me-central-1', 'me'],
  ['af-south-1', 'afr'],
  ['apac', 'apac'],
  ['SAM', 'sam'],
])('a host in %s has its objects in %s', (region, locationHint) => {
  expect(placedNear(region)).toEqual({ locationHint })
})

test.each(['local', '', 'cellar', undefined])(
  'a region called %s says no place, and nothing is asked for',
  (region) => {
    expect(placedNear(region)).toEqual({})
  },
)

// Types of the Workers runtime are not for the tests: these are looked up when they run.
const edge = (file: string) => import(/* @vite-ignore */ `../../edge/${file}.ts`)

test('links and couriers are asked for there', async () => {
  const { linkOf } = await edge('hosts/links')
  const { courierOf } = await edge('delivery/wake')
  const asked: object[] = []
  const namespace = { idFromName: (name: string) => name, get: (...args: object[]) => asked.push(args) }
  const env = { HOST_LINK: namespace, COURIER: namespace }
  linkOf(env, 'host', 'sa-east-1')
  courierOf(env, 'instance', 'eu-west')
  linkOf(env, 'host')
  expect(asked).toEqual([
    ['host', { locationHint: 'sam' }],
    ['instance', { locationHint: 'weur' }],
    ['host', {}],
  ])
})

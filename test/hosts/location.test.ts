// Which part of the world a durable object is asked for, by the region of its host.

import { findLocationHint, getObject } from '@msgnet/edge/cloudflare/location-hint.ts'
import { expect, test } from 'vitest'

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
])('objects of a host in %s are created in %s', (region, locationHint) => {
  expect(findLocationHint(region)).toEqual({ locationHint })
})

test.each(['local', '', 'cellar', undefined])('the region %s gives no location hint', (region) => {
  expect(findLocationHint(region)).toEqual({})
})

test('an object is created with the location hint', () => {
  const requests: object[] = []
  const namespace = { idFromName: (name: string) => name, get: (...args: unknown[]) => requests.push(args) }
  getObject(namespace, 'host', 'sa-east-1')
  getObject(namespace, 'instance', 'eu-west')
  getObject(namespace, 'host')
  expect(requests).toEqual([
    ['host', { locationHint: 'sam' }],
    ['instance', { locationHint: 'weur' }],
    ['host', {}],
  ])
})

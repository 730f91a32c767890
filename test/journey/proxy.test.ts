// An instance's own proxy: the session and its files go by it, or nowhere (open points, "Proxy").
// @module-tag slow

import { afterEach, expect, test } from 'vitest'
import { createDevice, createPhone, type LinkedDevice, linkDevice, waitUntilConnected } from '../device.ts'
import { startHttpProxy, startSocksProxy, type TestProxy } from '../proxy.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

let world: World
let proxy: TestProxy
afterEach(async () => {
  await world.close()
  await proxy.close()
})

const maskUrl = () => proxy.url.replace('se%20cret', '***')
const findNetworkHost = () => new URL(world.run.simulatorUrl).host
const isByProxy = () => proxy.served.filter((place) => place === findNetworkHost()).length

async function linkThroughProxy(start: () => Promise<TestProxy>): Promise<LinkedDevice> {
  proxy = await start()
  world = await startWorld()
  const made = await createDevice(world)
  const saved = await made.caller.post('/instance/proxy', { enable: true, proxy_url: proxy.url })
  expect(saved).toMatchObject({ status: 200, body: { enabled: true, proxy_url: maskUrl() } })
  return linkDevice(world, made)
}

test.each<[string, () => Promise<TestProxy>]>([
  ['http', startHttpProxy],
  ['socks5', startSocksProxy],
])(
  'through a proxy of %s a device links, sends texts and files, and reconnects after a kill',
  async (_, start) => {
    const { caller, number } = await linkThroughProxy(start)
    expect(isByProxy()).toBeGreaterThan(0)
    const friend = await createPhone(world)
    expect((await caller.post('/send/text', { number: friend, text: 'by the way' })).status).toBe(200)
    const before = proxy.served.length
    const file = `data:text/plain;base64,${Buffer.from('a file').toString('base64')}`
    expect((await caller.post('/send/media', { number: friend, type: 'document', file })).status).toBe(200)
    expect(proxy.served.slice(before)).not.toEqual([])

    proxy.served.length = 0
    await world.killAndRestart()
    // The status of before the kill may still be there for a moment.
    await until(() => isByProxy())
    await until(async () => (await caller.get('/instance/status')).body.loggedIn)
    expect((await world.sim('GET', `/phones/${number}`)).companions).toHaveLength(1)
  },
)

test('an instance whose proxy fails does not connect directly, and connects again once the proxy is removed', async () => {
  const device = await linkThroughProxy(startHttpProxy)
  const { caller } = device
  expect((await caller.get('/instance/proxy')).body).toEqual({ enabled: true, proxy_url: maskUrl() })
  proxy.refusing = true
  proxy.cutConnections()
  await until(async () => (await caller.get('/instance/status')).body.instance.status === 'connecting')
  const refused = await caller.post('/instance/restart')
  expect(refused).toMatchObject({ status: 502, body: { error: 'msgnet_unreachable' } })

  // Turned off it is remembered, and nothing goes by it.
  const served = proxy.served.length
  const off = await caller.post('/instance/proxy', { enable: false })
  expect(off.body).toEqual({ enabled: false, proxy_url: maskUrl() })
  await caller.post('/instance/restart')
  await waitUntilConnected(device)
  expect(proxy.served).toHaveLength(served)

  proxy.refusing = false
  expect((await caller.post('/instance/proxy', { enable: true })).body.enabled).toBe(true)
  await caller.post('/instance/restart')
  await waitUntilConnected(device)
  expect(proxy.served.length).toBeGreaterThan(served)

  const none = { enabled: false, proxy_url: '' }
  expect((await caller.delete('/instance/proxy')).body).toEqual(none)
  expect((await caller.get('/instance/proxy')).body).toEqual(none)
  const now = proxy.served.length
  await caller.post('/instance/restart')
  await waitUntilConnected(device)
  expect(proxy.served).toHaveLength(now)
})

test.each<[string, () => Promise<TestProxy>]>([
  ['http', startHttpProxy],
  ['socks5', startSocksProxy],
])('a restart with %s leaves no connection behind, whether or not the proxy responds', async (_, start) => {
  const device = await linkThroughProxy(start)
  const { caller } = device
  for (let n = 0; n < 3; n++) {
    await caller.post('/instance/restart')
    await waitUntilConnected(device)
  }
  await until(() => proxy.open === 1)
  proxy.unresponsive = true
  await Promise.all([1, 2, 3].map(() => caller.post('/instance/restart', undefined, { prefer: 'wait=1' })))
  expect(proxy.open).toBeLessThanOrEqual(1)
  expect((await caller.delete('/instance/proxy')).status).toBe(200)
  await caller.post('/instance/restart')
  await waitUntilConnected(device)
  await until(() => proxy.open === 0)
})

const wrongUrls = [
  'ftp://a.com:21',
  'socks4://a.com:1080',
  'a.com:8080',
  'http://a.com:8080/path',
  'http://',
  'http://a b.com:1',
  'socks5://%zz:a@a.com:1080',
  'http://user:%e0%a4%a@a.com:8080',
  `socks5://${'u'.repeat(256)}:a@a.com:1080`,
  'http://proxy.shop.com:22',
  'socks5://proxy.shop.com:25',
  'http://0x7f.1:3128',
  'http://proxy.local:3128',
  'http://proxy.namespace.svc:3128',
]
const localUrls = [
  'http://127.0.0.1:3128',
  'socks5://2130706433:1080',
  'https://[::1]:443',
  'http://10.1.2.3:1',
  'socks5://proxy.internal:1080',
]

test('an invalid proxy URL is refused, and so is a private host unless the operator allows it', async () => {
  proxy = await startHttpProxy()
  world = await startWorld({ LOCAL_PROXIES: 'off' })
  const { caller } = await createDevice(world)
  const setProxy = async (body: object) => {
    const response = await caller.post('/instance/proxy', body)
    return [response.status, response.body.error]
  }
  expect(await setProxy({ enable: true })).toEqual([400, 'invalid_url'])
  expect(await setProxy({ proxy_url: 'http://proxy.shop.com:8080' })).toEqual([400, 'invalid_body'])
  for (const proxy_url of [...wrongUrls, ...localUrls])
    expect([proxy_url, ...(await setProxy({ enable: true, proxy_url }))]).toEqual([
      proxy_url,
      400,
      'invalid_url',
    ])
  // A user or a password may contain a plain @: the last one ends them. A part that could be either is never shown.
  for (const party of [
    'user:wo@rd',
    'us@er:word',
    'us@er:w:o@rd',
    ':word',
    'word',
    'user:w:ord',
    'user:w#ord%40',
  ]) {
    const saved = await caller.post('/instance/proxy', {
      enable: true,
      proxy_url: `http://${party.replace('#', '%23')}@proxy.shop.com:8080`,
    })
    const user = party === 'user:w#ord%40' ? 'user:' : ''
    expect([party, saved.body.proxy_url]).toEqual([party, `http://${user}***@proxy.shop.com:8080`])
  }
  const fine = { enable: true, proxy_url: 'socks5://user:word@proxy.shop.com:1080' }
  expect((await caller.post('/instance/proxy', fine)).body.proxy_url).toBe(
    'socks5://user:***@proxy.shop.com:1080',
  )
})

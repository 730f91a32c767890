// Where webhooks may not go, in every spelling that we could think of.

import { checkDestination } from '@msgnet/shared/destination.ts'
import { describe, expect, test } from 'vitest'

const hostile = [
  // loopback and unspecified, as people write them and as attackers do
  'https://127.0.0.1/',
  'https://127.1/',
  'https://127.0.1/',
  'https://127.255.255.254/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.0x0.0x0.0x1/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://0x7f.1/',
  'https://127.0.0.1./',
  'https://１２７.０.０.１/',
  'https://127。0。0。1/',
  'https://①②⑦.0.0.1/',
  'https://%31%32%37.0.0.1/',
  'https://0.0.0.0/',
  'https://0/',
  'https://00000000/',
  // private, link-local, shared, benchmark, documentation, multicast, reserved
  'https://10.0.0.1/',
  'https://10.255.255.255/',
  'https://167772161/',
  'https://172.16.0.1/',
  'https://172.31.255.255/',
  'https://192.168.1.1/',
  'https://192.168.257/',
  'https://0xc0a80101/',
  'https://169.254.169.254/latest/meta-data/',
  'https://2852039166/',
  'https://0xa9fea9fe/',
  'https://0251.0376.0251.0376/',
  'https://100.64.0.1/',
  'https://100.127.255.255/',
  'https://198.18.0.1/',
  'https://192.0.0.1/',
  'https://192.0.2.1/',
  'https://198.51.100.7/',
  'https://203.0.113.7/',
  'https://192.88.99.1/',
  'https://224.0.0.1/',
  'https://240.0.0.1/',
  'https://255.255.255.255/',
  // IPv6, and IPv4 inside it
  'https://[::1]/',
  'https://[::]/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[::127.0.0.1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[::ffff:0:127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[64:ff9b:1::1]/',
  'https://[100::1]/',
  'https://[fc00::1]/',
  'https://[fd12:3456:789a::1]/',
  'https://[fe80::1]/',
  'https://[feb0::1]/',
  'https://[fec0::1]/',
  'https://[ff02::1]/',
  'https://[2001::1]/',
  'https://[2001:10::1]/',
  'https://[2001:db8::1]/',
  'https://[2002:7f00:1::]/',
  'https://[3fff::1]/',
  'https://[5f00::1]/',
  // names of this machine and its surroundings
  'https://localhost/',
  'https://LOCALHOST/',
  'https://localhost./',
  'https://loc\u00adalhost/',
  'https://ｌｏｃａｌｈｏｓｔ/',
  'https://api.localhost/',
  'https://printer.local/',
  'https://metadata.google.internal/',
  'https://router.home.arpa/',
  'https://1.0.0.127.in-addr.arpa/',
  'https://intranet/',
  'https://db/',
  'https://example.org./',
  'https://a..example.org/',
  'https://host.lan/',
  'https://svc.corp/',
  // credentials, ports, schemes and other shapes
  'https://user@hooks.example.org/',
  'https://user:pass@hooks.example.org/',
  'https://@hooks.example.org/',
  'https://hooks.example.org:80/',
  'https://hooks.example.org:22/',
  'https://hooks.example.org:1023/',
  'https://hooks.example.org:0/',
  'https://hooks.example.org:65536/',
  'http://hooks.example.org/',
  'ftp://hooks.example.org/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/plain,x',
  '//hooks.example.org/',
  'hooks.example.org',
  'https:hooks.example.org',
  'https:/hooks.example.org',
  'https:///hooks.example.org',
  'https:\\\\hooks.example.org\\',
  'https://hooks.example.org\\@127.0.0.1/',
  ' https://hooks.example.org/',
  'https://hooks.example.org/ ',
  'https://hooks.exa\tmple.org/',
  'https://hooks.example.org/\n',
  'https://[::1',
  'https://[fe80::1%25eth0]/',
  'https://1.2.3.4.5/',
  'https://256.1.1.1/',
  '',
]

describe('a destination that is not on the public internet is refused', () => {
  test.each(hostile)('%s', (url) => {
    expect(checkDestination(url, '')).toMatchObject({ allowed: false, why: expect.stringMatching(/./) })
  })
})

const welcome = [
  ['https://hooks.example.org/in', 'https://hooks.example.org/in'],
  ['HTTPS://Hooks.Example.ORG:443/In?a=b', 'https://hooks.example.org/In?a=b'],
  ['https://hooks.example.org', 'https://hooks.example.org/'],
  ['https://hooks.example.org:8443/a/../b', 'https://hooks.example.org:8443/b'],
  ['https://hooks.example.org/x#part', 'https://hooks.example.org/x'],
  ['https://hooks.example.org:1024/', 'https://hooks.example.org:1024/'],
  ['https://8.8.8.8/', 'https://8.8.8.8/'],
  ['https://172.32.0.1/', 'https://172.32.0.1/'],
  ['https://100.128.0.1/', 'https://100.128.0.1/'],
  ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
  ['https://bücher.org/', 'https://xn--bcher-kva.org/'],
  ['https://localhost.example.org/', 'https://localhost.example.org/'],
]

describe('a public destination is accepted and normalised', () => {
  test.each(welcome)('%s', (url, normalised) => {
    expect(checkDestination(url, '')).toEqual({ allowed: true, url: normalised, privateOutbound: false })
  })
})

test('a URL of 2048 characters is accepted, and one of 2049 is not', () => {
  const longest = `https://hooks.example.org/${'a'.repeat(2048 - 26)}`
  expect(longest).toHaveLength(2048)
  expect(checkDestination(longest, '').allowed).toBe(true)
  expect(checkDestination(`${longest}a`, '').allowed).toBe(false)
})

describe('the allowlist allows exactly what it names', () => {
  const allowlist = '127.0.0.1:9001, receiver.local:80,[::1]:9002'
  const cases = [
    ['http://127.0.0.1:9001/hook', true],
    ['https://127.0.0.1:9001/hook', true],
    ['http://127.1:9001/hook', true],
    ['http://receiver.local/', true],
    ['http://[::1]:9002/', true],
    ['http://[0:0:0:0:0:0:0:1]:9002/', true],
    ['http://127.0.0.1:9002/hook', false],
    ['http://127.0.0.1/hook', false],
    ['http://127.0.0.2:9001/hook', false],
    ['https://receiver.local/', false],
    ['http://user@127.0.0.1:9001/hook', false],
    ['ftp://127.0.0.1:9001/hook', false],
  ] as const
  test.each(cases)('%s: %s', (url, allowed) => {
    expect(checkDestination(url, allowlist).allowed).toBe(allowed)
  })
})

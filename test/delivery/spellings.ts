// This machine, as a URL's host can spell it: decimal, octal, hex, short, full-width, encoded, mapped and by name.

import { hostname } from 'node:os'

// biome-ignore format: a list of short entries
const loopback = [
  '127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '127.2', '127.65535', '127.255.255.254', '127.000.000.001',
  '127.0x0.0.1', '2130706433', '2130706434', '0x7f000001', '0X7F000001', '0x7f.0x0.0x0.0x1', '0x7f.1',
  '0x7f.0.0.01', '0177.0.0.1', '0177.1', '00177.0.0.01', '017700000001',
]

const unspecified = ['0.0.0.0', '0.0.0.0.', '0', '00000000', '0x0', '0.0', '0.1']

/** Signs that the URL parser folds into the plain ones, and escapes that it undoes. */
// biome-ignore format: a list of short entries
const disguised = [
  '１２７.０.０.１', '127。0。0。1', '127．0．0．1', '127｡0｡0｡1', '①②⑦.0.0.1', '¹²⁷.0.0.1', '₁₂₇.0.0.1',
  '𝟭𝟮𝟳.𝟬.𝟬.𝟭', '𝟘', '%31%32%37.0.0.1', '127%2e0%2e0%2e1', '%30x7f.1', '12\u00ad7.0.0.1',
  '127.0.0.1\u200b',
]

// biome-ignore format: a list of short entries
const sixes = [
  '[::1]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::0.0.0.1]', '[0::1]', '[::]',
  '[0::0]', '[::0.0.0.0]', '[::127.0.0.1]', '[::7f00:1]', '[::ffff:127.0.0.1]', '[::FFFF:7F00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]', '[::ffff:127.1.2.3]', '[::ffff:0.0.0.0]', '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]',
]

// biome-ignore format: a list of short entries
const names = [
  'localhost', 'localhost.', 'LOCALHOST', 'LocalHost.', 'ｌｏｃａｌｈｏｓｔ', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'loc\u00adalhost',
  'l%6fcalhost', 'api.localhost', 'localhost.localdomain', 'ip6-localhost', 'ip6-loopback', hostname(),
]

export const thisMachine = [...loopback, ...unspecified, ...disguised, ...sixes, ...names]

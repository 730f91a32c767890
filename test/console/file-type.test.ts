// The type under which the console shows a file that another person sent.

import { chooseShownType } from '@msgnet/console/conversation/file-type.ts'
import { expect, test } from 'vitest'

test.each([
  'image/svg+xml',
  'image/SVG+xml',
  'IMAGE/Svg+XML; charset=utf-8',
  ' image/svg',
  'text/html',
  'x',
  '',
])('a file of type %j is only saved', (type) => {
  expect(chooseShownType(type)).toBe('application/octet-stream')
})

test.each(['image/png', 'audio/ogg; codecs=opus', 'video/mp4'])('a file of type %j is shown', (type) => {
  expect(chooseShownType(type)).toBe(type)
  expect(chooseShownType(type.toUpperCase())).toBe(type)
})

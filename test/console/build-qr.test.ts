// The QR codes that the console builds itself, beside those of a package.

import { buildQr } from '@msgnet/console/ui/build-qr.ts'
import { create } from 'qrcode'
import { expect, test } from 'vitest'

const drawRows = (rows: boolean[][]) => rows.map((row) => row.map((isDark) => (isDark ? '#' : '.')).join(''))

test('a QR code is the one that a package builds, at each length', () => {
  for (let length = 1; length <= 666; length++) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 37 + length * 11) & 255)
    const { data, size } = create([{ data: bytes, mode: 'byte' }], {
      errorCorrectionLevel: 'M',
      maskPattern: 0,
    }).modules
    const rows = Array.from({ length: size }, (_, y) =>
      Array.from({ length: size }, (_, x) => data[y * size + x] === 1),
    )
    expect(drawRows(buildQr(bytes) ?? []), `${length} bytes`).toEqual(drawRows(rows))
  }
})

test('what does not fit has no code', () => {
  expect(buildQr(new Uint8Array(667))).toBeUndefined()
})

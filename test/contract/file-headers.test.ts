// What a sender says of type and name of a file decides nothing at our origin.

import { buildFileHeaders, chooseServedType } from '@msgnet/edge/media/file-headers.ts'
import { expect, test } from 'vitest'

test.each([
  ['image/jpeg', 'image/jpeg'],
  ['IMAGE/PNG', 'image/png'],
  ['audio/ogg; codecs=opus', 'audio/ogg; codecs=opus'],
  ['video/mp4; codecs="avc1.42E01E, mp4a.40.2"', 'video/mp4; codecs="avc1.42E01E, mp4a.40.2"'],
  ['application/pdf', 'application/pdf'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'application/octet-stream'],
  ['text/plain', 'application/octet-stream'],
  ['text/html', 'application/octet-stream'],
  ['TEXT/HTML; charset=utf-8', 'application/octet-stream'],
  ['application/javascript', 'application/octet-stream'],
  ['application/xhtml+xml', 'application/octet-stream'],
  ['image/svg+xml', 'application/octet-stream'],
  [' Image/SVG+XML ; charset=utf-8', 'application/octet-stream'],
  ['image/x+xml', 'application/octet-stream'],
  ['image/jpeg, text/html', 'application/octet-stream'],
  ['image/jpeg;x=y, text/html', 'image/jpeg'],
  ['image/jpeg\r\nx: y', 'application/octet-stream'],
  ['multipart/x-mixed-replace', 'application/octet-stream'],
  ['', 'application/octet-stream'],
])('a file of type %j is served as %s', (mimetype, served) => {
  expect(chooseServedType(mimetype)).toBe(served)
})

test.each([
  ['plan.pdf', 'plan.pdf', 'plan.pdf'],
  ['Präsentation für João.pdf', 'Pr_sentation f_r Jo_o.pdf', 'Pr%C3%A4sentation%20f%C3%BCr%20Jo%C3%A3o.pdf'],
  ['photo\u202egnp.exe', 'photognp.exe', 'photognp.exe'],
  ['a\u2066b\u2069\u200f\u061c\ufeff.txt', 'ab.txt', 'ab.txt'],
  ['a\r\nx-evil: 1\u0000\u0085\u2028.txt', 'ax-evil: 1.txt', 'ax-evil%3A%201.txt'],
  ['../../etc/passwd', '.._.._etc_passwd', '.._.._etc_passwd'],
  ['a"; filename="b.exe', 'a_; filename=_b.exe', 'a%22%3B%20filename%3D%22b.exe'],
  ["it's (1)*.txt", "it's (1)*.txt", 'it%27s%20%281%29%2A.txt'],
  ['\u202e\u200b', 'MESSAGE', 'MESSAGE'],
  ['', 'MESSAGE', 'MESSAGE'],
  ['\ud800x.txt', '_x.txt', '%EF%BF%BDx.txt'],
])('a file with the name %j is saved under it without what hides it', (fileName, plain, encoded) => {
  const headers = buildFileHeaders({ mimetype: 'image/png', fileName, id: 'MESSAGE' })
  expect(headers['content-disposition']).toBe(`attachment; filename="${plain}"; filename*=UTF-8''${encoded}`)
})

test('a long name keeps its ending', () => {
  const fileName = `${'é'.repeat(5000)}.pdf`
  const disposition = buildFileHeaders({ mimetype: '', fileName, id: 'MESSAGE' })['content-disposition']
  expect(disposition).toMatch(/\.pdf$/)
  expect(disposition.length).toBeLessThan(1500)
})

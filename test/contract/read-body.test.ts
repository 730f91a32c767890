// How a body is read: no slower than it may be, no more than it may be, and long texts taken out of it without a copy.

import { JsonShape } from '@msgnet/edge/http/json-bounds.ts'
import { drainBody, type Pace, readBounded } from '@msgnet/edge/http/read-body-bytes.ts'
import { decodeInPlace } from '@msgnet/edge/media/decode-in-place.ts'
import { extractLongTexts, LongTexts } from '@msgnet/edge/runtime/long-texts.ts'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'

const PATIENT: Pace = { silent: 60_000, atFirst: 60_000, bytesPerSecond: 1, total: 60_000 }
const KIB = 1024
const utf8 = (text: string) => new TextEncoder().encode(text)

/** `reserved`: the bytes that were reserved before they were in memory. */
async function readStream(
  body: ReadableStream<Uint8Array>,
  { length = 0, pace = PATIENT, max = 400 * KIB } = {},
) {
  const reserved: number[] = []
  const reserveBytes = (bytes: number) => void reserved.push(bytes)
  const bytes = await readBounded(body, { maxBytes: max, length, before: utf8('head '), reserveBytes, pace })
  return { text: new TextDecoder().decode(bytes), reserved }
}

/** A piece whenever the last one was taken and so many milliseconds have passed; without pieces it stays silent. */
const createDrip = (pieces: string[], ms: number, type?: 'bytes') =>
  new ReadableStream({
    ...(type && { type }),
    async pull(controller: { enqueue(piece: Uint8Array): void; close(): void }) {
      const piece = pieces.shift()
      if (piece === undefined) return new Promise(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, ms))
      controller.enqueue(utf8(piece))
      if (pieces.length === 0) controller.close()
    },
  } as never) as ReadableStream<Uint8Array>

const late = { fault: 'invalid_body', message: 'The body did not arrive in time.' }

test('a body is read with and without a length, in any chunks', async () => {
  expect(await readStream(createDrip(['a', 'b'], 0))).toEqual({ text: 'head ab', reserved: [1, 1] })
  expect(await readStream(createDrip(['a', 'b'], 0), { length: 2 })).toEqual({
    text: 'head ab',
    reserved: [2],
  })
  const large = 'x'.repeat(100 * KIB)
  for (const type of [undefined, 'bytes'] as const)
    expect(await readStream(createDrip([large, large], 0, type), { length: 200 * KIB })).toEqual({
      text: `head ${large}${large}`,
      reserved: [200 * KIB],
    })
})

test('a body that is too large is refused, without 100 Continue if its length says so', async () => {
  await expect(readStream(createDrip(['x'.repeat(11)], 0), { max: 10 })).rejects.toMatchObject({
    fault: 'body_too_large',
  })
  const refused = readBounded(createDrip([], 0), {
    maxBytes: 10,
    length: 11,
    before: utf8(''),
    reserveBytes: () => expect.unreachable(),
  })
  await expect(refused).rejects.toMatchObject({ fault: 'body_too_large' })
})

test('a body that stops or is too slow is aborted', async () => {
  const soon = { ...PATIENT, silent: 40 }
  await expect(readStream(createDrip([], 0), { pace: soon })).rejects.toMatchObject(late)
  await expect(
    readStream(createDrip([], 0, 'bytes'), { pace: soon, length: 100 * KIB }),
  ).rejects.toMatchObject(late)
  const slow = { silent: 400, atFirst: 100, bytesPerSecond: 1000, total: 60_000 }
  await expect(readStream(createDrip(Array(1000).fill('x'), 20), { pace: slow })).rejects.toMatchObject(late)
  const endless = { ...slow, bytesPerSecond: 1, total: 100 }
  await expect(readStream(createDrip(Array(1000).fill('xx'), 20), { pace: endless })).rejects.toMatchObject(
    late,
  )
})

test('the rest of a refused body is read no faster than its caller pays for it', async () => {
  const payments: number[] = []
  const pay = (bytes: number) => {
    payments.push(bytes)
    return payments.length < 3 ? Promise.resolve() : new Promise<void>(() => undefined)
  }
  let pieces = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pieces += 1
        controller.enqueue(new Uint8Array(KIB))
      },
    },
    { highWaterMark: 0 },
  )
  void drainBody(body, pay)
  await vi.waitUntil(() => payments.length === 3)
  await new Promise((resolve) => setImmediate(resolve))
  expect([payments, pieces]).toEqual([[KIB, KIB, KIB], 3])
})

describe('the shape of a body', () => {
  /** The message of the refusal, if it comes in these pieces. */
  function findFault(json: string, cuts: number[]): string {
    const bytes = utf8(json)
    const shape = new JsonShape()
    const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
    try {
      for (const [at, place] of places.slice(1).entries()) shape.addPiece(bytes.subarray(places[at], place))
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }
  const text = fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ',', '[[[[[[[[', 'é') })
  const cuts = fc.array(fc.nat(), { maxLength: 6 })

  test('texts count as one value wherever a piece ends', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), cuts, (texts, places) => {
        const json = JSON.stringify([...texts, '['.repeat(40) + ','.repeat(20_000)])
        expect(findFault(json, places)).toBe('')
        expect(findFault(`${json}${'['.repeat(33)}`, places)).toContain('32 levels')
        expect(findFault(`${json}${','.repeat(20_001)}`, places)).toContain('20000 values')
      }),
      { numRuns: 40 },
    )
  })
})

test('a large file in base64 is decoded a part at a time, and other work goes between', async () => {
  const file = Buffer.alloc(6 * 1024 * KIB, 'any bytes')
  let turns = 0
  let isDone = false
  const countTurn = () => {
    turns += 1
    if (!isDone) setImmediate(countTurn)
  }
  setImmediate(countTurn)
  const decoded = await decodeInPlace(utf8(file.toString('base64')))
  isDone = true
  expect(Buffer.compare(decoded ?? new Uint8Array(), file)).toBe(0)
  expect(turns).toBeGreaterThan(10)
})

test('line breaks behind the padding of a large file in base64 change nothing, wherever a part ends', async () => {
  for (const size of [36 * KIB - 1, 72 * KIB - 2]) {
    const file = Buffer.alloc(size, 'any bytes')
    const decoded = await decodeInPlace(utf8(`${file.toString('base64')}\\r\\n`))
    expect(Buffer.compare(decoded ?? new Uint8Array(), file)).toBe(0)
  }
})

describe('a long text of the field', () => {
  const long = 'A'.repeat(65 * KIB)
  const liftBody = (body: string) => {
    const lifted = new LongTexts()
    const short = new TextDecoder().decode(extractLongTexts(utf8(body), ['file', 'files'], lifted))
    return { short, lifted }
  }
  /** The body as it is when every name is put back. */
  const restoreBody = ({ short, lifted }: ReturnType<typeof liftBody>) =>
    short.replace(/[\da-f]{8}-[\da-f-]{27}/g, (name) => {
      const text = lifted.removeText(name)
      return text ? new TextDecoder().decode(text) : name
    })

  test('a long text is replaced by a short one anywhere in the body, and taken once', () => {
    const body = `{"a":"\\"file\\":","file" :\n "${long}","b":{"file":"${long}\\/\\"\\\\"}}`
    const { short, lifted } = liftBody(body)
    expect(short.length).toBeLessThan(200)
    expect(restoreBody(liftBody(body))).toBe(body)
    const name = JSON.parse(short).file
    expect(lifted.removeText(name)).toHaveLength(long.length)
    expect(lifted.removeText(name)).toBeUndefined()
  })

  test('of a list each long text in curly brackets is replaced', () => {
    const body = `{"files":[ "[a]", "{${long}}","{short}" ,\n"{${long}/}"],"text":"{${long}}"}`
    const { short, lifted } = liftBody(body)
    expect(restoreBody(liftBody(body))).toBe(body)
    const { files, text } = JSON.parse(short)
    expect([files[0], files[2], text]).toEqual(['[a]', '{short}', `{${long}}`])
    for (const [place, length] of [
      [1, long.length],
      [3, long.length + 1],
    ] as const)
      expect(lifted.removeText(files[place].slice(1, -1))).toHaveLength(length)
  })

  test.each([
    ['of a list without curly brackets', `{"files":["a","${long}"]}`],
    ['of a list in a list', `{"files":[["{${long}}"]]}`],
    ['of an object in a list', `{"files":[{"text":"{${long}}"}]}`],
    ['after a list', `{"files":["a"],"text":"{${long}}"}`],
    ['of another name', `{"text":"${long}"}`],
    ['of no name', `["file","${long}"]`],
    ['that is a name', `{"${long}":"file"}`],
    ['without an end', `{"file":"${long}`],
    ['with a bare line break', `{"file":"${long}\n"}`],
    ['that is short', `{"file":"A","other":"${long}"}`],
  ])('a long text %s is not replaced', (_, body) => {
    expect(liftBody(body).short).toBe(body)
  })

  test('the rest of the body is read unchanged', () => {
    const words = fc.string({ unit: fc.constantFrom('"', '\\', '/', 'file', ':', ',', 'é', '\n', ' ') })
    const fields = fc.array(
      fc.tuple(fc.oneof(fc.constant('file'), words), fc.oneof(words, fc.constant(long))),
      {
        maxLength: 4,
      },
    )
    fc.assert(
      fc.property(fields, (fieldsIn) => {
        const body = `{${fieldsIn.map(([name, text]) => `${JSON.stringify(name)}: ${JSON.stringify(text)}`).join(' , ')}}`
        const found = liftBody(body)
        const { file, ...rest } = JSON.parse(found.short)
        const { file: expected, ...others } = JSON.parse(body)
        expect(rest).toEqual(others)
        const text = typeof file === 'string' ? found.lifted.removeText(file) : undefined
        expect(text ? new TextDecoder().decode(text) : file).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })
})

// Sounds, films and stickers that go out: each file as the phone gets it, decoded by a package that the gateway does not use for it.
// @module-tag slow

import { createHash } from 'node:crypto'
import { MPEGDecoder } from 'mpg123-decoder'
import { OggOpusDecoder } from 'ogg-opus-decoder'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { createFlac } from '../flac-file.ts'
import { createWav, MEDIA_SECONDS, readMediaFile } from '../media-files.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'

const { world, device, waitForMessage, readInbox } = await borrowScene()
const number = await createPhone(world)

const sendFile = (type: string, bytes: Buffer, fields: object = {}) =>
  device.caller.post('/send/media', { number, type, file: bytes.toString('base64'), ...fields })

/** The message as the phone shows it, and the bytes of its file. */
async function receiveFile(type: string, bytes: Buffer): Promise<{ seen: Seen; file: Buffer }> {
  const { status, body } = await sendFile(type, bytes)
  expect([status, body.message]).toEqual([200, undefined])
  const seen = await waitForMessage(number, ({ id }) => id === body.messageid)
  const request = { id: body.messageid, return_base64: true, return_link: false }
  const file = Buffer.from((await device.caller.post('/message/download', request)).body.base64Data, 'base64')
  expect(seen.mediaSha256).toBe(createHash('sha256').update(file).digest('hex'))
  return { seen, file }
}

async function decodeVoice(file: Buffer) {
  const decoder = new OggOpusDecoder()
  await decoder.ready
  const { channelData, samplesDecoded, errors } = await decoder.decodeFile(file)
  decoder.free()
  expect(errors).toEqual([])
  const samples = channelData[0] ?? new Float32Array()
  const loudness = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
  return { seconds: samplesDecoded / 48_000, loudness, samples }
}

/** The count of channels in the head of an Opus stream. */
const countChannels = (file: Buffer): number | undefined => file[file.indexOf('OpusHead') + 9]

const converted: [string, Buffer][] = [
  ['MP3', readMediaFile('voice.mp3')],
  ['AAC in MP4', readMediaFile('voice.m4a')],
  ['AAC in an MP4 with fragments', readMediaFile('voice-fragments.mp4')],
  ['AAC with two channels and ADTS headers', readMediaFile('voice-stereo.aac')],
  ['WAV', createWav()],
  ['FLAC', readMediaFile('voice.flac')],
  ['Vorbis with two channels', readMediaFile('voice-stereo-vorbis.ogg')],
  ['WebM with Opus', readMediaFile('voice.webm')],
  ['WebM with Opus of two channels', readMediaFile('voice-stereo.webm')],
  ['Ogg with Opus of two channels', readMediaFile('voice-stereo.ogg')],
]

test.each(converted)('a voice note made of %s plays on the phone', async (_, bytes) => {
  const { seen, file } = await receiveFile('ptt', bytes)
  const facts = { mimetype: 'audio/ogg; codecs=opus', voice: true, seconds: MEDIA_SECONDS }
  expect(seen).toMatchObject({ type: 'audio', file: facts })
  expect(Buffer.from(seen.file.waveform, 'base64')).toHaveLength(64)
  expect(countChannels(file)).toBe(1)
  const { seconds, loudness } = await decodeVoice(file)
  expect(seconds).toBeCloseTo(MEDIA_SECONDS, 0)
  expect(loudness).toBeGreaterThan(0.1)
})

test.each([
  ['MP4', 'voice-he.m4a'],
  ['ADTS headers', 'voice-he.aac'],
])('a voice note made of HE-AAC in %s has the length and the pitch of the sound', async (_, name) => {
  const { seconds, samples } = await decodeVoice((await receiveFile('ptt', readMediaFile(name))).file)
  expect(seconds).toBeCloseTo(MEDIA_SECONDS, 0)
  const second = samples.subarray(48_000, 2 * 48_000)
  const rises = second.filter((sample, at) => sample > 0 && (second[at - 1] ?? 1) <= 0)
  expect(Math.abs(rises.length - 440)).toBeLessThan(3)
})

test('a long sound has no break where its decoded pieces meet', async () => {
  const { file } = await receiveFile('ptt', readMediaFile('tone-13s.m4a'))
  const { seconds, samples } = await decodeVoice(file)
  expect(seconds).toBeCloseTo(13, 0)
  // Each sample of a steady tone follows from the two before it.
  const factor = 2 * Math.cos((2 * Math.PI * 440) / 48_000)
  const isBroken = (at: number) =>
    Math.abs((samples[at] ?? 0) - factor * (samples[at - 1] ?? 0) + (samples[at - 2] ?? 0)) > 0.01
  const breaks = Array.from({ length: 12 * 48_000 }, (_, at) => at + 24_000).filter(isBroken)
  expect(breaks).toEqual([])
})

test('a voice note of mono Opus in Ogg passes byte for byte, with its length and its waveform', async () => {
  const bytes = readMediaFile('voice.ogg')
  const { seen, file } = await receiveFile('myaudio', bytes)
  expect(file.equals(bytes)).toBe(true)
  expect(seen.file).toMatchObject({ voice: true, seconds: MEDIA_SECONDS })
  const waveform = [...Buffer.from(seen.file.waveform, 'base64')]
  expect(Math.max(...waveform)).toBe(100)
  // The tone pulses once a second.
  expect(Math.min(...waveform.slice(21, 25))).toBeLessThan(60)
})

test.each([
  ['voice.mp3', 'audio/mpeg'],
  ['voice.m4a', 'audio/mp4'],
  ['voice-stereo.aac', 'audio/aac'],
  ['voice.flac', 'audio/flac'],
  ['voice.ogg', 'audio/ogg; codecs=opus'],
])('as audio %s stays as it is, and its message says %s', async (name, mimetype) => {
  const bytes = readMediaFile(name)
  const { seen, file } = await receiveFile('audio', bytes)
  expect(file.equals(bytes)).toBe(true)
  expect(seen.file).toEqual({ mimetype, seconds: MEDIA_SECONDS })
})

test.each(['video', 'ptv'])('the message of a %s says its length and its size', async (type) => {
  const { seen } = await receiveFile(type, readMediaFile('film.mp4'))
  expect(seen.file).toMatchObject({ mimetype: 'video/mp4', seconds: MEDIA_SECONDS, width: 96, height: 64 })
})

const silentMp3 = readMediaFile('voice.mp3').fill(0, 200)
/** The first byte of its description (ISO 14496-3) begins with the object type; 1 is the main profile. */
const mainProfile = readMediaFile('voice-he.m4a')
mainProfile[mainProfile.indexOf(Buffer.of(0x2b, 0x8a, 0x08))] = 0x0b
const refused: [string, string, Buffer][] = [
  ['text', 'ptt', Buffer.from('these are words and no sound')],
  ['no sound behind the head', 'ptt', silentMp3],
  ['two hours of silence in 20 KB', 'ptt', readMediaFile('silence-2h.flac')],
  ['an MP4 without its tables', 'ptt', readMediaFile('voice.m4a').subarray(0, 9000)],
  ['AAC of another profile', 'ptt', mainProfile],
  ['text', 'audio', Buffer.from('these are words and no sound')],
  ['WebM', 'video', readMediaFile('film.webm')],
  ['a sound', 'ptv', readMediaFile('voice.m4a')],
]
test.each(refused)(
  '%s as %s is 415 with the name of the field, and leaves nothing',
  async (_, type, bytes) => {
    const before = (await readInbox(number)).length
    const { status, body } = await sendFile(type, bytes)
    expect([status, body.error]).toEqual([415, 'unsupported_media_type'])
    expect(body.message).toMatch(/^file /)
    expect(await readInbox(number)).toHaveLength(before)
    const found = (await device.caller.post('/message/find', { limit: 100 })).body.messages as Seen[]
    expect(found.filter(({ status: state }) => state === 'Failed')).toEqual([])
  },
)

test('more sounds than may wait for their conversion are 429 with Retry-After, and each is sent once when its key is used again', async () => {
  const crowded = await createPhone(world)
  const sound = createWav(20, 8000).toString('base64')
  const keys = Array.from({ length: 20 }, () => crypto.randomUUID())
  const send = (key: string) =>
    device.caller.post(
      '/send/media',
      { number: crowded, type: 'ptt', file: sound },
      { 'idempotency-key': key },
    )
  const first = await Promise.all(keys.map(send))
  const refused = first.filter(({ status }) => status === 429)
  expect(first.filter(({ status }) => status !== 200)).toEqual(refused)
  expect(refused.length).toBeGreaterThan(0)
  for (const { headers, body } of refused)
    expect([headers.get('retry-after'), body.error]).toEqual(['1', 'rate_limited'])
  for (const key of keys) await until(async () => (await send(key)).status === 200, { within: 20_000 })
  expect(await readInbox(crowded)).toHaveLength(keys.length)
}, 60_000)

test('a voice note is downloaded as MP3, in base64 and by its link', async () => {
  const { status, body } = await sendFile('ptt', readMediaFile('voice.ogg'))
  expect([status, body.message]).toEqual([200, undefined])
  const request = { id: body.messageid, generate_mp3: true, return_base64: true, return_link: true }
  const download = await device.caller.post('/message/download', request)
  expect([download.status, download.body.mimetype]).toEqual([200, 'audio/mpeg'])
  const mp3 = Buffer.from(download.body.base64Data, 'base64')
  const decoder = new MPEGDecoder()
  await decoder.ready
  const { samplesDecoded, sampleRate } = decoder.decode(mp3)
  decoder.free()
  expect(samplesDecoded / sampleRate).toBeCloseTo(MEDIA_SECONDS, 0)
  const linked = await fetch(download.body.fileURL)
  expect(linked.headers.get('content-type')).toBe('audio/mpeg')
  expect(Buffer.from(await linked.arrayBuffer()).equals(mp3)).toBe(true)
})

test("a stranger's sound that says 1 Hz is no MP3, by a code that says so, and the next one is", async () => {
  const stranger = await createPhone(world)
  const receiveSound = async (audio: Buffer): Promise<string> => {
    const body = { from: stranger, to: device.number, audio: audio.toString('base64') }
    const { id } = await world.sim('POST', '/messages', body)
    await until(async () => {
      const { messages } = (await device.caller.post('/message/find', { id })).body
      return messages.length === 1
    })
    return String(id)
  }
  const download = async (sound: Buffer) =>
    device.caller.post('/message/download', {
      id: await receiveSound(sound),
      generate_mp3: true,
      return_base64: true,
    })
  const { status, body } = await download(createFlac({ rate: 1, samples: 3600 }))
  expect([status, body.error, body.message]).toEqual([
    502,
    'media_unavailable',
    'No MP3 could be made of this sound.',
  ])
  expect((await download(readMediaFile('voice.ogg'))).body.mimetype).toBe('audio/mpeg')
})

test('generate_mp3 has no effect on a file that is no sound', async () => {
  const { body } = await sendFile('document', Buffer.from('only words'), { mimetype: 'text/plain' })
  const request = { id: body.messageid, generate_mp3: true, return_base64: true }
  const download = await device.caller.post('/message/download', request)
  expect(download.body).toMatchObject({ mimetype: 'text/plain', base64Data: 'b25seSB3b3Jkcw==' })
})

const draw = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 200, g: 40, b: 40, alpha: 0.5 } } })
/** A picture that does not compress well. */
const drawNoise = (side: number) =>
  sharp(Buffer.from(Array.from({ length: side * side * 3 }, (_, at) => (at * 2_654_435_761) >>> 24)), {
    raw: { width: side, height: side, channels: 3 },
  })
/** Frames of 8x8 in changing grey. */
const drawAnimation = (frames: number) =>
  sharp(Buffer.from(Array.from({ length: frames * 192 }, (_, at) => (Math.floor(at / 192) * 37) % 256)), {
    raw: { width: 8, height: 8 * frames, channels: 3, pageHeight: 8 },
  })
    .gif({ delay: Array.from({ length: frames }, () => 50) })
    .toBuffer()
const KIB = 1024

test.each([
  ['a PNG', () => draw(90, 30).png().toBuffer()],
  ['a JPEG', () => draw(1200, 900).jpeg().toBuffer()],
  ['a WebP', () => draw(64, 64).webp().toBuffer()],
  ['a picture of noise', () => drawNoise(900).png().toBuffer()],
])('%s becomes a sticker that phones load', async (_, drawPicture) => {
  const { seen, file } = await receiveFile('sticker', await drawPicture())
  expect(seen).toMatchObject({ type: 'sticker', file: { mimetype: 'image/webp', width: 512, height: 512 } })
  expect(file.length).toBeLessThanOrEqual(100 * KIB)
  expect(await sharp(file).metadata()).toMatchObject({
    format: 'webp',
    width: 512,
    height: 512,
  })
})

test('a GIF becomes a sticker that moves', async () => {
  const { seen, file } = await receiveFile('sticker', await drawAnimation(12))
  expect(seen.file).toMatchObject({ mimetype: 'image/webp', animated: true })
  expect(file.length).toBeLessThanOrEqual(500 * KIB)
  const metadata = await sharp(file, { animated: true }).metadata()
  expect(metadata).toMatchObject({ format: 'webp', width: 512, pageHeight: 512, pages: 12 })
})

test('a WebP that phones load as a sticker passes byte for byte', async () => {
  const bytes = await draw(512, 512).webp().toBuffer()
  expect((await receiveFile('sticker', bytes)).file.equals(bytes)).toBe(true)
})

test('a GIF of 5,000 frames and a torn PNG are no stickers', async () => {
  const picture = await drawNoise(300).png().toBuffer()
  const torn = picture.subarray(0, picture.length / 2)
  for (const bytes of [await drawAnimation(5000), torn, Buffer.from('<svg/>')]) {
    const { status, body } = await sendFile('sticker', bytes)
    expect([status, body.error, body.message]).toEqual([
      415,
      'unsupported_media_type',
      expect.stringMatching(/^file /),
    ])
  }
})

test('caption is another name of text, and both with different words are refused', async () => {
  const picture = await draw(9, 9).png().toBuffer()
  const { body } = await sendFile('image', picture, { caption: 'our window' })
  expect(body.text).toBe('our window')
  expect((await sendFile('image', picture, { caption: 'one', text: 'one' })).body.text).toBe('one')
  const { status, body: refusal } = await sendFile('image', picture, { caption: 'one', text: 'two' })
  expect([status, refusal.error]).toEqual([400, 'invalid_body'])
  expect(refusal.message).toContain('caption')
})

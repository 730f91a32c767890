// The driver and an account that demands a passkey before it links a device.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Closing, Connection, PasskeyStep } from '../../session-host/driver/driver.ts'
import { makeAuthenticator } from '../authenticator.ts'
import { movableClock } from '../movable-clock.ts'
import { until } from '../until.ts'
import { type DriverWorld, startDriver } from './driver.ts'

const soon = () => AbortSignal.timeout(5000)
let numbered = 0

describe('an account that demands a passkey', () => {
  const clock = movableClock()
  let world: DriverWorld

  beforeAll(async () => {
    world = await startDriver(undefined, { clock })
  })
  afterAll(() => world.close())

  /** A phone with a credential, and a device that it has scanned, or whose code was typed on it. */
  async function scanned({ passkey = true as boolean | object, byCode = false } = {}) {
    const number = `4917000880${String(++numbered).padStart(2, '0')}`
    const authenticator = makeAuthenticator()
    await world.sim('POST', '/phones', { number, passkey })
    await world.sim('POST', `/phones/${number}/passkey/credentials`, authenticator.created)
    const steps: PasskeyStep[] = []
    const qrs: string[] = []
    const ends: Closing[] = []
    let code = ''
    const instance = crypto.randomUUID()
    const events = {
      passkey: (step: PasskeyStep) => void steps.push(step),
      qr: (qr: string) => void qrs.push(qr),
      code: (shown: string) => {
        code = shown
      },
      closed: (closing: Closing) => void ends.push(closing),
    }
    const line = await world.connect(instance, events, byCode ? number : undefined)
    if (byCode) {
      await until(() => code)
      const type = () => world.sim('POST', `/phones/${number}/code`, { code }).catch(() => undefined)
      expect(await until(type)).toEqual({ device: null })
    } else {
      const qr = await until(() => line.qr)
      expect(await world.sim('POST', `/phones/${number}/scan`, { qr })).toEqual({ device: null })
    }
    const asked = await until(() => steps.at(-1))
    return { number, instance, authenticator, steps, qrs, ends, line, asked }
  }

  /** The network is heard meanwhile: a silent one would be given up. */
  async function pass(ms: number, connection: Connection): Promise<void> {
    for (let left = ms; left > 0; left -= 20_000) {
      await clock.move(Math.min(left, 20_000))
      await connection.heard(soon())
    }
  }

  const phone = (number: string) =>
    world.sim<{ linking: { stage: string; confirmation: string } | null }>('GET', `/phones/${number}/passkey`)
  const confirm = (number: string, yes = true) =>
    world.sim('POST', `/phones/${number}/passkey/confirm`, { confirm: yes })
  const waitsForOwner = (number: string) =>
    until(async () => (await phone(number)).linking?.stage === 'confirmation')

  test.each([
    ['QR code', false],
    ['pairing code', true],
  ])(
    'a device is linked by %s once the assertion is accepted and the owner has compared the code',
    async (_, byCode) => {
      const { number, instance, authenticator, asked, steps, ends, line } = await scanned({ byCode })
      expect(asked.options).toMatchObject({
        rpId: 'localhost',
        userVerification: 'required',
        allowCredentials: [],
      })
      expect(asked.confirmation).toBe('')
      const assertion = authenticator.sign(asked.options)
      expect(await line.connection.sendAssertion(assertion, soon())).toEqual({ kind: 'done', value: 'sent' })
      const shown = await until(() => steps.at(-1)?.confirmation)
      await waitsForOwner(number)
      expect((await phone(number)).linking?.confirmation).toBe(shown)
      expect(shown).toMatch(/^[1-9A-HJ-NP-TV-Z]{4}-[1-9A-HJ-NP-TV-Z]{4}$/)
      expect(await confirm(number)).toEqual({ device: 1 })
      expect((await until(() => ends[0])).kind).toBe('restart')
      expect(await world.driver.credential(instance)).toBe('linked')
      const online = await world.connect(instance)
      await until(() => online.account)
      expect(online.account?.jid).toBe(`${number}@s.msgnet.net`)
    },
  )

  test('a phone that trusts the proof of the QR code links the device without its owner', async () => {
    const { authenticator, asked, ends, line } = await scanned({ passkey: { confirmation: false } })
    await line.connection.sendAssertion(authenticator.sign(asked.options), soon())
    expect((await until(() => ends[0])).kind).toBe('restart')
  })

  test('no QR follows once the network asks for a passkey, and its time ends the pairing as passkey_required', async () => {
    const { qrs, ends, asked, line } = await scanned()
    expect(asked.validMs).toBeGreaterThan(590_000)
    await pass(200_000, line.connection)
    expect(qrs).toHaveLength(1)
    expect(ends).toEqual([])
    await pass(400_000, line.connection)
    const end = { kind: 'passkey_required', message: 'the time for the passkey is over' }
    expect(await until(() => ends[0])).toMatchObject(end)
  })

  test.each([
    ['of another credential', 'another'],
    ['that is not signed by the key', { signature: Buffer.alloc(70, 1) }],
    ['made on another site', { origin: 'https://example.com' }],
    ['made for another site', { rpId: 'example.com' }],
    ['without the user', { unverified: true }],
    ['of another kind', { type: 'webauthn.create' }],
  ])('an assertion %s is refused, and the next one gets a new challenge', async (_, flaw) => {
    const { number, authenticator, asked, steps, line } = await scanned()
    const wrong =
      typeof flaw === 'string'
        ? makeAuthenticator().sign(asked.options)
        : authenticator.sign(asked.options, flaw)
    expect(await line.connection.sendAssertion(wrong, soon())).toMatchObject({ kind: 'refused', code: 401 })
    const renewed = await until(() =>
      steps.find(({ options }) => options.challenge !== asked.options.challenge),
    )
    expect(await line.connection.sendAssertion(wrong, soon())).toMatchObject({ value: 'other_challenge' })
    const right = authenticator.sign(renewed.options)
    expect(await line.connection.sendAssertion(right, soon())).toMatchObject({ value: 'sent' })
    expect(await line.connection.sendAssertion(right, soon())).toMatchObject({ value: 'not_asked' })
    await waitsForOwner(number)
    expect(await confirm(number)).toEqual({ device: 1 })
  })

  test('an authenticator whose count does not grow is refused', async () => {
    const first = await scanned()
    const step = { counter: 7 }
    await first.line.connection.sendAssertion(first.authenticator.sign(first.asked.options, step), soon())
    await waitsForOwner(first.number)
    await confirm(first.number)
    const again = await world.connect(crypto.randomUUID(), { passkey: ({ options }) => (asked ??= options) })
    let asked: PasskeyStep['options'] | undefined
    await world.sim('POST', `/phones/${first.number}/scan`, { qr: await until(() => again.qr) })
    const copied = first.authenticator.sign(await until(() => asked), step)
    expect(await again.connection.sendAssertion(copied, soon())).toMatchObject({ kind: 'refused', code: 401 })
  })

  test('an owner who refuses, or does not answer in time, ends the pairing as pairing_expired', async () => {
    const [refused, unanswered] = [await scanned(), await scanned()]
    for (const { line, authenticator, asked, number } of [refused, unanswered]) {
      await line.connection.sendAssertion(authenticator.sign(asked.options), soon())
      await waitsForOwner(number)
    }
    await confirm(refused.number, false)
    expect((await until(() => refused.ends[0])).kind).toBe('pairing_expired')
    await pass(300_000, unanswered.line.connection)
    expect((await until(() => unanswered.ends[0])).kind).toBe('pairing_expired')
    await until(async () => (await phone(unanswered.number)).linking === null)
    await expect(confirm(unanswered.number)).rejects.toThrow('409')
  })

  test('a socket that the network closes while it waits for a passkey ends as passkey_required', async () => {
    const { ends } = await scanned()
    await world.sim('POST', '/faults', { kind: 'close' })
    expect((await until(() => ends[0])).kind).toBe('passkey_required')
  })

  test('an assertion that comes after the time of the challenge is refused by the network', async () => {
    clock.hold()
    const { number, authenticator, asked, line } = await scanned({ passkey: { timeoutMs: 100 } })
    await until(async () => (await phone(number)).linking === null)
    const late = line.connection.sendAssertion(authenticator.sign(asked.options), soon())
    expect(await late).toMatchObject({ kind: 'refused', code: 404 })
    clock.run()
  })

  const request = (content?: string, from = 's.whatsapp.net') => ({
    tag: 'notification',
    attrs: { from, type: 'passkey_prologue_request', id: '169361452' },
    ...(content && { content: [{ tag: 'passkey_request_options', content }] }),
  })
  /** A device that waits for its QR code to be scanned, and what a stanza to it makes it report. */
  async function waiting() {
    const steps: PasskeyStep[] = []
    const ends: Closing[] = []
    const events = {
      passkey: (step: PasskeyStep) => void steps.push(step),
      closed: (closing: Closing) => void ends.push(closing),
    }
    const line = await world.connect(crypto.randomUUID(), events)
    await until(() => line.qr)
    return { steps, ends, hear: (stanza: object) => world.sim('POST', '/stanzas', { stanza }) }
  }

  test('options of the form that the live network is known to send are reported as they are', async () => {
    const { steps, hear } = await waiting()
    const options = {
      ...{ challenge: 'c3VwcG9zZSB0aGlzIHdlcmUgdGhpcnR5LXR3byBieXRl', timeout: 600_000 },
      ...{
        rpId: 'example.com',
        allowCredentials: [],
        userVerification: 'required',
        extensions: { uvm: true },
      },
    }
    await hear(request(JSON.stringify(options)))
    expect(await until(() => steps[0])).toMatchObject({ options, confirmation: '' })
  })

  test('a typed code whose notification lacks the key of the phone is followed by the passkey', async () => {
    const steps: PasskeyStep[] = []
    const codes: string[] = []
    const events = {
      passkey: (step: PasskeyStep) => void steps.push(step),
      code: (code: string) => void codes.push(code),
    }
    await world.sim('POST', '/phones', { number: '4917000889998' })
    const line = await world.connect(crypto.randomUUID(), events, '4917000889998')
    await until(() => codes[0])
    const type = 'link_code_companion_reg'
    const content = [{ tag: 'link_code_pairing_ref', content: 'a reference of sixteen' }]
    const typed = { tag: 'notification', attrs: { from: 's.whatsapp.net', type, id: '7' } }
    await world.sim('POST', '/stanzas', { stanza: { ...typed, content: [{ tag: type, content }] } })
    await world.sim('POST', '/stanzas', { stanza: request('{"challenge":"AAAA"}') })
    expect((await until(() => steps[0])).options).toEqual({ challenge: 'AAAA' })
    expect(line.closed).toBe(false)
  })

  test('a request without options is followed by a question for them, whose refusal ends the pairing', async () => {
    const { steps, ends, hear } = await waiting()
    await hear(request('{"challenge":""}', '4917000889999@s.whatsapp.net'))
    await hear(request('{"challenge":""}'))
    expect((await until(() => ends[0])).kind).toBe('passkey_required')
    expect(steps).toEqual([])
  })
})

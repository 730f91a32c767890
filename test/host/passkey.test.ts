// The driver and an account that demands a passkey before it links a device.

import type { Closing, Connection, PasskeyStep } from '@msgnet/session-host/driver/driver.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAuthenticator } from '../authenticator.ts'
import { MovableClock } from '../movable-clock.ts'
import { until } from '../until.ts'
import { type DriverWorld, startDriver } from './driver.ts'

const createDeadline = () => AbortSignal.timeout(5000)
let numbered = 0

describe('an account that demands a passkey', () => {
  const clock = new MovableClock()
  let world: DriverWorld

  beforeAll(async () => {
    world = await startDriver(undefined, { clock })
  })
  afterAll(() => world.close())

  /** A phone with a credential, and a device that it has scanned, or whose code was typed on it. */
  async function scanCode({ passkey = true as boolean | object, byCode = false } = {}) {
    const number = `4917000880${String(++numbered).padStart(2, '0')}`
    const authenticator = createAuthenticator()
    await world.sim('POST', '/phones', { number, passkey })
    await world.sim('POST', `/phones/${number}/passkey/credentials`, authenticator.created)
    const steps: PasskeyStep[] = []
    const qrs: string[] = []
    const ends: Closing[] = []
    let code = ''
    const instance = crypto.randomUUID()
    const events = {
      onPasskey: (step: PasskeyStep) => void steps.push(step),
      onQr: (qr: string) => void qrs.push(qr),
      onCode: (shown: string) => {
        code = shown
      },
      onClosed: (closing: Closing) => void ends.push(closing),
    }
    const line = await world.connectInstance(instance, events, byCode ? number : undefined)
    if (byCode) {
      await until(() => code)
      const typeCode = () => world.sim('POST', `/phones/${number}/code`, { code }).catch(() => undefined)
      expect(await until(typeCode)).toEqual({ device: null })
    } else {
      const qr = await until(() => line.qr)
      expect(await world.sim('POST', `/phones/${number}/scan`, { qr })).toEqual({ device: null })
    }
    const step = await until(() => steps.at(-1))
    return { number, instance, authenticator, steps, qrs, ends, line, step }
  }

  /** The network responds meanwhile, because an unresponsive one ends the connection. */
  async function passTime(ms: number, connection: Connection): Promise<void> {
    for (let left = ms; left > 0; left -= 20_000) {
      await clock.moveTime(Math.min(left, 20_000))
      await connection.confirmRead(createDeadline())
    }
  }

  const readPhone = (number: string) =>
    world.sim<{ linking: { stage: string; confirmation: string } | null }>('GET', `/phones/${number}/passkey`)
  const confirmLinking = (number: string, yes = true) =>
    world.sim('POST', `/phones/${number}/passkey/confirm`, { confirm: yes })
  const isWaitingForOwner = (number: string) =>
    until(async () => (await readPhone(number)).linking?.stage === 'confirmation')

  test.each([
    ['QR code', false],
    ['pairing code', true],
  ])(
    'a device is linked by %s once the assertion is accepted and the owner has compared the code',
    async (_, byCode) => {
      const { number, instance, authenticator, step, steps, ends, line } = await scanCode({ byCode })
      expect(step.options).toMatchObject({
        rpId: 'localhost',
        userVerification: 'required',
        allowCredentials: [],
      })
      expect(step.confirmation).toBe('')
      const assertion = authenticator.signChallenge(step.options)
      expect(await line.connection.sendAssertion(assertion, createDeadline())).toEqual({
        kind: 'done',
        value: 'sent',
      })
      const shown = await until(() => steps.at(-1)?.confirmation)
      await isWaitingForOwner(number)
      expect((await readPhone(number)).linking?.confirmation).toBe(shown)
      expect(shown).toMatch(/^[1-9A-HJ-NP-TV-Z]{4}-[1-9A-HJ-NP-TV-Z]{4}$/)
      expect(await confirmLinking(number)).toEqual({ device: 1 })
      expect((await until(() => ends[0])).kind).toBe('restart')
      expect(await world.driver.readCredentialState(instance)).toBe('linked')
      const online = await world.connectInstance(instance)
      await until(() => online.account)
      expect(online.account?.jid).toBe(`${number}@s.msgnet.net`)
    },
  )

  test('a phone that trusts the proof of the QR code links the device without its owner', async () => {
    const { authenticator, step, ends, line } = await scanCode({ passkey: { confirmation: false } })
    await line.connection.sendAssertion(authenticator.signChallenge(step.options), createDeadline())
    expect((await until(() => ends[0])).kind).toBe('restart')
  })

  test('a pairing shows no QR after the network requests a passkey, and ends as passkey_required when its time is over', async () => {
    const { qrs, ends, step, line } = await scanCode()
    expect(step.validMs).toBeGreaterThan(590_000)
    await passTime(200_000, line.connection)
    expect(qrs).toHaveLength(1)
    expect(ends).toEqual([])
    await passTime(400_000, line.connection)
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
    const { number, authenticator, step, steps, line } = await scanCode()
    const wrong =
      typeof flaw === 'string'
        ? createAuthenticator().signChallenge(step.options)
        : authenticator.signChallenge(step.options, flaw)
    expect(await line.connection.sendAssertion(wrong, createDeadline())).toMatchObject({
      kind: 'refused',
      code: 401,
    })
    const renewed = await until(() =>
      steps.find(({ options }) => options.challenge !== step.options.challenge),
    )
    expect(await line.connection.sendAssertion(wrong, createDeadline())).toMatchObject({
      value: 'other_challenge',
    })
    const right = authenticator.signChallenge(renewed.options)
    expect(await line.connection.sendAssertion(right, createDeadline())).toMatchObject({ value: 'sent' })
    expect(await line.connection.sendAssertion(right, createDeadline())).toMatchObject({
      value: 'not_requested',
    })
    await isWaitingForOwner(number)
    expect(await confirmLinking(number)).toEqual({ device: 1 })
  })

  test('an authenticator whose count does not grow is refused', async () => {
    const first = await scanCode()
    const step = { counter: 7 }
    await first.line.connection.sendAssertion(
      first.authenticator.signChallenge(first.step.options, step),
      createDeadline(),
    )
    await isWaitingForOwner(first.number)
    await confirmLinking(first.number)
    const again = await world.connectInstance(crypto.randomUUID(), {
      onPasskey: ({ options }) => (previousOptions ??= options),
    })
    let previousOptions: PasskeyStep['options'] | undefined
    await world.sim('POST', `/phones/${first.number}/scan`, { qr: await until(() => again.qr) })
    const copied = first.authenticator.signChallenge(await until(() => previousOptions), step)
    expect(await again.connection.sendAssertion(copied, createDeadline())).toMatchObject({
      kind: 'refused',
      code: 401,
    })
  })

  test('an owner who refuses, or does not answer in time, ends the pairing as pairing_expired', async () => {
    const [refused, unanswered] = [await scanCode(), await scanCode()]
    for (const { line, authenticator, step, number } of [refused, unanswered]) {
      await line.connection.sendAssertion(authenticator.signChallenge(step.options), createDeadline())
      await isWaitingForOwner(number)
    }
    await confirmLinking(refused.number, false)
    expect((await until(() => refused.ends[0])).kind).toBe('pairing_expired')
    await passTime(300_000, unanswered.line.connection)
    expect((await until(() => unanswered.ends[0])).kind).toBe('pairing_expired')
    await until(async () => (await readPhone(unanswered.number)).linking === null)
    await expect(confirmLinking(unanswered.number)).rejects.toThrow('409')
  })

  test('a socket that the network closes while it waits for a passkey ends as passkey_required', async () => {
    const { ends } = await scanCode()
    await world.sim('POST', '/faults', { kind: 'close' })
    expect((await until(() => ends[0])).kind).toBe('passkey_required')
  })

  test('the network refuses an assertion after the time of its challenge', async () => {
    clock.holdTime()
    const { number, authenticator, step, line } = await scanCode({ passkey: { timeoutMs: 100 } })
    await until(async () => (await readPhone(number)).linking === null)
    const late = line.connection.sendAssertion(authenticator.signChallenge(step.options), createDeadline())
    expect(await late).toMatchObject({ kind: 'refused', code: 404 })
    clock.releaseTime()
  })

  const createRequest = (content?: string, from = 's.whatsapp.net') => ({
    tag: 'notification',
    attrs: { from, type: 'passkey_prologue_request', id: '169361452' },
    ...(content && { content: [{ tag: 'passkey_request_options', content }] }),
  })
  /** A device that waits for its QR code to be scanned, and what a stanza to it makes it report. */
  async function createWaiting() {
    const steps: PasskeyStep[] = []
    const ends: Closing[] = []
    const events = {
      onPasskey: (step: PasskeyStep) => void steps.push(step),
      onClosed: (closing: Closing) => void ends.push(closing),
    }
    const line = await world.connectInstance(crypto.randomUUID(), events)
    await until(() => line.qr)
    return { steps, ends, hear: (stanza: object) => world.sim('POST', '/stanzas', { stanza }) }
  }

  test('options of the form that the live network sends are reported unchanged', async () => {
    const { steps, hear } = await createWaiting()
    const options = {
      challenge: 'c3VwcG9zZSB0aGlzIHdlcmUgdGhpcnR5LXR3byBieXRl',
      timeout: 600_000,
      rpId: 'example.com',
      allowCredentials: [],
      userVerification: 'required',
      extensions: { uvm: true },
    }
    await hear(createRequest(JSON.stringify(options)))
    expect(await until(() => steps[0])).toMatchObject({ options, confirmation: '' })
  })

  test("the passkey is requested after a typed code whose notification lacks the phone's key", async () => {
    const steps: PasskeyStep[] = []
    const codes: string[] = []
    const events = {
      onPasskey: (step: PasskeyStep) => void steps.push(step),
      onCode: (code: string) => void codes.push(code),
    }
    await world.sim('POST', '/phones', { number: '4917000889998' })
    const line = await world.connectInstance(crypto.randomUUID(), events, '4917000889998')
    await until(() => codes[0])
    const type = 'link_code_companion_reg'
    const content = [{ tag: 'link_code_pairing_ref', content: 'a reference of sixteen' }]
    const typed = { tag: 'notification', attrs: { from: 's.whatsapp.net', type, id: '7' } }
    await world.sim('POST', '/stanzas', { stanza: { ...typed, content: [{ tag: type, content }] } })
    await world.sim('POST', '/stanzas', { stanza: createRequest('{"challenge":"AAAA"}') })
    expect((await until(() => steps[0])).options).toEqual({ challenge: 'AAAA' })
    expect(line.closed).toBe(false)
  })

  test('a request without options makes the driver query them, and a refusal ends the pairing', async () => {
    const { steps, ends, hear } = await createWaiting()
    await hear(createRequest('{"challenge":""}', '4917000889999@s.whatsapp.net'))
    await hear(createRequest('{"challenge":""}'))
    expect((await until(() => ends[0])).kind).toBe('passkey_required')
    expect(steps).toEqual([])
  })
})

// Creates an instance with all that its caller chooses at once: token, proxy, webhook, connection. It is there with all of it, or not at all.

import type { InitResult } from '@msgnet/shared/contract/responses/instance-responses.ts'
import type { Context } from 'hono'
import { DialectForm } from '../dialect/dialect-form.ts'
import { callContract } from '../http/call-contract.ts'
import type { DialectInput } from '../http/dialect-app.ts'
import { dropEmpty, type Fields, isObject, readText } from '../http/read-fields.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import * as choices from '../routes/creation-choices.ts'
import { createMissing, readTyped } from './evolution-bodies.ts'
import { nameInstance, toHandle } from './evolution-callers.ts'
import { createInvalid } from './evolution-errors.ts'
import { readProxy } from './evolution-proxy.ts'
import { connect, describeLinking } from './evolution-session.ts'
import * as webhooks from './evolution-webhook.ts'

const INTEGRATION = 'WHATSAPP-BAILEYS'

export async function createInstance(c: Context<EdgeEnv>, input: DialectInput) {
  const body = readTyped(input.body)
  const name = readText(body.instanceName)
  if (name === '') throw createMissing('instanceName')
  if (body.integration && body.integration !== INTEGRATION)
    throw createInvalid(`instance.integration is not one of enum values: ${INTEGRATION}`)
  const token = await readToken(c, body)
  const webhook = readFirstWebhook(c, body)
  const settings = webhooks.readSettings(body)
  if (settings.groupsIgnore && !webhook)
    throw createInvalid('instance.groupsIgnore is what the webhook leaves out, and there is none')
  const proxy = body.proxyHost ? readProxy(nameProxyFields(body)) : ''
  const buildWrites = async (id: string) => [
    ...(webhook
      ? await choices.buildChosenWebhook(c, id, webhooks.toWebhookBody(webhook, settings), 'evolution')
      : []),
    ...(proxy ? await choices.buildChosenProxy(c, id, proxy) : []),
  ]
  const made = await callContract<InitResult>(c, 'createInstance', {
    body: { name, handle: toHandle(name) },
    form: new DialectForm('evolution', { token, buildWrites }),
    isKeyed: true,
    names: { name: 'instanceName' },
  })
  const { id } = made.instance
  const connectNew = () => connect(c, readText(body.number), settings.syncFullHistory)
  const linking = body.qrcode === true ? await choices.prepareCreated(c, id, connectNew) : undefined
  const instance = {
    instanceName: nameInstance(made.instance),
    instanceId: id,
    integration: INTEGRATION,
    webhookWaBusiness: null,
    accessTokenWaBusiness: '',
    status: linking ? 'connecting' : 'close',
  }
  const {
    url: webhookUrl,
    options: { byEvents: webhookByEvents = false, base64: webhookBase64 = false } = {},
  } = webhook ?? {}
  const shown = webhook && { webhookUrl, webhookByEvents, webhookBase64 }
  const own = {
    instance,
    hash: made.token,
    webhook: shown ?? {},
    settings: webhooks.describeSettings(settings),
  }
  return c.json({ ...own, ...(linking && { qrcode: describeLinking(linking) }) }, 201)
}

/** Undefined if the gateway is to make one. */
async function readToken(c: Context<EdgeEnv>, { token }: Fields): Promise<string | undefined> {
  if (token === undefined || token === null || token === '') return undefined
  const why = await choices.explainChosenToken(c, token)
  if (why) throw createInvalid(`instance.token ${why}`)
  return readText(token)
}

/** 1.x had the URL as a text, and the rest of it beside. */
function readFirstWebhook(c: Context<EdgeEnv>, body: Fields): webhooks.WebhookChoice | undefined {
  const { webhook } = body
  const choice = isObject(webhook)
    ? readTyped(webhook)
    : { ...body, enabled: true, headers: undefined, url: webhook }
  return choice.url && choice.enabled !== false ? webhooks.readWebhook(c, choice) : undefined
}

/** They have names of their own there. */
const nameProxyFields = (body: Fields): Fields => {
  const named = Object.entries(body).filter(([name]) => name.startsWith('proxy'))
  return {
    protocol: 'http',
    ...dropEmpty(Object.fromEntries(named.map(([name, value]) => [name.slice(5).toLowerCase(), value]))),
  }
}

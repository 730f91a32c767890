// Creates an instance with all that its caller chooses at once: token, proxy, webhook, connection. It is there with all of it, or not at all.

import type { InitResult } from '@msgnet/shared/contract/responses/instance-responses.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { hashSha256 } from '@msgnet/shared/random-tokens.ts'
import type { Context } from 'hono'
import { isAdminCredential } from '../http/admin-credential.ts'
import { callContract } from '../http/call-contract.ts'
import type { DialectInput } from '../http/dialect-app.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { findInstanceById, findInstanceByToken } from '../store/instance-queries.ts'
import { type Body, isObject, readText, requireFields } from './evolution-bodies.ts'
import { nameInstance, toHandle } from './evolution-callers.ts'
import { createInvalid } from './evolution-errors.ts'
import { EvolutionForm } from './evolution-form.ts'
import { readProxy, saveProxy } from './evolution-proxy.ts'
import { connect, describeLinking } from './evolution-session.ts'
import { readSettings } from './evolution-settings.ts'
import { readWebhook, saveWebhook, type WebhookChoice } from './evolution-webhook.ts'

const INTEGRATION = 'WHATSAPP-BAILEYS'

export async function createInstance(c: Context<EdgeEnv>, { body }: DialectInput) {
  requireFields(body, 'instanceName')
  const name = readText(body.instanceName)
  if (body.integration && body.integration !== INTEGRATION)
    throw createInvalid(`instance.integration is not one of enum values: ${INTEGRATION}`)
  const token = await readToken(c, body)
  const webhook = readFirstWebhook(body)
  const settings = readSettings(body)
  if (settings.groupsIgnore && !webhook?.enabled)
    throw createInvalid('instance.groupsIgnore is what the webhook leaves out, and there is none')
  const proxy = body.proxyHost ? readProxy(nameProxyFields(body)) : undefined
  const made = await callContract<InitResult>(c, 'createInstance', {
    body: { name, handle: toHandle(name) },
    form: new EvolutionForm(token),
    isKeyed: true,
  })
  const { id } = made.instance
  await takeInstance(c, id)
  try {
    if (proxy) await saveProxy(c, proxy)
    const saved = webhook && (await saveWebhook(c, { ...webhook, excludesGroups: settings.groupsIgnore }))
    const linking =
      body.qrcode === true ? await connect(c, readText(body.number), settings.syncFullHistory) : undefined
    return {
      instance: {
        instanceName: nameInstance(made.instance),
        instanceId: id,
        integration: INTEGRATION,
        webhookWaBusiness: null,
        accessTokenWaBusiness: '',
        status: linking ? 'connecting' : 'close',
      },
      hash: made.token,
      webhook: saved?.registered
        ? { webhookUrl: saved.url, webhookByEvents: webhook?.options.byEvents ?? false, webhookBase64: false }
        : {},
      settings,
      ...(linking && { qrcode: describeLinking(linking) }),
    }
  } catch (error) {
    await callContract(c, 'deleteInstanceById', { params: { id } })
    throw error
  }
}

/** What follows is done for it. */
async function takeInstance(c: Context<EdgeEnv>, id: string): Promise<void> {
  const { actor, store } = c.var
  const instance = await findInstanceById(store, id)
  if (!instance) throw new Fault('instance_not_found')
  c.set('instance', instance)
  c.set('actor', { ...actor, as: id })
}

const TOKEN_FORM = /^[\x21-\x7e]{20,255}$/

/** Undefined if the gateway is to make one. */
async function readToken(c: Context<EdgeEnv>, { token }: Body): Promise<string | undefined> {
  if (token === undefined || token === null || token === '') return undefined
  if (typeof token !== 'string' || !TOKEN_FORM.test(token))
    throw createInvalid('instance.token must be 20 to 255 visible ASCII characters')
  // An admin's would open the instance by another way than its own.
  if (
    (await isAdminCredential(c.env, token)) ||
    (await findInstanceByToken(c.var.store, await hashSha256(token)))
  )
    throw createInvalid('instance.token is in use')
  return token
}

/** 1.x had the URL as a text, and the rest of it beside. */
function readFirstWebhook(body: Body): WebhookChoice | undefined {
  const { webhook } = body
  if (isObject(webhook)) return webhook.url ? readWebhook(webhook) : undefined
  const url = readText(webhook)
  return url === '' ? undefined : readWebhook({ ...body, enabled: true, headers: undefined, url })
}

const nameProxyFields = ({
  proxyHost,
  proxyPort,
  proxyProtocol,
  proxyUsername,
  proxyPassword,
}: Body): Body => ({
  host: proxyHost,
  port: proxyPort,
  protocol: proxyProtocol || 'http',
  username: proxyUsername,
  password: proxyPassword,
})

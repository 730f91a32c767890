// The webhook of the trigger at the gateway: one of up to five of the instance, with a secret of its own.

import type { IDataObject, IHookFunctions } from 'n8n-workflow'
import { callGateway } from '../shared/call-gateway.ts'
import { createSecret } from './webhook-signature.ts'

const PATH = '/v1/webhooks'
const ABSENT = 404

interface Webhook {
  id: string
  url: string
  first: boolean
}

const buildPath = (id: unknown): string => `${PATH}/${encodeURIComponent(String(id))}`

/** Whether the webhook that this node made is still there, for the address that n8n has now. */
export async function isRegistered(hook: IHookFunctions): Promise<boolean> {
  const { webhookId } = hook.getWorkflowStaticData('node')
  if (!webhookId) return false
  const { body } = await callGateway(hook, { method: 'GET', path: buildPath(webhookId), accepts: ABSENT })
  return (body as { webhook?: Webhook }).webhook?.url === hook.getNodeWebhookUrl('default')
}

/** In place of one for the same address, which an n8n that was killed has left. */
export async function register(hook: IHookFunctions): Promise<void> {
  const url = hook.getNodeWebhookUrl('default') as string
  const { body } = await callGateway(hook, { method: 'GET', path: PATH })
  for (const left of (body as { webhooks: Webhook[] }).webhooks)
    if (left.url === url && !left.first) await removeWebhook(hook, left.id)
  const secret = createSecret()
  const settings = { ...readSettings(hook), url, secret, enabled: true }
  const response = await callGateway(hook, { method: 'POST', path: PATH, body: settings })
  const { webhook } = response.body as { webhook: Webhook }
  Object.assign(hook.getWorkflowStaticData('node'), { webhookId: webhook.id, secret, seen: [] })
}

function readSettings(hook: IHookFunctions): IDataObject {
  const options = hook.getNodeParameter('options', {}) as IDataObject
  const chats = String(options.chats ?? '')
    .split(/[,\n]/)
    .map((chat) => chat.trim())
    .filter(Boolean)
  return {
    events: hook.getNodeParameter('events') as string[],
    excludeMessages: hook.getNodeParameter('excludeMessages', []) as string[],
    ...(chats.length > 0 && { chats }),
  }
}

export async function unregister(hook: IHookFunctions): Promise<void> {
  const data = hook.getWorkflowStaticData('node')
  if (data.webhookId) await removeWebhook(hook, data.webhookId)
  delete data.webhookId
  delete data.secret
  delete data.seen
}

const removeWebhook = (hook: IHookFunctions, id: unknown) =>
  callGateway(hook, { method: 'DELETE', path: buildPath(id), accepts: ABSENT })

// Orders and keys for a payment that are in the parameters of a native flow: PIX and the like.

import type { proto } from 'baileys'
import { getText, isObject, type Parameters, parseParameters } from '../menu-content.ts'
import { dropEmpty, limitWords, toFinite } from './kind-reading.ts'

const FLOWS = ['payment_info', 'review_and_pay', 'order_details', 'order_status']
/** Of an order; clients show ten. */
const MAX_ITEMS = 100

interface FlowPayment {
  /** Of a message without words of its own. */
  text: string
  details: Record<string, unknown>
}

/** Undefined for a message that asks for no payment. */
export function describePayment(
  message: proto.Message.IInteractiveMessage | null | undefined,
): FlowPayment | undefined {
  const button = message?.nativeFlowMessage?.buttons?.find(({ name }) => FLOWS.includes(name ?? ''))
  if (!button) return undefined
  const parameters = parseParameters(button.buttonParamsJson)
  const order = getObject(parameters, 'order')
  const pix = findPix(parameters)
  const items = listObjects(order.items).slice(0, MAX_ITEMS).map(describeItem)
  const names = items.map(({ name }) => String(name ?? '')).filter(Boolean)
  const words = pix ? [pix.merchantName, pix.key] : names
  return {
    text: limitWords(words.filter(Boolean).join('\n') || getText(parameters, 'reference_id')),
    details: dropEmpty({
      flow: button.name ?? '',
      reference: limitWords(getText(parameters, 'reference_id')),
      currency: limitWords(getText(parameters, 'currency')),
      total: readAmount(parameters, 'total_amount'),
      status: limitWords(getText(order, 'status') || getText(parameters, 'payment_status')),
      items: items.length > 0 ? items : undefined,
      pix: pix && dropEmpty({ ...pix }),
    }),
  }
}

function findPix(parameters: Parameters) {
  const settings = [
    ...listObjects(parameters.payment_settings),
    ...listObjects(getObject(parameters, 'order').payment_settings),
  ]
  for (const setting of settings) {
    const pix = [getObject(setting, 'pix_static_code'), getObject(setting, 'pix_dynamic_code')].find(
      (code) => Object.keys(code).length > 0,
    )
    if (pix)
      return {
        merchantName: limitWords(getText(pix, 'merchant_name')),
        key: limitWords(getText(pix, 'key')),
        /** `CPF`, `CNPJ`, `PHONE`, `EMAIL` or `EVP`. */
        keyType: limitWords(getText(pix, 'key_type')),
        code: limitWords(getText(pix, 'code')),
      }
  }
  return undefined
}

const describeItem = (item: Parameters): Record<string, unknown> =>
  dropEmpty({
    name: limitWords(getText(item, 'name')),
    quantity: toFinite(Number(getText(item, 'quantity'))),
    amount: readAmount(item, 'amount'),
    id: limitWords(getText(item, 'retailer_id')),
  })

/** In units of the currency. */
function readAmount(parameters: Parameters, name: string): number {
  const amount = getObject(parameters, name)
  return toFinite((Number(getText(amount, 'value')) || 0) / (Number(getText(amount, 'offset')) || 1))
}

function getObject(parameters: Parameters, name: string): Parameters {
  const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined
  return isObject(value) ? value : {}
}

const listObjects = (value: unknown): Parameters[] => (Array.isArray(value) ? value.filter(isObject) : [])

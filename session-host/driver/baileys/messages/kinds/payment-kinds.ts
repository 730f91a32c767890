// Orders, invoices, and payments of the network itself.

import { proto } from 'baileys'
import {
  dropEmpty,
  fromSeconds,
  type KindTable,
  limitWords,
  type ReadInner,
  type Reading,
  readMoney,
  readPerson,
  readTarget,
  toNumber,
} from './kind-reading.ts'

const ORDER_STATES = ['', 'inquiry', 'accepted', 'declined']
const SERVICES = ['', 'fbpay', 'novi', 'upi']
const PRICE_UNITS = 1000

function readOrder({ orderMessage }: proto.IMessage): Reading {
  const { orderId, orderTitle, message, itemCount, status, sellerJid, token } = orderMessage ?? {}
  const { totalAmount1000, totalCurrencyCode } = orderMessage ?? {}
  return {
    type: 'other',
    text: limitWords(message || orderTitle),
    content: {
      orderId: limitWords(orderId),
      itemCount: itemCount ?? 0,
      total: toNumber(totalAmount1000) / PRICE_UNITS,
      currency: limitWords(totalCurrencyCode),
      ...dropEmpty({
        title: limitWords(orderTitle),
        status: ORDER_STATES[Number(status ?? 0)] ?? '',
        seller: readPerson(sellerJid),
        // Its items are asked for with it.
        token: limitWords(token),
      }),
    },
  }
}

function readInvoice({ invoiceMessage }: proto.IMessage): Reading {
  const { note, token, attachmentType, attachmentMimetype } = invoiceMessage ?? {}
  const { PDF } = proto.Message.InvoiceMessage.AttachmentType
  return {
    type: 'other',
    text: limitWords(note),
    content: {
      note: limitWords(note),
      attachment: Number(attachmentType) === PDF ? 'pdf' : 'image',
      ...dropEmpty({ token: limitWords(token), mimetype: limitWords(attachmentMimetype) }),
    },
  }
}

function readSentPayment({ sendPaymentMessage }: proto.IMessage, readInner: ReadInner): Reading {
  const { noteMessage, requestMessageKey } = sendPaymentMessage ?? {}
  const note = readInner(noteMessage)?.text ?? ''
  const { target, content } = readTarget(requestMessageKey)
  return {
    type: 'other',
    text: note,
    target,
    content: { payment: 'sent', note: limitWords(note), ...content },
  }
}

function readRequest({ requestPaymentMessage }: proto.IMessage, readInner: ReadInner): Reading {
  const { noteMessage, amount, amount1000, currencyCodeIso4217, requestFrom, expiryTimestamp } =
    requestPaymentMessage ?? {}
  const note = readInner(noteMessage)?.text ?? ''
  const price = { amount: toNumber(amount1000) / PRICE_UNITS, currency: limitWords(currencyCodeIso4217) }
  return {
    type: 'other',
    text: note,
    content: {
      payment: 'requested',
      note: limitWords(note),
      ...price,
      ...readMoney(amount),
      ...dropEmpty({ from: readPerson(requestFrom), expiresAt: fromSeconds(expiryTimestamp) }),
    },
  }
}

function readEnd(key: proto.IMessageKey | null | undefined, payment: string): Reading | undefined {
  const { target, content } = readTarget(key)
  return target ? { type: 'other', target, content: { payment, ...content } } : undefined
}

export const paymentKinds = {
  orderMessage: readOrder,
  invoiceMessage: readInvoice,
  sendPaymentMessage: readSentPayment,
  requestPaymentMessage: readRequest,
  declinePaymentRequestMessage: (content) => readEnd(content.declinePaymentRequestMessage?.key, 'declined'),
  cancelPaymentRequestMessage: (content) => readEnd(content.cancelPaymentRequestMessage?.key, 'cancelled'),
  paymentInviteMessage: ({ paymentInviteMessage: invite }) => ({
    type: 'other',
    content: {
      payment: 'invited',
      service: SERVICES[Number(invite?.serviceType ?? 0)] ?? '',
      ...dropEmpty({ expiresAt: fromSeconds(invite?.expiryTimestamp) }),
    },
  }),
} satisfies KindTable

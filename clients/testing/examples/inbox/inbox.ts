// An inbox that keeps what an instance tells it, and sends by what it knows: GATEWAY=… TOKEN=… SECRET=… PORT=3000 node inbox.ts

import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import {
  connectInstance,
  type Envelope,
  GatewayError,
  verifyWebhook,
  WebhookRefused,
} from 'msgnet-gateway-client'

interface Order {
  number: string
  text?: string
  file?: string
  sendAt?: string
  key: string
}

interface KeptMessage {
  id: string
  text: string
  mayAnswer: boolean
  /** Milliseconds, 0 for never. */
  disappearsAfter: number
}

const ENDS = ['logged_out', 'replaced', 'banned']

const { GATEWAY = '', TOKEN = '', SECRET = '', PORT } = process.env
const shop = connectInstance({ baseUrl: GATEWAY, token: TOKEN })
/** Each delivery as it came. A program keeps them in its database, and answers 2xx when they are there. */
const deliveries: Envelope[] = []

const createBook = () => ({
  messages: new Map<string, KeptMessage>(),
  newTexts: new Map<string, string>(),
  /** Of a message and a person. */
  reactions: {} as Record<string, string>,
  votes: {} as Record<string, string[]>,
  states: {} as Record<string, string>,
  left: [] as string[],
  ended: '',
})

/** What is true after all events, each once and in the order of `seq`, in whichever order they came. */
function readBook() {
  const events = new Map(deliveries.map((event) => [event.eventId, event]))
  const inOrder = [...events.values()].sort((one, other) => one.seq - other.seq)
  const book = createBook()
  for (const event of inOrder) note(book, event)
  const { newTexts, states } = book
  const messages = [...book.messages.values()]
    .filter(({ id }) => states[id] !== 'Deleted')
    .map((message) => ({ ...message, text: newTexts.get(message.id) ?? message.text }))
  const [first, last] = [inOrder.at(0), inOrder.at(-1)]
  const missing = first && last ? last.seq - first.seq + 1 - inOrder.length : 0
  return { ...book, messages, repeated: deliveries.length - events.size, missing }
}

function note(book: ReturnType<typeof createBook>, event: Envelope): void {
  switch (event.EventType) {
    case 'messages':
      noteMessage(book, event.message)
      break
    case 'messages_edit':
      // Its message may come later.
      if (!event.event.unreadable) book.newTexts.set(event.event.messageid, event.event.text)
      break
    case 'messages_update':
      for (const id of event.event.MessageIDs)
        if (event.state === 'Voted') book.votes[`${id} ${event.event.Sender}`] = event.event.vote ?? []
        else book.states[id] = event.state
      break
    case 'groups':
      if (event.event.Leave.some((left) => left.includes(event.owner))) book.left.push(event.event.JID)
      break
    case 'connection': {
      const { status, lastDisconnectReason: reason } = event.instance
      book.ended = status === 'disconnected' && ENDS.includes(reason) ? reason : ''
    }
  }
}

type Message = Extract<Envelope, { EventType: 'messages' }>['message']

function noteMessage(book: ReturnType<typeof createBook>, message: Message): void {
  const { messageid: id, reaction, sender, text, fromMe, late, content, messageTimestamp } = message
  // One of a person to a message: the newest. An empty text takes it back.
  if (reaction) {
    book.reactions[`${reaction} ${sender}`] = text
    return
  }
  const gone = Number(content.disappearsAt ?? 0)
  const disappearsAfter = gone && gone - messageTimestamp
  book.messages.set(id, { id, text, mayAnswer: !(fromMe || late), disappearsAfter })
}

/** With a key of the caller's: what has no answer is asked for again by the client, with the same key. */
async function send(order: Order) {
  const { ended, left } = readBook()
  if (ended || left.includes(order.number)) return { status: 0, error: ended || 'left' }
  try {
    return { status: 200, messageid: (await call(order, order.key)).messageid }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    if (error.code !== 'media_unavailable') return { status: error.status, error: error.code }
  }
  // Certainly without effect: with another key it is tried anew.
  return { status: 200, messageid: (await call(order, `${order.key}-anew`)).messageid }
}

function call({ number, text = '', file, sendAt }: Order, idempotencyKey: string) {
  if (file === undefined)
    return shop.sendText({ number, text, ...(sendAt !== undefined && { sendAt }) }, { idempotencyKey })
  return shop.sendMedia({ number, type: 'document', docName: 'prices.txt', file }, { idempotencyKey })
}

createServer(async (request, response) => {
  const body = await buffer(request)
  const reply = (answer: object) => response.end(JSON.stringify(answer))
  if (request.method === 'GET') return reply(readBook())
  try {
    if (request.url === '/send') return reply(await send(JSON.parse(String(body))))
    deliveries.push(await verifyWebhook(body, request.headers, SECRET))
    response.writeHead(204).end()
  } catch (error) {
    response.writeHead(error instanceof WebhookRefused ? 401 : 500).end()
  }
}).listen(Number(PORT), '127.0.0.1')

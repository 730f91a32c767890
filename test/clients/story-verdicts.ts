// What a program must have made of each story of the laboratory: the same of each language.

/** What the inbox of an example says of itself. */
export interface Book {
  messages: { id: string; text: string; mayAnswer: boolean; disappearsAfter: number }[]
  reactions: Record<string, string>
  votes: Record<string, string[]>
  states: Record<string, string>
  left: string[]
  ended: string
  repeated: number
  missing: number
}

/** What it is told to send. */
export interface Order {
  number: string
  text: string
  /** Base64; then the text is not sent. */
  file?: string
  sendAt?: string
  key: string
}

/** What came of it: the status of the last response, 0 if the program asked for nothing. */
export interface Outcome {
  status: number
  error?: string
  messageid?: string
}

export interface Verdict {
  /** What it shows of the story, in this order. */
  shows: string[]
  /** Unless given all that it shows. */
  mayAnswer?: string[]
  /** Deliveries that came again; others come again where a machine is slow, so it is the least. */
  repeated?: number
  ended?: string
  disappearsAfter?: number
  reactions?: string[]
  votes?: string[][]
  /** It is told to send this next. */
  sends?: Pick<Order, 'text' | 'file'> & { afterMs?: number }
  answers?: Outcome
  /** What came of it on the other phone. */
  inbox?: string[]
  /** Of what it sent. */
  state?: string
}

const DAY = 86_400_000
const HOUR = 3_600_000

const hello = { text: 'hello' }
/** The program has stopped by itself, and asked the gateway nothing. */
const stopsAt = (error: string): Verdict => ({
  shows: [],
  ended: error,
  sends: hello,
  answers: { status: 0, error },
})

export const verdicts: Record<string, Verdict> = {
  'an event that comes twice': { shows: ['once, please'], repeated: 1 },
  'a receiver that is slow': { shows: ['take your time'], repeated: 1 },
  'a receiver that is away for a day': { shows: ['one', 'two', 'three'] },
  'a receiver that answers 410': { shows: ['unwanted', 'while it is gone'] },
  'fifty messages at once': { shows: Array.from({ length: 50 }, () => 'again') },
  'a gateway that is killed': { shows: ['one', 'two', 'three', 'four', 'five'], repeated: 1 },
  'a 504 that becomes true': {
    shows: [],
    sends: hello,
    answers: { status: 200 },
    inbox: ['hello'],
    state: 'Delivered',
  },
  'a refused send': {
    shows: [],
    sends: hello,
    answers: { status: 422, error: 'operation_refused' },
    inbox: [],
  },
  'a send that the network limits': {
    shows: [],
    sends: hello,
    answers: { status: 200 },
    inbox: ['hello'],
  },
  'a file that cannot be uploaded': {
    shows: [],
    sends: { text: '', file: 'cHJpY2Vz' },
    answers: { status: 200 },
    inbox: [''],
  },
  'a message that is due while the account is offline': {
    shows: [],
    sends: { ...hello, afterMs: HOUR },
    answers: { status: 200 },
    inbox: ['hello'],
    state: 'Delivered',
  },
  'a number that is not on the network': {
    shows: [],
    sends: hello,
    answers: { status: 422, error: 'not_on_network' },
  },
  'a group that the account is removed from': {
    shows: ['welcome'],
    sends: hello,
    answers: { status: 0, error: 'left' },
  },
  // The text is that of the histories that the simulated network makes up.
  'a message late after a relink': { shows: ['xxxxxxxxxx'], mayAnswer: [] },
  'a replaced session': stopsAt('replaced'),
  'a device that its owner logs out': stopsAt('logged_out'),
  'an account that the network refuses': stopsAt('banned'),
  'an interruption of the network': { shows: ['are you there?', 'hello?'] },
  'a message that its writer deletes': { shows: [] },
  'a message that disappears': { shows: ['gone tomorrow'], disappearsAfter: DAY },
  'an edit before its message': { shows: ['at six'] },
  'a deletion before its message': { shows: ['sorry'] },
  'a message that is read at the second try': { shows: ['first', 'second'] },
  'a reaction that is taken back': { shows: ['a joke'], reactions: [''] },
  'a vote that changes': { shows: ['Where to?'], votes: [['Paris']] },
}

const texts = (messages: Book['messages']) => messages.map(({ text }) => text)

/** The book, in the form of the verdict beside it. */
export function summarizeBook(book: Book, sent: string | undefined, verdict: Verdict) {
  // What it sent itself is told too.
  const own = book.messages.filter(({ id }) => id !== sent)
  return {
    shows: texts(own),
    mayAnswer: texts(own.filter(({ mayAnswer }) => mayAnswer)),
    repeated: Math.min(book.repeated, verdict.repeated ?? 0),
    ended: book.ended,
    disappearsAfter: own.at(-1)?.disappearsAfter ?? 0,
    reactions: Object.values(book.reactions),
    votes: Object.values(book.votes),
    state: sent && verdict.state ? book.states[sent] : undefined,
    missing: book.missing,
  }
}

export const expectBook = (verdict: Verdict) => ({
  shows: verdict.shows,
  mayAnswer: verdict.mayAnswer ?? verdict.shows,
  repeated: verdict.repeated ?? 0,
  ended: verdict.ended ?? '',
  disappearsAfter: verdict.disappearsAfter ?? 0,
  reactions: verdict.reactions ?? [],
  votes: verdict.votes ?? [],
  state: verdict.state,
  missing: 0,
})

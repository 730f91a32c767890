// The steps of the quick start in their order, and what each one is for.

/** The steps in their order. The first one runs on the server's machine; the others need only its address. */
export const quickStart = [
  {
    id: 'prepare',
    title: 'Read the admin token',
    explanation:
      '`npm start` runs a gateway and stores this token in its data folder. It creates instances and is for operators only.',
  },
  {
    id: 'create',
    title: 'Create an instance',
    explanation: 'An instance is one linked device. Only this response contains its token.',
  },
  {
    id: 'connect',
    title: 'Request a QR code',
    explanation:
      'With the real network: show `pairing.qrcode`, a picture, to the phone, and continue when the phone has scanned it.',
  },
  {
    id: 'scan',
    title: 'Link the device',
    explanation:
      'While the network is simulated, there are simulated phones: one that scans, and one of a customer.',
  },
  {
    id: 'webhook',
    title: 'Set where events go',
    explanation:
      'Here events go to the receiver of the simulation; your own receiver has a public `https` address. The secret signs the deliveries.',
  },
  {
    id: 'verify',
    title: 'Verify a delivery',
    explanation:
      'The simulation returns the test that it received, as it came. In your receiver the same function gets the headers and the unparsed body of each request.',
  },
  {
    id: 'send',
    title: 'Send a text',
    explanation:
      'The same key never sends twice: after a 504, repeat the request with the key, and the response is the outcome of the first.',
  },
  {
    id: 'receive',
    title: 'Receive a text',
    explanation:
      'The customer writes back. The gateway stores every event, and posts it to the receiver until it responds with 2xx.',
  },
] as const

export type StepId = (typeof quickStart)[number]['id']
/** The code of each step in one language. */
export type Steps = Record<StepId, string>

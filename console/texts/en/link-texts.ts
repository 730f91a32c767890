// The texts of one-time links: the operator's dialog, and the page for the person with the phone.

export const links = {
  send: 'Send a link',
  titles: {
    device: 'Send a link to the person with the phone',
    webhooks: 'Send a link to who receives the webhooks',
  },
  hints: {
    device:
      'Who opens the link can link a phone to this instance, and nothing else. It ends when a phone is linked.',
    webhooks:
      'Who opens the link sees how these webhooks do and what failed, tests them and delivers events again. No message is shown and no setting can be changed.',
  },
  lifetime: 'It ends after',
  lifetimes: { 900: '15 minutes', 3600: '1 hour', 86400: '1 day' },
  language: 'Language of the page',
  languages: { '': 'As the browser', en: 'English', 'pt-BR': 'Português', es: 'Español' },
  create: 'Create the link',
  created: 'The link. It is shown only once:',
  qrAlt: 'QR code with the link',
  active: 'Links that can be used',
  ends: (time: string) => `ends ${time}`,
  delete: 'End it',
  activeHint:
    'The address of a link is shown only when it is created: only a hash of it is stored. If it is lost, make a new one and end the old one.',
  another: 'Make a new one',
}

export const linkPage = {
  title: 'Link your phone',
  intro: (name: string) => `Your phone will be linked to “${name}”.`,
  until: (time: string) => `This page works until ${time}.`,
  offline: 'The server does not respond. The page tries again by itself.',
  ended: 'This link has ended',
  endedHint: 'It has expired or was withdrawn. Ask the person who sent it for a new one.',
  linked: 'Your phone is linked',
  linkedHint: 'You can close this page. The link does not work any more.',
  method: 'How to link',
  methods: { code: 'On this phone, with a code', qr: 'From another screen, with a QR code' },
  phone: 'Your phone number',
  phoneHint: 'With country code, for example +1 415 555 0100.',
  qrHint: 'Open this page on another screen than the phone, so that the phone can scan it.',
  get: { code: 'Get a code', qr: 'Show a QR code' },
  otherNumber: 'Use another number',
  requesting: 'Asking the network for a code…',
  qrAlt: 'QR code to scan with your phone',
  refreshes: (seconds: number) => `A new code in ${seconds} s`,
  codeEnds: (seconds: number) => `Valid for ${seconds} s`,
  renewing: 'Waiting for the next code…',
  steps: {
    code: [
      'Open the messaging app on this phone, and there “Linked devices”.',
      'Tap “Link a device”, then “Link with phone number”.',
      'Type the code.',
    ],
    qr: [
      'Open the messaging app on your phone, and there “Linked devices”.',
      'Tap “Link a device”.',
      'Point the camera at the QR code.',
    ],
  },
  reasons: {
    '': '',
    logged_out: 'The phone removed this device. You can link it again.',
    replaced: 'Another session took the place of this one. You can link it again.',
    banned: 'The network has blocked this account.',
    pairing_expired: 'The code was not used in time, or it was refused on the phone. Get a new one.',
    passkey_required: 'The account needs a passkey, and none was used in time. Try again.',
    unreachable: 'The network could not be reached. Try again in a moment.',
    by_request: 'The linking was stopped. You can start it again.',
    bad_session: 'The network ended the last session. You can link it again.',
    outdated: 'The network refuses this server at the moment. Tell the person who sent the link.',
  },
  refusals: {
    unreachable: 'The server does not respond. Check your connection and try again.',
    invalid_phone: 'Check the number: it needs 8 to 15 digits, with the country code.',
    rate_limited: 'Too many attempts. Wait a minute and try again.',
    worker_full: 'The server is full at the moment. Try again in a few minutes.',
    operation_refused: 'The network refused this number. Check it and try again.',
    session_conflict: 'A phone has just been linked.',
    other: 'That did not work. Try again in a moment.',
  },
}

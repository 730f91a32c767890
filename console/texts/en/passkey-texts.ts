// The console's texts about passkeys.

export const passkey = {
  title: 'This account needs a passkey',
  description:
    'The phone has accepted this device. Before it is linked, the owner has to use the passkey of the account.',
  use: 'Use the passkey',
  none: (site: string) =>
    `The browser returned no passkey: it was cancelled, or there is none for ${site} on this device.`,
  hereOnly: 'A browser has no passkeys for a numeric address. Open this page as:',
  elsewhere: (site: string) =>
    `The passkey belongs to ${site}: only a browser on that site can use it. This was not tested with the live network.`,
  steps: (site: string) => [
    `On the computer that has the passkey, open https://${site} in Chrome, Edge or Firefox.`,
    'There press F12 (on a Mac ⌥ ⌘ I) and choose “Console”. Paste this line, press Enter, and approve with the passkey. A browser that warns first says what to type to allow it.',
    'The result is now in the clipboard. Paste it here:',
  ],
  extension: {
    title: 'With the browser extension',
    description:
      'It opens the network’s own page, asks you there whether this gateway may link the account, and uses the passkey. Needs Chrome, Edge or another Chromium browser with the extension “msgnet passkey”.',
    open: 'Open the network’s page',
    otherwise: 'Without the extension',
    taken: {
      title: 'The passkey has been used',
      hint: 'Go on in the page where you began. You can close this one.',
    },
    notTaken: {
      title: 'No page waits for this passkey',
      hint: 'Keep the page where you began open, and use the passkey from there again.',
    },
  },
  pasted: 'The assertion, as JSON',
  send: 'Send it',
  noAssertion: 'This is not an assertion. An assertion is JSON with id, rawId, type and response.',
  compare: 'Compare this code with the phone',
  compareHint: 'If the phone shows the same code, confirm it there. If not, refuse it there.',
  sent: 'The passkey is accepted. Waiting for the phone…',
  left: (time: string) => `${time} left`,
  expired: 'The time has expired.',
}

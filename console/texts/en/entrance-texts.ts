// The texts outside the console: the greeting, “not found”, and the sign-in.

export const entrance = {
  greeting: {
    title: 'Many phones, one API.',
    description:
      'This server links devices to a messaging network, sends and receives messages through them, and delivers every event to your webhook: signed, in order and without loss.',
    console: 'Open the console',
    docs: 'Read the documentation',
    checking: 'Checking the health…',
    ready: 'Ready: the server and its database respond.',
    notReady: 'Not ready: the database does not respond.',
    down: 'The server does not respond.',
    first: 'Three steps',
    steps: [
      'Create an instance. It represents one linked device.',
      'Link it with a QR code, as you link any device to a phone.',
      'Send and receive messages, and set a webhook with the address of your program.',
    ],
  },
  notFound: {
    title: 'There is nothing here.',
    description: 'No page has this address. Programs get this response as JSON: 404 not_found.',
  },
  signIn: {
    title: 'Sign in',
    token: 'Token',
    hint: 'The admin token shows everything; an instance’s token shows that instance.',
    where: 'npm start stores the admin token in its data folder: .data/admin-token',
    remember: 'Keep me signed in on this computer',
    rememberHint: 'The token is then stored in this browser. Otherwise it is deleted when this page closes.',
    wrong: 'This token is unknown. Check whether a character is missing at its end.',
    ended: 'Your token has ended: it was deleted or replaced, or it expired. Sign in with a valid one.',
    out: 'Sign out',
  },
}

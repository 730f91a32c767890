// All English texts of the console, a file for each part. Another language is another object of this shape.

import { instances } from './texts/instance-texts.ts'
import { laboratory } from './texts/laboratory-texts.ts'
import { messages } from './texts/message-texts.ts'
import { passkey } from './texts/passkey-texts.ts'
import { webhooks } from './texts/webhook-texts.ts'

export const texts = {
  ...instances,
  ...messages,
  ...passkey,
  ...webhooks,
  ...laboratory,
  name: 'msgnet gateway',
  loading: 'Loading…',
  close: 'Close',
  cancel: 'Cancel',
  copy: 'Copy',
  copied: 'Copied',
  save: 'Save',
  requestId: 'request id',
  justNow: 'just now',
  search: 'Search',
  greeting: {
    title: 'Many phones, one API.',
    description:
      'This server links devices of a messaging network, sends and receives through them, and delivers every event to your webhook: signed, in order, nothing lost.',
    console: 'Open the console',
    docs: 'Read the documentation',
    checking: 'Checking the health…',
    ready: 'Ready: the server and its database answer.',
    notReady: 'Not ready: the database does not answer.',
    down: 'The server does not answer.',
    first: 'Three steps',
    steps: [
      'Make an instance: it stands for one linked device.',
      'Link it with a QR code, as you would link any device to a phone.',
      'Send, receive, and give a webhook the address of your program.',
    ],
  },
  notFound: {
    title: 'There is nothing here.',
    description: 'No page has this address. Programs get the same as JSON: 404 not_found.',
  },
  signIn: {
    title: 'Sign in',
    token: 'Token',
    hint: 'The admin token shows everything; an instance’s token shows that instance.',
    where: 'npm start keeps the admin token in its data folder: .data/admin-token',
    remember: 'Keep me signed in on this computer',
    rememberHint:
      'The token is then kept in this browser’s storage. Else it is forgotten when this page closes.',
    wrong: 'Nobody has this token. Look for a missing character at its end.',
    out: 'Sign out',
  },
  nav: {
    label: 'Pages',
    instances: 'Instances',
    instance: 'Instance',
    webhook: 'Server webhook',
    hosts: 'Hosts',
    health: 'Health',
    laboratory: 'Laboratory',
    docs: 'Docs',
  },
  errors: {
    unreachable: 'The gateway did not answer. Is it running?',
    unauthorized: 'The token is not accepted any more. Sign in again.',
    not_connected: 'The instance is not connected. Link it first, or wait until it is back.',
    session_conflict: 'The session cannot do this in its present state.',
    worker_full: 'No session host has a free slot.',
    rate_limited: 'Too much in a short time. Wait a little and try again.',
    storage_unavailable: 'The database did not answer. Nothing was done: try again.',
    msgnet_unreachable: 'The messaging network, or the host of this session, cannot be reached.',
    outcome_unknown:
      'The network was asked and did not answer in time. It may have taken effect: do not send it again, its outcome will be shown when it is known.',
    not_on_network: 'This number has no account on the network.',
    operation_refused: 'The network refused this.',
    media_unavailable: 'The file could not be fetched.',
    webhooks_disabled: 'Webhooks are turned off on this server.',
    body_too_large: 'That is too large.',
    internal: 'Something unforeseen went wrong. The request id names it in the log.',
    not_in_group: 'The linked account is not in the group.',
    not_admin: 'The linked account is not an admin of the group.',
    calls_not_supported: 'The calls module is off on this server.',
  },
}

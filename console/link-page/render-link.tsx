// The entry of the script of the page behind a one-time link, which is also where the browser extension brings its answers.

import { render } from 'preact'
import { deliverAnswer, isAnswer } from '../extension-passkeys.ts'
import { locale } from '../texts.ts'
import { LinkClient } from './link-client.ts'
import { AnswerPage, LinkPage } from './link-page.tsx'

document.documentElement.lang = locale
const place = document.getElementById('app')
const { hash, pathname, search } = location
if (place && isAnswer(hash)) {
  history.replaceState(null, '', pathname + search)
  render(<AnswerPage isTaken={await deliverAnswer(hash)} />, place)
} else if (place) render(<LinkPage client={new LinkClient(hash.slice(1))} />, place)
// Another link in the same tab is another page.
addEventListener('hashchange', () => location.reload())

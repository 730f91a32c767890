// Asks the person whether a gateway may have the proof of the passkey, over the network's page and apart from its styles.

const STYLE = `
  dialog { font: 16px/1.5 system-ui, sans-serif; color: CanvasText; background: Canvas; max-width: min(30rem, calc(100vw - 2rem)); border: 1px solid GrayText; border-radius: 12px; padding: 1.25rem; box-sizing: border-box; color-scheme: light dark; }
  dialog::backdrop { background: #000a; }
  h1 { font-size: 1.2rem; margin: 0 0 .75rem; }
  dl { margin: .75rem 0; overflow-wrap: anywhere; }
  dt { font-size: .85rem; }
  dd { margin: 0 0 .5rem; font-weight: 600; }
  p { margin: .5rem 0; }
  div { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: 1rem; }
  button { font: inherit; padding: .5rem 1rem; border-radius: 8px; border: 1px solid GrayText; background: ButtonFace; color: ButtonText; cursor: pointer; }
  [role=alert]:empty { display: none; }
`
const say = (name) => chrome.i18n.getMessage(name)

/** `agree` makes and sends the proof; what it throws is shown, and the person may try again. */
function askPerson({ origin, account, hasExpired }, agree) {
  const host = document.createElement('div')
  const root = host.attachShadow({ mode: 'open' })
  const style = new CSSStyleSheet()
  style.replaceSync(STYLE)
  root.adoptedStyleSheets = [style]
  const dialog = addElement(root, 'dialog')
  dialog.setAttribute('aria-label', say('title'))
  dialog.lang = chrome.i18n.getUILanguage()
  const close = () => host.remove()
  dialog.addEventListener('close', close)
  addElement(dialog, 'h1', say('title'))
  const facts = addElement(dialog, 'dl')
  for (const [name, value] of [
    ['gateway', origin],
    ['account', account],
  ]) {
    addElement(facts, 'dt', say(name))
    addElement(facts, 'dd', value)
  }
  addElement(dialog, 'p', say(hasExpired ? 'expired' : 'explanation'))
  const trouble = addElement(dialog, 'p')
  trouble.setAttribute('role', 'alert')
  const buttons = addElement(dialog, 'div')
  if (!hasExpired) addAgreement(buttons, trouble, agree)
  addElement(buttons, 'button', say(hasExpired ? 'close' : 'refuse')).addEventListener('click', close)
  document.documentElement.append(host)
  dialog.showModal()
}

function addAgreement(buttons, trouble, agree) {
  const button = addElement(buttons, 'button', say('agree'))
  button.addEventListener('click', async ({ isTrusted }) => {
    // Only the person agrees, no script of the page.
    if (!isTrusted) return
    button.disabled = true
    trouble.textContent = ''
    try {
      await agree()
    } catch {
      // The browser does not say whether it was cancelled or there is no passkey.
      trouble.textContent = say('none')
      button.disabled = false
    }
  })
}

function addElement(parent, tag, text = '') {
  const element = document.createElement(tag)
  element.textContent = text
  parent.append(element)
  return element
}

// The beginning of the extension on the network's page: a request of a gateway is asked about, once, and answered.

const request = readRequest(location.hash, Date.now())
if (request) {
  // A reload, or a step back, asks nothing a second time.
  history.replaceState(null, '', location.pathname + location.search)
  const ask = () => askPerson(request, () => answerRequest(request))
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', ask, { once: true })
  else ask()
}

async function answerRequest({ options, ...gateway }) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials.get({ publicKey })
  location.replace(buildAnswerAddress(gateway, credential.toJSON()))
}

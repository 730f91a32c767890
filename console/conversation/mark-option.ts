// Whether this browser marks a chat as read when it is opened. Apart from conversation-tab.tsx, because it is about the browser's storage.

const STORAGE_KEY = 'msgnet-gateway.mark-on-opening'

export function readMarkOption(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) === 'on'
  } catch {
    // The browser has no storage: then no receipt is sent unasked.
    return false
  }
}

export function storeMarkOption(isOn: boolean): void {
  try {
    localStorage.setItem(STORAGE_KEY, isOn ? 'on' : 'off')
  } catch {
    // It holds until the page is closed.
  }
}

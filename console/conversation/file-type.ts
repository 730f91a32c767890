// Under which type the console shows a file that another person sent. It must never be opened as a page of our origin.
// Apart from media-view.tsx, because this rule is tested alone.

/** Types are compared in small letters, as browsers do. A picture that can hold a script is only to be saved. */
export function chooseShownType(type: string): string {
  const plain = type.trim().toLowerCase()
  return /^(image\/(?!svg)|audio\/|video\/)/.test(plain) ? plain : 'application/octet-stream'
}

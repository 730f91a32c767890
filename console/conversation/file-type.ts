// Under which type a stranger's file is shown: it must never be opened as a page of our origin.

/** Types are compared in small letters, as browsers do. A picture that can hold a script is only to be saved. */
export function chooseShownType(type: string): string {
  const plain = type.trim().toLowerCase()
  return /^(image\/(?!svg)|audio\/|video\/)/.test(plain) ? plain : 'application/octet-stream'
}

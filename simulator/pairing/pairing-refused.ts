// A pairing that cannot go on, with the reason in words.
export class PairingRefused extends Error {
  override name = 'PairingRefused'
}

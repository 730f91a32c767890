// libsignal's cipher with one change: a message that cannot be decrypted in a session leaves that session unchanged.
import { SessionCipher } from 'libsignal'

type Entry = { constructor: { deserialize(data: unknown): Entry }; serialize(): unknown }
type Deciphering = { doDecryptWhisperMessage(message: Buffer, session: Entry): Promise<Buffer> }

const { doDecryptWhisperMessage: decrypt } = SessionCipher.prototype as unknown as Deciphering

/** The library advances the ratchet of every session that it tries, and saves them all once one fits. */
export class PhoneCipher extends SessionCipher {
  async doDecryptWhisperMessage(message: Buffer, session: Entry): Promise<Buffer> {
    const before = session.constructor.deserialize(session.serialize())
    try {
      return await decrypt.call(this as unknown as Deciphering, message, session)
    } catch (error) {
      Object.assign(session, before)
      throw error
    }
  }
}

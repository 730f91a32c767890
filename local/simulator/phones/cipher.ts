// libsignal's cipher, but for one thing: a message that does not decrypt in a session leaves that session as it was.
import { SessionCipher } from 'libsignal'

type Entry = { constructor: { deserialize(data: unknown): Entry }; serialize(): unknown }
type Deciphering = { doDecryptWhisperMessage(message: Buffer, session: Entry): Promise<Buffer> }

const { doDecryptWhisperMessage: decrypt } = SessionCipher.prototype as unknown as Deciphering

/** The library turns the ratchet of every session that it tries, and saves them all once one has fitted. */
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

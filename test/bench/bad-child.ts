// Requests to the process of the receivers that misbehave.

import type { ChildProcess } from 'node:child_process'

/** Without a question: its next message. */
export function requestFromChild<Message>(child: ChildProcess, question?: object): Promise<Message> {
  const message = new Promise<Message>((resolve) =>
    child.once('message', (message) => resolve(message as Message)),
  )
  if (question) child.send(question)
  return message
}

// What the last act says once it is done, with a button that takes it back where that can be done. It stays until the next one, or another page.

import { useEffect, useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { ActionButton, Button } from './action-button.tsx'
import { Icon } from './icon.tsx'

interface Answer {
  text: string
  undo?: () => unknown
}

let showAnswer: (answer: Answer) => void = () => undefined

/** `act`: as its button calls it. `undo`: its inverse. */
export const answerAct = (act: string, undo: () => unknown): void =>
  showAnswer({
    text: texts.answer.done(act),
    undo: async () => {
      await undo()
      showAnswer({ text: texts.answer.undone(act) })
    },
  })

/** `page`: the address of the open page. */
export function AnswerLine({ page }: { page: string }) {
  const [answer, setAnswer] = useState<Answer>()
  useEffect(() => {
    showAnswer = setAnswer
    setAnswer(undefined)
  }, [page])
  return (
    <div class="answer" role="status">
      {answer && (
        <div class="card line" key={answer.text}>
          {answer.text}
          {answer.undo && <ActionButton onAction={answer.undo}>{texts.answer.undo}</ActionButton>}
          <Button class="bare" label={texts.close} onClick={() => setAnswer(undefined)}>
            <Icon name="close" size={16} />
          </Button>
        </div>
      )}
    </div>
  )
}

// The files that go with the next message, pictures as a preview; each can be taken out.

import { useEffect, useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { Button } from '../ui/action-button.tsx'

interface Props {
  files: readonly File[]
  setFiles: (files: File[]) => void
}

export const FilePreviews = ({ files, setFiles }: Props) => (
  <ul class="previews">
    {files.map((file, place) => (
      <li class="note line still even" key={`${place} ${file.name}`}>
        <Preview file={file} />
        <span class="cut">
          {texts.conversation.file}: {file.name}
        </span>
        <Button
          class="bare"
          label={texts.cancel}
          onClick={() => setFiles(files.filter((other) => other !== file))}
        >
          ×
        </Button>
      </li>
    ))}
  </ul>
)

function Preview({ file }: { file: File }) {
  const [source, setSource] = useState('')
  useEffect(() => {
    if (!file.type.startsWith('image/')) return
    const url = URL.createObjectURL(file)
    setSource(url)
    return () => URL.revokeObjectURL(url)
  }, [file])
  return source ? <img src={source} alt="" /> : null
}

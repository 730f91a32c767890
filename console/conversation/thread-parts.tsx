// Apart from load-thread-parts.ts, because it is loaded after an open chat: what that shows only now and then. One file is smaller than several.

export { attachForms } from './attach-forms.tsx'
export { ForwardDialog } from './forward-dialog.tsx'
export { GalleryDialog } from './gallery.tsx'
export { loadAround, MessageHits } from './message-hits.tsx'
export { MessageMenu } from './message-menu.tsx'
export { ScheduledMessages, SendLaterDialog } from './scheduled-messages.tsx'
export { TimerChoice } from './timer-choice.tsx'
export { VoiceRecorder } from './voice-recorder.ts'

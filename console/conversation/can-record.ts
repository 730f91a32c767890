// Whether this browser can record a voice note, and for how long; known before the recorder is loaded.

/** Chromium and Firefox record Opus, Safari AAC; the gateway turns both into what phones play. */
export const RECORDED_TYPES = ['audio/ogg;codecs=opus', 'audio/webm;codecs=opus', 'audio/mp4']
/** Without anybody at the button a recording ends by itself. */
export const MAX_RECORDING_MS = 15 * 60_000

export const canRecord = (): boolean =>
  typeof MediaRecorder !== 'undefined' &&
  navigator.mediaDevices !== undefined &&
  RECORDED_TYPES.some((type) => MediaRecorder.isTypeSupported(type))

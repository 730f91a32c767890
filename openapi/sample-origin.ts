// The address in the documentation's samples; the server that serves it replaces it by its own.

export const SAMPLE_ORIGIN = 'http://127.0.0.1:8787'

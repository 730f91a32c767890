// The address that the documentation's samples name until whoever serves it puts its own in its place.

export const SAMPLE_ORIGIN = 'http://127.0.0.1:8787'

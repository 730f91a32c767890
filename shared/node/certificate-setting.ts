// The check of settings that are a certificate in PEM, or the path of a file that holds one.

import { readFileSync } from 'node:fs'

const EXPECTED = 'must be a certificate in PEM, or the path of one'

/** `fault` continues the name of the setting. */
type CertificateReading = { pem: string } | { fault: string }

export function readCertificate(value: string): CertificateReading {
  if (value.includes('-----BEGIN')) return requireCertificate(value)
  try {
    return requireCertificate(readFileSync(value, 'utf8'))
  } catch (error) {
    // Not the path: a certificate without its first line would be printed.
    return { fault: `${EXPECTED}: that path cannot be read (${(error as NodeJS.ErrnoException).code})` }
  }
}

const requireCertificate = (pem: string): CertificateReading =>
  pem.includes('-----BEGIN CERTIFICATE-----') ? { pem } : { fault: EXPECTED }

// Settings of stored media: how long and how much is stored, and where the bucket is.

/** The presets, and the range that an operator may choose from. */
export const mediaLimits = {
  retentionDays: { preset: 7, min: 1, max: 3650 },
  maxFileMb: { preset: 64, min: 1, max: 2048 },
  totalGb: { preset: 20, min: 1, max: 1_000_000 },
  /** Of senders that an account does not know, an hour; 0 for no limit. */
  strangersMb: { preset: 256, min: 0, max: 1_000_000 },
  /** Of one instance a minute; 0 for no limit. */
  downloadMb: { preset: 1024, min: 0, max: 1_000_000 },
}

export interface BucketAddress {
  /** The URL of the bucket, without a slash at its end. */
  url: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

const PRESET_REGION = 'us-east-1'

export const MEDIA_STORE_EXPECTED = 'must be s3://KEY:SECRET@host/bucket?region=…'

export const isMediaStoreUrl = (text: string): boolean => parseMediaStoreUrl(text) !== undefined

/** Undefined if the text is no such URL. `s3+http:` is without TLS. */
export function parseMediaStoreUrl(text: string): BucketAddress | undefined {
  const url = URL.parse(text)
  const scheme = { 's3:': 'https:', 's3+http:': 'http:' }[url?.protocol ?? '']
  const [, bucket = ''] = /^\/([\w.-]+)\/?$/.exec(url?.pathname ?? '') ?? []
  if (!url || !scheme || !url.username || !url.password || bucket === '' || url.host === '') return undefined
  try {
    return {
      url: `${scheme}//${url.host}/${bucket}`,
      region: url.searchParams.get('region') || PRESET_REGION,
      accessKeyId: decodeURIComponent(url.username),
      secretAccessKey: decodeURIComponent(url.password),
    }
  } catch {
    return undefined
  }
}
